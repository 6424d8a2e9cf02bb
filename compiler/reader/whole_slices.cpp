// The part of WholeLoop that reads slices: which of them are tiles, and where they are.
#include <algorithm>

#include "compiler/reader/whole_loop.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace heddle::compiler {
namespace {

using mlir::OpFoldResult;
using mlir::RankedTensorType;
using mlir::Value;

}  // namespace

std::optional<WholeLoop::Place> WholeLoop::place_of(mlir::OffsetSizeAndStrideOpInterface slice,
                                                    Value tensor, Value whole,
                                                    const llvm::SmallBitVector& dropped) {
  Place place;
  bool is_all = true;
  const auto type = mlir::cast<RankedTensorType>(whole.getType());
  for (unsigned i = 0; i < dropped.size(); ++i) {
    const OpFoldResult offset = slice.getMixedOffsets()[i], size = slice.getMixedSizes()[i],
                       stride = slice.getMixedStrides()[i];
    const SizePolynomial extent = sizes_.size(tensor, static_cast<int>(i));
    const SizePolynomial at = sizes_.of(offset);
    const auto counter = std::ranges::find(counters_, at, &Counter::offset);
    Dimension dimension{.is_dropped = dropped[i]};
    if (counter != counters_.end()) {
      dimension.counter = static_cast<int>(counter - counters_.begin());
      // If the same counter moved two dimensions, the tiles would lie on a diagonal and not cover
      // the whole tensor.
      const bool is_second = llvm::any_of(place.dimensions, [&](const Dimension& other) {
        return other.counter == dimension.counter;
      });
      if (is_second || mlir::getConstantIntValue(stride) != 1 ||
          !is_tile_size(size, dimension.counter) || !covers(counter->end, extent))
        return std::nullopt;
      dimension.length = counter->end;
      dimension.is_assumed = counter->end != extent;
      place.moves = true;
      place.offsets.push_back(builder_.getIndexAttr(0));
      place.sizes.push_back(length(whole, i));
      place.strides.push_back(stride);
      place.dimensions.push_back(dimension);
      place.numbers.push_back(static_cast<int>(i));
      place.shape.push_back(type.getDimSize(i));
      continue;
    }
    const auto from = outside(offset), by = outside(stride);
    auto count = outside(size);
    if (!from || !by || !count) return std::nullopt;
    // Two dynamic sizes of tensors are assumed to be equal.
    const SizePolynomial own = sizes_.of(size);
    const bool is_dimension = SizePolynomials::constant(at) == 0 &&
                              mlir::getConstantIntValue(stride) == 1 && !dropped[i] &&
                              (own == extent || (is_dynamic_size(own) && is_dynamic_size(extent)));
    if (is_dimension) count = length(whole, i);
    dimension.length = own;
    dimension.is_assumed = is_dimension && own != extent;
    is_all = is_all && is_dimension;
    // Types have the sizes that are attributes.
    const auto known = mlir::getConstantIntValue(*count);
    place.offsets.push_back(*from);
    place.sizes.push_back(known ? OpFoldResult(builder_.getIndexAttr(*known)) : *count);
    place.strides.push_back(*by);
    if (dropped[i]) continue;
    place.dimensions.push_back(dimension);
    place.numbers.push_back(static_cast<int>(i));
    place.shape.push_back(known ? *known : mlir::ShapedType::kDynamic);
  }
  if (is_all) place.offsets.clear();
  return place;
}

Value WholeLoop::taken(const Place& place, Value whole) {
  if (place.offsets.empty()) return whole;
  const auto type = RankedTensorType::get(
      place.shape, mlir::cast<RankedTensorType>(whole.getType()).getElementType());
  return make<mlir::tensor::ExtractSliceOp>(type, whole, place.offsets, place.sizes, place.strides)
      .getResult();
}

bool WholeLoop::notes_tile(unsigned argument, const Place& place,
                           const llvm::SmallBitVector& dropped) {
  std::vector<Dimension> along(dropped.size());
  for (std::size_t i = 0; i < place.numbers.size(); ++i)
    along[static_cast<std::size_t>(place.numbers[i])].counter = place.dimensions[i].counter;
  for (std::size_t counter = 0; counter < counters_.size(); ++counter)
    if (llvm::none_of(
            along, [&](const Dimension& one) { return one.counter == static_cast<int>(counter); }))
      return false;
  Carried& carried = carried_[argument];
  if (carried.dimensions.empty()) carried.dimensions = along;
  return carried.dimensions == along;
}

bool WholeLoop::take(mlir::tensor::ExtractSliceOp slice) {
  const auto source = tiles_.find(slice.getSource());
  const bool is_carried = source != tiles_.end() && source->second.kind == Tiled::Kind::carried;
  if (!is_carried && depends_.contains(slice.getSource())) return false;
  const Tiled from = is_carried ? source->second : Tiled{};
  const Value whole = is_carried ? from.whole : known_.lookupOrDefault(slice.getSource());
  const llvm::SmallBitVector dropped = slice.getDroppedDims();
  const auto place = place_of(slice, slice.getSource(), whole, dropped);
  if (!place) return false;
  if (!place->moves) {
    if (!is_carried || has_assumed(place->dimensions)) return false;
    tiles_[slice.getResult()] = {Tiled::Kind::part, taken(*place, whole), {}, from.argument, slice};
    return true;
  }
  if (is_carried && !notes_tile(from.argument, *place, dropped)) return false;
  tiles_[slice.getResult()] = {Tiled::Kind::tile, taken(*place, whole), place->dimensions, 0, {}};
  return true;
}

