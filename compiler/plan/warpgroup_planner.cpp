#include "compiler/plan/warpgroup_planner.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <expected>
#include <string>
#include <utility>
#include <vector>

#include "compiler/plan/warpgroup_time.h"
#include "compiler/plan/words.h"

namespace heddle::plan {
namespace {

std::string type_refusal(const Problem& problem) {
  using enum instruction::ElementType;
  const auto input = problem.input;
  if (problem.b_input() != input || problem.a_stored() != input || problem.b_stored() != input)
    return "wgmma multiplies A and B of one type here, as they are in memory";
  if (input == f32 && !problem.is_tf32()) return "wgmma multiplies f32 as tf32 alone (--f32 tf32)";
  const bool is_f8 = input == fp8 || input == bf8;
  // Measured on an H200: tests/data/product_matrix_h200.json.gz, bench/records/nvidia_products.md.
  if (is_f8 && problem.f8 == F8Sums::exact)
    return "wgmma keeps some 14 bits of a sum of 8-bit floats; mma.sync keeps those of f32";
  if (!is_f8 && input != f32 && input != f16 && input != bf16 && input != i8 && input != u8)
    return "wgmma multiplies no " + std::string(instruction::name(input));
  const auto result = problem.result;
  const bool is_byte = instruction::bits(result) == 8;  // i8, or a float
  if (result != f32 && result != f16 && result != bf16 && result != i32 && !is_byte)
    return std::string("a result of ") + std::string(instruction::name(result)) +
           " is not stored by kernels of wgmma";
  // Chosen: if scales changed more often than every 32 columns, they would take more registers than
  // the sums leave.
  constexpr std::int64_t fewest_scaled = 32;
  if (problem.scaled_columns != 0 && problem.scaled_columns < fewest_scaled)
    return "sums of wgmma are not multiplied by scales of B that change within " +
           number(fewest_scaled) + " columns, from a multiple of that on";
  const bool k_major = !problem.a.transposed && problem.b.transposed;
  if (instruction::bits(input) != 16 && !k_major)
    return "wgmma reads elements of other than 16 bits contiguous along k only: a transposed B";
  return {};
}

std::string problem_refusal(const WarpgroupPlan& plan) {
  const Problem& problem = plan.problem;
  if (std::string wrong = type_refusal(problem); !wrong.empty()) return wrong;
  constexpr std::int64_t most = std::int64_t{1} << 30;
  if (problem.m > most || problem.n > most || problem.k > most)
    return "coordinates of copies are below 2^30";
  return {};
}

/// The plan with every dynamic size (known at launch) replaced: by its maximum if it has one, else
/// by `size`.
constexpr WarpgroupPlan at_size(WarpgroupPlan plan, std::int64_t size) {
  for (const Loop loop : {Loop::m, Loop::n, Loop::k}) {
    const std::int64_t most = plan.problem.most[static_cast<unsigned>(loop)];
    if (plan.problem.is_dynamic(loop)) plan.problem.size(loop) = most != 0 ? most : size;
  }
  return plan;
}

/// True if every size is known, or at least its maximum.
constexpr bool has_bounds(const Problem& problem) {
  for (std::size_t loop = 0; loop < loop_count; ++loop)
    if (problem.is_dynamic(static_cast<Loop>(loop)) && problem.most[loop] == 0) return false;
  return true;
}

/// Compares plans by cost: a plan's estimated time divided by the least time of all plans. If a
/// size is known only at launch, the cost is the sum of that ratio over the sizes in likely_sizes.
/// Sizes smaller than the likely ones are left out, since they take microseconds with any plan.
class Comparison {
 public:
  void consider(const WarpgroupPlan& plan) {
    Candidate& made = candidates_.emplace_back(plan);
    for (std::size_t i = 0; i < likely_sizes.size(); ++i) {
      made.times[i] = estimated_time(at_size(plan, likely_sizes[i]));
      least_[i] = candidates_.size() == 1 ? made.times[i] : std::min(least_[i], made.times[i]);
    }
  }

  bool empty() const { return candidates_.empty(); }

