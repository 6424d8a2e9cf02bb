// The blocks of keys that tiles of queries need of attention whose scores have masks.
#pragma once

#include <cstdint>
#include <functional>

namespace heddle::plan {

/// Over the tiles of all matrices. Tiles have parts, of so many queries each, that tell for
/// themselves which of the tile's blocks need no mask. Kernels go from the last block to the first.
struct KeyBlocks {
  std::int64_t all = 0, seen = 0;  // blocks that are not seen are skipped
  std::int64_t plain = 0;          // of those seen: the ones without a mask for the whole tile
  bool has_plain = false;          // for some part; the last block of a tile is not counted here
  bool masks_after = false;        // some part also has masked blocks between the last and those
  bool masks_before = false;       // … or before them
  bool has_empty = false;          // some tile sees no block
  std::int64_t of_first = 0, of_last = 0;  // blocks that a matrix's first and last tile see
};

/// Of tiles of so many queries and their parts, and of blocks of so many keys.
struct KeyBlockSizes {
  std::int64_t queries = 1, part = 1, keys = 1;
};
using CountKeyBlocks = std::function<KeyBlocks(const KeyBlockSizes&)>;

}  // namespace heddle::plan
