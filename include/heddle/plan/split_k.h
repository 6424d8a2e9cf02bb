// Several blocks that share the k of one tile of D, where D has too few tiles for a GPU: each has a
// part of whole k steps and leaves its sums in memory.
#pragma once

#include <cstdint>

namespace heddle::plan {

/// The largest power of two up to `most` into which `steps` k steps can be cut so that every part
/// has at least `least_steps`, which is at least 1.
constexpr int splits_of(std::int64_t steps, std::int64_t most, std::int64_t least_steps) {
  int splits = 1;
  while (2 * splits <= most) {
    const std::int64_t part = (steps + 2 * splits - 1) / (2 * splits);
    if (part < least_steps || part * (2 * splits - 1) >= steps) break;
    splits *= 2;
  }
  return splits;
}

/// Bytes of the memory in which the parts of `tiles` tiles meet: a counter for each tile, then the
/// sums, of each part `part_words` 32-bit numbers. 0 where nothing is split.
constexpr std::int64_t split_bytes(std::int64_t tiles, int splits, std::int64_t part_words) {
  return splits == 1 ? 0 : 4 * (tiles + tiles * splits * part_words);
}

}  // namespace heddle::plan
