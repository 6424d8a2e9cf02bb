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

/// Of a matrix along whose axis every `count` neighbours are one element, the axis by those.
Axis in_blocks(const Axis& axis, std::int64_t count);

}  // namespace heddle::compiler
