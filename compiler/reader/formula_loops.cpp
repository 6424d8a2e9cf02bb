// The part of FormulaReader that reads loops over tiles: scf.for and scf.forall. The loops
// disappear: no kernel has to know about them.
//
// While the body of a loop is read, the loop's counter is a temporary coordinate, and the value
// that the loop carries is a leaf with a special source. When the loop ends, there are two cases:
// - The steps write neighbouring tiles. Then the counters become coordinates of the result.
// - Each step adds to the carried value. Then the counter becomes one more loop over which the
// contraction sums.
#include <algorithm>

#include "compiler/reader/formula_reader.h"
#include "compiler/reader/values.h"
#include "library/text/formatted.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace heddle::compiler {
namespace {

constexpr std::string_view accepted_loops =
    "loops whose tiles lie side by side and fill the result, or of which each step adds a product "
    "to what the loop carries";

// Loop-carried values are leaves with sources `first`, `first` - 1, … Returns true if `element`
// reads none of these leaves, except perhaps the one with source `source`, and that one only with
// the indices `place`.
bool is_read_at(const Element& element, int first, int source, const std::vector<Index>& place) {
  return std::ranges::all_of(element.leaves, [&](const Leaf& leaf) {
    return leaf.source > first || (leaf.source == source && leaf.dims == place);
  });
}

}  // namespace

void ContractionFormula::without_counters() {
  for (std::size_t i = 0; i < result.size(); ++i) {
    const int counter = loops[static_cast<std::size_t>(result[i])].counter;
    if (counter >= 0) initial = initial.with(counter, Index::of(static_cast<int>(i)));
  }
}

bool FormulaReader::read_loop(mlir::LoopLikeOpInterface loop) {
  const std::size_t outer = counters_.size();
  if (!open_loop(loop)) return false;
  mlir::Block& body = loop.getLoopRegions().front()->front();
  for (mlir::Operation& operation : body.without_terminator())
    if (!read_operation(operation)) return false;
  const auto arguments = loop.getRegionIterArgs();
  for (unsigned i = 0; i < arguments.size(); ++i) {
    std::optional<TileFormula> written;
    if (mlir::isa<mlir::scf::ForOp>(loop)) {
      written = written_by(loop.getYieldedValues()[i], arguments[i]);
    } else {
      for (mlir::Operation& end : body.getTerminator()->getRegion(0).front()) {
        auto insert = mlir::dyn_cast<mlir::tensor::ParallelInsertSliceOp>(end);
        if (!insert || insert.getDest() != arguments[i]) continue;
        if (written)
          return refuse(end.getLoc(), "a second tile of one result in a step", accepted_loops);
        written = tile_of(insert, insert.getSource(), insert.getDest(), insert.getDroppedDims());
        if (!written) return refuse_tile(insert);
      }
      if (!written)
        return refuse(loop.getLoc(), "a result of which the loop writes nothing", accepted_loops);
    }
    if (!close_loop(loop, outer, i, *written)) return false;
  }
  counters_.resize(outer);
  ContractionFormula& contraction = formula_.contraction;
  for (const mlir::BlockArgument argument : arguments) {
    const int source = carried_.at(argument.getAsOpaquePointer());
    if (contraction.initial.reads(source) || contraction.factors[0].reads(source) ||
        contraction.factors[1].reads(source))
      return refuse(contraction.operation->getLoc(), "a product of what a step before it computed",
                    accepted_loops);
  }
  return true;
}

