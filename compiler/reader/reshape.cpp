#include "compiler/reader/reshape.h"

#include <algorithm>

#include "compiler/reader/values.h"
#include "library/text/formatted.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace heddle::compiler {
namespace {

constexpr std::string_view accepted_padding =
    "a constant around what is computed from function arguments, before it as often as constants "
    "say; along a dimension of an unknown size around function arguments themselves";

Parts sizes_of(mlir::Value value) {
  Parts sizes;
  for (const Parts& parts : unwritten(value.getType()).dims) sizes.push_back(parts[0]);
  return sizes;
}

class Reshaper {
 public:
  Reshaper(mlir::Operation& operation, const TensorFormula& source, const LoopNumbers& numbers,
           Diagnostics& diagnostics)
      : operation_(operation), source_(source), numbers_(numbers), diagnostics_(diagnostics) {}

  std::optional<TensorFormula> result() {
    if (mlir::isa<mlir::tensor::CastOp>(operation_)) return source_;
    if (auto expand = mlir::dyn_cast<mlir::tensor::ExpandShapeOp>(operation_))
      return expanded(expand.getReassociationIndices());
    if (auto collapse = mlir::dyn_cast<mlir::tensor::CollapseShapeOp>(operation_))
      return collapsed(collapse.getReassociationIndices());
    if (auto slice = mlir::dyn_cast<mlir::tensor::ExtractSliceOp>(operation_)) return sliced(slice);
    if (auto pad = mlir::dyn_cast<mlir::tensor::PadOp>(operation_)) return padded(pad);
    if (auto insert = mlir::dyn_cast<mlir::tensor::InsertSliceOp>(operation_))
      return inserted(insert);
    if (auto pack = mlir::dyn_cast<mlir::linalg::PackOp>(operation_)) return packed(pack);
    return unpacked(mlir::cast<mlir::linalg::UnPackOp>(operation_));
  }

 private:
  using Groups = llvm::SmallVector<mlir::ReassociationIndices, 4>;

  std::nullopt_t refuse(const std::string& what, std::string_view accepted) {
    diagnostics_.error(operation_.getLoc(), spelling(operation_) + what, accepted);
    return std::nullopt;
  }
  std::nullopt_t refuse_splitting() {
    return refuse(" of sizes that do not divide each other",
                  "known sizes, of which at most the outermost of a group is dynamic");
  }

  // True if the size of a part is unknown, and it is not the outermost part. Outer parts of size 1
  // do not count.
  static bool is_open_inside(const Parts& parts) {
    const auto outer = std::ranges::find_if(parts, [](std::int64_t size) { return size != 1; });
    return outer != parts.end() && std::find(outer + 1, parts.end(), -1) != parts.end();
  }

  // `tensor` with each dimension i split so that the new parts refine the sizes `wanted`[i]; null
  // if that is refused.
  std::optional<TensorFormula> split(const TensorFormula& tensor,
                                     const std::vector<Parts>& wanted) {
    std::vector<Parts> parts;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const auto common = common_parts(tensor.dims[i], wanted[i]);
      if (!common || (tensor.dims[i].size() == 1 && is_open_inside(*common)))
        return refuse_splitting();
      parts.push_back(*common);
    }
    return tensor.with_parts(parts);
  }

  // Divides the coordinates of dimension `dim` of `tensor` into groups of neighbours, so that the
  // sizes in group i multiply to `wanted`[i]. Null if that is not possible.
  static std::optional<std::vector<std::vector<int>>> runs(const TensorFormula& tensor,
                                                           std::size_t dim, const Parts& wanted) {
    std::vector<std::vector<int>> all(wanted.size());
    const Parts& parts = tensor.dims[dim];
    std::size_t end = parts.size();
    for (std::size_t i = wanted.size(); i-- > 0;) {
      std::int64_t size = 1;
      while (end > 0 && (i == 0 || size != wanted[i])) {
        --end;
        all[i].insert(all[i].begin(), tensor.first(dim) + static_cast<int>(end));
        if (parts[end] < 0) {
          size = wanted[i];
        } else if (__builtin_mul_overflow(size, parts[end], &size)) {
          return std::nullopt;
        }
      }
      if (i > 0 && size != wanted[i]) return std::nullopt;
    }
    return all;
  }

