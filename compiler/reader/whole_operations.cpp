// The part of WholeLoop that replaces a linalg operation on tiles by one on the whole tensors.
#include <algorithm>

#include "compiler/reader/whole_loop.h"

namespace heddle::compiler {
namespace {

using mlir::Operation;
using mlir::Value;

}  // namespace

bool WholeLoop::read(mlir::linalg::LinalgOp operation) {
  if (!operation.hasPureTensorSemantics() || operation.hasIndexSemantics()) return false;
  llvm::SetVector<Value> captured;
  mlir::getUsedValuesDefinedAbove(operation->getRegions(), captured);
  if (llvm::any_of(captured, [&](Value v) { return depends_.contains(v); })) return false;
  Whole whole;
  whole.counters.assign(operation.getNumLoops(), no_counter);
  if (!number_loops(operation, whole)) return false;
  bool is_sum = false;
  const auto kinds = operation.getIteratorTypesArray();
  for (std::size_t loop = 0; loop < kinds.size(); ++loop) {
    if (whole.counters[loop] == no_counter) continue;
    if (std::ranges::count(whole.counters, whole.counters[loop]) != 1) return false;
    is_sum = is_sum || kinds[loop] == mlir::utils::IteratorType::reduction;
  }
  if (is_sum && (!is_for() || !whole.added.empty())) return false;
  if (!knows_assumed(operation, whole)) return false;
  for (mlir::OpOperand& operand : operation->getOpOperands())
    if (!read_operand(operation, operand, is_sum, whole)) return false;
  return make_whole(operation, is_sum, whole);
}

bool WholeLoop::number_loops(mlir::linalg::LinalgOp operation, Whole& whole) {
  for (mlir::OpOperand& operand : operation->getOpOperands()) {
    const auto tile = tiles_.find(operand.get());
    if (tile == tiles_.end() || tile->second.kind != Tiled::Kind::tile) continue;
    const mlir::AffineMap map = operation.getMatchingIndexingMap(&operand);
    unsigned next = 0;
    for (const Dimension& dimension : tile->second.dimensions) {
      if (dimension.is_dropped) {
        if (dimension.counter != no_counter && !llvm::is_contained(whole.added, dimension.counter))
          whole.added.push_back(dimension.counter);
        if (dimension.counter == no_counter) return false;
        continue;
      }
      const mlir::AffineExpr place = map.getResult(next++);
      if (dimension.counter == no_counter) continue;
      const auto loop = mlir::dyn_cast<mlir::AffineDimExpr>(place);
      if (!loop) return false;
      int& counter = whole.counters[loop.getPosition()];
      if (counter != no_counter && counter != dimension.counter) return false;
      counter = dimension.counter;
    }
  }
  return llvm::none_of(whole.added,
                       [&](int one) { return llvm::is_contained(whole.counters, one); });
}

bool WholeLoop::knows_assumed(mlir::linalg::LinalgOp operation, const Whole& whole) {
  struct Length {
    SizePolynomial length;
    bool is_assumed;
  };
  const std::size_t own = operation.getNumLoops();
  std::vector<std::vector<Length>> all(own + whole.added.size());
  for (mlir::OpOperand& operand : operation->getOpOperands()) {
    const mlir::AffineMap map = operation.getMatchingIndexingMap(&operand);
    const auto tile = tiles_.find(operand.get());
    const bool is_tile = tile != tiles_.end() && tile->second.kind == Tiled::Kind::tile;
    std::vector<Dimension> dimensions =
        is_tile ? tile->second.dimensions : std::vector<Dimension>();
    for (unsigned i = 0; !is_tile && i < map.getNumResults(); ++i)
      dimensions.push_back({.length = sizes_.size(operand.get(), static_cast<int>(i))});
    unsigned next = 0;
    for (const Dimension& dimension : dimensions) {
      std::size_t loop = 0;
      if (dimension.is_dropped) {
        loop = own + static_cast<std::size_t>(llvm::find(whole.added, dimension.counter) -
                                              whole.added.begin());
      } else if (const auto place = mlir::dyn_cast<mlir::AffineDimExpr>(map.getResult(next++))) {
        loop = place.getPosition();
      } else {
        if (dimension.is_assumed) return false;
        continue;
      }
      all[loop].push_back({dimension.length, dimension.is_assumed});
    }
  }
  return llvm::all_of(all, [](const std::vector<Length>& loop) {
    return llvm::all_of(loop, [&](const Length& assumed) {
      return !assumed.is_assumed || llvm::any_of(loop, [&](const Length& one) {
        return !one.is_assumed && one.length == assumed.length;
      });
    });
  });
}

bool WholeLoop::read_operand(mlir::linalg::LinalgOp operation, mlir::OpOperand& operand,
                             bool is_sum, Whole& whole) {
  const auto shift = static_cast<unsigned>(whole.added.size());
  const mlir::AffineMap map = operation.getMatchingIndexingMap(&operand);
  const bool is_init = operation.isDpsInit(&operand);
  const auto known = tiles_.find(operand.get());
  std::vector<mlir::AffineExpr> places;
  std::vector<int> covered;
  unsigned next = 0;
  if (known != tiles_.end() && known->second.kind == Tiled::Kind::tile) {
    if (is_init && is_sum) return false;
    for (const Dimension& dimension : known->second.dimensions) {
      if (dimension.counter != no_counter) covered.push_back(dimension.counter);
      if (dimension.is_dropped) {
        const auto loop = llvm::find(whole.added, dimension.counter) - whole.added.begin();
        places.push_back(
            mlir::getAffineDimExpr(static_cast<unsigned>(loop), builder_.getContext()));
        continue;
      }
      const mlir::AffineExpr place = map.getResult(next++);
      if (dimension.counter == no_counter && runs_through_tile(place, whole)) return false;
      places.push_back(place.shiftDims(map.getNumDims(), shift));
    }
    whole.operands.push_back(known->second.whole);
  } else {
    const bool is_carried = known != tiles_.end();
    if (!is_carried && depends_.contains(operand.get())) return false;
    if (is_carried && (!is_sum || !is_init || known->second.kind == Tiled::Kind::sum)) return false;
    if (!is_carried && is_init) return false;
    for (const mlir::AffineExpr place : map.getResults()) {
      if (runs_through_tile(place, whole)) return false;
      places.push_back(place.shiftDims(map.getNumDims(), shift));
    }
    whole.operands.push_back(is_carried ? known->second.whole
                                        : known_.lookupOrDefault(operand.get()));
  }
  // The result must consist of the tiles of all steps; if not, later steps would overwrite earlier
  // ones.
  if (is_init && !is_sum && covered.size() != counters_.size()) return false;
  whole.maps.push_back(
      mlir::AffineMap::get(map.getNumDims() + shift, 0, places, builder_.getContext()));
  return true;
}

bool WholeLoop::make_whole(mlir::linalg::LinalgOp operation, bool is_sum, const Whole& whole) {
  std::vector<mlir::Type> types;
  for (mlir::OpOperand& init : operation.getDpsInitsMutable())
    types.push_back(whole.operands[init.getOperandNumber()].getType());
  Operation* made = nullptr;
  if (whole.added.empty()) {
    made = mlir::clone(builder_, operation.getOperation(), types, whole.operands);
  } else {
    const llvm::ArrayRef<Value> operands(whole.operands);
    const auto inputs = static_cast<std::size_t>(operation.getNumDpsInputs());
    llvm::SmallVector<mlir::utils::IteratorType> kinds(whole.added.size(),
                                                       mlir::utils::IteratorType::parallel);
    llvm::append_range(kinds, operation.getIteratorTypesArray());
    if (operation->getRegion(0).front().getNumArguments() != operands.size()) return false;
    auto generic = mlir::linalg::GenericOp::create(builder_, operation.getLoc(), types,
                                                   operands.take_front(inputs),
                                                   operands.drop_front(inputs), whole.maps, kinds);
    mlir::IRMapping inside = known_;
    operation->getRegion(0).cloneInto(&generic.getRegion(), inside);
    made = generic;
  }
  made_.push_back(made);
  for (unsigned i = 0; i < made->getNumResults(); ++i) {
    const auto init = tiles_.find(operation.getDpsInits()[i]);
    if (init == tiles_.end()) return false;
    Tiled result = init->second;
    for (Dimension& dimension : result.dimensions) dimension.is_assumed = false;
    if (is_sum) {
      ++carried_[result.argument].sums;
      result.kind = Tiled::Kind::sum;
    }
    result.whole = made->getResult(i);
    tiles_[operation->getResult(i)] = result;
  }
  return true;
}

}  // namespace heddle::compiler
