#include "compiler/reader/size_polynomial.h"

#include <algorithm>

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace heddle::compiler {
namespace {

using mlir::Value;

// Limits, because a text can nest arithmetic to any depth and multiply sums. A value whose
// polynomial would exceed a limit becomes one atom, like an unknown size.
constexpr int deepest = 32;
constexpr std::size_t most_terms = 8, most_factors = 4;
constexpr std::int64_t largest = std::int64_t{1} << 31;

// The tensor from which `tensor` was made by an operation that keeps all sizes; null if there is
// none.
Value with_same_sizes(Value tensor) {
  if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(tensor)) {
    auto loop =
        mlir::dyn_cast_if_present<mlir::LoopLikeOpInterface>(argument.getOwner()->getParentOp());
    mlir::OpOperand* initial = loop ? loop.getTiedLoopInit(argument) : nullptr;
    return initial != nullptr ? initial->get() : nullptr;
  }
  const auto result = mlir::cast<mlir::OpResult>(tensor);
  if (auto loop = mlir::dyn_cast<mlir::LoopLikeOpInterface>(result.getOwner())) {
    mlir::OpOperand* initial = loop.getTiedLoopInit(result);
    return initial != nullptr ? initial->get() : nullptr;
  }
  if (auto cast = mlir::dyn_cast<mlir::tensor::CastOp>(result.getOwner())) return cast.getSource();
  if (auto writer = mlir::dyn_cast<mlir::DestinationStyleOpInterface>(result.getOwner()))
    return writer.getTiedOpOperand(result)->get();
  return nullptr;
}

}  // namespace

SizePolynomial SizePolynomials::constant(std::int64_t number) {
  SizePolynomial polynomial;
  if (number != 0) polynomial[{}] = number;
  return polynomial;
}

std::optional<std::int64_t> SizePolynomials::constant(const SizePolynomial& polynomial) {
  if (polynomial.empty()) return 0;
  if (polynomial.size() != 1 || !polynomial.begin()->first.empty()) return std::nullopt;
  return polynomial.begin()->second;
}

const SizeAtom* SizePolynomials::only_atom(const SizePolynomial& polynomial) const {
  if (polynomial.size() != 1) return nullptr;
  const auto& [factors, factor] = *polynomial.begin();
  if (factors.size() != 1 || factor != 1) return nullptr;
  return &atoms_[static_cast<std::size_t>(factors[0])];
}

SizePolynomial SizePolynomials::sum(const SizePolynomial& x, const SizePolynomial& y,
                                    std::int64_t factor) {
  SizePolynomial both = x;
  for (const auto& [factors, number] : y) {
    std::int64_t& of_both = both[factors];
    of_both += factor * number;
    if (of_both == 0) both.erase(factors);
  }
  return both;
}

SizePolynomial SizePolynomials::product(const SizePolynomial& x, const SizePolynomial& y) {
  SizePolynomial both;
  for (const auto& [of_x, x_number] : x)
    for (const auto& [of_y, y_number] : y) {
      std::vector<int> factors = of_x;
      factors.insert(factors.end(), of_y.begin(), of_y.end());
      std::ranges::sort(factors);
      both = sum(both, {{factors, x_number * y_number}});
    }
  return both;
}

SizePolynomial SizePolynomials::atom(const SizeAtom& atom) {
  auto known = std::ranges::find(atoms_, atom);
  if (known == atoms_.end()) known = atoms_.insert(atoms_.end(), atom);
  return {{{static_cast<int>(known - atoms_.begin())}, 1}};
}

// Returns `polynomial`, unless it has so many terms, or so large factors, that arithmetic on two
// such polynomials could overflow. Then returns a new atom that stands for `value`.
SizePolynomial SizePolynomials::bounded(SizePolynomial polynomial, Value value) {
  const bool is_small =
      polynomial.size() <= most_terms && std::ranges::all_of(polynomial, [](const auto& term) {
        return term.first.size() <= most_factors && term.second > -largest && term.second < largest;
      });
  return is_small ? std::move(polynomial) : atom({value, -1, {}, {}});
}

SizePolynomial SizePolynomials::of(mlir::OpFoldResult number) {
  const auto value = mlir::dyn_cast<Value>(number);
  if (const auto known = mlir::getConstantIntValue(number)) {
    if (*known > -largest && *known < largest) return constant(*known);
    if (!value) return atom({{}, -2, constant(*known / largest), constant(*known % largest)});
  }
  if (const auto known = known_.find(value); known != known_.end()) return known->second;
  SizePolynomial polynomial = atom({value, -1, {}, {}});
  if (value.getDefiningOp() != nullptr && depth_ < deepest) {
    ++depth_;
    auto known = of_operation(*value.getDefiningOp());
    --depth_;
    if (known) polynomial = bounded(*std::move(known), value);
  }
  known_[value] = polynomial;
  return polynomial;
}

