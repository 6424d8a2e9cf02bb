// Runs a compiler as a separate process: its temporary folder, its limits, and the signals that
// must not end heddle meanwhile.
#pragma once

#include <llvm/ADT/SmallString.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Program.h>
#include <signal.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace heddle::tool {

/// A folder for temporary files. The destructor removes the folder with its files.
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

/// While such an object exists, signals that would end the program are held back, so that no
/// temporary folder stays behind. The destructor raises the last of them. The compiler gets an
/// interrupt from the keyboard, too, and ends.
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

/// A running compiler, and the file into which it writes its messages.
struct Compiling {
  std::string said;  // the path of the file
  llvm::sys::ProcessInfo process;
  std::string problem;
};

/// Starts the program words[0]. The program's messages go to a file in `folder`; the name of the
/// file contains `name`. The program may use `seconds` of processor time.
Compiling start(const std::vector<std::string>& words, const TemporaryFolder& folder,
                std::string_view name, std::uint64_t seconds);

/// Waits for the compiler to end. It waits longer than `seconds`, because other work may occupy the
/// processors. Returns the exit status, or -1 if the compiler could not be started.
int wait(Compiling& compiling, std::uint64_t seconds);

}  // namespace heddle::tool
