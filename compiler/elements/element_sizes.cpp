#include "compiler/elements/element_sizes.h"

#include <numeric>

#include "library/text/formatted.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace heddle::compiler {
namespace {

using mlir::Operation;
using mlir::Value;
namespace arith = mlir::arith;
namespace tensor = mlir::tensor;

// Sizes and factors are limited to this, so that the product of two of them fits into 64 bits.
constexpr std::int64_t most_size = std::int64_t{1} << 31;

SizeSum constant_sum(std::int64_t constant) { return {constant, {}}; }

SizeSum scaled(SizeSum sum, std::int64_t factor) {
  sum.constant *= factor;
  for (SizeSum::Term& term : sum.terms) term.factor *= factor;
  return sum;
}

SizeSum operator+(SizeSum x, const SizeSum& y) {
  x.constant += y.constant;
  x.terms.insert(x.terms.end(), y.terms.begin(), y.terms.end());
  return x;
}

bool is_small(const SizeSum& sum) {
  const auto fits = [](std::int64_t x) { return x > -most_size && x < most_size; };
  return fits(sum.constant) &&
         llvm::all_of(sum.terms, [&](const SizeSum::Term& term) { return fits(term.factor); });
}

// The value of an affine expression whose operands are sums of sizes, as a sum of sizes. Null if
// the expression has a quotient, or a product of two sizes.
std::optional<SizeSum> linear(mlir::AffineExpr expression, const std::vector<SizeSum>& operands) {
  if (const auto constant = mlir::dyn_cast<mlir::AffineConstantExpr>(expression))
    return constant_sum(constant.getValue());
  if (const auto dim = mlir::dyn_cast<mlir::AffineDimExpr>(expression))
    return operands[dim.getPosition()];
  const auto both = mlir::dyn_cast<mlir::AffineBinaryOpExpr>(expression);
  if (!both) return std::nullopt;
  const auto x = linear(both.getLHS(), operands);
  if (!x) return std::nullopt;
  if (both.getKind() == mlir::AffineExprKind::Mul) {
    const auto factor = mlir::dyn_cast<mlir::AffineConstantExpr>(both.getRHS());
    if (!factor || std::abs(factor.getValue()) >= most_size) return std::nullopt;
    return scaled(*x, factor.getValue());
  }
  const auto y = linear(both.getRHS(), operands);
  if (both.getKind() != mlir::AffineExprKind::Add || !y) return std::nullopt;
  return *x + *y;
}

mlir::RankedTensorType ranked_type(Value value) {
  return mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
}

}  // namespace

ElementSizes::ElementSizes(mlir::func::FuncOp function) : known_{ElementSize{}} {
  for (Operation& operation : function.getBody().front()) read(operation);
}

ElementSize ElementSizes::unknown() {
  known_.push_back({1, static_cast<int>(known_.size())});
  return known_.back();
}

ElementSize ElementSizes::resolved(ElementSize size) const {
  while (known_[static_cast<std::size_t>(size.number)].number != size.number) {
    const ElementSize& is = known_[static_cast<std::size_t>(size.number)];
    size = {std::min(size.times * is.times, most_size), is.number};
  }
  return size;
}

SizeSum ElementSizes::resolved(const SizeSum& sum) const {
  SizeSum all = constant_sum(sum.constant);
  for (const SizeSum::Term& term : sum.terms) {
    const ElementSize size = resolved(term.size);
    const std::int64_t factor = term.factor * size.times;
    if (size.is_known()) {
      all.constant += factor;
      continue;
    }
    const auto known = llvm::find_if(
        all.terms, [&](const SizeSum::Term& one) { return one.size.number == size.number; });
    if (known != all.terms.end())
      known->factor += factor;
    else
      all.terms.push_back({factor, {1, size.number}});
  }
  llvm::erase_if(all.terms, [](const SizeSum::Term& term) { return term.factor == 0; });
  return all;
}

