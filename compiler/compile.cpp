#include "compiler/compile.h"

#include <functional>

#include "compiler/code_object.h"
#include "compiler/guarded.h"
#include "compiler/lowering.h"
#include "heddle/plan/matmul_planner.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace heddle::compiler {
namespace {

std::array<std::int64_t, 2> shape_of(Role role, const plan::Problem& problem) {
  switch (role) {
    case Role::a:
      return {problem.m, problem.k};
    case Role::b:
      return {problem.k, problem.n};
    default:
      return {problem.m, problem.n};
  }
}

Parameter parameter(Role role, const MatmulRequest& request) {
  constexpr std::array<const char*, 4> names{"A", "B", "C", "D"};
  const plan::Problem& problem = request.problem;
  const bool input = role == Role::a || role == Role::b;
  const std::array<std::int64_t, 2> shape = shape_of(role, problem);
  const instruction::ElementType element = input ? problem.input : problem.result;
  const auto bytes = static_cast<std::size_t>(shape[0] * shape[1] * instruction::bits(element) / 8);
  const bool written = role == Role::d || (role == Role::c && request.in_place);
  return {
      names[static_cast<std::size_t>(role)], role, shape, element, bytes, role != Role::d, written};
}

void describe(Compilation& result, const MatmulRequest& request) {
  const plan::BlockTile& block = result.plan.block;
  for (const Role role : parameter_roles(request))
    result.parameters.push_back(parameter(role, request));
  result.kernel_name = request.function;
  const auto rows = static_cast<std::uint32_t>(block.blocks_m(request.problem));
  const auto columns = static_cast<std::uint32_t>(block.blocks_n(request.problem));
  result.grid = {columns, rows, 1};
  if (block.rows_on_x(request.problem)) result.grid = {rows, columns, 1};
  result.workgroup = {static_cast<std::uint32_t>(block.threads()), 1, 1};
  result.constant = request.constant;
}

// A failure behind the front end is ours: it says so, with the user's file for orientation.
std::string internal_error(std::string_view file_name, const std::string& message) {
  return std::string(file_name) + ":1:1: error: internal error of the compiler: " + message + "\n";
}

// One compilation: the stages in their order, each timed, until the one asked for.
class Pipeline {
 public:
  Pipeline(std::string_view file_name, const Options& options, Stage stop_after)
      : file_name_(file_name), options_(options), stop_after_(stop_after) {}

  std::expected<Compilation, std::string> run(std::string_view text) {
    if (!instruction::has_kernels(options_.target)) return std::unexpected(no_kernels());
    const auto request = read(text);
    if (!request) return std::unexpected(request.error());
    Done done;
    const Done survived = guarded("the compilation", [&] { done = plan_and_generate(*request); });
    if (!survived) done = survived;
    if (!done) return std::unexpected(internal_error(file_name_, done.error()));
    return std::move(result_);
  }

 private:
  using Done = std::expected<void, std::string>;

  std::string no_kernels() const {
    std::string names;
    for (const instruction::TargetRow& row : instruction::target_rows)
      names += (names.empty() ? "" : ", ") + std::string(row.name);
    return file_name_ + ":1:1: error: no kernels for " +
           std::string(instruction::name(options_.target)) + "; accepted: " + names + "\n";
  }

  // MLIR's parser has texts on which it crashes. They are no matmuls, so they are refused like any
  // other.
  std::expected<MatmulRequest, std::string> read(std::string_view text) {
    std::optional<MatmulRequest> request;
    std::string errors;
    const auto survived = guarded("reading the text", [&] {
      timed("read", [&] { request = read_matmul(text, file_name_, errors); });
    });
    if (!survived) {
      errors = file_name_ + ":1:1: error: " + survived.error() +
               "; accepted: one func.func with one linalg.matmul, such as examples/matmul.mlir\n";
    }
    if (!request || !survived) return std::unexpected(errors);
    return *request;
  }

  Done plan_and_generate(const MatmulRequest& request) {
    timed("plan", [&] { result_.plan = plan::make_plan(request.problem, options_.target); });
    describe(result_, request);
    return stop_after_ == Stage::plan ? Done() : generate(request);
  }

  Done generate(const MatmulRequest& request) {
    std::optional<KernelModule> kernel;
    std::string errors;
    bool valid = false;
    timed("build", [&] {
      kernel.emplace(request, result_.plan);
      valid = kernel->tidy(errors);
    });
    if (!valid) return std::unexpected(errors);
    if (stop_after_ == Stage::mlir) {
      result_.text = kernel->text();
      return {};
    }
    llvm::LLVMContext context;
    std::unique_ptr<llvm::Module> module;
    timed("lower", [&] { module = kernel->lower(context, errors); });
    if (!module) return std::unexpected(errors);
    return generate_code(*module);
  }

  Done generate_code(llvm::Module& module) {
    auto machine = target_machine(options_.target);
    if (!machine) return std::unexpected(std::move(machine).error());
    Done optimised;
    timed("optimise",
          [&] { optimised = optimise(module, **machine, result_.plan.block.threads()); });
    if (!optimised) return optimised;
    if (stop_after_ == Stage::llvm) {
      result_.text = compiler::printed(module);
      return {};
    }
    if (stop_after_ == Stage::assembly) return keep(result_.text, assembly, module, **machine);
    return keep(result_.object, code_object, module, **machine);
  }

  // Runs a code generator and keeps what it made.
  Done keep(auto& kept, auto& generator, llvm::Module& module, llvm::TargetMachine& machine) {
    decltype(generator(module, machine)) made;
    timed("generate", [&] { made = generator(module, machine); });
    if (!made) return std::unexpected(std::move(made).error());
    kept = *std::move(made);
    return {};
  }

  void timed(const char* step, const std::function<void()>& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    const auto time = std::chrono::steady_clock::now() - begin;
    result_.timings.push_back({step, std::chrono::duration_cast<std::chrono::microseconds>(time)});
  }

  std::string file_name_;
  Options options_;
  Stage stop_after_;
  Compilation result_;
};

}  // namespace

std::expected<Compilation, std::string> compile(std::string_view text, std::string_view file_name,
                                                const Options& options, Stage stop_after) {
  return Pipeline(file_name, options, stop_after).run(text);
}

}  // namespace heddle::compiler
