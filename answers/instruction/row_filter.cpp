#include "answers/instruction/row_filter.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>
#include <sstream>
#include <vector>

#include "answers/instruction/processor_argument.h"
#include "heddle/instruction/names.h"
#include "heddle/instruction/nearest.h"
#include "library/text/formatted.h"

namespace heddle::answers {
namespace {

using instruction::ElementType;
using instruction::Instruction;

constexpr std::uint64_t bit(ElementType type) {
  return std::uint64_t{1} << static_cast<unsigned>(type);
}

constexpr std::uint64_t bits(std::initializer_list<ElementType> types) {
  std::uint64_t set = 0;
  for (const ElementType type : types) set |= bit(type);
  return set;
}

/// A name for element types that is not a name of the catalogue: other systems use it, or it stands
/// for several types of the catalogue. For example i8 includes AMD's iu8, which a modifier makes
/// signed or unsigned, and fp8 includes CDNA3's own encoding.
struct TypeName {
  std::string_view name;
  std::uint64_t types;
};

constexpr std::array type_names{
    TypeName{"i8", bits({ElementType::i8, ElementType::iu8})},
    TypeName{"s8", bits({ElementType::i8, ElementType::iu8})},
    TypeName{"int8", bits({ElementType::i8, ElementType::iu8})},
    TypeName{"u8", bits({ElementType::u8, ElementType::iu8})},
    TypeName{"uint8", bits({ElementType::u8, ElementType::iu8})},
    TypeName{"i4", bits({ElementType::i4, ElementType::iu4})},
    TypeName{"s4", bits({ElementType::i4, ElementType::iu4})},
    TypeName{"int4", bits({ElementType::i4, ElementType::iu4})},
    TypeName{"u4", bits({ElementType::u4, ElementType::iu4})},
    TypeName{"uint4", bits({ElementType::u4, ElementType::iu4})},
    TypeName{"fp8", bits({ElementType::fp8, ElementType::fp8_fnuz})},
    TypeName{"bf8", bits({ElementType::bf8, ElementType::bf8_fnuz})},
    TypeName{"e4m3", bit(ElementType::fp8)},
    TypeName{"e4m3fn", bit(ElementType::fp8)},
    TypeName{"e4m3fnuz", bit(ElementType::fp8_fnuz)},
    TypeName{"e5m2", bit(ElementType::bf8)},
    TypeName{"e5m2fnuz", bit(ElementType::bf8_fnuz)},
    TypeName{"e2m3", bit(ElementType::fp6)},
    TypeName{"e3m2", bit(ElementType::bf6)},
    TypeName{"e2m1", bit(ElementType::fp4)},
    TypeName{"tf32", bit(ElementType::xf32)},
    TypeName{"fp64", bit(ElementType::f64)},
    TypeName{"fp32", bit(ElementType::f32)},
    TypeName{"fp16", bit(ElementType::f16)},
    TypeName{"half", bit(ElementType::f16)},
    TypeName{"bfloat16", bit(ElementType::bf16)},
};

std::expected<std::uint64_t, std::string> read_types(const std::string& text) {
  instruction::NearestNames nearest(text);
  for (const TypeName& name : type_names) {
    if (name.name == text) return name.types;
    nearest.consider(name.name);
  }
  std::string names;
  for (const instruction::ElementTypeRow& row : instruction::element_type_rows) {
    if (row.name == text) return bit(row.type);
    nearest.consider(row.name);
    names += formatted("{}{}", names.empty() ? "" : ", ", row.name);
  }
  // Names are short: for `text` of n letters the suggestion may differ from it in at most n/2.
  const std::string_view guess = nearest.names()[0];
  const bool is_near = 2 * instruction::edit_distance(text, guess) <= static_cast<int>(text.size());
  return std::unexpected(
      formatted("no type '{}'; {}the types are {}, and PTX's names, such as s8, e4m3 and tf32",
                text, is_near ? formatted("did you mean {}? ", guess) : std::string(), names));
}

/// The numbers between the x of "16x16x16"; null if the text has another form.
std::optional<std::vector<int>> numbers_of(const std::string& text) {
  std::vector<int> numbers{0};
  bool has_digit = false;
  for (const char c : text) {
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 && numbers.back() < 100000) {
      numbers.back() = numbers.back() * 10 + (c - '0');
      has_digit = true;
    } else if (c == 'x' && has_digit) {
      numbers.push_back(0);
      has_digit = false;
    } else {
      return std::nullopt;
    }
  }
  return has_digit ? std::optional(numbers) : std::nullopt;
}

}  // namespace

bool RowFilter::matches(const Instruction& row) const {
  std::uint64_t all = bit(row.a_type) | bit(row.b_type);
  for (const instruction::FormatRow& format : row.formats) all |= bit(format.type);
  const bool of_type = (all & types) != 0;
  const bool of_target = !target || instruction::exists_on(row, *target);
  const bool of_name = std::ranges::all_of(words, [&](const std::string& word) {
    return row.name.find(word) != std::string_view::npos;
  });
  return of_name && of_type && of_target && (m == 0 || m == row.m) &&
         (n == 0 || instruction::takes_n(row, n)) && (k == 0 || k == row.k);
}

std::expected<RowFilter, std::string> read_filter(const FilterArguments& arguments) {
  RowFilter filter;
  std::string small;
  for (const char c : arguments.name)
    small += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  std::istringstream stream(small);
  for (std::string word; stream >> word;) filter.words.push_back(word);
  if (!arguments.target.empty() && arguments.target != "all") {
    const auto target = read_processor_or_generic(arguments.target);
    if (!target) return std::unexpected(target.error());
    filter.target = *target;
  }
  if (!arguments.type.empty()) {
    const auto types = read_types(arguments.type);
    if (!types) return std::unexpected(types.error());
    filter.types = *types;
  }
  if (arguments.shape.empty()) return filter;
  const auto numbers = numbers_of(arguments.shape);
  if (!numbers || numbers->size() < 2 || numbers->size() > 3 || std::ranges::count(*numbers, 0) > 0)
    return std::unexpected(
        formatted("--shape {}: say m, n and k as 16x16x16, or m and n as 16x16", arguments.shape));
  filter.m = (*numbers)[0];
  filter.n = (*numbers)[1];
  filter.k = numbers->size() == 3 ? (*numbers)[2] : 0;
  return filter;
}

}  // namespace heddle::answers
