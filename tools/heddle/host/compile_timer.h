// Limits the time of a compilation in this process. MLIR and LLVM cannot be stopped in the middle
// of a pass, so the system ends the program, with a message and status 2.
#pragma once

#include <cstdint>
#include <string_view>

namespace heddle::tool {

/// While such an object exists, the program may use `seconds` of processor time. Only one may exist
/// at a time. The message names `file`; if `format` is "json", it is also written as an object to
/// standard output. The timer has no effect under sanitizers, which are many times slower.
class CompileTimer {
 public:
  CompileTimer(std::uint64_t seconds, std::string_view file, std::string_view format);
  ~CompileTimer();
  CompileTimer(const CompileTimer&) = delete;
  CompileTimer& operator=(const CompileTimer&) = delete;
};

}  // namespace heddle::tool
