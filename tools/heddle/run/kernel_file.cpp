#include "tools/heddle/run/kernel_file.h"

#include <llvm/Support/Program.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include "answers/text/input_file.h"
#include "heddle/instruction/target.h"
#include "library/text/formatted.h"
#include "library/text/joined.h"
#include "runtime/device/offload_bundle.h"
#include "runtime/program/protocol.h"
#include "tools/heddle/host/include_folders.h"
#include "tools/heddle/host/included_files.h"
#include "tools/heddle/host/output.h"
#include "tools/heddle/run/compiler_messages.h"
#include "tools/heddle/run/compiler_process.h"
#include "tools/heddle/run/precompiled_headers.h"

namespace heddle::tool {
namespace {

constexpr std::array<std::string_view, 7> source_endings{".hip", ".cpp", ".cc", ".cxx",
                                                         ".cu",  ".c",   ".s"};
constexpr std::array<std::string_view, 5> binaries{".hsaco", ".co", ".o", ".so", ".out"};
constexpr std::string_view ptx = ".ptx";
constexpr const char* default_cuda_target = "sm_80";

std::string extension_of(const std::string& path) {
  return std::filesystem::path(path).extension().string();
}

bool is_assembly(const std::string& path) { return extension_of(path) == ".s"; }

/// True if a source of a program is plain C, which has no kernels.
bool is_c(const std::string& path) { return extension_of(path) == ".c"; }

/// The path of clang++: from the LLVM of this build, else clang++-22, else clang++ in PATH.
std::expected<std::string, std::string> find_clang() {
  const auto beside = llvm::sys::findProgramByName("clang++", {HEDDLE_LLVM_BIN});
  if (beside) return *beside;
  for (const char* name : {"clang++-22", "clang++"})
    if (const auto found = llvm::sys::findProgramByName(name)) return *found;
  return std::unexpected(
      "a kernel in source needs clang, and there is neither clang++ in " HEDDLE_LLVM_BIN
      " nor clang++-22 or clang++ in the PATH: install clang-22, or give a code object (.hsaco, "
      ".co)");
}

/// The folder in which clang's headers for kernels replace those of the C++ library, so that
/// kernels also have placement new and std::complex; empty if this clang has no such folder.
std::string folder_of_wrappers(const std::string& clang) {
  std::error_code error;
  const auto program = std::filesystem::canonical(clang, error);
  for (const auto& version : std::filesystem::directory_iterator(
           program.parent_path().parent_path() / "lib" / "clang", error)) {
    const auto folder = version.path() / "include" / "cuda_wrappers";
    if (std::filesystem::exists(folder, error)) return folder.string();
  }
  return "";
}

bool includes_hip(const std::string& path) {
  return holds_of_included(path, [](const std::string& text) {
    return text.contains("<hip/") || text.contains("\"hip/");
  });
}

bool includes_cuda(const std::string& path) {
  const auto text = answers::read_file(path);
  return text && std::ranges::any_of(
                     std::array{"<cuda_runtime", "\"cuda_runtime", "<cuda.h>", "\"cuda.h\""},
                     [&](const char* header) { return text->contains(header); });
}

/// True if a program is CUDA: a source is CUDA by its name or its includes, and none includes HIP.
/// hipcc also compiles sources with the name .cu.
bool is_cuda_program(const std::vector<std::string>& sources) {
  return std::ranges::any_of(sources,
                             [](const std::string& path) {
                               return extension_of(path) == ".cu" || includes_cuda(path);
                             }) &&
         std::ranges::none_of(sources, includes_hip);
}

/// The version of C++ for a source that does not choose one: nvcc's for CUDA, otherwise C++20. A
/// source that includes Heddle's own headers needs C++20, too.
const char* language_of(const std::string& path, bool is_cuda) {
  const auto text = answers::read_file(path);
  return is_cuda && !(text && text->contains("heddle/")) ? "-std=c++17" : "-std=c++20";
}

/// True if the precompiled standard headers may stand at the beginning of a source: it includes
/// HIP's runtime, and defines no macro that changes the C or C++ library.
bool begins_with_standard_headers(const std::string& path) {
  const auto holds = [&](std::initializer_list<std::string_view> words) {
    return holds_of_included(path, [&](const std::string& text) {
      return std::ranges::any_of(words, [&](std::string_view word) { return text.contains(word); });
    });
  };
  return holds({"<hip/hip_runtime.h>"}) && !holds({"define _GLIBCXX", "_SOURCE"});
}

/// True if Heddle's own HIP headers are not used: the source includes none, or ROCm's are used.
bool without_stand_in(const std::string& path, const CompileFlags& flags) {
  return !includes_hip(path) || !flags.rocm.empty() ||
         std::ranges::any_of(flags.extra,
                             [](const std::string& flag) { return flag.contains("rocm"); });
}

/// The processor that an assembly file names in `.amdgcn_target`; empty if it names none.
std::string assembly_target(const std::string& path) {
  const auto text = answers::read_file(path);
  if (!text) return "";
  const std::size_t line = text->find(".amdgcn_target");
  if (line == std::string::npos) return "";
  const std::string_view rest = std::string_view(*text).substr(line, text->find('\n', line) - line);
  const std::size_t first = rest.find("--gfx");
  if (first == std::string_view::npos) return "";
  const std::string_view name = rest.substr(first + 2);
  return std::string(name.substr(0, name.find_first_of("\":")));
}

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

bool ran_out_of_time(const Compiling& ended, const std::string& messages) {
  // The signal may have ended the compiler itself or a process that it started.
  const std::string end = ended.problem + messages;
  return end.contains(::strsignal(SIGXCPU)) || end.contains("Child timed out");
}

/// The result of a compiler that has ended with `status`. If the compiler succeeded: its messages,
/// which are warnings. Error: the messages with the reason and advice.
std::expected<std::string, std::string> outcome(const Compiling& ended, int status,
                                                const std::string& path, const CompileFlags& flags,
                                                std::string_view verb = "compile") {
  std::string messages = without_stack(answers::read_file(ended.said).value_or(""));
  if (status == 0) return messages;
  if (ran_out_of_time(ended, messages))
    return std::unexpected(formatted(
        "clang took more than {} seconds to {} '{}'; --limit-compile SECONDS raises the limit",
        flags.seconds, verb, path));
  if (verb == "link")
    return std::unexpected(formatted(
        "{}clang cannot link '{}'{}", messages, path,
        messages.contains("undefined reference")
            ? ": name every source of the program, as in `heddle run a.hip b.hip`, and libraries "
              "of "
              "this machine in --flags; docs/programs.md says what of HIP and CUDA is there"
            : ""));
  const std::string help = !is_assembly(path) && !without_stand_in(path, flags) ? advice(messages)
                           : path.ends_with(".cu") ? cuda_advice(messages)
                                                   : backend_advice(messages);
  return std::unexpected(formatted("{}clang cannot compile '{}' for {}{}{}", messages, path,
                                   flags.target, ended.problem.empty() ? "" : ": " + ended.problem,
                                   help));
}

/// A compilation of one source.
struct Job {
  CompileCommand command;
  const TemporaryFolder* folder = nullptr;
  std::string name;
  Compiling running;

