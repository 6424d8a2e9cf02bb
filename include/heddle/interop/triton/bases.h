// Lists of numbers as in Gluon's layout classes, and the linear map that lists of bases describe.
//
// Gluon writes a linear map as lists of bases, lowest input bit first, each with one coordinate per
// dimension: [[0, 1], [0, 2], [1, 0]]. The dimensions are the output axes dim0, dim1, … of the map.
//
// Source: Triton 3.6.0, python/triton/experimental/gluon/language/_layouts.py.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/layout/linear_layout.h"
#include "heddle/layout/needs_cxx23.h"

namespace heddle::interop::triton {

/// Numbers are signed, because a user's input may be negative: verify() reports that.
using Numbers = std::vector<std::int64_t>;
using Bases = std::vector<Numbers>;

/// A value, or an error message that says what is wrong, where, and what would be right.
template <class T>
using Result = std::expected<T, std::string>;

std::unexpected<std::string> wrong(std::string sentence);

constexpr bool is_power_of_two(std::int64_t number) {
  return number > 0 && (number & (number - 1)) == 0;
}

/// True if every number is a power of two.
bool are_powers_of_two(const Numbers& numbers);

/// The numbers with `separator` between them.
std::string joined(const Numbers& numbers, std::string_view separator);

/// The list in the syntax of Python and of MLIR's array attributes: [1, 2].
std::string list_text(const Numbers& numbers);

/// [[0, 1], [0, 2]].
std::string list_text(const Bases& bases);

/// Bases in a mangled name: 0~1_0~2.
std::string mangled(const Bases& bases);

/// The name of dimension `index`, 0 … 7: dim0, dim1, …
layout::AxisName dimension(std::size_t index);

/// The list rank - 1, …, 1, 0: the order in which the last dimension comes first.
Numbers last_first(std::size_t rank);

/// True if `order` contains each of 0 … rank - 1 once.
bool is_permutation_of(const Numbers& order, std::size_t rank);

/// Errors: a shape that no layout can have, because it has no dimensions or more than eight, or
/// sizes that are not powers of two or are larger than 2^31.
Result<void> check_shape(const Numbers& shape);

/// Errors: those of check_shape, and a shape whose rank is not the layout's.
Result<void> check_shape(const Numbers& shape, std::size_t rank);

/// Errors: bases that do not have one coordinate per dimension, or have a negative coordinate.
Result<void> check_bases(std::string_view name, const Bases& bases, std::size_t rank);

/// One input axis of a map and its bases.
struct NamedBases {
  layout::AxisName input;
  Bases bases;
};

/// The shape that bases reach: for each dimension, the smallest power of two that is greater than
/// the largest coordinate. Precondition: check_bases succeeds for this rank.
Numbers reached(const std::vector<NamedBases>& inputs, std::size_t rank);

/// The map that lists of bases describe, into a shape. Errors: bases of another rank or outside the
/// shape, a shape that check_shape rejects, more than 64 bits of inputs or outputs.
Result<layout::LinearLayout> map_of(const std::vector<NamedBases>& inputs, const Numbers& shape);

/// The bases of one input axis of a map, with one coordinate per output axis.
Bases bases_of(const layout::LinearLayout& map, const layout::AxisName& input);

/// The sizes of the output axes, in their order.
Numbers shape_of(const layout::LinearLayout& map);

/// The dimensions in the order in which bases first move in them. Dimensions in which no basis
/// moves come last, the last of these dimensions first.
Numbers order_of(const Bases& bases, std::size_t rank);

}  // namespace heddle::interop::triton
