// The part of RequestBuilder that finds sizes: how long each loop is, which loops form m, n, k and
// the batch, and which sizes are arguments of the kernel.
#include <algorithm>
#include <array>

#include "compiler/frontend/request_builder.h"
#include "library/text/formatted.h"

namespace heddle::compiler {
namespace {

using plan::Loop;

// The size for which a plan is made if the real size is known only at launch.
constexpr std::int64_t planned_size = 1024;

// The same for the size of one loop of a group that has several, and for the size of a dimension
// over which a window moves.
constexpr std::int64_t planned_part = 32;

constexpr std::array<const char*, 4> loop_names{"m", "n", "k", "a batch"};

}  // namespace

bool reads(const Leaf& leaf, int loop) {
  return std::ranges::any_of(leaf.dims,
                             [&](const Index& index) { return index.factor_of(loop) != 0; });
}

// Finds the size of each loop from the sizes of the dimensions over which it runs, and the sizes of
// dimensions from those of loops.
bool RequestBuilder::find_sizes() {
  std::vector<Use> uses;
  for (const Leaf* leaf : all_leaves())
    for (std::size_t i = 0; i < leaf->dims.size(); ++i)
      if (!leaf->is_padded(i))
        uses.push_back({static_cast<std::size_t>(buffer_of(*leaf)), i, &leaf->dims[i]});
  spread_sizes(uses);
  if (!find_dynamic_dimensions(uses) || !find_windows(uses)) return false;
  unpadded_windows_ = windows_.size();
  return find_padded_windows() && check_loop_sizes();
}

std::int64_t& RequestBuilder::shape_of(const Use& use) {
  return request_.buffers[use.buffer].shape[use.dimension];
}

// If a dimension's index runs over the whole dimension, with one loop or with several nested ones,
// returns the outermost of these loops; otherwise null.
const Index::Term* RequestBuilder::outermost(const Index& index) const {
  const auto size_of = [&](int loop) { return loops_.sizes[static_cast<std::size_t>(loop)]; };
  auto terms = index.terms;
  std::ranges::sort(terms, {}, [&](const Index::Term& term) {
    return std::pair(term.factor, size_of(term.coordinate) != 1);
  });
  std::int64_t filled = 1;
  if (terms.empty() || index.constant != 0) return nullptr;
  for (const Index::Term& term : terms) {
    if (term.factor != filled) return nullptr;
    if (term.coordinate == terms.back().coordinate) return &*std::ranges::find(index.terms, term);
    if (size_of(term.coordinate) < 0 ||
        __builtin_mul_overflow(filled, size_of(term.coordinate), &filled))
      return nullptr;
  }
  return nullptr;
}

// If one of a dimension and its outermost loop has a known size, computes the size of the other
// from it. Repeats this until nothing changes.
void RequestBuilder::spread_sizes(const std::vector<Use>& uses) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const Use& use : uses) {
      const Index::Term* outer = outermost(*use.index);
      if (outer == nullptr) continue;
      std::int64_t& shape = shape_of(use);
      std::int64_t& size = loops_.sizes[static_cast<std::size_t>(outer->coordinate)];
      if ((shape < 0) == (size < 0)) continue;
      changed = true;
      if (shape < 0 && __builtin_mul_overflow(size, outer->factor, &shape)) shape = most_bytes;
      if (size < 0) size = shape / outer->factor;
    }
  }
}

