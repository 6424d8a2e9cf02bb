#include "compiler/reader/tensor_formula.h"

#include <algorithm>

namespace heddle::compiler {
namespace {

// For each part except the outermost, its size times the sizes of all parts inside of it, from
// inside to outside: for 4x2x8 they are 8 and 16. Null if one of these sizes is not known.
std::optional<std::vector<std::int64_t>> inner_sizes(const Parts& parts) {
  std::vector<std::int64_t> sizes;
  std::int64_t size = 1;
  for (std::size_t i = parts.size(); i-- > 1;) {
    if (parts[i] < 1 || __builtin_mul_overflow(size, parts[i], &size)) return std::nullopt;
    sizes.push_back(size);
  }
  return sizes;
}

}  // namespace

std::int64_t size_of(const Parts& parts) {
  std::int64_t size = 1;
  for (const std::int64_t part : parts)
    if (part < 0 || __builtin_mul_overflow(size, part, &size)) return -1;
  return size;
}

std::optional<Parts> common_parts(const Parts& x, const Parts& y) {
  if (x == y) return x;
  const auto x_inner = inner_sizes(x), y_inner = inner_sizes(y);
  const std::int64_t size = std::max(size_of(x), size_of(y));
  if (!x_inner || !y_inner) {
    // If the size of an inner part is unknown, neither x nor y can be split further: one must be
    // undivided.
    if (x.size() > 1 && y.size() > 1) return std::nullopt;
    Parts parts = x.size() > 1 ? x : y;
    const auto open = std::ranges::find(parts, -1);
    if (size < 0 || open == parts.end()) return parts;
    *open = 1;
    const std::int64_t others = size_of(parts);
    if (others < 1 || size % others != 0) return std::nullopt;
    *open = size / others;
    return parts;
  }
  std::vector<std::int64_t> ends = *x_inner;
  ends.insert(ends.end(), y_inner->begin(), y_inner->end());
  std::ranges::sort(ends);
  const auto repeated = std::ranges::unique(ends);
  ends.erase(repeated.begin(), repeated.end());
  Parts parts;
  std::int64_t below = 1;
  for (const std::int64_t end : ends) {
    if (end % below != 0) return std::nullopt;
    if (end != below) parts.insert(parts.begin(), end / below);
    below = end;
  }
  if (size >= 0 && size % below != 0) return std::nullopt;
  parts.insert(parts.begin(), size < 0 ? -1 : size / below);
  return parts;
}

Index joined(const Parts& parts, int first) {
  Index index;
  std::int64_t below = 1;
  for (std::size_t i = parts.size(); i-- > 0;) {
    Index part;
    part.add(Index::of(first + static_cast<int>(i)), below);
    index.add(part);
    // No factor is computed from the outermost size, so that one may be unknown.
    if (i > 0 && (parts[i] < 0 || __builtin_mul_overflow(below, parts[i], &below)))
      below = std::int64_t{1} << 62;
  }
  return index;
}

std::size_t TensorFormula::coordinates() const {
  std::size_t count = 0;
  for (const Parts& parts : dims) count += parts.size();
  return count;
}

int TensorFormula::first(std::size_t dim) const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < dim; ++i) count += dims[i].size();
  return static_cast<int>(count);
}

TensorFormula TensorFormula::with_parts(const std::vector<Parts>& parts) const {
  TensorFormula result{{}, parts};
  std::vector<Index> places(coordinates());
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    const Parts& fine = parts[dim];
    std::size_t end = fine.size();
    for (std::size_t i = dims[dim].size(); i-- > 0;) {
      // Finds the fine parts that make up the coarse part i. The outermost coarse part gets all
      // that remain.
      std::size_t begin = end;
      for (std::int64_t size = 1; begin > 0 && (i == 0 || size != dims[dim][i]);) {
        size = fine[--begin] < 0 ? dims[dim][i] : size * fine[begin];
      }
      const Parts run(fine.begin() + static_cast<std::ptrdiff_t>(begin),
                      fine.begin() + static_cast<std::ptrdiff_t>(end));
      places[static_cast<std::size_t>(first(dim)) + i] =
          joined(run, result.first(dim) + static_cast<int>(begin));
      end = begin;
    }
  }
  result.element = element.at(places);
  return result;
}

TensorFormula TensorFormula::with_dims(const std::vector<std::vector<int>>& wanted) const {
  Parts sizes;
  for (const Parts& parts : dims) sizes.insert(sizes.end(), parts.begin(), parts.end());
  TensorFormula result;
  std::vector<Index> places(sizes.size());
  int next = 0;
  for (const std::vector<int>& dim : wanted) {
    Parts& parts = result.dims.emplace_back();
    for (const int coordinate : dim) {
      parts.push_back(sizes[static_cast<std::size_t>(coordinate)]);
      places[static_cast<std::size_t>(coordinate)] = Index::of(next++);
    }
  }
  result.element = element.at(places);
  return result;
}

TensorFormula TensorFormula::merged() const {
  TensorFormula result;
  std::vector<Index> places;
  // True if, in all indices of the formula, one step of the coordinate `outer` moves as far as
  // `size` steps of the coordinate `inner`. Then one coordinate can replace the two.
  const auto continues = [&](int outer, int inner, std::int64_t size) {
    const auto follows = [&](const Index& index) {
      return static_cast<__int128>(index.factor_of(inner)) * size == index.factor_of(outer);
    };
    return std::ranges::all_of(element.leaves, [&](const Leaf& leaf) {
      return std::ranges::all_of(leaf.dims, follows) &&
             std::ranges::all_of(leaf.bounds, follows, &Bound::place);
    });
  };
  int next = 0;
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    Parts& parts = result.dims.emplace_back();
    int outer = -1;
    for (std::size_t i = 0; i < dims[dim].size(); ++i) {
      const int own = first(dim) + static_cast<int>(i);
      const std::int64_t size = dims[dim][i];
      places.push_back(Index{});
      if (size == 1) continue;
      // The coordinate `own` continues `outer`: one coordinate, with the product of both sizes,
      // replaces both.
      std::int64_t all = 0;
      if (outer >= 0 && size > 0 && parts.back() > 0 && continues(outer, own, size) &&
          !__builtin_mul_overflow(parts.back(), size, &all)) {
        parts.back() = all;
        places[static_cast<std::size_t>(outer)] = Index{};
        places.back() = Index::of(next - 1);
      } else {
        parts.push_back(size);
        places.back() = Index::of(next++);
      }
      outer = own;
    }
    if (parts.empty()) {
      parts.push_back(1);
      ++next;
    }
  }
  result.element = element.at(places);
  return result;
}

std::optional<std::vector<Index>> TensorFormula::places(const std::vector<Index>& at) const {
  std::vector<Index> places;
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    if (dims[dim].size() != 1 && at[dim] != Index{}) return std::nullopt;
    places.insert(places.end(), dims[dim].size(), at[dim]);
  }
  return places;
}

TensorFormula unwritten(mlir::Type type) {
  TensorFormula tensor;
  const auto shaped = mlir::dyn_cast<mlir::ShapedType>(type);
  if (!shaped || !shaped.hasRank()) return tensor;
  for (const std::int64_t size : shaped.getShape())
    tensor.dims.push_back({mlir::ShapedType::isDynamic(size) ? -1 : size});
  return tensor;
}

}  // namespace heddle::compiler
