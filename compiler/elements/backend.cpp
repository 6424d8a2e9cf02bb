#include <algorithm>
#include <string>

#include "compiler/backend.h"
#include "library/text/formatted.h"

namespace heddle::compiler {
namespace {

bool has_kernels(instruction::Target target) { return instruction::is_compiled_for(target); }

// The user's plan file (decisions about the plan) is meant for the product that follows this
// kernel, so the kernel accepts any fields and ignores them.
bool takes_any_fields(const PlanFields&) { return true; }

// Kernels that share rows or tiles among threads count in 32 bits: rows, the accesses to a row,
// tiles, and the elements in them. If 32 bits are not enough, the kernel is one in which a thread
// computes each element by itself.
constexpr std::int64_t most_counted = std::int64_t{1} << 30;

bool counts_rows(const plan::ElementRows& rows, std::int64_t elements) {
  return rows.rows <= most_counted && rows.steps() <= most_counted &&
         elements / rows.rows <= most_counted &&
         plan::ElementPlan::is_counted(rows.blocks(), rows.threads());
}

bool counts_tiles(const plan::ElementPlan& plan) {
  return plan.read_size() <= most_counted && plan.write_size() <= most_counted &&
         plan.matrices() <= most_counted &&
         plan::ElementPlan::is_counted(plan.grid()[0].value(plan.problem), plan.threads());
}

void describe_rows(const plan::ElementRows& rows, Compilation& compilation) {
  compilation.choices = {
      {"rows", formatted("{} of {} elements", rows.rows, rows.elements),
       rows.by_columns
           ? formatted("neighbours are of the rows next to it: {} threads share each {} rows, and "
                       "combine what they have through shared memory",
                       rows.lanes, rows.together)
           : formatted("{} threads share one, {} elements an access, and combine what they have "
                       "from lane to lane{}",
                       rows.lanes, rows.together,
                       rows.is_short() ? "; the row stays in registers" : "")}};
  if (rows.parts > 1)
    compilation.choices.push_back(
        {"parts", formatted("{}", rows.parts),
         "blocks share a row, and the last to end combines their parts in their order"});
  add_workspace(rows.split_memory(), compilation);
}

Done make_element_plan(const MatmulRequest& request, const Options& options,
                       Compilation& compilation) {
  plan::ElementPlan plan{.problem = request.problem, .target = options.target};
  int largest = 1;
  double planned = 0;  // elements of the largest result
  for (const MatrixRecord* matrix : written_matrices(request)) {
    const BufferRecord& buffer = request.buffers[static_cast<std::size_t>(matrix->parameter)];
    std::int64_t elements = 1;
    std::vector<plan::Loop> dynamic;
    double all = 1;
    for (std::size_t dim = 0; dim < buffer.shape.size(); ++dim) {
      const DynamicSize& size = buffer.dynamic_sizes[dim];
      const bool is_known = buffer.shape[dim] >= 0;
      elements *= is_known ? buffer.shape[dim] : size.times;
      if (is_known) continue;
      dynamic.push_back(size.loop);
      all *= static_cast<double>(request.problem.size(size.loop));
    }
    all *= static_cast<double>(elements);
    largest = std::max(largest, counted_bytes(matrix->element));
    if (all <= planned) continue;
    planned = all;
    plan.elements = elements;
    plan.dynamic = std::move(dynamic);
  }
  plan.rows = request.program->rows;
  if (plan.rows && !counts_rows(*plan.rows, plan.elements)) plan.rows.reset();
  if (!plan.rows) plan.read = request.program->read_dimension;
  if (plan.has_tiles()) {
    plan.shape = request.buffers[static_cast<std::size_t>(request.d.parameter)].shape;
    plan.bytes = largest;
    if (!counts_tiles(plan)) plan.read = -1;
  }
  if (!plan.rows && !plan.has_tiles()) plan.together = request.program->together;
  compilation.grid = plan.grid();
  compilation.workgroup = {static_cast<std::uint32_t>(plan.threads()), 1, 1};
  compilation.choices = {
      {"elements", plan.together == 1 ? "one a thread" : formatted("{} a thread", plan.together),
       plan.together == 1 ? formatted("each is computed by itself, of what the kernel reads{}",
                                      plan.dynamic.empty() ? "" : "; only a launch knows the sizes")
                          : std::string("neighbours, of which each is computed by itself, and "
                                        "accesses of up to 16 bytes")}};
  if (plan.has_tiles())
    compilation.choices = {
        {"tiles", formatted("{}x{}", plan.read_tile(), plan.write_tile()),
         formatted(
             "{} neighbours a load along dimension {} of the result, and {} a store along the "
             "dimensions behind it; shared memory exchanges them, in an order in which no "
             "lanes meet in a bank",
             plan.read_together(), plan.read, plan.write_together())}};
  if (plan.rows) describe_rows(*plan.rows, compilation);
  compilation.plan = plan;
  return {};
}

}  // namespace

const Backend element_backend{.has_kernels = has_kernels,
                              .has_fields = takes_any_fields,
                              .plan = make_element_plan,
                              .is_for_programs = true,
                              .reach = Reach::any};

}  // namespace heddle::compiler
