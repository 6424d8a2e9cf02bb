#include "compiler/elements/row_function.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "compiler/reader/reshape.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

namespace heddle::compiler {
namespace {

using mlir::Operation;
using mlir::Value;
using plan::Step;
namespace arith = mlir::arith;
namespace tensor = mlir::tensor;

mlir::RankedTensorType tensor_type(Value value) {
  return mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
}

std::optional<Step> step_of(Operation* operation) {
  using Known = std::optional<Step>;
  if (operation == nullptr) return std::nullopt;
  return llvm::TypeSwitch<Operation*, Known>(operation)
      .Case<arith::AddFOp, arith::AddIOp>([](auto) { return Step::add; })
      .Case([](arith::MaximumFOp) { return Step::maximum; })
      .Case([](arith::MinimumFOp) { return Step::minimum; })
      .Case<arith::MaxNumFOp, arith::MaxSIOp>([](auto) { return Step::maximum_number; })
      .Case<arith::MinNumFOp, arith::MinSIOp>([](auto) { return Step::minimum_number; })
      .Default(Known{});
}

// True if a value in the body of a reduction does not depend on the partial results, which are the
// block arguments from number `inputs` on.
bool is_independent(Value value, mlir::Block& body, unsigned inputs) {
  llvm::SmallVector<Value> way{value};
  llvm::DenseSet<Operation*> seen;
  while (!way.empty()) {
    const Value one = way.pop_back_val();
    const auto argument = mlir::dyn_cast<mlir::BlockArgument>(one);
    if (argument && argument.getOwner() == &body && argument.getArgNumber() >= inputs) return false;
    Operation* made = one.getDefiningOp();
    if (made != nullptr && made->getBlock() == &body && seen.insert(made).second)
      llvm::append_range(way, made->getOperands());
  }
  return true;
}

// The operand of `operation` other than `so_far`, the partial result.
Value other_operand(Operation* operation, Value so_far) {
  return operation->getOperand(operation->getOperand(0) == so_far ? 1 : 0);
}

class MergeReader {
 public:
  explicit MergeReader(mlir::linalg::LinalgOp linalg)
      : linalg_(linalg),
        body_(*linalg.getBlock()),
        inputs_(static_cast<unsigned>(linalg.getNumDpsInputs())) {}

  std::optional<Merge> read() {
    Merge merge;
    for (unsigned result = 0; result < linalg_->getNumResults(); ++result) {
      const auto step = plain(result);
      if (!step) return best();
      merge.steps.push_back(*step);
    }
    return merge;
  }

 private:
  Value so_far(unsigned result) { return body_.getArgument(inputs_ + result); }
  Operation* last(unsigned result) {
    return body_.getTerminator()->getOperand(result).getDefiningOp();
  }

  std::optional<Step> plain(unsigned result) {
    Operation* operation = last(result);
    const auto step = step_of(operation);
    if (!step || operation->getBlock() != &body_) return std::nullopt;
    const Value own = so_far(result);
    if (!own.hasOneUse() || !llvm::is_contained(operation->getOperands(), own)) return std::nullopt;
    if (!is_independent(other_operand(operation, own), body_, inputs_)) return std::nullopt;
    return step;
  }

  // Reads a reduction with two results: the largest (or smallest) value and its index along the
  // only reduced loop.
  std::optional<Merge> best() {
    if (linalg_->getNumResults() != 2 || linalg_.getNumReductionLoops() != 1) return std::nullopt;
    for (const unsigned value : {0u, 1u})
      if (const auto merge = best(value)) return merge;
    return std::nullopt;
  }
  std::optional<Merge> best(unsigned value) {
    const Value best_value = so_far(value), best_place = so_far(1 - value);
    auto choice = mlir::dyn_cast_or_null<arith::SelectOp>(last(1 - value));
    if (!choice || choice.getFalseValue() != best_place || !best_place.hasOneUse() ||
        !is_place(choice.getTrueValue()) || !begins_at_zero(1 - value))
      return std::nullopt;
    Merge merge;
    merge.compare = choice.getCondition().getDefiningOp();
    merge.value = value;
    if (merge.compare == nullptr || merge.compare->getNumOperands() != 2) return std::nullopt;
    merge.new_is_first = merge.compare->getOperand(1) == best_value;
    const Value new_value = merge.compare->getOperand(merge.new_is_first ? 0 : 1);
    if (merge.compare->getOperand(merge.new_is_first ? 1 : 0) != best_value ||
        !is_independent(new_value, body_, inputs_) || !is_order(merge))
      return std::nullopt;
    Operation* made = last(value);
    if (made == nullptr) return std::nullopt;
    if (auto same = mlir::dyn_cast<arith::SelectOp>(made)) {
      if (same.getCondition() != choice.getCondition() || same.getTrueValue() != new_value ||
          same.getFalseValue() != best_value)
        return std::nullopt;
      return merge;
    }
    const auto step = step_of(made);
    if (!step || *step == Step::add || !llvm::is_contained(made->getOperands(), best_value) ||
        other_operand(made, best_value) != new_value)
      return std::nullopt;
    const bool is_largest = *step == Step::maximum || *step == Step::maximum_number;
    if (is_largest != wants_largest(merge)) return std::nullopt;
    merge.keeps_nan = *step == Step::maximum || *step == Step::minimum;
    return merge;
  }

