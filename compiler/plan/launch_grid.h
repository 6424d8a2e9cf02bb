// The number of blocks that a kernel is launched with: a formula of the problem's sizes, since only
// a launch knows dynamic sizes. The program that launches a kernel evaluates the same formula.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "heddle/layout/needs_cxx20.h"
#include "heddle/plan/problem.h"

namespace heddle::plan {

/// `times` times the product of the tiles of some loops, at most `most`.
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

/// A GPU of several dies deals out workgroups in turn: number i goes to die i % dies. The tile that
/// workgroup `number` of `count` computes, so that each die has neighbouring tiles, which share
/// rows of A and columns of B in its L2. The tiles of die 0 come first.
/// Law: a permutation of 0 … count - 1.
/// Source: Modular's kernel library, chiplet_transform_chunked: on MI300X and MI355X workgroup 0
/// goes to XCD 0, 1 to XCD 1, 8 to XCD 0 again.
constexpr std::int64_t tile_on_dies(std::int64_t number, std::int64_t count, std::int64_t dies) {
  const std::int64_t die = number % dies;
  return die * (count / dies) + std::min(die, count % dies) + number / dies;
}

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