  /// All plans, the one with the least cost first.
  std::vector<WarpgroupPlan> in_order() const {
    std::vector<const Candidate*> sorted;
    for (const Candidate& candidate : candidates_) sorted.push_back(&candidate);
    std::ranges::sort(sorted, {}, [&](const Candidate* each) {
      return std::pair(cost(*each), each - candidates_.data());
    });
    std::vector<WarpgroupPlan> plans;
    for (const Candidate* each : sorted) plans.push_back(each->plan);
    return plans;
  }

  /// The best plan. Plans are compared in the order in which they were considered, larger blocks
  /// first.
  /// - A plan that splits k into fewer parts is preferred to an earlier one even if it costs up to
  /// 1% more, because the estimate leaves out how long parts wait for each other.
  /// - Otherwise a later plan must cost at least 3% less, since a smaller block reads more, and so
  /// takes more power.
  WarpgroupPlan best() const {
    const Candidate* found = &candidates_.front();
    for (const Candidate& candidate : candidates_) {
      const double near = candidate.plan.split_k < found->plan.split_k ? 1.01 : 0.97;
      if (cost(candidate) < near * cost(*found)) found = &candidate;
    }
    return found->plan;
  }

 private:
  static constexpr std::array<std::int64_t, 2> likely_sizes{2048, 8192};
  struct Candidate {
    WarpgroupPlan plan;
    std::array<double, likely_sizes.size()> times = {};
  };

  double cost(const Candidate& candidate) const {
    double sum = 0;
    for (std::size_t i = 0; i < likely_sizes.size(); ++i) sum += candidate.times[i] / least_[i];
    return sum;
  }

