// Fragments out of shared memory, by ldmatrix or plain loads, and the products of them.
#pragma once

#include <vector>

#include "compiler/kernel/index_code.h"
#include "compiler/nvidia/mma_context.h"

namespace heddle::compiler {

class MmaFragments {
 public:
  /// `start` is the first byte of the operand's tile in a stage.
  MmaFragments(const MmaContext& context, const plan::MmaOperandPlan& operand, std::uint32_t start);

  /// The registers of all atoms for k atom `k_atom` of the stage `stage` bytes (i32) further than
  /// the first, as i32 (f64: as f64): atom after atom. Of f32 that is split in two bf16 first all
  /// registers of the larger parts, then those of the smaller.
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
