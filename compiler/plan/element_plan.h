// The plan of a kernel without a product that computes each element of its results by itself
// (compiler/request/element_program.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "compiler/plan/launch_grid.h"
#include "heddle/instruction/target.h"
#include "heddle/plan/problem.h"

namespace heddle::plan {

struct ElementPlan {
  Problem problem;
  instruction::Target target{};
  std::int64_t elements = 1;  // of the largest result

  /// Where elements are read in another order than they are written, blocks compute tiles: a warp
  /// computes neighbours along dimension `read` of the results, which have this shape, and after an
  /// exchange through shared memory it writes neighbours along dimension `write`. -1: no tiles.
  std::vector<std::int64_t> shape = {};
  int read = -1, write = -1;

  static constexpr int threads = 256;  // of a block
  static constexpr int tile = 32;      // rows and columns
  /// Threads go on to further elements where a grid of one thread for each would be longer.
  static constexpr std::int64_t most_blocks = std::int64_t{1} << 20;

  constexpr bool has_tiles() const { return read >= 0; }
  constexpr std::int64_t tiles(int dim) const {
    return (shape[static_cast<std::size_t>(dim)] + tile - 1) / tile;
  }

  /// The distance of two rows of a tile in shared memory, in elements of so many bytes. It is an
  /// odd number of words of 4 bytes, or of elements of 8 bytes: 32 lanes that read a column then
  /// read from 32 banks.
  static constexpr int pitch(int bytes) { return bytes >= 4 ? tile + 1 : tile + 4 / bytes; }

  constexpr LaunchGrid grid() const {
    std::int64_t blocks = std::min((elements + threads - 1) / threads, most_blocks);
    if (has_tiles()) {
      blocks = tiles(read) * tiles(write);
      for (int dim = 0; dim < static_cast<int>(shape.size()); ++dim)
        if (dim != read && dim != write) blocks *= shape[static_cast<std::size_t>(dim)];
    }
    return {LaunchNumber{blocks, {}}};
  }
};

}  // namespace heddle::plan
