#include "compiler/reader/plain_integers.h"

#include <optional>
#include <vector>

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"

namespace heddle::compiler {
namespace {

using mlir::Operation;
using mlir::Value;
namespace arith = mlir::arith;
namespace linalg = mlir::linalg;

// A reduction on tensors combines its running result with one term in each step: `by` is the
// operation that combines them, `with` is the term. Both are null if the reduction has another form
// or several results.
struct Combined {
  Operation* by = nullptr;
  Value with;
};
Combined combined(linalg::LinalgOp one) {
  if (!one.hasPureTensorSemantics() || one.getNumDpsInits() != 1 || one.getNumReductionLoops() == 0)
    return {};
  mlir::Block& body = *one.getBlock();
  const Value so_far = body.getArguments().back();
  Operation* by = body.getTerminator()->getOperand(0).getDefiningOp();
  if (by == nullptr || by->getBlock() != &body || by->getNumOperands() != 2 || !so_far.hasOneUse())
    return {};
  for (const unsigned i : {0u, 1u})
    if (by->getOperand(i) == so_far) return {by, by->getOperand(1 - i)};
  return {};
}

bool is_tensor_of_bits(Value value) {
  const auto type = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type && type.getElementType().isInteger(1);
}

// A tensor of one number with the sizes of `like`.
Value filled(mlir::OpBuilder& builder, Value like, const llvm::APInt& number) {
  const mlir::Type element = mlir::getElementTypeOrSelf(like.getType());
  const Value value =
      arith::ConstantOp::create(builder, like.getLoc(), builder.getIntegerAttr(element, number));
  return linalg::FillOp::create(builder, like.getLoc(), value, like).getResult(0);
}

bool widen_bits(linalg::LinalgOp one) {
  const auto [by, with] = combined(one);
  auto product = with ? with.getDefiningOp<arith::AndIOp>() : arith::AndIOp();
  if (!product || !mlir::isa<arith::OrIOp>(by) || one.getNumDpsInputs() != 2 ||
      !llvm::all_of(one->getOperands(), is_tensor_of_bits))
    return false;
  mlir::Block& body = *one.getBlock();
  const Value a = body.getArgument(0), b = body.getArgument(1);
  if (!(product.getLhs() == a && product.getRhs() == b) &&
      !(product.getLhs() == b && product.getRhs() == a))
    return false;
  mlir::OpBuilder builder(one);
  const auto widened = [&](Value bits, mlir::Type element) -> Value {
    const auto type = mlir::cast<mlir::RankedTensorType>(bits.getType());
    return arith::ExtUIOp::create(builder, one.getLoc(),
                                  mlir::RankedTensorType::get(type.getShape(), element), bits);
  };
  const mlir::Type byte = builder.getI8Type(), word = builder.getI32Type();
  const Value initial = widened(one.getDpsInits()[0], word);
  const llvm::SmallVector<Value> inputs{widened(one->getOperand(0), byte),
                                        widened(one->getOperand(1), byte)};
  auto sum = linalg::GenericOp::create(
      builder, one.getLoc(), initial.getType(), inputs, initial, one.getIndexingMapsArray(),
      one.getIteratorTypesArray(),
      [&](mlir::OpBuilder& inside, mlir::Location at, mlir::ValueRange read) {
        // The bytes are 0 or 1, so sign extension is right too; signed i8 is what every target
        // multiplies.
        const Value x = arith::ExtSIOp::create(inside, at, word, read[0]),
                    y = arith::ExtSIOp::create(inside, at, word, read[1]),
                    term = arith::MulIOp::create(inside, at, x, y);
        linalg::YieldOp::create(inside, at,
                                arith::AddIOp::create(inside, at, read[2], term).getResult());
      });
  const Value number = sum.getResult(0), zero = filled(builder, number, llvm::APInt::getZero(32));
  one->getResult(0).replaceAllUsesWith(
      arith::CmpIOp::create(builder, one.getLoc(), arith::CmpIPredicate::ne, number, zero));
  one->erase();
  return true;
}

// The constant that fills an initial value; null if `initial` is not a fill with a constant.
std::optional<llvm::APInt> constant_of(Value initial) {
  auto fill = initial.getDefiningOp<linalg::FillOp>();
  llvm::APInt number;
  if (!fill || !mlir::matchPattern(fill.getInputs()[0], mlir::m_ConstantInt(&number)))
    return std::nullopt;
  return number;
}

void compare_signed(linalg::LinalgOp one) {
  const auto [by, with] = combined(one);
  if (!mlir::isa_and_nonnull<arith::MaxUIOp, arith::MinUIOp>(by)) return;
  const unsigned bits = with.getType().getIntOrFloatBitWidth();
  const Value initial = one.getDpsInits()[0];
  const auto known = constant_of(initial);
  // If the initial value is computed, it must have the type in which sums are added
  // (docs/matmul.md).
  if (bits < 8 || (!known && bits < 32)) return;
  const llvm::APInt sign = llvm::APInt::getSignMask(bits);
  mlir::OpBuilder builder(one);
  const auto moved = [&](Value tensor) -> Value {
    return arith::XOrIOp::create(builder, one.getLoc(), tensor, filled(builder, tensor, sign));
  };
  one.getDpsInitsMutable()[0].set(known ? filled(builder, initial, *known ^ sign) : moved(initial));
  mlir::OpBuilder inside(by);
  const mlir::Location at = by->getLoc();
  const Value mask = arith::ConstantOp::create(inside, at,
                                               builder.getIntegerAttr(with.getType(), sign)),
              term = arith::XOrIOp::create(inside, at, with, mask),
              so_far = one.getBlock()->getArguments().back();
  const Value made = mlir::isa<arith::MaxUIOp>(by)
                         ? arith::MaxSIOp::create(inside, at, so_far, term).getResult()
                         : arith::MinSIOp::create(inside, at, so_far, term).getResult();
  by->replaceAllUsesWith(mlir::ValueRange(made));
  by->erase();
  builder.setInsertionPointAfter(one);
  Value result = one->getResult(0);
  const Value back = moved(result);
  Operation* fill = back.getDefiningOp()->getOperand(1).getDefiningOp();
  result.replaceUsesWithIf(back, [&](mlir::OpOperand& use) {
    return use.getOwner() != back.getDefiningOp() && use.getOwner() != fill;
  });
}

}  // namespace

void use_plain_integers(mlir::func::FuncOp function) {
  std::vector<linalg::LinalgOp> all;
  function.walk([&](linalg::LinalgOp one) { all.push_back(one); });
  for (const linalg::LinalgOp one : all)
    if (!widen_bits(one)) compare_signed(one);
}

}  // namespace heddle::compiler
