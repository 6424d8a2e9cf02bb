// Recognises undefined bytes in registers that are the padding of structures, and so no mistake.
//
// A copy of a structure also moves the bytes between its members, which nobody writes. Undefined
// bytes count as padding if a load finds them
// - next to defined bytes,
// - at the same byte positions in all of its lanes,
// - with fewer than eight undefined bytes in a row.
//
// They remain padding as long as instructions only move them.
#pragma once

#include <bit>
#include <cstdint>
#include <map>

#include "emulator/check/definedness.h"

namespace heddle::emulator::check {

class CopiedPadding {
 public:
  void start() { registers_.clear(); }
  bool is_empty() const { return registers_.empty(); }

  // True if the undefined bytes that a load finds are padding. Each lane loads `size` bytes.
  // bytes[lane] has a bit for each byte that is undefined.
  static bool is_padding(const uint16_t (&bytes)[32], uint32_t lanes, uint32_t size) {
    if (lanes == 0) return false;
    const uint32_t first = bytes[std::countr_zero(lanes)];
    constexpr uint32_t eight_in_a_row = 0xff;
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1)
      if (bytes[std::countr_zero(rest)] != first) return false;
    for (uint32_t shifted = first; shifted != 0; shifted >>= 1)
      if ((shifted & eight_in_a_row) == eight_in_a_row) return false;
    return first != 0 && first != (1u << size) - 1;
  }

  // Records that the undefined bytes of a register are padding. `part`: 0, or 1 for the upper half
  // of a wave of 64 lanes.
  void add(unsigned part, unsigned index, const Bytes& bytes) { registers_[{part, index}] = bytes; }
  // True if byte `byte` of a register, which is undefined in lane `lane`, is padding. Then a store
  // of this byte is no mistake.
  bool covers(unsigned part, unsigned index, unsigned byte, unsigned lane) const {
    const auto at = registers_.find({part, index});
    return at != registers_.end() && (at->second.byte[byte] >> lane & 1u) != 0;
  }

  // Call after an instruction other than a load has written its results. The instruction has moved
  // padding, and the result is padding too, if its only source has the same value and the same
  // undefined bytes as the result, and these are not the whole register.
  void follow(const Wavefront& wave, const Effects& effects, const Definedness& defined) {
    std::map<Place, Bytes> moved;
    const bool has_one_source = effects.row[0] && effects.row[0]->sources[1] == Type::none;
    for (const RegisterRange& written : effects.writes)
      for (unsigned r = 0; r < written.count && !written.scalar; ++r)
        for (unsigned part = 0; part < (wave.upper ? 2u : 1u); ++part) {
          const unsigned index = written.first + r;
          const Wavefront& half = part == 0 ? wave : *wave.upper;
          const Bytes& result = defined.vgpr(half, index);
          for (const RegisterRange& read : effects.reads)
            if (has_one_source && !read.scalar && r < read.count && read.first + r != index)
              if (const auto at = registers_.find({part, read.first + r});
                  at != registers_.end() && is_same(at->second, result) &&
                  has_values(half, read.first + r, index, result.any()))
                moved[{part, index}] = result;
          registers_.erase({part, index});
        }
    registers_.merge(moved);
  }
  // Call when a load is about to write this register.
  void forget(unsigned part, unsigned index) { registers_.erase({part, index}); }

 private:
  using Place = std::pair<unsigned, unsigned>;
  static bool is_same(const Bytes& a, const Bytes& b) {
    LaneMask whole = ~LaneMask{0};
    for (unsigned i = 0; i < 4; ++i) {
      if (a.byte[i] != b.byte[i]) return false;
      whole &= a.byte[i];
    }
    return whole == 0 && a.any() != 0;
  }
  static bool has_values(const Wavefront& wave, unsigned from, unsigned to, LaneMask lanes) {
    for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      if (wave.vgpr[from][lane] != wave.vgpr[to][lane]) return false;
    }
    return true;
  }
  std::map<Place, Bytes> registers_;
};

}  // namespace heddle::emulator::check
