// Replaces the transforms of Winograd's convolution by equivalent sums of products.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::compiler {

/// Rewrites linalg.winograd_filter_transform, winograd_input_transform and
/// winograd_output_transform of known sizes. Each of these multiplies every tile by one matrix from
/// the left and by another matrix from the right. It is replaced by one contraction of the tile
/// with a constant, whose elements are the products of an element of the left matrix and one of the
/// right matrix.
void use_products_of_winograd(mlir::func::FuncOp function);

}  // namespace heddle::compiler
