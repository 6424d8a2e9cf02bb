// The accumulators: where they begin, and how they become D.
#pragma once

#include <optional>
#include <vector>

#include "compiler/kernel_context.h"

namespace heddle::compiler {

/// Accumulators of the wave's tile, ordered atom_m * atoms_n + atom_n: `constant`, or the elements
/// of C read from `buffer`; elements outside the matrix are zero.
std::vector<mlir::Value> initial_accumulators(const KernelContext& context,
                                              std::optional<double> constant, mlir::Value buffer);

/// Rounds to the result type and stores what lies inside the matrix.
void store_result(const KernelContext& context, const std::vector<mlir::Value>& accumulators,
                  mlir::Value buffer);

}  // namespace heddle::compiler
