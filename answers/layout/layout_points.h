// Finds the points of a layout that meet conditions: what a lane holds, which lanes hold an
// element, or where the element lies.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "answers/layout/layout_view.h"

namespace heddle::answers {

/// Points of a layout: inputs with their outputs. A point has a number for each name.
struct LayoutPoints {
  std::vector<std::string> names;  // the inputs, then the outputs
  std::size_t inputs = 0;          // how many of the names are inputs
  std::vector<std::vector<std::int64_t>> points;
  std::uint64_t count = 0;  // how many points there are; `points` has the first of them
  bool is_signed = false;   // CuTe's offsets may be negative; maps use all 64 bits

  std::string number(std::int64_t of) const;
};

/// The first `most` points that meet all conditions of a text such as "lane=5,register=2" or
/// "m=3,k=7". Points are ordered by their inputs, of which the first changes fastest.
///
/// The names in conditions are the names of the layout's inputs and outputs. Padded memory has one
/// more output, `place`; a function of CuTe's has the output `offset`. If an output has the same
/// name as an input, such as m, the output is called to_m.
///
/// Errors: no condition, a number beyond its axis, conditions that leave more than 2^20 inputs to
/// search.
std::expected<LayoutPoints, std::string> layout_points(const LayoutView& view,
                                                       std::string_view conditions,
                                                       std::size_t most);

/// The points as a table, without the columns of inputs that are always 0. `may_show_more`: if
/// points are left out, the text mentions --all.
std::string points_text(const LayoutPoints& points, bool may_show_more);

/// [{"lane":5,"register":2,"m":5,"k":2}, …]
std::string points_json(const LayoutPoints& points);

}  // namespace heddle::answers
