// Replaces math.fpowi, whose power is an integer that no float need hold, by operations that
// kernels have.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::compiler {

/// A power of f32 or of a narrower float becomes math.powf of the magnitude, with the sign of the
/// float where the power is odd. Of f64, which has no math.powf, it becomes products of squares.
void use_plain_powers(mlir::func::FuncOp function);

}  // namespace heddle::compiler
