// The accumulators: where they begin, and how they become D.
#pragma once

#include <vector>

#include "compiler/kernel_context.h"

namespace heddle::compiler {

/// Accumulators of the wave's tile, ordered atom_m * atoms_n + atom_n, each element `constant`.
std::vector<mlir::Value> initial_accumulators(const KernelContext& context, double constant);

/// Adds the elements of `addend` (C; may be null), rounds to the result type, and stores into
/// `result` what lies inside the matrix. C is read here and not into the first accumulators, which
/// would keep 128 addresses in registers through the k loop.
void store_result(const KernelContext& context, const std::vector<mlir::Value>& accumulators,
                  mlir::Value addend, mlir::Value result);

}  // namespace heddle::compiler
