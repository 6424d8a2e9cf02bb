// The layout of the global memory that split k needs. With split k, several thread blocks compute
// the same tile of D, each over another range of k, and add up their partial sums in this memory.
// It holds one 32-bit counter for each tile of D; then, for each tile, `splits` arrays of partial
// sums, one for each range of k.
#pragma once

#include <cstdint>

namespace heddle::plan {

struct SplitMemory {
  std::int64_t tiles = 0;       // of D, in all matrices of the batch
  int splits = 1;               // parts of the k of each; 1: there is no such memory
  std::int64_t part_words = 0;  // 32-bit words of the sums of one part, a multiple of 4

  /// The index of the 32-bit word at which the partial sums of the first tile begin. It is a
  /// multiple of 4, so that a thread may access sums 16 bytes at a time.
  constexpr std::int64_t first_word() const { return (tiles + 3) / 4 * 4; }
  constexpr std::int64_t bytes() const {
    return splits == 1 ? 0 : 4 * (first_word() + tiles * splits * part_words);
  }
};

}  // namespace heddle::plan
