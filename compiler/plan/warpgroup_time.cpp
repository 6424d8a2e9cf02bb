#include "compiler/plan/warpgroup_time.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace heddle::plan {
namespace {

/// Measured times of the parts of a kernel's run: microseconds, and rates in bytes or elements for
/// each microsecond. The figures were fitted so that the plan with the least estimated time is the
/// fastest of the measured plans.
/// - An H200 ran the kernels of bench/gpu/plans.json that share no copies (2026-11-23).
/// - An H100, whose memory is slower, ran those of bench/gpu/plans_h100.json (2026-11-26).
///
/// Both GPUs had driver 580.159.04. Each figure is a compromise between the two GPUs.
struct Measured {
  double start = 1.8;             // a launch until its first products, and its last results
  double products = 52.2e3 * 64;  // of 16-bit elements by one multiprocessor
  double least_step = 0.143;  // where one warpgroup multiplies: until it has waited and multiplied
  double between_steps = 0.009;  // where one warpgroup multiplies: it waits between two steps
  double cache = 18.9e6;         // bytes that all multiprocessors take from L2
  double ingest = 117.6e3;       // and of these one alone
  double shared = 273e3;         // bytes of its shared memory, for one warpgroup that multiplies
  double shared_by_several = 233e3;   // and for several
  double shared_narrow = 228e3;       // and for several, of at most 128 columns
  double lines = 2.67;                // as many bytes where rows do not begin at whole lines
  double outside = 0.003;             // a row outside of its matrix, of what one copy brings
  double memory = 5.57e6;             // bytes that many take from memory, of which half is what
  double half_of_memory = 37.3;       // so many take
  double in_flight = 0.6;             // until bytes that were asked for have come from there
  double tile = 0.654 / (128 * 256);  // an element of D, from the last product to the next tile's
  double meeting = 2.1;               // of the blocks that share a tile's k
  double of_part = 0.082;             // and for each of them besides
  double left = 1.09e6;               // bytes of sums that all of them store
  double read = 150e3;                // bytes of sums that the last of them reads
  double not_hidden = 0.33;           // of the shorter of multiplying and reading memory
};
inline constexpr Measured measured;

/// Entry i is the number of clusters of i + 1 blocks that run at the same time, with each block on
/// a separate multiprocessor. Numbers for fewer than 8 blocks are those that
/// cuOccupancyMaxActiveClusters returned on the measured GPU; the last one is assumed. GPUs differ
/// in which multiprocessors can be in the same cluster.
inline constexpr std::array<int, most_cluster> clusters_at_once{132, 66, 39, 30, 22, 17, 15, 14};

/// The share of the tensor cores' full rate that the plan's warpgroups reach.
constexpr double share_of_rate(const WarpgroupPlan& plan) {
  const int columns = plan.block_n;
  if (!plan.promotes()) return 1;
  // While a warpgroup adds the sums of a step in f32, only the other warpgroups multiply. The
  // figures for blocks of 64 columns are assumed.
  if (plan.consumers == 1) return columns <= 64 ? 0.5 : columns <= 128 ? 0.62 : 0.7;
  if (plan.consumers == 3) return 0.955;
  // Scaled sums slow two consumers down, but not three. If lanes copy the scales one by one, both
  // two and three consumers are slowed down. Measured for 128 columns.
  const double scaled = plan.problem.a_scales_contiguous ? 0.945 : 1;
  return scaled * (columns <= 64 ? 0.75 : columns <= 128 ? 0.88 : 0.9);
}

/// The time that one k step takes if only copies limit it: the time in which `busy` multiprocessors
/// copy the bytes of their stages from L2.
constexpr double copy_time(const WarpgroupPlan& plan, double busy) {
  using instruction::Operand;
  double asked = 0;
  for (const Operand operand : {Operand::a, Operand::b}) {
    const CopyBox box = plan.copy_box(operand);
    const double bytes = double{swizzled_line_bytes} * box.lines * box.copies;
    asked += bytes * (has_whole_lines(plan, operand) ? 1 : measured.lines);
  }
  return std::max(asked, static_cast<double>(plan.copied_bytes())) /
         std::min(measured.cache / busy, measured.ingest);
}

/// The time that one k step takes if only shared memory limits it: copies write the bytes of a
/// stage, and each wgmma, which multiplies 64 rows of A, reads its operands.
constexpr double shared_memory_time(const WarpgroupPlan& plan) {
  const double rows_and_columns = plan.block_m + plan.b_columns();
  const int instructions = plan.block_m / wgmma_rows;
  const double read = instructions * (wgmma_rows + double{1} * plan.b_columns());
  const double bytes = (rows_and_columns + read) * plan.block_k * plan.input_bytes();
  return bytes / (plan.consumers == 1  ? measured.shared
                  : plan.block_n > 128 ? measured.shared_by_several
                                       : measured.shared_narrow);
}

/// The time that one k step takes in tiles at an edge of D, if only the copies of rows outside of
/// the matrix limit it.
constexpr double edge_time(const WarpgroupPlan& plan) {
  using instruction::Operand;
  std::int64_t outside = 0;
  for (const Operand operand : {Operand::a, Operand::b}) {
    const bool is_a = operand == Operand::a;
    if (is_a && plan.repeats_rows()) continue;
    const std::int64_t size = is_a ? plan.problem.m : plan.problem.n;
    const std::int64_t block = is_a ? plan.block_m : plan.block_n;
    const bool is_line = plan.panel(operand).major == instruction::Major::k;
    if (is_line && (size > block || plan.copy_box(operand).lines == block))
      outside = std::max(outside, (block - size % block) % block);
  }
  return static_cast<double>(outside) * measured.outside;
}

}  // namespace