// Gives each counter of the loop a coordinate, and each value that the loop carries a formula: one
// leaf that stands for the value.
bool FormulaReader::open_loop(mlir::LoopLikeOpInterface loop) {
  const auto variables = *loop.getLoopInductionVars();
  const auto lower = *loop.getLoopLowerBounds(), upper = *loop.getLoopUpperBounds(),
             steps = *loop.getLoopSteps();
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const auto from = numbers_.constant(lower[i]), to = numbers_.constant(upper[i]),
               step = numbers_.constant(steps[i]);
    if (!from || !to || !step || *from < 0 || *from >= *to || *step < 1)
      return refuse(
          loop.getLoc(), "a loop that is not known to run, or how often",
          "loops from constants to larger ones in constant steps, or from 0 to the size of "
          "a tensor over tiles as long as a step");
    const std::int64_t count = (*to - *from + *step - 1) / *step;
    Index number{*from, {}};
    if (count > 1) {
      counters_.push_back(numbers_.open(count));
      number.add(Index::of(counters_.back()), *step);
    }
    numbers_.set(variables[i], number);
  }
  for (const auto& [initial, argument] :
       llvm::zip_equal(loop.getInits(), loop.getRegionIterArgs())) {
    const auto type = mlir::dyn_cast<mlir::RankedTensorType>(argument.getType());
    const auto element = element_type(mlir::getElementTypeOrSelf(argument.getType()));
    if (!type || !element || tiles_.contains(initial.getAsOpaquePointer()))
      return refuse(loop.getLoc(), "a loop that carries " + printed(argument.getType()),
                    "whole tensors of " + std::string(accepted_element_types));
    TensorFormula inside;
    for (const Parts& parts : tensor(initial).dims) inside.dims.push_back({size_of(parts)});
    const int source = Leaf::carried - static_cast<int>(carried_.size());
    carried_[argument.getAsOpaquePointer()] = source;
    inside.element.add_leaf({source, identity(inside.dims.size())}, *element);
    tensors_[argument.getAsOpaquePointer()] = std::move(inside);
  }
  return true;
}

// The tile that an operation inserts into `into`; null if its size or offsets are not known.
std::optional<TileFormula> FormulaReader::tile_of(mlir::OffsetSizeAndStrideOpInterface insert,
                                                  mlir::Value source, mlir::Value into,
                                                  const llvm::SmallBitVector& dropped) {
  const TensorFormula read = tensor(source);
  TileFormula written{{read.element, {}}, {}, into};
  bool is_known = !tiles_.contains(source.getAsOpaquePointer());
  std::size_t next = 0;
  for (unsigned i = 0; i < dropped.size() && is_known; ++i) {
    const auto offset = numbers_.number(insert.getMixedOffsets()[i]);
    const auto size = numbers_.constant(insert.getMixedSizes()[i]);
    const auto step = numbers_.constant(insert.getMixedStrides()[i]);
    Parts parts = dropped[i] ? Parts{} : read.dims[next++];
    if (size && parts == Parts{-1}) parts = {*size};
    is_known =
        offset && offset->is_place() && size && *size >= 1 && step == 1 && size_of(parts) == *size;
    written.tile.dims.push_back(std::move(parts));
    written.offsets.push_back(offset.value_or(Index{}));
  }
  return is_known ? std::optional(written) : std::nullopt;
}

bool FormulaReader::refuse_tile(mlir::OffsetSizeAndStrideOpInterface insert) {
  return refuse(insert.getLoc(), spelling(*insert) + " of a tile of unknown place or size",
                "tiles of constant sizes, whose offsets are sums of multiples of loops");
}

// Reads a tensor.insert_slice. Accepted destinations are: a value that a loop carries; a value that
// the slice overwrites entirely; and zeros, whose elements that are not overwritten become padding.
bool FormulaReader::read_insertion(mlir::tensor::InsertSliceOp insert) {
  const Element into = tensor(insert.getDest()).element;
  const bool is_zeros =
      into.nodes.size() == 1 && into.root().step == Step::constant && into.root().constant == 0;
  if (is_zeros) return read_reshape(*insert);
  const auto written =
      tile_of(insert, insert.getSource(), insert.getDest(), insert.getDroppedDims());
  const bool is_carried = carried_.contains(insert.getDest().getAsOpaquePointer());
  if (written && (is_carried || is_whole(*written))) {
    set_tile(insert.getResult(), *written);
    return true;
  }
  if (is_carried) return refuse_tile(insert);
  return refuse(insert.getLoc(), spelling(*insert) + " into something else than zeros",
                "a constant of zeros, or linalg.fill with them");
}

