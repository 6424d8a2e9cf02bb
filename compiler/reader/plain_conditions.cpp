#include "compiler/reader/plain_conditions.h"

#include <vector>

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
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

// True if a division by this constant is defined for every dividend. By 0 it is undefined, and by
// -1 it can overflow.
bool is_safe_divisor(Value divisor) {
  llvm::APInt number;
  return mlir::matchPattern(divisor, mlir::m_ConstantInt(&number)) && !number.isZero() &&
         !number.isAllOnes();
}

bool has_guard(Value number) {
  const auto type = mlir::dyn_cast<mlir::RankedTensorType>(number.getType());
  return number.getType().isIntOrIndex() || (type && type.hasStaticShape());
}

// The whole tensor or memref of which a slice is a part.
Value whole_of(mlir::OffsetSizeAndStrideOpInterface slice) {
  const bool is_insertion = mlir::isa<tensor::InsertSliceOp, tensor::ParallelInsertSliceOp>(slice);
  return slice->getOperand(is_insertion ? 1 : 0);
}

// True if a slice of known sizes has no element outside where its computed offsets are 0.
bool is_inside_at_zero(mlir::OffsetSizeAndStrideOpInterface slice) {
  const auto type = mlir::cast<mlir::ShapedType>(whole_of(slice).getType());
  if (!type.hasStaticShape() || !slice.getSizes().empty() || !slice.getStrides().empty())
    return false;
  for (const auto [whole, offset, size, step] :
       llvm::zip_equal(type.getShape(), slice.getStaticOffsets(), slice.getStaticSizes(),
                       slice.getStaticStrides())) {
    const std::int64_t first = mlir::ShapedType::isDynamic(offset) ? 0 : offset;
    if (static_cast<__int128>(size - 1) * step + first >= whole) return false;
  }
  return true;
}

// True if the operation does no harm in a branch that is not taken, once it is guarded.
bool can_be_computed(Operation* operation) {
  if (is_division(operation))
    return is_safe_divisor(operation->getOperand(1)) || has_guard(operation->getOperand(1));
  if (auto gather = mlir::dyn_cast<tensor::GatherOp>(operation))
    return has_guard(gather.getIndices());
  if (mlir::isa<tensor::ScatterOp, mlir::scf::WhileOp>(operation)) return false;
  if (auto slice = mlir::dyn_cast<mlir::OffsetSizeAndStrideOpInterface>(operation))
    return is_inside_at_zero(slice) || (slice.getOffsets().empty() && slice.getStrides().empty() &&
                                        llvm::all_of(slice.getSizes(), [](Value size) {
                                          return size.getDefiningOp<tensor::DimOp>() != nullptr;
                                        }));
  return true;
}

// True if the operation writes memory that a copy can stand for.
bool writes_memory(Operation& operation) {
  if (mlir::isa<mlir::memref::CopyOp>(operation)) return true;
  auto linalg = mlir::dyn_cast<mlir::linalg::LinalgOp>(operation);
  return linalg && linalg.hasPureBufferSemantics();
}

