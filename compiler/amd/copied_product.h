// The product of a workgroup if A or B or both are copied straight to LDS (operand_copies.h).
#pragma once

#include <vector>

#include "compiler/amd/kernel_context.h"

namespace heddle::compiler {

/// accumulators + A * B, for the workgroup's rows of A and columns of B.
std::vector<mlir::Value> copied_product(const KernelContext& context, const Buffers& buffers,
                                        const std::vector<mlir::Value>& accumulators);

}  // namespace heddle::compiler