std::optional<SizePolynomial> SizePolynomials::of_operation(mlir::Operation& operation) {
  if (auto dim = mlir::dyn_cast<mlir::tensor::DimOp>(operation)) {
    const auto number = dim.getConstantIndex();
    const auto type = mlir::dyn_cast<mlir::RankedTensorType>(dim.getSource().getType());
    if (!number || !type || *number < 0 || *number >= type.getRank()) return std::nullopt;
    return size(dim.getSource(), static_cast<int>(*number));
  }
  if (auto apply = mlir::dyn_cast<mlir::affine::AffineApplyOp>(operation)) {
    std::vector<SizePolynomial> operands;
    for (const Value operand : apply.getMapOperands()) operands.push_back(of(operand));
    return of_affine(apply.getAffineMap().getResult(0), apply.getAffineMap().getNumDims(),
                     operands);
  }
  const auto operand = [&](unsigned i) { return of(operation.getOperand(i)); };
  if (mlir::isa<mlir::arith::AddIOp>(operation)) return sum(operand(0), operand(1));
  if (mlir::isa<mlir::arith::SubIOp>(operation)) return sum(operand(0), operand(1), -1);
  if (mlir::isa<mlir::arith::MulIOp>(operation)) return product(operand(0), operand(1));
  if (mlir::isa<mlir::arith::CeilDivSIOp, mlir::arith::CeilDivUIOp>(operation))
    return atom({{}, -1, operand(0), operand(1)});
  return std::nullopt;
}

std::optional<SizePolynomial> SizePolynomials::of_affine(
    mlir::AffineExpr expression, unsigned dimensions, const std::vector<SizePolynomial>& operands) {
  if (const auto dim = mlir::dyn_cast<mlir::AffineDimExpr>(expression))
    return operands[dim.getPosition()];
  if (const auto symbol = mlir::dyn_cast<mlir::AffineSymbolExpr>(expression))
    return operands[dimensions + symbol.getPosition()];
  if (const auto number = mlir::dyn_cast<mlir::AffineConstantExpr>(expression)) {
    const std::int64_t value = number.getValue();
    return value > -largest && value < largest ? std::optional(constant(value)) : std::nullopt;
  }
  if (depth_ >= deepest) return std::nullopt;
  const auto both = mlir::cast<mlir::AffineBinaryOpExpr>(expression);
  ++depth_;
  const auto x = of_affine(both.getLHS(), dimensions, operands);
  const auto y = of_affine(both.getRHS(), dimensions, operands);
  --depth_;
  if (!x || !y) return std::nullopt;
  std::optional<SizePolynomial> result;
  if (expression.getKind() == mlir::AffineExprKind::Add) result = sum(*x, *y);
  if (expression.getKind() == mlir::AffineExprKind::Mul) result = product(*x, *y);
  if (expression.getKind() == mlir::AffineExprKind::CeilDiv) result = atom({{}, -1, *x, *y});
  const auto is_small = [](const auto& term) {
    return term.first.size() <= most_factors && term.second > -largest && term.second < largest;
  };
  if (!result || result->size() > most_terms || !std::ranges::all_of(*result, is_small))
    return std::nullopt;
  return result;
}

SizePolynomial SizePolynomials::size(Value tensor, int dim) {
  for (int steps = 0; steps < deepest; ++steps) {
    const auto type = mlir::cast<mlir::RankedTensorType>(tensor.getType());
    const auto at = static_cast<unsigned>(dim);
    if (!type.isDynamicDim(at))
      return of(mlir::OpFoldResult(
          mlir::IntegerAttr::get(mlir::IndexType::get(tensor.getContext()), type.getDimSize(at))));
    if (auto empty = tensor.getDefiningOp<mlir::tensor::EmptyOp>())
      return of(empty.getMixedSizes()[at]);
    if (auto slice = tensor.getDefiningOp<mlir::tensor::ExtractSliceOp>();
        slice && slice.getDroppedDims().none())
      return of(slice.getMixedSizes()[at]);
    const Value same = with_same_sizes(tensor);
    if (!same || !mlir::isa<mlir::RankedTensorType>(same.getType())) break;
    tensor = same;
  }
  return atom({tensor, dim, {}, {}});
}

std::vector<SizePolynomial> SizePolynomials::minimum(Value value) {
  mlir::Operation* operation = value.getDefiningOp();
  std::vector<SizePolynomial> all;
  if (auto least = mlir::dyn_cast_if_present<mlir::affine::AffineMinOp>(operation)) {
    std::vector<SizePolynomial> operands;
    for (const Value operand : least.getOperands()) operands.push_back(of(operand));
    const mlir::AffineMap map = least.getAffineMap();
    for (const mlir::AffineExpr expression : map.getResults()) {
      const auto known = of_affine(expression, map.getNumDims(), operands);
      if (!known) return {};
      all.push_back(*known);
    }
  } else if (operation != nullptr &&
             mlir::isa<mlir::arith::MinSIOp, mlir::arith::MinUIOp>(operation)) {
    for (const Value operand : operation->getOperands()) all.push_back(of(operand));
  }
  return all;
}

}  // namespace heddle::compiler
