#include <algorithm>

#include "compiler/backend.h"
#include "compiler/nvidia/tensor_map.h"
#include "compiler/request/block_scales.h"
#include "heddle/plan/warpgroup_planner.h"

namespace heddle::compiler {
namespace {

using instruction::Operand;
using instruction::Target;

bool has_wgmma_kernels(Target target) { return target == Target::sm_90a; }

bool has_wgmma_fields(const PlanFields& fields) {
  return fields.warps_m == 0 && fields.warps_n == 0;
}

// A or B, or D.
std::expected<KernelArgument, std::string> mapped(const MatmulRequest& request,
                                                  const plan::WarpgroupPlan& plan,
                                                  Operand operand) {
  // The stores of several results find the places of each.
  if (operand == Operand::d && !request.further.empty())
    return std::unexpected("several results of one product");
  std::string refusal;
  const auto dimensions = map_dimensions(request, plan, operand, refusal);
  if (!dimensions) return std::unexpected(refusal);
  const MatrixRecord& matrix = operand == Operand::a   ? request.a
                               : operand == Operand::b ? request.b
                                                       : request.d;
  // Of f32 wgmma cuts bits off; copies by a map of tf32 round before.
  const bool is_rounded = operand != Operand::d && plan.problem.rounds_tf32();
  TensorMapForm map{
      .element = is_rounded ? instruction::ElementType::xf32 : matrix.element,
      .offset = static_cast<std::uint64_t>(matrix.offset * instruction::bits(matrix.element) / 8),
      .sizes = {},
      .strides = {},
      .box = {},
      .swizzle_bytes = plan::swizzled_line_bytes};
  for (const MapDimension& dimension : *dimensions) {
    if (!map.sizes.empty()) map.strides.push_back(dimension.stride);
    map.sizes.push_back(dimension.size);
    map.box.push_back(dimension.box);
  }
  return KernelArgument{.parameter = matrix.parameter, .map = std::move(map)};
}

// plan::Problem::may_repeat_rows. What a launch reads for each row may lie where it writes D,
// whatever the text calls it. Where rows are those of several loops, boxes of copies begin at
// multiples of their own size.
bool may_repeat_rows(const MatmulRequest& request) {
  const auto has_jumps = [](const MatrixRecord& matrix) { return !matrix.row.jumps.empty(); };
  return !request.c && !has_jumps(request.a) && !has_jumps(request.d) &&
         std::ranges::all_of(request.extras,
                             [](const MatrixRecord& extra) { return extra.row.is({}); }) &&
         std::ranges::none_of(request.further, has_jumps, &FurtherResult::d);
}

// What is refused here, kernels of mma.sync do.
Done make_wgmma_plan(const MatmulRequest& given, const Options& options, Compilation& compilation) {
  const auto scales = scaled_sums(given);
  const MatmulRequest& request = scales ? scales->request : given;
  if (!request.a_producer.nodes.empty() || !request.b_producer.nodes.empty())
    return std::unexpected(
        "kernels of wgmma take no operations on inputs, but scales in f32 of 8-bit floats, each "
        "for "
        "128 elements along k or a multiple");
  const PlanFields& fields = options.plan;
  if (!has_wgmma_fields(fields))
    return std::unexpected("a plan for wgmma with warps; accepted: consumers and cluster");
  plan::Problem problem = request.problem;
  problem.may_repeat_rows = may_repeat_rows(request);
  auto plan = plan::make_warpgroup_plan(problem, fields);
  if (!plan) return std::unexpected(std::move(plan).error());
  if (fields.blocks != 0 && fields.blocks != plan->blocks)
    return std::unexpected(std::to_string(fields.blocks) + " blocks; accepted: " +
                           std::to_string(plan->blocks) + ", one on a multiprocessor");
  std::vector<KernelArgument> arguments;
  std::string unmapped;
  for (const Operand operand : {Operand::a, Operand::b, Operand::d}) {
    auto argument = mapped(request, *plan, operand);
    if (!argument && operand != Operand::d) return std::unexpected(std::move(argument).error());
    plan->result_is_mapped = argument.has_value();
    if (!argument) unmapped = argument.error();
    arguments.push_back(
        std::move(argument).value_or(KernelArgument{.parameter = request.d.parameter, .map = {}}));
  }
  if (request.c) arguments.push_back({.parameter = request.c->parameter, .map = {}});
  for (const MatrixRecord& extra : request.extras)
    arguments.push_back({.parameter = extra.parameter, .map = {}});
  for (const FurtherResult& further : request.further)
    arguments.push_back({.parameter = further.d.parameter, .map = {}});
  for (const auto* scaled : {&request.a_extras, &request.b_extras})
    for (const MatrixRecord& one : *scaled)
      arguments.push_back({.parameter = one.parameter, .map = {}});
  compilation.problem = compilation.request.problem = request.problem;
  compilation.arguments = std::move(arguments);
  compilation.grid = plan->grid();
  compilation.workgroup = {static_cast<std::uint32_t>(plan->threads()), 1, 1};
  compilation.dynamic_shared_bytes = static_cast<std::uint32_t>(plan->shared_bytes());
  compilation.choices = plan::explain(*plan);
  if (!plan->result_is_mapped)
    compilation.choices.push_back({"result", "from registers to D", unmapped});
  add_workspace(plan->split_memory(), compilation);
  compilation.plan = *std::move(plan);
  return {};
}

}  // namespace

// Copies of the tensor memory accelerator need such rows. With so few of D the largest tiles leave
// multiprocessors idle; with 16 or 32 what is copied of A outside of it would take as long as the
// rest.
const Backend warpgroup_backend{.has_kernels = has_wgmma_kernels,
                                .has_fields = has_wgmma_fields,
                                .plan = make_wgmma_plan,
                                .row_bytes = 16,
                                .prepared_row_bytes = plan::swizzled_line_bytes,
                                .few_rows = {512, 256, 128, 64, 32, 16}};

}  // namespace heddle::compiler
