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

  // The source position "file:line:column" of the instruction at `address`; empty if the debug
  // information has none.
  std::string find(uint64_t address);
  // If the code at `address` was inlined: the source positions of the calls through which it was
  // inlined, the innermost first. Otherwise empty.
  std::vector<std::string> find_callers(uint64_t address);

 private:
  struct State;
  State& state();  // made at the first question
  std::once_flag once_;
  DebugSections sections_;
  std::unique_ptr<State> state_;
};

}  // namespace heddle::emulator
