#include <numeric>

#include "compiler/backend.h"
#include "library/text/formatted.h"

namespace heddle::compiler {
namespace {

// The user's plan file (decisions about the plan) is meant for the product that follows this
// kernel, so the kernel accepts any fields and ignores them.
bool takes_any_fields(const PlanFields&) { return true; }

// How many adjacent elements of a row of D one store may write: at most 16 bytes, and such that
// every row begins at a multiple of this number.
int neighbours(const MatrixRecord& d) {
  if (!d.column.is({1, 0}) || !d.row.jumps.empty() || !d.batch.jumps.empty()) return 1;
  const std::int64_t together =
      std::gcd(std::gcd(d.row.step.factor, d.batch.step.factor), d.offset);
  const std::int64_t most = 16 / counted_bytes(d.element);
  return static_cast<int>(std::gcd(together, most));
}

Done make_elementwise_plan(const MatmulRequest& request, const Options& options,
                           Compilation& compilation) {
  if (request.problem.dynamic != 0)
    return std::unexpected("an elementwise kernel of dynamic sizes; accepted: static ones");
  plan::ElementwisePlan plan{.problem = request.problem, .target = options.target};
  plan.width = neighbours(request.d);
  // If rows of D are columns of the inputs, narrow tiles let reads of inputs have whole lines, too.
  const bool by_rows = request.extras[0].column.step == Stride{1, 0};
  const int most = by_rows ? plan::ElementwisePlan::threads : 8;
  while (plan.threads_in_row < most && plan.columns() < request.problem.n) plan.threads_in_row *= 2;
  if (plan.width * counted_bytes(request.d.element) < 16) plan.steps = 8;  // loads in flight
  constexpr std::int64_t most_blocks = (std::int64_t{1} << 31) - 1;
  const std::int64_t count = plan.grid()[0].value(request.problem);
  if (count > most_blocks)
    return std::unexpected(
        formatted("an elementwise kernel of {} blocks; accepted: at most {}", count, most_blocks));
  compilation.grid = plan.grid();
  compilation.workgroup = {plan::ElementwisePlan::threads, 1, 1};
  compilation.choices = {
      {"elements", formatted("{} times {} a thread", plan.steps, plan.width),
       "as many neighbours in a row as one store writes"},
      {"block", formatted("{}x{}", plan.rows(), plan.columns()),
       by_rows ? "rows are read and written" : "columns are read, so it has few of them"}};
  compilation.plan = plan;
  return {};
}

}  // namespace

const Backend elementwise_backend{.has_kernels = has_nvidia_kernels,
                                  .has_fields = takes_any_fields,
                                  .plan = make_elementwise_plan,
                                  .is_elementwise = true,
                                  .reach = Reach::any};

}  // namespace heddle::compiler
