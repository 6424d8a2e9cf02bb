// What MLIR writes to standard error, without the bytes that steer a terminal.
#pragma once

#include <thread>

namespace heddle {

/// While it lives, what the process writes to standard error goes through
/// runtime/files/printable.h, line by line: MLIR's diagnostics quote lines of the input, whatever
/// bytes these have. Where there is no pipe to be had, nothing changes.
class EscapedErrors {
 public:
  EscapedErrors();
  ~EscapedErrors();
  EscapedErrors(const EscapedErrors&) = delete;
  EscapedErrors& operator=(const EscapedErrors&) = delete;

 private:
  int own_ = -1;  // standard error as it was
  std::thread forward_;
};

}  // namespace heddle
