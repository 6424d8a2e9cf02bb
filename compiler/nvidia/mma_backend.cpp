#include "compiler/backend.h"
#include "compiler/nvidia/mma_kernel.h"
#include "heddle/plan/mma_planner.h"

namespace heddle::compiler {
namespace {

using instruction::ElementType;
using instruction::Target;

// cp.async came with sm_80.
bool has_kernels(Target target) {
  return instruction::is_nvidia(instruction::processor(target).family) && target >= Target::sm_80;
}

bool has_fields(const PlanFields& fields) { return fields.consumers == 0 && fields.cluster_m == 0; }

// What rows begin at a multiple of, in bytes, when arguments begin at a multiple of 16.
int alignment(std::int64_t divisor, const MatrixRecord& matrix) {
  const std::int64_t bytes = (divisor | matrix.offset) * instruction::bits(matrix.element) / 8;
  return static_cast<int>(std::min<std::int64_t>(bytes & -bytes, 16));
}

// What the matrix instruction multiplies.
ElementType multiplied(const plan::Problem& problem, ElementType input) {
  if (problem.is_split()) return ElementType::bf16;
  const bool tf32 = problem.f32 == plan::F32Path::tf32 && input == ElementType::f32;
  return tf32 ? ElementType::xf32 : input;
}

std::expected<void, std::string> make_plan(const MatmulRequest& request, const Options& options,
                                           Compilation& compilation) {
  const plan::Problem& problem = request.problem;
  const PlanFields& fields = options.plan;
  if (!has_fields(fields))
    return std::unexpected(
        "a plan for mma.sync with consumers or a cluster; accepted: warps, and neither of them");
  plan::MmaRequest asked{.problem = problem, .target = options.target};
  asked.multiply = multiplied(problem, problem.input);
  asked.multiply_b = multiplied(problem, problem.b_input());
  asked.a_k_contiguous = !problem.a.transposed;
  asked.b_k_contiguous = problem.b.transposed;
  asked.a_alignment = alignment(problem.a_divisor(), request.a);
  asked.b_alignment = alignment(problem.b_divisor(), request.b);
  asked.asked = {.m = fields.block_m,
                 .n = fields.block_n,
                 .k = fields.block_k,
                 .warps_m = fields.warps_m,
                 .warps_n = fields.warps_n,
                 .stages = fields.stages,
                 .group = fields.group,
                 .split_k = fields.split_k};
  if (problem.batch > 65535) return std::unexpected("a batch of more than 65535");
  auto plan = plan::make_mma_plan(asked);
  if (!plan) return std::unexpected(std::move(plan).error());
  compilation.grid = {static_cast<std::uint32_t>(plan->blocks_m() * plan->blocks_n()),
                      static_cast<std::uint32_t>(problem.batch), 1};
  compilation.workgroup = {static_cast<std::uint32_t>(plan->tiles.threads()), 1, 1};
  compilation.dynamic_shared_bytes = plan->shared_bytes;
  compilation.choices = plan->choices;
  compilation.plan = *std::move(plan);
  return {};
}

std::unique_ptr<KernelModule> build(const MatmulRequest& request, const Compilation& compilation) {
  return mma_kernel(request, std::get<plan::MmaPlan>(compilation.plan));
}

}  // namespace

const Backend mma_backend{has_kernels, has_fields, make_plan, build};

}  // namespace heddle::compiler