Value WholeLoop::with_tile(mlir::OffsetSizeAndStrideOpInterface insert, Value source, Value dest,
                           Value into, const llvm::SmallBitVector& dropped, unsigned argument) {
  const auto tile = tiles_.find(source);
  if (tile == tiles_.end() || tile->second.kind != Tiled::Kind::tile) return nullptr;
  const Tiled from = tile->second;
  const auto place = place_of(insert, dest, into, dropped);
  if (!place || from.dimensions != place->dimensions || has_assumed(from.dimensions) ||
      !notes_tile(argument, *place, dropped))
    return nullptr;
  if (!has_sizes_of(from.whole, *place, into)) return nullptr;
  if (place->offsets.empty()) return cast(from.whole, mlir::cast<RankedTensorType>(into.getType()));
  const auto type = RankedTensorType::get(
      place->shape, mlir::cast<RankedTensorType>(into.getType()).getElementType());
  return make<mlir::tensor::InsertSliceOp>(cast(from.whole, type), into, place->offsets,
                                           place->sizes, place->strides)
      .getResult();
}

bool WholeLoop::has_sizes_of(Value tile, const Place& place, Value into) {
  for (std::size_t i = 0; i < place.dimensions.size(); ++i)
    if (place.dimensions[i].is_assumed &&
        sizes_.size(tile, static_cast<int>(i)) != sizes_.size(into, place.numbers[i]))
      return false;
  return true;
}

bool WholeLoop::put(mlir::tensor::InsertSliceOp insert) {
  const auto dest = tiles_.find(insert.getDest());
  if (dest == tiles_.end() || dest->second.kind != Tiled::Kind::carried) return false;
  Tiled into = dest->second;
  const auto source = tiles_.find(insert.getSource());
  if (source != tiles_.end() && source->second.kind == Tiled::Kind::sum) {
    const Tiled sum = source->second;
    if (!sum.slice || sum.argument != into.argument || !is_same_place(insert, sum.slice))
      return false;
    const auto place = place_of(insert, insert.getDest(), into.whole, insert.getDroppedDims());
    if (!place || place->moves || has_assumed(place->dimensions)) return false;
    into.whole = place->offsets.empty()
                     ? cast(sum.whole, mlir::cast<RankedTensorType>(into.whole.getType()))
                     : make<mlir::tensor::InsertSliceOp>(sum.whole, into.whole, place->offsets,
                                                         place->sizes, place->strides)
                           .getResult();
  } else {
    into.whole = with_tile(insert, insert.getSource(), insert.getDest(), into.whole,
                           insert.getDroppedDims(), into.argument);
    if (!into.whole) return false;
  }
  tiles_[insert.getResult()] = into;
  return true;
}

bool WholeLoop::is_same_place(mlir::tensor::InsertSliceOp insert,
                              mlir::tensor::ExtractSliceOp slice) {
  const auto are_same = [&](llvm::ArrayRef<OpFoldResult> one, llvm::ArrayRef<OpFoldResult> other) {
    return llvm::all_of(llvm::zip_equal(one, other), [&](const auto& both) {
      return sizes_.of(std::get<0>(both)) == sizes_.of(std::get<1>(both));
    });
  };
  return insert.getDroppedDims() == slice.getDroppedDims() &&
         are_same(insert.getMixedOffsets(), slice.getMixedOffsets()) &&
         are_same(insert.getMixedSizes(), slice.getMixedSizes()) &&
         are_same(insert.getMixedStrides(), slice.getMixedStrides());
}

bool WholeLoop::insert_in_parallel(mlir::tensor::ParallelInsertSliceOp insert) {
  const auto arguments = loop_.getRegionIterArgs();
  const auto argument = llvm::find(arguments, insert.getDest());
  if (argument == arguments.end()) return false;
  const auto number = static_cast<unsigned>(argument - arguments.begin());
  results_[number] = with_tile(insert, insert.getSource(), insert.getDest(), results_[number],
                               insert.getDroppedDims(), number);
  return static_cast<bool>(results_[number]);
}

bool WholeLoop::read(mlir::tensor::EmptyOp empty) {
  Tiled tile;
  llvm::SmallVector<OpFoldResult> sizes;
  for (const OpFoldResult size : empty.getMixedSizes()) {
    int counter = 0;
    while (counter < static_cast<int>(counters_.size()) && !is_tile_size(size, counter)) ++counter;
    const bool is_tile = counter < static_cast<int>(counters_.size());
    const auto whole =
        is_tile ? made_size(counters_[static_cast<std::size_t>(counter)].end) : outside(size);
    if (!whole) return false;
    sizes.push_back(*whole);
    tile.dimensions.push_back({.counter = is_tile ? counter : no_counter});
    tile.dimensions.back().length =
        is_tile ? counters_[static_cast<std::size_t>(counter)].end : sizes_.of(size);
  }
  tile.whole = make<mlir::tensor::EmptyOp>(sizes, empty.getType().getElementType()).getResult();
  tiles_[empty.getResult()] = tile;
  return true;
}

}  // namespace heddle::compiler
