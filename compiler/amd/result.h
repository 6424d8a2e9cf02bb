// The accumulators: their initial values, and the way from them to D.
#pragma once

#include <vector>

#include "compiler/amd/kernel_context.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace heddle::compiler {

/// The initial accumulators of the wave's tile, ordered atom_m * atoms_n + atom_n.
std::vector<mlir::Value> initial_accumulators(const KernelContext& context);

/// Their elements, ordered (atom_m * atoms_n + atom_n) * registers.
std::vector<mlir::Value> sums_of(const KernelContext& context,
                                 const std::vector<mlir::Value>& accumulators);

/// Returns sum `number` of the thread, in the order of sums_of, by code at the insertion point.
using SumAt = llvm::function_ref<mlir::Value(std::size_t number)>;

/// Element `number` of the accumulators, in that order.
mlir::Value sum_of(const KernelContext& context, const std::vector<mlir::Value>& accumulators,
                   std::size_t number);

/// Adds the elements of C, rounds to the type of the sum, applies the epilogues, and stores the
/// part inside the matrix to D and the further results. C is read here and not into the first
/// accumulators, which would keep 128 addresses in registers through the k loop. Each sum is asked
/// for when it is stored: otherwise all would be copied from CDNA's accumulation registers at once.
void store_result(const KernelContext& context, SumAt sum, const Buffers& buffers);

}  // namespace heddle::compiler
