// The grammar of MLIR's attributes as far as Triton's layouts need it, read into a small tree that
// keeps the column of everything.
//
//   attribute  =  '#ttg.' name '<' body '>'                    '#triton_gpu.' in older text
//   body       =  [ '[' pair { ',' pair } ']' ] dictionary [ ',' 'alignment' '=' number ]
//   pair       =  number ':+' number                           of padded layouts
//   dictionary =  '{' [ key '=' value { ',' key '=' value } ] '}'
//   value      =  number | 'true' | 'false' | '[' [ value { ',' value } ] ']' | attribute |
//   dictionary type       =  'tensor<' shape element ',' attribute '>'
//              |  '!ttg.memdesc<' shape element ',' attribute { ',' rest } [ ',' shape ] '>'
//   shape      =  { number 'x' }                               the last one: of the whole
//   allocation
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
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

/// An attribute as it stands in the text.
struct AttributeText {
  std::string name;  // blocked, padded_shared, …
  std::size_t column = 1;
  std::optional<std::vector<ValueText>> pairs{};  // lists of two numbers
  std::vector<FieldText> fields{};
  std::optional<ValueText> alignment{};
};

/// An attribute and the shape that stands beside it, if any.
struct TypeText {
  AttributeText attribute;
  std::optional<Numbers> shape{};
  std::size_t shape_column = 1;
};

/// Reads one attribute or type. The first error ends the reading: what was expected, what is there.
class AttributeReader {
 public:
  explicit AttributeReader(std::string_view text) : text_(text) {}

  std::expected<TypeText, TextError> read() {
    TypeText result;
    skip_alias();
    if (take_word("tensor<") || take_word("!ttg.memdesc<") || take_word("!triton_gpu.memdesc<") ||
        take_word("!tt.memdesc<")) {
      result.shape_column = column();
      result.shape = read_shape();
      skip_element_type();
      expect(",", "',' and the layout");
      result.attribute = read_attribute(0);
      read_rest_of_type(result);
    } else {
      result.attribute = read_attribute(0);
    }
    skip_spaces();
    if (!error_ && place_ < text_.size()) fail("the end of the text");
    if (error_) return std::unexpected(*error_);
    return result;
  }