// The value at the end of a step as a tile of the carried value, or as all of it.
TileFormula FormulaReader::written_by(mlir::Value value, mlir::Value into) {
  const auto known = tiles_.find(value.getAsOpaquePointer());
  if (known != tiles_.end()) return known->second;
  const TensorFormula all = tensor(value);
  return {all, std::vector<Index>(all.dims.size()), into};
}

bool FormulaReader::is_whole(const TileFormula& written) {
  const TensorFormula into = tensor(written.into);
  for (std::size_t i = 0; i < into.dims.size(); ++i)
    if (written.offsets[i] != Index{} || size_of(written.tile.dims[i]) != size_of(into.dims[i]))
      return false;
  return true;
}

void FormulaReader::set_tile(mlir::Value value, const TileFormula& written) {
  if (is_whole(written))
    tensors_[value.getAsOpaquePointer()] = written.tile;
  else
    tiles_[value.getAsOpaquePointer()] = written;
}

// Computes the formula of the loop's result `number`, of which each step writes the tile `written`.
// The loop's counters are the elements of `counters_` from index `outer` on.
bool FormulaReader::close_loop(mlir::LoopLikeOpInterface loop, std::size_t outer, unsigned number,
                               TileFormula& written) {
  const mlir::Value argument = loop.getRegionIterArgs()[number];
  const mlir::Value initial = loop.getInits()[number];
  const int source = carried_.at(argument.getAsOpaquePointer());
  if (written.into != argument)
    return refuse(loop.getLoc(), "a step that writes a tile of something else than what it carries",
                  accepted_loops);
  written.tile = written.tile.merged();
  std::vector<Index> place = written.offsets;
  for (std::size_t i = 0; i < place.size(); ++i)
    if (written.tile.dims[i] != Parts{1})  // whose coordinate nothing has
      place[i].add(joined(written.tile.dims[i], written.tile.first(i)));
  const int first = carried_.at(loop.getRegionIterArgs().front().getAsOpaquePointer());
  bool is_own = is_read_at(written.tile.element, first, source, place);
  for (const Leaf& leaf : written.tile.element.leaves)
    if (leaf.source == Leaf::product)
      is_own =
          is_own && is_read_at(formula_.contraction.initial.at(leaf.dims), first, source, place);
  if (!is_own)
    return refuse(loop.getLoc(), "a step that reads another tile than the one that it writes",
                  accepted_loops);
  const std::vector<int> counters(counters_.begin() + static_cast<std::ptrdiff_t>(outer),
                                  counters_.end());
  const bool moves = llvm::any_of(counters, [&](int counter) {
    return llvm::any_of(written.offsets, [&](const Index& o) { return o.factor_of(counter) != 0; });
  });
  const bool is_sum = counters.size() == 1 && !moves && mlir::isa<mlir::scf::ForOp>(loop) &&
                      loop->getNumResults() == 1;
  if (is_sum ? !add_up(loop, written, counters[0], source)
             : !lay_side_by_side(loop, written, counters))
    return false;
  if (!replace_carried(written, source, initial)) return false;
  written.into = initial;
  set_tile(loop->getResult(number), written);
  // It is enough to fill a part if an outer loop carries `initial`: its other steps fill the rest.
  if (is_whole(written) || carried_.contains(initial.getAsOpaquePointer())) return true;
  return refuse(loop.getLoc(), "tiles that do not fill " + printed(initial.getType()),
                accepted_loops);
}

// For a loop whose steps add to the carried value: lets the contraction also sum over `counter`.
bool FormulaReader::add_up(mlir::LoopLikeOpInterface loop, TileFormula& written, int counter,
                           int source) {
  ContractionFormula& contraction = formula_.contraction;
  Element& sum = written.tile.element;
  const Leaf* leaf = sum.only_leaf();
  const bool is_product = leaf != nullptr && leaf->source == Leaf::product;
  const Element begun = is_product ? contraction.initial.at(leaf->dims) : Element{};
  if (begun.only_leaf() == nullptr || begun.only_leaf()->source != source)
    return refuse(loop.getLoc(), "a step that writes what the steps before it wrote",
                  accepted_loops);
  const auto summed = std::ranges::find(contraction.loops, counter, &ContractionLoop::counter);
  summed->is_summed = true;
  const auto at =
      std::ranges::find(contraction.result, static_cast<int>(summed - contraction.loops.begin()));
  const auto gone = at - contraction.result.begin();
  std::vector<Index> places = identity(contraction.result.size() - 1);
  places.insert(places.begin() + gone, Index{});
  contraction.initial = contraction.initial.at(places);
  contraction.result.erase(at);
  sum.leaves[0].dims.erase(sum.leaves[0].dims.begin() + gone);
  return true;
}

