// Source lines of instructions, from the debug info of a code object.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace heddle::emulator {

// Name and contents: {".debug_line", ...}.
using DebugSections = std::vector<std::pair<std::string, std::string>>;

class SourceLines {
 public:
  explicit SourceLines(DebugSections sections);
  ~SourceLines();

  // "file:line:column", empty when the file has no debug info for the address.
  std::string find(uint64_t address);
  // That of the calls which the compiler inlined to get there, the innermost first.
  std::vector<std::string> find_callers(uint64_t address);

 private:
  struct State;
  State& state();  // under the lock
  std::mutex mutex_;
  DebugSections sections_;
  std::unique_ptr<State> state_;  // made at the first question
};

}  // namespace heddle::emulator
