// The account of pools.
#pragma once

namespace heddle::program {

/// Takes freed memory out of the account of its pool, if it came from one.
void note_freed(const void* memory);

}  // namespace heddle::program
