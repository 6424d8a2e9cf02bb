#include "compiler/elements/read_order.h"

#include <optional>
#include <vector>

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace heddle::compiler {
namespace {

using mlir::Operation;
using mlir::Value;
namespace tensor = mlir::tensor;

// For each dimension of the result: by how much an index grows if the coordinate along this
// dimension grows by 1. Null if that is not a constant.
using Steps = std::optional<std::vector<std::int64_t>>;

llvm::ArrayRef<std::int64_t> sizes_of_type(mlir::Type type) {
  return mlir::cast<mlir::RankedTensorType>(type).getShape();
}

class Reads {
 public:
  explicit Reads(llvm::ArrayRef<std::int64_t> shape)
      : shape_(shape), bytes_(shape.size()), none_(shape.size()) {}

  // Goes from `value` back to the arguments that are read to compute it. For each dimension of
  // `value`, `places` says how its index depends on the coordinates of the result.
  void follow(Value value, const std::vector<Steps>& places) {
    if (!seen_.insert(value).second) return;
    if (mlir::isa<mlir::BlockArgument>(value)) return count(value, places);
    Operation* made = value.getDefiningOp();
    if (auto linalg = mlir::dyn_cast<mlir::linalg::LinalgOp>(made)) return follow(linalg, places);
    if (auto slice = mlir::dyn_cast<tensor::ExtractSliceOp>(made)) {
      std::vector<Steps> at;
      std::size_t next = 0;
      for (unsigned dim = 0; dim < slice.getMixedStrides().size(); ++dim) {
        const bool is_dropped = slice.getDroppedDims()[dim];
        const auto stride = mlir::getConstantIntValue(slice.getMixedStrides()[dim]);
        at.push_back(is_dropped ? Steps(none_) : times(places[next++], stride.value_or(2)));
      }
      return follow(slice.getSource(), at);
    }
    if (auto expand = mlir::dyn_cast<tensor::ExpandShapeOp>(made)) {
      std::vector<Steps> at;
      for (const auto& group : expand.getReassociationIndices()) {
        Steps all = none_;
        for (const std::int64_t dim : group)
          all = sum(times(all, sizes_of_type(expand.getType())[static_cast<std::size_t>(dim)]),
                    places[static_cast<std::size_t>(dim)]);
        at.push_back(all);
      }
      return follow(expand.getSrc(), at);
    }
    if (auto collapse = mlir::dyn_cast<tensor::CollapseShapeOp>(made)) {
      std::vector<Steps> at;
      for (auto [number, group] : llvm::enumerate(collapse.getReassociationIndices()))
        for (std::size_t i = 0; i < group.size(); ++i)
          at.push_back(group.size() == 1 ? places[number] : Steps());
      return follow(collapse.getSrc(), at);
    }
    for (const Value operand : made->getOperands()) {
      const auto type = mlir::dyn_cast<mlir::RankedTensorType>(operand.getType());
      if (type && type.getRank() == static_cast<std::int64_t>(places.size()))
        follow(operand, places);
    }
  }

  // How many bytes are read such that they are contiguous in memory along dimension `dim` of the
  // result.
  std::int64_t bytes(std::size_t dim) const { return bytes_[dim]; }

 private:
  void follow(mlir::linalg::LinalgOp linalg, const std::vector<Steps>& places) {
    if (linalg.getNumReductionLoops() != 0 || linalg.getNumDpsInits() != 1) return;
    std::vector<Steps> loops(linalg.getNumLoops(), none_);
    const auto written = linalg.getMatchingIndexingMap(linalg.getDpsInitOperand(0));
    for (unsigned dim = 0; dim < written.getNumResults(); ++dim)
      if (const auto loop = mlir::dyn_cast<mlir::AffineDimExpr>(written.getResult(dim)))
        loops[loop.getPosition()] = places[dim];
    linalg.getBlock()->walk([&](tensor::ExtractOp extract) { count(extract, loops); });
    for (mlir::OpOperand* input : linalg.getDpsInputOperands()) {
      if (!mlir::isa<mlir::RankedTensorType>(input->get().getType())) continue;
      std::vector<Steps> at;
      for (const auto expression : linalg.getMatchingIndexingMap(input).getResults()) {
        const auto loop = mlir::dyn_cast<mlir::AffineDimExpr>(expression);
        at.push_back(loop ? loops[loop.getPosition()] : Steps());
      }
      follow(input->get(), at);
    }
  }

  static Steps times(const Steps& steps, std::int64_t factor) {
    if (!steps) return steps;
    std::vector<std::int64_t> all = *steps;
    for (std::int64_t& one : all)
      if (__builtin_mul_overflow(one, factor, &one)) return std::nullopt;
    return all;
  }
  static Steps sum(const Steps& x, const Steps& y) {
    if (!x || !y) return std::nullopt;
    std::vector<std::int64_t> all = *x;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (__builtin_add_overflow(all[i], (*y)[i], &all[i])) return std::nullopt;
    return all;
  }

  void count(Value argument, const std::vector<Steps>& places) {
    const auto type = mlir::dyn_cast<mlir::RankedTensorType>(argument.getType());
    if (!type || !type.getElementType().isIntOrFloat()) return;
    Steps all = none_;
    for (std::size_t dim = 0; dim < places.size(); ++dim)
      all = sum(times(all, type.getShape()[dim]), places[dim]);
    if (!all) return;
    std::int64_t bytes = (type.getElementType().getIntOrFloatBitWidth() + 7) / 8;
    for (std::size_t dim = 0; dim < shape_.size(); ++dim)
      if ((*all)[dim] != 0) bytes *= shape_[dim];
    for (std::size_t dim = 0; dim < shape_.size(); ++dim)
      if ((*all)[dim] == 1) bytes_[dim] += bytes;
  }

  // Counts the bytes that a tensor.extract in a body reads, if the last of its indices is the index
  // of a loop.
  void count(tensor::ExtractOp extract, const std::vector<Steps>& loops) {
    if (extract.getIndices().empty()) return;
    auto index = extract.getIndices().back().getDefiningOp<mlir::linalg::IndexOp>();
    const mlir::Type type = extract.getType();
    if (!index || !loops[index.getDim()] || !type.isIntOrFloat()) return;
    std::int64_t bytes = (type.getIntOrFloatBitWidth() + 7) / 8;
    for (const std::int64_t size : shape_) bytes *= size;
    for (std::size_t dim = 0; dim < shape_.size(); ++dim)
      if ((*loops[index.getDim()])[dim] == 1) bytes_[dim] += bytes;
  }

  llvm::ArrayRef<std::int64_t> shape_;
  std::vector<std::int64_t> bytes_;
  const std::vector<std::int64_t> none_;
  llvm::DenseSet<Value> seen_;
};

}  // namespace

int read_dimension(mlir::func::FuncOp function) {
  const auto results = function.getBody().front().getTerminator()->getOperands();
  const auto shape = sizes_of_type(results[0].getType());
  if (llvm::any_of(results, [&](Value one) { return sizes_of_type(one.getType()) != shape; }))
    return -1;
  // Tiles are of known sizes.
  const auto is_dynamic = [](mlir::Type type) {
    const auto shaped = mlir::dyn_cast<mlir::ShapedType>(type);
    return shaped && !shaped.hasStaticShape();
  };
  const auto walked = function.walk([&](Operation* operation) {
    return llvm::any_of(operation->getOperandTypes(), is_dynamic) ||
                   llvm::any_of(operation->getResultTypes(), is_dynamic)
               ? mlir::WalkResult::interrupt()
               : mlir::WalkResult::advance();
  });
  if (walked.wasInterrupted()) return -1;
  Reads reads(shape);
  for (const Value result : results) {
    std::vector<Steps> places;
    for (std::size_t dim = 0; dim < shape.size(); ++dim) {
      std::vector<std::int64_t> own(shape.size());
      own[dim] = 1;
      places.emplace_back(std::move(own));
    }
    reads.follow(result, places);
  }
  int last = static_cast<int>(shape.size()) - 1;
  while (last > 0 && shape[static_cast<std::size_t>(last)] == 1) --last;
  // Shorter rows than this fill no line of memory.
  constexpr std::int64_t least = 8;
  if (last <= 0) return -1;
  int best = last;
  std::int64_t behind = 1;  // elements of the dimensions behind `dim`, which lie in memory as one
  for (int dim = last; dim-- > 0;) {
    behind *= shape[static_cast<std::size_t>(dim) + 1];
    if (behind >= least && shape[static_cast<std::size_t>(dim)] >= least &&
        reads.bytes(static_cast<std::size_t>(dim)) > reads.bytes(static_cast<std::size_t>(best)))
      best = dim;
  }
  return best == last ? -1 : best;
}

}  // namespace heddle::compiler
