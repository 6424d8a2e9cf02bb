// Fragments out of LDS, and the matrix instructions on them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/amd/kernel_context.h"
#include "compiler/kernel/index_code.h"

namespace heddle::compiler {

/// Loads the fragments of A or B.
class Fragments {
 public:
  Fragments(const KernelContext& context, const plan::OperandPlan& operand, std::uint32_t start);

  /// Registers of the loads from the first tile in LDS: i32, bytes.
  const std::vector<mlir::Value>& lds_bases() const { return lds_bases_; }

  /// Fragment `atom` of k atom `k_atom`; `bases` are lds_bases, of the tile that is meant. A vector
  /// of the input type; `plane` is the part of an f32 multiplied as two bf16.
  mlir::Value load(std::uint64_t k_atom, std::uint64_t atom, const TileBases& bases,
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
  std::vector<mlir::Value> lds_bases_;
};

/// What is done beside the multiplications of a tile, of which the second tasks use what the first
/// have loaded from memory. Where keeps_order they are dealt out to the halves of the
/// multiplications. In ping-pong the first are done when the wave loads the tile's first fragments,
/// and the second in its last turn to load.
struct Between {
  std::vector<std::function<void()>> first{}, second{};
  bool is_last_tile = false;  // of the product
};

/// accumulators + A * B for the tile in LDS; accumulators are ordered atom_m * atoms_n + atom_n.
/// The bases are of the loads of A and of B. The scales of A and then of B, where the instruction
/// reads them, are as Scales::load gives them.
std::vector<mlir::Value> multiply_tile(const KernelContext& context, const Fragments& a,
                                       const Fragments& b, std::vector<mlir::Value> accumulators,
                                       const TileBases& a_bases, const TileBases& b_bases,
                                       llvm::ArrayRef<mlir::Value> scales,
                                       const Between& between = {});

/// Whether multiplications stand in the order in which they are written, and Between among them: on
/// RDNA, where those of a k atom are enough to hide something and registers suffice for all that is
/// on its way. Loads and stores form no clauses there, and one wait serves all fragments of a k
/// atom.
bool keeps_order(const KernelContext& context);

/// Waits, where keeps_order, until all loads have arrived, from LDS or from memory: by one
/// instruction on gfx11; gfx12 has one for each counter, and LLVM's own waits for LDS are left
/// there. (RDNA3 ISA, "S_WAITCNT": vmcnt in bits 15..10, lgkmcnt in 9..4, expcnt in 2..0.)
struct Awaited {
  bool lds = false, memory = false;
};
void wait_for(const KernelContext& context, Awaited loads);

}  // namespace heddle::compiler
