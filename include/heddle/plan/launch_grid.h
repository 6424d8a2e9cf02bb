// How many blocks a kernel is launched with: a formula of the problem's sizes, since those that are
// dynamic only a launch knows. The program that launches a kernel follows the same one.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "heddle/plan/problem.h"

namespace heddle::plan {

/// `times` times the product of the tiles of some loops, which is `most` at the most.
struct LaunchNumber {
  /// The size of a loop divided by `size`, rounded up. A size of 0: there is no such factor.
  struct Tiles {
    Loop loop = Loop::m;
    std::int64_t size = 0;
  };
  std::int64_t times = 1;
  std::array<Tiles, 12> tiles = {};
  std::int64_t most = std::numeric_limits<std::int64_t>::max();

  constexpr std::int64_t value(const Problem& sizes) const {
    std::int64_t product = 1;
    for (const auto& [loop, size] : tiles)
      if (size != 0) product *= (sizes.size(loop) + size - 1) / size;
    return times * std::min(product, most);
  }
};

/// Blocks along x, y and z.
using LaunchGrid = std::array<LaunchNumber, 3>;

/// The blocks for a problem of these sizes.
constexpr std::array<std::uint32_t, 3> blocks(const LaunchGrid& grid, const Problem& sizes) {
  const auto along = [&](std::size_t axis) {
    return static_cast<std::uint32_t>(grid[axis].value(sizes));
  };
  return {along(0), along(1), along(2)};
}

}  // namespace heddle::plan
