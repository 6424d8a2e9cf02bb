// Placements against a count by definition (naive_conflicts.h), and the bound against brute force
// over all layouts of small tiles.
#include "heddle/plan/placement.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>

#include "heddle/instruction/target.h"
#include "heddle/layout/layout.h"
#include "tests/plan/naive_conflicts.h"

namespace heddle::plan {
namespace {

using instruction::Target;
using layout::LinearLayout;
using memory::BankModel;

constexpr std::array targets{Target::gfx1100, Target::gfx1151, Target::gfx1201, Target::gfx942,
                             Target::gfx950,  Target::sm_80,   Target::sm_90};

/// A random bijection of (register, lane, warp) with a random tile, of unit words mostly.
LinearLayout random_access(int lane_bits, int rows, int columns) {
  const int bits = rows + columns;
  std::vector<std::uint64_t> words(static_cast<std::size_t>(bits));
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = std::uint64_t{1} << i;
  for (std::size_t i = words.size(); i > 1; --i)
    std::swap(words[i - 1], words[*rc::gen::inRange<std::size_t>(0, i)]);
  for (int flips = *rc::gen::inRange(0, 3); flips > 0; --flips) {
    const auto a = *rc::gen::inRange<std::size_t>(0, words.size());
    const auto b = *rc::gen::inRange<std::size_t>(0, words.size());
    if (a != b) words[a] ^= words[b];
  }
  const int warp_bits = *rc::gen::inRange(0, 3);
  const int register_bits = std::max(0, bits - lane_bits - warp_bits);
  LinearLayout::Bases bases{};
  std::copy(words.begin(), words.end(), bases.begin());
  const int all = register_bits + lane_bits + warp_bits;
  // What the tile has not enough elements for holds copies; or one bit of the lanes does.
  if (*rc::gen::inRange(0, 4) == 0 && all <= bits) {
    const auto lane = static_cast<std::size_t>(register_bits + *rc::gen::inRange(0, lane_bits));
    bases[lane] = 0;
  }
  return LinearLayout::from_words(
             {{"register", register_bits}, {"lane", lane_bits}, {"warp", warp_bits}},
             {{"dim0", rows}, {"dim1", columns}}, bases)
      .value();
}

struct Problem {
  BankModel model;
  std::vector<TileAccess> accesses;
  int element_bits;
};

void show(const Problem& problem) {
  RC_LOG() << problem.model.name << ", " << problem.element_bits << " bits\n";
  for (const TileAccess& access : problem.accesses)
    RC_LOG() << name(access.move) << " up to " << access.most_bytes << " bytes: "
             << layout::text(access.map).view() << "\n";
}

Problem random_problem() {
  Problem problem;
  problem.model = memory::bank_model(*rc::gen::elementOf(targets));
  const int lane_bits = problem.model.wave == 64 ? 6 : 5;
  problem.element_bits = *rc::gen::element(8, 16, 32, 64);
  const int rows = *rc::gen::inRange(2, 7);
  const int columns = *rc::gen::inRange(2, 7);
  const int count = *rc::gen::inRange(1, 4);
  for (int i = 0; i < count; ++i)
    problem.accesses.push_back({random_access(lane_bits, rows, columns),
                                *rc::gen::element(Move::load, Move::store),
                                *rc::gen::element(4, 8, 16)});
  show(problem);
  return problem;
}

void check_counts(const Problem& problem, const Placement& placement) {
  for (std::size_t i = 0; i < problem.accesses.size(); ++i) {
    const PlacedAccess& placed = placement.accesses[i];
    const auto naive = test::naive_passes(problem.model, problem.accesses[i],
                                          problem.element_bits, placement.shared,
                                          std::uint64_t{1} << placed.element_bits_log2);
    RC_ASSERT(naive.is_contiguous);
    RC_ASSERT(naive.instructions == placed.instructions);
    RC_ASSERT(naive.passes == placed.passes);
    RC_ASSERT(placed.passes >= placed.ideal);
  }
}

RC_GTEST_PROP(Placement, PassesAreThoseOfCountingEveryLane, ()) {
  const Problem problem = random_problem();
  const Means means =
      *rc::gen::element(Means::any, Means::swizzle_only, Means::padding_only, Means::none);
  const auto placement = place(problem.model, problem.accesses, problem.element_bits, means);
  if (!placement) RC_DISCARD(placement.error());
  RC_ASSERT(layout::is_invertible(placement->shared.map));
  RC_ASSERT(placement->passes >= placement->bound);
  check_counts(problem, *placement);
}

// The theorem at the head of placement.h: one store and one load never conflict.
RC_GTEST_PROP(Placement, TwoAccessesReachTheBound, ()) {
  Problem problem = random_problem();
  problem.accesses.resize(std::min<std::size_t>(2, problem.accesses.size()));
  const auto placement =
      place(problem.model, problem.accesses, problem.element_bits, Means::swizzle_only);
  RC_ASSERT(placement.has_value());
  RC_ASSERT(placement->passes == placement->bound);
}

// Every more restricted means costs at least as much.
RC_GTEST_PROP(Placement, FreedomNeverCosts, ()) {
  const Problem problem = random_problem();
  const auto any = place(problem.model, problem.accesses, problem.element_bits);
  RC_ASSERT(any.has_value());
  for (const Means means : {Means::swizzle_only, Means::padding_only, Means::none}) {
    const auto other = place(problem.model, problem.accesses, problem.element_bits, means);
    if (other) RC_ASSERT(any->price() <= other->price() || any->passes < other->passes);
  }
}

}  // namespace
}  // namespace heddle::plan
