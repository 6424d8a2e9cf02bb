#include "heddle/interop/triton/attribute_text.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "heddle/interop/text_scanner.h"

namespace heddle::interop::triton {
namespace {

/// The first error ends the reading.
class AttributeReader {
 public:
  explicit AttributeReader(std::string_view text) : in_(text) {}

  std::expected<TypeText, TextError> read() {
    TypeText result;
    read_definitions();
    if (!in_.failed() && in_.at_end() && !definitions_.empty()) {
      result.attribute = definitions_.back().second;
    } else if (in_.take("tensor<") || in_.take("!ttg.memdesc<") ||
               in_.take("!triton_gpu.memdesc<") || in_.take("!tt.memdesc<")) {
      result.shape_column = in_.place() + 1;
      result.shape = read_shape();
      result.element_bits = read_element_type();
      in_.expect(",", " and the layout");
      result.attribute = read_attribute(0);
      read_rest_of_type(result);
    } else {
      result.attribute = read_attribute(0);
    }
    in_.expect_end();
    if (in_.failed()) return std::unexpected(*in_.error());
    return result;
  }

 private:
  static constexpr int most_depth = 16;
  static constexpr std::size_t most_values = 64;  // in a list: a layout has at most 64 bases
  static constexpr std::int64_t largest = std::int64_t{1} << 40;

  std::string read_word(const std::string& meaning) {
    const std::string_view word = in_.word();
    if (word.empty()) in_.fail("expected " + meaning);
    return std::string(word);
  }

  std::int64_t read_number(const std::string& meaning) {
    return in_.number(meaning, -largest, largest);
  }

  /// Reads any number of definitions such as #blocked = #ttg.blocked<…>, which stand before the
  /// layout or type that uses the names. If no layout or type follows, the last definition is the
  /// result. Definitions of memory spaces are skipped.
  void read_definitions() {
    while (!in_.failed() && in_.next_is("#")) {
      const std::size_t begin = in_.place();
      TextScanner ahead = in_;
      ahead.take("#");
      const std::string name(ahead.word());
      if (name.empty() || !ahead.take("=")) return;
      in_ = ahead;
      // The name of an encoding begins with the name of its memory space.
      TextScanner encoding = in_;
      const bool is_encoding = encoding.take("#ttng.tensor_memory_encoding") ||
                               encoding.take("#ttng.tensor_memory_scales_encoding");
      if (!is_encoding && (in_.take("#ttg.shared_memory") || in_.take("#ttng.tensor_memory") ||
                           in_.take("#triton_gpu.shared_memory")))
        continue;
      if (definitions_.size() == most_values) in_.fail_at(begin, "more than 64 definitions");
      definitions_.push_back({name, read_attribute(0)});
    }
  }

  /// Sizes, each followed by x.
  Numbers read_shape() {
    Numbers shape;
    while (!in_.failed() && in_.next_is_digit()) {
      const std::size_t begin = in_.place();
      shape.push_back(read_number("a size"));
      if (shape.size() > layout::max_axes) in_.fail_at(begin, "a layout has at most 8 dimensions");
      in_.expect("x", " and another size or the element type");
    }
    if (shape.empty()) in_.fail("expected the sizes of the tensor, as 128x64xf16");
    return shape;
  }

  /// The bits of an element type: f16, i8, f8E4M3FN and so on. A pointer, such as !tt.ptr<f16>, has
  /// 64 bits. 0 for i1: how Triton stores an i1 depends on its use.
  int read_element_type() {
    if (in_.take("!tt.ptr<")) {
      read_element_type();
      while (in_.take(",")) read_number("an address space");
      in_.expect(">", " after the element type");
      return 64;
    }
    const std::size_t begin = in_.place();
    const std::string word(in_.word());
    const std::size_t digits = word.find_first_of("0123456789");
    const std::string kind = word.substr(0, digits);
    const std::string number =
        kind == word ? ""
                     : word.substr(digits, word.find_first_not_of("0123456789", digits) - digits);
    const bool is_kind =
        kind == "f" || kind == "bf" || kind == "tf" || kind == "i" || kind == "si" || kind == "ui";
    if (!is_kind || number.empty() || number.size() > 3) {
      in_.fail_at(begin, "expected the element type, as f16, found '" + word + "'");
      return 0;
    }
    const int bits = std::stoi(number);
    return bits == 1 ? 0 : bits;
  }

  /// Reads the text after the layout in a type: the memory space, and the shape of the whole
  /// allocation.
  void read_rest_of_type(TypeText& type) {
    while (in_.take(",")) {
      if (in_.next_is_digit()) {
        const std::size_t begin = in_.place();
        Numbers whole;
        do {
          whole.push_back(read_number("a size"));
        } while (whole.size() <= 16 && in_.take("x"));
        // A slice of an allocation has the layout of the whole, except that leading dimensions
        // count buffers.
        const auto rank = static_cast<std::ptrdiff_t>(type.shape->size());
        if (std::ssize(whole) < rank)
          in_.fail_at(begin, "the allocation has fewer dimensions than its part");
        if (!in_.failed()) type.shape = Numbers(whole.end() - rank, whole.end());
      } else if (in_.take("#")) {
        read_word("a memory space, as #smem");
        if (in_.take(".")) read_word("a memory space, as #ttg.shared_memory");
      } else {
        read_word("a memory space, 'mutable', or the shape of the allocation");
      }
    }
    in_.expect(">", " at the end of the type");
  }

