#include "tools/heddle/commands/commands.h"

#include <unistd.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <sstream>
#include <utility>

#include "answers/text/input_file.h"
#include "emulator/record/most_host_threads.h"
#include "heddle/instruction/processor_name.h"
#include "tools/heddle/commands/option_values.h"
#include "tools/heddle/commands/shared_options.h"
#include "tools/heddle/host/included_files.h"
#include "tools/heddle/host/memory_ceiling.h"
#include "tools/heddle/host/output.h"
#include "tools/heddle/modules/load_module.h"

namespace heddle::tool {
namespace {

void add_product_options(CLI::App& command, ProductArguments& arguments) {
  command
      .add_option("--function", arguments.function,
                  "which function of an MLIR text with several, such as decode")
      ->type_name("NAME");
  command
      .add_option("--f32", arguments.f32,
                  "how f32 inputs of a product are multiplied: exact, bf16x3, or tf32 and tf32-cut "
                  "where a GPU has it")
      ->capture_default_str();
  command
      .add_option("--f8", arguments.f8,
                  "how 8-bit floats are summed on sm_90a: promoted, sums of 128 products are added "
                  "in f32; fast, none are; or exact")
      ->capture_default_str();
  command.add_flag(
      "--unfused", arguments.unfused,
      "make each step of attention a kernel of its own, to compare with the one kernel");
  command
      .add_option("--plan", arguments.plan,
                  "JSON file with choices that take the place of the planner's (docs/matmul.md)")
      ->type_name(file_type);
}

}  // namespace

void add_compile_command(CLI::App& program, int& status) {
  const auto arguments = std::make_shared<CompileArguments>();
  CLI::App* command = program.add_subcommand(
      "compile", "Compile a matmul, or a function of a warp's vectors, and stop at any stage");
  command
      ->add_option("file", arguments->file,
                   "MLIR text with matmuls, or vector.contract; - reads standard input")
      ->required()
      ->type_name(file_type);
  command->add_option("--target,--arch", arguments->target, "GPU to compile for")
      ->type_name(gpu_type)
      ->capture_default_str();
  command->add_option("--emit", arguments->emit, "stage to stop at")
      ->transform(one_of({"plan", "mlir", "llvm", "asm", "ptx", "object"}))
      ->capture_default_str();
  command->add_option("--format", arguments->format, "of --emit plan: text or json")
      ->transform(one_of({"text", "json"}))
      ->capture_default_str();
  add_product_options(*command, *arguments);
  command
      ->add_option(
          "--tune", arguments->tune,
          "try the likeliest plans on this machine's GPU, and keep the fastest in this JSON "
          "file, which is read the next time (docs/nvidia.md)")
      ->type_name(file_type);
  add_compile_limit(*command, arguments->compile_seconds);
  command->add_option("-o,--output", arguments->output, "file to write; standard output without it")
      ->type_name(file_type);
  command->callback([arguments, command, &status] {
    if (command->count("--output") > 0 && arguments->output.empty()) {
      status = refuse("--output: the name of the file is empty; - is standard output",
                      arguments->format);
      return;
    }
    if (command->count("--tune") > 0 && arguments->tune.empty()) {
      status = refuse("--tune: the name of the file is empty", arguments->format);
      return;
    }
    const auto module = load_compile_module();
    status = module ? (*module)->compile(*arguments) : refuse(module.error(), arguments->format);
  });
}

namespace {

constexpr const char* run_footer = R"(
A source with main and no launch file is a program in HIP or CUDA. Its host code runs on this machine,
with your rights; its kernels run on the emulator, within the limits above (docs/programs.md):

  heddle run app.hip --check
  heddle run main.hip kernels.hip -- 4096
  heddle run app.cu --flags='-DN=64 -I../common' -- what follows is for the program

A kernel needs a launch file, which says how it runs and what must come out; docs/run.md has all of it:

  kernel wmma_naive
  grid   4 2                  # workgroups
  block  32                   # threads
  A = f16[32x48] random
  B = f16[48x64] random
  C = f32[32x64]              # holds nothing yet: the kernel must write all of it
  arguments A B C 32 64 48
  expect C = A @ B            # ' transposes; + - * relu(...) and others; or a reference kernel

