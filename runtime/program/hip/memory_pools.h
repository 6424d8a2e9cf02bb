// The account of pools.
#pragma once

namespace heddle::program {

/// Subtracts freed memory from the count of its pool, if it came from a pool.
void note_freed(const void* memory);

}  // namespace heddle::program
