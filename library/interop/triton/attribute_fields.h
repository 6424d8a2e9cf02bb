// The fields of an attribute of Triton's by name. A field that is missing, mistyped or of another
// kind becomes an error with its column.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/instruction/nearest.h"
#include "heddle/interop/triton/attribute_text.h"
#include "heddle/interop/triton/bases.h"
#include "library/text/formatted.h"

namespace heddle::interop::triton::detail {

/// "did you mean order? ", or nothing when no name is near.
std::string did_you_mean(std::string_view word, const auto& names) {
  instruction::NearestNames nearest(word);
  for (const auto& name : names) nearest.consider(name);
  const std::string_view guess = nearest.names()[0];
  constexpr int most_slips = 2;
  if (guess.empty() || instruction::edit_distance(word, guess) > most_slips) return "";
  return "did you mean " + std::string(guess) + "? ";
}

/// The fields of one attribute, asked for by name. The first error is kept.
class Fields {
 public:
  explicit Fields(const AttributeText& attribute) : attribute_(attribute) {}

  bool has(std::string_view key) const { return find(key) != nullptr; }

  std::int64_t number(std::string_view key) {
    const ValueText* value = wanted(key, ValueText::Kind::number, "a number");
    return value ? value->number : 0;
  }
  std::int64_t number(std::string_view key, std::int64_t otherwise) {
    return has(key) ? number(key) : (known(key), otherwise);
  }
  bool flag(std::string_view key) {
    const ValueText* value = wanted(key, ValueText::Kind::boolean, "true or false");
    return value && value->number != 0;
  }
  bool flag(std::string_view key, bool otherwise) {
    return has(key) ? flag(key) : (known(key), otherwise);
  }
  Numbers numbers(std::string_view key) {
    const ValueText* value = wanted(key, ValueText::Kind::list, "a list of numbers");
    return value ? numbers_of(*value) : Numbers{};
  }
  Numbers numbers(std::string_view key, Numbers otherwise) {
    return has(key) ? numbers(key) : (known(key), std::move(otherwise));
  }
  Bases bases(std::string_view key) {
    Bases bases;
    if (const ValueText* value = wanted(key, ValueText::Kind::list, "a list of bases")) {
      for (const ValueText& basis : value->list) {
        if (basis.kind != ValueText::Kind::list) fail(basis.column, "expected a basis, as [0, 1]");
        bases.push_back(numbers_of(basis));
      }
    }
    return bases;
  }
  Bases bases_or_none(std::string_view key) {
    return has(key) ? bases(key) : (known(key), Bases{});
  }
  const AttributeText* attribute(std::string_view key) {
    const ValueText* value = wanted(key, ValueText::Kind::attribute, "a layout");
    return value ? value->attribute.get() : nullptr;
  }

  /// The bases that say how the CTAs of a cluster share the tensor. They are written as CGALayout,
  /// or in older text as CTAsPerCGA, CTASplitNum and CTAOrder.
  Bases cga(std::size_t rank) {
    if (!has("CTAsPerCGA") && !has("CTASplitNum") && !has("CTAOrder"))
      return bases_or_none("CGALayout");
    const Numbers ctas = numbers("CTAsPerCGA");
    const Numbers split = numbers("CTASplitNum");
    const Numbers order = numbers("CTAOrder");
    if (error_) return {};
    const FieldText& field = *find("CTAOrder");
    bool is_right = ctas.size() == rank && split.size() == rank && is_permutation_of(order, rank) &&
                    are_powers_of_two(ctas) && are_powers_of_two(split);
    for (std::size_t dim = 0; is_right && dim < rank; ++dim) is_right = ctas[dim] % split[dim] == 0;
    if (!is_right) {
      fail(field.column,
           formatted(
               "CTAsPerCGA and CTASplitNum must have a power of two for each of the {} dimensions, "
               "the first a multiple of the second, and CTAOrder must name each dimension once",
               rank));
      return {};
    }
    Bases bases;
    for (const std::int64_t dim : order) {
      const auto index = static_cast<std::size_t>(dim);
      for (std::int64_t step = 1; step < ctas[index]; step *= 2) {
        bases.push_back(Numbers(rank, 0));
        if (step < split[index]) bases.back()[index] = step;
      }
    }
    return bases;
  }

