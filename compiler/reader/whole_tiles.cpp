#include "compiler/reader/whole_tiles.h"

#include <vector>

#include "compiler/reader/whole_loop.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace heddle::compiler {
namespace {

using mlir::Operation;
using mlir::OpFoldResult;
using mlir::RankedTensorType;
using mlir::Value;

bool is_of_known_count(mlir::LoopLikeOpInterface loop) {
  const auto is_known = [](OpFoldResult of) { return mlir::getConstantIntValue(of).has_value(); };
  return llvm::all_of(*loop.getLoopLowerBounds(), is_known) &&
         llvm::all_of(*loop.getLoopUpperBounds(), is_known) &&
         llvm::all_of(*loop.getLoopSteps(), is_known);
}

}  // namespace

bool WholeLoop::replace() {
  const bool is_read = read_counters() && read_body();
  if (!is_read) {
    for (Operation* made : llvm::reverse(made_)) made->erase();
    return false;
  }
  for (unsigned i = 0; i < results_.size(); ++i)
    loop_->getResult(i).replaceAllUsesWith(
        cast(results_[i], mlir::cast<RankedTensorType>(loop_->getResult(i).getType())));
  loop_->erase();
  return true;
}

bool WholeLoop::read_counters() {
  const auto variables = *loop_.getLoopInductionVars();
  const auto lower = *loop_.getLoopLowerBounds(), upper = *loop_.getLoopUpperBounds(),
             steps = *loop_.getLoopSteps();
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (mlir::getConstantIntValue(lower[i]) != 0) return false;
    Counter counter{sizes_.of(variables[i]), sizes_.of(steps[i]), sizes_.of(upper[i])};
    const auto step = SizePolynomials::constant(counter.step);
    if (step && *step < 1) return false;
    // If the step is 1 and the end is a quotient rounded up, size / length of a tile, the loop
    // counts tiles.
    const SizeAtom* count = sizes_.only_atom(counter.end);
    if (step == 1 && count != nullptr && !count->value && count->dim == -1) {
      counter.offset = SizePolynomials::product(counter.offset, count->divisor);
      counter.step = count->divisor;
      counter.end = SizePolynomial(count->dividend);
    }
    depends_.insert(variables[i]);
    counters_.push_back(std::move(counter));
  }
  const auto arguments = loop_.getRegionIterArgs();
  for (unsigned i = 0; i < arguments.size(); ++i) {
    if (!mlir::isa<RankedTensorType>(arguments[i].getType())) return false;
    if (is_for()) {
      depends_.insert(arguments[i]);
      tiles_[arguments[i]] = {Tiled::Kind::carried, loop_.getInits()[i], {}, i, {}};
    } else {
      known_.map(arguments[i], loop_.getInits()[i]);  // until the end of the loop
    }
  }
  results_.assign(loop_.getInits().begin(), loop_.getInits().end());
  return true;
}

bool WholeLoop::read_body() {
  mlir::Block& body = loop_.getLoopRegions().front()->front();
  for (Operation& operation : body.without_terminator())
    if (!read(operation)) return false;
  if (!is_for()) {
    for (Operation& end : body.getTerminator()->getRegion(0).front())
      if (auto insert = mlir::dyn_cast<mlir::tensor::ParallelInsertSliceOp>(end);
          !insert || !insert_in_parallel(insert))
        return false;
    return true;
  }
  const auto yielded = loop_.getYieldedValues();
  for (unsigned i = 0; i < yielded.size(); ++i) {
    const auto last = tiles_.find(yielded[i]);
    if (last == tiles_.end() || last->second.argument != i) return false;
    const Tiled& value = last->second;
    const bool is_all =
        value.kind == Tiled::Kind::carried || (value.kind == Tiled::Kind::sum && !value.slice);
    const Carried& use = carried_[i];
    if (!is_all || use.sums > 1 || (use.sums != 0 && !use.dimensions.empty())) return false;
    results_[i] = value.whole;
  }
  return true;
}

