// A consumer's band of D: the sums in its registers, and the wgmma instructions that add to them.
//
// Source: PTX ISA 8.0, "Asynchronous Warpgroup Level Matrix Instructions".
#pragma once

#include "compiler/nvidia/warpgroup_context.h"
#include "heddle/instruction/instruction.h"

namespace heddle::compiler {

/// The sums of all bands are one struct of f32, or i32 for integers; band 0's registers come first.
class WarpgroupProduct {
 public:
  explicit WarpgroupProduct(const WarpgroupContext& context);

  /// The number of registers of one lane that hold the sums.
  int registers() const { return context_.plan.bands() * band_registers_; }

  /// Sums before the first step. The first step overwrites them, so they need no value; without any
  /// step they are 0.
  mlir::Value nothing() const;
  mlir::Value zero() const;
  /// Elementwise on two structs of f32: x + y, and x + y * factors, rounded once.
  mlir::Value sum(mlir::Value x, mlir::Value y) const;
  mlir::Value scaled_sum(mlir::Value x, mlir::Value y,
                         const std::vector<mlir::Value>& factors) const;
  /// Starts to add the product of the tiles at `stage` (i32) to the sums; `step` 0 overwrites them.
  mlir::Value add(mlir::Value step, mlir::Value stage, mlir::Value sums) const;
  /// The same for the block's tile of A at `a`, or the thread's words of A for the whole step, and
  /// the tile of B at `b`.
  mlir::Value add(mlir::Value step, mlir::Value a, mlir::Value b, mlir::Value sums) const;
  mlir::Value add(mlir::Value step, llvm::ArrayRef<mlir::Value> a, mlir::Value b,
                  mlir::Value sums) const;
  /// Waits until at most `steps` calls of add() are unfinished.
  void wait(int steps) const;
  /// Waits for all of them but the last `newer`; the sums can then be read.
  mlir::Value finished(mlir::Value sums, int newer = 0) const;

 private:
  std::string code(std::size_t words) const;
  mlir::Value begun(mlir::Value step, llvm::ArrayRef<mlir::Value> a, mlir::Value b,
                    mlir::Value sums) const;
  mlir::Value descriptor(instruction::Operand operand, mlir::Value first_byte) const;
  /// The distance between the descriptor of the tile and that of a part of it.
  std::int64_t distance(instruction::Operand operand, int mn, int k) const;

  const WarpgroupContext& context_;
  instruction::Instruction instruction_;
  int band_registers_;
  mlir::Type element_, sums_;
};

/// The elements of such a struct.
std::vector<mlir::Value> elements_of(mlir::ImplicitLocOpBuilder& builder, mlir::Value sums);
/// Numbers (f32) as words of A (i32), two in each: `type` has 16 bits.
std::vector<mlir::Value> narrowed_words(const WarpgroupContext& context,
                                        const std::vector<mlir::Value>& numbers,
                                        instruction::ElementType type);

}  // namespace heddle::compiler
