#include "tools/heddle/compile/kernel_file.h"

#include <fmt/ranges.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Program.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "answers/text/input_file.h"
#include "runtime/offload_bundle.h"
#include "tools/heddle/output.h"

namespace heddle::tool {
namespace {

constexpr std::array<std::string_view, 4> sources{".hip", ".cpp", ".cu", ".s"};
constexpr std::array<std::string_view, 5> binaries{".hsaco", ".co", ".o", ".so", ".out"};
constexpr std::string_view ptx = ".ptx";
constexpr const char* default_target = "gfx1151";

std::string extension_of(const std::string& path) {
  return std::filesystem::path(path).extension().string();
}

bool is_assembly(const std::string& path) { return extension_of(path) == ".s"; }

/// clang++ of the LLVM that this program is built with, else of the PATH.
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

/// Heddle's headers and, for where there is no ROCm, those that stand in for HIP's: in ../include
/// of the program when installed, else of its sources.
struct IncludeFolders {
  std::string heddle = HEDDLE_SOURCE "/include";
  std::string hip = HEDDLE_SOURCE "/runtime/hip_without_rocm";
};

IncludeFolders include_folders() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto installed = program.parent_path().parent_path() / "include";
  if (error || !std::filesystem::exists(installed / "heddle", error)) return {};
  return {installed.string(), (installed / "hip_without_rocm").string()};
}

/// A folder that is there as long as this object.
class TemporaryFolder {
 public:
  TemporaryFolder() { failed_ = bool(llvm::sys::fs::createUniqueDirectory("heddle", path_)); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code error;
    if (!failed_) std::filesystem::remove_all(path(), error);
  }
  bool failed() const { return failed_; }
  std::string path() const { return path_.str().str(); }
  std::string file(std::string_view name) const { return path() + "/" + std::string(name); }

 private:
  llvm::SmallString<128> path_;
  bool failed_;
};

/// While it lives, what the keyboard or the system sends to end the program waits, so that no
/// temporary folder stays behind: the compiler gets the keyboard's signal too, and ends.
class SignalsHeld {
 public:
  SignalsHeld() {
    caught_ = 0;
    struct sigaction action = {};
    action.sa_handler = [](int signal) { caught_ = signal; };
    action.sa_flags = SA_RESTART;
    for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &action, &before_[i]);
  }
  SignalsHeld(const SignalsHeld&) = delete;
  ~SignalsHeld() {
    for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &before_[i], nullptr);
    if (caught_ != 0) std::raise(caught_);
  }

 private:
  static constexpr std::array signals{SIGINT, SIGTERM, SIGHUP};
  static inline volatile std::sig_atomic_t caught_ = 0;
  std::array<struct sigaction, signals.size()> before_;
};

/// This program's environment, but for where temporary files go.
std::vector<std::string> environment_with(const std::string& temporary_folder) {
  std::vector<std::string> all{"TMPDIR=" + temporary_folder};
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (!std::string_view(*entry).starts_with("TMPDIR=")) all.emplace_back(*entry);
  return all;
}

/// What to do about matrix instructions of another generation; empty, or a line.
std::string backend_advice(const std::string& said) {
  if (said.contains("Cannot select: intrinsic %llvm.amdgcn.wmma") ||
      said.contains("Cannot select: intrinsic %llvm.amdgcn.swmmac") ||
      (said.contains("_w32") && said.contains("needs target feature")))
    return "\nThe target has no such matrix instruction: builtins of gfx11 end in _w32 and take 16 "
           "elements of A and B a lane; those of gfx12 end in _w32_gfx12 and take 8";
  return "";
}

/// The same, and what to do where Heddle's headers stand in for ROCm's.
std::string advice(const std::string& said) {
  const bool of_header = said.contains("hip/") && said.contains("file not found");
  const bool of_name = said.contains("undeclared identifier") ||
                       said.contains("unknown type name") || said.contains("no member named") ||
                       said.contains("no matching function") || said.contains("no type named");
  if (of_header || of_name)
    return "\n<hip/...> are Heddle's own small headers here, without ROCm: they have what device "
           "code uses, and nothing of the host's API. Leave host code to another file; where ROCm "
           "is installed, end the command with `-- -I/opt/rocm/include`";
  return backend_advice(said);
}

/// Whether HIP's headers are ROCm's, or none are included.
bool without_stand_in(const std::string& path, const CompileFlags& flags) {
  const auto text = answers::read_file(path);
  const bool includes = text && (text->contains("<hip/") || text->contains("\"hip/"));
  return !includes || std::ranges::any_of(flags.extra, [](const std::string& flag) {
    return flag.contains("rocm");
  });
}

