// Finds products of numbers that have a scale for each block of consecutive k ("block scales").
// Instructions that read scales take the numbers as they are: 8-bit floats in a byte each, and two
// f4E2M1FN in a byte.
#pragma once

#include "compiler/request/matmul_request.h"

namespace heddle::compiler {

/// The operands of an arith.scaling_extf: two nodes of an expression, before they are converted.
struct ScaledNumber {
  Node number, scale;  // the scale is of f8E8M0FNU
};

/// The two operands, if node `root` of an expression is an arith.scaling_extf; otherwise null.
std::optional<ScaledNumber> scaled_number(const std::vector<Node>& nodes, int root);

/// If the request is a product with block scales and the target has an instruction for it, sets
/// problem.has_scales and the types of the factors. In such a product each factor is an f8E4M3FN,
/// f8E5M2 or f4E2M1FN, and at least one is multiplied by a scale, an f8E8M0FNU that is the same for
/// every plan::scale_block elements along k. The request keeps its producers, because results are
/// checked against them.
void find_block_scales(MatmulRequest& request, instruction::Target target);

/// Changes a request with block scales to what the kernel computes: the producers make only the
/// operands of the instruction, which itself multiplies by the scales; the scales are the further
/// matrices (a_extras, b_extras). Two f4E2M1FN count as one byte, and k counts bytes.
MatmulRequest as_multiplied(MatmulRequest request);

/// A product of 8-bit floats whose scales can be applied to sums instead of elements. Each scale
/// must be the same for every plan::promoted_depth elements along k. The instruction then
/// multiplies the elements as they are, and each sum of promoted_depth products is multiplied by
/// its scales when it is added to the total in f32.
struct ScaledSums {
  /// The request without producers, and with problem.scaled_columns set. a_extras and b_extras have
  /// one element along k for every promoted_depth elements of A and B.
  MatmulRequest request;
  /// The scale in f32 of a row of A (`a`) and of a column of B (`b`). Input 1 is the element of
  /// request.a_extras[0] or request.b_extras[0], an f32, if there is such a matrix. Input 0 is
  /// unused.
  Expression a, b;
};

/// The request as ScaledSums. Null if it is no such product, or if its sums are to be exact
/// (plan::F8Sums::exact).
std::optional<ScaledSums> scaled_sums(const MatmulRequest& request);

/// For a matrix in which every `count` adjacent indices along `axis` have the same element: the
/// same axis for an index that counts groups of `count`.
Axis in_blocks(const Axis& axis, std::int64_t count);

}  // namespace heddle::compiler
