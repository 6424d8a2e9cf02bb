#include <array>
#include <optional>
#include <span>

#include "compiler/backend.h"
#include "compiler/decisions/block_scales.h"
#include "compiler/plan/matmul_planner.h"

namespace heddle::compiler {
namespace {

bool has_fields(const PlanFields& fields) { return fields.consumers == 0 && fields.cluster_m == 0; }

// True if elements of A or B have to pass through registers on their way to LDS: a producer
// computes them, further matrices take part, the producer reads which elements are padding, or
// several elements share a byte.
bool passes_registers(const MatrixRecord& matrix, const Expression& producer, bool has_extras) {
  return !producer.nodes.empty() || has_extras || matrix.tells_padding ||
         shares_bytes(matrix.element);
}

// True if the address of an element of A or B is not row * pitch + column: elements of a row are
// not contiguous, an axis has jumps, or the matrix is padded.
bool is_irregular(const MatrixRecord& matrix, bool rows_are_contiguous) {
  const Axis& inner = rows_are_contiguous ? matrix.column : matrix.row;
  const Axis& outer = rows_are_contiguous ? matrix.row : matrix.column;
  return !inner.is({1, 0}) || !outer.jumps.empty() || !matrix.padding.empty();
}

Done make_plan(const MatmulRequest& request, const Options& options, Compilation& compilation) {
  const bool has_scales = request.problem.has_scales;
  std::optional<MatmulRequest> with_scales;
  if (has_scales) with_scales = as_multiplied(request);
  const MatmulRequest& own = has_scales ? *with_scales : request;
  plan::Problem problem = own.problem;
  // If the instruction itself reads scales of A and B, the copies take A and B unscaled. Then the
  // further matrices of an operand are its scales, and do not make it pass through registers.
  problem.a.passes_registers =
      passes_registers(own.a, own.a_producer, !has_scales && !own.a_extras.empty());
  problem.b.passes_registers =
      passes_registers(own.b, own.b_producer, !has_scales && !own.b_extras.empty());
  problem.a.is_irregular = is_irregular(own.a, !problem.a.transposed);
  problem.b.is_irregular = is_irregular(own.b, !problem.b.transposed);
  const PlanFields& asked = options.plan;
  if (asked.group > 1) return std::unexpected("a group of blocks; accepted: 1 on AMD");
  if (!has_fields(asked))
    return std::unexpected("a plan for AMD with consumers or a cluster; accepted: warps");
  if (asked.blocks > 0)
    return std::unexpected(
        "a number of blocks; accepted: none on AMD, one computes each tile of D");
  auto plan = plan::make_plan(problem, options.target, asked);
  if (!plan) return std::unexpected(std::move(plan).error());
  keep_plan(*std::move(plan), compilation);
  return {};
}

// The sizes of launches of few rows and columns, for which separate plans are made. On a GPU that
// is known to be large, thread blocks of 128x128 would leave most of the GPU idle in such launches,
// and would compute elements that D does not have. Empty for other GPUs.
std::span<const MostSizes> small_launches(instruction::Target target) {
  static constexpr std::array<MostSizes, 3> all{{{256, 256}, {64}, {16}}};
  if (instruction::row(target).multiprocessors == 0) return {};
  return all;
}

}  // namespace

// `row_bytes` is 16 because the widest load of a lane has 16 bytes.
const Backend amd_backend{.has_kernels = instruction::has_kernels,
                          .has_fields = has_fields,
                          .plan = make_plan,
                          .row_bytes = 16,
                          .reach = Reach::matrix,
                          .small_launches = small_launches};

}  // namespace heddle::compiler
