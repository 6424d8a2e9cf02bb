// Loads fragments from LDS and multiplies them by matrix instructions.
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

  /// Registers for the loads from the first tile in LDS: i32, bytes.
  const std::vector<mlir::Value>& lds_bases() const { return lds_bases_; }

  /// Loads fragment `atom` of k atom `k_atom`, a vector of the input type. `bases` are lds_bases of
  /// the tile to read; `plane` is the part of an f32 that is multiplied as two bf16.
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

/// Tasks besides the multiplications of a tile. The first tasks load from memory, and the second
/// use what the first loaded. If keeps_order, they are spread over the halves of the
/// multiplications. In ping-pong the first tasks run when the wave loads the tile's first
/// fragments, and the second in its last turn to load.
struct Between {
  std::vector<std::function<void()>> first{}, second{};
  bool is_last_tile = false;  // of the product
};

/// accumulators + A * B for the tile in LDS; accumulators are ordered atom_m * atoms_n + atom_n.
/// The bases are those of the loads of A and of B. If the instruction reads scales, those of A and
/// then of B are as Scales::load gives them.
std::vector<mlir::Value> multiply_tile(const KernelContext& context, const Fragments& a,
                                       const Fragments& b, std::vector<mlir::Value> accumulators,
                                       const TileBases& a_bases, const TileBases& b_bases,
                                       llvm::ArrayRef<mlir::Value> scales,
                                       const Between& between = {});

/// True if multiplications stay in the order in which they are written, with Between among them.
/// That is so on RDNA, if a k atom has enough multiplications to hide something and registers
/// suffice for everything in flight. Loads and stores form no clauses then, and one wait serves all
/// fragments of a k atom.
bool keeps_order(const KernelContext& context);

/// If keeps_order, waits until all loads from LDS or memory have arrived. gfx11 has one instruction
/// for that. gfx12 has one for each counter, and LLVM's own waits for LDS are left there. (RDNA3
/// ISA, "S_WAITCNT": vmcnt in bits 15..10, lgkmcnt in 9..4, expcnt in 2..0.)
struct Awaited {
  bool lds = false, memory = false;
};
void wait_for(const KernelContext& context, Awaited loads);

}  // namespace heddle::compiler