bool has_whole_lines(const WarpgroupPlan& plan, instruction::Operand operand) {
  const Problem& problem = plan.problem;
  const bool is_a = operand == instruction::Operand::a;
  const auto is_whole = [&](std::int64_t elements) {
    return elements * plan.input_bytes() % swizzled_line_bytes == 0;
  };
  // Prepared rows have gaps behind them.
  const std::int64_t divisor = is_a ? problem.a.divisor : problem.b.divisor;
  return is_whole(is_a ? problem.a_row() : problem.b_row()) || (divisor != 0 && is_whole(divisor));
}

int stages_that_fit(WarpgroupPlan plan) {
  for (plan.stages = most_stages; plan.stages > 0; --plan.stages)
    if (plan.shared_bytes() <= hopper.shared_bytes) break;
  return plan.stages;
}

double estimated_time(const WarpgroupPlan& plan) {
  const Problem& problem = plan.problem;
  const std::int64_t clusters = (plan.tiles() + plan.cluster() - 1) / plan.cluster();
  const int at_once =
      std::max(1, clusters_at_once[static_cast<std::size_t>(plan.cluster() - 1)] / plan.split_k);
  const std::int64_t rounds = (clusters + at_once - 1) / at_once;
  const double elements = static_cast<double>(plan.block_m) * plan.block_n;
  const double products = elements * plan.block_k * plan.input_bytes() / 2;
  const double multiply = products / measured.products / share_of_rate(plan);
  const double busy = static_cast<double>(
      std::min<std::int64_t>(clusters * plan.cluster() * plan.split_k, hopper.multiprocessors));
  const double copy = copy_time(plan, busy);
  const bool waits = plan.consumers == 1 && !plan.promotes();
  const double step =
      std::max({multiply, copy, shared_memory_time(plan), waits ? measured.least_step : 0}) +
      (waits ? measured.between_steps : 0);
  const std::int64_t whole_steps = (plan.k_steps() + plan.split_k - 1) / plan.split_k;
  const auto steps = static_cast<double>(whole_steps);
  const double round = steps * step + elements * measured.tile;
  // If k is split, all blocks store their sums at the same time; then the last block to finish a
  // tile reads the sums of all parts of its k. During these stores and loads nothing is multiplied.
  const double meeting = plan.split_k == 1 ? 0
                                           : measured.meeting + plan.split_k * measured.of_part +
                                                 busy * elements * 4 / measured.left +
                                                 plan.split_k * elements * 4 / measured.read;
  const double at_edges = steps * (std::max(step, edge_time(plan)) - step);
  const double bytes =
      static_cast<double>(problem.batch) *
      (static_cast<double>(problem.k) * static_cast<double>(problem.m + problem.n) *
           plan.input_bytes() +
       static_cast<double>(problem.m) * static_cast<double>(problem.n) * plan.result_bytes());
  WarpgroupPlan deepest = plan;
  deepest.stages = stages_that_fit(plan);
  const double asked_for = busy * deepest.stages * plan.copied_bytes() / measured.in_flight;
  const double computed = static_cast<double>(rounds) * round + at_edges;
  const double supplied = measured.memory * busy / (busy + measured.half_of_memory);
  const double brought = bytes / std::min(supplied, asked_for);
  return measured.start + std::max(computed, brought) +
         measured.not_hidden * std::min(computed, brought) + static_cast<double>(rounds) * meeting;
}

}  // namespace heddle::plan
