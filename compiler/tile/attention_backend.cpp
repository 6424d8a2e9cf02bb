#include <algorithm>
#include <bit>
#include <numeric>

#include "compiler/backend.h"
#include "compiler/decisions/key_blocks.h"
#include "compiler/plan/attention_planner.h"
#include "compiler/plan/words.h"
#include "compiler/planned_sums.h"
#include "library/text/formatted.h"

namespace heddle::compiler {
namespace {

using instruction::Target;

bool has_attention_kernels(Target target) { return instruction::is_compiled_for(target); }

bool has_attention_fields(const PlanFields& fields) {
  PlanFields others = fields;
  others.block_m = others.block_n = others.block_k = 0;
  others.warps_m = others.warps_n = others.split_k = 0;
  others.instruction.clear();
  return others == PlanFields{};
}

// The reason why the rows of a matrix cannot be copied to shared memory; empty if they can. The
// elements of a row must be contiguous, and rows must begin and end at multiples of 16 bytes. If
// `are_lines`, rows must also be equally far apart (no jumps).
std::string why_not_rows(const char* name, const MatrixRecord& matrix, std::int64_t length,
                         bool are_lines) {
  const std::int64_t each = 128 / instruction::bits(matrix.element);
  if (!matrix.column.is({1, 0}))
    return "the elements of a row of " + std::string(name) + " are not neighbours in memory";
  if (are_lines && !matrix.row.jumps.empty())
    return "the rows of " + std::string(name) + " are not equally far apart";
  std::int64_t all = matrix.offset | length | matrix.row.step.factor | matrix.batch.step.factor;
  for (const Axis* axis : {&matrix.row, &matrix.batch})
    for (const Jump& jump : axis->jumps) all |= jump.forward.factor | jump.back.factor;
  if (all % each != 0)
    return formatted(
        "rows of {} have {} elements, {}; accepted: rows that begin and end at multiples of 16 "
        "bytes: "
        "heads of a multiple of {}, which zeros may fill",
        name, length,
        length % each == 0 ? "and begin elsewhere" : formatted("no multiple of {}", each), each);
  return {};
}

Done plan_attention(const MatmulRequest& request, const Options& options,
                    Compilation& compilation) {
  const SoftmaxOperand& softmax = *request.softmax;
  for (const std::string& why : {why_not_rows("Q", request.a, softmax.depth, false),
                                 why_not_rows("K", softmax.keys, softmax.depth, true),
                                 why_not_rows("V", request.b, request.problem.n, true)})
    if (!why.empty()) return std::unexpected(why);
  const auto formula = score_formula(softmax, request.problem);
  if (!formula)
    return std::unexpected(formatted(
        "the formula of the scores; accepted: places below 2^31, {} rows and keys, and {} steps, "
        "counted on each way to an input; where rows have results, no masks below -1e30",
        most_places, most_score_steps));
  if (!has_attention_fields(options.plan))
    return std::unexpected(
        std::string("a field that this kernel of attention does not have; accepted: block, warps, "
                    "split_k and instruction"));
  if (request.problem.batch > 65535) return std::unexpected("a batch of more than 65535");
  auto made = plan::make_attention_plan({.problem = request.problem,
                                         .depth = softmax.depth,
                                         .target = options.target,
                                         .asked = options.plan});
  if (!made) return std::unexpected(std::move(made).error());
  plan::AttentionPlan& plan = *made;
  const PlanFields& asked = options.plan;
  if ((asked.block_m != 0 && asked.block_m != plan.block_queries()) ||
      (asked.block_n != 0 && asked.block_n != request.problem.n))
    return std::unexpected(formatted("a block of {}x{}; accepted: {}x{}, as warps and V make it",
                                     asked.block_m, asked.block_n, plan.block_queries(),
                                     request.problem.n));
  const int sharing = plan.sharing_warps(), query_warps = plan.warps / sharing;
  if (asked.warps_m != 0 && (asked.warps_m != query_warps || asked.warps_n != sharing))
    return std::unexpected(formatted(
        "{}x{} warps for {} queries and {} keys a step; accepted: {}x{}, as many as have {} "
        "queries each and shared memory for their keys",
        asked.warps_m, asked.warps_n, request.problem.m, plan.keys, query_warps, sharing,
        plan.queries));
  if (asked.block_k != 0 && asked.block_k != plan.keys)
    return std::unexpected(
        formatted("{} keys a step; accepted: {}, for which there are "
                  "instructions and shared memory",
                  asked.block_k, plan.keys));
  compilation.grid = plan.grid();
  compilation.workgroup = {static_cast<std::uint32_t>(plan.threads()), 1, 1};
  if (instruction::is_nvidia(plan.instruction->family()))
    compilation.dynamic_shared_bytes = plan.shared_bytes;
  if (formula->has_mask())
    plan.choices.push_back(mask_choice(
        *formula, key_blocks(*formula, {plan.block_queries(), plan.block_queries(), plan.keys})));
  compilation.choices = plan.choices;
  draw_as_lengths(*formula, compilation.request);
  SoftmaxOperand& known = *compilation.request.softmax;
  known.share_exponent = plan.share_exponent();
  known.sums =
      sum_error(PlannedSums{*plan.instruction, plan.column_warps, softmax.depth}, options.target);
  // In the steps of a part, and where warps and where parts join their sums.
  const bool joins_warps = plan.key_warps > 1, joins_parts = plan.parts > 1;
  known.rescales = plan.part_steps() - 1 + (joins_warps ? 1 : 0) + (joins_parts ? plan.parts : 0);
  // The additions: in one step, over steps, over lanes, over warps and over blocks that share
  // queries.
  known.additions = plan.warp_keys() + plan.part_steps() + std::bit_width(unsigned(plan.lanes)) +
                    plan.key_warps + plan.parts;
  if (request.problem.is_dynamic(plan::Loop::k))
    known.step_keys = std::int64_t{plan.keys} * plan.parts;
  add_workspace(plan.split_memory(), compilation);
  compilation.plan = std::move(plan);
  return {};
}

}  // namespace

const Backend attention_backend{.has_kernels = has_attention_kernels,
                                .has_fields = has_attention_fields,
                                .plan = plan_attention,
                                .is_attention = true,
                                .reach = Reach::any};

}  // namespace heddle::compiler