  // True if the value is the index of a reduced loop, perhaps converted to another type.
  bool is_place(Value value) {
    Operation* made = value.getDefiningOp();
    while (made != nullptr && mlir::isa<arith::IndexCastOp, arith::IndexCastUIOp>(made))
      made = made->getOperand(0).getDefiningOp();
    auto index = mlir::dyn_cast_or_null<mlir::linalg::IndexOp>(made);
    return index &&
           linalg_.getIteratorTypesArray()[index.getDim()] == mlir::utils::IteratorType::reduction;
  }
  bool begins_at_zero(unsigned result) {
    auto fill = linalg_.getDpsInits()[result].getDefiningOp<mlir::linalg::FillOp>();
    llvm::APInt number;
    return fill && mlir::matchPattern(fill.getInputs()[0], mlir::m_ConstantInt(&number)) &&
           !number.isStrictlyPositive();
  }

  // If merge.compare is a comparison by size that is false for NaN, returns true, and sets whether
  // the first or the last of several equal values is taken.
  bool is_order(Merge& merge) {
    if (auto floats = mlir::dyn_cast<arith::CmpFOp>(merge.compare)) {
      using enum arith::CmpFPredicate;
      const auto predicate = floats.getPredicate();
      merge.takes_first = predicate == OGT || predicate == OLT;
      return merge.takes_first || predicate == OGE || predicate == OLE;
    }
    auto integers = mlir::dyn_cast<arith::CmpIOp>(merge.compare);
    if (!integers) return false;
    using enum arith::CmpIPredicate;
    const auto predicate = integers.getPredicate();
    merge.takes_first = predicate == sgt || predicate == slt;
    return merge.takes_first || predicate == sge || predicate == sle;
  }
  static bool wants_largest(const Merge& merge) {
    bool is_greater = false;
    if (auto floats = mlir::dyn_cast<arith::CmpFOp>(merge.compare))
      is_greater = floats.getPredicate() == arith::CmpFPredicate::OGT ||
                   floats.getPredicate() == arith::CmpFPredicate::OGE;
    else if (auto integers = mlir::dyn_cast<arith::CmpIOp>(merge.compare))
      is_greater = integers.getPredicate() == arith::CmpIPredicate::sgt ||
                   integers.getPredicate() == arith::CmpIPredicate::sge;
    return is_greater == merge.new_is_first;
  }

  mlir::linalg::LinalgOp linalg_;
  mlir::Block& body_;
  unsigned inputs_;
};

// Goes from the results of the function back to the reductions on which they depend. On the way it
// knows of each index of a tensor what it is: the index along a dimension of the results (the
// dimension's number), zero, or something else (`other`).
class RowReader {
 public:
  static constexpr int other = -3;
  using At = std::vector<int>;