  std::optional<TensorFormula> expanded(const Groups& groups) {
    const Parts sizes = sizes_of(operation_.getResult(0));
    std::vector<Parts> wanted;
    for (const auto& group : groups) {
      Parts& parts = wanted.emplace_back();
      for (const std::int64_t dim : group) parts.push_back(sizes[static_cast<std::size_t>(dim)]);
    }
    if (groups.empty()) {  // of one element
      TensorFormula result{source_.element, std::vector<Parts>(sizes.size(), Parts{1})};
      return result;
    }
    const auto fine = split(source_, wanted);
    if (!fine) return std::nullopt;
    std::vector<std::vector<int>> dims;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const auto all = runs(*fine, i, wanted[i]);
      if (!all) return refuse_splitting();
      dims.insert(dims.end(), all->begin(), all->end());
    }
    return fine->with_dims(dims);
  }

  TensorFormula collapsed(const Groups& groups) const {
    if (groups.empty()) {
      const std::vector<Index> first(source_.coordinates());
      return {source_.element.at(first), {}};
    }
    TensorFormula result{source_.element, {}};
    for (const auto& group : groups) {
      Parts& parts = result.dims.emplace_back();
      for (const std::int64_t dim : group) {
        const Parts& own = source_.dims[static_cast<std::size_t>(dim)];
        parts.insert(parts.end(), own.begin(), own.end());
      }
    }
    return result;
  }

  // True if the sizes of all function arguments are static. If some are dynamic, the length of a
  // dimension is known only from a loop over it, so such a loop must run over the whole dimension.
  bool has_static_arguments() const {
    return llvm::all_of(function().getArgumentTypes(), [](mlir::Type type) {
      const auto shaped = mlir::dyn_cast<mlir::ShapedType>(type);
      return !shaped || shaped.hasStaticShape();
    });
  }

  mlir::func::FuncOp function() const { return operation_.getParentOfType<mlir::func::FuncOp>(); }

  std::optional<TensorFormula> sliced(mlir::tensor::ExtractSliceOp slice) {
    const llvm::SmallBitVector dropped = slice.getDroppedDims();
    const bool is_static = has_static_arguments();
    TensorFormula result;
    std::vector<Index> places;
    int next = 0;
    for (std::size_t i = 0; i < source_.dims.size(); ++i) {
      const Parts& parts = source_.dims[i];
      const auto offset = numbers_.number(slice.getMixedOffsets()[i]);
      const auto size = numbers_.constant(slice.getMixedSizes()[i]);
      const auto step = numbers_.constant(slice.getMixedStrides()[i]);
      const std::int64_t whole = size_of(parts);
      const bool is_whole = offset == Index{} && step == 1 && size == whole;
      // With dynamic sizes, a slice is accepted only if a loop moves it over the whole dimension.
      if (!is_whole &&
          (!offset || !offset->is_place() || !size || *size < 1 || !step || *step < 1 ||
           whole < 0 || parts.size() != 1 || (!is_static && offset->terms.empty()))) {
        return refuse(" with dynamic sizes, or of a dimension that was reshaped",
                      "constant offsets, sizes and strides, in a function of known sizes");
      }
      const std::int64_t rest = is_whole ? 0 : whole - 1 - numbers_.most(*offset);
      if (!is_whole && (rest < 0 || *size - 1 > rest / *step))
        return refuse(formatted(" beyond the end of dimension {}", i),
                      "slices inside of what they are of");
      const Index first = is_whole ? Index{} : *offset;
      if (dropped[static_cast<unsigned>(i)]) {
        places.resize(places.size() + parts.size(), first);
        continue;
      }
      result.dims.push_back(is_whole ? parts : Parts{*size});
      for (std::size_t part = 0; part < parts.size(); ++part) {
        places.push_back(first);
        places.back().add(Index::of(next++), is_whole ? 1 : *step);
      }
    }
    result.element = source_.element.at(places);
    return result;
  }

  std::optional<TensorFormula> padded(mlir::tensor::PadOp pad) {
    Element value;
    const mlir::Value number = pad.getConstantPaddingValue();
    if (number && add_constant(number, value) >= 0)
      if (auto result =
              surrounded(source_, value.root(), pad.getStaticLow(), pad.getStaticHigh())) {
        const Parts sizes = sizes_of(pad.getResult());
        for (std::size_t i = 0; i < sizes.size(); ++i)
          if (size_of(result->dims[i]) < 0) result->dims[i] = {sizes[i]};
        return result;
      }
    return refuse(" of something else", accepted_padding);
  }

  // Into zeros, as formula_loops.cpp knows.
  std::optional<TensorFormula> inserted(mlir::tensor::InsertSliceOp insert) {
    const Parts whole = sizes_of(insert.getDest());
    const llvm::ArrayRef<std::int64_t> lows = insert.getStaticOffsets(),
                                       sizes = insert.getStaticSizes(),
                                       steps = insert.getStaticStrides();
    std::vector<std::int64_t> highs;
    bool is_plain = whole.size() == source_.dims.size();
    for (std::size_t i = 0; i < whole.size() && is_plain; ++i) {
      is_plain = steps[i] >= 1 && lows[i] >= 0 && sizes[i] == size_of(source_.dims[i]) &&
                 whole[i] >= 0 && (sizes[i] - 1) <= (whole[i] - 1 - lows[i]) / steps[i];
      if (is_plain) highs.push_back(whole[i] - lows[i] - (sizes[i] - 1) * steps[i] - 1);
    }
    if (is_plain)
      if (auto result = surrounded(source_, zero(), lows, highs, steps)) return result;
    return refuse(" of something else", accepted_padding);
  }

  Node zero() const { return {Step::constant, source_.element.root().type}; }

  // `source` padded with `constant` around it and, if `steps` are given, between its elements. All
  // leaves of the formula must be elements of function arguments: in the padding, these are read as
  // 0. If the formula does not compute the constant from these zeros, a mask selects the constant
  // there.
  static std::optional<TensorFormula> surrounded(const TensorFormula& source, const Node& constant,
                                                 llvm::ArrayRef<std::int64_t> lows,
                                                 llvm::ArrayRef<std::int64_t> highs,
                                                 llvm::ArrayRef<std::int64_t> steps = {}) {
    const bool is_same = source.element.nodes == std::vector{constant};
    const bool is_plain = is_same || (constant.constant == 0 && keeps_zero(source.element));
    const auto is_argument = [](const Leaf& leaf) { return leaf.source >= 0; };
    if ((source.element.leaves.empty() && !is_same) ||
        !std::ranges::all_of(source.element.leaves, is_argument))
      return std::nullopt;
    TensorFormula tensor = source;
    std::vector<Leaf>& leaves = tensor.element.leaves;
    Leaf mask = leaves.empty() ? Leaf{} : leaves[0];
    mask.bounds.clear();
    mask.is_mask = true;
    for (std::size_t i = 0; i < source.dims.size(); ++i) {
      const std::int64_t low = lows[i], high = highs[i], step = steps.empty() ? 1 : steps[i];
      if (low == 0 && high == 0 && step == 1) continue;
      const int own = source.first(i);
      const std::int64_t size = size_of(source.dims[i]);
      constexpr std::int64_t most = std::int64_t{1} << 31;
      const bool is_open_end = mlir::ShapedType::isDynamic(high);
      if (low < 0 || (high < 0 && !is_open_end) || low > most || high > most || step > most ||
          size > most || source.dims[i].size() != 1 || (size < 0 && step != 1))
        return std::nullopt;
      if (step != 1) {  // one dimension of the argument, by itself
        if (leaves.size() != 1) return std::nullopt;
        Leaf& leaf = leaves[0];
        const auto dim = std::ranges::find(leaf.dims, Index::of(own));
        const auto number = static_cast<std::size_t>(dim - leaf.dims.begin());
        if (leaf.over.empty()) leaf.over.assign(leaf.dims.size(), 1);
        if (dim == leaf.dims.end() || leaf.over[number] != 1 || leaf.is_padded(number))
          return std::nullopt;
        leaf.over[number] = step;
      }
      const Index inside{-low, {{own, 1}}};
      const std::int64_t beside = low + (is_open_end ? 0 : high);
      bool is_known = true;
      const auto surround = [&](Leaf& leaf) {
        Bound bound{inside, (size - 1) * step + 1, step};
        if (size < 0) {  // a dimension of the argument, by itself, says how long it is
          const auto dim = std::ranges::find(leaf.dims, Index::of(own));
          is_known = is_known && dim != leaf.dims.end() && leaf.over.empty();
          bound = {inside, -1, 1, static_cast<int>(dim - leaf.dims.begin()), beside};
        }
        leaf = leaf.moved([&](const Index& index) { return index.with(own, inside); });
        leaf.bounds.push_back(bound);
      };
      std::ranges::for_each(leaves, surround);
      surround(mask);
      if (!is_known) return std::nullopt;
      tensor.dims[i] = {size < 0 || is_open_end ? -1 : (size - 1) * step + 1 + beside};
    }
    if (is_plain || mask.bounds.empty()) return tensor;
    Element& element = tensor.element;
    const int root = static_cast<int>(element.nodes.size()) - 1;
    const int is_inside = element.add_leaf(mask, instruction::ElementType::b1);
    element.add({Step::select, constant.type, {is_inside, root, element.add(constant)}});
    return tensor;
  }

  // For each dimension of the unpacked tensor: the sizes of its parts in the packed tensor (number
  // of tiles, size of a tile). The last tile may extend beyond the end of the dimension. Null if a
  // size is not known.
  std::optional<std::vector<Parts>> tiled(const Parts& sizes,
                                          llvm::ArrayRef<std::int64_t> positions,
                                          llvm::ArrayRef<mlir::OpFoldResult> tiles) {
    std::vector<Parts> wanted;
    for (const std::int64_t size : sizes) wanted.push_back({size});
    for (std::size_t i = 0; i < positions.size(); ++i) {
      Parts& parts = wanted[static_cast<std::size_t>(positions[i])];
      const std::int64_t tile = numbers_.constant(tiles[i]).value_or(0);
      if (tile < 1 || parts[0] < 1) return refuse_tiles();
      parts = {(parts[0] - 1) / tile + 1, tile};
    }
    return wanted;
  }
  std::nullopt_t refuse_tiles() {
    return refuse(" of a size that its tiles do not fill",
                  "known sizes, multiples of constant tiles, or padded with zeros");
  }

  // Says which part of an unpacked dimension each dimension of the packed tensor is: (dimension of
  // the unpacked tensor, part). Part 0 is the number of the tile, part 1 the index within the tile.
  static std::vector<std::pair<std::size_t, std::size_t>> order(
      std::size_t rank, llvm::ArrayRef<std::int64_t> outer,
      llvm::ArrayRef<std::int64_t> positions) {
    std::vector<std::pair<std::size_t, std::size_t>> all;
    for (std::size_t i = 0; i < rank; ++i)
      all.emplace_back(outer.empty() ? i : static_cast<std::size_t>(outer[i]), 0);
    for (const std::int64_t position : positions)
      all.emplace_back(static_cast<std::size_t>(position), 1);
    return all;
  }

  // Reads linalg.pack. If the last tile along a dimension extends beyond the end, it is padded with
  // zeros.
  std::optional<TensorFormula> packed(mlir::linalg::PackOp pack) {
    Parts sizes = sizes_of(pack.getSource());
    for (std::size_t i = 0; i < sizes.size(); ++i)
      if (sizes[i] < 0) sizes[i] = size_of(source_.dims[i]);
    const auto wanted = tiled(sizes, pack.getInnerDimsPos(), pack.getMixedTiles());
    if (!wanted) return std::nullopt;
    TensorFormula filled = source_;
    std::vector<std::int64_t> highs;
    bool is_short = false;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const std::int64_t whole = size_of((*wanted)[i]), has = size_of(source_.dims[i]);
      if (has != whole && has != sizes[i]) return refuse_tiles();
      highs.push_back(whole - has);
      if (whole == sizes[i]) continue;
      is_short = true;
      if (has == whole && !filled.element.leaves.empty())  // whole tiles, which linalg.unpack gave
        filled.element.leaves[0].bounds.push_back(
            {joined(source_.dims[i], source_.first(i)), sizes[i]});
    }
    Element padding;
    const bool has_padding =
        pack.getPaddingValue() && add_constant(pack.getPaddingValue(), padding) >= 0;
    const std::vector<std::int64_t> lows(sizes.size());
    const auto padded =
        is_short && has_padding ? surrounded(filled, padding.root(), lows, highs) : filled;
    if (!padded || (is_short && !has_padding)) return refuse_tiles();
    const auto fine = split(*padded, *wanted);
    if (!fine) return std::nullopt;
    std::vector<std::vector<int>> dims;
    for (const auto& [dim, part] :
         order(sizes.size(), pack.getOuterDimsPerm(), pack.getInnerDimsPos())) {
      const auto all = runs(*fine, dim, (*wanted)[dim]);
      if (!all) return refuse_splitting();
      dims.push_back((*all)[part]);
    }
    return fine->with_dims(dims);
  }

  std::optional<TensorFormula> unpacked(mlir::linalg::UnPackOp unpack) {
    const Parts sizes = sizes_of(operation_.getResult(0));
    const auto wanted = tiled(sizes, unpack.getInnerDimsPos(), unpack.getMixedTiles());
    if (!wanted) return std::nullopt;
    std::vector<std::vector<int>> dims(sizes.size());
    const auto places = order(sizes.size(), unpack.getOuterDimsPerm(), unpack.getInnerDimsPos());
    for (std::size_t part : {0u, 1u}) {
      for (std::size_t i = 0; i < places.size(); ++i) {
        if (places[i].second != part) continue;
        for (std::size_t own = 0; own < source_.dims[i].size(); ++own)
          dims[places[i].first].push_back(source_.first(i) + static_cast<int>(own));
      }
    }
    TensorFormula result = source_.with_dims(dims);
    for (std::size_t i = 0; i < sizes.size(); ++i)
      if (size_of(result.dims[i]) != size_of((*wanted)[i])) return refuse_tiles();
    return result;
  }

  mlir::Operation& operation_;
  const TensorFormula& source_;
  const LoopNumbers& numbers_;
  Diagnostics& diagnostics_;
};

}  // namespace

bool is_reshape(mlir::Operation& operation) {
  return mlir::isa<mlir::tensor::CastOp, mlir::tensor::ExpandShapeOp, mlir::tensor::CollapseShapeOp,
                   mlir::tensor::ExtractSliceOp, mlir::tensor::InsertSliceOp, mlir::tensor::PadOp,
                   mlir::linalg::PackOp, mlir::linalg::UnPackOp>(operation);
}

bool stands_over(const TensorFormula& tensor, mlir::Value value) {
  const Parts sizes = sizes_of(value);
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] >= 0 && sizes[i] < size_of(tensor.dims[i])) return true;
  return false;
}

std::optional<TensorFormula> reshaped(mlir::Operation& operation, const TensorFormula& source,
                                      const LoopNumbers& numbers, Diagnostics& diagnostics) {
  if (operation.getNumResults() != 1) {
    diagnostics.error(operation.getLoc(), spelling(operation) + " of memrefs",
                      "the one of tensors");
    return std::nullopt;
  }
  return Reshaper(operation, source, numbers, diagnostics).result();
}

}  // namespace heddle::compiler