 private:
  static constexpr int most_depth = 16;
  static constexpr std::size_t most_values = 64;  // in a list: a layout has at most 64 bases

  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
  }

  std::size_t column() {
    skip_spaces();
    return place_ + 1;
  }
  void skip_spaces() {
    while (place_ < text_.size() && std::string_view(" \t\r\n").contains(text_[place_])) ++place_;
  }
  char peek() {
    skip_spaces();
    return place_ < text_.size() ? text_[place_] : '\0';
  }
  std::string found() const {
    if (place_ >= text_.size()) return "the end of the text";
    std::size_t end = place_;
    while (end < text_.size() && is_word(text_[end]) && end - place_ < 32) ++end;
    return "'" + std::string(text_.substr(place_, std::max<std::size_t>(1, end - place_))) + "'";
  }
  void fail(const std::string& expected) {
    skip_spaces();
    if (!error_) error_ = TextError{place_ + 1, "expected " + expected + ", found " + found()};
  }
  void fail_at(std::size_t column, std::string message) {
    if (!error_) error_ = TextError{column, std::move(message)};
  }
  bool take(char wanted) {
    if (error_ || peek() != wanted) return false;
    ++place_;
    return true;
  }
  bool take_word(std::string_view word) {
    skip_spaces();
    if (error_ || !text_.substr(place_).starts_with(word)) return false;
    place_ += word.size();
    return true;
  }
  void expect(std::string_view word, const std::string& meaning) {
    if (!error_ && !take_word(word)) fail(meaning);
  }

  std::string read_word(const std::string& meaning) {
    skip_spaces();
    const std::size_t begin = place_;
    while (place_ < text_.size() && is_word(text_[place_])) ++place_;
    if (place_ == begin) fail(meaning);
    return std::string(text_.substr(begin, place_ - begin));
  }

  std::int64_t read_number(const std::string& meaning) {
    skip_spaces();
    const std::size_t begin = place_;
    const bool is_negative = take('-');
    if (place_ >= text_.size() || !is_digit(text_[place_])) {
      place_ = begin;
      fail(meaning);
      return 0;
    }
    std::int64_t number = 0;
    for (; place_ < text_.size() && is_digit(text_[place_]); ++place_) {
      number = number * 10 + (text_[place_] - '0');
      if (number >> 40 != 0) {
        fail_at(begin + 1, "this number is too large; numbers here are below 2^40");
        return 0;
      }
    }
    return is_negative ? -number : number;
  }

  /// #blocked = #ttg.blocked<…> defines an alias; its name says nothing here.
  void skip_alias() {
    skip_spaces();
    std::size_t place = place_;
    if (place >= text_.size() || text_[place] != '#') return;
    ++place;
    while (place < text_.size() && is_word(text_[place])) ++place;
    while (place < text_.size() && text_[place] == ' ') ++place;
    if (place < text_.size() && text_[place] == '=') place_ = place + 1;
  }

  /// Sizes, each followed by x.
  Numbers read_shape() {
    Numbers shape;
    while (!error_ && is_digit(peek())) {
      const std::size_t begin = column();
      shape.push_back(read_number("a size"));
      if (shape.size() > layout::max_axes) fail_at(begin, "a layout has at most 8 dimensions");
      if (!error_ && (place_ >= text_.size() || text_[place_] != 'x')) {
        if (!take_word("x")) fail("'x' and another size or the element type");
      } else {
        ++place_;
      }
    }
    if (shape.empty()) fail("the sizes of the tensor, as 128x64xf16");
    return shape;
  }

  /// f16, i8, f8E4M3FN, or a pointer to one: !tt.ptr<f16>.
  void skip_element_type() {
    if (error_) return;
    if (take_word("!tt.ptr<")) {
      skip_element_type();
      while (!error_ && take(',')) read_number("an address space");
      expect(">", "'>' after the element type");
    } else {
      const std::size_t begin = column() - 1;
      const std::string word = read_word("the element type, as f16");
      const std::string kind = word.substr(0, word.find_first_of("0123456789"));
      const bool is_type = kind != word && (kind == "f" || kind == "bf" || kind == "tf" ||
                                            kind == "i" || kind == "si" || kind == "ui");
      if (error_ || is_type) return;
      place_ = begin;
      fail("the element type, as f16");
    }
  }

  /// After the layout of a type: where the memory is, and of what allocation it is a part.
  void read_rest_of_type(TypeText& type) {
    while (!error_ && take(',')) {
      if (is_digit(peek())) {
        const std::size_t begin = column();
        Numbers whole;
        do {
          whole.push_back(read_number("a size"));
        } while (!error_ && whole.size() <= 16 && take('x'));
        // A slice of an allocation lies as the whole does, but for leading dimensions, which count
        // buffers.
        if (!error_ && whole.size() < type.shape->size())
          fail_at(begin, "the allocation has fewer dimensions than its part");
        if (!error_)
          type.shape =
              Numbers(whole.end() - static_cast<std::ptrdiff_t>(type.shape->size()), whole.end());
      } else if (take('#')) {
        read_word("a memory space, as #smem");
        if (take('.')) read_word("a memory space, as #ttg.shared_memory");
      } else {
        read_word("a memory space, 'mutable', or the shape of the allocation");
      }
    }
    expect(">", "'>' at the end of the type");
  }

  AttributeText read_attribute(int depth) {
    AttributeText attribute;
    attribute.column = column();
    if (depth > most_depth) {
      fail_at(attribute.column, "layouts are nested more than 16 deep");
      return attribute;
    }
    if (!take_word("#ttg.") && !take_word("#triton_gpu.") && !take_word("#gluon.")) {
      fail("a layout, as #ttg.blocked<…>");
      return attribute;
    }
    attribute.name = read_word("the name of a layout, as blocked");
    if (!take('<')) {
      // #gluon.auto_encoding has no body.
      if (!attribute.name.ends_with("encoding")) fail("'<' after #ttg." + attribute.name);
      return attribute;
    }
    if (peek() == '[') attribute.pairs = read_pairs();
    if (peek() == '{' || !attribute.pairs) read_dictionary(attribute, depth);
    if (!error_ && take(',')) {
      expect("alignment", "'alignment = …'");
      expect("=", "'=' after alignment");
      attribute.alignment = number_value("the alignment in bytes");
    }
    expect(">", "'>' at the end of #ttg." + attribute.name);
    return attribute;
  }

  ValueText number_value(const std::string& meaning) {
    ValueText value;
    value.column = column();
    value.number = read_number(meaning);
    return value;
  }

  std::vector<ValueText> read_pairs() {
    std::vector<ValueText> pairs;
    take('[');
    do {
      ValueText pair{ValueText::Kind::list, column()};
      pair.list.push_back(number_value("an interval, as the 4 of 4:+2"));
      expect(":", "':+' between interval and padding");
      expect("+", "'+' after ':' between interval and padding");
      pair.list.push_back(number_value("a padding, as the 2 of 4:+2"));
      if (pairs.size() == most_values) fail_at(pair.column, "more than 64 pairs");
      pairs.push_back(std::move(pair));
    } while (!error_ && take(','));
    expect("]", "',' and another pair, or ']'");
    return pairs;
  }

  void read_dictionary(AttributeText& attribute, int depth) {
    expect("{", "'{' and the fields of #ttg." + attribute.name);
    if (take('}')) return;
    do {
      FieldText field;
      field.column = column();
      field.key = read_word("the name of a field");
      for (const FieldText& other : attribute.fields) {
        if (other.key == field.key)
          fail_at(field.column, "the field " + field.key + " is there twice");
      }
      expect("=", "'=' after " + field.key);
      if (!error_) field.value = read_value(depth);
      attribute.fields.push_back(std::move(field));
    } while (!error_ && take(','));
    expect("}", "',' and another field, or '}'");
  }

  ValueText read_value(int depth) {
    ValueText value;
    value.column = column();
    if (depth > most_depth) {
      fail_at(value.column, "values are nested more than 16 deep");
    } else if (peek() == '#') {
      value.kind = ValueText::Kind::attribute;
      value.attribute = std::make_shared<AttributeText>(read_attribute(depth + 1));
    } else if (peek() == '{') {
      value.kind = ValueText::Kind::dictionary;
      value.attribute = std::make_shared<AttributeText>();
      value.attribute->column = value.column;
      read_dictionary(*value.attribute, depth + 1);
    } else if (take('[')) {
      value.kind = ValueText::Kind::list;
      if (take(']')) return value;
      do {
        if (value.list.size() == most_values)
          fail_at(column(), "a list here has at most 64 entries");
        if (!error_) value.list.push_back(read_value(depth + 1));
      } while (!error_ && take(','));
      expect("]", "',' and another entry, or ']'");
    } else if (is_digit(peek()) || peek() == '-') {
      value.number = read_number("a number");
      if (take(':')) read_word("the type of the number, as i32");  // MLIR's long form: 4 : i32
    } else {
      const std::string word = read_word("a number, a list, true, false, or a layout");
      value.kind = ValueText::Kind::boolean;
      value.number = word == "true";
      if (!error_ && word != "true" && word != "false")
        fail_at(value.column,
                "expected a number, a list, true, false, or a layout, found '" + word + "'");
    }
    return value;
  }

  std::string_view text_;
  std::size_t place_ = 0;
  std::optional<TextError> error_;
};

}  // namespace heddle::interop::triton
