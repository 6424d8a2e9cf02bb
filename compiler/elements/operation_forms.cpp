#include "compiler/elements/operation_forms.h"

#include "compiler/reader/element.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace heddle::compiler {
namespace {

namespace arith = mlir::arith;
namespace affine = mlir::affine;
namespace tensor = mlir::tensor;

// A quotient in an affine map is defined only for a positive divisor, and a divisor that is known
// only at launch may be 0 (MLIR, "Affine Expressions").
std::optional<UnsupportedForm> of_map(mlir::AffineMap map) {
  bool is_constant = true;
  map.walkExprs([&](mlir::AffineExpr expression) {
    const auto both = mlir::dyn_cast<mlir::AffineBinaryOpExpr>(expression);
    if (!both || both.getKind() == mlir::AffineExprKind::Add ||
        both.getKind() == mlir::AffineExprKind::Mul)
      return;
    const auto divisor = mlir::dyn_cast<mlir::AffineConstantExpr>(both.getRHS());
    is_constant = is_constant && divisor && divisor.getValue() > 0;
  });
  if (is_constant) return std::nullopt;
  return UnsupportedForm{" with a divisor that is no number above 0",
                         "constant divisors from 1, or arith's divisions"};
}

bool is_whole_bytes(mlir::Type type) {
  if (type.isIndex()) return true;
  const auto known = element_type(type);
  return known && type.isInteger() && type.getIntOrFloatBitWidth() >= 8;
}

}  // namespace

std::optional<UnsupportedForm> unsupported_form(mlir::Operation& operation) {
  using Form = std::optional<UnsupportedForm>;
  return llvm::TypeSwitch<mlir::Operation*, Form>(&operation)
      .Case<affine::AffineApplyOp, affine::AffineMinOp, affine::AffineMaxOp>(
          [](auto of) { return of_map(of.getMap()); })
      .Case([](arith::ConstantOp constant) -> Form {
        const auto elements = mlir::dyn_cast<mlir::ElementsAttr>(constant.getValue());
        mlir::Attribute value = constant.getValue();
        if (const auto dense = mlir::dyn_cast<mlir::DenseElementsAttr>(value);
            dense && dense.isSplat())
          value = dense.getSplatValue<mlir::Attribute>();
        // An expression has its constants as float64.
        const auto whole = mlir::dyn_cast<mlir::IntegerAttr>(value);
        if (whole && !whole.getType().isIndex() && whole.getValue().getSignificantBits() > 54)
          return UnsupportedForm{" of a whole number that float64 may not hold",
                                 "numbers of up to 53 bits and a sign"};
        if (!elements) return std::nullopt;
        if (!mlir::isa<mlir::DenseElementsAttr>(elements))
          return UnsupportedForm{" of a resource", "dense constants, or an argument"};
        if (!mlir::isa<mlir::func::FuncOp>(constant->getParentOp()))
          return UnsupportedForm{" of a tensor in a body", "tensors of constants outside of it"};
        return std::nullopt;
      })
      .Case<arith::IndexCastOp, arith::IndexCastUIOp>([](auto cast) -> Form {
        const auto is_known = [](mlir::Type type) {
          return type.isIndex() || element_type(type).has_value();
        };
        if (is_known(mlir::getElementTypeOrSelf(cast.getIn().getType())) &&
            is_known(mlir::getElementTypeOrSelf(cast.getOut().getType())))
          return std::nullopt;
        return UnsupportedForm{" of an integer of other bits",
                               "integers of 1, 4, 8, 16, 32 or 64 bits"};
      })
      .Case([](tensor::DimOp dim) -> Form {
        const std::optional<std::int64_t> index = dim.getConstantIndex();
        const auto type = mlir::dyn_cast<mlir::RankedTensorType>(dim.getSource().getType());
        if (index && type && *index >= 0 && *index < type.getRank()) return std::nullopt;
        return UnsupportedForm{" of a dimension that is not known to exist",
                               "a constant below the rank"};
      })
      .Case([](tensor::InsertSliceOp insert) -> Form {
        const auto is_stride = [](mlir::OpFoldResult of) {
          return mlir::getConstantIntValue(of).value_or(0) >= 1;
        };
        const auto is_size = [](mlir::OpFoldResult of) {
          return mlir::getConstantIntValue(of).value_or(1) >= 1;
        };
        if (llvm::all_of(insert.getMixedStrides(), is_stride) &&
            llvm::all_of(insert.getMixedSizes(), is_size))
          return std::nullopt;
        return UnsupportedForm{" with a size or a stride that is no number above 0",
                               "constant strides from 1, and sizes from 1"};
      })
      .Case([](tensor::GatherOp gather) -> Form {
        if (is_whole_bytes(gather.getIndicesType().getElementType())) return std::nullopt;
        return UnsupportedForm{" by indices of fewer than 8 bits",
                               "indices of index or of integers of 8 to 64 bits"};
      })
      .Default(Form{});
}

}  // namespace heddle::compiler