  AttributeText read_attribute(int depth) {
    AttributeText attribute;
    attribute.column = in_.place() + 1;
    if (depth > most_depth) {
      in_.fail_at(in_.place(), "layouts are nested more than 16 deep");
      return attribute;
    }
    if (in_.take("#ttng.")) {
      attribute.name = read_word("the name of a layout, as tensor_memory_encoding");
      in_.expect("<", " after #ttng." + attribute.name);
      if (!in_.take(">")) read_fields(attribute, depth, ">");
      return attribute;
    }
    if (!in_.take("#ttg.") && !in_.take("#triton_gpu.") && !in_.take("#gluon."))
      return read_reference();
    attribute.name = read_word("the name of a layout, as blocked");
    if (attribute.name.ends_with("encoding")) return attribute;  // #gluon.auto_encoding
    in_.expect("<", " after #ttg." + attribute.name);
    if (in_.next_is("[")) attribute.pairs = read_pairs();
    if (in_.next_is("{") || !attribute.pairs) read_dictionary(attribute, depth);
    if (in_.take(",")) {
      in_.expect("alignment", " = …");
      in_.expect("=", " after alignment");
      attribute.alignment = number_value("the alignment in bytes");
    }
    in_.expect(">", " at the end of #ttg." + attribute.name);
    return attribute;
  }

  /// #blocked: what was defined under that name.
  AttributeText read_reference() {
    const std::size_t begin = in_.place();
    if (!in_.take("#")) {
      in_.fail("expected a layout, as #ttg.blocked<…>");
      return {};
    }
    const std::string name = read_word("a layout, as #ttg.blocked<…>");
    for (const auto& [defined, attribute] : definitions_) {
      if (defined == name) return attribute;
    }
    in_.fail_at(begin, "#" + name + " is not defined in this text; put its line, #" + name +
                           " = #ttg.…<…>, before it");
    return {};
  }

  ValueText number_value(const std::string& meaning) {
    ValueText value;
    value.column = in_.place() + 1;
    value.number = read_number(meaning);
    return value;
  }

  std::vector<ValueText> read_pairs() {
    std::vector<ValueText> pairs;
    in_.take("[");
    do {
      ValueText pair{ValueText::Kind::list, in_.place() + 1};
      pair.list.push_back(number_value("an interval, as the 4 of 4:+2"));
      in_.expect(":", " and '+' between interval and padding");
      in_.expect("+", " after ':' between interval and padding");
      pair.list.push_back(number_value("a padding, as the 2 of 4:+2"));
      if (pairs.size() == most_values) in_.fail_at(pair.column - 1, "more than 64 pairs");
      pairs.push_back(std::move(pair));
    } while (in_.take(","));
    in_.expect("]", ", or ',' and another pair");
    return pairs;
  }

  void read_dictionary(AttributeText& attribute, int depth) {
    in_.expect("{", " and the fields of #ttg." + attribute.name);
    if (!in_.take("}")) read_fields(attribute, depth, "}");
  }

  /// Reads one or more fields and `close`, the text that closes them.
  void read_fields(AttributeText& attribute, int depth, const char* close) {
    do {
      FieldText field;
      field.column = in_.place() + 1;
      field.key = read_word("the name of a field");
      for (const FieldText& other : attribute.fields) {
        if (other.key == field.key)
          in_.fail_at(field.column - 1, "the field " + field.key + " is there twice");
      }
      in_.expect("=", " after " + field.key);
      if (!in_.failed()) field.value = read_value(depth);
      attribute.fields.push_back(std::move(field));
    } while (in_.take(","));
    in_.expect(close, ", or ',' and another field");
  }

  ValueText read_value(int depth) {
    ValueText value;
    value.column = in_.place() + 1;
    if (depth > most_depth) {
      in_.fail_at(in_.place(), "values are nested more than 16 deep");
    } else if (in_.next_is("#")) {
      value.kind = ValueText::Kind::attribute;
      value.attribute = std::make_shared<AttributeText>(read_attribute(depth + 1));
    } else if (in_.next_is("{")) {
      value.kind = ValueText::Kind::dictionary;
      value.attribute = std::make_shared<AttributeText>();
      value.attribute->column = value.column;
      read_dictionary(*value.attribute, depth + 1);
    } else if (in_.take("[")) {
      value.kind = ValueText::Kind::list;
      if (in_.take("]")) return value;
      do {
        if (value.list.size() == most_values)
          in_.fail_at(in_.place(), "a list here has at most 64 entries");
        if (!in_.failed()) value.list.push_back(read_value(depth + 1));
      } while (in_.take(","));
      in_.expect("]", ", or ',' and another entry");
    } else if (in_.next_is_digit() || in_.next_is("-")) {
      value.number = read_number("a number");
      if (in_.take(":")) read_word("the type of the number, as i32");  // MLIR's long form: 4 : i32
    } else {
      const std::string word = read_word("a number, a list, true, false, or a layout");
      value.kind = ValueText::Kind::boolean;
      value.number = word == "true";
      if (word != "true" && word != "false")
        in_.fail_at(value.column - 1,
                    "expected a number, a list, true, false, or a layout, found '" + word + "'");
    }
    return value;
  }

  TextScanner in_;
  std::vector<std::pair<std::string, AttributeText>> definitions_;
};

}  // namespace

std::expected<TypeText, TextError> read_attribute_text(std::string_view text) {
  return AttributeReader(text).read();
}

}  // namespace heddle::interop::triton
