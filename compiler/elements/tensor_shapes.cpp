// The part of TensorWalk (tensor_walk.h) that finds the sizes of tensors.
#include "compiler/elements/tensor_walk.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

namespace heddle::compiler {
namespace {

using mlir::Operation;
using mlir::Value;
namespace tensor = mlir::tensor;

}  // namespace

// The sizes of an operation's result. Sizes that are dynamic in the result's type follow from the
// operands.
std::optional<Coordinates> TensorWalk::shape_of(Operation& operation) {
  const auto type = mlir::dyn_cast<mlir::RankedTensorType>(operation.getResult(0).getType());
  if (!type) return Coordinates();
  Coordinates shape(type.getShape().begin(), type.getShape().end());
  if (type.hasStaticShape()) return shape;
  std::vector<std::optional<std::int64_t>> dynamic;
  const auto read = [&](mlir::ValueRange sizes) {
    for (const Value size : sizes) dynamic.push_back(whole(mlir::OpFoldResult(size)));
  };
  const auto copy = [&](Value like) {
    const Coordinates& own = value(like).shape;
    for (std::size_t dim = 0; dim < own.size(); ++dim)
      if (type.isDynamicDim(static_cast<unsigned>(dim))) dynamic.emplace_back(own[dim]);
  };
  llvm::TypeSwitch<Operation*>(&operation)
      .Case<tensor::EmptyOp, tensor::SplatOp>([&](auto one) { read(one.getDynamicSizes()); })
      .Case([&](tensor::GenerateOp one) { read(one.getDynamicExtents()); })
      .Case([&](mlir::bufferization::AllocTensorOp one) {
        if (one.getCopy())
          copy(one.getCopy());
        else
          read(one.getDynamicSizes());
      })
      .Case([&](tensor::ExtractSliceOp one) {
        const auto dropped = one.getDroppedDims();
        for (unsigned dim = 0, next = 0; dim < dropped.size(); ++dim)
          if (!dropped[dim] && type.isDynamicDim(next++))
            dynamic.push_back(whole(one.getMixedSizes()[dim]));
      })
      .Case([&](tensor::PadOp one) {
        const Coordinates& own = value(one.getSource()).shape;
        for (unsigned dim = 0; dim < own.size(); ++dim) {
          if (!type.isDynamicDim(dim)) continue;
          const auto low = whole(one.getMixedLowPad()[dim]),
                     high = whole(one.getMixedHighPad()[dim]);
          if (low && high)
            dynamic.emplace_back(own[dim] + *low + *high);
          else
            dynamic.emplace_back();
        }
      })
      .Case([&](tensor::ConcatOp one) {
        Coordinates all = value(one.getInputs()[0]).shape;
        for (const Value input : one.getInputs().drop_front())
          all[one.getDim()] += value(input).shape[one.getDim()];
        for (unsigned dim = 0; dim < all.size(); ++dim)
          if (type.isDynamicDim(dim)) dynamic.emplace_back(all[dim]);
      })
      .Case([&](tensor::ExpandShapeOp one) { read(one.getOutputShape()); })
      .Case([&](tensor::CollapseShapeOp one) {
        for (auto [dim, group] : llvm::enumerate(one.getReassociationIndices())) {
          Coordinates all;
          for (const std::int64_t of : group)
            all.push_back(value(one.getSrc()).shape[static_cast<std::size_t>(of)]);
          if (type.isDynamicDim(static_cast<unsigned>(dim))) dynamic.emplace_back(count_of(all));
        }
      })
      .Case([&](tensor::GatherOp one) {
        const Coordinates& indices = value(one.getIndices()).shape;
        const Coordinates& source = value(one.getSource()).shape;
        Coordinates all(indices.begin(), indices.end() - 1);
        const bool keeps_all =
            type.getRank() == static_cast<std::int64_t>(all.size() + source.size());
        for (std::size_t dim = 0; dim < source.size(); ++dim) {
          const bool is_gathered =
              llvm::is_contained(one.getGatherDims(), static_cast<std::int64_t>(dim));
          if (!is_gathered || keeps_all) all.push_back(is_gathered ? 1 : source[dim]);
        }
        for (unsigned dim = 0; dim < all.size(); ++dim)
          if (type.isDynamicDim(dim)) dynamic.emplace_back(all[dim]);
      })
      .Case([&](tensor::InsertSliceOp one) { copy(one.getDest()); })
      .Default([&](Operation* one) {
        for (const Value operand : one->getOperands()) {
          const auto own = mlir::dyn_cast<mlir::RankedTensorType>(operand.getType());
          if (own && own.getRank() == type.getRank()) return copy(operand);
        }
      });
  std::size_t next = 0;
  for (std::int64_t& size : shape) {
    if (!mlir::ShapedType::isDynamic(size)) continue;
    if (next == dynamic.size() || !dynamic[next]) return std::nullopt;
    size = *dynamic[next++];
    if (size < 0) return std::nullopt;
  }
  return shape;
}

// How often each loop runs; null if operands disagree.
std::optional<Coordinates> TensorWalk::loops_of(mlir::linalg::LinalgOp operation) {
  Coordinates loops(operation.getNumLoops(), -1);
  for (mlir::OpOperand& operand : operation->getOpOperands()) {
    const Coordinates& shape = value(operand.get()).shape;
    if (shape.empty()) continue;
    for (auto [dim, expression] :
         llvm::enumerate(operation.getMatchingIndexingMap(&operand).getResults())) {
      const auto loop = mlir::dyn_cast<mlir::AffineDimExpr>(expression);
      if (!loop) continue;
      std::int64_t& size = loops[loop.getPosition()];
      if (size >= 0 && size != shape[dim]) {
        refuse("operands of different sizes");
        return std::nullopt;
      }
      size = shape[dim];
    }
  }
  return loops;
}

}  // namespace heddle::compiler