  bool follow(Value value, const At& at) {
    Operation* made = value.getDefiningOp();
    if (!tensor_type(value)) return true;
    if (!tensor_type(value).hasStaticShape()) return false;
    if (made == nullptr) return true;
    if (!followed_.emplace(value.getAsOpaquePointer(), at).second) return true;
    if (followed_.size() > most_followed) return false;
    if (auto linalg = mlir::dyn_cast<mlir::linalg::LinalgOp>(made))
      return follow(linalg, mlir::cast<mlir::OpResult>(value).getResultNumber(), at);
    if (mlir::isa<tensor::EmptyOp, arith::ConstantOp, tensor::SplatOp>(made)) return true;
    if (auto expand = mlir::dyn_cast<tensor::ExpandShapeOp>(made)) {
      At from;
      for (const auto& group : expand.getReassociationIndices())
        from.push_back(one_of(group, expand.getResultType().getShape(), at));
      return follow(expand.getSrc(), from);
    }
    if (auto collapse = mlir::dyn_cast<tensor::CollapseShapeOp>(made)) {
      const auto shape = collapse.getSrcType().getShape();
      At from(shape.size(), SharedReduction::is_zero);
      for (auto [number, group] : llvm::enumerate(collapse.getReassociationIndices()))
        for (const std::int64_t dim : group)
          if (shape[static_cast<std::size_t>(dim)] != 1)
            from[static_cast<std::size_t>(dim)] = whole(group, shape) ? at[number] : other;
      return follow(collapse.getSrc(), from);
    }
    if (made->hasTrait<mlir::OpTrait::Elementwise>())
      return llvm::all_of(made->getOperands(), [&](Value operand) { return follow(operand, at); });
    // Other operations change indices, as those that join or split tensors do: no reduction may
    // precede.
    return !reduces_before(value);
  }

  std::vector<SharedReduction> reductions;

 private:
  // The function calls itself for each value. No kernel has so many values, and a longer path could
  // overflow the stack.
  static constexpr std::size_t most_followed = 1000;

  // Several dimensions are joined to one. If at most one of them has a size other than 1, the index
  // along that one is the joint index; otherwise the result is `other`.
  static int one_of(llvm::ArrayRef<std::int64_t> group, llvm::ArrayRef<std::int64_t> shape,
                    const At& at) {
    int found = SharedReduction::is_zero, count = 0;
    for (const std::int64_t dim : group) {
      if (shape[static_cast<std::size_t>(dim)] == 1) continue;
      found = at[static_cast<std::size_t>(dim)];
      ++count;
    }
    return count > 1 ? other : found;
  }
  static bool whole(llvm::ArrayRef<std::int64_t> group, llvm::ArrayRef<std::int64_t> shape) {
    return llvm::count_if(group, [&](std::int64_t dim) {
             return shape[static_cast<std::size_t>(dim)] != 1;
           }) <= 1;
  }
  static bool reduces_before(Value value) {
    llvm::SmallVector<Value> way{value};
    llvm::DenseSet<Operation*> seen;
    while (!way.empty()) {
      Operation* made = way.pop_back_val().getDefiningOp();
      if (made == nullptr || !seen.insert(made).second) continue;
      auto linalg = mlir::dyn_cast<mlir::linalg::LinalgOp>(made);
      if (linalg && linalg.getNumReductionLoops() != 0) return true;
      llvm::append_range(way, made->getOperands());
    }
    return false;
  }

  bool follow(mlir::linalg::LinalgOp linalg, unsigned result, const At& at) {
    const auto kinds = linalg.getIteratorTypesArray();
    const auto sizes = linalg.getStaticLoopRanges();
    const auto map = linalg.getMatchingIndexingMap(linalg.getDpsInitOperand(result));
    At loops(sizes.size(), SharedReduction::is_zero);
    SharedReduction reduction;
    reduction.operation = linalg;
    for (unsigned loop = 0; loop < loops.size(); ++loop) {
      if (kinds[loop] != mlir::utils::IteratorType::reduction) continue;
      loops[loop] = SharedReduction::is_reduced;
      reduction.reduced.push_back(loop);
    }
    for (unsigned dim = 0; dim < map.getNumResults(); ++dim) {
      const auto loop = mlir::dyn_cast<mlir::AffineDimExpr>(map.getResult(dim));
      if (loop && sizes[loop.getPosition()] != 1) loops[loop.getPosition()] = at[dim];
    }
    if (!reduction.reduced.empty() &&
        (linalg->getNumResults() != static_cast<unsigned>(linalg.getNumDpsInits()) ||
         llvm::is_contained(loops, other) || !merge(reduction)))
      return false;
    bool has_lookups = false;
    linalg.getBlock()->walk([&](tensor::ExtractOp extract) {
      has_lookups = has_lookups || reduces_before(extract.getTensor());
    });
    if (has_lookups) return false;
    for (mlir::OpOperand& operand : linalg->getOpOperands()) {
      At from;
      for (const mlir::AffineExpr expression :
           linalg.getMatchingIndexingMap(&operand).getResults()) {
        const auto loop = mlir::dyn_cast<mlir::AffineDimExpr>(expression);
        const int place = loop ? loops[loop.getPosition()] : other;
        from.push_back(place == SharedReduction::is_reduced ? other : place);
      }
      if (!follow(operand.get(), from)) return false;
    }
    if (reduction.reduced.empty()) return true;
    reduction.rows = loops;
    const auto known = llvm::find_if(
        reductions, [&](const SharedReduction& one) { return one.operation == linalg; });
    if (known != reductions.end()) return known->rows == loops;
    reductions.push_back(std::move(reduction));
    return true;
  }

