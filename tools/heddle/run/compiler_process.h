// A compiler as a process of its own: its folder, its limits, and the signals that it must survive.
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

/// A folder that exists as long as this object.
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

/// Holds back the signals that end the program for its lifetime, so that no temporary folder stays
/// behind. The compiler gets the keyboard's signal too, and ends.
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

/// A running compiler, and the file of its messages.
struct Compiling {
  std::string said;  // the path of the file
  llvm::sys::ProcessInfo process;
  std::string problem;
};

/// Starts words[0], with its messages in a file of `folder` that is called for `name`, and
/// `seconds` of the processor.
Compiling start(const std::vector<std::string>& words, const TemporaryFolder& folder,
                std::string_view name, std::uint64_t seconds);

/// Waits for the compiler, some time longer than `seconds` because other work may occupy the
/// processors. Returns its exit status, or -1 if it could not be started.
int wait(Compiling& compiling, std::uint64_t seconds);

}  // namespace heddle::tool
