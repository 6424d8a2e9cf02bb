// The number of thread blocks of a launch, as a formula of the problem's sizes, because dynamic
// sizes are known only at launch. The program that launches a kernel evaluates the formula.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "heddle/layout/needs_cxx20.h"
#include "heddle/plan/problem.h"

namespace heddle::plan {

/// A number of thread blocks: the product of the numbers of tiles along some loops, but at most
/// `most`, times `times`.
struct LaunchNumber {
  /// The number of tiles along a loop: the size of the loop divided by `size`, rounded up. If
  /// `size` is 0, there is no such factor in the product.
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

/// Which tile workgroup number `number` of `count` computes on a GPU with several dies. Such a GPU
/// assigns workgroup i to die i % dies. This function gives each die adjacent tiles, so that the
/// rows of A and columns of B that they share are in the die's L2: die 0 has the first tiles, die 1
/// the next ones, and so on.
///
/// Law: it is a permutation of 0 … count - 1.
///
/// Source: Modular's kernel library, chiplet_transform_chunked: on MI300X and MI355X workgroup 0
/// goes to XCD 0, 1 to XCD 1, 8 to XCD 0 again.
constexpr std::int64_t tile_on_dies(std::int64_t number, std::int64_t count, std::int64_t dies) {
  const std::int64_t die = number % dies;
  return die * (count / dies) + std::min(die, count % dies) + number / dies;
}

/// Blocks along x, y and z.
using LaunchGrid = std::array<LaunchNumber, 3>;

/// The number of thread blocks along x, y and z for a launch, whose sizes `sizes` has.
constexpr std::array<std::uint32_t, 3> blocks(const LaunchGrid& grid, const Problem& sizes) {
  const auto along = [&](std::size_t axis) {
    return static_cast<std::uint32_t>(grid[axis].value(sizes));
  };
  return {along(0), along(1), along(2)};
}

}  // namespace heddle::plan
