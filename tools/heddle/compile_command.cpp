#include "tools/heddle/compile_command.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "tools/heddle/load_module.h"
#include "tools/heddle/source_file.h"

namespace heddle::tool {

void add_compile_command(CLI::App& program, int& status) {
  const auto arguments = std::make_shared<CompileArguments>();
  CLI::App* command =
      program.add_subcommand("compile", "Compile a linalg.matmul and stop at any stage");
  command->add_option("file", arguments->file, "MLIR text with one linalg.matmul")->required();
  command->add_option("--target", arguments->target, "GPU to compile for")->capture_default_str();
  command->add_option("--emit", arguments->emit, "stage to stop at")
      ->check(CLI::IsMember({"plan", "mlir", "llvm", "asm", "object"}))
      ->capture_default_str();
  command->add_option("--format", arguments->format, "of --emit plan: text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command->add_option("-o,--output", arguments->output,
                      "file to write; standard output without it");
  command->callback([arguments, &status] {
    const auto module = load_compile_module();
    if (!module) print_error(module.error());
    status = module ? (*module)->compile(*arguments) : 2;
  });
}

}  // namespace heddle::tool
