// Numbers in blocks along k, with a scale for each block. Instructions that read scales multiply
// the numbers unchanged: 8-bit floats one by one, and f4E2M1FN two a byte.
#pragma once

#include "compiler/request/matmul_request.h"

namespace heddle::compiler {

/// The operands of an arith.scaling_extf: two nodes of an expression, before they are converted.
struct ScaledNumber {
  Node number, scale;  // the scale is of f8E8M0FNU
};

/// The operands of node `root`, or nothing if it is no such product.
std::optional<ScaledNumber> scaled_number(const std::vector<Node>& nodes, int root);

/// Sets problem.has_scales and the types of the factors, if the target has an instruction for it.
/// Each factor is an f8E4M3FN, f8E5M2 or f4E2M1FN. At least one is multiplied by an f8E8M0FNU,
/// which is the same for every plan::scale_block elements along k. The producers stay: a result is
/// judged by them.
void find_block_scales(MatmulRequest& request, instruction::Target target);

/// A request with scales as a kernel computes it. The producers make the operands of the
/// instruction, and the scales are the further matrices. Pairs of f4E2M1FN are bytes, and k counts
/// those.
MatmulRequest as_multiplied(MatmulRequest request);

/// A product of 8-bit floats whose factors have scales, each the same for every
/// plan::promoted_depth elements along k. If sums of that many products are added in f32, they can
/// be multiplied by the scales at that point, and the instruction multiplies the elements
/// unchanged.
struct ScaledSums {
  /// The request without producers; problem.scaled_columns is set. Along k, a_extras and b_extras
  /// have one element for promoted_depth elements.
  MatmulRequest request;
  /// Scales in f32 of rows of A and of columns of B. Input 1 is an element of request.a_extras[0]
  /// or b_extras[0], an f32, if there is one. Input 0 is unused.
  Expression a, b;
};

/// Nothing if the request is no such product, or if its sums are to be exact.
std::optional<ScaledSums> scaled_sums(const MatmulRequest& request);

/// The axis in units of `count`, for a matrix along whose axis every `count` neighbours are one
/// element.
Axis in_blocks(const Axis& axis, std::int64_t count);

}  // namespace heddle::compiler
