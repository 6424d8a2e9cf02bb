#include "tools/heddle-opt/escaped_errors.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <string>
#include <string_view>

#include "runtime/files/printable.h"

namespace heddle {
namespace {

void write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written <= 0) return;  // a failure here cannot be reported
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// The most bytes of a line that are held back until the line ends. Lines are written as a whole,
/// so that no character of UTF-8 is cut in two.
constexpr std::size_t longest_line = 1 << 20;

void forward(int from, int to) {
  std::string waiting;
  std::array<char, 4096> bytes;
  for (ssize_t read = 0; (read = ::read(from, bytes.data(), bytes.size())) > 0;) {
    waiting.append(bytes.data(), static_cast<std::size_t>(read));
    std::size_t end = waiting.rfind('\n') + 1;  // 0 if there is none
    if (end == 0 && waiting.size() > longest_line) end = waiting.size();
    write_all(to, runtime::printable(std::string_view(waiting).substr(0, end)));
    waiting.erase(0, end);
  }
  write_all(to, runtime::printable(waiting));
  ::close(from);
}

}  // namespace

EscapedErrors::EscapedErrors() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return;
  own_ = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  if (own_ < 0 || ::dup2(ends[1], STDERR_FILENO) < 0) {
    ::close(ends[0]);
    ::close(ends[1]);
    if (own_ >= 0) ::close(own_);
    own_ = -1;
    return;
  }
  ::close(ends[1]);
  forward_ = std::thread(forward, ends[0], own_);
}

EscapedErrors::~EscapedErrors() {
  if (own_ < 0) return;
  ::dup2(own_, STDERR_FILENO);  // this closes the pipe's last writing end
  forward_.join();
  ::close(own_);
}

}  // namespace heddle
