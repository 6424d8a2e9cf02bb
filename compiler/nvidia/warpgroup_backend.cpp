#include <algorithm>
#include <array>
#include <span>

#include "compiler/backend.h"
#include "compiler/decisions/block_scales.h"
#include "compiler/nvidia/tensor_map.h"
#include "compiler/nvidia/warpgroup_arguments.h"
#include "compiler/plan/warpgroup_planner.h"
#include "compiler/plan/warpgroup_time.h"
#include "compiler/request/transposed.h"
#include "library/text/formatted.h"

namespace heddle::compiler {
namespace {

using instruction::Operand;
using instruction::Target;

bool has_wgmma_kernels(Target target) { return target == Target::sm_90a; }

bool has_wgmma_fields(const PlanFields& fields) {
  return fields.warps_m == 0 && fields.warps_n == 0;
}

// Decides plan::Problem::may_repeat_rows: whether two thread blocks may compute the same row of D.
// They must not
// - if the kernel reads elements for each row (C or an epilogue's matrix): a launch may place such
// a matrix in the memory of D, even if the text gives them different names, and the second block
// would read what the first has written,
// - if rows are counted by several loops: the box of a copy then begins at a multiple of its own
// size, so a tile cannot begin earlier.
bool may_repeat_rows(const MatmulRequest& request) {
  const auto has_jumps = [](const MatrixRecord& matrix) { return !matrix.row.jumps.empty(); };
  return !request.c && !has_jumps(request.a) && !has_jumps(request.d) &&
         std::ranges::all_of(request.extras,
                             [](const MatrixRecord& extra) { return extra.row.is({}); }) &&
         std::ranges::none_of(request.further, has_jumps, &FurtherResult::d);
}

// True if D has elements of 16 bits whose columns are contiguous in memory instead of its rows.
bool lies_by_columns(const MatmulRequest& request) {
  const Stride neighbour{1, 0};
  return request.d.row.step == neighbour && request.d.column.step != neighbour &&
         instruction::bits(request.d.element) == 16;
}

bool may_be_transposed(const MatmulRequest& request) {
  return request.problem.dynamic == 0 && can_be_transposed(request);
}

// True if it may be faster to compute the transposed product. The transposed product stores D by
// columns. So it would also read C, or another matrix with an element for each element of D, by
// columns, which is slow; requests with such a matrix are excluded.
bool may_gain_by_transposing(const MatmulRequest& request) {
  const plan::Problem& problem = request.problem;
  const auto is_vector = [](const MatrixRecord& extra) {
    return extra.row.is({}) || extra.column.is({});
  };
  return may_be_transposed(request) && !problem.a.transposed &&
         instruction::bits(problem.result) == 16 && !request.c &&
         std::ranges::all_of(request.extras, is_vector);
}

// The transposed product is preferred if its estimated time is at most this factor times the time
// of `plan`.
// - If B is contiguous along n, a thread block must have whole lines of B, while it may have any
// number of rows of an A that is contiguous along k. So the transposed product can choose among
// more sizes of blocks, but stores results by columns, which takes a little longer.
// - If A and B are contiguous along k, the largest blocks took 0.985 to 1.007 of the time when
// transposed, and nine of twelve took less under load (bench/gpu/transposed_h100.json, products of
// bf16).
double worth_of_transposing(const plan::WarpgroupPlan& plan) {
  if (plan.b_major == instruction::Major::mn) return 0.97;
  return plan.block_m == 128 && plan.block_n == 256 && !plan.promotes() ? 1.01 : 0;
}

plan::Problem problem_of(const MatmulRequest& request) {
  plan::Problem problem = request.problem;
  problem.may_repeat_rows = may_repeat_rows(request);
  return problem;
}

// True if tensor maps can describe A and B and, if the plan stores D in lines, also D.
bool has_maps(const MatmulRequest& request, plan::WarpgroupPlan plan) {
  plan.by_columns = lies_by_columns(request);
  return std::ranges::all_of(std::array{Operand::a, Operand::b, Operand::d}, [&](Operand operand) {
    std::string unused;
    return (operand == Operand::d && !plan.has_lines()) ||
           map_dimensions(request, plan, operand, unused).has_value();
  });
}

// The plan of the product, or the plan of the transposed product if that is preferred.
std::expected<plan::WarpgroupPlan, std::string> best_plan(const MatmulRequest& request,
                                                          const PlanFields& fields) {
  // The user's sizes of blocks are for D or for D^T (`computes`); if that is not said, for D.
  const bool has_block = fields.block_m != 0 || fields.block_n != 0 || fields.consumers != 0 ||
                         fields.cluster_m != 0 || fields.cluster_n != 0 || fields.group != 0;
  const std::string asked = fields.computes.empty() && has_block ? "D" : fields.computes;
  if (!asked.empty() && asked != "D" && asked != "D^T")
    return std::unexpected("computes \"" + asked + "\"; accepted: \"D\", \"D^T\"");
  const bool must = asked == "D^T";
  if (must && !may_be_transposed(request))
    return std::unexpected(
        "computes \"D^T\" of dynamic sizes, of several results or of blocks with scales; accepted: "
        "\"D\"");
  auto plan = plan::make_warpgroup_plan(problem_of(request), fields);
  if (!must && (!asked.empty() || !plan || !may_gain_by_transposing(request))) return plan;
  auto other = plan::make_warpgroup_plan(problem_of(transposed(request)), fields);
  if (other) other->is_transposed = true;
  if (!must &&
      (!other || !has_maps(transposed(request), *other) ||
       plan::estimated_time(*other) > worth_of_transposing(*plan) * plan::estimated_time(*plan)))
    return plan;
  return other;
}

// What is refused here, kernels of mma.sync may take.
Done make_wgmma_plan(const MatmulRequest& given, const Options& options, Compilation& compilation) {
  const auto scales = scaled_sums(given);
  const MatmulRequest& as_read = scales ? scales->request : given;
  if (!as_read.a_producer.nodes.empty() || !as_read.b_producer.nodes.empty())
    return std::unexpected(
        "kernels of wgmma take no operations on inputs, but scales in f32 of 8-bit floats, each "
        "for "
        "128 elements along k or a multiple");
  const PlanFields& fields = options.plan;
  if (!has_wgmma_fields(fields))
    return std::unexpected("a plan for wgmma with warps; accepted: consumers and cluster");
  auto plan = best_plan(as_read, fields);
  if (!plan) return std::unexpected(std::move(plan).error());
  const MatmulRequest request = plan->is_transposed ? transposed(as_read) : as_read;
  plan->by_columns = lies_by_columns(request);
  if (fields.blocks != 0 && fields.blocks != plan->blocks)
    return std::unexpected(
        formatted("{} blocks; accepted: {}, one on a multiprocessor", fields.blocks, plan->blocks));
  std::vector<KernelArgument> arguments;
  std::string unmapped;
  for (const Operand operand : {Operand::a, Operand::b, Operand::d}) {
    auto argument = mapped_argument(request, *plan, operand);
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
  compilation.problem = compilation.request.problem = as_read.problem;
  compilation.arguments = std::move(arguments);
  compilation.grid = plan->grid();
  if (plan->is_transposed) {
    for (plan::LaunchNumber::Tiles& tiles : compilation.grid[0].tiles) {
      if (tiles.loop == plan::Loop::m || tiles.loop == plan::Loop::n)
        tiles.loop = tiles.loop == plan::Loop::m ? plan::Loop::n : plan::Loop::m;
    }
  }
  compilation.workgroup = {static_cast<std::uint32_t>(plan->threads()), 1, 1};
  compilation.dynamic_shared_bytes = static_cast<std::uint32_t>(plan->shared_bytes());
  compilation.choices = plan::explain(*plan);
  if (!plan->result_is_mapped)
    compilation.choices.push_back({"result", "from registers to D", unmapped});
  add_workspace(plan->split_memory(), compilation);
  compilation.plan = *std::move(plan);
  return {};
}

// The numbers of rows of D for which separate kernels are made: the largest tiles would leave
// multiprocessors idle there. For 16 and 32 rows there is another reason: copies of rows outside of
// A would take as long as all the rest.
std::span<const MostSizes> small_wgmma_launches(instruction::Target) {
  static constexpr std::array<MostSizes, 6> all{{{512}, {256}, {128}, {64}, {32}, {16}}};
  return all;
}

}  // namespace

std::vector<PlanFields> likely_wgmma_plans(const MatmulRequest& request, std::size_t most) {
  const auto scales = scaled_sums(request);
  const MatmulRequest& as_read = scales ? scales->request : request;
  if (!may_gain_by_transposing(as_read)) return plan::likely_plans(problem_of(as_read), most);
  std::vector<PlanFields> all = plan::likely_plans(problem_of(as_read), most - most / 2);
  for (PlanFields& fields : all) fields.computes = "D";
  for (PlanFields& fields : plan::likely_plans(problem_of(transposed(as_read)), most / 2)) {
    fields.computes = "D^T";
    all.push_back(fields);
  }
  return all;
}

// `row_bytes` is 16 because tensor maps need rows that begin at multiples of 16 bytes.
const Backend warpgroup_backend{.has_kernels = has_wgmma_kernels,
                                .has_fields = has_wgmma_fields,
                                .plan = make_wgmma_plan,
                                .row_bytes = 16,
                                .prepared_row_bytes = plan::swizzled_line_bytes,
                                .reach = Reach::any,
                                .small_launches = small_wgmma_launches};

}  // namespace heddle::compiler
