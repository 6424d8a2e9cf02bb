#include <algorithm>
#include <string>

#include "compiler/backend.h"
#include "library/text/formatted.h"

namespace heddle::compiler {
namespace {

bool has_kernels(instruction::Target target) { return instruction::is_compiled_for(target); }

// A plan file belongs to the product that comes after.
bool takes_any_fields(const PlanFields&) { return true; }

Done make_element_plan(const MatmulRequest& request, const Options& options,
                       Compilation& compilation) {
  plan::ElementPlan plan{.problem = request.problem, .target = options.target};
  for (const MatrixRecord* matrix : written_matrices(request)) {
    std::int64_t elements = 1;
    for (const std::int64_t size :
         request.buffers[static_cast<std::size_t>(matrix->parameter)].shape)
      elements *= size;
    plan.elements = std::max(plan.elements, elements);
  }
  plan.read = request.program->read_dimension;
  if (plan.has_tiles()) {
    plan.shape = request.buffers[static_cast<std::size_t>(request.d.parameter)].shape;
    plan.write = static_cast<int>(plan.shape.size()) - 1;
    while (plan.shape[static_cast<std::size_t>(plan.write)] == 1) --plan.write;
  }
  compilation.grid = plan.grid();
  compilation.workgroup = {plan::ElementPlan::threads, 1, 1};
  compilation.choices = {
      {"elements", "one a thread", "each is computed by itself, of what the kernel reads"}};
  if (plan.has_tiles())
    compilation.choices = {
        {"tiles", formatted("{0}x{0}", plan.tile),
         formatted(
             "loads are contiguous along dimension {} of the result, and stores along "
             "dimension {}; shared memory exchanges them, its rows {} elements apart, so that "
             "no lanes meet in a bank",
             plan.read, plan.write, plan.pitch(counted_bytes(request.d.element)))}};
  compilation.plan = plan;
  return {};
}

}  // namespace

const Backend element_backend{.has_kernels = has_kernels,
                              .has_fields = takes_any_fields,
                              .plan = make_element_plan,
                              .is_for_programs = true};

}  // namespace heddle::compiler
