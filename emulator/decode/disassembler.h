// LLVM's AMDGPU disassembler and instruction printer, for one target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>

#include "emulator/code_object.h"

namespace heddle::emulator {

class Disassembler {
 public:
  static std::expected<Disassembler, Error> create(const Target& target);
  Disassembler(Disassembler&&) noexcept;
  ~Disassembler();

  // Reads the instruction at the start of `bytes`, which lies at `address`. Returns its length in
  // bytes and writes its text, without leading blanks; 0 when the bytes are no instruction.
  uint32_t decode(std::span<const std::byte> bytes, uint64_t address, std::string& text);

 private:
  struct State;
  explicit Disassembler(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace heddle::emulator
