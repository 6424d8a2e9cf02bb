// The memory in which the parts of a split k meet: a counter for each tile of D, then the sums of
// each part of a tile.
#pragma once

#include <cstdint>

namespace heddle::plan {

struct SplitMemory {
  std::int64_t tiles = 0;       // of D, in all matrices of the batch
  int splits = 1;               // parts of the k of each; 1: there is no such memory
  std::int64_t part_words = 0;  // 32-bit words of the sums of one part, a multiple of 4

  /// The start of the first tile's sums. Those of a thread may be accessed 16 bytes at a time.
  constexpr std::int64_t first_word() const { return (tiles + 3) / 4 * 4; }
  constexpr std::int64_t bytes() const {
    return splits == 1 ? 0 : 4 * (first_word() + tiles * splits * part_words);
  }
};

}  // namespace heddle::plan
