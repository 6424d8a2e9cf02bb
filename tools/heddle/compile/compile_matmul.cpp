#include "tools/heddle/compile/compile_matmul.h"

#include <unistd.h>

#include <array>
#include <optional>
#include <utility>

#include "answers/instruction/processor_argument.h"
#include "answers/text/input_file.h"
#include "answers/text/json_text.h"
#include "answers/text/marked_text.h"
#include "answers/text/paragraph.h"
#include "compiler/compile.h"
#include "compiler/warp_kernel/compile.h"
#include "runtime/files/files.h"
#include "tools/heddle/compile/compile_warp.h"
#include "tools/heddle/compile/run_arrays.h"
#include "tools/heddle/compile/tune.h"
#include "tools/heddle/host/compile_timer.h"
#include "tools/heddle/host/output.h"
#include "tools/heddle/reports/plan_report.h"
#include "tools/heddle/reports/report_json.h"
#include "tools/heddle/reports/sequence_report.h"

namespace heddle::tool {
namespace {

using compiler::Stage;

struct StageRow {
  std::string_view name;
  Stage stage;
};

constexpr std::array stage_rows{
    StageRow{"plan", Stage::plan},    StageRow{"mlir", Stage::mlir},
    StageRow{"llvm", Stage::llvm},    StageRow{"asm", Stage::assembly},
    StageRow{"ptx", Stage::assembly}, StageRow{"object", Stage::object}};

Stage stage_of(std::string_view name) {
  for (const StageRow& row : stage_rows)
    if (row.name == name) return row.stage;
  return Stage::object;  // unreachable: the option checks the name
}

std::string output_of(compiler::SequenceCompilation all, const std::string& source, Stage stage,
                      bool json) {
  if (stage == Stage::object) return {all.object.begin(), all.object.end()};
  if (stage != Stage::plan) return all.text;
  const bool is_one = all.sequence.is_one_product();
  const std::vector<std::string> names = first_names(named_arrays(all.sequence, source));
  if (!json)
    return is_one ? plan_text(all.kernels[0], PlanDetail::all_reasons, answers::output_width())
                  : sequence_text(all, names, answers::output_width());
  llvm::json::Object plan = is_one ? plan_json(all.kernels[0]) : sequence_json(all, names);
  plan["schema"] = answers::json_schema;
  return json_text(std::move(plan));
}

std::expected<std::string, std::string> compile_text(const CompileArguments& arguments,
                                                     const std::string& text, Stage stage) {
  const auto target = answers::read_processor(arguments.target);
  if (!target) return std::unexpected(target.error());
  if (arguments.emit == "ptx" && !instruction::is_nvidia(instruction::processor(*target).family))
    return std::unexpected("--emit ptx for " + arguments.target +
                           ", a processor of AMD; accepted: --emit asm or object");
  if (goes_by_warps(text, arguments.file, *target, arguments.function))
    return compile_warp(arguments, text, stage);
  const auto f32 = f32_path(arguments.f32);
  if (!f32) return std::unexpected(f32.error());
  const auto f8 = f8_sums(arguments.f8);
  if (!f8) return std::unexpected(f8.error());
  const auto plan = read_plan(arguments.plan);
  if (!plan) return std::unexpected(plan.error());
  compiler::Options options{.target = *target,
                            .function = arguments.function,
                            .f32 = *f32,
                            .f8 = *f8,
                            .fuses_attention = !arguments.unfused,
                            .plan = plan->fields,
                            .plan_places = plan->places};
  std::optional<plan::Choice> tuned;
  if (!arguments.tune.empty()) {
    auto found = tuned_plan(arguments, text, options);
    if (!found) return std::unexpected(found.error());
    options.plan = found->fields;
    tuned = std::move(found->found);
  }
  const CompileTimer timer(arguments.compile_seconds, arguments.file, arguments.format);
  auto compilation = compiler::compile_sequence(text, arguments.file, options, stage);
  if (!compilation) return std::unexpected(compilation.error());
  for (compiler::Compilation& kernel : compilation->kernels)
    if (tuned && !kernel.request.program &&
        !std::holds_alternative<plan::ElementwisePlan>(kernel.plan))
      kernel.choices.push_back(*tuned);
  return output_of(*std::move(compilation), text, stage, arguments.format == "json");
}

std::expected<void, std::string> compile(const CompileArguments& arguments) {
  const auto source = answers::read_file(arguments.file);
  if (!source) return std::unexpected(source.error());
  const Stage stage = stage_of(arguments.emit);
  if (arguments.format == "json" && stage != Stage::plan)
    return std::unexpected(
        "--format json is of --emit plan; the other stages have a form of their own");
  if (stage == Stage::object && arguments.output.empty() && isatty(STDOUT_FILENO) != 0)
    return std::unexpected("a code object is binary: say where it goes with -o FILE");

  const auto output = compile_text(arguments, *source, stage);
  if (!output && arguments.format == "json") return std::unexpected(output.error());
  if (!output) return std::unexpected(answers::with_marks(output.error(), arguments.file, *source));
  if (!arguments.output.empty() && arguments.output != "-")
    return runtime::write_file(arguments.output, *output);
  return stage == Stage::object ? print_bytes(*output) : print_output(*output);
}

}  // namespace

int compile_matmul(const CompileArguments& arguments) {
  const auto done = compile(arguments);
  return done ? 0 : refuse(done.error(), arguments.format);
}

}  // namespace heddle::tool
