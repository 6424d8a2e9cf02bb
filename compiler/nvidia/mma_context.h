// What the parts of the mma.sync kernel share. The parts, in the order in which the kernel runs
// them: tile_copies.h, mma_fragments.h, mma_result.h; mma_kernel.cpp puts them together.
#pragma once

#include "compiler/kernel/thread_context.h"
#include "heddle/plan/mma_plan.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace heddle::compiler {

/// A matrix in global memory: element (i, j) is at pointer + (i * row_stride + j * column_stride).
struct GlobalMatrix {
  mlir::Value pointer;  // !llvm.ptr<1>; null where the kernel has no such matrix
  std::int64_t rows = 0, columns = 0;
  std::int64_t row_stride = 0, column_stride = 1;  // elements
  instruction::ElementType element{};
  std::int64_t start_divisor = 0;  // divides where every matrix of the batch begins, in elements
};

/// A tile of D that a block computes.
struct BlockTile {
  mlir::Value m, n;   // i32: its first row and column
  mlir::Value valid;  // i1: whether there is such a tile; null: yes
};

struct MmaContext : ThreadContext {
  MmaContext(mlir::ImplicitLocOpBuilder& at, const plan::MmaPlan& the_plan)
      : ThreadContext{at, {}, {}}, plan(the_plan) {}

  const plan::MmaPlan& plan;
  mlir::Value shared;  // !llvm.ptr<3>: dynamic shared memory

  mlir::Type integer(int bits) const { return builder.getIntegerType(static_cast<unsigned>(bits)); }

  /// `bytes` further; of an i32 or i64.
  mlir::Value further(mlir::Value pointer, mlir::Value bytes) const {
    return mlir::LLVM::GEPOp::create(builder, pointer.getType(), builder.getI8Type(), pointer,
                                     llvm::ArrayRef<mlir::LLVM::GEPArg>{bytes});
  }
  mlir::Value further(mlir::Value pointer, std::int64_t bytes) const {
    if (bytes == 0) return pointer;
    if (bytes == static_cast<std::int32_t>(bytes))
      return mlir::LLVM::GEPOp::create(
          builder, pointer.getType(), builder.getI8Type(), pointer,
          llvm::ArrayRef<mlir::LLVM::GEPArg>{static_cast<std::int32_t>(bytes)});
    const mlir::Value wide =
        mlir::arith::ConstantOp::create(builder, builder.getI64IntegerAttr(bytes));
    return further(pointer, wide);
  }
  /// `number` (i32, not negative) times `factor`, as i64: offsets in global memory.
  mlir::Value wide(mlir::Value number, std::int64_t factor) const {
    const mlir::Value extended =
        mlir::arith::ExtUIOp::create(builder, builder.getI64Type(), number);
    if (factor == 1) return extended;
    const mlir::Value times =
        mlir::arith::ConstantOp::create(builder, builder.getI64IntegerAttr(factor));
    return mlir::arith::MulIOp::create(builder, extended, times);
  }
  mlir::Value select(mlir::Value condition, mlir::Value yes, mlir::Value no) const {
    return mlir::arith::SelectOp::create(builder, condition, yes, no);
  }
  /// Both; either may be null, which means true.
  mlir::Value both(mlir::Value x, mlir::Value y) const {
    if (!x || !y) return x ? x : y;
    return mlir::arith::AndIOp::create(builder, x, y);
  }
};

}  // namespace heddle::compiler
