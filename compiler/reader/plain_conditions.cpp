#include "compiler/reader/plain_conditions.h"

#include <vector>

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace heddle::compiler {
namespace {

using mlir::Operation;
using mlir::Value;
namespace arith = mlir::arith;
namespace tensor = mlir::tensor;

bool is_division(Operation* operation) {
  return mlir::isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
                   arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp>(operation);
}

// True if a division by this number is defined for each dividend: -1 overflows.
bool is_safe_divisor(Value divisor) {
  llvm::APInt number;
  return mlir::matchPattern(divisor, mlir::m_ConstantInt(&number)) && !number.isZero() &&
         !number.isAllOnes();
}

bool has_guard(Value number) {
  const auto type = mlir::dyn_cast<mlir::RankedTensorType>(number.getType());
  return number.getType().isIntOrIndex() || (type && type.hasStaticShape());
}

// True if the operation does no harm in a branch that is not taken, once it is guarded.
bool can_be_computed(Operation* operation) {
  if (is_division(operation))
    return is_safe_divisor(operation->getOperand(1)) || has_guard(operation->getOperand(1));
  if (mlir::isa<tensor::GatherOp, tensor::ScatterOp, mlir::scf::WhileOp>(operation)) return false;
  if (auto slice = mlir::dyn_cast<mlir::OffsetSizeAndStrideOpInterface>(operation))
    return slice.getOffsets().empty() && slice.getStrides().empty() &&
           llvm::all_of(slice.getSizes(),
                        [](Value size) { return size.getDefiningOp<tensor::DimOp>() != nullptr; });
  return true;
}

bool can_be_computed(mlir::Block& branch) {
  for (Operation& operation : branch.without_terminator()) {
    if (mlir::isa<mlir::cf::AssertOp>(operation)) continue;
    if (!mlir::isMemoryEffectFree(&operation)) return false;
    const auto walked = operation.walk([](Operation* inside) {
      return can_be_computed(inside) ? mlir::WalkResult::advance() : mlir::WalkResult::interrupt();
    });
    if (walked.wasInterrupted()) return false;
  }
  return true;
}

class Conditions {
 public:
  explicit Conditions(mlir::scf::IfOp condition) : condition_(condition), builder_(condition) {}

  void replace() {
    if (!can_be_replaced()) return;
    guard(*condition_.thenBlock(), true);
    guard(*condition_.elseBlock(), false);
    mlir::scf::YieldOp ends[] = {condition_.thenYield(), condition_.elseYield()};
    for (mlir::Block* branch : {condition_.thenBlock(), condition_.elseBlock()})
      condition_->getBlock()->getOperations().splice(condition_->getIterator(),
                                                     branch->getOperations(), branch->begin(),
                                                     std::prev(branch->end()));
    builder_.setInsertionPoint(condition_);
    for (unsigned i = 0; i < condition_.getNumResults(); ++i)
      condition_.getResult(i).replaceAllUsesWith(
          chosen(ends[0].getOperand(i), ends[1].getOperand(i), condition_.getLoc()));
    condition_.erase();
  }

 private:
  bool can_be_replaced() {
    const auto is_value = [](mlir::Type type) {
      return type.isIntOrIndexOrFloat() || mlir::isa<mlir::RankedTensorType>(type);
    };
    return condition_.getNumResults() != 0 && llvm::all_of(condition_.getResultTypes(), is_value) &&
           can_be_computed(*condition_.thenBlock()) && can_be_computed(*condition_.elseBlock());
  }

  Value chosen(Value then, Value other, mlir::Location place) {
    if (then == other) return then;
    return arith::SelectOp::create(builder_, place, condition_.getCondition(), then, other);
  }

  // Gives divisions and places of a branch numbers that are defined where it is not taken. A
  // division by 0 would otherwise let LLVM conclude that the condition holds.
  void guard(mlir::Block& branch, bool is_then) {
    std::vector<Operation*> asserts;
    branch.walk([&](Operation* operation) {
      if (mlir::isa<mlir::cf::AssertOp>(operation)) asserts.push_back(operation);
      if (is_division(operation) && !is_safe_divisor(operation->getOperand(1)))
        guard(operation->getOpOperand(1), 1, is_then);
      if (mlir::isa<tensor::ExtractOp>(operation))
        for (mlir::OpOperand& place : operation->getOpOperands().drop_front())
          if (!mlir::matchPattern(place.get(), mlir::m_Constant())) guard(place, 0, is_then);
    });
    for (Operation* one : asserts) one->erase();  // it holds in its branch alone
  }

  void guard(mlir::OpOperand& number, std::int64_t harmless, bool is_then) {
    builder_.setInsertionPoint(number.getOwner());
    const mlir::Location place = number.getOwner()->getLoc();
    const mlir::Type type = number.get().getType();
    mlir::TypedAttr value = builder_.getIntegerAttr(mlir::getElementTypeOrSelf(type), harmless);
    if (const auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type))
      value = mlir::DenseElementsAttr::get(tensor, mlir::Attribute(value));
    const Value other = arith::ConstantOp::create(builder_, place, value);
    number.set(is_then ? chosen(number.get(), other, place) : chosen(other, number.get(), place));
  }

  mlir::scf::IfOp condition_;
  mlir::OpBuilder builder_;
};

}  // namespace

void select_for_conditions(mlir::func::FuncOp function) {
  std::vector<mlir::scf::IfOp> all;  // those inside of others first
  function.walk([&](mlir::scf::IfOp one) { all.push_back(one); });
  for (mlir::scf::IfOp one : all) Conditions(one).replace();
}

}  // namespace heddle::compiler
