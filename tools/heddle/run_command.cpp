#include "tools/heddle/run_command.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "tools/heddle/load_module.h"
#include "tools/heddle/source_file.h"

namespace heddle::tool {

void add_run_command(CLI::App& program, int& status) {
  const auto arguments = std::make_shared<RunArguments>();
  CLI::App* command = program.add_subcommand(
      "run",
      "Compile a linalg.matmul, execute its machine code on the emulator, check every element");
  command->add_option("file", arguments->file, "MLIR text with one linalg.matmul")->required();
  command->add_option("--target", arguments->target, "GPU to compile for and to emulate")
      ->capture_default_str();
  command->add_option("--seed", arguments->seed, "seed of the random operands")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command
      ->add_option(
          "--inputs", arguments->inputs,
          "operands: uniform in [-1, 1); exact: multiples of 1/8, so that sums are exact in "
          "f32; auto: exact beyond k = 1024")
      ->check(CLI::IsMember({"auto", "uniform", "exact"}))
      ->capture_default_str();
  command->add_option("--report", arguments->report, "text for people, json for programs")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command->add_option("--threads", arguments->threads, "host threads; 0: all cores")
      ->capture_default_str();
  command->add_flag("--profile-all", arguments->profile_all,
                    "count LDS passes of every workgroup, not of the first alone (slower)");
  command->callback([arguments, &status] {
    const auto module = load_compile_module();
    if (!module) print_error(module.error());
    status = module ? (*module)->run(*arguments) : 2;
  });
}

}  // namespace heddle::tool
