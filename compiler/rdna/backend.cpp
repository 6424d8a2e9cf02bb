#include "compiler/backend.h"
#include "compiler/rdna/lowering.h"
#include "heddle/plan/matmul_planner.h"

namespace heddle::compiler {
namespace {

bool has_fields(const PlanFields& fields) { return fields.consumers == 0 && fields.cluster_m == 0; }

std::expected<void, std::string> make_plan(const MatmulRequest& request, const Options& options,
                                           Compilation& compilation) {
  const plan::Problem& problem = request.problem;
  const PlanFields& asked = options.plan;
  if (asked.group > 1) return std::unexpected("a group of blocks; accepted: 1 on RDNA");
  if (!has_fields(asked))
    return std::unexpected("a plan for RDNA with consumers or a cluster; accepted: warps");
  if (asked.blocks > 0)
    return std::unexpected(
        "a number of blocks; accepted: none on RDNA, one computes each tile of D");
  auto plan = plan::make_plan(problem, options.target, asked);
  if (!plan) return std::unexpected(std::move(plan).error());
  compilation.grid = plan->grid();
  compilation.workgroup = {static_cast<std::uint32_t>(plan->tiles.threads()), 1, 1};
  if (plan->tiles.split_k > 1)
    compilation.parameters.push_back(workspace_parameter(plan->workspace_bytes()));
  compilation.choices = plan->choices;
  compilation.plan = *std::move(plan);
  return {};
}

std::unique_ptr<KernelModule> build(const MatmulRequest& request, const Compilation& compilation) {
  return rdna_kernel(request, std::get<plan::MatmulPlan>(compilation.plan));
}

}  // namespace

const Backend rdna_backend{instruction::has_kernels, has_fields, make_plan, build};

}  // namespace heddle::compiler
