// The accumulators: where they begin, and how they become D.
#pragma once

#include <vector>

#include "compiler/amd/kernel_context.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace heddle::compiler {

/// Accumulators of the wave's tile, ordered atom_m * atoms_n + atom_n, as they begin.
std::vector<mlir::Value> initial_accumulators(const KernelContext& context);

/// Their elements, ordered (atom_m * atoms_n + atom_n) * registers.
std::vector<mlir::Value> sums_of(const KernelContext& context,
                                 const std::vector<mlir::Value>& accumulators);

/// Gives sum `number` of the thread, in the order of sums_of, in code at the insertion point.
using SumAt = llvm::function_ref<mlir::Value(std::size_t number)>;

/// Element `number` of the accumulators, in that order.
mlir::Value sum_of(const KernelContext& context, const std::vector<mlir::Value>& accumulators,
                   std::size_t number);

/// Adds the elements of C, rounds to the type of the sum, applies the epilogues, and stores
/// into D and further results what lies inside the matrix. C is read here and not into the first
/// accumulators, which would keep 128 addresses in registers through the k loop. A sum is asked for
/// where it is stored: all at once would be copied from CDNA's accumulation registers at once.
void store_result(const KernelContext& context, SumAt sum, const Buffers& buffers);

}  // namespace heddle::compiler
