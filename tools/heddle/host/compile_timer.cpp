#include "tools/heddle/host/compile_timer.h"

#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <string>

#include "answers/text/json_text.h"
#include "library/text/formatted.h"
#include "runtime/files/printable.h"
#include "tools/heddle/host/sanitized.h"

namespace heddle::tool {
namespace {

// These texts are made before the timer starts, because a signal handler must not allocate.
std::string message, object;

void end_compilation(int) {
  [[maybe_unused]] auto written = ::write(STDOUT_FILENO, object.data(), object.size());
  written = ::write(STDERR_FILENO, message.data(), message.size());
  ::_exit(2);
}

void set_timer(std::uint64_t seconds) {
  const itimerval time{{0, 0}, {static_cast<time_t>(seconds), 0}};
  ::setitimer(ITIMER_PROF, &time, nullptr);
}

}  // namespace

CompileTimer::CompileTimer(std::uint64_t seconds, std::string_view file, std::string_view format) {
  if (sanitized) return;
  const std::string sentence = formatted(
      "compiling '{}' took more than {} second{}; --limit-compile SECONDS raises the limit", file,
      seconds, seconds == 1 ? "" : "s");
  message = runtime::printable(sentence) + "\n";
  object = format == "json" ? answers::error_json(sentence) : "";
  std::signal(SIGPROF, end_compilation);
  set_timer(seconds);
}

CompileTimer::~CompileTimer() {
  if (sanitized) return;
  set_timer(0);
  std::signal(SIGPROF, SIG_DFL);
}

}  // namespace heddle::tool
