#include <algorithm>
#include <optional>

#include "compiler/plan/attention_planner.h"
#include "compiler/plan/words.h"
#include "heddle/instruction/fragment.h"

namespace heddle::plan {
namespace {

using instruction::Major;
using instruction::Operand;

// A thread of each warpgroup has its share of these: setmaxnreg only moves the registers that a
// launch gives to the block, the same number, a multiple of 8, to each thread. A warpgroup that
// asks for more waits forever.
constexpr int registers_of_block(int warpgroups) {
  constexpr int all = 65536 / warpgroup_lanes;
  return std::min(all / warpgroups / 8 * 8, 248) * warpgroups;
}
static_assert(registers_of_block(3) == 504 && registers_of_block(4) == 512);

constexpr int room() { return hopper.shared_bytes; }

// The sum of S in a lane that each of its elements of P is, in their order: nothing moves. Nothing
// if some are another lane's.
std::optional<std::vector<int>> order_of_shares(const WarpgroupPlan& scores,
                                                const WarpgroupPlan& values) {
  const instruction::Instruction row = wgmma_of(scores);
  const layout::LinearLayout sums = instruction::fragment(row, Operand::d),
                             factor = instruction::fragment(wgmma_of(values), Operand::a);
  const std::uint64_t elements = factor.input_size("element");
  const std::uint64_t each = elements * factor.input_size("register");
  const auto sum_at = [&](std::uint64_t reg, std::uint64_t lane) {
    const auto found = sums.apply({{"register", reg}, {"lane", lane}});
    return std::pair{found->at("m"), found->at("n")};
  };
  // Of an element of the first instruction. The others follow, as their sums do.
  const auto share_at = [&](std::uint64_t i, std::uint64_t lane) {
    const auto found =
        factor.apply({{"element", i % elements}, {"register", i / elements}, {"lane", lane}});
    const std::uint64_t key = found->at("k");
    return std::pair{found->at("m"), values.input_bytes() == 1 ? key_of_byte(key) : key};
  };
  std::vector<int> order;
  for (std::uint64_t i = 0; i < each; ++i) {
    std::uint64_t reg = 0;
    while (reg < each && sum_at(reg, 0) != share_at(i, 0)) ++reg;
    for (std::uint64_t lane = 0; lane < warpgroup_lanes; ++lane)
      if (reg == each || sum_at(reg, lane) != share_at(i, lane)) return std::nullopt;
    order.push_back(static_cast<int>(reg));
  }
  while (order.size() < static_cast<std::size_t>(scores.sum_registers()))
    order.push_back(order[order.size() - each] + static_cast<int>(each));
  return order;
}

void explain(WarpgroupAttentionPlan& plan) {
  const int keys = plan.keys();
  plan.choices = {
      {"kernel", "attention in one",
       "scores stay in registers: a block of keys at a time, with the largest score and the sum of "
       "exponentials of each row so far"},
      {"instruction", instruction_text(plan.scores) + " and " + instruction_text(plan.values),
       "Q, K and V from shared memory, P from registers"},
      {"conversion", "nothing moves",
       plan.transposes_values()
           ? "V^T has keys in the order in which a lane's scores are its elements of A"
           : "the layout of the scores is that of A in registers"},
      {"block", number(plan.scores.block_m) + " queries, " + number(keys) + " keys a step",
       "64 for each warpgroup that multiplies; another copies"},
      {"schedule", plan.ping_pong ? "ping-pong" : "together",
       "the product of the next keys begins before this one's P V"},
      {"shared memory", number(plan.shared_bytes()) + " bytes",
       "Q, and K and V of " + number(plan.stages()) + " steps"}};
  if (plan.transposes_values())
    plan.choices.push_back({"V", "transposed in shared memory",
                            "wgmma reads bytes along k; three warps that do not multiply do it"});
  if (plan.values.promotes())
    plan.choices.push_back({"sums", "P V of a step is added in f32",
                            "wgmma keeps fewer bits of sums of 8-bit floats"});
  if (plan.heads_together != 0)
    plan.choices.push_back(
        {"order", plan.is_longest_last() ? "last rows first" : "first rows first",
         "the longest: of " + number(plan.heads_together) +
             " heads at a time, which leaves blocks equal times; every second round is reversed"});
}

// Everything but the keys of a step.
WarpgroupPlan part_of(const AttentionRequest& request, int consumers) {
  WarpgroupPlan plan;
  plan.problem = request.problem;
  plan.problem.may_repeat_rows = false;
  plan.consumers = consumers;
  plan.block_m = consumers * wgmma_rows;
  plan.cluster_m = plan.cluster_n = 1;
  plan.a_major = Major::k;
  // Of 8-bit floats, warps of the producer transpose V.
  plan.producer_registers = consumers == 3 ? 32 : 24;
  if (plan.input_bytes() == 1) plan.producer_registers = consumers == 3 ? 56 : 40;
  plan.consumer_registers = std::min(
      (registers_of_block(consumers + 1) - plan.producer_registers) / consumers / 8 * 8, 240);
  return plan;
}

std::int64_t whole(std::int64_t size, std::int64_t of) { return (size + of - 1) / of * of; }

// V^T is written by 16 columns.
int columns_of(const AttentionRequest& request) {
  return static_cast<int>(whole(request.problem.n, request.problem.element_bytes() == 1 ? 16 : 8));
}

// Of P V: 32 bytes of P. Sums of 8-bit floats are added in f32 after so many keys.
int keys_of_instruction(const AttentionRequest& request) {
  return 256 / instruction::bits(request.problem.input);
}
bool promotes(const AttentionRequest& request) {
  return request.problem.has_short_sums() && request.problem.f8 == F8Sums::promoted;
}
int most_keys(const AttentionRequest& request) { return promotes(request) ? promoted_depth : 256; }

WarpgroupAttentionPlan with_keys(const AttentionRequest& request, int consumers, int keys) {
  WarpgroupAttentionPlan plan;
  plan.problem = request.problem;
  plan.depth = request.depth;
  plan.scores = plan.values = part_of(request, consumers);
  WarpgroupPlan &scores = plan.scores, &values = plan.values;
  scores.block_n = keys;
  const int bytes = scores.input_bytes();
  scores.block_k = static_cast<int>(whole(request.depth, swizzled_line_bytes / bytes));
  scores.b_major = Major::k;
  scores.stages = request.asked.stages != 0 ? request.asked.stages : 2;
  // wgmma reads whole tiles, so sizes are rounded up to whole tiles, and copies fill whole tiles.
  scores.problem.m = whole(request.problem.m, scores.block_m);
  scores.problem.n = whole(request.problem.k, keys);
  scores.problem.k = request.depth;
  scores.problem.f8 = F8Sums::exact;  // its parts of the depth are one sum
  values.block_n = columns_of(request);
  values.block_k = keys;
  values.b_major = Major::mn;
  values.stages = 0;  // its results are where the context of the kernel says
  values.result_is_mapped = values.has_lines();
  plan.copied = values;
  if (plan.transposes_values()) {
    values.b_major = Major::k;
    plan.copied_stages = 2;
  }
  plan.query_stages = 2;  // the next tile's Q arrives early, where there is room
  if (plan.shared_bytes() > room() && plan.transposes_values()) plan.copied_stages = 1;
  if (plan.shared_bytes() > room()) plan.query_stages = 1;
  if (plan.shared_bytes() > room()) values.result_is_mapped = false;
  plan.blocks = request.count({scores.block_m, wgmma_rows, keys});
  return plan;
}

// The time of the thread block that takes longest, divided by the mean time of a thread block. It
// is assumed that heads are taken `together` at a time, and that the tiles of these heads are
// ordered by length, as AttentionTiles defines. `tiles` has the number of steps of each tile of one
// head.
double imbalance(const std::vector<std::int64_t>& tiles, std::int64_t heads, std::int64_t together,
                 std::int64_t blocks) {
  std::vector<double> spent(static_cast<std::size_t>(blocks));
  std::int64_t number = 0;
  for (std::int64_t first = 0; first < heads; first += together) {
    const std::int64_t count = std::min(together, heads - first);
    for (std::size_t row = 0; row < tiles.size(); ++row) {
      const bool rises = tiles.back() > tiles.front();
      const auto steps = static_cast<double>(tiles[rises ? tiles.size() - 1 - row : row]);
      for (std::int64_t head = 0; head < count; ++head, ++number) {
        const std::int64_t at = number % blocks;
        const bool is_reversed = number / blocks % 2 != 0;
        // The start and the end of a tile together take about as long as one step.
        spent[static_cast<std::size_t>(is_reversed ? blocks - 1 - at : at)] += steps + 1;
      }
    }
  }
  double sum = 0;
  for (const double one : spent) sum += one;
  return *std::ranges::max_element(spent) * static_cast<double>(blocks) / sum;
}

// The number of heads whose tiles are ordered together, longest first, if tiles have different
// lengths; 0 if all have the same length. Returns the number that makes the times of all thread
// blocks most equal. But if the keys and values of that many heads do not fit in L2, the kernel
// takes about 6% longer. The equal times and the 6% were measured on an H200
// (bench/records/nvidia_attention.md).
int heads_together(const WarpgroupAttentionPlan& plan, const std::vector<std::int64_t>& tiles) {
  constexpr std::int64_t part_of_l2 = std::int64_t{32} << 20, most_tiles = std::int64_t{1} << 20;
  if (plan.blocks.of_first == plan.blocks.of_last) return 0;
  const std::int64_t heads = plan.problem.batch, all = heads * plan.values.tiles_m();
  const std::int64_t bytes =
      plan.values.input_bytes() * plan.problem.k * (plan.depth + plan.problem.n);
  const std::int64_t blocks = std::min<std::int64_t>(all, plan.values.blocks);
  std::int64_t best = 1;
  double best_time = 0;
  for (std::int64_t together = 1; all <= most_tiles; together = std::min(2 * together, heads)) {
    const double of_memory = together > 1 && together * bytes > part_of_l2 ? 1.06 : 1;
    const double time = of_memory * imbalance(tiles, heads, together, blocks);
    if (best_time == 0 || time < best_time - 0.001) {
      best = together;
      best_time = time;
    }
    if (together == heads) break;
  }
  return static_cast<int>(best);
}

// Tries plans with different numbers of keys in a step, and returns the one that takes the least
// time; null if none fits. Times are counted in keys, as measured on an H200 with 96 to 176 keys in
// a step and heads of 128 (bench/records/nvidia_attention.md):
// - A step takes as long as its keys and about 32 more.
// - A tile that does not overlap with the next one takes about 60 to 100 keys longer.
std::optional<WarpgroupAttentionPlan> best_plan(const AttentionRequest& request, int consumers) {
  constexpr int keys_of_step = 32, keys_of_ends = 60;
  std::optional<WarpgroupAttentionPlan> best;
  // Results that are not stored by TMA cost a block about 4% of its time.
  const auto time = [](const WarpgroupAttentionPlan& plan) {
    const std::int64_t of_ends = plan.query_stages > 1 ? 0 : keys_of_ends * plan.values.tiles();
    return (plan.blocks.seen * (plan.keys() + keys_of_step) + of_ends) *
           (plan.values.result_is_mapped ? 100 : 104);
  };
  // Arguments that the formula of the scores reads are loaded while Q K^T runs, if registers are
  // free. Heads of 64 and 128 took 0.83 of the time, with 96 and 128 keys, not 160 and 128.
  const bool reads_ahead = request.reads && std::max(request.depth, request.problem.n) <= 128;
  const int least = keys_of_instruction(request), most = most_keys(request);
  for (int keys = least; keys <= most; keys += least) {
    const WarpgroupAttentionPlan tried = with_keys(request, consumers, keys);
    const int to_read = reads_ahead ? tried.scores.sum_registers() * 5 / 4 : 0;
    if (tried.shared_bytes() <= room() && tried.registers_left() >= to_read &&
        (!best || time(tried) < time(*best)))
      best = tried;
  }
  return best;
}

}  // namespace

std::expected<WarpgroupAttentionPlan, std::string> make_warpgroup_attention(
    const AttentionRequest& request) {
  const std::int64_t widest = std::max(request.depth, request.problem.n);
  if (widest > 256)
    return std::unexpected("heads of " + number(request.depth) + " and " +
                           number(request.problem.n) + "; accepted: up to 256");
  if (promotes(request) && request.depth > promoted_depth)
    return std::unexpected("sums of " + number(request.depth) + " 8-bit floats in one; accepted: " +
                           number(promoted_depth) + ", or \"fast\" sums");
  const PlanFields& asked = request.asked;
  // With a formula, three warps of a scheduler hide more of its time than two with longer
  // steps: 0.93 to 0.95 of the time with heads of 128. What is read has more registers with two.
  const std::int64_t sums = promotes(request) ? 2 * widest : widest;
  const bool has_more_to_do = request.has_formula || request.problem.element_bytes() == 1;
  const int most = !request.reads && sums <= (has_more_to_do ? 128 : 96) ? 3 : 2;
  int consumers = static_cast<int>(
      std::min<std::int64_t>(whole(request.problem.m, wgmma_rows) / wgmma_rows, most));
  if (asked.block_m != 0) consumers = asked.block_m / wgmma_rows;
  if (asked.consumers != 0) consumers = asked.consumers;
  const std::int64_t columns = columns_of(request);
  if (consumers < 1 || consumers > 3 ||
      (asked.block_m != 0 && asked.block_m != consumers * wgmma_rows) ||
      (asked.block_n != 0 && asked.block_n != columns))
    return std::unexpected("a block of " + number(asked.block_m) + " queries and " +
                           number(asked.block_n) + " columns by " + number(consumers) +
                           " consumers; accepted: 64 queries for each of 1 to 3 consumers, and " +
                           number(columns) + " columns");
  const int least_keys = keys_of_instruction(request), keys_at_most = most_keys(request);
  if (asked.block_k % least_keys != 0 || asked.block_k < 0 || asked.block_k > keys_at_most)
    return std::unexpected(number(asked.block_k) + " keys a step; accepted: multiples of " +
                           number(least_keys) + " up to " + number(keys_at_most));
  if (!asked.schedule.empty() && asked.schedule != "together" &&
      (asked.schedule != "ping-pong" || consumers == 1))
    return std::unexpected("the schedule \"" + asked.schedule +
                           "\"; accepted: \"together\", and \"ping-pong\" of 2 or 3 consumers");
  if (asked.group > request.problem.batch)
    return std::unexpected("a group of " + number(asked.group) + " heads; accepted: 1 to " +
                           number(request.problem.batch));
  const std::optional<WarpgroupAttentionPlan> found =
      asked.block_k != 0 ? with_keys(request, consumers, asked.block_k)
                         : best_plan(request, consumers);
  if (!found) return std::unexpected("heads that leave no room for keys");
  WarpgroupAttentionPlan plan = *found;
  if (plan.shared_bytes() > room())
    return std::unexpected(number(plan.shared_bytes()) +
                           " bytes of shared memory; accepted: at most " + number(room()));
  const auto order = order_of_shares(plan.scores, plan.values);
  if (!order) return std::unexpected("scores that would have to move");
  plan.share_order = *order;
  // Measured as best_plan: with three consumers ping-pong takes 0.95 of the time, with two 1.01.
  plan.ping_pong = asked.schedule.empty() ? consumers == 3 : asked.schedule == "ping-pong";
  plan.heads_together =
      heads_together(plan, request.of_tiles({plan.scores.block_m, wgmma_rows, plan.keys()}));
  if (asked.group != 0) plan.heads_together = asked.group;
  explain(plan);
  return plan;
}

}  // namespace heddle::plan