// Checks the indices of dimensions of known size. Gives each dynamic dimension the outermost loop
// that runs over it; a dimension without such a loop is left to find_windows. Refuses a dynamic
// dimension over which two different loops run: kernels are not told that sizes of two loops are
// equal.
bool RequestBuilder::find_dynamic_dimensions(const std::vector<Use>& uses) {
  const auto is_elsewhere = [&](const Use& use) {
    return std::ranges::any_of(uses, [&](const Use& other) {
      return other.buffer == use.buffer && other.dimension == use.dimension &&
             *other.index != Index{};
    });
  };
  const auto name = [&](int loop) {
    for (std::size_t group = 0; group < 4; ++group) {
      const std::vector<int> loops = members(static_cast<Loop>(group));
      if (std::ranges::count(loops, loop) != 0) return loop_names[group];
    }
    return "another loop";
  };
  for (const Use& use : uses) {
    const Index::Term* outer = outermost(*use.index);
    if (*use.index == Index{} && is_elsewhere(use)) continue;  // the first of its elements
    if (shape_of(use) >= 0) {
      if (!check_index(use.buffer, use.dimension, *use.index)) return false;
      continue;
    }
    if (outer == nullptr) continue;
    const std::pair as_long{outer->coordinate, outer->factor};
    const auto [known, is_new] = dynamic_.try_emplace({use.buffer, use.dimension}, as_long);
    if (is_new || known->second == as_long) continue;
    return refuse(place(),
                  std::string("an argument with one dimension for ") + name(known->second.first) +
                      " and for " + name(as_long.first),
                  "one known size for all dimensions that must be equal");
  }
  return true;
}

// Adds a window over `dimension` (see windows_) with the given index, which counts as a loop of the
// dimension's size. `what` describes such dimensions in the error message that there are too many.
bool RequestBuilder::add_window(std::pair<std::size_t, std::size_t> dimension, const Index& index,
                                const char* what) {
  const int window = first_window - static_cast<int>(windows_.size());
  if (window < static_cast<int>(loops_.sizes.size()))
    return refuse(place(), formatted("{} dynamic dimensions {}", windows_.size(), what),
                  "fewer than 64 together with the loops");
  windows_.push_back(index);
  dynamic_[dimension] = {window, 1};
  return true;
}

// Adds a window for each dynamic dimension over which no loop runs alone, so that the dimension's
// size becomes a separate argument.
bool RequestBuilder::find_windows(const std::vector<Use>& uses) {
  return std::ranges::all_of(uses, [&](const Use& use) {
    const std::pair dimension{use.buffer, use.dimension};
    return shape_of(use) >= 0 || outermost(*use.index) != nullptr || dynamic_.contains(dimension) ||
           add_window(dimension, *use.index, "under windows");
  });
}

// Finds the sizes of padded dimensions: they are as long as the loops reach, minus the padding.
bool RequestBuilder::find_padded_windows() {
  for (const Leaf* leaf : all_leaves())
    for (const Bound& bound : leaf->bounds) {
      if (bound.size >= 0) continue;
      const std::pair dimension{static_cast<std::size_t>(buffer_of(*leaf)),
                                static_cast<std::size_t>(bound.dimension)};
      if (request_.buffers[dimension.first].shape[dimension.second] >= 0 ||
          dynamic_.contains(dimension))
        continue;
      Index index = bound.place;
      index.constant = -bound.beside;
      if (!add_window(dimension, index, "with padding")) return false;
    }
  return true;
}

bool RequestBuilder::check_loop_sizes() {
  for (std::size_t i = 0; i < loops_.sizes.size(); ++i) {
    const auto is_it = [&](const auto& entry) { return entry.second.first == static_cast<int>(i); };
    if (loops_.sizes[i] >= 1 || (loops_.sizes[i] < 0 && std::ranges::any_of(dynamic_, is_it)))
      continue;
    return refuse(place(), "a loop of an unknown size", "loops that are as long as a dimension");
  }
  return true;
}

// Gives numbers to the strides that are arguments of the kernel. Each of them counts as a size.
bool RequestBuilder::find_strides() {
  for (std::size_t i = 0; i < request_.buffers.size(); ++i) {
    const std::vector<std::int64_t>& strides = request_.buffers[i].strides;
    for (std::size_t dimension = 0; dimension < strides.size(); ++dimension) {
      if (strides[dimension] != told_stride) continue;
      const auto number =
          first_window - static_cast<int>(windows_.size()) - static_cast<int>(told_strides_.size());
      if (number < static_cast<int>(loops_.sizes.size()))
        return refuse(place_of(value_of(static_cast<int>(i))), "dynamic strides of many dimensions",
                      "fewer than 64 together with the loops");
      told_strides_[{i, dimension}] = number;
    }
  }
  return true;
}

