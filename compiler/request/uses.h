// Recomputes which parts of a product sequence use each of its buffers. Call it after the parts
// have been changed.
#pragma once

#include "compiler/request/product_sequence.h"

namespace heddle::compiler {

/// Sets `first`, `last`, `part` and `buffer` of each buffer: the first and the last part that use
/// it, and the place of its type and sizes.
void find_uses(ProductSequence& sequence);

/// Calls find_uses, removes the intermediates that no part uses, and renumbers the remaining ones.
void drop_unused_buffers(ProductSequence& sequence);

/// Removes the extras that the epilogue does not read.
void drop_unread_extras(MatmulRequest& request);

}  // namespace heddle::compiler
