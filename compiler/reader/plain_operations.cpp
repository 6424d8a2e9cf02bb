#include "compiler/reader/plain_operations.h"

#include <optional>
#include <utility>
#include <vector>

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

namespace heddle::compiler {
namespace {

using mlir::Operation;
using mlir::RankedTensorType;
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

void replace(mlir::bufferization::AllocTensorOp allocated) {
  mlir::OpBuilder builder(allocated);
  if (const Value copied = allocated.getCopy()) return replace(allocated, copied);
  replace(allocated, mlir::tensor::EmptyOp::create(builder, allocated.getLoc(), allocated.getType(),
                                                   allocated.getDynamicSizes()));
}

void replace(mlir::tensor::SplatOp splat) {
  mlir::OpBuilder builder(splat);
  const Value empty =
      mlir::tensor::EmptyOp::create(builder, splat.getLoc(), splat.getType().getShape(),
                                    splat.getType().getElementType(), splat.getDynamicSizes());
  replace(
      splat,
      mlir::linalg::FillOp::create(builder, splat.getLoc(), splat.getInput(), empty).getResult(0));
}

// Rewrites the insertion of a scalar as the insertion of a slice of one element.
void replace(mlir::tensor::InsertOp insert) {
  mlir::OpBuilder builder(insert);
  const mlir::Location place = insert.getLoc();
  const auto type = RankedTensorType::get({}, insert.getScalar().getType());
  const Value empty = mlir::tensor::EmptyOp::create(builder, place, type, mlir::ValueRange());
  const Value part =
      mlir::linalg::FillOp::create(builder, place, insert.getScalar(), empty).getResult(0);
  const llvm::SmallVector<mlir::OpFoldResult> offsets =
      mlir::getAsOpFoldResult(insert.getIndices());
  const llvm::SmallVector<mlir::OpFoldResult> ones(offsets.size(), builder.getIndexAttr(1));
  replace(insert, mlir::tensor::InsertSliceOp::create(builder, place, part, insert.getDest(),
                                                      offsets, ones, ones));
}

// Rewrites a reduction whose result keeps the reduced dimension with size 1: as a reduction without
// this dimension, followed by a reshape that adds it.
void drop_kept_dimensions(mlir::linalg::GenericOp generic) {
  if (generic.getNumDpsInits() != 1 || generic.getNumReductionLoops() == 0 ||
      generic->getNumResults() != 1)
    return;
  mlir::OpOperand* init = generic.getDpsInitOperand(0);
  const auto type = mlir::cast<RankedTensorType>(init->get().getType());
  const mlir::AffineMap map = generic.getMatchingIndexingMap(init);
  llvm::SmallVector<mlir::AffineExpr> kept;
  llvm::SmallVector<std::int64_t> shape;
  for (const auto& [size, place] : llvm::zip_equal(type.getShape(), map.getResults())) {
    const auto number = mlir::dyn_cast<mlir::AffineConstantExpr>(place);
    if (number && number.getValue() == 0 && size == 1) continue;
    kept.push_back(place);
    shape.push_back(size);
  }
  const auto narrow = RankedTensorType::get(shape, type.getElementType());
  const auto groups = mlir::getReassociationIndicesForReshape(type, narrow);
  if (kept.size() == map.getNumResults() || !groups || !type.hasStaticShape()) return;
  mlir::OpBuilder builder(generic);
  const mlir::Location place = generic.getLoc();
  const Value without =
      mlir::tensor::CollapseShapeOp::create(builder, place, narrow, init->get(), *groups);
  auto made = mlir::cast<mlir::linalg::GenericOp>(builder.clone(*generic));
  made.getDpsInitOperand(0)->set(without);
  made->getResult(0).setType(narrow);
  llvm::SmallVector<mlir::AffineMap> maps = generic.getIndexingMapsArray();
  maps.back() = mlir::AffineMap::get(map.getNumDims(), 0, kept, builder.getContext());
  made.setIndexingMapsAttr(builder.getAffineMapArrayAttr(maps));
  replace(generic,
          mlir::tensor::ExpandShapeOp::create(builder, place, type, made.getResult(0), *groups));
}

// `place` is the index of a dimension of the result, whose size is `size`; `lengths` are those of
// the loops. Returns the loops that `place` is composed of, the outermost first, if it takes each
// value from 0 to `size` - 1 exactly once; null otherwise. Example: if d1 runs from 0 to 3, d0 * 4
// + d1 is composed of the loops d0 and d1.
std::optional<llvm::SmallVector<unsigned>> counting_loops(mlir::AffineExpr place, std::int64_t size,
                                                          llvm::ArrayRef<std::int64_t> lengths) {
  llvm::SmallVector<std::pair<std::int64_t, unsigned>> terms;  // factor, loop
  llvm::SmallVector<mlir::AffineExpr> parts{place};
  while (!parts.empty()) {
    const mlir::AffineExpr part = parts.pop_back_val();
    const auto both = mlir::dyn_cast<mlir::AffineBinaryOpExpr>(part);
    if (both && both.getKind() == mlir::AffineExprKind::Add) {
      parts.append({both.getLHS(), both.getRHS()});
      continue;
    }
    const bool is_multiple = both && both.getKind() == mlir::AffineExprKind::Mul;
    const auto factor = is_multiple ? mlir::dyn_cast<mlir::AffineConstantExpr>(both.getRHS())
                                    : mlir::AffineConstantExpr();
    const auto loop = mlir::dyn_cast<mlir::AffineDimExpr>(is_multiple ? both.getLHS() : part);
    if (!loop || (is_multiple && !factor)) return std::nullopt;
    terms.push_back({factor ? factor.getValue() : 1, loop.getPosition()});
  }
  llvm::sort(terms);
  std::int64_t filled = 1;
  llvm::SmallVector<unsigned> loops;
  for (const auto& [factor, loop] : terms) {
    const std::int64_t length = lengths[loop];
    if (factor != filled || mlir::ShapedType::isDynamic(length) || length < 1 ||
        length > size / filled)
      return std::nullopt;
    filled *= length;
    loops.insert(loops.begin(), loop);
  }
  return filled == size ? std::optional(loops) : std::nullopt;
}

// Rewrites an elementwise operation whose result is indexed by sums of loop counters. It then
// writes a tensor that has a separate dimension for each loop, and a reshape turns this tensor into
// the result.
void expand_result(mlir::linalg::GenericOp generic) {
  if (!generic.hasPureTensorSemantics() || generic.getNumReductionLoops() != 0 ||
      generic.getNumDpsInits() != 1 || generic->getNumResults() != 1)
    return;
  mlir::OpOperand* init = generic.getDpsInitOperand(0);
  const auto type = mlir::dyn_cast<RankedTensorType>(init->get().getType());
  const mlir::AffineMap map = generic.getMatchingIndexingMap(init);
  if (!type || !type.hasStaticShape() || map.isProjectedPermutation()) return;
  const llvm::SmallVector<std::int64_t> lengths = generic.getStaticLoopRanges();
  mlir::OpBuilder builder(generic);
  llvm::SmallVector<mlir::AffineExpr> written;
  llvm::SmallVector<std::int64_t> shape;
  llvm::SmallVector<mlir::ReassociationIndices> groups;
  llvm::SmallDenseSet<unsigned> seen;
  for (const auto& [size, place] : llvm::zip_equal(type.getShape(), map.getResults())) {
    const auto loops = counting_loops(place, size, lengths);
    if (!loops) return;
    mlir::ReassociationIndices& group = groups.emplace_back();
    for (const unsigned loop : *loops) {
      if (!seen.insert(loop).second) return;
      group.push_back(static_cast<std::int64_t>(shape.size()));
      shape.push_back(lengths[loop]);
      written.push_back(builder.getAffineDimExpr(loop));
    }
  }
  const mlir::Location place = generic.getLoc();
  const auto expanded = RankedTensorType::get(shape, type.getElementType());
  const Value into =
      mlir::tensor::ExpandShapeOp::create(builder, place, expanded, init->get(), groups);
  auto made = mlir::cast<mlir::linalg::GenericOp>(builder.clone(*generic));
  made.getDpsInitOperand(0)->set(into);
  made->getResult(0).setType(expanded);
  llvm::SmallVector<mlir::AffineMap> maps = generic.getIndexingMapsArray();
  maps.back() = mlir::AffineMap::get(map.getNumDims(), 0, written, builder.getContext());
  made.setIndexingMapsAttr(builder.getAffineMapArrayAttr(maps));
  replace(generic,
          mlir::tensor::CollapseShapeOp::create(builder, place, type, made.getResult(0), groups));
}

void replace(mlir::ub::PoisonOp poison) {
  mlir::OpBuilder builder(poison);
  const mlir::Type type = poison.getType();
  if (const auto tensor = mlir::dyn_cast<RankedTensorType>(type)) {
    if (tensor.hasStaticShape())
      replace(poison,
              mlir::tensor::EmptyOp::create(builder, poison.getLoc(), type, mlir::ValueRange()));
  } else if (type.isIntOrIndexOrFloat()) {
    replace(poison, arith::ConstantOp::create(builder, poison.getLoc(), builder.getZeroAttr(type)));
  }
}

// Tensors are values, so a deallocation can be removed.
void replace(mlir::bufferization::DeallocTensorOp end) { end.erase(); }

template <class Replaced>
void replace_all(mlir::func::FuncOp function) {
  std::vector<Replaced> all;
  function.walk([&](Replaced one) { all.push_back(one); });
  for (Replaced one : all) replace(one);
}

}  // namespace

void drop_kept_dimensions(mlir::func::FuncOp function) {
  std::vector<mlir::linalg::GenericOp> all;
  function.walk([&](mlir::linalg::GenericOp one) {
    if (one.hasPureTensorSemantics()) all.push_back(one);
  });
  for (mlir::linalg::GenericOp one : all) {
    if (one.getNumReductionLoops() == 0)
      expand_result(one);
    else
      drop_kept_dimensions(one);
  }
}

void ignore_encodings(mlir::func::FuncOp function) {
  bool has_constants = false;
  std::vector<Value> all;
  const auto add = [&](Value value) {
    const auto type = mlir::dyn_cast<RankedTensorType>(value.getType());
    if (!type || !mlir::isa_and_present<mlir::IntegerAttr>(type.getEncoding())) return;
    has_constants = has_constants || value.getDefiningOp<arith::ConstantOp>();
    all.push_back(value);
  };
  for (const Value argument : function.getArguments()) add(argument);
  function.walk([&](Operation* operation) { llvm::for_each(operation->getResults(), add); });
  if (all.empty() || has_constants || !function.getBody().hasOneBlock()) return;
  for (Value value : all) {
    const auto type = mlir::cast<RankedTensorType>(value.getType());
    value.setType(RankedTensorType::get(type.getShape(), type.getElementType()));
  }
  mlir::Block& block = function.getBody().front();
  function.setFunctionType(mlir::FunctionType::get(function.getContext(), block.getArgumentTypes(),
                                                   block.getTerminator()->getOperandTypes()));
}

void return_tensors(mlir::func::FuncOp function) {
  if (!function.getBody().hasOneBlock()) return;
  Operation* end = function.getBody().front().getTerminator();
  function.getContext()->loadDialect<mlir::linalg::LinalgDialect, mlir::tensor::TensorDialect>();
  mlir::OpBuilder builder(end);
  for (mlir::OpOperand& operand : end->getOpOperands()) {
    const Value number = operand.get();
    if (const auto type = mlir::dyn_cast<RankedTensorType>(number.getType());
        type && mlir::isa<mlir::BlockArgument>(number) && type.hasStaticShape() &&
        !type.getEncoding()) {
      const Value empty =
          mlir::tensor::EmptyOp::create(builder, number.getLoc(), type, mlir::ValueRange());
      operand.set(
          mlir::linalg::CopyOp::create(builder, number.getLoc(), number, empty).getResult(0));
      continue;
    }
    if (!number.getType().isIntOrIndexOrFloat() || number.getDefiningOp() == nullptr) continue;
    auto extract = number.getDefiningOp<mlir::tensor::ExtractOp>();
    const mlir::Location place = number.getLoc();
    const auto type = RankedTensorType::get({}, number.getType());
    if (extract && extract.getTensor().getType() == type) {
      operand.set(extract.getTensor());
    } else if (extract) {
      const auto from = mlir::cast<RankedTensorType>(extract.getTensor().getType());
      llvm::SmallVector<mlir::OpFoldResult> offsets = mlir::getAsOpFoldResult(extract.getIndices()),
                                            ones(static_cast<std::size_t>(from.getRank()),
                                                 builder.getIndexAttr(1));
      operand.set(mlir::tensor::ExtractSliceOp::create(builder, place, type, extract.getTensor(),
                                                       offsets, ones, ones));
    } else {
      const Value empty = mlir::tensor::EmptyOp::create(builder, place, type, mlir::ValueRange());
      operand.set(mlir::linalg::FillOp::create(builder, place, number, empty).getResult(0));
    }
  }
  function.setFunctionType(
      builder.getFunctionType(function.getArgumentTypes(), end->getOperandTypes()));
}

void use_plain_operations(mlir::func::FuncOp function) {
  std::vector<mlir::linalg::LinalgOp> all;
  function.walk([&](mlir::linalg::LinalgOp linalg) { all.push_back(linalg); });
  for (mlir::linalg::LinalgOp linalg : all) spell_out(linalg);
  replace_all<mlir::bufferization::AllocTensorOp>(function);
  replace_all<mlir::bufferization::DeallocTensorOp>(function);
  replace_all<mlir::ub::PoisonOp>(function);
  function.getContext()->loadDialect<mlir::linalg::LinalgDialect>();  // the text may have none
  replace_all<mlir::tensor::SplatOp>(function);
  replace_all<mlir::tensor::InsertOp>(function);
}

}  // namespace heddle::compiler