// For a loop whose steps write different tiles: combines these tiles into one larger tile. Each
// counter becomes a coordinate of the dimension along which it moves the tile.
bool FormulaReader::lay_side_by_side(mlir::LoopLikeOpInterface loop, TileFormula& written,
                                     const std::vector<int>& counters) {
  TensorFormula all;
  std::vector<Index> places;
  std::map<int, Index> found;
  int next = 0;
  for (std::size_t i = 0; i < written.offsets.size(); ++i) {
    std::vector<Index::Term> terms;
    for (const Index::Term& term : written.offsets[i].terms)
      if (llvm::is_contained(counters, term.coordinate)) terms.push_back(term);
    std::ranges::sort(terms, std::greater(), &Index::Term::factor);
    Parts& parts = all.dims.emplace_back();
    for (const Index::Term& term : terms) {
      parts.push_back(numbers_.count(term.coordinate));
      if (!found.try_emplace(term.coordinate, Index::of(next++)).second) found.clear();
      written.offsets[i] = written.offsets[i].with(term.coordinate, Index{});
    }
    const Parts& own = written.tile.dims[i];
    parts.insert(parts.end(), own.begin(), own.end());
    for (std::size_t part = 0; part < own.size(); ++part) places.push_back(Index::of(next++));
    // One step of a counter must advance the tile by the size of all coordinates inside of it. With
    // a smaller step tiles would overlap, with a larger one they would leave gaps.
    for (std::size_t term = 0; term < terms.size(); ++term)
      if (terms[term].factor !=
          size_of(Parts(parts.begin() + static_cast<std::ptrdiff_t>(term) + 1, parts.end())))
        return refuse(
            loop.getLoc(),
            formatted("tiles that overlap, or leave elements between them, in dimension {}", i),
            accepted_loops);
  }
  if (found.size() != counters.size())
    return refuse(loop.getLoc(), "a step that writes what the steps before it wrote",
                  accepted_loops);
  all.element = written.tile.element.at(places);
  for (const auto& [counter, place] : found) all.element = all.element.with(counter, place);
  written.tile = all.merged();
  return true;
}

// Replaces reads of the carried value by reads of `value`, the value before the loop. At the
// element that a step writes, the two are the same, since no earlier step has written that element.
bool FormulaReader::replace_carried(TileFormula& written, int source, mlir::Value value) {
  const TensorFormula before = tensor(value).merged();
  ContractionFormula& contraction = formula_.contraction;
  for (Element* element : {&written.tile.element, &contraction.initial}) {
    if (!element->reads(source)) continue;
    const bool is_initial = element == &contraction.initial;
    if (!before.element.is_written()) {
      if (!is_initial || element->only_leaf() == nullptr) return refuse_unwritten(value, false);
      *element = {};
      element->add({Step::constant, contraction.type});
      contraction.initial_is_any = true;
      continue;
    }
    Element replaced;
    bool is_known = true;
    const int root =
        replaced.add_all(*element, [&](const Leaf& leaf, instruction::ElementType type) {
          if (leaf.source != source) return replaced.add_leaf(leaf, type);
          const auto places = before.places(leaf.dims);
          is_known = is_known && places;
          return places ? replaced.add_all(before.element, *places) : 0;
        });
    if (!is_known)
      return refuse(place_of(value),
                    "tiles of " + printed(value.getType()) + ", which was reshaped",
                    "whole tensors that a loop carries");
    *element = replaced.part(root);
  }
  contraction.without_counters();
  return true;
}

}  // namespace heddle::compiler