void ElementSizes::make_equal(mlir::Location where, ElementSize x, ElementSize y) {
  x = resolved(x);
  y = resolved(y);
  const auto differ = [&](const std::string& what) {
    if (!conflict_) conflict_ = {where, what};
  };
  if (x.number == y.number) {
    if (x.times != y.times)
      differ(x.is_known() ? formatted("sizes of {} and {}", x.times, y.times)
                          : formatted("{} and {} times one size", x.times, y.times));
    return;
  }
  if (x.is_known()) std::swap(x, y);
  if (y.is_known() && y.times % x.times != 0)
    return differ(formatted("a size of {} and a multiple of {}", y.times, x.times));
  const std::int64_t common = std::lcm(x.times, y.times);
  if (common >= most_size) return differ(formatted("multiples of {} and of {}", x.times, y.times));
  // Here x.times * (number x) = y.times * (number y), both unknown. If neither of x.times and
  // y.times divides the other, both numbers become multiples of a new unknown number.
  if (common == y.times) {
    known_[static_cast<std::size_t>(x.number)] = {y.times / x.times, y.number};
  } else if (common == x.times) {
    known_[static_cast<std::size_t>(y.number)] = {x.times / y.times, x.number};
  } else {
    const ElementSize both = unknown();
    known_[static_cast<std::size_t>(x.number)] = {common / x.times, both.number};
    known_[static_cast<std::size_t>(y.number)] = {common / y.times, both.number};
  }
}

void ElementSizes::bound(ElementSize size, SizeSum least) {
  limits_.push_back({size, {std::move(least), true}});
}

ElementSize ElementSizes::of(Value value, unsigned dim) {
  const auto type = mlir::cast<mlir::RankedTensorType>(value.getType());
  if (!type.isDynamicDim(dim)) return {std::min(type.getDimSize(dim), most_size), 0};
  const std::pair key{value.getAsOpaquePointer(), static_cast<int>(dim)};
  if (const auto known = sizes_.find(key); known != sizes_.end()) return resolved(known->second);
  const ElementSize size = computed(value, dim);
  sizes_[key] = size;
  return resolved(size);
}

std::optional<ElementSize> ElementSizes::of_argument(mlir::BlockArgument argument) const {
  const auto known = sizes_.find({mlir::Value(argument).getAsOpaquePointer(), -1});
  if (known == sizes_.end()) return std::nullopt;
  return resolved(known->second);
}

// The size of a dynamic dimension of an operation's result.
ElementSize ElementSizes::computed(Value value, unsigned dim) {
  Operation* made = value.getDefiningOp();
  if (made == nullptr) return unknown();
  const auto dynamic = [&](mlir::ValueRange sizes) {
    return of_index(sizes[ranked_type(value).getDynamicDimIndex(dim)]);
  };
  return llvm::TypeSwitch<Operation*, ElementSize>(made)
      .Case([&](mlir::linalg::LinalgOp linalg) {
        return of(linalg.getDpsInits()[mlir::cast<mlir::OpResult>(value).getResultNumber()], dim);
      })
      .Case<tensor::EmptyOp, tensor::SplatOp>(
          [&](auto one) { return dynamic(one.getDynamicSizes()); })
      .Case([&](tensor::GenerateOp one) { return dynamic(one.getDynamicExtents()); })
      .Case([&](mlir::bufferization::AllocTensorOp one) {
        return one.getCopy() ? of(one.getCopy(), dim) : dynamic(one.getDynamicSizes());
      })
      .Case([&](tensor::ExtractSliceOp one) { return of_slice(one, dim); })
      .Case([&](tensor::InsertSliceOp one) { return of(one.getDest(), dim); })
      .Case([&](tensor::CastOp one) { return of(one.getSource(), dim); })
      .Case([&](tensor::PadOp one) {
        const auto low = sum_of(one.getMixedLowPad()[dim]),
                   high = sum_of(one.getMixedHighPad()[dim]);
        if (!low || !high) return unknown();
        return of_sum(SizeSum{0, {{1, of(one.getSource(), dim)}}} + *low + *high);
      })
      .Case([&](tensor::ConcatOp one) {
        if (dim != one.getDim()) return of(one.getInputs()[0], dim);
        SizeSum all;
        for (const Value input : one.getInputs()) all.terms.push_back({1, of(input, dim)});
        return of_sum(all);
      })
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
          [&](auto one) { return of_reshape(*one, dim); })
      .Case([&](tensor::GatherOp one) {
        const auto batch = static_cast<unsigned>(one.getIndicesType().getRank()) - 1;
        if (dim < batch) return of(one.getIndices(), dim);
        const auto gathered = one.getGatherDims();
        const auto rank = static_cast<unsigned>(one.getSourceType().getRank());
        const bool keeps_all = static_cast<unsigned>(one.getResultType().getRank()) == batch + rank;
        for (unsigned from = 0, next = batch; from < rank; ++from) {
          const bool is_gathered = llvm::is_contained(gathered, static_cast<std::int64_t>(from));
          if (is_gathered && !keeps_all) continue;
          if (next++ == dim) return of(one.getSource(), from);
        }
        return unknown();
      })
      .Default([&](Operation* operation) {
        for (const Value operand : operation->getOperands()) {
          const auto type = ranked_type(operand);
          if (type && type.getRank() == ranked_type(value).getRank()) return of(operand, dim);
        }
        return unknown();
      });
}

