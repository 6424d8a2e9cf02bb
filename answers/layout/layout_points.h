// The points of a layout that meet conditions: what a lane holds, who holds an element, where it
// lies.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "answers/layout/layout_view.h"

namespace heddle::answers {

/// Inputs of a layout and what they lead to, a number for each name.
struct LayoutPoints {
  std::vector<std::string> names;  // the inputs, then the outputs
  std::size_t inputs = 0;          // of the names
  std::vector<std::vector<std::int64_t>> points;
  std::uint64_t count = 0;  // of all that there are; `points` has the first of them
  bool is_signed = false;   // offsets of CuTe's may be negative; of maps all 64 bits are used

  std::string number(std::int64_t of) const;
};

/// The first `most` points that meet all conditions of a text, "lane=5,register=2" or "m=3,k=7",
/// inputs in rising order, the first of them fastest. Names are those of the layout's inputs and
/// outputs; padded memory has the output `place` besides, a function of CuTe's `offset`; an output
/// that is called as an input, m, is to_m. Errors: no condition, a number beyond its axis,
/// conditions that leave more than 2^20 inputs to look at.
std::expected<LayoutPoints, std::string> layout_points(const LayoutView& view,
                                                       std::string_view conditions,
                                                       std::size_t most);

/// As a table, without the columns of inputs that are always 0.
/// `may_show_more`: where points are left out, --all shows them.
std::string points_text(const LayoutPoints& points, bool may_show_more);

/// [{"lane":5,"register":2,"m":5,"k":2}, …]
std::string points_json(const LayoutPoints& points);

}  // namespace heddle::answers
