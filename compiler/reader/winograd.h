// Replaces the transforms of Winograd's convolution by the sums of products that they are.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::compiler {

/// Rewrites linalg.winograd_filter_transform, winograd_input_transform and
/// winograd_output_transform of known sizes. Each multiplies every tile by a matrix from the left
/// and by one from the right: a contraction with the products of both matrices' elements.
void use_products_of_winograd(mlir::func::FuncOp function);

}  // namespace heddle::compiler