ElementSize ElementSizes::of_slice(tensor::ExtractSliceOp slice, unsigned dim) {
  const auto dropped = slice.getDroppedDims();
  for (unsigned from = 0, next = 0; from < dropped.size(); ++from)
    if (!dropped[from] && next++ == dim) return of_index(slice.getMixedSizes()[from]);
  return unknown();
}

// The size of dimension `dim` of a reshape. If only one dimension of a group is dynamic, the size
// of the whole group is a known multiple of the size of this dimension.
ElementSize ElementSizes::of_reshape(Operation& operation, unsigned dim) {
  if (auto expand = mlir::dyn_cast<tensor::ExpandShapeOp>(operation)) {
    const ElementSize own = of_index(expand.getMixedOutputShape()[dim]);
    const auto shape = expand.getResultType().getShape();
    for (auto [number, group] : llvm::enumerate(expand.getReassociationIndices())) {
      if (!llvm::is_contained(group, static_cast<std::int64_t>(dim))) continue;
      std::int64_t others = 1;
      bool is_alone = true;
      for (const std::int64_t one : group) {
        if (one == dim) continue;
        const std::int64_t size = shape[static_cast<std::size_t>(one)];
        is_alone = is_alone && !mlir::ShapedType::isDynamic(size) && size > 0 && size < most_size;
        others = is_alone ? std::min(others * size, most_size) : others;
      }
      if (is_alone && others < most_size)
        make_equal(expand.getLoc(), of(expand.getSrc(), static_cast<unsigned>(number)),
                   {std::min(resolved(own).times * others, most_size), resolved(own).number});
    }
    return own;
  }
  auto collapse = mlir::cast<tensor::CollapseShapeOp>(operation);
  ElementSize all;
  const auto groups = collapse.getReassociationIndices();
  for (const std::int64_t one : groups[dim]) {
    const ElementSize size = of(collapse.getSrc(), static_cast<unsigned>(one));
    if (!size.is_known() && !all.is_known()) return unknown();
    all = {std::min(all.times * size.times, most_size), std::max(all.number, size.number)};
  }
  return all;
}

// A number of type index as a sum of sizes; null if it cannot be written as such a sum.
std::optional<SizeSum> ElementSizes::sum_of(mlir::OpFoldResult folded) {
  if (const auto known = mlir::getConstantIntValue(folded)) {
    if (std::abs(*known) >= most_size) return std::nullopt;
    return constant_sum(*known);
  }
  const auto value = mlir::dyn_cast<Value>(folded);
  if (const auto argument = mlir::dyn_cast_if_present<mlir::BlockArgument>(value)) {
    const auto known = of_argument(argument);
    return known ? std::optional(SizeSum{0, {{1, *known}}}) : std::nullopt;
  }
  Operation* made = value ? value.getDefiningOp() : nullptr;
  if (made == nullptr) return std::nullopt;
  if (auto dim = mlir::dyn_cast<tensor::DimOp>(made)) {
    const auto index = dim.getConstantIndex();
    const auto type = ranked_type(dim.getSource());
    if (!index || !type || *index < 0 || *index >= type.getRank()) return std::nullopt;
    return SizeSum{0, {{1, of(dim.getSource(), static_cast<unsigned>(*index))}}};
  }
  std::vector<SizeSum> operands;
  const auto read_operands = [&] {
    for (const Value operand : made->getOperands()) {
      const auto one = sum_of(operand);
      if (!one) return false;
      operands.push_back(*one);
    }
    return true;
  };
  std::optional<SizeSum> sum;
  if (auto apply = mlir::dyn_cast<mlir::affine::AffineApplyOp>(made)) {
    if (!read_operands()) return std::nullopt;
    const mlir::AffineMap map = apply.getAffineMap();
    std::vector<mlir::AffineExpr> symbols;
    for (unsigned i = 0; i < map.getNumSymbols(); ++i)
      symbols.push_back(mlir::getAffineDimExpr(map.getNumDims() + i, map.getContext()));
    sum = linear(map.getResult(0).replaceSymbols(symbols), operands);
  } else if (mlir::isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(made)) {
    if (!read_operands()) return std::nullopt;
    if (mlir::isa<arith::AddIOp>(made)) sum = operands[0] + operands[1];
    if (mlir::isa<arith::SubIOp>(made)) sum = operands[0] + scaled(operands[1], -1);
    if (mlir::isa<arith::MulIOp>(made)) {
      if (operands[0].terms.empty()) std::swap(operands[0], operands[1]);
      if (operands[1].terms.empty()) sum = scaled(operands[0], operands[1].constant);
    }
  }
  if (!sum || !is_small(*sum)) return std::nullopt;
  return sum;
}

