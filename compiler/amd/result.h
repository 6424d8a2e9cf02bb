// The accumulators: their initial values, and how they become elements of D.
#pragma once

#include <vector>

#include "compiler/amd/kernel_context.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace heddle::compiler {

/// The initial accumulators of the wave's tile. The accumulator of the atoms atom_m and atom_n is
/// number atom_m * atoms_n + atom_n.
std::vector<mlir::Value> initial_accumulators(const KernelContext& context);

/// All elements of all accumulators. Accumulator atom_m * atoms_n + atom_n has `registers`
/// elements, which begin at number (atom_m * atoms_n + atom_n) * registers.
std::vector<mlir::Value> sums_of(const KernelContext& context,
                                 const std::vector<mlir::Value>& accumulators);

/// A function that builds, at the insertion point, code for the thread's sum number `number` (in
/// the order of sums_of), and returns this sum.
using SumAt = llvm::function_ref<mlir::Value(std::size_t number)>;

/// Element `number` of the accumulators, in the order of sums_of.
mlir::Value sum_of(const KernelContext& context, const std::vector<mlir::Value>& accumulators,
                   std::size_t number);

/// For each sum of the workgroup: adds the element of C, rounds to the type of the sum, applies the
/// epilogues, and stores the results to D and the further results if the element is inside the
/// matrix.
///
/// C is read here, not before the loop over k: as initial accumulators, C would keep 128 addresses
/// in registers through the loop. `sum` is called for a sum only when that sum is stored: otherwise
/// all sums would be copied from CDNA's accumulation registers at once.
void store_result(const KernelContext& context, SumAt sum, const Buffers& buffers);

}  // namespace heddle::compiler
