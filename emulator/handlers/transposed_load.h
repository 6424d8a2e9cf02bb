// The transposing loads: which lane reads the element that another one gets.
#pragma once

#include "emulator/handlers/lane_addresses.h"

namespace heddle::emulator::HEDDLE_LEVEL {

// While it exists, all lanes are active if any lane is (Row::whole_wave). AMD's translator of
// binaries models the transposing loads of gfx12 and gfx1250 in this way (ROCm/llvm-project, pull
// request 4450). The documents require an EXEC of all ones.
class WholeWave {
 public:
  HEDDLE_INLINE explicit WholeWave(Wavefront& w) : w_(w), exec_(exec(w)) {
    if (exec_ != 0) w.scalar[register_exec] = 0xffffffffu;
  }
  HEDDLE_INLINE ~WholeWave() { w_.scalar[register_exec] = exec_; }
  WholeWave(const WholeWave&) = delete;
  WholeWave& operator=(const WholeWave&) = delete;

 private:
  Wavefront& w_;
  const uint32_t exec_;
};

// For the loads of gfx12 and gfx1250: the lane that reads element `i` of `lane`. With 16 bits,
// eight lanes form a square, and lane j gets element j of each of them. With bytes, two squares
// share sixteen lanes, which take four elements of one and four of the other in turn. Triton uses
// ds_load_tr8_b64 in this way (TargetInfo::queryLDSTransLoadParams and the lowering of transposing
// loads); users measured the same, and for global_load_tr_b64 on gfx1201. With 4 and 6 bits, two
// squares of sixteen share all lanes, eight and four in turn, as in AMD's emulator rocjitsu
// (ds_transpose.h).
template <unsigned element_bits>
constexpr unsigned transposed_from(unsigned lane, unsigned i) {
  switch (element_bits) {
    case 4:
      return (i & 8u) << 1 | (lane & 16u) >> 1 | (i & 7u);
    case 6:
      return (i & 12u) << 1 | (lane & 16u) >> 2 | (i & 3u);
    case 8:
      return (lane & 16u) | (i & 4u) << 1 | (lane & 8u) >> 1 | (i & 3u);
    default:
      return (lane & 24u) | i;
  }
}

// Element `source` of some registers becomes element `target` of others.
template <unsigned element_bits>
HEDDLE_INLINE void move_element(uint32_t* to, unsigned target, const uint32_t* from,
                                unsigned source) {
  constexpr unsigned bytes = element_bits / 8;
  if constexpr (element_bits % 8 == 0) {
    __builtin_memcpy(reinterpret_cast<std::byte*>(to) + target * bytes,
                     reinterpret_cast<const std::byte*>(from) + source * bytes, bytes);
    return;
  }
  for (unsigned bit = 0; bit < element_bits; ++bit) {
    const unsigned a = source * element_bits + bit, b = target * element_bits + bit;
    to[b / 32] |= (from[a / 32] >> (a % 32) & 1u) << (b % 32);
  }
}

// Each of 32 lanes reads `words` registers of elements, and gets one element from each of the same
// number of lanes. In a wave of 64, the lanes of the upper half get the contents of the upper
// registers.
template <unsigned element_bits, unsigned words>
HEDDLE_INLINE void load_transposed_squares(Wavefront& w, Wavefront* upper, unsigned destination,
                                           const Pointers& p) {
  constexpr unsigned elements = 32 * words / element_bits;
  const unsigned kept = upper == nullptr ? words : words / 2;
  uint64_t at[lanes];
  __builtin_memcpy(at, &p.at, sizeof at);
  uint32_t loaded[lanes][words];
  for (unsigned l = 0; l < lanes; ++l)
    __builtin_memcpy(loaded[l], reinterpret_cast<const void*>(at[l]), sizeof loaded[l]);
  for (unsigned l = 0; l < lanes; ++l) {
    if (!(p.mask >> l & 1)) continue;
    uint32_t result[words] = {};
    for (unsigned i = 0; i < elements; ++i)
      move_element<element_bits>(result, i, loaded[transposed_from<element_bits>(l, i)],
                                 l % elements);
    for (unsigned i = 0; i < words; ++i)
      (i < kept ? w : *upper).vgpr[destination + i % kept][l] = result[i];
  }
}

}  // namespace heddle::emulator::HEDDLE_LEVEL