bool WholeLoop::read(Operation& operation) {
  if (!depends(operation)) {
    // An operation that computes the same in all steps is moved in front of the loop.
    const bool is_pure = mlir::isMemoryEffectFree(&operation) && operation.getNumResults() != 0;
    if (!is_pure || mlir::isa<mlir::LoopLikeOpInterface>(operation)) return false;
    made_.push_back(builder_.clone(operation, known_));
    return true;
  }
  for (const Value result : operation.getResults()) depends_.insert(result);
  if (auto slice = mlir::dyn_cast<mlir::tensor::ExtractSliceOp>(operation)) return take(slice);
  if (auto insert = mlir::dyn_cast<mlir::tensor::InsertSliceOp>(operation)) return put(insert);
  if (auto empty = mlir::dyn_cast<mlir::tensor::EmptyOp>(operation)) return read(empty);
  if (auto linalg = mlir::dyn_cast<mlir::linalg::LinalgOp>(operation)) return read(linalg);
  if (auto same = mlir::dyn_cast<mlir::tensor::CastOp>(operation)) {
    const auto tile = tiles_.find(same.getSource());
    if (tile == tiles_.end() || tile->second.kind != Tiled::Kind::tile) return false;
    const Tiled copy = tile->second;
    tiles_[same.getResult()] = copy;
    return true;
  }
  // Offsets and sizes are looked at where they are used.
  return operation.getNumRegions() == 0 && mlir::isMemoryEffectFree(&operation) &&
         llvm::all_of(operation.getResultTypes(), [](mlir::Type t) { return t.isIndex(); });
}

bool WholeLoop::is_tile_size(OpFoldResult size, int of) {
  const Counter& counter = counters_[static_cast<std::size_t>(of)];
  const auto value = mlir::dyn_cast<Value>(size);
  if (value) {
    const std::vector<SizePolynomial> all = sizes_.minimum(value);
    const SizePolynomial left = SizePolynomials::sum(counter.end, counter.offset, -1);
    if (all.size() == 2 &&
        ((all[0] == counter.step && all[1] == left) || (all[1] == counter.step && all[0] == left)))
      return true;
    auto dim = value.getDefiningOp<mlir::tensor::DimOp>();
    if (dim && tile_of_size(dim) == of) return true;
  }
  if (sizes_.of(size) != counter.step) return false;
  const auto step = SizePolynomials::constant(counter.step),
             end = SizePolynomials::constant(counter.end);
  return !step || !end || *end % *step == 0;
}

int WholeLoop::tile_of_size(mlir::tensor::DimOp dim) const {
  const auto tile = tiles_.find(dim.getSource());
  const auto number = dim.getConstantIndex();
  if (tile == tiles_.end() || tile->second.kind != Tiled::Kind::tile || !number) return no_counter;
  std::int64_t next = 0;
  for (const Dimension& dimension : tile->second.dimensions)
    if (!dimension.is_dropped && next++ == *number) return dimension.counter;
  return no_counter;
}

bool WholeLoop::covers(const SizePolynomial& end, const SizePolynomial& length) const {
  if (end == length) return true;
  const SizeAtom* size = sizes_.only_atom(end);
  return size != nullptr && size->dim >= 0 &&
         (SizePolynomials::constant(length) || is_dynamic_size(length));
}

std::optional<OpFoldResult> WholeLoop::outside(OpFoldResult number) {
  const auto value = mlir::dyn_cast<Value>(number);
  if (!value) return number;
  if (!depends_.contains(value)) return OpFoldResult(known_.lookupOrDefault(value));
  return made_size(sizes_.of(value));
}

std::optional<OpFoldResult> WholeLoop::made_size(const SizePolynomial& size) {
  if (const auto constant = SizePolynomials::constant(size))
    return OpFoldResult(builder_.getIndexAttr(*constant));
  const SizeAtom* atom = sizes_.only_atom(size);
  if (atom == nullptr || !atom->value || depends_.contains(atom->value)) return std::nullopt;
  const Value of = known_.lookupOrDefault(atom->value);
  if (atom->dim < 0) return OpFoldResult(of);
  return length(of, atom->dim);
}

OpFoldResult WholeLoop::length(Value tensor, std::int64_t dim) {
  const auto type = mlir::cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(static_cast<unsigned>(dim)))
    return builder_.getIndexAttr(type.getDimSize(static_cast<unsigned>(dim)));
  auto number = make<mlir::arith::ConstantIndexOp>(dim);
  return make<mlir::tensor::DimOp>(tensor, number.getResult()).getResult();
}

void use_whole_tiles(mlir::func::FuncOp function) {
  std::vector<mlir::LoopLikeOpInterface> loops;  // inner ones first
  function.walk([&](mlir::LoopLikeOpInterface loop) {
    if (mlir::isa<mlir::scf::ForOp, mlir::scf::ForallOp>(loop.getOperation()) &&
        loop->getNumResults() != 0)
      loops.push_back(loop);
  });
  if (llvm::all_of(loops, is_of_known_count)) return;
  for (mlir::LoopLikeOpInterface loop : loops) WholeLoop(loop).replace();
}

}  // namespace heddle::compiler