  std::vector<Candidate> candidates_;
  std::array<double, likely_sizes.size()> least_ = {};
};

struct BlockShape {
  int m, n;
};

/// The columns of a block must be a multiple of this number. They are the n of a wgmma, and results
/// are stored eight columns at a time. Source: PTX ISA 8.0, "wgmma.mma_async": for .s8 and .u8, n
/// is a multiple of 16 from 32 on; for other types, n is any multiple of 8.
constexpr int column_step(const WarpgroupPlan& plan) {
  return plan.problem.sum_type() == instruction::ElementType::i32 ? 16 : 8;
}

/// Shapes of a block's tile in order of preference: of two that take about the same time, the one
/// listed first is chosen.
inline constexpr std::array block_shapes{
    BlockShape{128, 256}, BlockShape{256, 128}, BlockShape{192, 192}, BlockShape{256, 192},
    BlockShape{128, 192}, BlockShape{192, 128}, BlockShape{128, 128}, BlockShape{64, 256},
    BlockShape{64, 192},  BlockShape{128, 64},  BlockShape{64, 128},  BlockShape{64, 64},
    BlockShape{256, 176}, BlockShape{256, 160}, BlockShape{256, 144}, BlockShape{192, 176},
    BlockShape{192, 160}, BlockShape{128, 240}, BlockShape{128, 224}, BlockShape{256, 112},
    BlockShape{192, 144}, BlockShape{128, 208}, BlockShape{256, 96},  BlockShape{128, 176},
    BlockShape{192, 112}, BlockShape{128, 160}, BlockShape{192, 96},  BlockShape{128, 144},
    BlockShape{128, 112}, BlockShape{128, 96},  BlockShape{128, 80},  BlockShape{64, 224},
    BlockShape{64, 160},  BlockShape{64, 144},  BlockShape{64, 112},  BlockShape{64, 96},
    BlockShape{64, 80},   BlockShape{64, 48},   BlockShape{64, 32},   BlockShape{64, 16},
    BlockShape{128, 216}, BlockShape{128, 200}, BlockShape{128, 184}, BlockShape{128, 168},
    BlockShape{128, 152}, BlockShape{128, 136}, BlockShape{128, 120}, BlockShape{64, 72}};

/// The number of warpgroups that multiply. Each has a multiple of 64 rows, those of one wgmma.
constexpr int consumers_of(int block_m) {
  return block_m % 128 == 0 ? 2 : block_m % 192 == 0 ? 3 : 1;
}

/// The accepted shape of a cluster that is nearest to the plan's. Accepted are shapes whose blocks
/// can share the copying of tiles evenly. Of several that are equally near, the smallest is
/// returned.
constexpr BlockShape nearest_cluster(const WarpgroupPlan& plan) {
  BlockShape nearest{1, 1};
  const auto distance = [&](BlockShape shape) {
    const auto apart = [](std::int64_t x, std::int64_t y) { return x < y ? y - x : x - y; };
    return apart(plan.cluster_m, shape.m) + apart(plan.cluster_n, shape.n);
  };
  for (int m = 1; m <= most_cluster; ++m) {
    for (int n = 1; m * n <= most_cluster; ++n) {
      if (plan.divides_among(n, instruction::Operand::a) &&
          plan.divides_among(m, instruction::Operand::b) && distance({m, n}) < distance(nearest))
        nearest = {m, n};
    }
  }
  return nearest;
}

/// A message with the mistake in the cluster and the nearest accepted cluster; empty if there is no
/// mistake.
std::string cluster_refusal(const WarpgroupPlan& plan) {
  using instruction::Operand;
  const BlockShape nearest = nearest_cluster(plan);
  const std::string asked = "a cluster of " + times(plan.cluster_m, plan.cluster_n);
  const std::string accepted = "; accepted: " + times(nearest.m, nearest.n);
  const int most = most_cluster;
  if (plan.cluster_m < 1 || plan.cluster_n < 1 || plan.cluster_m > most || plan.cluster_n > most ||
      plan.cluster() > most)
    return asked + accepted + ", or others of at most " + number(most) + " blocks in all";
  for (const Operand operand : {Operand::a, Operand::b}) {
    const int sharers = plan.sharers(operand);
    if (plan.divides_among(sharers, operand)) continue;
    const instruction::SharedTile panel = plan.panel(operand);
    const bool is_a = operand == Operand::a;
    return asked + ", whose " + number(sharers) + " blocks with the same " +
           (is_a ? "rows of A" : "columns of B") + " cannot each copy an equal part of the " +
           number(is_a ? plan.block_m : plan.block_n) + ", in whole groups of " +
           number(panel.major == instruction::Major::k ? 8 : panel.mn) + accepted;
  }
  return {};
}

/// A message with the mistake in the block or in its number of consumers; empty if there is none.
/// Every size that is computed from an accepted plan fits an int.
std::string block_refusal(const WarpgroupPlan& plan) {
  const int line = swizzled_line_bytes / plan.input_bytes();
  if (plan.block_m < 64 || plan.block_m > 256 || plan.block_m % 64 != 0 || plan.block_n < 16 ||
      plan.block_n > 256 || plan.block_n % column_step(plan) != 0 || plan.block_k < line ||
      plan.block_k > 256 || plan.block_k % line != 0)
    return "a block of " + times(plan.block_m, plan.block_n) + "x" + number(plan.block_k) +
           "; accepted for wgmma: 64, 128, 192 or 256 for m, multiples of " +
           number(column_step(plan)) + " from 16 to 256 for n, multiples of " + number(line) +
           " up to 256 for k";
  if (plan.promotes() && plan.block_k != promoted_depth)
    return "a block of " + number(plan.block_k) + " along k; accepted where sums of 8-bit floats " +
           "are added in f32: " + number(promoted_depth);
  const std::int64_t scaled = plan.problem.scaled_columns;
  if (scaled != 0 && scaled != all_columns && scaled % plan.block_n != 0 &&
      plan.block_n % scaled != 0)
    return number(plan.block_n) + " columns of a block; accepted where " + number(scaled) +
           " beside each other have the same scales: what divides those, or is a multiple";
  if (plan.consumers < 1 || plan.consumers > 3 || plan.block_m % (64 * plan.consumers) != 0)
    return number(plan.consumers) + " consumers of a block of " + number(plan.block_m) +
           " rows; accepted: 1 to 3, each with a multiple of 64 rows";
  const int sums = plan.sum_registers();
  // A thread has 255 registers; with 256 sums it spills, but results were right on an H200. For 512
  // threads (3 consumers) ptxas plans 128 registers each, whatever setmaxnreg says: it refuses 104
  // sums, and 100 took 1.6 times as long as 96 (H100, 2026-11-27). Promoted sums also need those of
  // the step: with 192 sums where 152 registers were left, a product took four times as long.
  const int most_sums =
      plan.promotes() ? (plan.consumers == 3 ? 128 : 192) : (plan.consumers == 3 ? 96 : 256);
  if (sums > most_sums)
    return number(plan.consumers) + " consumers of a block of " +
           times(plan.block_m, plan.block_n) + ", " + number(sums) +
           " registers of sums a thread; accepted: at most " + number(most_sums);
  return {};
}

/// The largest number of parts into which the k of a tile is split. Chosen: with more parts, adding
/// up their sums takes longer than the multiplication saves.
inline constexpr int most_parts = 16;

/// A message with the mistake in the number of blocks that share the k of a tile; empty if there is
/// none.
std::string split_refusal(const WarpgroupPlan& plan) {
  if (plan.split_k == 1) return {};
  const std::string asked = "a split of k into " + number(plan.split_k);
  if (plan.problem.is_dynamic(Loop::k)) return asked + " of a dynamic k; accepted: 1";
  if (!has_bounds(plan.problem))
    return asked + " where the number of tiles is not known; accepted: 1";
  const std::int64_t most = std::min<std::int64_t>(most_parts, plan.k_steps());
  if (plan.split_k < 1 || plan.split_k > most)
    return asked + "; accepted: 1 to " + number(most) + ", each with some of its steps";
  if (plan.split_memory().bytes() >> 31 != 0)
    return asked + " of " + number(plan.split_memory().tiles) +
           " tiles, whose parts take more than 2147483647 bytes; accepted: fewer parts, or 1";
  return {};
}

/// True if the planner may let split_k blocks share the k of a tile: each block has at least four k
/// steps, all blocks run at the same time, and all sizes are known or have a maximum.
bool may_split(const WarpgroupPlan& plan) {
  constexpr std::int64_t least_steps = 4;
  return has_bounds(plan.problem) && plan.k_steps() >= least_steps * plan.split_k &&
         plan.tiles() * plan.split_k <= hopper.multiprocessors;
}

/// Makes clusters of two blocks that share copies, in the two cases in which clusters were measured
/// to be faster:
/// - The tile is one of those with the most multiplications for each byte read, and each
/// multiprocessor computes several tiles.
/// - The rows of A or B do not begin at multiples of 128 bytes, so that L2 delivers more bytes than
/// are used.
void share_tiles(WarpgroupPlan& plan) {
  constexpr std::int64_t large_size = 8192;  // of what only a launch knows
  using instruction::Operand;
  const bool a_whole = has_whole_lines(plan, Operand::a),
             b_whole = has_whole_lines(plan, Operand::b);
  const bool has_scattered_scales =
      plan.problem.scaled_columns != 0 && !plan.problem.a_scales_contiguous;
  const bool is_large =
      plan.block_m * plan.block_n == 128 * 256 || (has_scattered_scales && plan.block_m == 192);
  const bool has_rounds = at_size(plan, large_size).tiles() > hopper.multiprocessors;
  if (a_whole && b_whole && !(is_large && has_rounds)) return;
  const bool of_a = a_whole == b_whole ? plan.block_m >= plan.block_n : b_whole;
  if (of_a && plan.tiles_n() > 1) plan.cluster_n = 2;
  if (!of_a && plan.tiles_m() > 1) plan.cluster_m = 2;
}

/// True if the rows of B are so long, and the rows of A so many, that tiles of 192x192 in clusters
/// that share the tile of A are faster than tiles of 128x256. Seen on an H100 on 2026-11-26 for f16
/// with a row-major B: 1.02 to 1.06 times as fast for 12288x12288x12288, 8192x28672x8192 and
/// 16384x16384x16384, and slower for 8192x8192x8192 and for a transposed B.
bool has_long_rows(const WarpgroupPlan& plan) {
  constexpr std::int64_t least_bytes = 24576, least_rows = 8192;
  return plan.block_m == 128 && plan.block_n == 256 && plan.split_k == 1 &&
         plan.b_major == instruction::Major::mn && plan.input_bytes() == 2 &&
         plan.problem.dynamic == 0 && plan.problem.m >= least_rows &&
         plan.problem.n * plan.input_bytes() >= least_bytes;
}

/// The number of rows of clusters in a group. A group is a band of rows of D whose tiles are
/// computed column by column, before the next band begins. Seen on an H100 on 2026-11-26
/// (bench/gpu/groups_h100.json): if D has few columns, groups of fewer rows are 1.00 to 1.07 times
/// as fast as groups of 8; if rows of B are long, groups of more rows are 1.01 to 1.02 times as
/// fast.
int rows_of_group(const WarpgroupPlan& plan, bool long_rows) {
  constexpr int usual = 8;
  constexpr std::int64_t least_rows = 12, most_columns = 16;
  if (long_rows) return 2 * usual;
  const std::int64_t rows = plan.most_tiles(Loop::m) / plan.cluster_m;
  const std::int64_t columns = plan.most_tiles(Loop::n) / plan.cluster_n;
  if (plan.problem.dynamic != 0 || rows < least_rows || columns > most_columns) return usual;
  if (plan.cluster() == 1) return 4;
  return plan.tiles() <= std::int64_t{2} * hopper.multiprocessors ? 2 : usual;
}

/// Sets the fields that follow from the shape of the block: stages, registers and the grid.
/// Precondition: one stage fits.
void complete(WarpgroupPlan& plan) {
  plan.stages = stages_that_fit(plan);
  plan.in_flight = plan.stages > 1 && !plan.promotes() ? 1 : 0;
  plan.producer_registers = 40;
  plan.consumer_registers = plan.consumers == 1 ? 240 : plan.consumers == 2 ? 232 : 152;
  plan.blocks = static_cast<int>(plan.grid()[0].value(plan.problem));
}

}  // namespace

std::string refusal(const WarpgroupPlan& plan) {
  if (std::string wrong = block_refusal(plan); !wrong.empty()) return wrong;
  if (std::string wrong = cluster_refusal(plan); !wrong.empty()) return wrong;
  if (std::string wrong = split_refusal(plan); !wrong.empty()) return wrong;
  if (plan.stages < 1 || plan.stages > most_stages || plan.stages < 1 + plan.in_flight)
    return number(plan.stages) + " stages; accepted: 1 to " + number(most_stages);
  if (plan.shared_bytes() > hopper.shared_bytes) {
    const int fitting = stages_that_fit(plan);
    return number(plan.stages) + " stages of " + times(plan.block_m, plan.block_n) + "x" +
           number(plan.block_k) + ", " + number(plan.shared_bytes()) +
           " bytes of shared memory; accepted: at most " + number(hopper.shared_bytes) +
           (fitting > 0 ? ", so stages up to " + number(fitting) : ", so a smaller block");
  }
  return {};
}

namespace {

// A plan in which only the problem and the layouts of its operands are set.
std::expected<WarpgroupPlan, std::string> open_plan(const Problem& problem) {
  WarpgroupPlan plan;
  plan.problem = problem;
  if (std::string wrong = problem_refusal(plan); !wrong.empty())
    return std::unexpected(std::move(wrong));
  plan.a_major = problem.a.transposed ? instruction::Major::mn : instruction::Major::k;
  plan.b_major = problem.b.transposed ? instruction::Major::k : instruction::Major::mn;
  plan.cluster_m = plan.cluster_n = 1;
  plan.stages = 1;  // which there is room for, and the rest is judged first
  plan.in_flight = 0;
  return plan;
}

// Adds every block shape and split of k that `asked` permits to `comparison`. Returns the mistake
// in the first plan that is impossible; empty if there is none.
std::string consider_all(WarpgroupPlan plan, const PlanFields& asked, Comparison& comparison) {
  std::string refused;
  const int line = swizzled_line_bytes / plan.input_bytes();
  for (const BlockShape& shape : block_shapes) {
    plan.block_k = asked.block_k != 0 ? asked.block_k : line;
    plan.block_m = asked.block_m != 0 ? asked.block_m : shape.m;
    plan.block_n = asked.block_n != 0 ? asked.block_n : shape.n;
    plan.consumers = asked.consumers != 0 ? asked.consumers : consumers_of(plan.block_m);
    // Blocks narrower than a line of 128 bytes are for matrices with few columns. If B is
    // contiguous along n, a narrow block would read whole lines of B and use only a part of each.
    const bool is_narrow = plan.block_n * plan.input_bytes() < swizzled_line_bytes;
    const bool may_be_narrow =
        plan.b_major == instruction::Major::k && !plan.problem.is_dynamic(Loop::n);
    if (is_narrow && asked.block_n == 0 && !may_be_narrow) continue;
    std::string wrong = block_refusal(plan);
    const int first = asked.split_k != 0 ? asked.split_k : 1;
    const int last = asked.split_k != 0 ? asked.split_k : most_parts;
    for (plan.split_k = first; wrong.empty() && plan.split_k <= last; ++plan.split_k) {
      if (plan.split_k > 1 && asked.split_k == 0 && !may_split(plan)) break;
      wrong = split_refusal(plan);
      if (!wrong.empty()) break;
      comparison.consider(plan);
      // A k step twice as deep halves the number of waits, if stages of this size still fit in
      // number.
      if (asked.block_k != 0 || plan.consumers != 1 || plan.promotes()) continue;
      WarpgroupPlan deeper = plan;
      deeper.block_k = 2 * line;
      if (deeper.k_steps() >= deeper.split_k && stages_that_fit(deeper) > most_stages / 2)
        comparison.consider(deeper);
    }
    if (refused.empty()) refused = std::move(wrong);
  }
  return refused;
}

}  // namespace

std::vector<PlanFields> likely_plans(const Problem& problem, std::size_t most) {
  const auto open = open_plan(problem);
  if (!open) return {};
  Comparison comparison;
  consider_all(*open, {}, comparison);
  std::vector<PlanFields> all;
  for (WarpgroupPlan plan : comparison.in_order()) {
    for (const BlockShape cluster : {BlockShape{1, 1}, BlockShape{2, 1}, BlockShape{1, 2}}) {
      plan.cluster_m = cluster.m, plan.cluster_n = cluster.n;
      const bool is_shared = plan.tiles_m() >= cluster.m && plan.tiles_n() >= cluster.n;
      if (all.size() < most && is_shared && refusal(plan).empty())
        all.push_back({.block_m = plan.block_m,
                       .block_n = plan.block_n,
                       .block_k = plan.block_k,
                       .split_k = plan.split_k,
                       .cluster_m = plan.cluster_m,
                       .cluster_n = plan.cluster_n});
    }
  }
  // Replaces the last (least likely) plans by the first one with other group sizes (see
  // rows_of_group).
  constexpr std::array groups{2, 4, 16};
  for (std::size_t i = 0; i < groups.size() && all.size() > 2 * groups.size(); ++i) {
    PlanFields& other = all[all.size() - 1 - i];
    other = all.front();
    other.group = groups[i];
  }
  return all;
}

std::expected<WarpgroupPlan, std::string> make_warpgroup_plan(const Problem& problem,
                                                              const PlanFields& asked) {
  const auto open = open_plan(problem);
  if (!open) return std::unexpected(open.error());
  Comparison comparison;
  std::string refused = consider_all(*open, asked, comparison);
  if (comparison.empty()) return std::unexpected(std::move(refused));
  WarpgroupPlan best = comparison.best();
  if (best.split_k == 1) share_tiles(best);
  const bool asks_for_block =
      asked.block_m != 0 || asked.block_n != 0 || asked.block_k != 0 || asked.consumers != 0;
  const bool long_rows = !asks_for_block && has_long_rows(best);
  if (long_rows) {
    best.block_m = best.block_n = 192;
    best.consumers = consumers_of(best.block_m);
    best.cluster_m = 1, best.cluster_n = 2;
  }
  if (!refusal(best).empty()) best.cluster_m = best.cluster_n = 1;
  if (asked.cluster_m != 0) best.cluster_m = asked.cluster_m;
  if (asked.cluster_n != 0) best.cluster_n = asked.cluster_n;
  if (std::string wrong = refusal(best); !wrong.empty()) return std::unexpected(std::move(wrong));
  best.group_m = asked.group != 0 ? asked.group : rows_of_group(best, long_rows);
  complete(best);
  if (asked.stages != 0) {
    best.stages = asked.stages;
    best.in_flight = best.stages > 1 && !best.promotes() ? 1 : 0;
  }
  if (std::string wrong = refusal(best); !wrong.empty()) return std::unexpected(std::move(wrong));
  return best;
}

std::vector<Choice> explain(const WarpgroupPlan& plan) {
  const auto major = [](instruction::Major order) {
    return std::string("contiguous along ") + (order == instruction::Major::k ? "k" : "m or n");
  };
  const std::int64_t tiles = plan.tiles_m() * plan.tiles_n();  // of a matrix
  const std::int64_t percent =
      100 * tiles * plan.block_m * plan.block_n / (plan.problem.m * plan.problem.n) - 100;
  std::vector<Choice> choices;
  if (plan.is_transposed)
    choices.push_back(
        {"computes", "D^T",
         std::string("B transposed is A here, and A transposed is B") +
             (plan.a_major == instruction::Major::mn && plan.b_major == instruction::Major::k
                  ? ", which lies along k, so that a block has any multiple of " +
                        number(column_step(plan)) + " columns"
              : plan.block_m == 128 && plan.block_n == 256
                  ? ", by which the largest blocks are a little faster"
                  : "")});
  choices.push_back({"instruction", instruction_text(plan),
                     "both operands from shared memory, A " + major(plan.a_major) + " and B " +
                         major(plan.b_major) + " as they are in global memory"});
  choices.push_back(
      {"block", times(plan.block_m, plan.block_n) + "x" + number(plan.block_k),
       "of the shapes from 128x256 to 64x64 the first with the least time for rounds of " +
           number(hopper.multiprocessors) +
           " multiprocessors, which multiply, or copy from L2 or memory: some " +
           number(std::llround(estimated_time(plan))) + " us; " +
           times(plan.tiles_m(), plan.tiles_n()) + " tiles" +
           (plan.problem.batch > 1 ? " of each of " + number(plan.problem.batch) + " matrices"
                                   : "") +
           ", which compute " + number(percent) + "% more than D has"});
  choices.push_back({"warpgroups", number(plan.consumers) + " + 1",
                     number(plan.consumers) + " multiply, " +
                         times(plan.consumer_rows(), plan.block_n) + " each with " +
                         number(plan.sum_registers()) + " registers of sums" +
                         (plan.promotes() ? ", half of them of the " + number(plan.block_k) +
                                                " products that wgmma adds alone"
                                          : "") +
                         (plan.problem.scaled_columns != 0 ? ", which are then scaled" : "") +
                         "; a thread of the other copies"});
  choices.push_back({"registers",
                     number(plan.consumer_registers) + ", " + number(plan.producer_registers),
                     "the warpgroup that copies gives its registers to those that multiply"});
  choices.push_back({"stages", number(plan.stages),
                     number(plan.stage_bytes()) + " bytes each of " + number(hopper.shared_bytes) +
                         ", beside " + number(plan.barriers_start() - plan.result_start()) +
                         " for results on their way to D"});
  choices.push_back(
      {"cluster", times(plan.cluster_m, plan.cluster_n),
       plan.cluster() == 1
           ? std::string("blocks share nothing")
           : "blocks beside each other share a tile of " +
                 std::string(plan.cluster_m > 1 ? "B" : "A") +
                 ": each copies a part to all of them, so that L2 is read less often"});
  choices.push_back({"order", number(plan.group_m) + " rows of clusters",
                     "walked through column by column: what runs at the same time shares rows of A "
                     "and columns of B in L2"});
  if (plan.repeats_rows() && plan.problem.m % plan.block_m != 0)
    choices.push_back({"last rows", number(plan.problem.m - plan.block_m) + " on",
                       "the last tiles begin where all their rows are inside of D: copies of rows "
                       "outside would take longer than computing some again"});
  if (plan.split_k > 1) choices.push_back(split_choice(plan.split_memory(), "blocks"));
  choices.push_back({"blocks", number(plan.blocks),
                     "one on a multiprocessor, which computes one tile after the other; results of "
                     "a tile are stored while the next is copied"});
  return choices;
}

}  // namespace heddle::plan
