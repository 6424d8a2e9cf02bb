#include "compiler/frontend/loop_groups.h"

#include <algorithm>
#include <span>

namespace heddle::compiler {
namespace {

using plan::Loop;

// If the matrices of a group are at least so large, each is a matrix of the batch, with separate
// tiles, instead of rows or columns of one matrix. The second number is for a number of matrices
// that is not known at compile time.
constexpr std::int64_t own_matrix = 128;
constexpr std::int64_t own_dynamic_matrix = 32;

// The size that is assumed for a dynamic loop when strides are compared.
constexpr std::int64_t likely_size = 1024;

std::int64_t multiplied(std::int64_t x, std::int64_t y) {
  return static_cast<std::int64_t>(
      std::min(static_cast<__int128>(x) * y, static_cast<__int128>(std::int64_t{1} << 62)));
}

std::int64_t likely(const LoopProduct& product) {
  std::int64_t number = product.factor;
  for (std::uint64_t left = product.loops; left != 0; left &= left - 1)
    number = multiplied(number, likely_size);
  return number;
}

class Grouper {
 public:
  explicit Grouper(const GroupedLoops& loops) : loops_(loops), members_(loops.members) {}

  LoopGroups groups() {
    LoopGroups result;
    for (const Loop name : {Loop::m, Loop::n}) {
      LoopGroup& group = result[at(name)];
      group = ordered(name);
      while (group.runs.size() > 1 && moves_to_batch(group)) {
        for (const int loop : group.runs.front()) members_[at(Loop::batch)].push_back(loop);
        group.runs.erase(group.runs.begin());
      }
    }
    result[at(Loop::k)] = ordered(Loop::k);
    result[at(Loop::batch)] = ordered(Loop::batch);
    for (LoopGroup& group : result) {
      // A single dynamic run comes first, so that the index is split by divisions by constants
      // only.
      const auto open = [&](const Run& run) { return is_dynamic(run); };
      const auto first = std::ranges::find_if(group.runs, open);
      if (std::ranges::count_if(group.runs, open) == 1)
        std::rotate(group.runs.begin(), first, first + 1);
    }
    return result;
  }

 private:
  static std::size_t at(Loop name) { return static_cast<std::size_t>(name); }

  bool is_dynamic(const Run& run) const { return loops_.size(run).loops != 0; }

  // True if the outermost run of a group (of m or n) should be counted by the batch instead: the
  // matrices that it counts are large enough, and the batch has room for so many. False if A, B and
  // D are contiguous across this run, and only other matrices, such as scales of several columns,
  // have jumps there.
  bool moves_to_batch(const LoopGroup& group) const {
    constexpr std::size_t of_matrices = 3;
    if (!is_dynamic(group.runs[0]) && !is_dynamic(group.runs[1]) &&
        lies_behind(group.runs[0], group.runs[1], of_matrices))
      return false;
    const auto size_of = [&](std::span<const Run> runs) {
      std::int64_t size = 1;
      for (const Run& run : runs) size = multiplied(size, likely(loops_.size(run)));
      return size;
    };
    std::int64_t batches = 1;
    bool has_dynamic = false;
    for (const int loop : members_[at(Loop::batch)]) {
      const std::int64_t size = loops_.sizes[static_cast<std::size_t>(loop)];
      has_dynamic = has_dynamic || size < 0;
      batches = multiplied(batches, std::max<std::int64_t>(size, 1));
    }
    const std::int64_t rest = size_of(std::span(group.runs).subspan(1));
    if (is_dynamic(group.runs.front())) return !has_dynamic && rest >= own_dynamic_matrix;
    batches = multiplied(batches, loops_.size(group.runs.front()).factor);
    return rest >= own_matrix && batches <= most_batches;
  }

  // The loops of the group, sorted by their strides in one of the operands: the one for which the
  // group has the fewest runs.
  LoopGroup ordered(Loop name) const {
    // A, B and D come first.
    static constexpr std::array<std::array<std::size_t, 3>, 4> operands{
        {{0, 2, 1}, {1, 2, 0}, {0, 1, 2}, {2, 0, 1}}};
    LoopGroup best;
    bool has_best = false;
    for (const std::size_t operand : operands[at(name)]) {
      LoopGroup group = runs(name, sorted(members_[at(name)], operand, operands[at(name)]));
      const bool better = !has_best || group.runs.size() < best.runs.size() ||
                          (group.runs.size() == best.runs.size() && name == Loop::k &&
                           operand == 1 && lies_alone(group, 1) && !lies_alone(best, 0));
      if (better) best = std::move(group);
      has_best = true;
    }
    return best;
  }

