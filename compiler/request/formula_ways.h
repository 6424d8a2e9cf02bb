// The cost of evaluating a formula recursively from its result back to its inputs. Intermediate
// results are not kept, so a step that is used twice is computed twice.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "compiler/request/matmul_request.h"

namespace heddle::compiler {

/// The number of steps of a formula, where a step counts once for each path from it to the result
/// of the formula; at most 2^40.
inline std::int64_t steps_of_all_ways(const Expression& formula) {
  constexpr std::int64_t most = std::int64_t{1} << 40;
  std::vector<std::int64_t> steps;
  for (const plan::Node& node : formula.nodes) {
    std::int64_t all = 1;
    for (int i = 0; i < plan::operand_count(node.step); ++i)
      all += steps[static_cast<std::size_t>(node.operands[static_cast<std::size_t>(i)])];
    steps.push_back(std::min(all, most));
  }
  return steps.empty() ? 0 : steps.back();
}

}  // namespace heddle::compiler
