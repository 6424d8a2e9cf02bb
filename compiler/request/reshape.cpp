#include "compiler/request/reshape.h"

#include <algorithm>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace heddle::compiler {
namespace {

constexpr std::string_view accepted_padding =
    "zeros around a function argument, or around what is computed from one such that 0 stays 0, as "
    "many as constants say";

std::string words(mlir::Operation& operation) { return operation.getName().getStringRef().str(); }

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
    diagnostics_.error(operation_.getLoc(), words(operation_) + what, accepted);
    return std::nullopt;
  }
  std::nullopt_t refuse_splitting() {
    return refuse(" of sizes that do not divide each other",
                  "known sizes, of which at most the outermost of a group is dynamic");
  }

  // Dimensions of the source that are each made of `wanted` sizes.
  std::optional<TensorFormula> split(const std::vector<Parts>& wanted) {
    std::vector<Parts> parts;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const auto common = common_parts(source_.dims[i], wanted[i]);
      if (!common) return refuse_splitting();
      parts.push_back(*common);
    }
    return source_.with_parts(parts);
  }

  // The coordinates of `tensor`'s dimension `dim`, as lists that have the sizes `wanted`.
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
    const auto fine = split(wanted);
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

  // Where sizes are dynamic, a loop tells how long the dimension is that it runs over: then it has
  // to run over all of it.
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
      // In a function of unknown sizes loops may move a slice over all of a dimension.
      if (!is_whole &&
          (!offset || !offset->is_place() || !size || *size < 1 || !step || *step < 1 ||
           whole < 0 || parts.size() != 1 || (!is_static && offset->terms.empty()))) {
        return refuse(" with dynamic sizes, or of a dimension that was reshaped",
                      "constant offsets, sizes and strides, in a function of known sizes");
      }
      const std::int64_t rest = is_whole ? 0 : whole - 1 - numbers_.most(*offset);
      if (!is_whole && (rest < 0 || *size - 1 > rest / *step))
        return refuse(" beyond the end of dimension " + std::to_string(i),
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
    if (number && add_constant(number, value) >= 0 && value.root().constant == 0)
      if (auto result = surrounded(pad.getStaticLow(), pad.getStaticHigh())) return result;
    return refuse(" of something else", accepted_padding);
  }

  // Into zeros, as formula_reader.cpp knows.
  std::optional<TensorFormula> inserted(mlir::tensor::InsertSliceOp insert) {
    const Parts whole = sizes_of(insert.getDest());
    std::vector<std::int64_t> high;
    bool is_plain = whole.size() == source_.dims.size();
    for (std::size_t i = 0; i < whole.size() && is_plain; ++i) {
      is_plain = insert.getStaticStrides()[i] == 1 && insert.getStaticOffsets()[i] >= 0 &&
                 insert.getStaticSizes()[i] == size_of(source_.dims[i]) && whole[i] >= 0;
      if (is_plain)
        high.push_back(whole[i] - insert.getStaticSizes()[i] - insert.getStaticOffsets()[i]);
    }
    if (is_plain)
      if (auto result = surrounded(insert.getStaticOffsets(), high)) return result;
    return refuse(" of something else", accepted_padding);
  }

  // With zeros around it. The source is a function argument, whose places the kernel compares with
  // its sizes, or computed from one such that 0 stays 0.
  std::optional<TensorFormula> surrounded(llvm::ArrayRef<std::int64_t> lows,
                                          llvm::ArrayRef<std::int64_t> highs) const {
    if (!keeps_zero(source_.element) || source_.element.leaves[0].source < 0) return std::nullopt;
    TensorFormula tensor = source_;
    Leaf& leaf = tensor.element.leaves[0];
    if (leaf.before.empty()) leaf.before.assign(leaf.dims.size(), -1);
    for (std::size_t i = 0; i < source_.dims.size(); ++i) {
      const std::int64_t low = lows[i], high = highs[i];
      if (low == 0 && high == 0) continue;
      const Index own = Index::of(source_.first(i));
      const auto dim =
          static_cast<std::size_t>(std::ranges::find(leaf.dims, own) - leaf.dims.begin());
      const std::int64_t size = size_of(source_.dims[i]);
      constexpr std::int64_t most = std::int64_t{1} << 31;
      if (low < 0 || high < 0 || low > most || high > most || size < 0 ||
          source_.dims[i].size() != 1 || dim == leaf.dims.size() || leaf.is_padded(dim) ||
          size != argument_size(leaf.source, dim))
        return std::nullopt;
      leaf.before[dim] = low;
      tensor.dims[i] = {low + size + high};
    }
    return tensor;
  }

  // -1: dynamic.
  std::int64_t argument_size(int argument, std::size_t dim) const {
    const auto type = mlir::cast<mlir::ShapedType>(
        function().getArgumentTypes()[static_cast<unsigned>(argument)]);
    const std::int64_t size = type.getShape()[dim];
    return mlir::ShapedType::isDynamic(size) ? -1 : size;
  }

  // The sizes in which pack splits each dimension of the unpacked tensor; nothing unless tiles are
  // known and fill it.
  std::optional<std::vector<Parts>> tiled(const Parts& sizes,
                                          llvm::ArrayRef<std::int64_t> positions,
                                          llvm::ArrayRef<std::int64_t> tiles) {
    std::vector<Parts> wanted;
    for (const std::int64_t size : sizes) wanted.push_back({size});
    for (std::size_t i = 0; i < positions.size(); ++i) {
      Parts& parts = wanted[static_cast<std::size_t>(positions[i])];
      if (tiles[i] < 1 || parts[0] < 0 || parts[0] % tiles[i] != 0) {
        refuse(" of a size that its tiles do not fill", "known sizes, multiples of constant tiles");
        return std::nullopt;
      }
      parts = {parts[0] / tiles[i], tiles[i]};
    }
    return wanted;
  }

  // The dimensions of the packed tensor as pairs: which of the unpacked one, and which part of it.
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

  std::optional<TensorFormula> packed(mlir::linalg::PackOp pack) {
    Parts sizes;
    for (const Parts& parts : source_.dims) sizes.push_back(size_of(parts));
    const auto wanted = tiled(sizes, pack.getInnerDimsPos(), pack.getStaticInnerTiles());
    if (!wanted) return std::nullopt;
    const auto fine = split(*wanted);
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
    const auto wanted = tiled(sizes, unpack.getInnerDimsPos(), unpack.getStaticInnerTiles());
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
    return source_.with_dims(dims);
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

std::optional<TensorFormula> reshaped(mlir::Operation& operation, const TensorFormula& source,
                                      const LoopNumbers& numbers, Diagnostics& diagnostics) {
  if (operation.getNumResults() != 1) {
    diagnostics.error(operation.getLoc(), words(operation) + " of memrefs", "the one of tensors");
    return std::nullopt;
  }
  return Reshaper(operation, source, numbers, diagnostics).result();
}

}  // namespace heddle::compiler
