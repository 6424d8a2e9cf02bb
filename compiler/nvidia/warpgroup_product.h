// The product of a consumer: the sums in its registers, and the wgmma instructions that add to
// them. The rows of D for which a consumer is responsible are bands of 64 rows, one for each wgmma.
//
// Source: PTX ISA 8.0, "Asynchronous Warpgroup Level Matrix Instructions".
#pragma once

#include "compiler/nvidia/warpgroup_context.h"
#include "heddle/instruction/instruction.h"

namespace heddle::compiler {

/// Sums are passed as one LLVM struct of f32 (of i32 for integers), with an element for each
/// register: first the registers of band 0, then those of band 1, and so on.
class WarpgroupProduct {
 public:
  explicit WarpgroupProduct(const WarpgroupContext& context);

  /// The number of registers in which a lane holds its sums.
  int registers() const { return context_.plan.bands() * band_registers_; }

  /// Sums to begin with. zero() is always 0. nothing() is for sums that the first step overwrites:
  /// it is undefined if k is known at compile time; otherwise it is 0, because there may be no step
  /// at all.
  mlir::Value nothing() const;
  mlir::Value zero() const;
  /// Adds structs of f32, element by element. `sum` returns x + y; `scaled_sum` returns x + y *
  /// factors, rounded once.
  mlir::Value sum(mlir::Value x, mlir::Value y) const;
  mlir::Value scaled_sum(mlir::Value x, mlir::Value y,
                         const std::vector<mlir::Value>& factors) const;
  /// Starts to add the product of the tiles of A and B in the stage at address `stage` (i32) to
  /// `sums`. If `step` is 0, the product overwrites the sums instead.
  mlir::Value add(mlir::Value step, mlir::Value stage, mlir::Value sums) const;
  /// Does the same with a tile of B at the address `b`. A is a tile at the address `a` or, in the
  /// second function, the thread's registers with A for the whole step.
  mlir::Value add(mlir::Value step, mlir::Value a, mlir::Value b, mlir::Value sums) const;
  mlir::Value add(mlir::Value step, llvm::ArrayRef<mlir::Value> a, mlir::Value b,
                  mlir::Value sums) const;
  /// Waits until at most `steps` calls of add() are unfinished.
  void wait(int steps) const;
  /// Waits until at most the last `newer` calls of add() are unfinished. Only the returned sums may
  /// be read.
  mlir::Value finished(mlir::Value sums, int newer = 0) const;

 private:
  std::string code(std::size_t words) const;
  mlir::Value begun(mlir::Value step, llvm::ArrayRef<mlir::Value> a, mlir::Value b,
                    mlir::Value sums) const;
  mlir::Value descriptor(instruction::Operand operand, mlir::Value first_byte) const;
  /// The number to add to the descriptor of a whole tile to get the descriptor of the part of the
  /// tile that begins at (mn, k).
  std::int64_t distance(instruction::Operand operand, int mn, int k) const;

  const WarpgroupContext& context_;
  instruction::Instruction instruction_;
  int band_registers_;
  mlir::Type element_, sums_;
};

/// The elements of such a struct.
std::vector<mlir::Value> elements_of(mlir::ImplicitLocOpBuilder& builder, mlir::Value sums);
/// Converts numbers from f32 to `type`, which has 16 bits, and packs them into registers of A
/// (i32), two in each.
std::vector<mlir::Value> narrowed_words(const WarpgroupContext& context,
                                        const std::vector<mlir::Value>& numbers,
                                        instruction::ElementType type);

}  // namespace heddle::compiler
