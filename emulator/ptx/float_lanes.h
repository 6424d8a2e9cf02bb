// How lanes of each float type are read and written. The handlers calculate in f32 or f64; f16 and
// bf16 are read as doubles.
#pragma once

#include <bit>
#include <cstdint>

#include "emulator/ptx/float_format.h"

namespace heddle::emulator::ptx {

struct AsF32 {
  using Word = uint32_t;
  using Number = float;
  static Number read(Word bits, bool ftz) {
    if (ftz && (bits & 0x7f800000u) == 0) bits &= 0x80000000u;
    return std::bit_cast<float>(bits);
  }
  static Word write(Number value, bool ftz) {
    if (value != value) return 0x7fffffffu;
    Word bits = std::bit_cast<Word>(value);
    if (ftz && (bits & 0x7f800000u) == 0) bits &= 0x80000000u;
    return bits;
  }
};
struct AsF64 {
  using Word = uint64_t;
  using Number = double;
  static Number read(Word bits, bool) { return std::bit_cast<double>(bits); }
  static Word write(Number value, bool) {
    return value != value ? 0xfff8000000000000u : std::bit_cast<Word>(value);
  }
};
template <int which>
struct AsHalf {
  static constexpr FloatFormat format = which == 0 ? format_f16 : format_bf16;
  using Word = uint16_t;
  using Number = double;
  static Number read(Word bits, bool ftz) {
    if (ftz && (bits & format.infinity()) == 0) bits &= 0x8000u;
    return decode(format, bits);
  }
  static Word write(Number value, bool ftz) {
    auto bits = static_cast<Word>(encode(format, value, Rounding::nearest_even));
    if (ftz && (bits & format.infinity()) == 0) bits &= 0x8000u;
    return bits;
  }
};
using AsF16 = AsHalf<0>;
using AsBf16 = AsHalf<1>;

}  // namespace heddle::emulator::ptx
