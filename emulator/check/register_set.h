// A set of registers of a wave. It takes one cache line of the host, so that the host can test with
// a few instructions whether two sets have a register in common.
#pragma once

#include <cstdint>

#include "emulator/machine/instruction.h"

namespace heddle::emulator::check {

// The bits stand for: VGPRs 0 to 255; the spare registers, of which the first holds the first
// result of a dual-issue pair; and the scalar registers of ScalarRegister, which include SCC.
struct alignas(64) RegisterSet {
  static constexpr unsigned first_scalar = 272;
  static_assert(first_scalar + scalar_registers <= 512);

  uint64_t words[8] = {};

  void add(unsigned number) { words[number / 64] |= uint64_t{1} << number % 64; }
  void remove(unsigned number) { words[number / 64] &= ~(uint64_t{1} << number % 64); }
  bool has(unsigned number) const { return words[number / 64] >> number % 64 & 1; }

  // The set is written in pieces of 16 bytes, so that the host can forward them to a read that
  // follows.
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
    // One instruction of hosts with vectors of 64 bytes.
    return __builtin_reduce_or((mine & theirs) != 0) != 0;
  }
  friend bool operator==(const RegisterSet&, const RegisterSet&) = default;
};

// VGPRs of gfx1250 from 256 on, and the accumulation registers of CDNA, share their number here
// with one of the VGPRs 0 to 255. Code that must distinguish them uses the RegisterRanges of an
// instruction.
constexpr unsigned vgpr_number(unsigned index) {
  return index < first_spare_register ? index & 255u : 256u + index - first_spare_register;
}
constexpr unsigned scalar_number(unsigned index) { return RegisterSet::first_scalar + index; }

}  // namespace heddle::emulator::check
