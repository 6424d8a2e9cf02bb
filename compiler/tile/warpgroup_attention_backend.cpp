#include <array>
#include <bit>

#include "compiler/backend.h"
#include "compiler/decisions/key_blocks.h"
#include "compiler/nvidia/warpgroup_arguments.h"
#include "compiler/plan/attention_planner.h"
#include "compiler/planned_sums.h"
#include "compiler/request/softmax_scores.h"

namespace heddle::compiler {
namespace {

using instruction::Operand;
using instruction::Target;

bool has_wgmma_attention(Target target) { return target == Target::sm_90a; }

bool has_wgmma_attention_fields(const PlanFields& fields) {
  PlanFields others = fields;
  others.block_m = others.block_n = others.block_k = others.consumers = others.stages = 0;
  others.group = 0;
  others.schedule.clear();
  others.instruction.clear();
  return others == PlanFields{};
}

// Plans attention by wgmma, or refuses it. A refused request can still be computed by a kernel of
// mma.sync.
Done plan_wgmma_attention(const MatmulRequest& request, const Options& options,
                          Compilation& compilation) {
  const SoftmaxOperand& softmax = *request.softmax;
  if (!has_wgmma_attention_fields(options.plan))
    return std::unexpected(
        "a field that attention by wgmma does not have; accepted: block, consumers, stages, group, "
        "schedule and instruction; by mma.sync block, warps, split_k and instruction");
  if (plan::has_few_queries(request.problem) && options.plan == PlanFields{})
    return std::unexpected("few queries and many keys: kernels of mma.sync share the keys");
  if (is_small_float(request.problem.input) && !request.problem.has_short_sums())
    return std::unexpected("sums that keep the bits of f32: those of mma.sync do");
  const auto formula = score_formula(softmax, request.problem);
  if (!formula) return std::unexpected("the formula of the scores");
  if (request.problem.dynamic != 0)
    return std::unexpected("sizes that only a launch knows: kernels of mma.sync take them");
  auto made = plan::make_warpgroup_attention(
      {.problem = request.problem,
       .depth = softmax.depth,
       .target = options.target,
       .asked = options.plan,
       .count = [&](const plan::KeyBlockSizes& sizes) { return key_blocks(*formula, sizes); },
       .of_tiles =
           [&](const plan::KeyBlockSizes& sizes) { return blocks_of_tiles(*formula, sizes); },
       .has_formula = !formula->kept.nodes.empty(),
       .reads = !softmax.extras.empty()});
  if (!made) return std::unexpected(std::move(made).error());
  plan::WarpgroupAttentionPlan& plan = *made;
  const MatmulRequest scores = scores_request(request);
  std::vector<KernelArgument> arguments;
  const auto add = [&](const MatmulRequest& of, const plan::WarpgroupPlan& by,
                       Operand operand) -> Done {
    auto argument = mapped_argument(of, by, operand);
    if (!argument) return std::unexpected(std::move(argument).error());
    arguments.push_back(*std::move(argument));
    return {};
  };
  for (const Done& done :
       {add(scores, plan.scores, Operand::a), add(scores, plan.scores, Operand::b),
        add(request, plan.copied, Operand::b)})
    if (!done) return done;
  if (plan.values.result_is_mapped && !add(request, plan.values, Operand::d))
    plan.values.result_is_mapped = false;
  if (!plan.values.result_is_mapped)
    arguments.push_back({.parameter = request.d.parameter, .map = {}});
  for (const std::vector<MatrixRecord>* extras : {&request.extras, &softmax.extras})
    for (const MatrixRecord& extra : *extras)
      arguments.push_back({.parameter = extra.parameter, .map = {}});
  for (const SoftmaxResult& result : softmax.results)
    arguments.push_back({.parameter = result.d.parameter, .map = {}});
  if (softmax.sink)
    for (const MatrixRecord& extra : softmax.sink->extras)
      arguments.push_back({.parameter = extra.parameter, .map = {}});
  compilation.arguments = std::move(arguments);
  compilation.grid = plan.grid();
  compilation.workgroup = {static_cast<std::uint32_t>(plan.threads()), 1, 1};
  compilation.dynamic_shared_bytes = static_cast<std::uint32_t>(plan.shared_bytes());
  if (formula->has_mask()) plan.choices.push_back(mask_choice(*formula, plan.blocks));
  compilation.choices = plan.choices;
  draw_as_lengths(*formula, compilation.request);
  SoftmaxOperand& known = *compilation.request.softmax;
  known.share_exponent = plan.share_exponent();
  known.sums =
      sum_error(PlannedSums{plan::wgmma_of(plan.scores), 1, softmax.depth}, options.target);
  known.rescales = plan.steps() - (softmax.sink ? 0 : 1);
  // The additions: in one step of a lane, over the steps, over the lanes, and of the sink.
  known.additions = plan.keys() + plan.steps() + std::bit_width(32u) + (softmax.sink ? 1 : 0);
  compilation.plan = std::move(plan);
  return {};
}

}  // namespace

const Backend warpgroup_attention_backend{.has_kernels = has_wgmma_attention,
                                          .has_fields = has_wgmma_attention_fields,
                                          .plan = plan_wgmma_attention,
                                          .is_attention = true,
                                          .reach = Reach::any};

}  // namespace heddle::compiler
