#include "tools/heddle/compile_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <memory>

#include "compiler/compile.h"
#include "tools/heddle/paragraph.h"
#include "tools/heddle/plan_report.h"
#include "tools/heddle/source_file.h"

namespace heddle::tool {
namespace {

using compiler::Stage;

struct StageRow {
  std::string_view name;
  Stage stage;
};

constexpr std::array stage_rows{StageRow{"plan", Stage::plan}, StageRow{"mlir", Stage::mlir},
                                StageRow{"llvm", Stage::llvm}, StageRow{"asm", Stage::assembly},
                                StageRow{"object", Stage::object}};

struct Arguments {
  std::string file;
  std::string target = "gfx1151";
  std::string emit = "object";
  std::string format = "text";
  std::string output;
};

Stage stage_of(std::string_view name) {
  for (const StageRow& row : stage_rows)
    if (row.name == name) return row.stage;
  return Stage::object;  // unreachable: the option checks the name
}

std::string output_of(const compiler::Compilation& compilation, Stage stage, bool json) {
  if (stage == Stage::object) return {compilation.object.begin(), compilation.object.end()};
  if (stage != Stage::plan) return compilation.text;
  if (!json) return plan_text(compilation.plan, PlanDetail::all_reasons, output_width());
  return llvm::formatv("{0:2}\n", llvm::json::Value(plan_json(compilation.plan))).str();
}

std::expected<void, std::string> compile(const Arguments& arguments) {
  const auto target = read_target(arguments.target);
  if (!target) return std::unexpected(target.error());
  const auto source = read_file(arguments.file);
  if (!source) return std::unexpected(source.error());
  const Stage stage = stage_of(arguments.emit);
  if (arguments.format == "json" && stage != Stage::plan)
    return std::unexpected(
        "--format json is of --emit plan; the other stages have a form of their own");
  if (stage == Stage::object && arguments.output.empty() && isatty(STDOUT_FILENO) != 0)
    return std::unexpected("a code object is binary: say where it goes with -o FILE");

  const auto compilation = compiler::compile(*source, arguments.file, {.target = *target}, stage);
  if (!compilation) return std::unexpected(compilation.error());
  const std::string output = output_of(*compilation, stage, arguments.format == "json");
  if (!arguments.output.empty() && arguments.output != "-")
    return write_file(arguments.output, output);
  return print_output(output);
}

int compile_command(const Arguments& arguments) {
  const auto done = compile(arguments);
  if (!done) print_error(done.error());
  return done ? 0 : 2;
}

}  // namespace

void add_compile_command(CLI::App& program, int& status) {
  const auto arguments = std::make_shared<Arguments>();
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
  command->callback([arguments, &status] { status = compile_command(*arguments); });
}

}  // namespace heddle::tool
