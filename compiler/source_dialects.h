// The MLIR dialects that a user's text may contain. Not all of their operations are supported.
#pragma once

#include "mlir/IR/DialectRegistry.h"

namespace heddle::compiler {

/// Adds the dialects to `registry`; the parser loads each one when a text uses it. Some of these
/// dialects have only operations that are refused later. They are added so that the message names
/// the operation, its position and what is accepted, instead of saying that MLIR does not know the
/// dialect.
void add_source_dialects(mlir::DialectRegistry& registry);

}  // namespace heddle::compiler