  void begin(std::uint64_t seconds) { running = start(command.line(), *folder, name, seconds); }
};

/// True if the precompiled headers may be the cause of an error: their declarations precede the
/// source, which may contradict them, or their file cannot be used.
bool blames_headers(const std::string& messages, const std::string& precompiled) {
  constexpr std::array<std::string_view, 7> doubts{
      "ambiguous",           "redefin", "redeclar", "conflict", "different kind", "cannot overload",
      "cannot be overloaded"};
  return messages.contains(precompiled) ||
         std::ranges::any_of(doubts, [&](auto doubt) { return messages.contains(doubt); });
}

/// Waits for a compilation; repeats it without precompiled headers if these may have made it fail.
std::expected<std::string, std::string> finish(Job& job, const CompileFlags& flags) {
  int status = wait(job.running, flags.seconds);
  const std::string messages = answers::read_file(job.running.said).value_or("");
  std::string& precompiled = job.command.precompiled;
  if (status != 0 && !precompiled.empty() && !ran_out_of_time(job.running, messages) &&
      blames_headers(messages, precompiled)) {
    std::error_code error;
    if (messages.contains(precompiled)) std::filesystem::remove(precompiled, error);
    precompiled.clear();
    job.begin(flags.seconds);
    status = wait(job.running, flags.seconds);
  }
  return outcome(job.running, status, job.command.source, flags);
}

bool targets_nvidia(const std::string& target) { return target.starts_with("sm_"); }

/// The PTX version that the processor needs.
int ptx_of(const std::string& target) {
  const instruction::ProcessorRow* processor = instruction::find_processor(target);
  return processor == nullptr ? 0 : processor->ptx;
}

/// True if clang, with this flag, still takes a single step: the compilation of one file. Other
/// flags, such as -save-temps, -fgpu-rdc or -fsyntax-only, change which steps clang takes.
bool is_for_one_step(const std::string& flag) {
  constexpr std::array<std::string_view, 10> taken{"-D", "-U", "-I", "-O",    "-g",
                                                   "-W", "-m", "-f", "-std=", "-w"};
  constexpr std::array<std::string_view, 11> left{
      "-Wl,",          "-Wa,",          "-Wp,",     "-fgpu-rdc", "-flto",        "-mllvm",
      "-fsyntax-only", "-foffload-lto", "-fplugin", "-fmodule",  "-gsplit-dwarf"};
  const auto begins = [&](std::string_view start) { return flag.starts_with(start); };
  return std::ranges::any_of(taken, begins) && std::ranges::none_of(left, begins);
}

/// Adds the flags that the compilations of kernels and of host code share, and the user's flags;
/// words[0] is clang. Also sets `header`, the header with which the source begins, if this header
/// may be precompiled.
void add_common_flags(CompileCommand& command, const CompileFlags& flags) {
  std::vector<std::string>& words = command.words;
  const std::string& path = command.source;
  const IncludeFolders folders = include_folders();
  const bool is_cuda = flags.is_cuda || extension_of(path) == ".cu";
  // nvcc accepts the keyword `register` in C++17 with a warning, so it is no error here.
  if (is_cuda) words.push_back("-Wno-error=register");
  words.insert(words.end(),
               {language_of(path, is_cuda), "-gline-tables-only", "-fno-crash-diagnostics",
                "-DHEDDLE_PRINTS", "-I" + folders.heddle, "-isystem" + folders.hip});
  // A program is linked with Heddle's implementation of HIP's API, so it needs Heddle's
  // declarations. From ROCm it takes only headers that Heddle lacks, such as rocWMMA's.
  if (!flags.rocm.empty())
    words.push_back((flags.is_program ? "-idirafter" : "-I") + flags.rocm + "/include");
  if (flags.is_program) words.push_back("-DHEDDLE_PROGRAM");
  // As hipcc and nvcc do, defines the language's keywords in every file, whatever the file
  // includes.
  const bool has_hip = flags.is_program || (includes_hip(path) && flags.rocm.empty());
  if (is_cuda)
    words.insert(words.end(), {"-isystem" + folders.cuda, "-include", "cuda_runtime.h"});
  else if (has_hip)
    words.insert(words.end(), {"-include", "hip/without_rocm/language.h"});
  // The wrappers use these keywords.
  if (const std::string wrappers = folder_of_wrappers(words[0]);
      (is_cuda || has_hip) && !wrappers.empty())
    words.insert(words.end(), {"-isystem", wrappers});
  words.insert(words.end(), flags.extra.begin(), flags.extra.end());
  // The header that is the first in every source of CUDA, or in <hip/hip_runtime.h>, is
  // precompiled.
  if (!flags.keeps_headers || !std::ranges::all_of(flags.extra, is_for_one_step)) return;
  if (is_cuda)
    command.header = folders.hip + "/hip/without_rocm/language.h";
  else if (has_hip && flags.rocm.empty() && begins_with_standard_headers(path))
    command.header = folders.hip + "/hip/without_rocm/standard_headers.h";
}

/// The file of AMD's device library, built for AMD or for NVIDIA (runtime/device_library). Nothing
/// if it was not built: then kernels have only the functions that clang itself provides.
std::optional<std::string> device_library(const std::string& target) {
  const std::string library =
      include_folders().device_libraries + (targets_nvidia(target) ? "/nvptx.bc" : "/amdgcn.bc");
  std::error_code error;
  return std::filesystem::exists(library, error) ? std::optional(library) : std::nullopt;
}

void add_device_library(std::vector<std::string>& words, const std::string& target) {
  if (const auto library = device_library(target))
    words.insert(words.end(), {"-Xclang", "-mlink-builtin-bitcode", "-Xclang", *library});
}

// The flags for HIP. They make clang ignore a ROCm that it may find on this machine.
void add_hip_flags(std::vector<std::string>& words, const CompileFlags& flags) {
  words.insert(words.end(),
               {"-x", "hip", "-nogpulib", "-nogpuinc", "--start-no-unused-arguments",
                "-nohipwrapperinc", "--end-no-unused-arguments", "--offload-arch=" + flags.target});
}

void add_cuda_flags(std::vector<std::string>& words, const CompileFlags& flags) {
  // Without this path, clang would look for a CUDA toolkit and adapt to its version. There is no
  // toolkit in this folder, so a source gives the same kernels on every machine.
  words.insert(words.end(),
               {"-x", "cuda", "--cuda-path=" + include_folders().cuda, "-nocudainc", "-nocudalib",
                "-Wno-unknown-cuda-version", "--offload-arch=" + flags.target,
                // The host code calls the launch functions of this version of CUDA.
                "-Xclang", "-target-sdk-version=12.8"});
}

/// A compilation of kernels. Its result is machine code or PTX, or an object that must still be
/// linked.
///
/// If there are several steps, clang starts itself again for each, and each start costs as much as
/// compiling a small kernel. So clang only makes the object, and the lld in this program links it.
struct CompilingKernels {
  Job job;
  bool is_object = false;
};

CompilingKernels kernels_of(const std::string& clang, const std::string& path,
                            const TemporaryFolder& folder, const std::string& name,
                            const CompileFlags& flags) {
  CompilingKernels made{{{{clang}, {}, path, folder.file(name), {}, {}}, &folder, name, {}}, false};
  made.is_object = !targets_nvidia(flags.target) && !is_assembly(path) &&
                   std::ranges::all_of(flags.extra, is_for_one_step);
  std::vector<std::string>& words = made.job.command.words;
  const auto add = [&](std::initializer_list<const char*> more) {
    words.insert(words.end(), more.begin(), more.end());
  };
  if (is_assembly(path)) {
    add({"-x", "assembler", "--target=amdgcn-amd-amdhsa", "-g"});
    words.push_back("-mcpu=" + flags.target);
    words.insert(words.end(), flags.extra.begin(), flags.extra.end());
    return made;
  }
  if (targets_nvidia(flags.target)) {
    add_cuda_flags(words, flags);
    // If clang finds no toolkit, its default is a version of PTX of 2015.
    constexpr int ptx_of_clang = 88;
    // Products and sums are fused to FMAs, as nvcc does, except in the device library.
    add({"--cuda-device-only", "-S", "-O3", "-ffp-contract=fast-honor-pragmas"});
    words.push_back(
        formatted("--cuda-feature=+ptx{}", std::max(ptx_of_clang, ptx_of(flags.target))));
  } else {
    add_hip_flags(words, flags);
    add({"--cuda-device-only", "--no-gpu-bundle-output", "-O3", "-fno-discard-value-names"});
    // With HIP, -c also links. -S stops before the link; -emit-obj makes clang write an object.
    if (made.is_object) {
      add({"-S"});
      made.job.command.own = {"-Xclang", "-emit-obj"};
    }
  }
  add_device_library(made.job.command.own, flags.target);
  add_common_flags(made.job.command, flags);
  return made;
}

struct Kernels {
  std::vector<std::byte> code;
  std::string warnings;
};

std::expected<Kernels, std::string> finish_kernels(CompilingKernels& kernels,
                                                   const CompileFlags& flags) {
  const std::string path = kernels.job.command.source;
  auto said = finish(kernels.job, flags);
  if (!said) return std::unexpected(said.error());
  const auto file = answers::read_file(kernels.job.command.output);
  if (!file)
    return std::unexpected(
        formatted("the compiler made no file of '{}'{}", path,
                  flags.extra.empty()
                      ? ""
                      : formatted(": see the flags behind --, {}", joined(flags.extra, " "))));
  if (file->contains("__ocml_") && !device_library(flags.target))
    return std::unexpected(
        formatted("'{}' has mathematics of AMD's device library, without which this heddle was "
                  "built: install "
                  "rocm-device-libs, and build heddle again",
                  path));
  if (!kernels.is_object) return Kernels{bytes_of(*file), *std::move(said)};
  const auto linked = flags.link(*file);
  if (!linked)
    return std::unexpected(
        formatted("{}cannot link the kernels of '{}', which call functions of their own source "
                  "only: {}",
                  *said, path, linked.error()));
  const auto bytes = std::as_bytes(std::span(*linked));
  return Kernels{{bytes.begin(), bytes.end()}, *std::move(said)};
}

std::expected<std::vector<std::byte>, std::string> compiled(const std::string& path,
                                                            const CompileFlags& flags) {
  if (const auto readable = answers::read_file(path); !readable)
    return std::unexpected(readable.error());
  const auto clang = find_clang();
  if (!clang) return std::unexpected(clang.error());
  CompileFlags used = flags;
  if (used.target.empty() && is_assembly(path)) used.target = assembly_target(path);
  if (used.target.empty()) used.target = default_hip_target;
  const SignalsHeld held;
  const TemporaryFolder folder;
  if (folder.failed()) return std::unexpected("cannot make a temporary folder to compile in");
  CompilingKernels compiling = kernels_of(*clang, path, folder, "kernels", used);
  precompile({&compiling.job.command}, folder, used.seconds);
  compiling.job.begin(used.seconds);
  auto kernels = finish_kernels(compiling, used);
  if (!kernels) return std::unexpected(kernels.error());
  if (!kernels->warnings.empty()) print_error(kernels->warnings);
  return std::move(kernels->code);
}

/// The command that compiles the host code of `path`, in which `mark` replaces the kernels.
CompileCommand host_command_of(const std::string& clang, const std::string& path,
                               const std::string& mark, const std::string& output,
                               const CompileFlags& flags) {
  CompileCommand command{{clang}, {}, path, output, {}, {}};
  std::vector<std::string>& words = command.words;
  if (is_c(path)) {
    words.insert(words.end(), {"-x", "c", "-c", "-O2", "-gline-tables-only"});
    words.insert(words.end(), flags.extra.begin(), flags.extra.end());
    return command;
  }
  if (targets_nvidia(flags.target))
    add_cuda_flags(words, flags);
  else
    add_hip_flags(words, flags);
  if (flags.target.starts_with("gfx9")) words.push_back("-DHEDDLE_HOST_OF_WAVES_OF_64");
  words.insert(words.end(), {"--cuda-host-only", "-c", "-O2"});
  command.own = {"-Xclang", "-fcuda-include-gpubinary", "-Xclang", mark};
  add_common_flags(command, flags);
  return command;
}

/// True if a flag is for the linker: a library, a folder of libraries, or a linker's option.
bool is_for_linker(const std::string& flag) {
  return flag.starts_with("-l") || flag.starts_with("-L") || flag.starts_with("-Wl,") ||
         flag == "-pthread" || flag.starts_with("-fopenmp") || flag.starts_with("-fsanitize");
}

std::vector<std::string> link_command_of(const std::string& clang,
                                         const std::vector<std::string>& objects,
                                         const std::string& output, const CompileFlags& flags) {
  std::vector<std::string> words{clang};
  words.insert(words.end(), objects.begin(), objects.end());
  std::ranges::copy_if(flags.extra, std::back_inserter(words), is_for_linker);
  words.insert(words.end(), {include_folders().library, "-lpthread", "-lm", "-o", output});
  return words;
}

}  // namespace

bool is_kernel_source(const std::string& path) {
  return std::ranges::find(source_endings, extension_of(path)) != source_endings.end();
}

bool is_ptx_file(const std::string& path) { return extension_of(path) == ptx; }

bool is_kernel_file(const std::string& path) {
  return is_kernel_source(path) || is_ptx_file(path) ||
         std::ranges::find(binaries, extension_of(path)) != binaries.end();
}

std::expected<std::vector<std::byte>, std::string> compile_source_text(
    const std::string& source, const std::string& options,
    const std::vector<std::pair<std::string, std::string>>& headers, const std::string& target,
    LinkObject link, std::uint64_t seconds) {
  const TemporaryFolder folder;
  if (folder.failed()) return std::unexpected("cannot make a temporary folder to compile in");
  const std::string path = folder.file(targets_nvidia(target) ? "text.cu" : "text.hip");
  // hiprtc compiles sources as if they included all of HIP.
  std::ofstream(path) << (targets_nvidia(target) ? "" : "#include <hip/hip_runtime.h>\n#line 1\n")
                      << source;
  for (const auto& [name, text] : headers) {
    if (name.empty() || name.contains('/') || name.starts_with('.'))
      return std::unexpected(formatted("a header named '{}'; accepted: the name of a file", name));
    std::ofstream(folder.file(name)) << text;
  }
  std::istringstream words(options);
  CompileFlags flags{target, {std::istream_iterator<std::string>(words), {}}, link, true};
  flags.seconds = seconds;
  flags.keeps_headers = headers.empty();  // else any of them may be one of the system's
  if (!headers.empty()) flags.extra.push_back("-I" + folder.path());
  std::erase_if(flags.extra, [](const std::string& flag) {
    return flag.starts_with("--gpu-architecture") || flag.starts_with("--offload-arch") ||
           flag.starts_with("-arch");
  });
  return compiled(path, flags);
}

struct CompiledProgram::Files {
  SignalsHeld held;  // before the folder, so that this goes first
  TemporaryFolder folder;
};
void CompiledProgram::remove_files() { files_.reset(); }
CompiledProgram::CompiledProgram() : files_(std::make_unique<Files>()) {}
CompiledProgram::CompiledProgram(CompiledProgram&&) noexcept = default;
CompiledProgram::~CompiledProgram() = default;

namespace {

/// The two compilations of one source of a program: its kernels and its host code.
struct SourceJobs {
  std::string mark;
  CompilingKernels kernels;
  Job host;
};

/// Waits for the two compilations of a source. Returns the source's kernels. If the host code
/// registers no kernels, errors in the compilation of kernels do not matter.
std::expected<std::vector<std::byte>, std::string> finish_source(SourceJobs& jobs,
                                                                 const CompileFlags& flags) {
  std::expected<Kernels, std::string> of_kernels;
  if (!is_c(jobs.host.command.source)) of_kernels = finish_kernels(jobs.kernels, flags);
  const auto of_host = finish(jobs.host, flags);
  if (!of_host) return std::unexpected(of_kernels ? of_host.error() : of_kernels.error());
  if (!of_host->empty()) print_error(*of_host);  // warnings
  const auto object = answers::read_file(jobs.host.command.output);
  if (object && !object->contains(jobs.mark)) return {};
  if (!of_kernels) return std::unexpected(of_kernels.error());
  return std::move(of_kernels->code);
}

}  // namespace

std::expected<CompiledProgram, std::string> compile_program(const std::vector<std::string>& sources,
                                                            const CompileFlags& flags) {
  const auto clang = find_clang();
  if (!clang) return std::unexpected(clang.error());
  CompileFlags used = flags;
  used.is_program = true;
  used.is_cuda = is_cuda_program(sources);
  if (used.target.empty()) used.target = used.is_cuda ? default_cuda_target : default_hip_target;
  for (const std::string& flag : flags.extra)
    if (flag == "-fgpu-rdc" || flag == "-rdc=true" || flag == "-dc")
      return std::unexpected(
          formatted("'{}': kernels that call functions of another source are not linked here; "
                    "put these functions into a header, or the sources into one",
                    flag));
  for (const std::string& source : sources)
    if (targets_nvidia(used.target) && includes_hip(source))
      return std::unexpected(formatted(
          "'{}' is for HIP, and {} is NVIDIA's; accepted: --target of AMD, such as {}, or "
          "CUDA's text (a .cu runs for either)",
          source, used.target, default_hip_target));
  CompiledProgram program;
  const TemporaryFolder& folder = program.files_->folder;
  if (folder.failed()) return std::unexpected("cannot make a temporary folder to compile in");
  if (const std::string library = include_folders().library; !std::filesystem::exists(library))
    return std::unexpected(formatted(
        "programs are linked with {}, which is not there; build or install it with heddle",
        library));
  program.executable = folder.file("program");
  program.target = used.target;
  // Each source needs two compilers. As many sources are compiled at a time as the machine has
  // cores.
  const std::size_t at_a_time = std::max(1u, std::thread::hardware_concurrency());
  std::vector<SourceJobs> jobs(sources.size());
  std::vector<std::string> objects;
  std::string problem;
  const auto take = [&](SourceJobs& one) {
    auto kernels = finish_source(one, used);
    if (!kernels && problem.empty()) problem = kernels.error();
    program.kernels.push_back(kernels ? *std::move(kernels) : std::vector<std::byte>());
  };
  std::vector<CompileCommand*> commands;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    SourceJobs& one = jobs[i];
    const auto file = [&](std::string_view name) {
      return folder.file(formatted("{}{}", name, i));
    };
    one.mark = formatted("{}{}", program::module_mark, i);
    const std::string mark = file("mark");
    std::ofstream(mark) << one.mark << '\0';
    one.kernels = kernels_of(*clang, sources[i], folder, formatted("kernels{}", i), used);
    one.host = {
        host_command_of(*clang, sources[i], mark, objects.emplace_back(file("host.o")), used),
        &folder,
        formatted("host{}", i),
        {}};
    if (!is_c(sources[i])) commands.push_back(&one.kernels.job.command);
    commands.push_back(&one.host.command);
  }
  precompile(std::move(commands), folder, used.seconds);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (i >= at_a_time) take(jobs[i - at_a_time]);
    if (!is_c(sources[i])) jobs[i].kernels.job.begin(used.seconds);
    jobs[i].host.begin(used.seconds);
  }
  for (std::size_t i = program.kernels.size(); i < jobs.size(); ++i) take(jobs[i]);
  if (!problem.empty()) return std::unexpected(problem);
  Compiling linking = start(link_command_of(*clang, objects, program.executable, used), folder,
                            "link", used.seconds);
  const int status = wait(linking, used.seconds);
  if (auto linked = outcome(linking, status, joined(sources, " "), used, "link"); !linked)
    return std::unexpected(linked.error());
  return program;
}

std::expected<std::vector<std::byte>, std::string> read_kernel_file(const std::string& path,
                                                                    const CompileFlags& flags) {
  if (is_kernel_source(path)) return compiled(path, flags);
  if (!flags.extra.empty())
    return std::unexpected(
        formatted("'{}' is not compiled, so that nothing takes '{}'", path, flags.extra[0]));
  const auto file = answers::read_file(path);
  if (!file) return std::unexpected(file.error());
  if (is_ptx_file(path)) return bytes_of(*file);
  auto object = runtime::extract_code_object(std::as_bytes(std::span(*file)), flags.target);
  if (!object) return std::unexpected(formatted("'{}': {}", path, object.error()));
  return object;
}

}  // namespace heddle::tool
