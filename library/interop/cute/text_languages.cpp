#include "library/interop/cute/text_reader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "heddle/interop/cute/algebra.h"

namespace heddle::interop::cute {

bool TextReader::is_in_parentheses() {
  int depth = 0;
  bool has_colon = false;
  std::string_view rest = in_.rest();
  rest = rest.substr(0, rest.find_last_not_of(" \t\r\n") + 1);
  for (std::size_t i = 0; i < rest.size(); ++i) {
    depth += (rest[i] == '(') - (rest[i] == ')');
    if (depth == 0) return has_colon && i + 1 == rest.size();
    has_colon |= rest[i] == ':' && depth == 1;
  }
  return false;
}

void TextReader::skip_alias() {
  if (!in_.take("comptime ") && !in_.take("alias ") && !in_.take("var ")) return;
  if (in_.word().empty()) in_.fail("expected a name");
  in_.expect("=", " behind the name");
}

Layout TextReader::read_tile(int& element_bits) {
  const bool is_call = in_.take("stack_allocation[") || in_.take("tt_stack_allocation[");
  if (!is_call && !in_.take("TileTensor[")) in_.take("LayoutTensor[");
  if (in_.take("mut=True")) in_.expect(",");
  if (in_.take("mut=False")) in_.expect(",");
  in_.take("dtype=");
  if (in_.take("DType.") || in_.take("."))
    element_bits = read_type_bits();
  else
    in_.while_in("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.");  // a name
  if (is_call) {
    skip_parameters();
    in_.expect("(", " and the layout");
  } else {
    in_.expect(",", " and the layout");
    in_.take("LayoutType=");
    in_.take("layout=");
  }
  Layout layout = read_layout();
  if (is_call)
    in_.expect(")", " behind the layout");
  else
    skip_parameters();
  return layout;
}

int TextReader::read_type_bits() {
  const std::size_t begin = in_.place();
  const std::string_view name = in_.word();
  const std::size_t digits = name.find_first_of("0123456789");
  if (name == "bool") return 8;
  int bits = 0;
  for (const char digit : name.substr(std::min(digits, name.size()))) {
    if (digit < '0' || digit > '9' || bits > 64) break;
    bits = bits * 10 + (digit - '0');
  }
  if (bits != 4 && bits != 8 && bits != 16 && bits != 32 && bits != 64)
    in_.fail_at(begin, "expected a type of 4, 8, 16, 32 or 64 bits, such as DType.float16");
  return bits;
}

void TextReader::skip_parameters() {
  for (int depth = 0; !in_.failed();) {
    if (in_.at_end()) return in_.fail("expected ']' behind the parameters");
    const char next = in_.peek();
    if (next == ']' && depth == 0) break;
    depth += (next == '[' || next == '(') - (next == ']' || next == ')');
    in_.take(std::string_view(&next, 1));
  }
  in_.expect("]");
}

std::optional<Layout> TextReader::read_order() {
  const TextScanner before = in_;
  in_.take("Layout.");
  const bool is_row_major = in_.take("row_major");
  if (!is_row_major && !in_.take("col_major")) {
    in_ = before;
    return std::nullopt;
  }
  const std::size_t begin = in_.place();
  const bool is_parameters = in_.take("[");
  if (!is_parameters) in_.expect("(", " and sizes");
  const bool is_tuple = in_.take("Coord(") || in_.take("IntTuple(") || in_.take("(");
  std::vector<IntTuple> sizes;
  do {
    if (!sizes.empty() && (in_.next_is(")") || in_.next_is("]"))) break;
    sizes.push_back(read_shape(1));
  } while (in_.take(","));
  if (is_tuple) in_.expect(")", " behind the sizes");
  in_.expect(is_parameters ? "]" : ")", " behind the sizes");
  if (is_parameters) in_.take("()");
  if (in_.failed()) return Layout{};
  Layout layout = contiguous(IntTuple::tuple(std::move(sizes)), is_row_major);
  if (auto reason = check(layout)) in_.fail_at(begin, std::move(*reason));
  return layout;
}

Layout TextReader::read_in_parentheses() {
  in_.expect("(");
  Layout layout = read_layout();
  in_.expect(")", " behind the layout");
  return layout;
}

int TextReader::read_bits_of_type() {
  static constexpr std::array<std::pair<std::string_view, int>, 9> named{{{"half_t", 16},
                                                                          {"half", 16},
                                                                          {"bfloat16_t", 16},
                                                                          {"float", 32},
                                                                          {"tfloat32_t", 32},
                                                                          {"double", 64},
                                                                          {"float_e4m3_t", 8},
                                                                          {"float_e5m2_t", 8},
                                                                          {"float_e2m1_t", 4}}};
  while (in_.take("cutlass::")) {
  }
  const std::size_t begin = in_.place();
  const std::string_view word = in_.word();
  for (const auto& [name, bits] : named)
    if (word == name) return bits;
  const std::size_t digits = std::min(word.find_first_of("0123456789"), word.size());
  int bits = 0;
  for (const char digit : word.substr(digits)) {
    if (digit < '0' || digit > '9' || bits > 128) break;
    bits = bits * 10 + (digit - '0');
  }
  const std::string_view letters = word.substr(0, digits);
  constexpr std::array<std::string_view, 16> kinds{"f",   "bf",   "tf",    "i",      "si",  "ui",
                                                   "u",   "s",    "Float", "BFloat", "Int", "Uint",
                                                   "int", "uint", "float", "bfloat"};
  if (bits == 0 || bits > 128 || std::ranges::find(kinds, letters) == kinds.end())
    in_.fail_at(begin, "expected a type whose width is known, as half_t or f16");
  return bits;
}

AnyLayout TextReader::read_canonical_atom(int& element_bits) {
  if (!in_.take("GMMA::")) in_.expect("UMMA::");
  in_.expect("Layout_", ", as in GMMA::Layout_K_SW128_Atom<half_t>");
  const bool is_k = in_.take("K_");
  if (!is_k) in_.expect("MN_", " or 'K_'");
  int bits = 0;  // of the swizzle
  if (in_.take("SW128"))
    bits = 3;
  else if (in_.take("SW64"))
    bits = 2;
  else if (in_.take("SW32"))
    bits = 1;
  else
    in_.expect("INTER", ", 'SW32', 'SW64' or 'SW128'");
  in_.expect("_Atom<", " and the type of an element");
  const std::size_t begin = in_.place();
  element_bits = read_bits_of_type();
  in_.expect(">", " behind the type");
  skip_construction();
  if (in_.failed()) return Layout{};
  const Number row = 128 << bits;
  if (row % element_bits != 0) {
    in_.fail_at(begin, "expected a type of a power of two of bits");
    return Layout{};
  }
  const Number length = row / element_bits;
  Layout layout = is_k ? make_layout({Mode{8, length}, Mode{length, 1}})
                       : make_layout({Mode{length, 1}, Mode{8, length}});
  if (bits == 0) return layout;
  const auto swizzle = swizzle_of_indices({bits, 4, 3}, {.bits = element_bits});
  if (!swizzle) {
    in_.fail_at(begin, swizzle.error());
    return layout;
  }
  return ComposedLayout{*swizzle, 0, layout};
}

TextReader::DslPointer TextReader::read_dsl_pointer() {
  DslPointer pointer;
  pointer.pointee.bits = read_bits_of_type();
  while (in_.next_is(",") && !in_.failed()) {
    const TextScanner before = in_;
    in_.take(",");
    if (in_.take("S<")) {
      in_ = before;
      in_.take(",");
      pointer.swizzle = read_swizzle();
    } else if (in_.take("align<")) {
      in_.number("an alignment in bytes", 1, most_number);
      in_.expect(">", " behind the alignment");
    } else if (in_.take("#")) {
      in_.word();  // #fly_rocdl.buffer_desc
      while (in_.take(".")) in_.word();
    } else if (in_.word().empty()) {
      in_ = before;  // the layout
      break;
    }
  }
  return pointer;
}

AnyLayout TextReader::behind_pointer(std::size_t begin, const DslPointer& pointer) {
  if (pointer.swizzle) return of_pointer(begin, *pointer.swizzle, pointer.pointee);
  return read_plain_or_swizzled();
}

AnyLayout TextReader::read_plain_or_swizzled() {
  int bits = 0;
  if (in_.next_is("S<") || in_.next_is("Sw<")) return read_swizzled(false, bits);
  return read_layout();
}

void TextReader::read_dsl(ReadText& result) {
  const std::size_t begin = in_.place();
  std::string_view end = ">";
  if (in_.take("tensor<")) {
    in_.expect("ptr<", " of the tensor");
    const DslPointer pointer = read_dsl_pointer();
    in_.expect(">", " behind the pointer");
    in_.expect("o", " and the layout of the tensor");
    result.element_bits = static_cast<int>(pointer.pointee.bits);
    result.layout = behind_pointer(begin, pointer);
  } else if (in_.take("raw_ptr(")) {
    DslPointer pointer;
    const Number address = read_address();
    in_.expect(":", " and the type behind the address");
    pointer = read_dsl_pointer();
    pointer.pointee.address = address;
    in_.expect(")", " behind the pointer");
    in_.expect("o", " and the layout of the tensor");
    result.element_bits = static_cast<int>(pointer.pointee.bits);
    result.layout = behind_pointer(begin, pointer);
    end = {};
  } else if (in_.take("!cute.memref<") || in_.take("!fly.memref<")) {
    const DslPointer pointer = read_dsl_pointer();
    in_.expect(",", " and the layout");
    result.element_bits = static_cast<int>(pointer.pointee.bits);
    const bool is_quoted = in_.take("\"");
    result.layout = behind_pointer(begin, pointer);
    if (is_quoted) in_.expect("\"", " behind the layout");
  } else {
    const bool is_known = in_.take("!cute.layout<") || in_.take("!cute.composed_layout<") ||
                          in_.take("!fly.layout<") || in_.take("!fly.composed_layout<");
    if (!is_known) in_.fail("expected a layout, composed_layout or memref of !cute or !fly");
    const bool is_quoted = in_.take("\"");
    result.layout = read_plain_or_swizzled();
    if (is_quoted) in_.expect("\"", " behind the layout");
  }
  if (!end.empty()) in_.expect(end, " behind the layout");
}

}  // namespace heddle::interop::cute
