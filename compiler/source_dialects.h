// The dialects that a user's text may be written in, taken or not.
#pragma once

#include "mlir/IR/DialectRegistry.h"

namespace heddle::compiler {

/// Adds them; each is loaded when the parser meets it. What a reader does not take is among them,
/// so that it is refused as an operation with its place and what is accepted instead of it, and not
/// as a dialect that MLIR does not find.
void add_source_dialects(mlir::DialectRegistry& registry);

}  // namespace heddle::compiler