// True if `index` stays inside a dimension of known size. If just one loop runs over the dimension,
// it must also reach the dimension's end.
bool RequestBuilder::check_index(std::size_t buffer, std::size_t dimension, const Index& index) {
  const std::int64_t shape = request_.buffers[buffer].shape[dimension];
  __int128 last = index.constant;
  bool is_known = true;
  for (const Index::Term& term : index.terms) {
    const std::int64_t size = loops_.sizes[static_cast<std::size_t>(term.coordinate)];
    is_known = is_known && size >= 0;
    last += static_cast<__int128>(term.factor) * (size - 1);
  }
  // If no size is dynamic, MLIR's types have all sizes, and formula_reader.cpp compares them.
  const auto arguments = mlir::func::FuncOp(function_).getArgumentTypes();
  const bool is_static = llvm::all_of(arguments, [](mlir::Type type) {
    const auto shaped = mlir::dyn_cast<mlir::ShapedType>(type);
    return !shaped || shaped.hasStaticShape();
  });
  const bool is_loop = index.terms.size() == 1 && index == Index::of(index.terms[0].coordinate);
  // A window whose loops have dynamic sizes: the text must ensure that it stays inside.
  if (!is_known && !is_loop) return true;
  if (is_known && (is_static || !is_loop ? last < shape : last == shape - 1)) return true;
  const mlir::Value value = value_of(static_cast<int>(buffer));
  return refuse(place(),
                is_known
                    ? formatted("element {} of dimension {} of {}", static_cast<std::int64_t>(last),
                                dimension, printed(value.getType()))
                    : formatted("a part of dimension {} of {} that is not known", dimension,
                                printed(value.getType())),
                "one known size for all dimensions that must be equal");
}

// The loops of the group that are longer than 1.
std::vector<int> RequestBuilder::members(Loop group) const {
  std::vector<int> loops;
  for (int loop = 0; loop < static_cast<int>(loops_.sizes.size()); ++loop) {
    const bool in_a = is_in(0, loop), in_b = is_in(1, loop);
    const bool is_summed = loop >= static_cast<int>(result_loops_);
    const Loop alike = in_a || !repeats_columns_ ? Loop::batch : Loop::n;
    const Loop own = is_summed ? Loop::k : in_a == in_b ? alike : in_a ? Loop::m : Loop::n;
    if (own == group && loops_.sizes[static_cast<std::size_t>(loop)] != 1) loops.push_back(loop);
  }
  return loops;
}

// How many elements apart two neighbouring indices of a dimension are in memory. Null if the size
// of a dynamic loop would be a factor twice.
std::optional<LoopProduct> RequestBuilder::distance(std::size_t number,
                                                    std::size_t dimension) const {
  const BufferRecord& buffer = request_.buffers[number];
  if (const auto told = told_strides_.find({number, dimension}); told != told_strides_.end())
    return LoopProduct{1, std::uint64_t{1} << told->second};
  if (buffer.strides[dimension] >= 0) return LoopProduct{buffer.strides[dimension], 0};
  LoopProduct product{1, 0};
  for (std::size_t i = dimension + 1; i < buffer.shape.size(); ++i) {
    LoopProduct size{buffer.shape[i], 0};
    if (buffer.shape[i] < 0) {
      const auto [loop, factor] = dynamic_.at({number, i});
      size = {factor, std::uint64_t{1} << loop};
    }
    const auto longer = times(product, size);
    if (!longer) return std::nullopt;
    product = *longer;
  }
  return product;
}

// How many elements apart two neighbouring values of a leaf's index are. If zeros lie between the
// elements (as in a transposed convolution), `over` steps of the index are one step of the
// dimension.
std::optional<LoopProduct> RequestBuilder::distance(const Leaf& leaf, std::size_t dimension) const {
  auto along = distance(static_cast<std::size_t>(buffer_of(leaf)), dimension);
  if (along && !leaf.over.empty()) along->factor /= leaf.over[dimension];
  return along;
}