bool can_be_computed(mlir::Block& branch) {
  for (Operation& operation : branch.without_terminator()) {
    if (mlir::isa<mlir::cf::AssertOp>(operation)) continue;
    if (!mlir::isMemoryEffectFree(&operation) && !writes_memory(operation)) return false;
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
    llvm::SmallVector<Value> values[2];
    for (const bool is_then : {true, false}) {
      mlir::Block* branch = is_then ? condition_.thenBlock() : condition_.elseBlock();
      if (branch == nullptr) continue;  // it has no values
      guard(*branch, is_then);
      for (Operation& operation : llvm::make_early_inc_range(branch->without_terminator()))
        if (writes_memory(operation)) write_where_taken(operation, is_then);
      llvm::append_range(values[is_then ? 0 : 1], branch->getTerminator()->getOperands());
      condition_->getBlock()->getOperations().splice(condition_->getIterator(),
                                                     branch->getOperations(), branch->begin(),
                                                     std::prev(branch->end()));
    }
    builder_.setInsertionPoint(condition_);
    for (unsigned i = 0; i < condition_.getNumResults(); ++i)
      condition_.getResult(i).replaceAllUsesWith(
          chosen(values[0][i], values[1][i], condition_.getLoc()));
    condition_.erase();
  }

 private:
  bool can_be_replaced() {
    const auto is_value = [](mlir::Type type) {
      return type.isIntOrIndexOrFloat() || mlir::isa<mlir::RankedTensorType>(type);
    };
    return llvm::all_of(condition_.getResultTypes(), is_value) &&
           can_be_computed(*condition_.thenBlock()) &&
           (condition_.elseBlock() == nullptr || can_be_computed(*condition_.elseBlock()));
  }

  // Lets the operation write copies of what it writes, and then writes those elements, or the old
  // ones where the branch is not taken.
  void write_where_taken(Operation& operation, bool is_then) {
    const mlir::Location place = operation.getLoc();
    llvm::SmallVector<mlir::OpOperand*> written;
    if (auto linalg = mlir::dyn_cast<mlir::linalg::LinalgOp>(operation))
      for (mlir::OpOperand& operand : linalg.getDpsInitsMutable()) written.push_back(&operand);
    else
      written.push_back(&operation.getOpOperand(1));  // of memref.copy
    for (mlir::OpOperand* operand : written) {
      const Value memory = operand->get();
      const auto type = mlir::cast<mlir::MemRefType>(memory.getType());
      builder_.setInsertionPoint(&operation);
      llvm::SmallVector<Value> sizes;
      for (unsigned i = 0; i < type.getRank(); ++i)
        if (type.isDynamicDim(i))
          sizes.push_back(mlir::memref::DimOp::create(builder_, place, memory, i));
      const Value copy = mlir::memref::AllocOp::create(
          builder_, place, mlir::MemRefType::get(type.getShape(), type.getElementType()), sizes);
      mlir::linalg::CopyOp::create(builder_, place, memory, copy);
      operand->set(copy);
      builder_.setInsertionPointAfter(&operation);
      const auto rank = static_cast<unsigned>(type.getRank());
      const llvm::SmallVector<mlir::AffineMap> maps(2, builder_.getMultiDimIdentityMap(rank));
      const llvm::SmallVector<mlir::utils::IteratorType> loops(rank,
                                                               mlir::utils::IteratorType::parallel);
      mlir::linalg::GenericOp::create(
          builder_, place, copy, memory, maps, loops,
          [&](mlir::OpBuilder& body, mlir::Location at, mlir::ValueRange read) {
            const Value made = arith::SelectOp::create(
                body, at, condition_.getCondition(), read[is_then ? 0 : 1], read[is_then ? 1 : 0]);
            mlir::linalg::YieldOp::create(body, at, made);
          });
    }
  }

  Value chosen(Value then, Value other, mlir::Location place) {
    if (then == other) return then;
    return arith::SelectOp::create(builder_, place, condition_.getCondition(), then, other);
  }

  // Guards the divisors and indices in a branch: when the branch is not taken, they become 1 and 0,
  // for which the operations are defined. Without this, LLVM could conclude from a division by 0,
  // which is undefined, that the branch is always taken.
  void guard(mlir::Block& branch, bool is_then) {
    std::vector<Operation*> asserts;
    branch.walk([&](Operation* operation) {
      if (mlir::isa<mlir::cf::AssertOp>(operation)) asserts.push_back(operation);
      if (is_division(operation) && !is_safe_divisor(operation->getOperand(1)))
        guard(operation->getOpOperand(1), 1, is_then);
      llvm::SmallVector<mlir::OpOperand*> places;
      if (mlir::isa<tensor::ExtractOp>(operation))
        for (mlir::OpOperand& place : operation->getOpOperands().drop_front())
          places.push_back(&place);
      if (auto gather = mlir::dyn_cast<tensor::GatherOp>(operation))
        places.push_back(&gather.getIndicesMutable());
      if (auto slice = mlir::dyn_cast<mlir::OffsetSizeAndStrideOpInterface>(operation))
        for (unsigned i = 0; i < slice.getOffsets().size(); ++i)
          places.push_back(
              &operation->getOpOperand(slice.getOffsetSizeAndStrideStartOperandIndex() + i));
      for (mlir::OpOperand* place : places)
        if (!mlir::matchPattern(place->get(), mlir::m_Constant())) guard(*place, 0, is_then);
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
