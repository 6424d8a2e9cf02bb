#include "tools/heddle/compile/run_matmul.h"

#include "answers/instruction/processor_argument.h"
#include "answers/text/input_file.h"
#include "answers/text/marked_text.h"
#include "answers/text/paragraph.h"
#include "compiler/check/part_check.h"
#include "compiler/launch.h"
#include "compiler/warp_kernel/compile.h"
#include "library/text/formatted.h"
#include "runtime/device/device.h"
#include "tools/heddle/compile/compile_warp.h"
#include "tools/heddle/compile/explain_error.h"
#include "tools/heddle/compile/run_memory.h"
#include "tools/heddle/compile/run_warp.h"
#include "tools/heddle/host/compile_timer.h"
#include "tools/heddle/host/output.h"
#include "tools/heddle/reports/plan_report.h"
#include "tools/heddle/reports/report_json.h"
#include "tools/heddle/reports/run_report.h"
#include "tools/heddle/reports/sequence_report.h"
#include "tools/heddle/run/progress.h"
#include "tools/heddle/run/run_place.h"

namespace heddle::tool {
namespace {

std::vector<std::span<const std::byte>> views(const Buffers& buffers) {
  return {buffers.begin(), buffers.end()};
}

emulator::Launch launch_of(const compiler::Compilation& compilation, const plan::Problem& problem,
                           const RunArguments& arguments, Buffers& buffers,
                           const Progress& progress) {
  emulator::Launch launch;
  compiler::bind_launch(compilation, problem, buffers, launch);
  launch.check = arguments.check;
  launch.threads = arguments.threads;
  launch.budget = arguments.budget;
  launch.profile =
      arguments.profile_all ? emulator::Profile::all : emulator::Profile::first_workgroup;
  launch.progress = [&](std::uint64_t done, std::uint64_t total) {
    progress.show(formatted("emulating: {} of {} workgroups", done, total));
  };
  return launch;
}

// Runs the kernel of part number `part` of the sequence on the memory, and judges the results.
std::expected<void, Stop> execute(runtime::Module& module, std::size_t part,
                                  const RunArguments& arguments, RunMemory& memory,
                                  const Progress& progress, MatmulRun& run) {
  for (const emulator::Kernel& kernel : module.kernels())
    if (kernel.name == run.compilation.kernel_name) run.kernel = kernel;
  Buffers buffers = memory.take(part);
  const Buffers before = buffers;
  const compiler::Parameter& last = run.compilation.parameters.back();
  if (last.role == compiler::Role::workspace) buffers.emplace_back(last.bytes);
  const auto report =
      module.launch(launch_of(run.compilation, run.problem, arguments, buffers, progress));
  if (!report) return std::unexpected(launch_stop(report.error()));
  run.seconds.run = report->seconds;
  if (report->emulated) run.report = *report->emulated;

  const Stopwatch watch;
  const compiler::MatmulRequest& request = run.compilation.request;
  buffers.resize(before.size());
  auto checks = compiler::check_part(
      request, run.problem, views(before), views(buffers), [&](std::int64_t rows) {
        progress.show(formatted("checking against float64: row {} of {}", rows,
                                run.problem.m * run.problem.batch));
      });
  if (!checks) return refused(formatted("{}: {}", request.function, checks.error()));
  run.check = checks->front();
  run.further.assign(checks->begin() + 1, checks->end());
  if (arguments.explain_error && !request.program)
    run.error =
        error_parts(compiler::actual_product(request, run.problem, views(before), views(buffers)),
                    run.check, run.compilation);
  run.seconds.check = watch.seconds();
  memory.give_back(part, std::move(buffers));
  return {};
}

std::string inputs_text(const RunArguments& arguments, const plan::Problem& problem) {
  if (problem.input == instruction::ElementType::i64) return "integers up to 2^52";
  if (instruction::is_integer(problem.input)) return "any bytes, or integers up to a million";
  return draws_exact_sums(arguments, problem) ? "multiples of 1/8 in [-1, 1]"
                                              : "uniform in [-1, 1)";
}

std::expected<SequenceRun, Stop> execute_products(const RunArguments& arguments) {
  const auto place = open_run_place(arguments);
  if (!place) return std::unexpected(place.error());
  const auto source = answers::read_file(arguments.file);
  if (!source) return refused(source.error());
  const auto f32 = f32_path(arguments.f32);
  if (!f32) return refused(f32.error());
  const auto f8 = f8_sums(arguments.f8);
  if (!f8) return refused(f8.error());

  const Progress progress;
  progress.show("compiling");
  Stopwatch watch;
  const auto plan = read_plan(arguments.plan);
  if (!plan) return refused(plan.error());
  const auto compile = [&] {
    const CompileTimer timer(arguments.compile_seconds, arguments.file, arguments.report);
    return compiler::compile_sequence(*source, arguments.file,
                                      {.target = place->target,
                                       .function = arguments.function,
                                       .f32 = *f32,
                                       .f8 = *f8,
                                       .fuses_attention = !arguments.unfused,
                                       .plan = plan->fields,
                                       .plan_places = plan->places},
                                      compiler::Stage::object);
  };
  auto compiled = compile();
  if (!compiled && arguments.report == "json") return refused(compiled.error());
  if (!compiled) return refused(answers::with_marks(compiled.error(), arguments.file, *source));
  SequenceRun all{.file = arguments.file, .sequence = compiled->sequence};
  all.seconds_to_compile = watch.seconds();

  const auto arrays = RunArrays::read(arguments, named_arrays(all.sequence, *source));
  if (!arrays) return refused(arrays.error());
  all.arrays = first_names(arrays->arrays());
  const bool is_nvidia = instruction::is_nvidia(instruction::processor(place->target).family);
  RunMemory memory(all.sequence, arguments, *arrays,
                   {.is_emulated = !place->device->is_hardware(),
                    .multiplications_per_instruction = is_nvidia ? 64. : 2048.});
  for (std::size_t part = 0; part < compiled->kernels.size(); ++part) {
    const auto problem = memory.prepare(part);
    if (!problem) return std::unexpected(problem.error());
    MatmulRun& run = all.kernels.emplace_back();
    run.file = arguments.file;
    run.seed = arguments.seed;
    if (!all.sequence.is_one_product()) run.results = result_names(all.sequence, all.arrays, part);
    run.given = arguments.array_inputs;
    run.inputs = inputs_text(arguments, *problem);
    run.problem = *problem;
    const compiler::Compilation& general = compiled->kernels[part];
    run.compilation = compiler::kernel_for(general, *problem);
    run.is_variant = run.compilation.kernel_name != general.kernel_name;
    run.compilation.variants.clear();
    run.compilation.object = compiled->object;
    run.seconds.compile = all.seconds_to_compile;
    run.device = place->device->description();
    run.on_hardware = place->device->is_hardware();
    run.checked = arguments.check;
  }

  watch = {};
  const auto module = place->device->load(std::as_bytes(std::span(compiled->object)));
  if (!module) return std::unexpected(Stop{1, module.error().message});
  const double decoding = watch.seconds();
  for (std::size_t part = 0; part < all.kernels.size(); ++part) {
    all.kernels[part].seconds.decode = decoding;
    const auto done = execute(**module, part, arguments, memory, progress, all.kernels[part]);
    if (!done) return std::unexpected(done.error());
  }
  const auto dumped = memory.dump();
  if (!dumped) return refused(dumped.error());
  for (MatmulRun& run : all.kernels) run.dumped = *dumped;
  return all;
}

std::string report_of(const SequenceRun& run, const std::string& format) {
  const bool is_one = run.sequence.is_one_product();
  if (format != "text")
    return json_text(is_one ? run_json(run.kernels[0]) : sequence_run_json(run));
  return is_one ? run_text(run.kernels[0], answers::output_width())
                : sequence_run_text(run, answers::output_width());
}

}  // namespace

static bool is_of_warps(const RunArguments& arguments, const std::string& text) {
  const auto target = answers::read_processor(arguments.target);
  return target ? goes_by_warps(text, arguments.file, *target, arguments.function)
                : compiler::is_warp_level(text);
}

int run_matmul(const RunArguments& arguments) {
  if (const auto text = answers::read_file(arguments.file); text && is_of_warps(arguments, *text)) {
    if (arguments.check)
      return refuse(
          "--check watches matmuls and kernels, and this is a function of a warp's vectors: "
          "`heddle compile` writes its kernel, which takes a launch file",
          arguments.report);
    if (arguments.array_inputs.empty() && arguments.dumps.empty())
      return run_warp(arguments, *text);
    return refuse(
        "--input and --dump are for a matmul; the operands of a function of a warp's "
        "vectors are drawn",
        arguments.report);
  }
  const auto run = execute_products(arguments);
  if (!run) return stopped(run.error(), arguments);
  if (const auto printed = print_output(report_of(*run, arguments.report)); !printed) {
    print_error(printed.error());
    return 2;
  }
  const bool is_clean = std::ranges::all_of(
      run->kernels, [](const MatmulRun& one) { return one.report.findings.empty(); });
  return run->right() && is_clean ? 0 : 1;
}

}  // namespace heddle::tool
