#include "compiler/codegen/stage.h"

#include "llvm/Target/TargetMachine.h"

namespace heddle::compiler {

void timed(std::vector<Timing>& timings, const char* step, llvm::function_ref<void()> work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  const auto time = std::chrono::steady_clock::now() - begin;
  timings.push_back({step, std::chrono::duration_cast<std::chrono::microseconds>(time)});
}

std::string internal_error(std::string_view file_name, const std::string& message) {
  return std::string(file_name) + ":1:1: error: internal error of the compiler: " + message + "\n";
}

std::expected<Code, std::string> write_code(llvm::Module& module, instruction::Target target,
                                            Stage stage, std::vector<Timing>& timings) {
  if (stage == Stage::llvm) return Code{printed(module), {}};
  const auto machine = target_machine(target);
  if (!machine) return std::unexpected(machine.error());
  const bool is_ptx = (*machine)->getTargetTriple().isNVPTX();
  Code code;
  Done done;
  const auto keep = [&](auto& kept, auto made) {
    if (made)
      kept = *std::move(made);
    else
      done = std::unexpected(std::move(made).error());
  };
  timed(timings, "generate", [&] {
    if (is_ptx || stage == Stage::assembly)
      keep(code.text, assembly(module, **machine));
    else
      keep(code.object, code_object(module, **machine));
  });
  if (!done) return std::unexpected(std::move(done).error());
  if (stage == Stage::object && is_ptx) code.object.assign(code.text.begin(), code.text.end());
  return code;
}

}  // namespace heddle::compiler
