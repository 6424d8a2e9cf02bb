#include "heddle/plan/warpgroup_planner.h"

#include <algorithm>
#include <array>
#include <expected>
#include <string>
#include <vector>

#include "library/plan/words.h"

namespace heddle::plan {
namespace {

/// The most stages that shared memory holds, 0 to most_stages.
constexpr int stages_that_fit(WarpgroupPlan plan) {
  for (plan.stages = most_stages; plan.stages > 0; --plan.stages)
    if (plan.shared_bytes() <= hopper.shared_bytes) break;
  return plan.stages;
}

std::string type_refusal(const Problem& problem) {
  using enum instruction::ElementType;
  const auto input = problem.input;
  if (problem.b_input() != input || problem.a_stored() != input || problem.b_stored() != input)
    return "wgmma multiplies A and B of one type here, as they are in memory";
  // Of f32 it would cut bits off that tf32 rounds.
  if (input == f32) return "wgmma does not round f32 to tf32; mma.sync with rounded inputs does";
  // Measured on an H200: tests/data/product_matrix_h200.json.gz, docs/nvidia.md.
  if (input == fp8 || input == bf8)
    return "wgmma keeps some 14 bits of a sum of 8-bit floats; mma.sync keeps those of f32";
  if (input != f16 && input != bf16 && input != i8 && input != u8)
    return "wgmma multiplies no " + std::string(instruction::name(input));
  const auto result = problem.result;
  if (result != f32 && result != f16 && result != bf16 && result != i32 && result != i8)
    return std::string("a result of ") + std::string(instruction::name(result)) +
           " is not stored by kernels of wgmma";
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

/// Bytes a cycle that a multiprocessor gets from L2 while all of them ask. Assumed: three quarters
/// of the 64 that its port is wide.
inline constexpr int l2_bytes_per_cycle = 48;

/// What the shape costs for each k: rounds of tiles on all multiprocessors, times the cycles that a
/// tile takes to multiply or, if that is longer, to
/// come from L2.
constexpr double rounds_cost(const WarpgroupPlan& plan) {
  // Of 16-bit elements: 989 TFLOP/s (NVIDIA H100 datasheet, SXM) over 132 multiprocessors at 1.83
  // GHz.
  constexpr double products_per_cycle = 2048;
  const std::int64_t tiles = plan.tiles();
  const std::int64_t rounds = (tiles + hopper.multiprocessors - 1) / hopper.multiprocessors;
  const double multiply = static_cast<double>(plan.block_m) * plan.block_n / products_per_cycle;
  const double copy = (static_cast<double>(plan.block_m) + plan.block_n) * 2.0 / l2_bytes_per_cycle;
  return static_cast<double>(rounds) * std::max(multiply, copy);
}

/// Narrower than 128, wgmma reads shared memory no faster than it multiplies: 64 x n x 16 take n /
/// 2 cycles and read (64 + n) * 32 bytes, of which shared memory gives 128 a cycle.
struct BlockShape {
  int m, n;
};

inline constexpr std::array block_shapes{
    BlockShape{128, 256}, BlockShape{256, 128}, BlockShape{128, 128}, BlockShape{128, 64},
    BlockShape{64, 256},  BlockShape{64, 128},  BlockShape{64, 64}};

/// The cluster nearest to the plan's that shares tiles evenly; of several the smallest.
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

/// What is wrong with the cluster and the nearest one that is right, or nothing.
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

/// Sets what follows from the shape of the block: stages, registers and the grid. Precondition: one
/// stage fits.
void complete(WarpgroupPlan& plan) {
  plan.stages = stages_that_fit(plan);
  plan.in_flight = plan.stages > 1 ? 1 : 0;
  plan.producer_registers = 40;
  plan.consumer_registers = plan.consumers == 1 ? 240 : plan.consumers == 2 ? 232 : 152;
  plan.blocks = static_cast<int>(plan.grid()[0].value(plan.problem));
}

}  // namespace

std::string refusal(const WarpgroupPlan& plan) {
  using instruction::Operand;
  const int line = swizzled_line_bytes / plan.input_bytes();
  if (plan.block_m < 64 || plan.block_m > 256 || plan.block_m % 64 != 0 || plan.block_n < 64 ||
      plan.block_n > 256 || plan.block_n % 64 != 0 || plan.block_k < line || plan.block_k > 256 ||
      plan.block_k % line != 0)
    return "a block of " + times(plan.block_m, plan.block_n) + "x" + number(plan.block_k) +
           "; accepted for wgmma: 64, 128, 192 or 256 for m and n, multiples of " + number(line) +
           " up to 256 for k";
  if (plan.consumers < 1 || plan.consumers > 3 || plan.block_m % (64 * plan.consumers) != 0)
    return number(plan.consumers) + " consumers of a block of " + number(plan.block_m) +
           " rows; accepted: 1 to 3, each with a multiple of 64 rows";
  const int sums = plan.bands() * plan.block_n / 2;
  if (sums > 256)  // a thread has 255, and as many spill; seen right on an H200
    return number(plan.consumers) + " consumers of a block of " +
           times(plan.block_m, plan.block_n) + ", " + number(sums) +
           " registers of sums a thread; accepted: at most 256";
  if (std::string wrong = cluster_refusal(plan); !wrong.empty()) return wrong;
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

std::expected<WarpgroupPlan, std::string> make_warpgroup_plan(const Problem& problem,
                                                              const PlanFields& asked) {
  WarpgroupPlan plan;
  plan.problem = problem;
  if (std::string wrong = problem_refusal(plan); !wrong.empty())
    return std::unexpected(std::move(wrong));
  plan.a_major = problem.a.transposed ? instruction::Major::mn : instruction::Major::k;
  plan.b_major = problem.b.transposed ? instruction::Major::k : instruction::Major::mn;
  plan.block_k = asked.block_k != 0 ? asked.block_k : swizzled_line_bytes / plan.input_bytes();
  plan.cluster_m = plan.cluster_n = 1;
  WarpgroupPlan best = plan;
  double least = -1;
  for (const BlockShape& shape : block_shapes) {
    plan.block_m = asked.block_m != 0 ? asked.block_m : shape.m;
    plan.block_n = asked.block_n != 0 ? asked.block_n : shape.n;
    plan.consumers = asked.consumers != 0 ? asked.consumers : plan.block_m % 128 == 0 ? 2 : 1;
    const double cost = rounds_cost(plan);
    if (least >= 0 && cost >= least) continue;  // the larger block, first in the list, reads less
    least = cost;
    best = plan;
  }
  if (best.tiles_m() > 1) best.cluster_m = 2;
  if (asked.group != 0) best.group_m = asked.group;
  best.stages = 1;  // which there is room for, and the rest is judged first
  best.in_flight = 0;
  if (!refusal(best).empty()) best.cluster_m = 1;
  if (asked.cluster_m != 0) best.cluster_m = asked.cluster_m;
  if (asked.cluster_n != 0) best.cluster_n = asked.cluster_n;
  if (std::string wrong = refusal(best); !wrong.empty()) return std::unexpected(std::move(wrong));
  complete(best);
  if (asked.stages != 0) {
    best.stages = asked.stages;
    best.in_flight = best.stages > 1 ? 1 : 0;
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
  choices.push_back({"instruction", instruction_text(plan),
                     "both operands from shared memory, A " + major(plan.a_major) + " and B " +
                         major(plan.b_major) + " as they are in global memory"});
  choices.push_back(
      {"block", times(plan.block_m, plan.block_n) + "x" + number(plan.block_k),
       "of the shapes from 128x256 to 64x64 the first with the least time for rounds of " +
           number(hopper.multiprocessors) + " multiprocessors, multiplying or copying from L2; " +
           times(plan.tiles_m(), plan.tiles_n()) + " tiles" +
           (plan.problem.batch > 1 ? " of each of " + number(plan.problem.batch) + " matrices"
                                   : "") +
           ", which compute " + number(percent) + "% more than D has"});
  choices.push_back({"warpgroups", number(plan.consumers) + " + 1",
                     number(plan.consumers) + " multiply, " +
                         times(plan.consumer_rows(), plan.block_n) + " each with " +
                         number(plan.bands() * plan.block_n / 2) +
                         " registers of sums; a thread of the other copies"});
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
  choices.push_back({"blocks", number(plan.blocks),
                     "one on a multiprocessor, which computes one tile after the other; results "
                     "of a tile are stored while the next is copied"});
  return choices;
}

}  // namespace heddle::plan
