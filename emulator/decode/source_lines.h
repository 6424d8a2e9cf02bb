// Source lines of instructions, from the debug info of a code object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace heddle::emulator {

class SourceLines {
 public:
  explicit SourceLines(std::span<const std::byte> file);
  ~SourceLines();

  // "file:line:column", empty when the file has no debug info for the address.
  std::string find(uint64_t address);

 private:
  struct State;
  std::mutex mutex_;
  std::vector<std::byte> file_;
  std::unique_ptr<State> state_;  // made at the first question
};

}  // namespace heddle::emulator
