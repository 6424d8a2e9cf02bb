// What the parts of the kernel builder share: the insertion point, the plan, and the few values
// that every part needs. The parts, in the order in which the kernel runs them: staging.h,
// fragments.h, result.h; kernel.cpp puts them together.
#pragma once

#include "compiler/matmul_request.h"
#include "heddle/plan/matmul_plan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle::compiler {

/// Byte offset of an access that must not happen: no buffer reaches it, so hardware returns zero or
/// drops the store. Bytes up to 2^31 may be added to it without coming back into a buffer.
inline constexpr std::uint32_t outside = 0x80000000u;

struct KernelContext {
  mlir::ImplicitLocOpBuilder& builder;
  const plan::MatmulPlan& plan;
  mlir::Value lane, warp;        // i32
  mlir::Value block_m, block_n;  // i32: first row and column of the workgroup's tile of D
  mlir::Value shared;            // memref of 16-bit integers: the workgroup's LDS

  /// 16-bit elements travel as integers: moving them must not change a bit.
  mlir::Type element() const { return builder.getI16Type(); }
  mlir::Type input() const {
    return plan.problem.input == instruction::ElementType::f16 ? mlir::Type(builder.getF16Type())
                                                               : mlir::Type(builder.getBF16Type());
  }

  /// `value`, called `name` where the kernel is printed.
  mlir::Value named(llvm::StringRef name, mlir::Value value) const {
    const mlir::StringAttr text = builder.getStringAttr(name);
    value.setLoc(mlir::NameLoc::get(text, builder.getLoc()));
    return value;
  }

  mlir::Value constant(std::int64_t value) const {
    return mlir::arith::ConstantOp::create(
        builder, builder.getI32IntegerAttr(static_cast<std::int32_t>(value)));
  }
  mlir::Value add(mlir::Value x, mlir::Value y) const {
    return mlir::arith::AddIOp::create(builder, x, y);
  }
  mlir::Value add(mlir::Value x, std::int64_t y) const { return y == 0 ? x : add(x, constant(y)); }
  mlir::Value multiply(mlir::Value x, std::int64_t y) const {
    return y == 1 ? x : mlir::arith::MulIOp::create(builder, x, constant(y)).getResult();
  }
  /// x < y as unsigned numbers.
  mlir::Value less(mlir::Value x, std::int64_t y) const {
    return mlir::arith::CmpIOp::create(builder, mlir::arith::CmpIPredicate::ult, x, constant(y));
  }
  /// `offset` where `valid`, else an offset outside every buffer.
  mlir::Value or_outside(mlir::Value valid, mlir::Value offset) const {
    return mlir::arith::SelectOp::create(builder, valid, offset, constant(outside));
  }
  mlir::Value index(mlir::Value x) const {
    return mlir::arith::IndexCastOp::create(builder, builder.getIndexType(), x);
  }
};

/// A buffer descriptor over exactly `bytes` bytes at the kernel argument `pointer`, so that no
/// access can leave the matrix.
mlir::Value make_buffer(const KernelContext& context, mlir::Value pointer, std::int64_t bytes);

/// Loads or stores through a descriptor, at a byte offset (i32). Outside the buffer a load gives
/// zero and a store does nothing.
mlir::Value load_buffer(const KernelContext& context, mlir::Type type, mlir::Value buffer,
                        mlir::Value offset);
void store_buffer(const KernelContext& context, mlir::Value value, mlir::Value buffer,
                  mlir::Value offset);

/// `count` 16-bit integers of LDS from element `base` + `constant`, and the reverse.
mlir::Value load_shared(const KernelContext& context, int count, mlir::Value base,
                        std::int64_t constant);
void store_shared(const KernelContext& context, mlir::Value vector, mlir::Value base,
                  std::int64_t constant);

/// Nothing moves past this place when LLVM schedules.
void keep_apart(const KernelContext& context);

}  // namespace heddle::compiler
