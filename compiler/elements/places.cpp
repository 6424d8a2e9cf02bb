#include "compiler/elements/places.h"

#include <algorithm>

#include "compiler/reader/reshape.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace heddle::compiler {
namespace {

using mlir::Operation;
using mlir::Value;
namespace arith = mlir::arith;

// If `value` (a number, or a tensor of numbers) has elements of an argument of the function without
// changing them, returns this argument; otherwise null.
mlir::BlockArgument source_of(Value value, mlir::Block* function) {
  for (;;) {
    if (const auto argument = mlir::dyn_cast<mlir::BlockArgument>(value)) {
      if (argument.getOwner() == function) return argument;
      auto linalg = mlir::dyn_cast<mlir::linalg::LinalgOp>(argument.getOwner()->getParentOp());
      if (!linalg || argument.getArgNumber() >= linalg.getNumDpsInputs()) return {};
      value = linalg.getDpsInputs()[argument.getArgNumber()];
      continue;
    }
    Operation* made = value.getDefiningOp();
    if (mlir::isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp,
                  arith::TruncIOp, mlir::tensor::ExtractOp>(made) ||
        is_reshape(*made)) {
      value = made->getOperand(0);
      continue;
    }
    auto linalg = mlir::dyn_cast<mlir::linalg::LinalgOp>(made);
    if (!linalg || linalg.getNumDpsInits() != 1 || linalg.getNumReductionLoops() != 0) return {};
    value = linalg.getBlock()->getTerminator()->getOperand(0);
  }
}

// The size of a dimension. If it is known only at launch, 1, since every dimension has at least one
// element then.
std::int64_t known_size(mlir::ShapedType type, unsigned dim) {
  return type.isDynamicDim(dim) ? 1 : type.getDimSize(dim);
}

}  // namespace

bool is_of_places(Operation& operation) {
  const auto is_place = [](mlir::Type type) { return mlir::getElementTypeOrSelf(type).isIndex(); };
  return llvm::any_of(operation.getOperandTypes(), is_place) ||
         llvm::any_of(operation.getResultTypes(), is_place);
}

bool is_accepted_on_places(Operation& operation) {
  return mlir::isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::DivSIOp, arith::DivUIOp,
                   arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp, arith::RemSIOp,
                   arith::RemUIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::ShLIOp,
                   arith::ShRSIOp, arith::ShRUIOp, arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp,
                   arith::MinUIOp, arith::CmpIOp, arith::SelectOp, arith::IndexCastOp,
                   arith::IndexCastUIOp, mlir::affine::AffineApplyOp, mlir::affine::AffineMinOp,
                   mlir::affine::AffineMaxOp>(operation);
}

std::int64_t index_end(mlir::BlockArgument argument) {
  std::int64_t end = 0;
  mlir::Block* function = argument.getOwner();
  const auto limit = [&](mlir::OpFoldResult place, std::int64_t size) {
    const auto value = mlir::dyn_cast<Value>(place);
    if (value && source_of(value, function) == argument)
      end = end == 0 ? std::max<std::int64_t>(size, 1) : std::min(end, size);
  };
  const auto limit_slice = [&](mlir::OffsetSizeAndStrideOpInterface slice, mlir::Type whole) {
    const auto type = mlir::cast<mlir::ShapedType>(whole);
    for (unsigned dim = 0; dim < static_cast<unsigned>(type.getRank()); ++dim) {
      const auto size = mlir::getConstantIntValue(slice.getMixedSizes()[dim]);
      const auto step = mlir::getConstantIntValue(slice.getMixedStrides()[dim]);
      // If the slice's size or the whole's size is not known at compile time, only offset 0 is
      // safe.
      const bool is_known = size && step && !type.isDynamicDim(dim);
      limit(slice.getMixedOffsets()[dim],
            is_known ? type.getDimSize(dim) - (*size - 1) * *step : 1);
    }
  };
  function->getParentOp()->walk([&](Operation* operation) {
    if (auto extract = mlir::dyn_cast<mlir::tensor::ExtractOp>(operation)) {
      const auto type = extract.getTensor().getType();
      for (auto [dim, place] : llvm::enumerate(extract.getIndices()))
        limit(place, known_size(type, static_cast<unsigned>(dim)));
    } else if (auto slice = mlir::dyn_cast<mlir::tensor::ExtractSliceOp>(operation)) {
      limit_slice(slice, slice.getSourceType());
    } else if (auto insert = mlir::dyn_cast<mlir::tensor::InsertSliceOp>(operation)) {
      limit_slice(insert, insert.getDestType());
    } else if (auto gather = mlir::dyn_cast<mlir::tensor::GatherOp>(operation)) {
      for (const std::int64_t dim : gather.getGatherDims())
        limit(gather.getIndices(), known_size(gather.getSourceType(), static_cast<unsigned>(dim)));
    }
  });
  return end;
}

}  // namespace heddle::compiler
