// A matrix of a product as a tensor map of the tensor memory accelerator: a dimension for each
// loop, and the coordinates of a copy from the numbers of the loops.
//
// Source: CUDA Driver API 13.0, cuTensorMapEncodeTiled.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/plan/warpgroup_plan.h"
#include "compiler/request/matmul_request.h"

namespace heddle::compiler {

/// A dimension of a tensor map: one loop of a group. Its number is the group's number divided by
/// `every`, modulo `count` (0: no modulo).
struct MapDimension {
  plan::Loop group{};
  std::int64_t every = 1, count = 0;
  Stride size;    // elements
  Stride stride;  // bytes from one to the next
  std::uint32_t box = 1;
};

/// The dimensions of the tensor map of A, B or D, the innermost first. Nothing if copies cannot do
/// it; `refusal` then says why.
std::optional<std::vector<MapDimension>> map_dimensions(const MatmulRequest& request,
                                                        const plan::WarpgroupPlan& plan,
                                                        instruction::Operand operand,
                                                        std::string& refusal);

}  // namespace heddle::compiler
