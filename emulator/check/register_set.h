// The registers of a wave as a set: one cache line, so that "does this instruction touch one of
// those?" is a few instructions of the host.
#pragma once

#include <cstdint>

#include "emulator/machine/instruction.h"

namespace heddle::emulator::check {

// VGPR 0 to 255, the spare registers (the first holds the first result of a dual-issue pair) and
// the scalar registers of ScalarRegister, SCC among them.
struct alignas(64) RegisterSet {
  static constexpr unsigned first_scalar = 272;
  static_assert(first_scalar + scalar_registers <= 512);

  uint64_t words[8] = {};

  void add(unsigned number) { words[number / 64] |= uint64_t{1} << number % 64; }
  void remove(unsigned number) { words[number / 64] &= ~(uint64_t{1} << number % 64); }
  bool has(unsigned number) const { return words[number / 64] >> number % 64 & 1; }

  // In pieces of 16 bytes: what reads a set right after it was written then gets it at once.
  RegisterSet& operator|=(const RegisterSet& other) {
    using Piece = uint64_t __attribute__((vector_size(16)));
    for (int i = 0; i < 8; i += 2) {
      Piece mine, theirs;
      __builtin_memcpy(&mine, words + i, sizeof mine);
      __builtin_memcpy(&theirs, other.words + i, sizeof theirs);
      mine |= theirs;
      __builtin_memcpy(words + i, &mine, sizeof mine);
    }
    return *this;
  }
  friend RegisterSet operator|(RegisterSet a, const RegisterSet& b) { return a |= b; }
  // Whether a register is in both.
  friend bool meet(const RegisterSet& a, const RegisterSet& b) {
    using Whole = uint64_t __attribute__((vector_size(64)));
    Whole mine, theirs;
    __builtin_memcpy(&mine, a.words, sizeof mine);
    __builtin_memcpy(&theirs, b.words, sizeof theirs);
    // One test of the host, where its vectors are that wide.
    return __builtin_reduce_or((mine & theirs) != 0) != 0;
  }
  friend bool operator==(const RegisterSet&, const RegisterSet&) = default;
};

// The VGPRs of gfx1250 from 256 on, and the accumulation registers of CDNA, have the number of one
// of the first 256 VGPRs. Code that must distinguish them uses the ranges of an instruction.
constexpr unsigned vgpr_number(unsigned index) {
  return index < first_spare_register ? index & 255u : 256u + index - first_spare_register;
}
constexpr unsigned scalar_number(unsigned index) { return RegisterSet::first_scalar + index; }

}  // namespace heddle::emulator::check