  /// The warps in ctaLayout = {register = [], warp = [[0, 1], [1, 0]]}, which newer releases write
  /// in place of warpsPerCTA. Errors: any order of warps except along n first, then m; a warp
  /// with several tiles.
  Numbers warps_of_cta_layout() {
    const ValueText* value = wanted("ctaLayout", ValueText::Kind::dictionary, "bases in braces");
    if (!value) return {};
    Fields inner(*value->attribute);
    const Bases registers = inner.bases_or_none("register");
    const Bases bases = inner.bases_or_none("warp");
    if (const auto error = inner.error()) fail(error->column, error->message);
    const std::size_t rank = bases.empty() ? 2 : bases[0].size();
    if (error_ || rank < 2 || !check_bases("warp", bases, rank)) {
      fail(value->column, "expected warp = [[0, 1], …] with one coordinate for each dimension");
      return {};
    }
    const Numbers warps = reached({{"warp", bases}}, rank);
    Bases along_n_first;
    for (const std::int64_t dim : last_first(rank)) {
      for (std::int64_t step = 1; step < warps[static_cast<std::size_t>(dim)]; step *= 2) {
        along_n_first.push_back(Numbers(rank, 0));
        along_n_first.back()[static_cast<std::size_t>(dim)] = step;
      }
    }
    if (bases != along_n_first || !registers.empty())
      fail(value->column,
           "this ctaLayout has no warpsPerCTA: only register = [] and warps along n first, then m, "
           "are read");
    return warps;
  }

  void fail(std::size_t column, std::string message) {
    if (!error_) error_ = TextError{column, std::move(message)};
  }

  /// The first error. It is an error in a field that was read, or the error that the text has a
  /// field which the layout does not have.
  std::optional<TextError> error() {
    for (const FieldText& field : attribute_.fields) {
      if (std::ranges::find(asked_, field.key) != asked_.end()) continue;
      std::string names;
      for (const std::string& name : asked_) names += (names.empty() ? "" : ", ") + name;
      const std::string guess = did_you_mean(field.key, asked_);
      // If a field is missing, it is probably this one, mistyped: this error replaces that one.
      if (is_missing_ && !guess.empty()) error_.reset();
      fail(field.column,
           full_name(attribute_) + " has no field " + field.key + "; " + guess + "it has " + names);
    }
    return error_;
  }

 private:
  const FieldText* find(std::string_view key) const {
    for (const FieldText& field : attribute_.fields) {
      if (field.key == key) return &field;
    }
    return nullptr;
  }
  void known(std::string_view key) { asked_.push_back(std::string(key)); }

  const ValueText* wanted(std::string_view key, ValueText::Kind kind, std::string_view what) {
    known(key);
    const FieldText* field = find(key);
    if (!field) {
      is_missing_ = is_missing_ || !error_;
      fail(attribute_.column, full_name(attribute_) + " lacks its field " + std::string(key) +
                                  ", " + std::string(what));
      return nullptr;
    }
    if (field->value.kind == kind) return &field->value;
    fail(field->value.column, "expected " + std::string(what) + " for " + std::string(key));
    return nullptr;
  }

  Numbers numbers_of(const ValueText& list) {
    Numbers numbers;
    for (const ValueText& value : list.list) {
      if (value.kind != ValueText::Kind::number) fail(value.column, "expected a number");
      numbers.push_back(value.number);
    }
    return numbers;
  }

  const AttributeText& attribute_;
  std::vector<std::string> asked_;
  std::optional<TextError> error_;
  bool is_missing_ = false;  // the error is that a field is missing
};

}  // namespace heddle::interop::triton::detail
