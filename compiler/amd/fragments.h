// Fragments out of LDS, and the matrix instructions on them.
#pragma once

#include <string>
#include <vector>

#include "compiler/amd/kernel_context.h"
#include "compiler/kernel/index_code.h"

namespace heddle::compiler {

/// Loads the fragments of A or B.
class Fragments {
 public:
  Fragments(const KernelContext& context, const plan::OperandPlan& operand, std::uint32_t start);

  /// Fragment `atom` of k atom `k_atom`, from the tile `stage` elements (i32) further than the
  /// first, or bytes where tiles are copied; null for 0. A vector of the input type; `plane` is the
  /// part of an f32 multiplied as two bf16.
  mlir::Value load(std::uint64_t k_atom, std::uint64_t atom, mlir::Value stage,
                   int plane = 0) const;

  std::uint64_t atoms() const { return operand_.fragment.input_size("atom"); }
  std::uint64_t k_atoms() const { return operand_.fragment.input_size("k_atom"); }

 private:
  bool is_a() const { return operand_.tile.row == "m"; }
  mlir::Type input() const;
  std::string name(const char* what) const;  // a_what or b_what, for printing

  const KernelContext& context_;
  const plan::OperandPlan& operand_;
  SharedAddresses addresses_;
};

/// accumulators + A * B for the tile in LDS; accumulators are ordered atom_m * atoms_n + atom_n.
/// The scales of A and then of B, where the instruction reads them, are as Scales::load gives them.
std::vector<mlir::Value> multiply_tile(const KernelContext& context, const Fragments& a,
                                       const Fragments& b, std::vector<mlir::Value> accumulators,
                                       mlir::Value stage, llvm::ArrayRef<mlir::Value> scales);

}  // namespace heddle::compiler
