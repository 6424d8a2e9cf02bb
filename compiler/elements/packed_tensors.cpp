#include "compiler/elements/packed_tensors.h"

#include <vector>

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace heddle::compiler {
namespace {

bool has_known_sizes(mlir::Operation* operation) {
  const auto is_known = [](mlir::Type type) {
    const auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
    return !tensor || tensor.hasStaticShape();
  };
  return llvm::all_of(operation->getOperandTypes(), is_known) &&
         llvm::all_of(operation->getResultTypes(), is_known);
}

}  // namespace

void unfold_packed_tensors(mlir::func::FuncOp function) {
  std::vector<mlir::linalg::PackOp> packs;
  std::vector<mlir::linalg::UnPackOp> unpacks;
  function.walk([&](mlir::Operation* operation) {
    if (!has_known_sizes(operation)) return;
    if (auto pack = mlir::dyn_cast<mlir::linalg::PackOp>(operation)) packs.push_back(pack);
    if (auto unpack = mlir::dyn_cast<mlir::linalg::UnPackOp>(operation)) unpacks.push_back(unpack);
  });
  mlir::IRRewriter rewriter(function.getContext());
  for (mlir::linalg::PackOp pack : packs) {
    rewriter.setInsertionPoint(pack);
    (void)mlir::linalg::lowerPack(rewriter, pack, /*lowerPadLikeWithInsertSlice=*/false);
  }
  for (mlir::linalg::UnPackOp unpack : unpacks) {
    rewriter.setInsertionPoint(unpack);
    (void)mlir::linalg::lowerUnPack(rewriter, unpack, /*lowerUnpadLikeWithExtractSlice=*/false);
  }
}

}  // namespace heddle::compiler
