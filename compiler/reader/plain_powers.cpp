#include "compiler/reader/plain_powers.h"

#include <vector>

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace heddle::compiler {
namespace {

using mlir::Value;
namespace arith = mlir::arith;
namespace math = mlir::math;

class Power {
 public:
  explicit Power(math::FPowIOp power)
      : builder_(power),
        place_(power.getLoc()),
        type_(power.getType()),
        float_(mlir::getElementTypeOrSelf(type_)),
        integer_(mlir::getElementTypeOrSelf(power.getRhs().getType())),
        x_(power.getLhs()),
        n_(power.getRhs()) {
    if (!integer_.isIndex()) return;
    integer_ = builder_.getI64Type();
    n_ = arith::IndexCastOp::create(builder_, place_, of(integer_), n_);
  }

  Value made() {
    if (float_.isF64()) return of_squares();
    const bool is_narrow = float_.getIntOrFloatBitWidth() < 32;
    if (!is_narrow) return of_magnitude(float_);
    x_ = arith::ExtFOp::create(builder_, place_, of(builder_.getF32Type()), x_);
    return arith::TruncFOp::create(builder_, place_, type_, of_magnitude(builder_.getF32Type()));
  }

 private:
  mlir::Type of(mlir::Type element) const {
    auto shaped = mlir::dyn_cast<mlir::ShapedType>(type_);
    return shaped ? mlir::Type(shaped.clone(element)) : element;
  }

  Value constant(mlir::TypedAttr one) {
    const auto shaped = mlir::dyn_cast<mlir::ShapedType>(of(one.getType()));
    if (shaped) one = mlir::DenseElementsAttr::get(shaped, mlir::Attribute(one));
    return arith::ConstantOp::create(builder_, place_, one);
  }
  Value integer(std::int64_t value) { return constant(builder_.getIntegerAttr(integer_, value)); }
  unsigned bits() const { return integer_.getIntOrFloatBitWidth(); }

  Value is_odd(Value number) {
    const Value last = arith::AndIOp::create(builder_, place_, number, integer(1));
    return arith::CmpIOp::create(builder_, place_, arith::CmpIPredicate::ne, last, integer(0));
  }

  // Float32 holds powers of 24 bits: others are split. Beyond 2^32 the result is 0, 1 or infinite,
  // whatever the power is rounded to.
  Value of_magnitude(mlir::Type wide) {
    const Value size = math::AbsFOp::create(builder_, place_, x_);
    const auto to = [&](Value whole_power) -> Value {
      const Value exponent = arith::SIToFPOp::create(builder_, place_, of(wide), whole_power);
      return math::PowFOp::create(builder_, place_, size, exponent);
    };
    Value result;
    if (float_.isF32() && bits() > 24) {
      const Value rest = arith::RemSIOp::create(builder_, place_, n_, integer(256));
      const Value multiple = arith::SubIOp::create(builder_, place_, n_, rest);
      result = arith::MulFOp::create(builder_, place_, to(multiple), to(rest));
    } else {
      result = to(n_);
    }
    const Value sign = arith::SelectOp::create(builder_, place_, is_odd(n_), x_,
                                               constant(builder_.getFloatAttr(wide, 1)));
    return math::CopySignOp::create(builder_, place_, result, sign);
  }

  // The product of the squares x, x^2, x^4 … for which the power has a bit; its inverse where the
  // power is negative. The magnitude of the lowest power is its own bits.
  Value of_squares() {
    const Value one = constant(builder_.getFloatAttr(float_, 1));
    const Value is_negative =
        arith::CmpIOp::create(builder_, place_, arith::CmpIPredicate::slt, n_, integer(0));
    const Value negated = arith::SubIOp::create(builder_, place_, integer(0), n_);
    Value rest = arith::SelectOp::create(builder_, place_, is_negative, negated, n_);
    Value square = x_, product = one;
    for (unsigned bit = 0; bit < bits(); ++bit) {
      if (bit != 0) {
        square = arith::MulFOp::create(builder_, place_, square, square);
        rest = arith::ShRUIOp::create(builder_, place_, rest, integer(1));
      }
      const Value more = arith::MulFOp::create(builder_, place_, product, square);
      product = arith::SelectOp::create(builder_, place_, is_odd(rest), more, product);
    }
    const Value inverse = arith::DivFOp::create(builder_, place_, one, product);
    return arith::SelectOp::create(builder_, place_, is_negative, inverse, product);
  }

  mlir::OpBuilder builder_;
  mlir::Location place_;
  mlir::Type type_, float_, integer_;
  Value x_, n_;
};

// A constant needs known sizes: the power of each element of a tensor of others is a number's.
math::FPowIOp of_numbers(math::FPowIOp power) {
  const auto type = mlir::dyn_cast<mlir::RankedTensorType>(power.getType());
  if (!type || type.hasStaticShape()) return power;
  mlir::OpBuilder builder(power);
  const mlir::Location place = power.getLoc();
  llvm::SmallVector<Value> sizes;
  for (unsigned i = 0; i < type.getRank(); ++i)
    if (type.isDynamicDim(i))
      sizes.push_back(mlir::tensor::DimOp::create(builder, place, power.getLhs(), i));
  const Value empty =
      mlir::tensor::EmptyOp::create(builder, place, type.getShape(), type.getElementType(), sizes);
  const auto rank = static_cast<unsigned>(type.getRank());
  const llvm::SmallVector<mlir::AffineMap> maps(3, builder.getMultiDimIdentityMap(rank));
  const llvm::SmallVector<mlir::utils::IteratorType> loops(rank,
                                                           mlir::utils::IteratorType::parallel);
  math::FPowIOp inside;
  auto each = mlir::linalg::GenericOp::create(
      builder, place, type, mlir::ValueRange{power.getLhs(), power.getRhs()}, empty, maps, loops,
      [&](mlir::OpBuilder& body, mlir::Location at, mlir::ValueRange read) {
        inside = math::FPowIOp::create(body, at, read[0], read[1]);
        mlir::linalg::YieldOp::create(body, at, inside.getResult());
      });
  power.replaceAllUsesWith(each.getResult(0));
  power.erase();
  return inside;
}

}  // namespace

void use_plain_powers(mlir::func::FuncOp function) {
  std::vector<math::FPowIOp> all;
  function.walk([&](math::FPowIOp one) { all.push_back(one); });
  if (all.empty()) return;
  function.getContext()->loadDialect<mlir::linalg::LinalgDialect, mlir::tensor::TensorDialect>();
  for (math::FPowIOp one : all) {
    math::FPowIOp power = of_numbers(one);
    power.replaceAllUsesWith(Power(power).made());
    power.erase();
  }
}

}  // namespace heddle::compiler