// Elements that a step of `loop` is.
std::optional<LoopProduct> RequestBuilder::distance(const Leaf& leaf, int loop) const {
  LoopProduct sum;
  for (std::size_t i = 0; i < leaf.dims.size(); ++i) {
    const std::int64_t factor = leaf.dims[i].factor_of(loop);
    if (factor == 0) continue;
    const auto along = distance(leaf, i);
    if (!along) return std::nullopt;
    const LoopProduct part = times({factor, 0}, *along).value();
    if (sum.factor != 0 && sum.loops != part.loops) return std::nullopt;
    sum = {std::min(sum.factor + part.factor, std::int64_t{1} << 62), part.loops};
  }
  return sum;
}

bool RequestBuilder::find_groups() {
  plan::Problem& problem = request_.problem;
  for (const Leaf* leaf : all_leaves()) {
    for (std::size_t i = 0; i < leaf->over.size(); ++i) {
      const auto along = distance(static_cast<std::size_t>(buffer_of(*leaf)), i);
      if (!along || along->factor % leaf->over[i] == 0) continue;
      return refuse(place_of(value_of(buffer_of(*leaf))),
                    formatted("zeros between elements that are {} apart in memory", along->factor),
                    formatted("a distance that is a multiple of {}", leaf->over[i]));
    }
  }
  for (std::size_t group = 0; group < 4; ++group)
    loops_.members[group] = members(static_cast<Loop>(group));
  for (const Leaf* leaf : all_leaves()) {
    std::vector<LoopProduct>& strides = loops_.strides.emplace_back();
    for (int loop = 0; loop < static_cast<int>(loops_.sizes.size()); ++loop) {
      const auto along = distance(*leaf, loop);
      if (!along)
        return refuse(
            place_of(value_of(buffer_of(*leaf))),
            "several equal dynamic sizes in " + printed(value_of(buffer_of(*leaf)).getType()),
            "a dynamic size for each loop, once");
      strides.push_back(*along);
    }
  }
  // Loops that are contiguous in memory may not be joined if they are not contiguous in padding.
  for (const Leaf* leaf : all_leaves()) {
    for (const Bound& bound : leaf->bounds) {
      std::vector<LoopProduct>& steps = loops_.strides.emplace_back();
      for (int loop = 0; loop < static_cast<int>(loops_.sizes.size()); ++loop)
        steps.push_back({bound.place.factor_of(loop), 0});
    }
  }
  groups_ = grouped(loops_);
  for (std::size_t i = 0; i < 4; ++i)
    if (loops_.is_dynamic(groups_[i])) request_.multiples[i] = loops_.static_size(groups_[i]);
  for (const std::vector<LoopProduct>& steps : loops_.strides)
    for (const LoopProduct& step : steps) tells_each_loop_ = tells_each_loop_ || !stride(step);
  if (!find_further_sizes()) return false;
  std::array<std::int64_t, 4> sizes{};
  for (std::size_t i = 0; i < 4; ++i) {
    const std::int64_t known = sizes[i] = loops_.static_size(groups_[i]);
    if (!loops_.is_dynamic(groups_[i])) continue;
    problem.dynamic |= 1u << i;
    const std::int64_t likely = static_cast<Loop>(i) == Loop::batch ? 1 : planned_size;
    sizes[i] = (likely + known - 1) / known * known;
    const std::vector<int> parts = dynamic_parts(groups_[i]);
    if (!parts.empty()) sizes[i] = known;
    for (const int part : parts) {
      request_.made_of[i] |= 1u << size_numbers_.at(part);
      // A batch of unknown size stays small in the plan, which hardly depends on it.
      if (static_cast<Loop>(i) == Loop::batch && sizes[i] > most_batches / planned_part) continue;
      if (__builtin_mul_overflow(sizes[i], planned_part, &sizes[i])) sizes[i] = most_bytes + 1;
    }
  }
  for (const auto& [place, loop] : dynamic_) {
    DynamicSize size = dynamic_size(loop.first);
    size.times *= loop.second;
    request_.buffers[place.first].dynamic_sizes[place.second] = size;
  }
  // A dimension under a window must have at least a certain size, which follows from the sizes of
  // the loops that move the window.
  for (std::size_t i = 0; i < windows_.size(); ++i) {
    const auto at = size_numbers_.at(first_window - static_cast<int>(i)) - plan::loop_count;
    FurtherSize& further = request_.further_sizes[at];
    __int128 least = windows_[i].constant + __int128{1}, planned = planned_part;
    for (const Index::Term& term : windows_[i].terms) {
      const std::int64_t size = loops_.sizes[static_cast<std::size_t>(term.coordinate)];
      if (size >= 0)
        least += static_cast<__int128>(term.factor) * (size - 1);
      else
        further.window.push_back({term.factor, dynamic_size(term.coordinate)});
      planned += static_cast<__int128>(term.factor) * planned_part;
    }
    if (least + planned > most_bytes)
      return refuse(place(), "a window that moves in steps longer than a matrix",
                    formatted("at most {} elements", most_bytes));
    further.least = static_cast<std::int64_t>(least);
    further.is_padded = i >= unpadded_windows_;
    problem.further[at] = std::max<std::int64_t>(static_cast<std::int64_t>(least + planned), 1);
  }
  for (const Loop name : {Loop::m, Loop::n, Loop::k}) {
    const std::int64_t size = sizes[static_cast<std::size_t>(name)];
    if (size <= most_bytes) continue;
    return refuse(place(), formatted("{} of {}", size, loop_names[static_cast<std::size_t>(name)]),
                  formatted("at most {}", most_bytes));
  }
  problem.m = sizes[0];
  problem.n = sizes[1];
  problem.k = sizes[2];
  problem.batch = sizes[3];
  if (problem.batch <= most_batches) return true;
  return refuse(place(), formatted("a batch of {}", problem.batch),
                formatted("at most {}", most_batches));
}

