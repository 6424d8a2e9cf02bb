// Loads fragments of A and B from shared memory, by ldmatrix or by plain loads, and multiplies
// them.
#pragma once

#include <vector>

#include "compiler/kernel/index_code.h"
#include "compiler/nvidia/mma_context.h"

namespace heddle::compiler {

class MmaFragments {
 public:
  /// `start` is where the operand's tile begins in each stage, in bytes from the stage's beginning.
  MmaFragments(const MmaContext& context, const plan::MmaOperandPlan& operand, std::uint32_t start);

  /// Loads the fragments of all atoms for k atom number `k_atom`. Returns their registers, atom
  /// after atom, as i32 (f64 as f64). `stage` (i32) is where the stage begins, in bytes from the
  /// first stage. If f32 is split into two bf16, the registers with all larger bf16 come first,
  /// then those with all smaller ones.
  std::vector<mlir::Value> load(std::uint64_t k_atom, mlir::Value stage) const;

 private:
  mlir::Value address(std::uint64_t fetch, std::uint64_t k_atom, mlir::Value stage) const;
  void load_matrices(mlir::Value address, std::vector<mlir::Value>& registers) const;
  void load_elements(mlir::Value address, std::vector<mlir::Value>& pieces) const;

  const MmaContext& context_;
  const plan::MmaOperandPlan& operand_;
  SharedAddresses addresses_;
  std::uint32_t start_;
};

/// The sums of a lane: a value for each register of D. The sums of the atoms atom_m and atom_n
/// begin at number (atom_m * atoms_n + atom_n) * registers.
using Sums = std::vector<mlir::Value>;

/// sums + A * B for one k atom.
void multiply(const MmaContext& context, const std::vector<mlir::Value>& a,
              const std::vector<mlir::Value>& b, Sums& sums);

/// The type of one sum: f32, i32 or f64.
mlir::Type sum_type(const MmaContext& context);

}  // namespace heddle::compiler
