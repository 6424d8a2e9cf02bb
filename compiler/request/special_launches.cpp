#include "compiler/request/special_launches.h"

#include <numeric>
#include <string>

namespace heddle::compiler {
namespace {

// The dynamic sizes of which the steps of a matrix are products, a bit for each.
unsigned sizes_of_steps(const MatrixRecord& matrix) {
  return (matrix.row.step.sizes | matrix.column.step.sizes) & ((1u << plan::loop_count) - 1);
}

}  // namespace

std::vector<MatmulRequest> with_whole_rows(const MatmulRequest& request, int bytes) {
  std::vector<MatmulRequest> all;
  MatmulRequest known = request;
  for (const MatrixRecord* matrix : {&request.a, &request.b, &request.d}) {
    const int unit = bytes / counted_bytes(matrix->element);
    const unsigned sizes = sizes_of_steps(*matrix);
    for (std::size_t loop = 0; loop < plan::loop_count; ++loop) {
      if ((sizes >> loop & 1u) == 0) continue;
      if (request.made_of[loop] != 0) return {};
      known.multiples[loop] = std::lcm(known.multiples[loop], std::int64_t{unit});
    }
    const auto& before = all.empty() ? request.multiples : all.front().multiples;
    if (matrix != &request.a && known.multiples != before) all.insert(all.begin(), known);
  }
  for (MatmulRequest& one : all)
    one.function += &one == &all.front() ? "_whole_rows" : "_whole_input_rows";
  return all;
}

std::optional<MatmulRequest> with_few_rows(const MatmulRequest& request, std::int64_t most) {
  constexpr auto loop = static_cast<unsigned>(plan::Loop::m);
  const std::int64_t multiple = request.multiples[loop];
  if (!request.problem.is_dynamic(plan::Loop::m) || request.made_of[loop] != 0 || most < multiple)
    return std::nullopt;
  MatmulRequest known = request;
  known.problem.m = known.problem.most[loop] = most / multiple * multiple;
  known.function += "_m" + std::to_string(most);
  return known;
}

bool are_as_known(const MatmulRequest& request, const plan::Problem& problem) {
  for (std::size_t loop = 0; loop < plan::loop_count; ++loop) {
    const std::int64_t size = problem.size(static_cast<plan::Loop>(loop));
    const std::int64_t most = request.problem.most[loop];
    if (size % request.multiples[loop] != 0 || (most != 0 && size > most)) return false;
  }
  return true;
}

}  // namespace heddle::compiler
