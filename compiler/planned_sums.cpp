#include "compiler/planned_sums.h"

#include <variant>

#include "compiler/plan/fma_atom.h"
#include "heddle/instruction/sum_standing.h"

namespace heddle::compiler {

std::optional<PlannedSums> planned_sums(const KernelPlan& plan) {
  const auto of = [](const plan::ProductPlan& product) -> std::optional<PlannedSums> {
    // The tables of how matrix instructions add have no rows for kernels of plain fused
    // multiply-adds.
    if (plan::is_fma(*product.instruction)) return std::nullopt;
    return PlannedSums{*product.instruction, product.tiles.split_k, product.part_k()};
  };
  if (const auto* mma = std::get_if<plan::MmaPlan>(&plan)) return of(*mma);
  if (const auto* amd = std::get_if<plan::MatmulPlan>(&plan)) return of(*amd);
  if (const auto* attention = std::get_if<plan::AttentionPlan>(&plan))
    return PlannedSums{*attention->instruction, 1, attention->problem.k};
  if (const auto* attention = std::get_if<plan::WarpgroupAttentionPlan>(&plan))
    return PlannedSums{plan::wgmma_of(attention->values), 1,
                       attention->values.promotes() ? plan::promoted_depth : attention->problem.k};
  const auto* wgmma = std::get_if<plan::WarpgroupPlan>(&plan);
  if (wgmma == nullptr) return std::nullopt;
  const std::int64_t step = wgmma->block_k;
  const std::int64_t steps = (wgmma->problem.k + step - 1) / step;
  PlannedSums sums{plan::wgmma_of(*wgmma), wgmma->split_k,
                   (steps + wgmma->split_k - 1) / wgmma->split_k * step};
  if (wgmma->promotes()) sums.part_k = plan::promoted_depth;
  return sums;
}

std::optional<instruction::SumError> sum_error(const std::optional<PlannedSums>& sums,
                                               instruction::Target target) {
  if (!sums) return std::nullopt;
  const instruction::SumStanding standing =
      instruction::sum_standing(sums->instruction, instruction::processor(target).family);
  if (standing.evidence == instruction::Evidence::unknown) return std::nullopt;
  instruction::SumError error = standing.error;
  // The sums of the parts of k are added to each other and to C, and the result is rounded to f32
  // once more.
  error.once += (sums->parts + 2) * instruction::rounding_of(instruction::ElementType::f32);
  return error;
}

}  // namespace heddle::compiler