  static bool merge(SharedReduction& reduction) {
    auto read = MergeReader(reduction.operation).read();
    if (!read) return false;
    reduction.merge = *std::move(read);
    return true;
  }

  std::set<std::pair<const void*, At>> followed_;
};

// Of the inputs of a reduction, takes the largest one. Returns the loop along which its elements
// are contiguous in memory.
int fastest_loop(mlir::linalg::LinalgOp linalg) {
  int found = -1;
  std::int64_t most = 0;
  for (mlir::OpOperand* input : linalg.getDpsInputOperands()) {
    const auto type = tensor_type(input->get());
    if (!type || type.getNumElements() <= most) continue;
    most = type.getNumElements();
    found = -1;
    const auto map = linalg.getMatchingIndexingMap(input);
    for (unsigned dim = map.getNumResults(); dim-- > 0 && found < 0;) {
      if (type.getShape()[dim] == 1) continue;
      const auto loop = mlir::dyn_cast<mlir::AffineDimExpr>(map.getResult(dim));
      if (!loop) return -1;
      found = static_cast<int>(loop.getPosition());
    }
  }
  return found;
}

// True if a reduction reads one large tensor, each element once.
bool reads_once(mlir::linalg::LinalgOp linalg) {
  Value large;
  for (mlir::OpOperand* input : linalg.getDpsInputOperands()) {
    const auto map = linalg.getMatchingIndexingMap(input);
    if (!tensor_type(input->get())) continue;
    if (!map.isProjectedPermutation()) return false;
    bool reduces = false;
    for (const mlir::AffineExpr expression : map.getResults())
      reduces =
          reduces || linalg.getIteratorTypesArray()[mlir::cast<mlir::AffineDimExpr>(expression)
                                                        .getPosition()] ==
                         mlir::utils::IteratorType::reduction;
    // An argument that is not reduced is combined with another one: that is a product.
    if (!reduces && mlir::isa<mlir::BlockArgument>(input->get())) return false;
    if (!reduces) continue;
    if (!map.isPermutation() || (large && large != input->get())) return false;
    large = input->get();
  }
  return bool(large);
}

std::vector<Value> results_of(mlir::func::FuncOp function) {
  std::vector<Value> results;
  for (Value value : function.getBody().front().getTerminator()->getOperands()) {
    if (auto store = value.getDefiningOp<mlir::bufferization::MaterializeInDestinationOp>())
      value = store.getSource();
    results.push_back(value);
  }
  return results;
}

}  // namespace

int word_count(mlir::Type type) {
  return type.isIndex() || type.getIntOrFloatBitWidth() == 64 ? 2 : 1;
}

std::vector<std::int64_t> SharedReduction::sizes() const {
  mlir::linalg::LinalgOp linalg = operation;
  const auto all = linalg.getStaticLoopRanges();
  std::vector<std::int64_t> own;
  for (const unsigned loop : reduced) own.push_back(all[loop]);
  return own;
}

std::optional<RowFunction> row_function(mlir::func::FuncOp function) {
  RowReader reader;
  const std::vector<Value> results = results_of(function);
  std::int64_t largest = 1;
  for (const Value result : results) {
    if (!tensor_type(result) || !tensor_type(result).hasStaticShape()) return std::nullopt;
    RowReader::At at(static_cast<std::size_t>(tensor_type(result).getRank()));
    std::iota(at.begin(), at.end(), 0);
    for (std::size_t dim = 0; dim < at.size(); ++dim)
      if (tensor_type(result).getShape()[dim] == 1) at[dim] = SharedReduction::is_zero;
    if (!reader.follow(result, at)) return std::nullopt;
    largest = std::max(largest, tensor_type(result).getNumElements());
  }
  if (reader.reductions.empty()) return std::nullopt;
  int last = -1;
  for (const SharedReduction& one : reader.reductions)
    last = std::max(last, *std::ranges::max_element(one.rows));
  RowFunction all;
  all.reductions = std::move(reader.reductions);
  const auto shape = tensor_type(results[0]).getShape();
  if (static_cast<int>(shape.size()) <= last) return std::nullopt;
  all.rows.assign(shape.begin(), shape.begin() + last + 1);
  plan::ElementRows& shared = all.shared;
  for (const std::int64_t size : all.rows) shared.rows *= size;
  for (const Value result : results) {
    const auto sizes = tensor_type(result).getShape();
    if (sizes.size() < all.rows.size() ||
        !llvm::ArrayRef(all.rows).equals(sizes.take_front(all.rows.size())))
      return std::nullopt;
  }
  bool by_rows = false;
  std::int64_t fewest = plan::ElementRows::access_bytes, last_size = 0;
  for (const SharedReduction& one : all.reductions) {
    mlir::linalg::LinalgOp linalg = one.operation;
    const bool has_windows = llvm::any_of(linalg.getIndexingMapsArray(), [](mlir::AffineMap map) {
      return !map.isProjectedPermutation(/*allowZeroInResults=*/true);
    });
    if (has_windows) return std::nullopt;
    const int fastest = fastest_loop(one.operation);
    if (fastest < 0) return std::nullopt;
    const int row = one.rows[static_cast<std::size_t>(fastest)];
    const bool is_row =
        row == SharedReduction::is_reduced && fastest == static_cast<int>(one.reduced.back());
    const bool is_column = row >= 0 && row == last;
    // Each reduction must depend on all dimensions of rows. If it does not depend on one, all rows
    // along this dimension would compute the same.
    for (int dim = 0; dim <= last; ++dim)
      if (all.rows[static_cast<std::size_t>(dim)] != 1 && !llvm::is_contained(one.rows, dim))
        return std::nullopt;
    if (!is_row && !is_column) return std::nullopt;
    if (&one != &all.reductions[0] && is_row != by_rows) return std::nullopt;
    by_rows = is_row;
    const std::vector<std::int64_t> sizes = one.sizes();
    std::int64_t count = 1;
    for (const std::int64_t size : sizes) count *= size;
    shared.elements = std::max(shared.elements, count);
    last_size = std::gcd(last_size, is_row ? sizes.back() : all.rows.back());
    shared.words = 0;
    for (const mlir::Type type : linalg->getResultTypes())
      shared.words += word_count(mlir::getElementTypeOrSelf(type));
  }
  const bool has_columns = largest > shared.rows;
  shared.by_columns = !by_rows;
  constexpr std::int64_t worth_sharing = 32;
  if (shared.by_columns &&
      (has_columns || all.reductions.size() != 1 || shared.elements < worth_sharing))
    return std::nullopt;
  for (const mlir::Type type : function.getArgumentTypes()) {
    const auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape() ||
        tensor.getNumElements() < shared.rows * shared.elements)
      continue;
    const mlir::Type element = tensor.getElementType();
    const unsigned bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
    fewest = std::min<std::int64_t>(fewest, std::max(bits / 8, 1u));
  }
  shared.together = static_cast<int>(std::gcd(last_size, plan::ElementRows::access_bytes / fewest));
  // Shared memory has the results of each.
  if (shared.by_columns) shared.together = std::min(shared.together, std::max(1, 8 / shared.words));
  shared.splits = !has_columns && all.reductions.size() == 1;
  shared.choose();
  return all;
}

bool is_row_function(mlir::func::FuncOp function) {
  // Smaller functions are as fast with kernels of products, which support more forms.
  constexpr std::int64_t worth_it = 1 << 16;
  const auto rows = row_function(function);
  return rows && rows->shared.rows * rows->shared.elements >= worth_it &&
         llvm::all_of(rows->reductions, [](const SharedReduction& one) {
           return one.merge.compare == nullptr && reads_once(one.operation);
         });
}

}  // namespace heddle::compiler
