#include "compiler/reader/winograd.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace heddle::compiler {
namespace {

using mlir::Value;
using Kind = mlir::utils::IteratorType;

// The matrices G, B^T and A^T of Winograd's convolution F(m, r). Source: Lavin and Gray, "Fast
// Algorithms for Convolutional Neural Networks", for the points 0, ±1, ±2 and others, with the same
// factors as in MLIR. The elements of each row are divided by the row's `divisor`.
struct Row {
  int divisor;
  int elements[6];
};
struct Transform {
  std::int64_t m, r;
  Row filter[6], input[6], output[4];
  std::int64_t tile() const { return m + r - 1; }
};

constexpr Transform transforms[] = {
    {2,
     3,
     {{1, {-1, 0, 0}}, {2, {1, -1, 1}}, {2, {1, 1, 1}}, {1, {0, 0, 1}}},
     {{1, {-1, 0, 1, 0}}, {1, {0, -1, 1, 0}}, {1, {0, 1, 1, 0}}, {1, {0, -1, 0, 1}}},
     {{1, {1, 1, 1, 0}}, {1, {0, -1, 1, 1}}}},
    {4,
     3,
     {{1, {1, 0, 0}},
      {3, {-1, 1, -1}},
      {3, {-1, -1, -1}},
      {12, {1, -2, 4}},
      {12, {1, 2, 4}},
      {1, {0, 0, 1}}},
     {{16, {4, 0, -5, 0, 1, 0}},
      {16, {0, 4, -4, -1, 1, 0}},
      {16, {0, -4, -4, 1, 1, 0}},
      {8, {0, 2, -1, -2, 1, 0}},
      {8, {0, -2, -1, 2, 1, 0}},
      {16, {0, 4, 0, -5, 0, 1}}},
     {{1, {4, 8, 8, 4, 4, 0}},
      {1, {0, -8, 8, -8, 8, 0}},
      {1, {0, 8, 8, 16, 16, 0}},
      {1, {0, -8, 8, -32, 32, 16}}}},
    {2,
     5,
     {{1, {1, 0, 0, 0, 0}},
      {6, {1, -1, 1, -1, 1}},
      {6, {-1, -1, -1, -1, -1}},
      {60, {-16, 8, -4, 2, -1}},
      {60, {1, 2, 4, 8, 16}},
      {1, {0, 0, 0, 0, 1}}},
     {{16, {2, 3, -4, -3, 2, 0}},
      {16, {0, 2, 1, -5, 2, 0}},
      {16, {0, -2, -5, -1, 2, 0}},
      {8, {0, 2, -1, -2, 1, 0}},
      {8, {0, -1, -2, 1, 2, 0}},
      {16, {0, 2, 3, -4, -3, 2}}},
     {{1, {8, 16, 16, 32, 16, 0}}, {1, {0, -16, 16, -16, 32, 8}}}},
};

const Transform& transform_of(mlir::linalg::WinogradConv2DFmr fmr) {
  return transforms[static_cast<std::size_t>(fmr)];
}

// The matrix by which a transform multiplies a tile from the left, or from the right. If the tile
// has size 1 along the matrix's dimension, the matrix has no rows and stands for the number 1.
struct Matrix {
  std::span<const Row> rows;
  std::int64_t height = 1, width = 1;
  double at(std::int64_t row, std::int64_t column) const {
    if (rows.empty()) return 1;
    const Row& of = rows[static_cast<std::size_t>(row)];
    return static_cast<double>(of.elements[column]) / of.divisor;
  }
};
Matrix matrix(bool is_there, std::span<const Row> rows, std::int64_t height, std::int64_t width) {
  return is_there ? Matrix{rows, height, width} : Matrix{};
}

// A constant of four dimensions, whose element (i, j, a, b) is left(i, a) * right(j, b).
Value products(mlir::OpBuilder& builder, mlir::Location place, mlir::FloatType type,
               const Matrix& left, const Matrix& right) {
  std::vector<mlir::Attribute> values;
  for (std::int64_t i = 0; i < left.height; ++i)
    for (std::int64_t j = 0; j < right.height; ++j)
      for (std::int64_t a = 0; a < left.width; ++a)
        for (std::int64_t b = 0; b < right.width; ++b)
          values.push_back(builder.getFloatAttr(type, left.at(i, a) * right.at(j, b)));
  const auto shape =
      mlir::RankedTensorType::get({left.height, right.height, left.width, right.width}, type);
  return mlir::arith::ConstantOp::create(builder, place,
                                         mlir::DenseElementsAttr::get(shape, values));
}

// Makes a linalg operation with `loops` loops. Its result is `initial` plus the sum of `matrices`
// times `tiles` over the last two loops.
Value contraction(mlir::OpBuilder& builder, mlir::Location place, Value matrices, Value tiles,
                  Value initial, llvm::ArrayRef<mlir::AffineExpr> of_matrices,
                  llvm::ArrayRef<mlir::AffineExpr> of_tiles, unsigned loops) {
  llvm::SmallVector<mlir::AffineExpr> written;
  for (unsigned i = 0; i + 2 < loops; ++i) written.push_back(builder.getAffineDimExpr(i));
  llvm::SmallVector<Kind> kinds(loops - 2, Kind::parallel);
  kinds.append(2, Kind::reduction);
  const auto map = [&](llvm::ArrayRef<mlir::AffineExpr> results) {
    return mlir::AffineMap::get(loops, 0, results, builder.getContext());
  };
  const llvm::SmallVector<mlir::AffineMap> maps{map(of_matrices), map(of_tiles), map(written)};
  return mlir::linalg::GenericOp::create(
             builder, place, initial.getType(), mlir::ValueRange{matrices, tiles}, initial, maps,
             kinds,
             [](mlir::OpBuilder& inside, mlir::Location at, mlir::ValueRange read) {
               const Value product = mlir::arith::MulFOp::create(inside, at, read[0], read[1]);
               const Value sum = mlir::arith::AddFOp::create(inside, at, read[2], product);
               mlir::linalg::YieldOp::create(inside, at, sum);
             })
      .getResult(0);
}

Value zeros(mlir::OpBuilder& builder, mlir::Location place, mlir::RankedTensorType type) {
  const Value empty = mlir::tensor::EmptyOp::create(builder, place, type, mlir::ValueRange());
  const Value zero =
      mlir::arith::ConstantOp::create(builder, place, builder.getZeroAttr(type.getElementType()));
  return mlir::linalg::FillOp::create(builder, place, zero, empty).getResult(0);
}

// The types of the operands and of the result, if all sizes are known and the elements are floats.
struct Types {
  mlir::RankedTensorType read, written;
  mlir::FloatType element;
};
std::optional<Types> types_of(mlir::Operation& operation) {
  Types types{mlir::dyn_cast<mlir::RankedTensorType>(operation.getOperand(0).getType()),
              mlir::dyn_cast<mlir::RankedTensorType>(operation.getResult(0).getType()),
              {}};
  if (!types.read || !types.written || !types.read.hasStaticShape() ||
      !types.written.hasStaticShape() || operation.getOperand(1).getType() != types.written)
    return std::nullopt;
  types.element = mlir::dyn_cast<mlir::FloatType>(types.written.getElementType());
  return types.element && types.read.getElementType() == types.element ? std::optional(types)
                                                                       : std::nullopt;
}

Value replacement(mlir::OpBuilder& builder, mlir::linalg::WinogradFilterTransformOp op,
                  const Types& types) {
  const Transform& of = transform_of(op.getFmr());
  const Matrix left = matrix(types.read.getDimSize(1) != 1, of.filter, of.tile(), of.r),
               right = matrix(types.read.getDimSize(2) != 1, of.filter, of.tile(), of.r);
  const mlir::Location place = op.getLoc();
  mlir::AffineExpr h, w, c, f, y, x;
  mlir::bindDims(builder.getContext(), h, w, c, f, y, x);
  return contraction(builder, place, products(builder, place, types.element, left, right),
                     op.getFilter(), zeros(builder, place, types.written), {h, w, y, x},
                     {f, y, x, c}, 6);
}

Value replacement(mlir::OpBuilder& builder, mlir::linalg::WinogradInputTransformOp op,
                  const Types& types) {
  const Transform& of = transform_of(op.getFmr());
  const Matrix left = matrix(types.written.getDimSize(0) != 1, of.input, of.tile(), of.tile()),
               right = matrix(types.written.getDimSize(1) != 1, of.input, of.tile(), of.tile());
  const mlir::Location place = op.getLoc();
  mlir::AffineExpr h, w, p, q, n, c, y, x;
  mlir::bindDims(builder.getContext(), h, w, p, q, n, c, y, x);
  return contraction(
      builder, place, products(builder, place, types.element, left, right), op.getInput(),
      zeros(builder, place, types.written), {h, w, y, x},
      {n, left.height == 1 ? p + y : p * of.m + y, right.height == 1 ? q + x : q * of.m + x, c}, 8);
}

Value replacement(mlir::OpBuilder& builder, mlir::linalg::WinogradOutputTransformOp op,
                  const Types& types) {
  const Transform& of = transform_of(op.getFmr());
  const Matrix left = matrix(types.read.getDimSize(0) != 1, of.output, of.m, of.tile()),
               right = matrix(types.read.getDimSize(1) != 1, of.output, of.m, of.tile());
  const mlir::Location place = op.getLoc();
  // The result is an array of the transformed tiles, laid side by side.
  const llvm::SmallVector<std::int64_t> shape{types.read.getDimSize(4),
                                              types.read.getDimSize(2),
                                              left.height,
                                              types.read.getDimSize(3),
                                              right.height,
                                              types.read.getDimSize(5)};
  const auto is_filled = [&](unsigned dim, std::int64_t tiles, std::int64_t size) {
    const std::int64_t all = types.written.getDimSize(dim);
    return all % size == 0 && all / size == tiles;
  };
  if (!is_filled(1, shape[1], shape[2]) || !is_filled(2, shape[3], shape[4])) return nullptr;
  const llvm::SmallVector<mlir::ReassociationIndices> groups{{0}, {1, 2}, {3, 4}, {5}};
  const Value initial = mlir::tensor::ExpandShapeOp::create(
      builder, place, mlir::RankedTensorType::get(shape, types.element), op.getOutput(), groups);
  mlir::AffineExpr n, p, i, q, j, f, y, x;
  mlir::bindDims(builder.getContext(), n, p, i, q, j, f, y, x);
  const Value tiles =
      contraction(builder, place, products(builder, place, types.element, left, right),
                  op.getValue(), initial, {i, j, y, x}, {y, x, p, q, n, f}, 8);
  return mlir::tensor::CollapseShapeOp::create(builder, place, types.written, tiles, groups);
}

template <class Operations>
void replace_transforms(mlir::func::FuncOp function) {
  std::vector<Operations> all;
  function.walk([&](Operations one) { all.push_back(one); });
  for (Operations one : all) {
    mlir::OpBuilder builder(one);
    const auto types = types_of(*one);
    const Value by = types ? replacement(builder, one, *types) : Value();
    if (!by) continue;
    one->getResult(0).replaceAllUsesWith(by);
    one->erase();
  }
}

}  // namespace

void use_products_of_winograd(mlir::func::FuncOp function) {
  function.getContext()->loadDialect<mlir::arith::ArithDialect, mlir::tensor::TensorDialect>();
  replace_transforms<mlir::linalg::WinogradFilterTransformOp>(function);
  replace_transforms<mlir::linalg::WinogradInputTransformOp>(function);
  replace_transforms<mlir::linalg::WinogradOutputTransformOp>(function);
}

}  // namespace heddle::compiler