  heddle run wmma_naive.hip wmma_naive.launch --check
  heddle run wmma_naive.hip wmma_naive.launch --report html -- -DTILE=32 -Wall

Source is compiled by clang with -x hip --cuda-device-only -nogpulib -nogpuinc -std=c++20 -O3
-gline-tables-only -fno-discard-value-names, Heddle's headers in the include path; what follows --
comes last.
Exit status: 0 right, 1 a result is wrong or something was found, 2 the input is refused. A program
ends with its own exit status, but with 1 if that is 0 and something was found.)";

bool has_extension(const std::string& path, std::initializer_list<std::string_view> extensions) {
  const std::string extension = std::filesystem::path(path).extension().string();
  for (const std::string_view one : extensions)
    if (extension == one) return true;
  return false;
}

bool is_source(const std::string& path) {
  return has_extension(path, {".hip", ".cpp", ".cc", ".cxx", ".cu", ".c"});
}

bool is_kernel(const std::string& path) {
  return has_extension(path, {".s", ".hsaco", ".co", ".o", ".so", ".out", ".ptx"}) ||
         is_source(path);
}

/// True if a text has the word "main" with an opening bracket after it, as a function has.
bool has_word_main(const std::string& text) {
  const auto is_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  for (std::size_t at = text.find("main"); at != std::string::npos;
       at = text.find("main", at + 4)) {
    if (at == 0 || is_name(text[at - 1])) continue;
    const std::size_t next = text.find_first_not_of(" \t\r\n", at + 4);
    if (next != std::string::npos && text[next] == '(') return true;
  }
  return false;
}

/// True if a source, or a file of the same folder that the source includes, has a function main.
bool has_main(const std::string& path) { return tool::holds_of_included(path, has_word_main); }

/// True if the command is to run a program, host code included: there is no launch file, and one of
/// the sources has a function main.
bool is_program(const RunArguments& arguments) {
  return arguments.launch.empty() && is_source(arguments.file) &&
         (has_main(arguments.file) || std::ranges::any_of(arguments.sources, has_main));
}

/// For `heddle run a.hip b.hip`: the parser has taken the second source for the launch file, and
/// further sources for flags. Moves them to `sources`, and without a launch file also the sources
/// that `--flags` names.
void find_sources(RunArguments& arguments) {
  if (!is_source(arguments.file)) return;
  if (is_source(arguments.launch)) {
    arguments.sources.push_back(std::exchange(arguments.launch, ""));
    while (!arguments.flags.empty() && is_source(arguments.flags[0])) {
      arguments.sources.push_back(arguments.flags[0]);
      arguments.flags.erase(arguments.flags.begin());
    }
  }
  if (!arguments.launch.empty()) return;
  const auto names_source = [](const std::string& flag) {
    return !flag.starts_with("-") && is_source(flag);
  };
  std::ranges::copy_if(arguments.compile_flags, std::back_inserter(arguments.sources),
                       names_source);
  std::erase_if(arguments.compile_flags, names_source);
}

/// The reason why these arguments contradict each other; empty if they do not. `matmul_option`: a
/// given option that is for matmuls only, or null.
std::string contradiction(const RunArguments& arguments, const char* matmul_option) {
  if (arguments.check &&
      (arguments.device.starts_with("hip") || arguments.device.starts_with("cuda")))
    return "--check watches every access of the emulator; a GPU does not let it: leave one of "
           "--check and --device away";
  if (is_program(arguments)) {
    if (matmul_option != nullptr)
      return std::string(matmul_option) + " is for a matmul; a program makes its own arrays";
    if (!arguments.dumps.empty()) return "--dump is for arrays of a launch file, or of a matmul";
    return "";
  }
  if (!arguments.sources.empty())
    return "neither '" + arguments.file + "' nor '" + arguments.sources[0] +
           "' has a main, which a program of several sources has in one of them; a kernel takes "
           "its "
           "launch file there, as in `heddle run kernel.hip kernel.launch`";
  if (!arguments.rocm.empty() && !is_source(arguments.file))
    return "--hip-path is for sources; '" + arguments.file + "' is not compiled with its headers";
  if (!arguments.compile_flags.empty())
    return "--flags is for a program; with a launch file the compiler's flags follow --";
  if (arguments.launch.empty()) {
    if (is_source(arguments.file) && !arguments.flags.empty())
      return "'" + arguments.file +
             "' has no main, and so is no program: a kernel needs its launch file, as in `heddle "
             "run "
             "kernel.hip kernel.launch -- -O2`";
    if (is_source(arguments.file))
      return "'" + arguments.file +
             "' has no main, and so is no program: a kernel needs its launch file, as in `heddle "
             "run kernel.hip kernel.launch`; `heddle run --help` shows one";
    if (is_kernel(arguments.file))
      return "'" + arguments.file +
             "' is a kernel: give its launch file too, as in `heddle run kernel.hip "
             "kernel.launch`; "
             "`heddle run --help` shows one";
    if (!arguments.flags.empty() && !is_kernel(arguments.file))
      return "`heddle run` has no place for '" + arguments.flags[0] +
             "': what follows -- is for a kernel's compiler or a program";
    if (arguments.report == "sarif" || arguments.report == "html")
      return "--report " + arguments.report +
             " is for programs, and for kernels with a launch file";
    return "";
  }
  if (!is_kernel(arguments.file))
    return "'" + arguments.file +
           "' is no kernel by its name, and only kernels have a launch file: "
           "they end in .hip, .cpp, .cu, .s, .hsaco, .co, .o, .so, .out or .ptx";
  if (matmul_option != nullptr)
    return std::string(matmul_option) +
           " is for a matmul; a kernel's arrays have their sizes, values and seeds in the launch "
           "file, as in `A = f16[32x48] random seed 7`";
  if (!arguments.flags.empty() && !arguments.flags[0].starts_with("-"))
    return "`heddle run` has no place for '" + arguments.flags[0] +
           "': it takes a kernel, its launch file and, behind --, the compiler's flags";
  return "";
}

// Calls POSIX because some C++ libraries, such as that of the page's module, have no files and no
// std::filesystem::exists.
bool exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

int run(RunArguments& arguments, const CLI::App& command, const std::vector<std::string>& behind) {
  if (is_kernel(arguments.file) && !exists(arguments.file))
    return refuse("cannot read '" + arguments.file + "': No such file or directory",
                  arguments.report);
  if (is_source(arguments.file) && has_main(arguments.file) && !arguments.launch.empty() &&
      !exists(arguments.launch))
    return refuse("there is no launch file '" + arguments.launch +
                      "'; what is for a program follows --, as in `heddle run app.hip -- 4096`",
                  arguments.report);
  if (!arguments.launch.empty() && !exists(arguments.launch) &&
      instruction::find_processor_by_any_name(arguments.launch) != nullptr)
    return refuse("'" + arguments.launch +
                      "' is a GPU, and no launch file; a GPU is named by its "
                      "option, as --target " +
                      arguments.launch,
                  arguments.report);
  find_sources(arguments);
  if (is_program(arguments) && !arguments.flags.empty())
    return refuse(
        "`heddle run` has no place for '" + arguments.flags[0] +
            "': before -- stand the sources of a program, and behind it the program's own "
            "arguments",
        arguments.report);
  arguments.flags.insert(arguments.flags.end(), behind.begin(), behind.end());
  if (!arguments.rocm.empty() && !exists(arguments.rocm + "/include/hip"))
    return refuse("--hip-path '" + arguments.rocm + "': there is no folder '" + arguments.rocm +
                      "/include/hip'; accepted: where ROCm is installed, such as /opt/rocm",
                  arguments.report);
  const auto given = [&](const char* option) { return command.count(option) > 0; };
  const char* matmul_option = nullptr;
  for (const char* option : {"--function", "--f32", "--f8", "--plan", "--sizes", "--inputs",
                             "--seed", "--input", "--explain-error"})
    if (given(option)) matmul_option = option;
  if (const std::string message = contradiction(arguments, matmul_option); !message.empty())
    return refuse(message, arguments.report);
  const bool on_gpu = arguments.device.starts_with("hip") || arguments.device.starts_with("cuda");
  if (on_gpu)
    set_memory_ceiling(0, "");
  else
    set_run_ceiling(arguments.budget);
  if (!is_program(arguments) && arguments.launch.empty()) {
    const auto module = load_compile_module();
    return module ? (*module)->run(arguments) : refuse(module.error(), arguments.report);
  }
  const auto module = load_run_module();
  if (!module) return refuse(module.error(), arguments.report);
  arguments.link = link_by_module;
  return is_program(arguments) ? (*module)->run_program(arguments)
                               : (*module)->run_kernel(arguments);
}

}  // namespace

