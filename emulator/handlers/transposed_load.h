// For loads that transpose a matrix: which lane reads the element that another lane gets.
#pragma once

#include "emulator/handlers/lane_addresses.h"

namespace heddle::emulator::HEDDLE_LEVEL {

// While an object of this class exists, all lanes are active if at least one is (Row::whole_wave).
// AMD's translator of binaries models the transposing loads of gfx12 and gfx1250 in this way
// (ROCm/llvm-project, pull request 4450). The documents require that EXEC is all ones.
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

// For the transposing loads of gfx12 and gfx1250: the number of the lane that reads element `i` of
// what `lane` gets. A square is a matrix with as many rows as columns; each row is read by one
// lane.
// - 16-bit elements: eight lanes read a square of 8 x 8, and lane j gets element j of each of them.
// - Bytes: two squares share 16 lanes. The lanes alternate: four lanes read rows of one square, the
// next four lanes rows of the other.
// - 4 and 6 bits: two squares of 16 share all lanes, which alternate by eight lanes (4 bits) or by
// four lanes (6 bits), as in AMD's emulator rocjitsu (ds_transpose.h).
//
// Triton uses ds_load_tr8_b64 in this way (TargetInfo::queryLDSTransLoadParams and the lowering of
// transposing loads). Users measured the same for it, and for global_load_tr_b64 on gfx1201.
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

// Copies element `source` of the registers `from` to element `target` of the registers `to`.
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

// Each of 32 lanes reads `words` registers full of elements from memory. It then gets one element
// from each of as many lanes as a lane reads elements. In a wave of 64 lanes, `upper` is its upper
// half: the second half of these registers goes to the lanes of `upper`.
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
