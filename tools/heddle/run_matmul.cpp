#include "tools/heddle/run_matmul.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "emulator/launch.h"
#include "runtime/matrix.h"
#include "tools/heddle/paragraph.h"
#include "tools/heddle/run_report.h"
#include "tools/heddle/source_file.h"

namespace heddle::tool {
namespace {

/// A line on the terminal that is written over and at last wiped; nothing when stderr is a file or
/// a terminal that cannot wipe a line.
class Progress {
 public:
  void show(const std::string& text) const {
    if (on_) fmt::print(stderr, "\r\033[K{}", text);
  }
  ~Progress() { show(""); }

 private:
  static bool can_wipe() {
    const char* terminal = std::getenv("TERM");
    return isatty(STDERR_FILENO) != 0 && terminal != nullptr &&
           std::string_view(terminal) != "dumb";
  }
  bool on_ = can_wipe();
};

/// What ended the command early: a sentence for people and the exit status.
struct Stop {
  int status;
  std::string message;
};

std::unexpected<Stop> refused(std::string message) {
  return std::unexpected(Stop{2, std::move(message)});
}

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// The matrices of one product, by role.
struct Matrices {
  runtime::Matrix a, b, initial, result;
};

/// Up to here the rounding that an f32 sum may owe stays small beside a product; beyond, one
/// missing product could hide in it, so operands are drawn whose sums are exact.
constexpr std::int64_t deepest_uniform = 1024;

bool draws_exact_sums(const RunArguments& arguments, const plan::Problem& problem) {
  return arguments.inputs == "exact" || (arguments.inputs == "auto" && problem.k > deepest_uniform);
}

/// Seeded operands. What the kernel must write starts as NaN, so that an element it leaves out is
/// found.
Matrices make_matrices(const compiler::Compilation& compilation, const RunArguments& arguments) {
  using runtime::Matrix;
  const plan::Problem& problem = compilation.plan.problem;
  const auto random =
      draws_exact_sums(arguments, problem) ? Matrix::random_eighths : Matrix::random;
  const std::uint64_t seed = arguments.seed;
  Matrix initial = compilation.constant
                       ? Matrix::filled(problem.result, problem.m, problem.n, *compilation.constant)
                       : random(problem.result, problem.m, problem.n, seed + 2);
  Matrix unwritten = Matrix::zeros(problem.result, problem.m, problem.n);
  std::fill(unwritten.bytes.begin(), unwritten.bytes.end(), std::byte{0xff});
  return {random(problem.input, problem.m, problem.k, seed),
          random(problem.input, problem.k, problem.n, seed + 1), std::move(initial),
          std::move(unwritten)};
}

/// The kernel's buffers. A matrix that is both read and written in place is the result, holding the
/// initial values.
std::vector<emulator::Argument> bind(const compiler::Compilation& compilation, Matrices& matrices) {
  std::vector<emulator::Argument> arguments;
  for (const compiler::Parameter& parameter : compilation.parameters) {
    runtime::Matrix* matrix = parameter.role == compiler::Role::a   ? &matrices.a
                              : parameter.role == compiler::Role::b ? &matrices.b
                              : parameter.written                   ? &matrices.result
                                                                    : &matrices.initial;
    if (parameter.read && parameter.written) matrix->bytes = matrices.initial.bytes;
    arguments.emplace_back(emulator::Buffer{matrix->bytes, parameter.name});
  }
  return arguments;
}

std::expected<emulator::RunReport, Stop> execute(const emulator::CodeObject& object,
                                                 const compiler::Compilation& compilation,
                                                 const RunArguments& arguments, Matrices& matrices,
                                                 const Progress& progress) {
  emulator::Launch launch;
  launch.kernel = compilation.kernel_name;
  launch.arguments = bind(compilation, matrices);
  launch.grid = compilation.grid;
  launch.workgroup = compilation.workgroup;
  launch.threads = arguments.threads;
  launch.profile =
      arguments.profile_all ? emulator::Profile::all : emulator::Profile::first_workgroup;
  launch.progress = [&](std::uint64_t done, std::uint64_t total) {
    progress.show(fmt::format("emulating: {} of {} workgroups", done, total));
  };
  auto report = emulator::run(object, launch);
  if (!report) return std::unexpected(Stop{1, report.error().text()});
  return *std::move(report);
}

std::expected<MatmulRun, Stop> execute_matmul(const RunArguments& arguments) {
  const auto target = read_target(arguments.target);
  if (!target) return refused(target.error());
  const auto source = read_file(arguments.file);
  if (!source) return refused(source.error());

  const Progress progress;
  MatmulRun run;
  run.file = arguments.file;
  run.seed = arguments.seed;
  progress.show("compiling");
  Stopwatch watch;
  auto compilation =
      compiler::compile(*source, arguments.file, {.target = *target}, compiler::Stage::object);
  if (!compilation) return refused(compilation.error());
  run.compilation = *std::move(compilation);
  run.seconds.compile = watch.seconds();

  watch = {};
  const auto object = emulator::CodeObject::load(std::as_bytes(std::span(run.compilation.object)));
  if (!object) return std::unexpected(Stop{1, object.error().message});
  run.kernel = *object->find_kernel(run.compilation.kernel_name);
  run.seconds.decode = watch.seconds();

  Matrices matrices = make_matrices(run.compilation, arguments);
  watch = {};
  auto report = execute(*object, run.compilation, arguments, matrices, progress);
  if (!report) return std::unexpected(report.error());
  run.report = *std::move(report);
  run.seconds.run = watch.seconds();

  watch = {};
  run.inputs = draws_exact_sums(arguments, run.compilation.plan.problem)
                   ? "multiples of 1/8 in [-1, 1]"
                   : "uniform in [-1, 1)";
  run.check = check_matmul(
      matrices.a, matrices.b, matrices.initial, matrices.result, [&](std::int64_t rows) {
        progress.show(
            fmt::format("checking against float64: row {} of {}", rows, matrices.result.rows));
      });
  run.seconds.check = watch.seconds();
  return run;
}

std::string report_of(const MatmulRun& run, const std::string& format) {
  if (format == "text") return run_text(run, output_width());
  return llvm::formatv("{0:2}\n", llvm::json::Value(run_json(run))).str();
}

}  // namespace

int run_matmul(const RunArguments& arguments) {
  const auto run = execute_matmul(arguments);
  if (!run) {
    print_error(run.error().message);
    return run.error().status;
  }
  if (const auto printed = print_output(report_of(*run, arguments.report)); !printed) {
    print_error(printed.error());
    return 2;
  }
  return run->check.right() ? 0 : 1;
}

}  // namespace heddle::tool
