// Rounds f32 numbers to the 11 significant bits that CDNA3's matrix instructions read. The
// processor has no instruction for it.
#pragma once

#include <cstdint>

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle::compiler {

/// Rounds a vector of f32 to 10 bits of mantissa, for an instruction that cuts off the lower 13
/// bits. Half of the last remaining bit is added to the magnitude, so after the cut each number is
/// the nearest one; ties go away from zero. Infinities and NaNs stay as they are.
inline mlir::Value rounded_before_cut(mlir::ImplicitLocOpBuilder& builder, mlir::Value numbers) {
  const auto type = mlir::cast<mlir::VectorType>(numbers.getType());
  const auto words = mlir::VectorType::get(type.getShape(), builder.getI32Type());
  const mlir::Value half = mlir::arith::ConstantOp::create(
      builder, mlir::DenseElementsAttr::get(words, std::int32_t{1} << 12));
  const mlir::Value sum = mlir::arith::AddIOp::create(
      builder, mlir::arith::BitcastOp::create(builder, words, numbers), half);
  const mlir::Value difference = mlir::arith::SubFOp::create(builder, numbers, numbers);
  const mlir::Value is_not_finite =
      mlir::arith::CmpFOp::create(builder, mlir::arith::CmpFPredicate::UNO, difference, difference);
  return mlir::arith::SelectOp::create(builder, is_not_finite, numbers,
                                       mlir::arith::BitcastOp::create(builder, type, sum));
}

}  // namespace heddle::compiler
