// What every builder of a kernel needs: where code is inserted, the numbers of the thread, and
// arithmetic on integers that builds no code for trivial operations. Numbers have 32 bits; those
// called "wide" have 64 (i64).
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle::compiler {

struct ThreadContext {
  mlir::ImplicitLocOpBuilder& builder;
  mlir::Value lane, warp;  // i32

  /// Gives `value` the name `name` in the printed kernel, and returns it.
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
  /// `value` as a constant of the type of `like`.
  mlir::Value constant(std::int64_t value, mlir::Value like) const {
    return mlir::arith::ConstantOp::create(builder, builder.getIntegerAttr(like.getType(), value));
  }
  mlir::Value wide(mlir::Value number) const {
    return mlir::arith::ExtUIOp::create(builder, builder.getI64Type(), number);
  }
  mlir::Value add(mlir::Value x, std::int64_t y) const {
    return y == 0 ? x : add(x, constant(y, x));
  }
  mlir::Value multiply(mlir::Value x, std::int64_t y) const {
    return y == 1 ? x : mlir::arith::MulIOp::create(builder, x, constant(y, x)).getResult();
  }
  /// x < y as unsigned numbers.
  mlir::Value less(mlir::Value x, std::int64_t y) const {
    return mlir::arith::CmpIOp::create(builder, mlir::arith::CmpIPredicate::ult, x, constant(y));
  }
  mlir::Value equal(mlir::Value x, std::int64_t y) const {
    return mlir::arith::CmpIOp::create(builder, mlir::arith::CmpIPredicate::eq, x, constant(y, x));
  }
  mlir::Value differs(mlir::Value x, std::int64_t y) const {
    return mlir::arith::CmpIOp::create(builder, mlir::arith::CmpIPredicate::ne, x, constant(y, x));
  }
  mlir::Value index(mlir::Value x) const {
    return mlir::arith::IndexCastOp::create(builder, builder.getIndexType(), x);
  }
};

}  // namespace heddle::compiler
