#include "heddle/interop/ck_tile.h"

#include <array>
#include <bit>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

namespace heddle::interop::ck_tile {
namespace detail {

const Numbers& lengths(const Encoding& encoding, std::int64_t major) {
  return major == 0 ? encoding.rs : encoding.hs[static_cast<std::size_t>(major - 1)];
}

std::string pair_text(std::int64_t major, std::int64_t minor) {
  return "(" + std::to_string(major) + ", " + std::to_string(minor) + ")";
}

}  // namespace detail

std::expected<layout::LinearLayout, std::string> to_distributed(const Encoding& encoding) {
  return detail::Builder(encoding).build();
}

std::expected<Encoding, std::string> from_distributed(const layout::LinearLayout& map) {
  using detail::Run;
  using detail::Word;
  const std::array<layout::AxisName, 3> names{"register", "lane", "warp"};
  for (const layout::Axis& axis : map.inputs())
    if (axis.bits > 0 && axis.name != names[0] && axis.name != names[1] && axis.name != names[2])
      return std::unexpected("the map has an input axis '" + std::string(axis.name.text()) +
                             "'; an encoding has register, lane and warp");
  Word reached = 0;
  std::vector<Run> runs;
  for (int input = 0; input < 3; ++input) {
    const layout::AxisName& name = names[static_cast<std::size_t>(input)];
    const int axis = map.inputs().find(name);
    for (int bit = 0; axis >= 0 && bit < map.inputs()[axis].bits; ++bit) {
      const Word word = map.basis(map.inputs().offset(axis) + bit);
      const std::string which = std::string(name.text()) + " bit " + std::to_string(bit);
      if (std::popcount(word) > 1)
        return std::unexpected(which +
                               " moves by more than one bit of the dimensions, as a "
                               "swizzle does; an encoding has no such");
      if (word == 0 && input == 0)
        return std::unexpected(which + " is a copy; in an encoding only lanes and warps are");
      if ((reached & word) != 0)
        return std::unexpected(which +
                               " moves by the same bit as another; copies have no bit in "
                               "an encoding");
      reached |= word;
      const int to = word == 0 ? -1 : std::countr_zero(word);
      const bool goes_on =
          !runs.empty() && runs.back().input == input &&
          (to < 0 ? runs.back().to < 0
                  : runs.back().to >= 0 && runs.back().to + runs.back().bits == to &&
                        map.outputs().axis_of_bit(to) == map.outputs().axis_of_bit(to - 1));
      if (goes_on) {
        ++runs.back().bits;
      } else {
        runs.push_back({input, bit, to, 1});
      }
    }
  }
  if (reached != layout::low_bits(map.output_bits()))
    return std::unexpected("some elements are in no register; an encoding gives each one a place");
  Encoding encoding;
  encoding.hs.resize(static_cast<std::size_t>(map.outputs().size()));
  std::vector<detail::Place> places;
  for (const Run& run : runs) {
    if (run.to >= 0) continue;
    places.push_back({run, 0, static_cast<std::int64_t>(encoding.rs.size())});
    encoding.rs.push_back(std::int64_t{1} << run.bits);
  }
  // Goes through each dimension from its highest bit down.
  for (int to = map.output_bits(); to-- > 0;) {
    for (const Run& run : runs) {
      if (run.to < 0 || run.to + run.bits - 1 != to) continue;
      const int dim = map.outputs().axis_of_bit(to);
      Numbers& parts = encoding.hs[static_cast<std::size_t>(dim)];
      places.push_back({run, dim + 1, static_cast<std::int64_t>(parts.size())});
      parts.push_back(std::int64_t{1} << run.bits);
    }
  }
  // The factors that each axis counts through, from its highest bit down.
  const auto list = [&](int input, Numbers& majors, Numbers& minors) {
    for (std::size_t i = runs.size(); i-- > 0;) {
      if (runs[i].input != input) continue;
      for (const detail::Place& place : places) {
        if (place.run.input != input || place.run.from != runs[i].from) continue;
        majors.push_back(place.major);
        minors.push_back(place.minor);
      }
    }
  };
  list(0, encoding.ys_major, encoding.ys_minor);
  for (std::size_t dim = 0; dim < encoding.hs.size(); ++dim) {
    if (!encoding.hs[dim].empty()) continue;  // of size 1: a value that is always 0
    encoding.hs[dim].push_back(1);
    encoding.ys_major.push_back(static_cast<std::int64_t>(dim) + 1);
    encoding.ys_minor.push_back(0);
  }
  const std::size_t ids = map.inputs().bits_of("warp") > 0 ? 2 : 1;
  encoding.ps_major.resize(ids);
  encoding.ps_minor.resize(ids);
  for (std::size_t id = 0; id < ids; ++id)
    list(static_cast<int>(ids - id), encoding.ps_major[id], encoding.ps_minor[id]);
  return encoding;
}

}  // namespace heddle::interop::ck_tile
