// The dialects that a user's text may be written in, taken or not.
#pragma once

#include "mlir/IR/DialectRegistry.h"

namespace heddle::compiler {

/// Adds the dialects; each is loaded when the parser meets it. They include dialects whose
/// operations no reader accepts. Such an operation is then refused with its place and the accepted
/// alternative, and not because MLIR does not find its dialect.
void add_source_dialects(mlir::DialectRegistry& registry);

}  // namespace heddle::compiler
