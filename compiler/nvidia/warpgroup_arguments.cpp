#include "compiler/nvidia/warpgroup_arguments.h"

#include "compiler/nvidia/tensor_map.h"

namespace heddle::compiler {

std::expected<KernelArgument, std::string> mapped_argument(const MatmulRequest& request,
                                                           const plan::WarpgroupPlan& plan,
                                                           instruction::Operand operand) {
  // With several results, the kernel stores each of them without a tensor map.
  if (operand == instruction::Operand::d && !request.further.empty())
    return std::unexpected("several results of one product");
  std::string refusal;
  const auto dimensions = map_dimensions(request, plan, operand, refusal);
  if (!dimensions) return std::unexpected(refusal);
  const MatrixRecord& matrix = operand == instruction::Operand::a   ? request.a
                               : operand == instruction::Operand::b ? request.b
                                                                    : request.d;
  // wgmma cuts off the low bits of f32. Copies by a tensor map of type tf32 round the numbers
  // before.
  const bool is_rounded = operand != instruction::Operand::d && plan.problem.rounds_tf32();
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

}  // namespace heddle::compiler
