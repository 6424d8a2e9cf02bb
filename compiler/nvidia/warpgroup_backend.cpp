#include "compiler/backend.h"
#include "compiler/nvidia/warpgroup_kernel.h"
#include "heddle/plan/warpgroup_planner.h"

namespace heddle::compiler {
namespace {

using instruction::Operand;
using instruction::Target;

bool has_kernels(Target target) { return target == Target::sm_90a; }

bool has_fields(const PlanFields& fields) {
  return fields.warps_m == 0 && fields.warps_n == 0 && fields.split_k <= 1;
}

// A tensor map over a row-major matrix.
KernelArgument tensor_map(int parameter, instruction::ElementType element, std::int64_t rows,
                          std::int64_t columns, std::uint32_t line, std::uint32_t lines) {
  const std::int64_t bytes = instruction::bits(element) / 8;
  return {.parameter = parameter,
          .map = TensorMapForm{
              .element = element,
              .sizes = {static_cast<std::uint64_t>(columns), static_cast<std::uint64_t>(rows)},
              .strides = {static_cast<std::uint64_t>(columns * bytes)},
              .box = {line, lines},
              .swizzle_bytes = plan::swizzled_line_bytes}};
}

KernelArgument operand_map(const plan::WarpgroupPlan& plan, Operand operand, int parameter) {
  const plan::Problem& problem = plan.problem;
  const plan::CopyBox box = plan.copy_box(operand);
  const bool is_a = operand == Operand::a;
  const std::int64_t columns = is_a ? problem.a_row() : problem.b_row();
  const std::int64_t elements = problem.k * (is_a ? problem.m : problem.n);
  return tensor_map(parameter, problem.input, elements / columns, columns,
                    static_cast<std::uint32_t>(box.line_elements),
                    static_cast<std::uint32_t>(box.lines));
}

// Whether rows follow each other without gaps, `transposed` columns.
bool is_packed(const MatrixRecord& matrix, bool transposed, std::int64_t row) {
  const Axis& along = transposed ? matrix.row : matrix.column;
  const Axis& across = transposed ? matrix.column : matrix.row;
  return matrix.offset == 0 && matrix.padding.empty() && along.is({1, 0}) && across.is({row, 0});
}

std::string request_refusal(const MatmulRequest& request) {
  const plan::Problem& problem = request.problem;
  if (!request.a_producer.nodes.empty() || !request.b_producer.nodes.empty() ||
      !request.epilogue.nodes.empty() || request.sum_result != request.d.element)
    return "kernels of wgmma take no operations on inputs and results";
  if (problem.dynamic != 0 || problem.batch != 1)
    return "kernels of wgmma take static sizes and no batch";
  if (!is_packed(request.a, problem.a.transposed, problem.a_row()) ||
      !is_packed(request.b, problem.b.transposed, problem.b_row()) ||
      !is_packed(request.d, false, problem.n) ||
      (request.c && !is_packed(*request.c, false, problem.n)))
    return "kernels of wgmma take matrices without gaps and offsets";
  return {};
}

// What is refused here, kernels of mma.sync do.
std::expected<void, std::string> make_plan(const MatmulRequest& request, const Options& options,
                                           Compilation& compilation) {
  if (std::string wrong = request_refusal(request); !wrong.empty())
    return std::unexpected(std::move(wrong));
  const PlanFields& fields = options.plan;
  if (!has_fields(fields))
    return std::unexpected(
        "a plan for wgmma with warps or split_k; accepted: consumers and cluster");
  auto plan = plan::make_warpgroup_plan(request.problem, {.block_m = fields.block_m,
                                                          .block_n = fields.block_n,
                                                          .block_k = fields.block_k,
                                                          .consumers = fields.consumers,
                                                          .stages = fields.stages,
                                                          .cluster_m = fields.cluster_m,
                                                          .cluster_n = fields.cluster_n,
                                                          .group = fields.group});
  if (!plan) return std::unexpected(std::move(plan).error());
  if (fields.blocks != 0 && fields.blocks != plan->blocks)
    return std::unexpected(std::to_string(fields.blocks) + " blocks; accepted: " +
                           std::to_string(plan->blocks) + ", one on a multiprocessor");
  compilation.grid = {static_cast<std::uint32_t>(plan->blocks), 1, 1};
  compilation.workgroup = {static_cast<std::uint32_t>(plan->threads()), 1, 1};
  compilation.dynamic_shared_bytes = static_cast<std::uint32_t>(plan->shared_bytes());
  compilation.choices = plan::explain(*plan);
  compilation.arguments = {
      operand_map(*plan, Operand::a, request.a.parameter),
      operand_map(*plan, Operand::b, request.b.parameter),
      tensor_map(request.d.parameter, request.problem.result, request.problem.m, request.problem.n,
                 static_cast<std::uint32_t>(plan->piece_columns()),
                 plan::WarpgroupPlan::piece_rows)};
  if (!request.constant && request.c)
    compilation.arguments.push_back({.parameter = request.c->parameter, .map = {}});
  compilation.plan = *std::move(plan);
  return {};
}

std::unique_ptr<KernelModule> build(const MatmulRequest& request, const Compilation& compilation) {
  return warpgroup_kernel(request.function, std::get<plan::WarpgroupPlan>(compilation.plan),
                          request.constant);
}

}  // namespace

const Backend warpgroup_backend{has_kernels, has_fields, make_plan, build};

}  // namespace heddle::compiler
