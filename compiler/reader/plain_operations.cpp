#include "compiler/reader/plain_operations.h"

#include <vector>

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

namespace heddle::compiler {
namespace {

using mlir::Operation;
using mlir::Value;
namespace arith = mlir::arith;
namespace math = mlir::math;

void spell_out(mlir::linalg::LinalgOp linalg) {
  mlir::Block* body = linalg.getBlock();
  Operation* end = body->getTerminator();
  if (linalg.getNumReductionLoops() == 0 || linalg.getNumDpsInits() != 1 ||
      end->getNumOperands() != 1)
    return;
  const Value sum = body->getArgument(body->getNumArguments() - 1);
  Operation* last = end->getOperand(0).getDefiningOp();
  if (last == nullptr || !sum.hasOneUse()) return;
  mlir::OpBuilder builder(last);
  const mlir::Location place = last->getLoc();
  Value made;
  if (auto fma = mlir::dyn_cast<math::FmaOp>(last); fma && fma.getC() == sum) {
    const Value product = arith::MulFOp::create(builder, place, fma.getA(), fma.getB());
    made = arith::AddFOp::create(builder, place, sum, product);
  } else if (auto less = mlir::dyn_cast<arith::SubFOp>(last); less && less.getLhs() == sum) {
    Value part = less.getRhs();
    if (auto product = part.getDefiningOp<arith::MulFOp>()) {
      const Value negated = arith::NegFOp::create(builder, place, product.getLhs());
      part = arith::MulFOp::create(builder, place, negated, product.getRhs());
    } else {
      part = arith::NegFOp::create(builder, place, part);
    }
    made = arith::AddFOp::create(builder, place, sum, part);
  } else {
    return;
  }
  end->setOperand(0, made);
  last->erase();
}

void replace(Operation* operation, Value by) {
  operation->getResult(0).replaceAllUsesWith(by);
  operation->erase();
}

// x to a whole power: that of its magnitude, with the sign of x where the power is odd. A power
// that no float holds is rounded to an even one.
void replace(math::FPowIOp power) {
  mlir::OpBuilder builder(power);
  const mlir::Location place = power.getLoc();
  const Value x = power.getLhs(), n = power.getRhs();
  const mlir::Type number = mlir::getElementTypeOrSelf(x.getType()),
                   whole = mlir::getElementTypeOrSelf(n.getType());
  if (number != x.getType()) return;  // of whole tensors
  const Value size = math::AbsFOp::create(builder, place, x),
              exponent = arith::SIToFPOp::create(builder, place, number, n),
              result = math::PowFOp::create(builder, place, size, exponent),
              one = arith::ConstantOp::create(builder, place, builder.getIntegerAttr(whole, 1)),
              zero = arith::ConstantOp::create(builder, place, builder.getIntegerAttr(whole, 0)),
              positive = arith::ConstantOp::create(builder, place, builder.getFloatAttr(number, 1)),
              rest = arith::AndIOp::create(builder, place, n, one),
              is_odd = arith::CmpIOp::create(builder, place, arith::CmpIPredicate::ne, rest, zero),
              sign = arith::SelectOp::create(builder, place, is_odd, x, positive);
  replace(power, math::CopySignOp::create(builder, place, result, sign));
}

void replace(mlir::bufferization::AllocTensorOp allocated) {
  mlir::OpBuilder builder(allocated);
  if (const Value copied = allocated.getCopy()) return replace(allocated, copied);
  replace(allocated, mlir::tensor::EmptyOp::create(builder, allocated.getLoc(), allocated.getType(),
                                                   allocated.getDynamicSizes()));
}

void replace(mlir::ub::PoisonOp poison) {
  mlir::OpBuilder builder(poison);
  const mlir::Type type = poison.getType();
  if (const auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type)) {
    if (tensor.hasStaticShape())
      replace(poison,
              mlir::tensor::EmptyOp::create(builder, poison.getLoc(), type, mlir::ValueRange()));
  } else if (type.isIntOrIndexOrFloat()) {
    replace(poison, arith::ConstantOp::create(builder, poison.getLoc(), builder.getZeroAttr(type)));
  }
}

template <class Replaced>
void replace_all(mlir::func::FuncOp function) {
  std::vector<Replaced> all;
  function.walk([&](Replaced one) { all.push_back(one); });
  for (Replaced one : all) replace(one);
}

}  // namespace

void use_plain_operations(mlir::func::FuncOp function) {
  std::vector<mlir::linalg::LinalgOp> all;
  function.walk([&](mlir::linalg::LinalgOp linalg) { all.push_back(linalg); });
  for (mlir::linalg::LinalgOp linalg : all) spell_out(linalg);
  replace_all<math::FPowIOp>(function);
  replace_all<mlir::bufferization::AllocTensorOp>(function);
  replace_all<mlir::ub::PoisonOp>(function);
}

}  // namespace heddle::compiler
