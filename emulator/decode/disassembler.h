// LLVM's AMDGPU disassembler and instruction printer, for one target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>

#include "emulator/decode/code_object.h"

namespace heddle::emulator {

// Registers that an instruction reads or writes without naming them in its text.
enum ImplicitRegister : uint8_t {
  implicit_reads_scc = 1,
  implicit_writes_scc = 2,
  implicit_reads_vcc = 4,
  implicit_writes_vcc = 8,
  implicit_reads_m0 = 16,
  implicit_writes_exec = 32,
};

class Disassembler {
 public:
  static std::expected<Disassembler, std::string> create(const Target& target, int wave = 32);
  Disassembler(Disassembler&&) noexcept;
  ~Disassembler();

  // Decodes the instruction at the start of `bytes`, whose address is `address`. Returns its length
  // in bytes; 0 if the bytes are no instruction. Sets `text` to its text, without leading blanks,
  // and `implicit` to its ImplicitRegisters.
  uint32_t decode(std::span<const std::byte> bytes, uint64_t address, std::string& text,
                  uint8_t& implicit);

  // For gfx1250: the value of s_set_vgpr_msb when the last decoded instruction runs. It follows
  // from the instructions before that in memory; at the start of a basic block it is 0.
  uint8_t vector_banks() const;

 private:
  struct State;
  explicit Disassembler(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace heddle::emulator
