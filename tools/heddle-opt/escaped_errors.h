// Makes MLIR's text on standard error safe to show: without bytes that control a terminal.
#pragma once

#include <thread>

namespace heddle {

/// While an object of this class exists, everything that the process writes to standard error goes
/// through runtime/files/printable.h, line by line. MLIR's diagnostics quote lines of the input,
/// which may hold any bytes. If no pipe can be made, nothing changes.
class EscapedErrors {
 public:
  EscapedErrors();
  ~EscapedErrors();
  EscapedErrors(const EscapedErrors&) = delete;
  EscapedErrors& operator=(const EscapedErrors&) = delete;

 private:
  int own_ = -1;  // the original standard error
  std::thread forward_;
};

}  // namespace heddle
