// How many blocks of keys the tiles of queries need in attention with masks. A kernel takes a block
// of consecutive keys at a time.
#pragma once

#include <cstdint>
#include <functional>

namespace heddle::plan {

/// Counts over all tiles of queries in all matrices. A tile consists of parts of several queries,
/// and for each part the kernel decides separately which blocks of keys need no mask. Kernels take
/// the blocks of a tile from the last one to the first.
struct KeyBlocks {
  std::int64_t all = 0, seen = 0;  // blocks that are not seen are skipped
  std::int64_t plain = 0;          // of those seen: the ones without a mask for the whole tile
  bool has_plain = false;          // for some part; the last block of a tile is not counted here
  bool masks_after = false;        // some part also has masked blocks between the last and those
  bool masks_before = false;       // … or before them
  bool has_empty = false;          // some tile sees no block
  std::int64_t of_first = 0, of_last = 0;  // blocks that a matrix's first and last tile see
};

/// The number of queries in a tile, the number of queries in a part of a tile, and the number of
/// keys in a block.
struct KeyBlockSizes {
  std::int64_t queries = 1, part = 1, keys = 1;
};
using CountKeyBlocks = std::function<KeyBlocks(const KeyBlockSizes&)>;

}  // namespace heddle::plan