void add_run_command(CLI::App& program, int& status, const std::vector<std::string>& behind) {
  const auto arguments = std::make_shared<RunArguments>();
  CLI::App* command = program.add_subcommand(
      "run",
      "Run a kernel as a launch file says, check it and its result; or compile a matmul, or a "
      "function of a warp's vectors, and do the same");
  command
      ->add_option("file", arguments->file,
                   "a kernel (.hip, .s, .hsaco, .co, .o, .ptx …), or MLIR text with matmuls or a "
                   "warp's function")
      ->required()
      ->type_name(file_type);
  command
      ->add_option("launch", arguments->launch,
                   "the kernel's launch file; without it a source with main is a program, whose "
                   "host code runs on this machine as you, and this its second source")
      ->type_name(file_type);
  command->add_option(
      "more", arguments->flags,
      "more sources of a program; behind --: flags for the kernel's compiler, or the "
      "program's arguments");
  command
      ->add_option("--flags", arguments->compile_flags,
                   "flags for the compiler of a program, as in --flags='-DN=64 -I../common'")
      ->take_all()
      ->expected(1)
      ->allow_extra_args(false);
  command
      ->add_option("--hip-path", arguments->rocm,
                   "where ROCm is installed: a kernel takes its HIP headers, a program what Heddle "
                   "has no headers for, such as rocWMMA; without it Heddle's own stand in")
      ->type_name("FOLDER");
  command
      ->add_option(
          "--target,--arch", arguments->target,
          "GPU to compile for and to emulate; without it gfx1151, or that of the code object")
      ->type_name(gpu_type);
  command
      ->add_option("--device", arguments->device,
                   "where a kernel runs: emulator, hip (the first GPU), hip:1 …; of NVIDIA's "
                   "targets ptx, a simulator, or cuda, cuda:1 …")
      ->capture_default_str();
  command->add_flag("--check", arguments->check,
                    "watch every access of a kernel or matmul: waits, races, reads of what nobody "
                    "wrote …");
  command->add_option("--seed", arguments->seed, "seed of a matmul's random operands")
      ->transform(whole_number(0, UINT64_MAX))
      ->capture_default_str();
  command
      ->add_option(
          "--inputs", arguments->inputs,
          "operands of a matmul: uniform in [-1, 1); exact: multiples of 1/8, so that sums are "
          "exact in f32; auto: exact beyond k = 1024")
      ->transform(one_of({"auto", "uniform", "exact"}))
      ->capture_default_str();
  command
      ->add_option("--input", arguments->array_inputs,
                   "NAME=FILE.npy: an operand of a matmul, by the argument's name (%a), its number "
                   "or its letter in D = A * B + C; the others are drawn. Dynamic sizes follow "
                   "from the files")
      ->take_all()
      ->expected(1)
      ->allow_extra_args(false);
  command
      ->add_option(
          "--dump", arguments->dumps,
          "NAME=FILE.npy: where an array of the launch file, or an operand or the result D of a "
          "matmul, goes after the run")
      ->take_all()
      ->expected(1)
      ->allow_extra_args(false);
  add_devices_option(*command, arguments->devices);
  add_report_option(*command, arguments->report);
  add_product_options(*command, *arguments);
  command
      ->add_option("--sizes", arguments->sizes,
                   "m, n, k and batch of a matmul whose sizes are dynamic")
      ->expected(1, 4)
      ->transform(whole_number(1, INT64_MAX));
  command->add_flag("--explain-error", arguments->explain_error,
                    "say how much of the largest error of a matmul its instruction makes, and how "
                    "much the kernel's order and roundings");
  add_run_limits(*command, *arguments);
  command->footer(run_footer);
  command->callback([arguments, command, &status, &behind] {
    std::vector<std::string> words;
    for (const std::string& text : arguments->compile_flags)
      for (std::istringstream rest(text); rest >> words.emplace_back();) continue;
    std::erase(words, "");
    arguments->compile_flags = std::move(words);
    status = run(*arguments, *command, behind);
  });
}

}  // namespace heddle::tool