/// The processor that a text of assembly is for by its line `.amdgcn_target`; empty without one.
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

std::expected<std::vector<std::byte>, std::string> compiled(const std::string& path,
                                                            const CompileFlags& flags) {
  if (const auto readable = answers::read_file(path); !readable)
    return std::unexpected(readable.error());
  const auto clang = find_clang();
  if (!clang) return std::unexpected(clang.error());
  CompileFlags used = flags;
  if (used.target.empty() && is_assembly(path)) used.target = assembly_target(path);
  if (used.target.empty()) used.target = default_target;
  const SignalsHeld held;
  const TemporaryFolder folder;
  if (folder.failed()) return std::unexpected("cannot make a temporary folder to compile in");
  const std::string output = folder.file("kernel.co"), said = folder.file("said");
  const std::vector<std::string> words = compile_command_of(*clang, path, output, used);
  const std::vector<llvm::StringRef> arguments(words.begin(), words.end());
  const std::vector<std::string> variables = environment_with(folder.path());
  const std::vector<llvm::StringRef> environment(variables.begin(), variables.end());
  const std::array<std::optional<llvm::StringRef>, 3> streams{
      llvm::StringRef(""), llvm::StringRef(said), llvm::StringRef(said)};
  std::string problem;
  const int status = llvm::sys::ExecuteAndWait(*clang, arguments, llvm::ArrayRef(environment),
                                               streams, 0, 0, &problem);
  const std::string messages = answers::read_file(said).value_or("");
  if (status != 0) {
    const std::string help = is_assembly(path) || without_stand_in(path, flags)
                                 ? backend_advice(messages)
                                 : advice(messages);
    return std::unexpected(fmt::format("{}clang cannot compile '{}' for {}{}{}", messages, path,
                                       used.target, problem.empty() ? "" : ": " + problem, help));
  }
  if (!messages.empty()) print_error(messages);  // warnings
  const auto object = answers::read_file(output);
  if (!object)
    return std::unexpected(fmt::format(
        "the compiler made no file of '{}'{}", path,
        flags.extra.empty()
            ? ""
            : fmt::format(": see the flags behind --, {}", fmt::join(flags.extra, " "))));
  return bytes_of(*object);
}

}  // namespace

bool is_kernel_source(const std::string& path) {
  return std::ranges::find(sources, extension_of(path)) != sources.end();
}

bool is_ptx_file(const std::string& path) { return extension_of(path) == ptx; }

bool is_kernel_file(const std::string& path) {
  return is_kernel_source(path) || is_ptx_file(path) ||
         std::ranges::find(binaries, extension_of(path)) != binaries.end();
}

std::vector<std::string> compile_command_of(const std::string& clang, const std::string& path,
                                            const std::string& output, const CompileFlags& flags) {
  const std::string target = flags.target.empty() ? default_target : flags.target;
  std::vector<std::string> words{clang};
  const auto add = [&](std::initializer_list<const char*> more) {
    words.insert(words.end(), more.begin(), more.end());
  };
  if (is_assembly(path)) {
    add({"-x", "assembler", "--target=amdgcn-amd-amdhsa", "-g"});
    words.push_back("-mcpu=" + target);
  } else {
    add({"-x", "hip", "--cuda-device-only", "--no-gpu-bundle-output", "-nogpulib", "-nogpuinc",
         "-std=c++20", "-O3", "-gline-tables-only", "-fno-discard-value-names",
         "-fno-crash-diagnostics"});
    words.push_back("--offload-arch=" + target);
    const IncludeFolders folders = include_folders();
    words.push_back("-I" + folders.heddle);
    words.push_back("-idirafter" + folders.hip);  // ROCm's own come first
  }
  words.insert(words.end(), flags.extra.begin(), flags.extra.end());
  words.insert(words.end(), {path, "-o", output});
  return words;
}

std::vector<std::string> header_folders() {
  const IncludeFolders folders = include_folders();
  return {folders.heddle, folders.hip};
}

std::expected<std::vector<std::byte>, std::string> read_kernel_file(const std::string& path,
                                                                    const CompileFlags& flags) {
  if (is_kernel_source(path)) return compiled(path, flags);
  if (!flags.extra.empty())
    return std::unexpected(
        fmt::format("'{}' is not compiled, so that nothing takes '{}'", path, flags.extra[0]));
  const auto file = answers::read_file(path);
  if (!file) return std::unexpected(file.error());
  if (is_ptx_file(path)) return bytes_of(*file);
  auto object = runtime::extract_code_object(std::as_bytes(std::span(*file)), flags.target);
  if (!object) return std::unexpected(fmt::format("'{}': {}", path, object.error()));
  return object;
}

}  // namespace heddle::tool