// The dynamic loops of a group whose sizes the kernel gets as separate arguments. If the group has
// several dynamic loops, these are all of them. A single dynamic loop is among them only if some
// distance cannot be expressed with the size of the whole group.
std::vector<int> RequestBuilder::dynamic_parts(const LoopGroup& group) const {
  std::vector<int> parts;
  std::int64_t loops = 0;
  for (const Run& run : group.runs) {
    for (const int loop : run) {
      ++loops;
      if (loops_.size(loop).loops != 0) parts.push_back(loop);
    }
  }
  const bool is_alone = parts.size() == 1 && (!tells_each_loop_ || loops == 1);
  return is_alone ? std::vector<int>() : parts;
}

// Finds the sizes that a kernel gets as arguments in addition to m, n, k and the batch.
bool RequestBuilder::find_further_sizes() {
  std::vector<int> loops;
  for (const LoopGroup& group : groups_)
    for (const int loop : dynamic_parts(group)) loops.push_back(loop);
  for (std::size_t i = 0; i < windows_.size(); ++i)
    loops.push_back(first_window - static_cast<int>(i));
  for (const auto& [dimension, number] : told_strides_) loops.push_back(number);
  constexpr std::size_t most = plan::size_count - plan::loop_count;
  if (loops.size() > most)
    return refuse(place(),
                  formatted("{} dynamic sizes of loops and windows, and strides", loops.size()),
                  formatted("at most {} beside m, n, k and the batch", most));
  for (const int loop : loops) {
    const auto number = plan::loop_count + static_cast<unsigned>(size_numbers_.size());
    request_.problem.dynamic |= 1u << number;
    request_.problem.further[size_numbers_.size()] = planned_part;
    request_.further_sizes.emplace_back();
    size_numbers_[loop] = number;
  }
  for (const auto& [dimension, told] : told_strides_) {
    const unsigned number = size_numbers_.at(told);
    request_.further_sizes[number - plan::loop_count].is_stride = true;
    request_.buffers[dimension.first].told_strides[dimension.second] = static_cast<Loop>(number);
  }
  return true;
}

DynamicSize RequestBuilder::dynamic_size(int loop) const {
  if (const auto known = size_numbers_.find(loop); known != size_numbers_.end())
    return {static_cast<Loop>(known->second)};
  for (std::size_t i = 0; i < 4; ++i)
    if (!groups_[i].runs.empty() && std::ranges::count(groups_[i].runs.front(), loop) != 0)
      return {static_cast<Loop>(i), 1, request_.multiples[i]};
  return {};
}

}  // namespace heddle::compiler
