#include "compiler/elements/together.h"

#include <algorithm>
#include <numeric>

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace heddle::compiler {
namespace {

namespace tensor = mlir::tensor;

constexpr std::int64_t access_bytes = 16;

// True if the code of an element has a branch or a loop, which neighbours would go one by one.
bool is_by_itself(mlir::Operation& operation) {
  if (auto linalg = mlir::dyn_cast<mlir::linalg::LinalgOp>(operation))
    return linalg.getNumReductionLoops() != 0;
  return mlir::isa<tensor::ConcatOp, tensor::InsertSliceOp, tensor::PadOp>(operation);
}

}  // namespace

int elements_together(mlir::func::FuncOp function) {
  mlir::Block& block = function.getBody().front();
  const auto results = block.getTerminator()->getOperands();
  const auto shape = mlir::cast<mlir::RankedTensorType>(results[0].getType()).getShape();
  std::int64_t count = 1, fewest = access_bytes;
  for (const std::int64_t size : shape) count *= size;
  // What is smaller than the result is read again and again, and so from a cache.
  const auto look = [&](mlir::Type type) {
    const auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
    if (!tensor || tensor.getNumElements() < count) return;
    const mlir::Type element = tensor.getElementType();
    const unsigned bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
    fewest = std::min<std::int64_t>(fewest, std::max(bits / 8, 1u));
  };
  for (const mlir::Value result : results) {
    const auto type = mlir::cast<mlir::RankedTensorType>(result.getType());
    if (type.getShape() != shape) return 1;
    look(type);
  }
  if (shape.empty() || llvm::any_of(block, is_by_itself)) return 1;
  for (const mlir::Type type : function.getArgumentTypes()) look(type);
  return static_cast<int>(std::gcd(shape.back(), access_bytes / fewest));
}

}  // namespace heddle::compiler
