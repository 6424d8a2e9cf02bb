// Parses the syntax of MLIR's attributes, as far as Triton's layouts need it, to a small tree with
// the column of each part.
//
//   text       =  { '#' word '=' attribute } [ attribute | type ]
//   attribute  =  '#ttg.' name '<' body '>'           '#triton_gpu.' in older text
//              |  '#ttng.' name '<' [ fields ] '>'    of tensor memory, without braces
//              |  '#' word                            defined before
//   body       =  [ '[' pair { ',' pair } ']' ] dictionary [ ',' 'alignment' '=' number ]
//   pair       =  number ':+' number                  of padded layouts
//   dictionary =  '{' [ fields ] '}'
//   fields     =  key '=' value { ',' key '=' value }
//   value      =  number | 'true' | 'false' | attribute | dictionary
//              |  '[' [ value { ',' value } ] ']'
//   type       =  'tensor<' shape element ',' attribute '>'
//              |  '!ttg.memdesc<' shape element ',' attribute { ',' rest } [ ',' whole ] '>'
//   shape      =  { number 'x' }
//   whole      =  number { 'x' number }               the allocation of which it is a part
//
// If a text has only definitions, the last one is read.
//
// This is the first of two steps. It knows brackets, numbers and names, but not layouts. The second
// step, attribute_reader.h, knows which fields an attribute has and what they mean. Gluon's calls
// are parsed to the same tree (gluon_reader.h), so that the second step works for both.
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/interop/text_error.h"
#include "heddle/interop/triton/bases.h"

namespace heddle::interop::triton {

struct AttributeText;

/// A value of a dictionary.
struct ValueText {
  enum class Kind { number, boolean, list, attribute, dictionary };
  Kind kind = Kind::number;
  std::size_t column = 1;
  std::int64_t number = 0;  // 0 or 1 for a boolean
  std::vector<ValueText> list{};
  std::shared_ptr<AttributeText> attribute{};  // a dictionary is one without a name
};

/// key = value.
struct FieldText {
  std::string key;
  std::size_t column;
  ValueText value;
};

/// A parsed attribute.
struct AttributeText {
  std::string name;  // blocked, padded_shared, …
  std::size_t column = 1;
  std::optional<std::vector<ValueText>> pairs{};  // lists of two numbers
  std::vector<FieldText> fields{};
  std::optional<ValueText> alignment{};
};

/// "#ttg.blocked": as the text has it.
inline std::string full_name(const AttributeText& attribute) {
  return (attribute.name.starts_with("tensor_memory") ? "#ttng." : "#ttg.") + attribute.name;
}

/// A parsed attribute, and the shape of the type that contains it, if there is one.
struct TypeText {
  AttributeText attribute;
  std::optional<Numbers> shape{};
  std::size_t shape_column = 1;
  int element_bits = 0;  // 0: the text is no type, or its elements are single bits
};

/// Parses one attribute or type. Errors give the column of the first place that does not follow the
/// syntax, what was expected there, and what was found.
std::expected<TypeText, TextError> read_attribute_text(std::string_view text);

}  // namespace heddle::interop::triton
