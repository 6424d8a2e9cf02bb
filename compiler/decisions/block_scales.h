// Numbers in blocks along k, each block with a scale: instructions that read scales multiply them
// as they are, 8-bit floats one by one and f4E2M1FN two a byte.
#pragma once

#include "compiler/request/matmul_request.h"

namespace heddle::compiler {

/// What arith.scaling_extf multiplies: two nodes of an expression, before they are converted.
struct ScaledNumber {
  Node number, scale;  // the scale is of f8E8M0FNU
};

/// Those of node `root`, or nothing where it is no such product.
std::optional<ScaledNumber> scaled_number(const std::vector<Node>& nodes, int root);

/// Sets problem.has_scales and the types of what is multiplied, where the target has an instruction
/// for it: each factor is an f8E4M3FN, f8E5M2 or f4E2M1FN, at least one is multiplied by an
/// f8E8M0FNU, and that is the same for every plan::scale_block elements along k. The producers
/// stay: a result is judged by them.
void find_block_scales(MatmulRequest& request, instruction::Target target);

/// A request with scales as a kernel computes it: producers make what the instruction multiplies,
/// and scales are the further matrices. Pairs of f4E2M1FN are bytes, and k counts those.
MatmulRequest as_multiplied(MatmulRequest request);

/// A product of 8-bit floats whose factors have scales, each the same for every
/// plan::promoted_depth elements along k. Where an instruction's sums of so many products are added
/// in f32, they can be multiplied by the scales then, and the instruction multiplies the elements
/// as they are.
struct ScaledSums {
  /// Without producers; problem.scaled_columns is set. Along k a_extras and b_extras have an
  /// element for promoted_depth ones.
  MatmulRequest request;
  /// Scales in f32 of rows of A and of columns of B: input 1 is an element of request.a_extras[0]
  /// or b_extras[0], an f32, if there is one, and input 0 is nothing.
  Expression a, b;
};

/// Nothing where the request is no such product, or its sums are to be exact.
std::optional<ScaledSums> scaled_sums(const MatmulRequest& request);

/// Of a matrix along whose axis every `count` neighbours are one element, the axis by those.
Axis in_blocks(const Axis& axis, std::int64_t count);

}  // namespace heddle::compiler
