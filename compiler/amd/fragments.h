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

  /// The registers (i32, bytes) with the addresses from which the loads of the first tile in LDS
  /// count.
  const std::vector<mlir::Value>& lds_bases() const { return lds_bases_; }

  /// Loads fragment number `atom` of k atom `k_atom` from LDS: a vector of the input type. `bases`
  /// are the lds_bases, moved to the tile from which to read. If an f32 is multiplied as two bf16,
  /// `plane` says which of the two is loaded.
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

/// Tasks that run among the multiplications of a tile. The first tasks load from memory, and the
/// second tasks use what the first tasks have loaded.
/// - If keeps_order: the first tasks are spread over the first half of the multiplications, the
/// second tasks over the second half.
/// - In ping-pong: the first tasks run in the turn in which the wave loads the tile's first
/// fragments, the second tasks in the wave's last turn of loads for this tile.
struct Between {
  std::vector<std::function<void()>> first{}, second{};
  bool is_last_tile = false;  // of the product
};

/// Returns accumulators + A * B for the tile in LDS. The accumulator of the atoms atom_m and atom_n
/// is number atom_m * atoms_n + atom_n. `a_bases` and `b_bases` are the addresses of the tile of A
/// and of the tile of B. If the instruction reads scales, `scales` has the scales of A, then those
/// of B, each in the order in which Scales::load returns them.
std::vector<mlir::Value> multiply_tile(const KernelContext& context, const Fragments& a,
                                       const Fragments& b, std::vector<mlir::Value> accumulators,
                                       const TileBases& a_bases, const TileBases& b_bases,
                                       llvm::ArrayRef<mlir::Value> scales,
                                       const Between& between = {});

/// True if the compiled kernel has its multiplications, and the tasks of Between among them, in the
/// order in which multiply_tile writes them. That is so on RDNA, if a k atom has enough
/// multiplications to hide the tasks, and if registers suffice for everything in flight. Loads and
/// stores form no clauses then, and one wait serves all fragments of a k atom.
bool keeps_order(const KernelContext& context);

/// Which loads to wait for. wait_for is for kernels that keep their order (keeps_order): it waits
/// until all loads of these kinds have arrived. gfx11 has one instruction for loads from LDS and
/// from memory. gfx12 has one instruction for each; there wait_for only waits for loads from
/// memory, and LLVM inserts the waits for LDS. (RDNA3 ISA, "S_WAITCNT": vmcnt in bits 15..10,
/// lgkmcnt in 9..4, expcnt in 2..0.)
struct Awaited {
  bool lds = false, memory = false;
};
void wait_for(const KernelContext& context, Awaited loads);

}  // namespace heddle::compiler
