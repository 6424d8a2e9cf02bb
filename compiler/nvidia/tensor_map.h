// A matrix of a product as a tensor map of the tensor memory accelerator: which dimension it has
// for each loop, and how a copy's coordinates follow from the numbers of the loops.
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

/// A dimension of a tensor map: one loop of a group, the number of which is counted by steps of
/// `every`, and from 0 again after `count` of them (0: never).
struct MapDimension {
  plan::Loop group{};
  std::int64_t every = 1, count = 0;
  Stride size;    // elements
  Stride stride;  // bytes from one to the next
  std::uint32_t box = 1;
};

/// The dimensions of the tensor map of A, B or D, the innermost first. Nothing where copies cannot
/// do it, and then `refusal` says why.
std::optional<std::vector<MapDimension>> map_dimensions(const MatmulRequest& request,
                                                        const plan::WarpgroupPlan& plan,
                                                        instruction::Operand operand,
                                                        std::string& refusal);

}  // namespace heddle::compiler
