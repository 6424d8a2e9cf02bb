// Which parts of a sequence use its buffers, after parts of it have changed.
#pragma once

#include "compiler/request/product_sequence.h"

namespace heddle::compiler {

/// Finds the first and last part that use each buffer, and the part that knows its type.
void find_uses(ProductSequence& sequence);

/// Removes intermediates that no part uses, numbers the others anew, and finds the uses of all.
void drop_unused_buffers(ProductSequence& sequence);

/// Removes the extras that the epilogue does not read.
void drop_unread_extras(MatmulRequest& request);

}  // namespace heddle::compiler