  // True if the innermost run is contiguous in an operand.
  bool lies_alone(const LoopGroup& group, std::size_t operand) const {
    return !group.runs.empty() && stride(operand, group.runs.back()) == LoopProduct{1, 0};
  }

  // Sorts loops by their strides, the largest first: by the stride in operand `first` and, where
  // that is equal, in the other operands in order. Loops whose strides are all equal keep their
  // order.
  Run sorted(const Run& loops, std::size_t first, std::span<const std::size_t> operands) const {
    Run in_order = loops;
    std::ranges::sort(in_order, [&](int x, int y) {
      std::array<std::size_t, 4> order{first};
      std::ranges::copy(operands, order.begin() + 1);
      for (const std::size_t operand : order) {
        const auto& strides = loops_.strides[operand];
        const std::int64_t of_x = likely(strides[static_cast<std::size_t>(x)]);
        const std::int64_t of_y = likely(strides[static_cast<std::size_t>(y)]);
        if (of_x != of_y) return of_x > of_y;
      }
      return std::ranges::find(loops, x) < std::ranges::find(loops, y);
    });
    return in_order;
  }

  LoopGroup runs(Loop name, const Run& loops) const {
    LoopGroup group;
    for (const int loop : loops) {
      if (!group.runs.empty() && follows(name, group.runs.back(), loop)) {
        group.runs.back().push_back(loop);
      } else {
        group.runs.push_back({loop});
      }
    }
    return group;
  }

  const LoopProduct& stride(std::size_t operand, const Run& run) const {
    return loops_.strides[operand][static_cast<std::size_t>(run.back())];
  }

  // True if `inner` may be joined to the run `outer`, so that both count as one loop: in every
  // operand, a step of `outer` must be as long as all steps of `inner` together. A dynamic size of
  // m or n is never joined with others. It stays an argument of the kernel, as it is if the group
  // has no other loop.
  bool follows(Loop name, const Run& outer, int inner) const {
    const bool outer_open = is_dynamic(outer), inner_open = loops_.size(inner).loops != 0;
    const bool is_m_or_n = name == Loop::m || name == Loop::n;
    if ((outer_open && inner_open) || (is_m_or_n && (outer_open || inner_open))) return false;
    return lies_behind(outer, {inner}, loops_.strides.size());
  }

  // True if, in each of the first `count` operands, one step of `outer` is as long as all steps of
  // `inner` together.
  bool lies_behind(const Run& outer, const Run& inner, std::size_t count) const {
    for (std::size_t operand = 0; operand < count; ++operand)
      if (times(stride(operand, inner), loops_.size(inner)) != stride(operand, outer)) return false;
    return true;
  }

  const GroupedLoops& loops_;
  std::array<std::vector<int>, 4> members_;
};

}  // namespace

std::optional<LoopProduct> times(const LoopProduct& x, const LoopProduct& y) {
  if (x.factor == 0 || y.factor == 0) return LoopProduct{};
  if ((x.loops & y.loops) != 0) return std::nullopt;
  return LoopProduct{multiplied(x.factor, y.factor), x.loops | y.loops};
}

LoopProduct GroupedLoops::size(int loop) const {
  const std::int64_t known = sizes[static_cast<std::size_t>(loop)];
  return known < 0 ? LoopProduct{1, std::uint64_t{1} << loop} : LoopProduct{known, 0};
}

LoopProduct GroupedLoops::size(const Run& run) const {
  LoopProduct product{1, 0};
  for (const int loop : run) product = times(product, size(loop)).value();
  return product;
}

std::int64_t GroupedLoops::static_size(const LoopGroup& group) const {
  std::int64_t product = 1;
  for (const Run& run : group.runs) product = multiplied(product, size(run).factor);
  return product;
}

bool GroupedLoops::is_dynamic(const LoopGroup& group) const {
  return std::ranges::any_of(group.runs, [&](const Run& run) { return size(run).loops != 0; });
}

LoopGroups grouped(const GroupedLoops& loops) { return Grouper(loops).groups(); }

}  // namespace heddle::compiler
