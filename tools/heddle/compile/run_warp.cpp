#include "tools/heddle/compile/run_warp.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/JSON.h>

#include <algorithm>

#include "answers/text/counted.h"
#include "answers/text/marked_text.h"
#include "answers/text/paragraph.h"
#include "compiler/check/warp_run.h"
#include "heddle/instruction/numerics.h"
#include "library/text/formatted.h"
#include "tools/heddle/compile/compile_warp.h"
#include "tools/heddle/host/compile_timer.h"
#include "tools/heddle/host/output.h"
#include "tools/heddle/reports/report_json.h"
#include "tools/heddle/run/progress.h"
#include "tools/heddle/run/run_place.h"

namespace heddle::tool {
namespace {

constexpr int label_columns = 16;

struct WarpReport {
  std::string file, target, device, inputs;
  std::uint64_t seed = 0;
  bool on_hardware = false;
  compiler::WarpCase trial;
  compiler::WarpCompilation compiled;
  compiler::WarpRun run;
  compiler::WarpVerdict verdict;
  double compile_seconds = 0;
};

std::expected<WarpReport, Stop> execute(const RunArguments& arguments, const std::string& text) {
  const auto refused = [](std::string message) {
    return std::unexpected(Stop{2, std::move(message)});
  };
  if (!arguments.sizes.empty())
    return refused(
        "--sizes is for a matmul whose sizes are dynamic; those of a warp-level function "
        "are in its types, 64 where they are open");
  const auto tf32 = rounds_to_tf32(arguments.f32, arguments.plan);
  if (!tf32) return refused(tf32.error());
  const auto place = open_run_place(arguments);
  if (!place) return std::unexpected(place.error());
  runtime::Device& device = *place->device;
  WarpReport report;
  report.file = arguments.file;
  report.target = instruction::name(place->target);
  report.device = device.description();
  report.on_hardware = device.is_hardware();
  report.seed = arguments.seed;
  const bool uniform = arguments.inputs == "uniform";
  report.inputs = uniform ? "uniform in [-1, 1)" : "multiples of 1/4 in [-1, 1]";

  Stopwatch watch;
  const auto compile = [&] {
    const CompileTimer timer(arguments.compile_seconds, arguments.file, arguments.report);
    return compiler::compile_warp_function(
        text, arguments.file, {.target = place->target, .tf32 = *tf32}, compiler::Stage::object);
  };
  auto compiled = compile();
  if (!compiled && arguments.report == "json") return refused(compiled.error());
  if (!compiled) return refused(answers::with_marks(compiled.error(), arguments.file, text));
  report.compiled = *std::move(compiled);
  report.compile_seconds = watch.seconds();
  auto trial = compiler::make_warp_case(
      text, arguments.file,
      {.seed = arguments.seed,
       .inputs = uniform ? compiler::WarpInputs::uniform : compiler::WarpInputs::exact,
       .reference = {
           .tf32 = *tf32,
           .flushes = instruction::flushes_subnormals(instruction::processor(place->target).family,
                                                      instruction::ElementType::f16),
           .most_steps = static_cast<std::int64_t>(
               std::min<std::uint64_t>(arguments.budget.instructions_per_workgroup, INT64_MAX))}});
  if (!trial) return refused(trial.error());
  report.trial = *std::move(trial);
  auto run = compiler::run_warp_kernel(device, report.compiled, report.trial, arguments.budget);
  if (!run) return std::unexpected(launch_stop(run.error()));
  report.run = *std::move(run);
  report.verdict = judge(report.trial, report.run.results);
  return report;
}

std::string place_text(const compiler::WarpArgument& argument) {
  if (!argument.is_memref) return formatted("{}: index {}", argument.name, *argument.index);
  std::string sizes;
  for (const auto& size : argument.sizes) sizes += formatted("{}x", *size);
  std::string strides;
  for (const auto& stride : argument.strides)
    strides += formatted("{}{}", strides.empty() ? "" : ", ", *stride);
  return formatted("{}: {}{}, strides [{}], offset {}, {} memory", argument.name, sizes,
                   runtime::name(argument.element), strides, *argument.offset,
                   argument.is_shared ? "shared" : "global");
}

std::string verdict_text(const compiler::ArgumentVerdict& one) {
  if (one.written == 0 && one.changed == 0) return formatted("{}: read only, unchanged", one.name);
  std::string text = formatted("{}: {} written, {} of them to the last bit, {} wrong; {} changed",
                               one.name, answers::counted(one.written, "element"), one.exact,
                               one.wrong, answers::counted(one.changed, "other"));
  if (!one.first_fault.empty()) text += ": " + one.first_fault;
  return text;
}

std::string report_text(const WarpReport& report, int width) {
  const auto line = [&](std::string_view label, const std::string& words) {
    return answers::paragraph(label, words, label_columns, width);
  };
  std::string text = line(
      "function", formatted("{} of {}, for {}", report.trial.function, report.file, report.target));
  for (const compiler::WarpArgument& argument : report.trial.arguments)
    text += line("", place_text(argument));
  text += line("inputs", formatted("{}, seed {}; integers over their whole range; NaN where the "
                                   "function does not read",
                                   report.inputs, report.seed));
  text += line("kernel", formatted("one warp of {} threads, compiled in {:.0f} ms",
                                   report.compiled.threads, 1000 * report.compile_seconds));
  text += line("run", formatted("{}, {:.3g} ms", report.device, 1000 * report.run.report.seconds));
  for (const compiler::ArgumentVerdict& one : report.verdict.arguments)
    text += line("", verdict_text(one));
  text += line("verdict", report.verdict.right()
                              ? "right: every element is what float64 arithmetic says"
                              : "WRONG: " + report.verdict.first_fault());
  return text;
}

llvm::json::Array lines_of(llvm::StringRef text) {
  llvm::json::Array lines;
  for (const llvm::StringRef line : llvm::split(text.rtrim(), '\n'))
    if (!line.empty()) lines.push_back(line);
  return lines;
}

llvm::json::Object report_json(const WarpReport& report) {
  llvm::json::Array results;
  for (const compiler::ArgumentVerdict& one : report.verdict.arguments)
    results.push_back(llvm::json::Object{{"array", one.name},
                                         {"expectation", "the function in float64"},
                                         {"line", nullptr},
                                         {"right", one.wrong == 0 && one.changed == 0},
                                         {"type", std::string(runtime::name(one.element))},
                                         {"elements", one.written},
                                         {"exact", one.exact},
                                         {"not_finite", nullptr},
                                         {"wrong", one.wrong},
                                         {"unwritten", nullptr},
                                         {"unjudged", 0},
                                         {"changed", one.changed},
                                         {"largest_error", nullptr},
                                         {"worst", nullptr},
                                         {"note", one.first_fault},
                                         {"explanations", llvm::json::Array{}}});
  llvm::json::Object json = run_report_json("function");
  json["file"] = report.file;
  json["kernel"] = report.trial.function;
  json["symbol"] = report.trial.function;
  json["target"] = report.target;
  json["executed_on"] = report.on_hardware ? report.device : "emulator";
  json["device"] = report.device;
  json["hardware"] = report.on_hardware;
  json["right"] = report.verdict.right();
  json["grid"] = sizes_json({1, 1, 1});
  json["block"] = sizes_json({32, 1, 1});
  json["results"] = std::move(results);
  json["seconds"] =
      llvm::json::Object{{"compile", report.compile_seconds}, {"run", report.run.report.seconds}};
  json["seed"] = static_cast<std::int64_t>(report.seed);
  json["inputs"] = report.inputs;
  json["compiler_remarks"] = lines_of(report.compiled.remarks);
  if (report.run.report.emulated)
    json["emulated"] = emulated_json(*report.run.report.emulated, report.target);
  return json;
}

}  // namespace

int run_warp(const RunArguments& arguments, const std::string& text) {
  const auto report = execute(arguments, text);
  if (!report) return stopped(report.error(), arguments);
  if (!report->compiled.remarks.empty()) print_error(report->compiled.remarks);
  const std::string output = arguments.report == "json"
                                 ? json_text(report_json(*report))
                                 : report_text(*report, answers::output_width());
  if (const auto printed = print_output(output); !printed) {
    print_error(printed.error());
    return 2;
  }
  return report->verdict.right() ? 0 : 1;
}

}  // namespace heddle::tool
