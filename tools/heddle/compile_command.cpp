#include "tools/heddle/compile_command.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "tools/heddle/load_module.h"
#include "tools/heddle/option_values.h"
#include "tools/heddle/source_file.h"

namespace heddle::tool {

void add_compile_command(CLI::App& program, int& status) {
  const auto arguments = std::make_shared<CompileArguments>();
  CLI::App* command = program.add_subcommand(
      "compile", "Compile a matmul, or a function of a warp's vectors, and stop at any stage");
  command->add_option("file", arguments->file, "MLIR text with matmuls, or vector.contract")
      ->required();
  command->add_option("--target", arguments->target, "GPU to compile for")->capture_default_str();
  command->add_option("--emit", arguments->emit, "stage to stop at")
      ->transform(one_of({"plan", "mlir", "llvm", "asm", "ptx", "object"}))
      ->capture_default_str();
  command->add_option("--format", arguments->format, "of --emit plan: text or json")
      ->transform(one_of({"text", "json"}))
      ->capture_default_str();
  command
      ->add_option("--f32", arguments->f32,
                   "how f32 inputs are multiplied: exact, bf16x3 or tf32 where a GPU has it")
      ->capture_default_str();
  command->add_option("--plan", arguments->plan,
                      "JSON file with what the planner is not to decide (docs/nvidia.md)");
  command->add_option("-o,--output", arguments->output,
                      "file to write; standard output without it");
  command->callback([arguments, command, &status] {
    if (command->count("--output") > 0 && arguments->output.empty()) {
      status = refuse("--output: the name of the file is empty; - is standard output",
                      arguments->format);
      return;
    }
    const auto module = load_compile_module();
    status = module ? (*module)->compile(*arguments) : refuse(module.error(), arguments->format);
  });
}

}  // namespace heddle::tool
