// Shows what a long command is doing, on a terminal only.
#pragma once

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <expected>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "library/text/formatted.h"
#include "runtime/files/printable.h"

namespace heddle::tool {

/// A line on the terminal that each message overwrites and that is erased at the end. Nothing is
/// shown if stderr is a file, or a terminal that cannot erase a line.
class Progress {
 public:
  void show(const std::string& text) const {
    if (on_) std::fputs(formatted("\r\033[K{}", runtime::printable_line(text)).c_str(), stderr);
  }
  ~Progress() { show(""); }

 private:
  static bool can_wipe() {
    const char* terminal = std::getenv("TERM");
    return isatty(STDERR_FILENO) != 0 && terminal != nullptr &&
           std::string_view(terminal) != "dumb";
  }
  bool on_ = can_wipe();
};

/// Shows the progress of a launch every second, even while a single workgroup runs for long.
class Ticking {
 public:
  explicit Ticking(const Progress& progress)
      : progress_(progress), thread_([this](const std::stop_token& stop) {
          std::mutex mutex;
          std::unique_lock lock(mutex);
          std::condition_variable_any stopped;
          for (int seconds = 1;
               !stopped.wait_for(lock, stop, std::chrono::seconds(1), [] { return false; }) &&
               !stop.stop_requested();
               ++seconds)
            progress_.show(total_ == 0 ? formatted("running for {} s", seconds)
                                       : formatted("running for {} s: {} of {} workgroups", seconds,
                                                   done_.load(), total_.load()));
        }) {}
  void note(std::uint64_t done, std::uint64_t total) const {
    done_ = done;
    total_ = total;
  }

 private:
  const Progress& progress_;
  mutable std::atomic<std::uint64_t> done_ = 0, total_ = 0;
  std::jthread thread_;  // the last: it uses the others
};

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// The reason why a command ended early: a sentence for people, and the exit status. This is a type
/// of its own because the sentence alone does not tell the status: 2 for refused input, 1 for a
/// kernel that failed.
struct Stop {
  int status;
  std::string message;
};

/// A Stop for refused input, with status 2.
inline std::unexpected<Stop> refused(std::string message) {
  return std::unexpected(Stop{2, std::move(message)});
}

}  // namespace heddle::tool
