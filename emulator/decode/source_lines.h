// Source lines of instructions, from the debug information of a code object.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "emulator/decode/dwarf_form.h"

namespace heddle::emulator {

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
  State& state();  // made at the first question
  std::once_flag once_;
  DebugSections sections_;
  std::unique_ptr<State> state_;
};

}  // namespace heddle::emulator
