#include "compiler/reader/element_marks.h"

#include <vector>

#include "compiler/reader/element.h"
#include "compiler/reader/reshape.h"
#include "compiler/reader/unused.h"
#include "compiler/reader/values.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace heddle::compiler {
namespace {

using mlir::Operation;
using mlir::Value;

constexpr llvm::StringLiteral own_kernel = "own_kernel", on_the_way = "on_the_way";

void mark(Operation& operation, llvm::StringRef name) {
  operation.setAttr(name, mlir::UnitAttr::get(operation.getContext()));
}

bool has_tensors(Operation& operation) {
  return operation.getNumResults() != 0 &&
         llvm::all_of(operation.getResultTypes(),
                      [](mlir::Type type) { return mlir::isa<mlir::RankedTensorType>(type); });
}

bool reduces(Operation& operation) {
  auto linalg = mlir::dyn_cast<mlir::linalg::LinalgOp>(operation);
  return linalg && linalg.getNumReductionLoops() != 0;
}

// True if the body of a linalg operation uses indices, or reads elements at computed indices, in a
// way that formulas cannot express.
bool computes_with_places(Operation& operation, Formulas formulas) {
  if (!mlir::isa<mlir::linalg::LinalgOp>(operation)) return false;
  const bool has_places = formulas == Formulas::with_places && !reduces(operation);
  // A value counts as inside if the body can use it without a step outside: values of the body,
  // constants, and integer arguments, which are in memory, where every kernel can read them.
  const auto is_inside = [&](Value value) {
    return operation.isAncestor(value.getParentRegion()->getParentOp()) ||
           mlir::matchPattern(value, mlir::m_Constant()) ||
           (mlir::isa<mlir::BlockArgument>(value) && value.getType().isIntOrIndex());
  };
  return operation
      .walk([&](Operation* inside) {
        if (inside == &operation) return mlir::WalkResult::advance();
        const auto is_place = [](mlir::Type type) { return type.isIndex(); };
        if (has_places && !mlir::isa<mlir::tensor::ExtractOp>(inside) &&
            llvm::all_of(inside->getOperands(), is_inside))
          return mlir::WalkResult::advance();
        const bool found = mlir::isa<mlir::linalg::IndexOp, mlir::tensor::ExtractOp>(inside) ||
                           llvm::any_of(inside->getOperandTypes(), is_place) ||
                           llvm::any_of(inside->getResultTypes(), is_place);
        return found ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

bool is_zero(Value tensor) {
  if (auto fill = tensor.getDefiningOp<mlir::linalg::FillOp>()) return is_zero(fill.getInputs()[0]);
  return mlir::matchPattern(tensor, mlir::m_AnyZeroFloat()) ||
         mlir::matchPattern(tensor, mlir::m_Zero());
}

bool is_dynamic_slice(mlir::OffsetSizeAndStrideOpInterface slice) {
  return llvm::any_of(slice.getMixedOffsets(),
                      [](mlir::OpFoldResult offset) { return !mlir::getConstantIntValue(offset); });
}

// True if the operation uses a scalar that was computed from a tensor.extract.
bool reads_an_element(Operation& operation) {
  if (!mlir::isa<mlir::linalg::LinalgOp>(operation)) return false;
  llvm::SetVector<Value> way = sources(operation);
  for (std::size_t i = 0; i < way.size(); ++i) {
    Operation* source = way[i].getDefiningOp();
    if (source == nullptr || !way[i].getType().isIntOrFloat()) continue;
    if (mlir::isa<mlir::tensor::ExtractOp>(source)) return true;
    way.insert_range(sources(*source));
  }
  return false;
}

// True for a linalg.unpack that drops the padding of its last tiles: its result is smaller than the
// tiles together. False if only linalg.pack reads the result.
bool leaves_padding(mlir::linalg::UnPackOp unpack) {
  const mlir::RankedTensorType type = unpack.getDestType();
  if (!type.hasStaticShape() || !unpack.getSourceType().hasStaticShape()) return false;
  const auto is_partial = [&](const auto& tiled) {
    return type.getDimSize(static_cast<unsigned>(std::get<0>(tiled))) % std::get<1>(tiled) != 0;
  };
  return llvm::any_of(llvm::zip_equal(unpack.getInnerDimsPos(), unpack.getStaticInnerTiles()),
                      is_partial) &&
         llvm::any_of(unpack->getUsers(),
                      [](Operation* user) { return !mlir::isa<mlir::linalg::PackOp>(user); });
}

// True if the operation combines several tensors into one, or extracts or inserts a slice at a
// computed offset. Also true for tensor.gather and generate, for padding with a computed value, and
// for linalg.unpack that drops padding.
bool puts_together(Operation& operation) {
  if (mlir::isa<mlir::tensor::ConcatOp, mlir::tensor::GatherOp, mlir::tensor::GenerateOp>(
          operation))
    return true;
  if (auto unpack = mlir::dyn_cast<mlir::linalg::UnPackOp>(operation))
    return leaves_padding(unpack);
  if (auto pad = mlir::dyn_cast<mlir::tensor::PadOp>(operation))
    return !pad.getConstantPaddingValue() && pad.getType().hasStaticShape();
  if (auto insert = mlir::dyn_cast<mlir::tensor::InsertSliceOp>(operation))
    return !is_zero(insert.getDest()) || is_dynamic_slice(insert);
  if (auto extract = mlir::dyn_cast<mlir::tensor::ExtractSliceOp>(operation))
    return is_dynamic_slice(extract) && extract.getType().hasStaticShape();
  return false;
}

bool has_division(mlir::AffineExpr expression) {
  bool found = false;
  expression.walk([&](mlir::AffineExpr part) {
    found = found || part.getKind() == mlir::AffineExprKind::FloorDiv ||
            part.getKind() == mlir::AffineExprKind::CeilDiv ||
            part.getKind() == mlir::AffineExprKind::Mod;
  });
  return found;
}

// True if an elementwise operation has an index with a division that products do not support. The
// only supported index of this kind is a loop counter divided by a constant, where the dimension's
// size times the constant is the length of the loop.
bool divides_partly(Operation& operation) {
  auto linalg = mlir::dyn_cast<mlir::linalg::LinalgOp>(operation);
  if (!linalg || reduces(operation)) return false;
  const llvm::SmallVector<std::int64_t> loops = linalg.getStaticLoopRanges();
  const auto is_partial = [&](std::int64_t size, mlir::AffineExpr index) {
    if (!has_division(index)) return false;
    const auto divided = mlir::cast<mlir::AffineBinaryOpExpr>(index);
    const auto loop = mlir::dyn_cast<mlir::AffineDimExpr>(divided.getLHS());
    const auto by = mlir::dyn_cast<mlir::AffineConstantExpr>(divided.getRHS());
    return divided.getKind() != mlir::AffineExprKind::FloorDiv || !loop || !by ||
           loops[loop.getPosition()] != by.getValue() * size;
  };
  return llvm::none_of(loops, mlir::ShapedType::isDynamic) &&
         llvm::any_of(linalg->getOpOperands(), [&](mlir::OpOperand& operand) {
           const auto type = mlir::dyn_cast<mlir::RankedTensorType>(operand.get().getType());
           const mlir::AffineMap map = linalg.getMatchingIndexingMap(&operand);
           return type &&
                  llvm::any_of(llvm::zip_equal(type.getShape(), map.getResults()),
                               [&](const auto& dim) { return std::apply(is_partial, dim); });
         });
}

// True if the inputs of an operation depend on no function argument, so that they are the same in
// every launch.
bool is_of_constants(mlir::linalg::LinalgOp linalg) {
  const llvm::SmallVector<Value> inputs = linalg.getDpsInputs();
  llvm::SetVector<Value> way(inputs.begin(), inputs.end());
  for (std::size_t i = 0; i < way.size(); ++i) {
    Operation* source = way[i].getDefiningOp();
    if (source == nullptr) return false;
    way.insert_range(sources(*source));
  }
  return true;
}

// True if the body of a reduction computes the sum, the maximum or the minimum of some term and
// the running result, and uses the running result for nothing else.
bool is_plain_sum(mlir::linalg::LinalgOp linalg) {
  mlir::Block* body = linalg.getBlock();
  Operation* end = body->getTerminator();
  if (linalg.getNumDpsInits() != 1 || end->getNumOperands() != 1) return false;
  const Value sum = body->getArgument(body->getNumArguments() - 1);
  Operation* last = end->getOperand(0).getDefiningOp();
  if (last == nullptr) return false;  // the last element alone
  namespace arith = mlir::arith;
  if (!mlir::isa<arith::AddFOp, arith::AddIOp, arith::MaximumFOp, arith::MinimumFOp,
                 arith::MaxNumFOp, arith::MinNumFOp, arith::MaxSIOp, arith::MinSIOp>(last))
    return false;
  const bool is_first = last->getOperand(0) == sum;
  if (!is_first && last->getOperand(1) != sum) return false;
  return sum.hasOneUse();
}

// A chain of elementwise operations in which each result is read only by the next operation, and
// the last one's only by a marked operation. The chain begins with `first` and does not include the
// marked operation. Empty if there is no such chain.
std::vector<Operation*> way_to_mark(Operation& first) {
  std::vector<Operation*> way{&first};
  while (way.back()->getNumResults() == 1 && way.back()->getResult(0).hasOneUse()) {
    Operation* user = *way.back()->getResult(0).user_begin();
    if (user->getBlock() != first.getBlock() || reduces(*user)) return {};
    if (has_element_kernel(*user)) return way;
    const bool is_elementwise = mlir::isa<mlir::linalg::LinalgOp>(user) ||
                                user->hasTrait<mlir::OpTrait::Elementwise>() || is_reshape(*user);
    if (!is_elementwise || user->hasTrait<mlir::OpTrait::IsTerminator>()) return {};
    way.push_back(user);
  }
  return {};
}

// The operations that have side effects, end the block, or compute an operand of another such
// operation.
llvm::DenseSet<Operation*> live_operations(mlir::Block& block) {
  llvm::DenseSet<Operation*> live;
  for (Operation& operation : llvm::reverse(block)) {
    if (mlir::isMemoryEffectFree(&operation) &&
        !operation.hasTrait<mlir::OpTrait::IsTerminator>() && !live.contains(&operation))
      continue;
    live.insert(&operation);
    operation.walk([&](Operation* inside) {
      for (const Value operand : inside->getOperands())
        if (Operation* source = operand.getDefiningOp()) live.insert(source);
    });
  }
  return live;
}

}  // namespace

bool has_element_kernel(Operation& operation) { return operation.hasAttr(own_kernel); }

bool is_read_on_the_way(Operation& operation) { return operation.hasAttr(on_the_way); }

void remove_marks(Operation* operation) {
  operation->removeAttr(own_kernel);
  operation->removeAttr(on_the_way);
}

void mark_element_kernels_at(mlir::func::FuncOp function, const std::vector<Place>& places) {
  for (const Place& place : places) {
    std::vector<Operation*> there;
    for (Operation& operation : function.getBody().front().without_terminator()) {
      const Place own = line_of(operation.getLoc());
      if (place.line == own.line && place.column == own.column && has_tensors(operation))
        there.push_back(&operation);
    }
    const auto is_reduction = [](Operation* operation) { return reduces(*operation); };
    const bool has_reduction = llvm::any_of(there, is_reduction);
    for (Operation* operation : there)
      if (!has_reduction || is_reduction(operation)) mark(*operation, own_kernel);
  }
}

void mark_row_function(mlir::func::FuncOp function) {
  for (Operation& operation : function.getBody().front())
    if (reduces(operation) && !has_element_kernel(operation)) mark(operation, on_the_way);
}

void mark_element_kernels(mlir::func::FuncOp function, Formulas formulas) {
  mlir::Block& block = function.getBody().front();
  bool has_sums = false;
  const llvm::DenseSet<Operation*> live = live_operations(block);
  for (Operation& operation : block.without_terminator()) {
    if (!live.contains(&operation)) continue;
    if (!has_tensors(operation)) {
      has_sums = has_sums || is_sum(operation);
      continue;
    }
    if (is_read_on_the_way(operation)) continue;
    auto linalg = mlir::dyn_cast<mlir::linalg::LinalgOp>(operation);
    if (computes_with_places(operation, formulas) || puts_together(operation) ||
        divides_partly(operation) || reads_an_element(operation) ||
        (linalg && reduces(operation) && linalg.getNumDpsInits() == 1 &&
         (!is_plain_sum(linalg) || is_of_constants(linalg))))
      mark(operation, own_kernel);
    has_sums = has_sums || is_sum(operation);
  }
  if (!has_sums) {  // what the function returns needs a kernel
    for (Value value : block.getTerminator()->getOperands()) {
      if (auto store = value.getDefiningOp<mlir::bufferization::MaterializeInDestinationOp>())
        value = store.getSource();
      if (Operation* made = value.getDefiningOp(); made != nullptr && has_tensors(*made))
        mark(*made, own_kernel);
    }
    return;
  }
  for (Operation& operation : llvm::reverse(block)) {
    if (!has_element_kernel(operation) || reduces(operation)) continue;
    const std::vector<Operation*> way = way_to_mark(operation);
    if (way.empty()) continue;
    operation.removeAttr(own_kernel);
    for (Operation* on : way) mark(*on, on_the_way);
  }
}

void give_element_kernel(mlir::Operation& operation) { mark(operation, own_kernel); }

void mark_coupled_results(mlir::func::FuncOp function) {
  for (Operation& operation : function.getBody().front().without_terminator()) {
    auto linalg = mlir::dyn_cast<mlir::linalg::LinalgOp>(operation);
    if (linalg && linalg.getNumDpsInits() > 1 && has_tensors(operation))
      mark(operation, own_kernel);
  }
}

}  // namespace heddle::compiler
