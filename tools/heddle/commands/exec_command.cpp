// `heddle exec -- PROGRAM`: a program that another compiler has built for HIP.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "heddle/instruction/processor_name.h"
#include "tools/heddle/commands/commands.h"
#include "tools/heddle/commands/option_values.h"
#include "tools/heddle/commands/shared_options.h"
#include "tools/heddle/host/memory_ceiling.h"
#include "tools/heddle/host/output.h"
#include "tools/heddle/modules/load_module.h"

namespace heddle::tool {
namespace {

constexpr const char* exec_footer = R"(
The program is what hipcc or clang has built, here or elsewhere; it needs neither a GPU nor ROCm. Heddle's
libamdhip64.so takes the place of HIP's, and of the program's code for several GPUs that for --target runs
(docs/programs.md):

  hipcc --offload-arch=gfx1100 --offload-arch=gfx90a app.cpp -o app
  heddle exec -- ./app 4096
  heddle exec --target gfx90a --check -- ./app 4096
)";

/// The executable file for a word of a command line: the word itself if it contains a slash, else
/// the first executable file of that name in the folders of PATH. Empty if there is none.
std::string executable_of(const std::string& word) {
  const auto starts = [](const std::string& path) { return access(path.c_str(), X_OK) == 0; };
  if (word.contains('/')) return starts(word) ? word : "";
  const char* const path = std::getenv("PATH");
  std::string rest = path != nullptr ? path : "";
  while (!rest.empty()) {
    const std::size_t end = rest.find(':');
    if (const std::string file = rest.substr(0, end) + "/" + word; starts(file)) return file;
    rest = end == std::string::npos ? "" : rest.substr(end + 1);
  }
  return "";
}

int run_built(RunArguments& arguments, const std::vector<std::string>& behind) {
  std::vector<std::string> words = behind;
  if (!arguments.file.empty()) words.insert(words.begin(), arguments.file);
  if (words.empty())
    return refuse("exec takes a program: `heddle exec --check -- ./app 4096`", arguments.report);
  arguments.file = executable_of(words[0]);
  if (arguments.file.empty())
    return refuse("cannot start '" + words[0] + "': no such program that may be executed",
                  arguments.report);
  arguments.flags.assign(words.begin() + 1, words.end());
  arguments.is_built = true;
  set_run_ceiling(arguments.budget);
  arguments.link = link_by_module;
  const auto module = load_run_module();
  return module ? (*module)->run_program(arguments) : refuse(module.error(), arguments.report);
}

}  // namespace

void add_exec_command(CLI::App& program, int& status, const std::vector<std::string>& behind) {
  const auto arguments = std::make_shared<RunArguments>();
  CLI::App* command = program.add_subcommand(
      "exec", "Run a program that hipcc has built, its kernels on the emulator, and check them");
  command
      ->add_option("program", arguments->file,
                   "the program, whose host code runs on this machine as you; it and its arguments "
                   "may follow --")
      ->type_name(file_type);
  command
      ->add_option("--target", arguments->target,
                   "GPU to emulate; without it the first of the program's that Heddle runs")
      ->type_name(gpu_type);
  command->add_flag("--check", arguments->check,
                    "watch every access of a kernel: waits, races, reads of what nobody wrote …");
  add_devices_option(*command, arguments->devices);
  add_report_option(*command, arguments->report);
  add_run_limits(*command, *arguments);
  command->footer(exec_footer);
  command->callback([arguments, &status, &behind] { status = run_built(*arguments, behind); });
}

}  // namespace heddle::tool
