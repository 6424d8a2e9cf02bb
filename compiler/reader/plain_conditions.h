// Replaces scf.if by the code of both branches and a selection of their values.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::compiler {

/// Moves the branches of each scf.if in front of it; arith.select chooses their values, and what
/// linalg operations and memref.copy leave in memory. A branch that is not taken is computed too,
/// so its divisors become 1 and its places 0 there. An scf.if stays, and is refused later, if it
/// has vectors or memrefs as values, if a branch touches memory otherwise, scatters, or gathers at
/// places in a tensor of dynamic size, or has slices of computed sizes.
void select_for_conditions(mlir::func::FuncOp function);

}  // namespace heddle::compiler
