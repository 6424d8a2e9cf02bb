// Describes a matrix of a product as a tensor map of NVIDIA's tensor memory accelerator. The map
// has a dimension for each loop, so the coordinates of a copy can be computed from the indices of
// the loops.
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

/// A dimension of a tensor map, which stands for one loop of a group. If the kernel counts the
/// group by index i, the coordinate of this dimension is i / every % count (if `count` is 0, i /
/// every).
struct MapDimension {
  plan::Loop group{};
  std::int64_t every = 1, count = 0;
  Stride size;    // elements
  Stride stride;  // bytes from one to the next
  std::uint32_t box = 1;
};

/// The dimensions of the tensor map of A, B or D, the innermost first. Null if no tensor map can
/// describe the matrix; `refusal` then has the reason.
std::optional<std::vector<MapDimension>> map_dimensions(const MatmulRequest& request,
                                                        const plan::WarpgroupPlan& plan,
                                                        instruction::Operand operand,
                                                        std::string& refusal);

}  // namespace heddle::compiler
