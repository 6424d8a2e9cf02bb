#include "compiler/reader/loop_numbers.h"

#include <algorithm>

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace heddle::compiler {
namespace {

// No array reaches further than this.
constexpr std::int64_t furthest = std::int64_t{1} << 32;

bool is_near(const Index& index) {
  const auto near = [](std::int64_t number) { return -furthest <= number && number <= furthest; };
  return near(index.constant) &&
         std::ranges::all_of(index.terms, [&](const Index::Term& t) { return near(t.factor); });
}

std::optional<Index> sum(const std::optional<Index>& x, const std::optional<Index>& y,
                         std::int64_t factor = 1) {
  if (!x || !y) return std::nullopt;
  Index both = *x;
  both.add(*y, factor);
  return is_near(both) ? std::optional(both) : std::nullopt;
}

// The product of x and y, if at least one of them is a constant; null otherwise, as the product is
// then not linear.
std::optional<Index> product(const std::optional<Index>& x, const std::optional<Index>& y) {
  if (!x || !y || (!x->terms.empty() && !y->terms.empty())) return std::nullopt;
  return x->terms.empty() ? sum(Index{}, y, x->constant) : sum(Index{}, x, y->constant);
}

}  // namespace

std::optional<Index> linear(mlir::AffineExpr expression, unsigned dimensions,
                            const std::vector<Index>& places) {
  if (const auto loop = mlir::dyn_cast<mlir::AffineDimExpr>(expression))
    return places[loop.getPosition()];
  if (const auto symbol = mlir::dyn_cast<mlir::AffineSymbolExpr>(expression))
    return places[dimensions + symbol.getPosition()];
  if (const auto number = mlir::dyn_cast<mlir::AffineConstantExpr>(expression))
    return sum(Index{}, Index{number.getValue(), {}});
  const auto both = mlir::cast<mlir::AffineBinaryOpExpr>(expression);
  const auto x = linear(both.getLHS(), dimensions, places);
  const auto y = linear(both.getRHS(), dimensions, places);
  if (expression.getKind() == mlir::AffineExprKind::Add) return sum(x, y);
  if (expression.getKind() == mlir::AffineExprKind::Mul) return product(x, y);
  // Quotients and remainders of numbers.
  if (!x || !y || !x->terms.empty() || !y->terms.empty() || y->constant < 1) return std::nullopt;
  const std::int64_t rest = (x->constant % y->constant + y->constant) % y->constant;
  const std::int64_t floor = (x->constant - rest) / y->constant;
  if (expression.getKind() == mlir::AffineExprKind::Mod) return Index{rest, {}};
  const bool is_ceiling = expression.getKind() == mlir::AffineExprKind::CeilDiv && rest != 0;
  return Index{is_ceiling ? floor + 1 : floor, {}};
}

int LoopNumbers::open(std::int64_t count) {
  counts_.push_back(count);
  return first_counter + static_cast<int>(counts_.size()) - 1;
}

void LoopNumbers::read(mlir::Operation& operation) {
  if (operation.getNumResults() != 1 || !operation.getResult(0).getType().isIndex()) return;
  std::vector<Index> operands;
  for (const mlir::Value operand : operation.getOperands()) {
    const auto known = number(operand);
    if (!known) return;
    operands.push_back(*known);
  }
  const auto of_map = [&](mlir::AffineMap map) {
    std::vector<std::optional<Index>> results;
    for (const mlir::AffineExpr expression : map.getResults())
      results.push_back(linear(expression, map.getNumDims(), operands));
    return results;
  };
  std::optional<Index> result;
  if (auto apply = mlir::dyn_cast<mlir::affine::AffineApplyOp>(operation)) {
    result = of_map(apply.getAffineMap())[0];
  } else if (auto least = mlir::dyn_cast<mlir::affine::AffineMinOp>(operation)) {
    result = least_of(of_map(least.getAffineMap()));
  } else if (mlir::isa<mlir::arith::MinSIOp, mlir::arith::MinUIOp>(operation)) {
    result = least_of({operands[0], operands[1]});
  } else if (mlir::isa<mlir::arith::AddIOp>(operation)) {
    result = sum(operands[0], operands[1]);
  } else if (mlir::isa<mlir::arith::SubIOp>(operation)) {
    result = sum(operands[0], operands[1], -1);
  } else if (mlir::isa<mlir::arith::MulIOp>(operation)) {
    result = product(operands[0], operands[1]);
  }
  if (result) set(operation.getResult(0), *result);
}

std::optional<Index> LoopNumbers::number(mlir::OpFoldResult value) const {
  if (const auto known = mlir::getConstantIntValue(value)) return sum(Index{}, Index{*known, {}});
  const auto found = numbers_.find(mlir::dyn_cast<mlir::Value>(value).getAsOpaquePointer());
  return found == numbers_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::int64_t> LoopNumbers::constant(mlir::OpFoldResult value) const {
  const auto known = number(value);
  return known && known->terms.empty() ? std::optional(known->constant) : std::nullopt;
}

std::int64_t LoopNumbers::end(const Index& index, bool is_most) const {
  __int128 end = index.constant;
  for (const Index::Term& term : index.terms)
    if (term.coordinate >= first_counter && (term.factor > 0) == is_most)
      end += static_cast<__int128>(term.factor) * (count(term.coordinate) - 1);
  constexpr __int128 most = std::int64_t{1} << 62;
  return static_cast<std::int64_t>(std::clamp(end, -most, most));
}

// The element of `all` that is known to be no larger than every other, in all steps of the loops;
// null if there is none.
std::optional<Index> LoopNumbers::least_of(const std::vector<std::optional<Index>>& all) const {
  for (const auto& one : all)
    if (std::ranges::all_of(all, [&](const std::optional<Index>& other) {
          const auto above = sum(other, one, -1);
          return above && least(*above) >= 0;
        }))
      return one;
  return std::nullopt;
}

}  // namespace heddle::compiler