ElementSize ElementSizes::of_index(mlir::OpFoldResult folded) {
  if (const auto sum = sum_of(folded)) return of_sum(*sum);
  const auto value = mlir::dyn_cast<Value>(folded);
  if (!value) return unknown();
  const std::pair key{value.getAsOpaquePointer(), -1};
  if (const auto known = sizes_.find(key); known != sizes_.end()) return resolved(known->second);
  return sizes_[key] = unknown();
}

ElementSize ElementSizes::of_sum(SizeSum sum) {
  sum = resolved(sum);
  if (sum.terms.empty()) return {std::clamp<std::int64_t>(sum.constant, 0, most_size), 0};
  if (sum.constant == 0 && sum.terms.size() == 1 && sum.terms[0].factor > 0)
    return {sum.terms[0].factor, sum.terms[0].size.number};
  // Equal sums are one number.
  for (const auto& [size, limit] : limits_) {
    if (limit.is_least || size.times != 1) continue;
    const SizeSum other = resolved(scaled(limit.sum, -1) + sum);
    if (other.constant == 0 && other.terms.empty()) return resolved(size);
  }
  const ElementSize own = unknown();
  limits_.push_back({own, {std::move(sum), false}});
  return own;
}

void ElementSizes::read(Operation& operation) {
  if (auto linalg = mlir::dyn_cast<mlir::linalg::LinalgOp>(operation)) return read(linalg);
  const mlir::Location where = operation.getLoc();
  if (auto cast = mlir::dyn_cast<tensor::CastOp>(operation)) {
    const auto type = ranked_type(cast.getResult());
    if (type && ranked_type(cast.getSource()))
      for (unsigned dim = 0; dim < type.getRank(); ++dim)
        make_equal(where, of(cast.getSource(), dim), of(cast.getResult(), dim));
  } else if (auto slice = mlir::dyn_cast<tensor::ExtractSliceOp>(operation)) {
    for (unsigned dim = 0; dim < slice.getMixedSizes().size(); ++dim) {
      const auto offset = sum_of(slice.getMixedOffsets()[dim]);
      const auto step = mlir::getConstantIntValue(slice.getMixedStrides()[dim]);
      const auto size = sum_of(slice.getMixedSizes()[dim]);
      if (offset && step && size && *step > 0 && *step < most_size)
        bound(of(slice.getSource(), dim),
              *offset + scaled(*size + constant_sum(-1), *step) + constant_sum(1));
    }
  } else if (auto insert = mlir::dyn_cast<tensor::InsertSliceOp>(operation)) {
    const auto dropped = insert.getDroppedDims();
    for (unsigned dim = 0, next = 0; dim < dropped.size(); ++dim) {
      if (dropped[dim]) continue;
      make_equal(where, of(insert.getSource(), next++), of_index(insert.getMixedSizes()[dim]));
    }
    for (unsigned dim = 0; dim < dropped.size(); ++dim) {
      const auto offset = sum_of(insert.getMixedOffsets()[dim]);
      const auto size = sum_of(insert.getMixedSizes()[dim]);
      if (offset && size) bound(of(insert.getDest(), dim), *offset + *size);
    }
  } else if (auto concat = mlir::dyn_cast<tensor::ConcatOp>(operation)) {
    for (const Value input : concat.getInputs())
      for (unsigned dim = 0; dim < concat.getRank(); ++dim)
        if (dim != concat.getDim()) make_equal(where, of(input, dim), of(concat.getResult(), dim));
  } else if (operation.hasTrait<mlir::OpTrait::Elementwise>() && operation.getNumResults() == 1 &&
             ranked_type(operation.getResult(0))) {
    for (const Value operand : operation.getOperands())
      if (const auto type = ranked_type(operand))
        for (unsigned dim = 0; dim < type.getRank(); ++dim)
          make_equal(where, of(operand, dim), of(operation.getResult(0), dim));
  } else if (auto store =
                 mlir::dyn_cast<mlir::bufferization::MaterializeInDestinationOp>(operation)) {
    const auto type = ranked_type(store.getSource());
    if (type && ranked_type(store.getDest()))
      for (unsigned dim = 0; dim < type.getRank(); ++dim)
        make_equal(where, of(store.getSource(), dim), of(store.getDest(), dim));
  } else {  // also reshapes, which say what their groups are
    for (const Value result : operation.getResults())
      if (const auto type = ranked_type(result))
        for (unsigned dim = 0; dim < type.getRank(); ++dim) (void)of(result, dim);
  }
}

