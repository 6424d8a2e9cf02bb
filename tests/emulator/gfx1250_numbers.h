// bf16 as gfx1250 rounds it, for its tests.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace heddle::emulator::testing::gfx1250_test {

inline uint32_t bits(float x) { return std::bit_cast<uint32_t>(x); }

inline float bf16(uint32_t half) { return std::bit_cast<float>(half << 16); }
// To the nearest, ties to even, of a number that f64 holds.
inline uint32_t to_bf16(double x) {
  if (std::abs(x) >= 0x1.ffp127) return x < 0 ? 0xff80u : 0x7f80u;
  const float down = std::bit_cast<float>(bits(static_cast<float>(x)) & 0xffff0000u);
  const float candidates[] = {down, std::bit_cast<float>((bits(down) + 0x10000u)),
                              std::bit_cast<float>((bits(down) - 0x10000u))};
  float best = down;
  for (const float each : candidates) {
    const double distance = std::abs(x - double{each}), least = std::abs(x - double{best});
    if (distance < least || (distance == least && (bits(each) >> 16) % 2 == 0)) best = each;
  }
  return bits(best) >> 16;
}

}  // namespace heddle::emulator::testing::gfx1250_test
