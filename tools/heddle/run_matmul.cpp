#include "tools/heddle/run_matmul.h"

#include <fmt/format.h>

#include <array>

#include "compiler/launch.h"
#include "compiler/overlap.h"
#include "compiler/warp_kernel/compile.h"
#include "runtime/device.h"
#include "runtime/matrix.h"
#include "runtime/random_stream.h"
#include "tools/heddle/paragraph.h"
#include "tools/heddle/plan_report.h"
#include "tools/heddle/progress.h"
#include "tools/heddle/report_json.h"
#include "tools/heddle/run_arrays.h"
#include "tools/heddle/run_place.h"
#include "tools/heddle/run_report.h"
#include "tools/heddle/run_warp.h"
#include "tools/heddle/source_file.h"

namespace heddle::tool {
namespace {

std::unexpected<Stop> refused(std::string message) {
  return std::unexpected(Stop{2, std::move(message)});
}

/// Up to here the rounding that an f32 sum may owe stays small beside a product; beyond, one
/// missing product could hide in it, so operands are drawn whose sums are exact.
constexpr std::int64_t deepest_uniform = 1024;

bool draws_exact_sums(const RunArguments& arguments, const plan::Problem& problem) {
  return arguments.inputs == "exact" || (arguments.inputs == "auto" && problem.k > deepest_uniform);
}

/// Seeded operands, a number for each buffer: A's is the seed, B's the next, C's the one after. Of
/// integers the multiples of 1/8 are all numbers of a byte, or a million either way; an i1 is 0
/// or 1.
double operand(const compiler::BufferRecord& buffer, const runtime::RandomStream& stream,
               bool exact, std::uint64_t i) {
  using instruction::ElementType;
  const ElementType type = buffer.element;
  if (buffer.is_i1) return static_cast<double>(stream.word(i) % 2);
  if (type == ElementType::i8) return static_cast<double>(stream.word(i) % 256) - 128;
  if (type == ElementType::i32) return static_cast<double>(stream.word(i) % 2'000'000) - 1'000'000;
  return exact ? stream.eighths(i) : stream.uniform(i);
}

using Buffers = std::vector<std::vector<std::byte>>;

/// What the kernel must write starts as NaN, so that an element it leaves out is found.
Buffers make_buffers(const compiler::Compilation& compilation, const plan::Problem& problem,
                     const RunArguments& arguments) {
  const bool exact = draws_exact_sums(arguments, problem);
  Buffers buffers;
  std::uint64_t extras = 0;
  for (const compiler::BufferRecord& buffer : compilation.request.buffers) {
    std::vector<std::byte>& bytes =
        buffers.emplace_back(compiler::byte_count(buffer, problem), std::byte{0xff});
    if (buffer.role == compiler::Role::d) continue;
    const bool is_extra = buffer.role == compiler::Role::extra;
    const std::uint64_t number = is_extra ? 3 + extras++ : static_cast<std::uint64_t>(buffer.role);
    const runtime::RandomStream stream(arguments.seed + number);
    const auto step = static_cast<std::size_t>(instruction::bits(buffer.element)) / 8;
    for (std::size_t i = 0; i * step < bytes.size(); ++i)
      runtime::store_number(runtime::number_type(buffer.element), bytes.data() + i * step,
                            operand(buffer, stream, exact, i));
  }
  const compiler::Parameter& last = compilation.parameters.back();
  if (last.role == compiler::Role::workspace) buffers.emplace_back(last.bytes);
  return buffers;
}

/// The problem with numbers for its dynamic sizes: those of --sizes, or without it some.
std::expected<plan::Problem, Stop> actual_sizes(const compiler::MatmulRequest& request,
                                                const RunArguments& arguments,
                                                const RunArrays& arrays) {
  plan::Problem problem = request.problem;
  constexpr std::array<const char*, 4> names{"m", "n", "k", "the batch"};
  constexpr std::array<std::int64_t, 4> some{42, 64, 32, 2};
  const std::array<std::int64_t*, 4> sizes{&problem.m, &problem.n, &problem.k, &problem.batch};
  const std::size_t given = arguments.sizes.size();
  unsigned is_known = 0;
  for (std::size_t loop = 0; loop < std::min(given, sizes.size()); ++loop) {
    *sizes[loop] = arguments.sizes[loop];
    is_known |= 1u << loop;
  }
  if (const auto learned = arrays.learn_sizes(request, problem, is_known); !learned)
    return refused(learned.error());
  for (unsigned loop = 0; loop < sizes.size(); ++loop) {
    const bool dynamic = problem.is_dynamic(static_cast<plan::Loop>(loop));
    const std::int64_t multiple = request.multiples[loop];
    std::int64_t& size = *sizes[loop];
    if (loop >= given) {
      const bool is_learned = (is_known >> loop & 1u) != 0;
      if (!dynamic || (is_learned && size % multiple == 0)) continue;
      if (is_learned)
        return refused(fmt::format("--input: {} is {} here; accepted: multiples of {}", names[loop],
                                   size, multiple));
      if (given != 0)
        return refused(
            fmt::format("--sizes of {} number{}, and {} is dynamic too; accepted: m, n, "
                        "k and, of a batch, its size, such as --sizes 42 64 32",
                        given, given == 1 ? "" : "s", names[loop]));
      size = (some[loop] + multiple - 1) / multiple * multiple;
      continue;
    }
    const std::int64_t asked = arguments.sizes[loop];
    if (asked < 1 || asked > 65535 ||
        (!dynamic && asked != request.problem.size(static_cast<plan::Loop>(loop))))
      return refused(fmt::format(
          "--sizes: {} is {} here; accepted: {}", names[loop], asked,
          dynamic ? "1 to 65535"
                  : fmt::format("{}", request.problem.size(static_cast<plan::Loop>(loop)))));
    if (dynamic && asked % multiple != 0)
      return refused(fmt::format("--sizes: {} is {} here; accepted: multiples of {}", names[loop],
                                 asked, multiple));
    size = asked;
  }
  return problem;
}

/// Refuses sizes of dynamic matrices that are larger than kernels take, whose offsets are 32 bits
/// wide, and those that make rows of the result overlap.
std::expected<void, Stop> check_bytes(const compiler::Compilation& compilation,
                                      const plan::Problem& problem) {
  constexpr std::size_t most = INT32_MAX;
  for (std::size_t i = 0; i < compilation.request.buffers.size(); ++i) {
    const std::size_t bytes = compiler::byte_count(compilation.request.buffers[i], problem);
    if (bytes > most)
      return refused(fmt::format("--sizes make {} of {} bytes; accepted: at most {} a matrix",
                                 compilation.parameters[i].name, bytes, most));
  }
  const auto& d =
      compilation.request.buffers[static_cast<std::size_t>(compilation.request.d.parameter)];
  std::vector<compiler::ArrayDimension> dimensions;
  const std::vector<std::int64_t> sizes = compiler::shape(d, problem);
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (d.strides[i] >= 0) dimensions.push_back({sizes[i], d.strides[i]});
  if (compiler::may_overlap(std::move(dimensions)))
    return refused(
        fmt::format("m, n, k of {}, {}, {} make several elements of the result lie at one place; "
                    "accepted: other --sizes, or {}",
                    problem.m, problem.n, problem.k, compiler::accepted_result_layout));
  return {};
}

std::vector<std::span<const std::byte>> views(const Buffers& buffers) {
  return {buffers.begin(), buffers.end()};
}

emulator::Launch launch_of(const compiler::Compilation& compilation, const plan::Problem& problem,
                           const RunArguments& arguments, Buffers& buffers,
                           const Progress& progress) {
  emulator::Launch launch;
  compiler::bind_launch(compilation, problem, buffers, launch);
  launch.threads = arguments.threads;
  launch.budget = arguments.budget;
  launch.profile =
      arguments.profile_all ? emulator::Profile::all : emulator::Profile::first_workgroup;
  launch.progress = [&](std::uint64_t done, std::uint64_t total) {
    progress.show(fmt::format("emulating: {} of {} workgroups", done, total));
  };
  return launch;
}

// Loads and runs the kernel, and notes what there is to say of both.
std::expected<void, Stop> execute(runtime::Device& device, const RunArguments& arguments,
                                  Buffers& buffers, const Progress& progress, MatmulRun& run) {
  Stopwatch watch;
  const auto module = device.load(std::as_bytes(std::span(run.compilation.object)));
  if (!module) return std::unexpected(Stop{1, module.error().message});
  for (const emulator::Kernel& kernel : (*module)->kernels())
    if (kernel.name == run.compilation.kernel_name) run.kernel = kernel;
  run.device = device.description();
  run.on_hardware = device.is_hardware();
  run.seconds.decode = watch.seconds();
  const auto report =
      (*module)->launch(launch_of(run.compilation, run.problem, arguments, buffers, progress));
  if (!report) return std::unexpected(launch_stop(report.error()));
  run.seconds.run = report->seconds;
  if (report->emulated) run.report = *report->emulated;
  return {};
}

std::expected<MatmulRun, Stop> execute_matmul(const RunArguments& arguments) {
  const auto place = open_run_place(arguments);
  if (!place) return std::unexpected(place.error());
  const auto source = read_file(arguments.file);
  if (!source) return refused(source.error());
  const auto f32 = f32_path(arguments.f32);
  if (!f32) return refused(f32.error());

  const Progress progress;
  MatmulRun run;
  run.file = arguments.file;
  run.seed = arguments.seed;
  progress.show("compiling");
  Stopwatch watch;
  const auto plan = read_plan(arguments.plan);
  if (!plan) return refused(plan.error());
  auto compilation = compiler::compile(
      *source, arguments.file,
      {.target = place->target, .f32 = *f32, .plan = plan->fields, .plan_places = plan->places},
      compiler::Stage::object);
  if (!compilation) return refused(compilation.error());
  run.compilation = *std::move(compilation);
  run.seconds.compile = watch.seconds();

  const auto arrays = RunArrays::read(arguments, *source, run.compilation.request);
  if (!arrays) return refused(arrays.error());
  const auto sizes = actual_sizes(run.compilation.request, arguments, *arrays);
  if (!sizes) return std::unexpected(sizes.error());
  run.problem = *sizes;
  if (const auto fits = check_bytes(run.compilation, run.problem); !fits)
    return std::unexpected(fits.error());
  Buffers before = make_buffers(run.compilation, run.problem, arguments);
  if (const auto filled = arrays->fill(run.compilation.request, run.problem, before); !filled)
    return refused(filled.error());
  Buffers after = before;
  const auto done = execute(*place->device, arguments, after, progress, run);
  if (!done) return std::unexpected(done.error());

  watch = {};
  const auto dumped = arrays->dump(run.compilation.request, run.problem, after);
  if (!dumped) return refused(dumped.error());
  run.dumped = *dumped;
  run.given = arguments.array_inputs;
  run.inputs = run.problem.sum_type() == instruction::ElementType::i32
                   ? "any bytes, or integers up to a million"
               : draws_exact_sums(arguments, run.problem) ? "multiples of 1/8 in [-1, 1]"
                                                          : "uniform in [-1, 1)";
  run.check = runtime::check_product(
      compiler::actual_product(run.compilation.request, run.problem, views(before), views(after)),
      [&](std::int64_t rows) {
        progress.show(fmt::format("checking against float64: row {} of {}", rows,
                                  run.problem.m * run.problem.batch));
      });
  run.seconds.check = watch.seconds();
  return run;
}

std::string report_of(const MatmulRun& run, const std::string& format) {
  if (format == "text") return run_text(run, output_width());
  return json_text(run_json(run));
}

}  // namespace

int run_matmul(const RunArguments& arguments) {
  if (const auto text = read_file(arguments.file); text && compiler::is_warp_level(*text)) {
    if (arguments.array_inputs.empty() && arguments.dumps.empty())
      return run_warp(arguments, *text);
    return refuse(
        "--input and --dump are for a matmul; the operands of a function of a warp's "
        "vectors are drawn",
        arguments.report);
  }
  const auto run = execute_matmul(arguments);
  if (!run) return stopped(run.error(), arguments);
  if (const auto printed = print_output(report_of(*run, arguments.report)); !printed) {
    print_error(printed.error());
    return 2;
  }
  return run->check.right() ? 0 : 1;
}

}  // namespace heddle::tool