void ElementSizes::read(mlir::linalg::LinalgOp linalg) {
  std::vector<std::optional<ElementSize>> loops(linalg.getNumLoops());
  const auto each_dimension = [&](auto visit) {
    for (mlir::OpOperand& operand : linalg->getOpOperands()) {
      if (!ranked_type(operand.get())) continue;
      const mlir::AffineMap map = linalg.getMatchingIndexingMap(&operand);
      for (unsigned dim = 0; dim < map.getNumResults(); ++dim)
        visit(operand.get(), dim, map.getResult(dim));
    }
  };
  each_dimension([&](Value operand, unsigned dim, mlir::AffineExpr expression) {
    const auto loop = mlir::dyn_cast<mlir::AffineDimExpr>(expression);
    if (!loop) return;
    auto& size = loops[loop.getPosition()];
    if (size)
      make_equal(linalg->getLoc(), *size, of(operand, dim));
    else
      size = of(operand, dim);
  });
  each_dimension([&](Value operand, unsigned dim, mlir::AffineExpr expression) {
    if (mlir::isa<mlir::AffineDimExpr>(expression)) return;
    std::vector<SizeSum> last;  // of each loop
    for (const auto& size : loops)
      last.push_back(size ? SizeSum{-1, {{1, *size}}} : constant_sum(0));
    const auto place = linear(expression, last);
    if (place && is_small(*place)) bound(of(operand, dim), *place + constant_sum(1));
  });
}

std::optional<ElementSizes::Limit> ElementSizes::limit(int of_number) {
  std::optional<Limit> found;
  for (const auto& [of, limit] : limits_) {
    ElementSize size = resolved(of);
    SizeSum sum = resolved(limit.sum);
    // If this size is known to be another size plus a constant, its lower limit also limits that
    // one.
    for (const auto& [other, exact] : limits_) {
      const SizeSum is = resolved(exact.sum);
      if (!limit.is_least || exact.is_least || resolved(other).number != size.number ||
          size.times != 1 || size.number == of_number || is.terms.size() != 1 ||
          is.terms[0].factor != 1)
        continue;
      size = {1, is.terms[0].size.number};
      sum.constant -= is.constant;
      break;
    }
    if (size.number != of_number) continue;
    if (size.times != 1) {
      if (!sum.terms.empty()) continue;
      sum.constant = (sum.constant + size.times - 1) / size.times;
    }
    const auto is_own = [&](const SizeSum::Term& term) { return term.size.number == of_number; };
    if (llvm::any_of(sum.terms, is_own)) continue;
    if (!limit.is_least) return Limit{sum, false};
    if (!found)
      found = Limit{sum, true};
    else if (found->sum.terms.empty() && (!sum.terms.empty() || sum.constant > found->sum.constant))
      found->sum = sum;
  }
  // A size is at least 1.
  if (found && found->sum.terms.empty() && found->sum.constant <= 1) return std::nullopt;
  return found;
}

}  // namespace heddle::compiler
