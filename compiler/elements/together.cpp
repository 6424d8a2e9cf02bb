#include "compiler/elements/together.h"

#include <algorithm>
#include <numeric>

#include "compiler/plan/element_rows.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace heddle::compiler {
namespace {

namespace tensor = mlir::tensor;

// True if the code for an element of this operation has a branch or a loop. Adjacent elements of a
// thread could not share it: it would run once for each of them.
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
  std::int64_t largest = 1;  // bytes
  for (const mlir::Value result : results) {
    const auto type = mlir::cast<mlir::RankedTensorType>(result.getType());
    if (type.getShape() != shape) return 1;
    // Equal types may have different dynamic sizes.
    if (results.size() > 1 && !type.hasStaticShape()) return 1;
    const mlir::Type element = type.getElementType();
    const unsigned bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
    largest = std::max<std::int64_t>(largest, bits / 8);
  }
  if (shape.empty() || mlir::ShapedType::isDynamic(shape.back()) ||
      llvm::any_of(block, is_by_itself))
    return 1;
  // So the stores of a warp are contiguous in memory. Loads may be narrower than 16 bytes.
  return static_cast<int>(std::gcd(shape.back(), plan::ElementRows::access_bytes / largest));
}

}  // namespace heddle::compiler
