// Loads fragments from shared memory, by ldmatrix or plain loads, and multiplies them.
#pragma once

#include <vector>

#include "compiler/kernel/index_code.h"
#include "compiler/nvidia/mma_context.h"

namespace heddle::compiler {

class MmaFragments {
 public:
  /// `start` is the first byte of the operand's tile in a stage.
  MmaFragments(const MmaContext& context, const plan::MmaOperandPlan& operand, std::uint32_t start);

  /// Loads the registers of all atoms for k atom `k_atom`, atom after atom, as i32 (f64 as f64).
  /// `stage` is the offset of the stage from the first, in bytes (i32). If f32 is split in two
  /// bf16, the registers of all larger parts come first, then those of the smaller parts.
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

/// Sums of a warp: a value for each register of D, ordered (atom_m * atoms_n + atom_n) * registers.
using Sums = std::vector<mlir::Value>;

/// sums + A * B for one k atom.
void multiply(const MmaContext& context, const std::vector<mlir::Value>& a,
              const std::vector<mlir::Value>& b, Sums& sums);

/// The type of one sum: f32, i32 or f64.
mlir::Type sum_type(const MmaContext& context);

}  // namespace heddle::compiler
