#include "tools/heddle/run/compiler_process.h"

#include <sys/resource.h>
#include <unistd.h>

#include <optional>

namespace heddle::tool {
namespace {

/// This program's environment, with another folder for temporary files.
std::vector<std::string> environment_with(const std::string& temporary_folder) {
  std::vector<std::string> all{"TMPDIR=" + temporary_folder};
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (!std::string_view(*entry).starts_with("TMPDIR=")) all.emplace_back(*entry);
  return all;
}

/// Limits the processor seconds of a compiler and of each process that it starts, if the system
/// can.
void limit_compiler([[maybe_unused]] const llvm::sys::ProcessInfo& process,
                    [[maybe_unused]] std::uint64_t seconds) {
#if defined(__linux__)
  // the second limit ends a process that ignores the signal
  const rlimit limit{seconds, seconds + 5};
  if (process.Pid != llvm::sys::ProcessInfo::InvalidPid)
    ::prlimit(process.Pid, RLIMIT_CPU, &limit, nullptr);
#endif
}

}  // namespace

Compiling start(const std::vector<std::string>& words, const TemporaryFolder& folder,
                std::string_view name, std::uint64_t seconds) {
  Compiling made{folder.file(std::string(name) + ".said"), {}, ""};
  const std::vector<llvm::StringRef> arguments(words.begin(), words.end());
  const std::vector<std::string> variables = environment_with(folder.path());
  const std::vector<llvm::StringRef> environment(variables.begin(), variables.end());
  const std::array<std::optional<llvm::StringRef>, 3> streams{
      llvm::StringRef(""), llvm::StringRef(made.said), llvm::StringRef(made.said)};
  bool failed = false;
  made.process = llvm::sys::ExecuteNoWait(words[0], arguments, llvm::ArrayRef(environment), streams,
                                          0, &made.problem, &failed);
  limit_compiler(made.process, seconds);
  return made;
}

int wait(Compiling& compiling, std::uint64_t seconds) {
  if (compiling.process.Pid == llvm::sys::ProcessInfo::InvalidPid) return -1;
  const auto most = static_cast<unsigned>(5 * seconds + 60);
  return llvm::sys::Wait(compiling.process, most, &compiling.problem).ReturnCode;
}

}  // namespace heddle::tool
