#include "compiler/warp_kernel/compile.h"

#include "compiler/codegen/guarded.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace heddle::compiler {
namespace {

class WarpPipeline {
 public:
  WarpPipeline(std::string_view file_name, const WarpKernelOptions& options, Stage stop_after)
      : file_name_(file_name), options_(options), stop_after_(stop_after) {}

  std::expected<WarpCompilation, std::string> run(std::string_view text) {
    if (!is_compiled_for(options_.target))
      return std::unexpected(first_line("no kernels of warp-level functions for " +
                                            std::string(instruction::name(options_.target)),
                                        names_of_targets()));
    if (stop_after_ == Stage::plan)
      return std::unexpected(
          first_line("a warp-level function has no plan", "--emit mlir, llvm, asm or object"));
    // MLIR's parser crashes on some texts; guarded() reports that, and the text is refused as
    // invalid.
    std::unique_ptr<WarpKernelModule> kernel;
    Done done;
    Done survived = guarded("reading the text", [&] { done = read(text, kernel); });
    if (!survived) return std::unexpected(first_line(survived.error(), accepted_text));
    if (!done) return std::unexpected(done.error());
    survived = guarded("the compilation", [&] { done = generate(*kernel); });
    if (!survived) return std::unexpected(internal_error(file_name_, survived.error()));
    if (!done) return std::unexpected(done.error());
    return std::move(result_);
  }

 private:
  static constexpr std::string_view accepted_text =
      "one func.func of a warp's vectors, such as examples/warp.mlir";

  static bool is_compiled_for(instruction::Target target) {
    const instruction::Family family = instruction::processor(target).family;
    return instruction::is_compiled_for(target) &&
           (!instruction::is_nvidia(family) || family <= instruction::Family::sm90);
  }

  static std::string names_of_targets() {
    std::string names;
    for (const instruction::ProcessorRow& row : instruction::processor_rows)
      if (is_compiled_for(row.target)) names += (names.empty() ? "" : ", ") + std::string(row.name);
    return names;
  }

  std::string first_line(const std::string& found, std::string_view accepted) const {
    return file_name_ + ":1:1: error: " + found + "; accepted: " + std::string(accepted) + "\n";
  }

  Done read(std::string_view text, std::unique_ptr<WarpKernelModule>& kernel) {
    std::string errors;
    timed("read", [&] { kernel = WarpKernelModule::read(text, file_name_, options_, errors); });
    if (!kernel) return std::unexpected(errors);
    result_.kernel_name = kernel->name();
    result_.threads = options_.threads();
    result_.arguments = kernel->arguments();
    return {};
  }

  Done generate(WarpKernelModule& kernel) {
    std::string errors;
    bool done = false;
    timed("threads", [&] { done = kernel.lower_to_threads(errors); });
    result_.remarks = kernel.remarks();
    if (!done) return std::unexpected(errors);
    if (stop_after_ == Stage::mlir) {
      result_.text = kernel.text();
      return {};
    }
    llvm::LLVMContext context;
    std::unique_ptr<llvm::Module> module;
    timed("lower", [&] { module = kernel.lower(context, errors); });
    if (!module) return std::unexpected(errors);
    return generate_code(*module);
  }

  Done generate_code(llvm::Module& module) {
    auto machine = target_machine(options_.target);
    if (!machine) return std::unexpected(internal_error(file_name_, machine.error()));
    Done optimised;
    timed("optimise", [&] { optimised = optimise(module, **machine, options_.threads()); });
    if (!optimised) return std::unexpected(internal_error(file_name_, optimised.error()));
    auto code = write_code(module, options_.target, stop_after_, result_.timings);
    if (!code) return std::unexpected(internal_error(file_name_, code.error()));
    result_.text = std::move(code->text);
    result_.object = std::move(code->object);
    return {};
  }

  void timed(const char* step, llvm::function_ref<void()> work) {
    compiler::timed(result_.timings, step, work);
  }

  std::string file_name_;
  WarpKernelOptions options_;
  Stage stop_after_;
  WarpCompilation result_;
};

}  // namespace

bool is_warp_level(std::string_view text) {
  bool found = false;
  const auto survived = guarded("reading the text", [&] { found = has_vector_operations(text); });
  return survived && found;
}

std::expected<WarpCompilation, std::string> compile_warp_function(std::string_view text,
                                                                  std::string_view file_name,
                                                                  const WarpKernelOptions& options,
                                                                  Stage stop_after) {
  return WarpPipeline(file_name, options, stop_after).run(text);
}

}  // namespace heddle::compiler
