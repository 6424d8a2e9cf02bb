#include "compiler/backend.h"
#include "compiler/plan/mma_planner.h"

namespace heddle::compiler {
namespace {

using instruction::ElementType;

bool has_mma_fields(const PlanFields& fields) {
  return fields.consumers == 0 && fields.cluster_m == 0;
}

// To how many bytes each line of A or B (contiguous elements) is aligned, both where it begins and
// how long it is, provided that arguments begin at multiples of 16 bytes.
struct Alignment {
  int certain;   // whatever dynamic sizes are
  int possible;  // for some of them
};

Alignment alignment(const plan::Problem& problem, const plan::OperandForm& form,
                    const MatrixRecord& matrix, plan::Loop inner) {
  const Axis& along = form.transposed ? matrix.row : matrix.column;
  const Axis& across = form.transposed ? matrix.column : matrix.row;
  std::int64_t known = matrix.offset, unknown = 0;
  const auto take = [&](const Stride& stride) {
    (stride.is_static() ? known : unknown) |= stride.factor;
  };
  take(matrix.batch.step);
  take(across.step);
  problem.is_dynamic(inner) ? unknown |= 1 : known |= problem.size(inner);
  for (const Axis* axis : {&along, &across, &matrix.batch}) {
    for (const Jump& jump : axis->jumps) {
      take(jump.forward);
      take(jump.back);
    }
  }
  for (const Jump& jump : along.jumps) known |= jump.every;
  if (along.step != Stride{1, 0}) known |= 1;
  for (const PaddedDimension& padded : matrix.padding) {
    const Axis& inside = form.transposed ? padded.row : padded.column;
    if (inside.step != Stride{}) known |= 1;
    for (const Jump& jump : inside.jumps) known |= jump.every;
  }
  const auto power = [&](std::int64_t elements) {
    const std::int64_t bytes = elements * counted_bytes(matrix.element);
    return static_cast<int>((bytes | 16) & -(bytes | 16));
  };
  return {power(known | unknown), power(known)};
}

// Operands of the matrix instruction.
ElementType multiplied(const plan::Problem& problem, ElementType input) {
  if (problem.is_split()) return ElementType::bf16;
  return problem.is_tf32() && input == ElementType::f32 ? ElementType::xf32 : input;
}

Done make_mma_plan(const MatmulRequest& request, const Options& options, Compilation& compilation) {
  const plan::Problem& problem = request.problem;
  const PlanFields& fields = options.plan;
  if (!has_mma_fields(fields))
    return std::unexpected(
        "a plan for mma.sync with consumers or a cluster; accepted: warps, and neither of them");
  plan::MmaRequest asked{.problem = problem, .target = options.target};
  asked.multiply = multiplied(problem, problem.input);
  asked.multiply_b = multiplied(problem, problem.b_input());
  const Alignment a = alignment(problem, problem.a, request.a,
                                problem.a.transposed ? plan::Loop::m : plan::Loop::k);
  const Alignment b = alignment(problem, problem.b, request.b,
                                problem.b.transposed ? plan::Loop::k : plan::Loop::n);
  asked.a_alignment = a.certain;
  asked.b_alignment = b.certain;
  asked.a_checked = a.possible == 16;
  asked.b_checked = b.possible == 16;
  asked.a_computes = !request.a_producer.nodes.empty();
  asked.b_computes = !request.b_producer.nodes.empty();
  asked.asked = {.m = fields.block_m,
                 .n = fields.block_n,
                 .k = fields.block_k,
                 .warps_m = fields.warps_m,
                 .warps_n = fields.warps_n,
                 .stages = fields.stages,
                 .group = fields.group,
                 .split_k = fields.split_k,
                 .blocks = fields.blocks};
  if (problem.batch > 65535) return std::unexpected("a batch of more than 65535");
  auto plan = plan::make_mma_plan(asked);
  if (!plan) return std::unexpected(std::move(plan).error());
  compilation.dynamic_shared_bytes = plan->shared_bytes;
  keep_plan(*std::move(plan), compilation);
  return {};
}

}  // namespace

const Backend mma_backend{.has_kernels = has_nvidia_kernels,
                          .has_fields = has_mma_fields,
                          .plan = make_mma_plan,
                          .reach = Reach::any};

}  // namespace heddle::compiler
