// Single instructions that compilers make only on request: the builtin on the GPU, plain C++ on the
// host, written from the ISA documents.
#pragma once

#include "../differential_platform.h"

#if defined(__HIP__)
#define ON_GPU(expression) return expression;
#define ON_HOST(...)
#else
#define ON_GPU(expression)
#define ON_HOST(...) __VA_ARGS__
#endif

// The same for what CDNA does not have.
#if defined(__HIP__) && !defined(__GFX9__)
#define ON_RDNA_GPU(expression) return expression;
#define ON_OTHERS(...)
#else
#define ON_RDNA_GPU(expression)
#define ON_OTHERS(...) __VA_ARGS__
#endif

DIFFERENTIAL inline uint32_t byte_of(uint64_t x, uint32_t i) { return x >> (8 * i) & 255u; }

DIFFERENTIAL inline uint32_t permuted(uint32_t a, uint32_t b, uint32_t selector) {
  ON_GPU(__builtin_amdgcn_perm(a, b, selector))
  ON_HOST(uint32_t result = 0; const uint64_t both = uint64_t{a} << 32 | b;
          for (int i = 0; i < 4; ++i) {
            const uint32_t s = selector >> (8 * i) & 255u;
            const uint32_t byte = s < 8     ? byte_of(both, s)
                                  : s < 12  ? (both >> (16 * (s - 8) + 15) & 1 ? 255u : 0u)
                                  : s == 12 ? 0u
                                            : 255u;
            result |= byte << (8 * i);
          } return result;)
}
DIFFERENTIAL inline uint32_t aligned_bytes(uint32_t a, uint32_t b, uint32_t shift) {
  ON_GPU(__builtin_amdgcn_alignbyte(a, b, shift))
  ON_HOST(return static_cast<uint32_t>((uint64_t{a} << 32 | b) >> (8 * (shift & 3)));)
}
DIFFERENTIAL inline uint32_t aligned_bits(uint32_t a, uint32_t b, uint32_t shift) {
  ON_GPU(__builtin_amdgcn_alignbit(a, b, shift))
  ON_HOST(return static_cast<uint32_t>((uint64_t{a} << 32 | b) >> (shift & 31));)
}

#if !defined(__HIP__)
inline uint32_t distances(uint32_t a, uint32_t b, bool masked) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < 4; ++i) {
    const int x = static_cast<int>(byte_of(a, i)), y = static_cast<int>(byte_of(b, i));
    if (!masked || y != 0) sum += static_cast<uint32_t>(x < y ? y - x : x - y);
  }
  return sum;
}
#endif
DIFFERENTIAL inline uint32_t sum_of_distances(uint32_t a, uint32_t b, uint32_t c) {
  ON_GPU(__builtin_amdgcn_sad_u8(a, b, c))
  ON_HOST(return distances(a, b, false) + c;)
}
DIFFERENTIAL inline uint32_t masked_distances(uint32_t a, uint32_t b, uint32_t c) {
  ON_GPU(__builtin_amdgcn_msad_u8(a, b, c))
  ON_HOST(return distances(a, b, true) + c;)
}
DIFFERENTIAL inline uint32_t high_distances(uint32_t a, uint32_t b, uint32_t c) {
  ON_GPU(__builtin_amdgcn_sad_hi_u8(a, b, c))
  ON_HOST(return (distances(a, b, false) << 16) + c;)
}
DIFFERENTIAL inline uint32_t short_distances(uint32_t a, uint32_t b, uint32_t c) {
  ON_GPU(__builtin_amdgcn_sad_u16(a, b, c))
  ON_HOST(const auto d = [](uint32_t x, uint32_t y) { return x < y ? y - x : x - y; };
          return d(a & 0xffffu, b & 0xffffu) + d(a >> 16, b >> 16) + c;)
}
DIFFERENTIAL inline uint32_t mean_of_bytes(uint32_t a, uint32_t b, uint32_t c) {
  ON_GPU(__builtin_amdgcn_lerp(a, b, c))
  ON_HOST(uint32_t result = 0; for (uint32_t i = 0; i < 4; ++i) result |=
                               (byte_of(a, i) + byte_of(b, i) + (byte_of(c, i) & 1)) / 2 << (8 * i);
          return result;)
}
DIFFERENTIAL inline uint32_t unsigned_field(uint32_t x, uint32_t first, uint32_t width) {
  ON_GPU(__builtin_amdgcn_ubfe(x, first, width))
  ON_HOST(first &= 31; width &= 31; return x >> first & ((1u << width) - 1);)
}
DIFFERENTIAL inline uint32_t signed_field(uint32_t x, uint32_t first, uint32_t width) {
  ON_GPU(static_cast<uint32_t>(__builtin_amdgcn_sbfe(static_cast<int32_t>(x), first, width)))
  ON_HOST(
      first &= 31; width &= 31; if (width == 0) return 0;
      // Past bit 31 there are copies of the sign.
      const auto moved = static_cast<uint64_t>(int64_t{static_cast<int32_t>(x)} >> first);
      return static_cast<uint32_t>(static_cast<int64_t>(moved << (64 - width)) >> (64 - width));)
}
DIFFERENTIAL inline uint32_t dot_unsigned(uint32_t a, uint32_t b, uint32_t c) {
  ON_GPU(__builtin_amdgcn_udot4(a, b, c, true))
  ON_HOST(uint64_t sum = c;
          for (uint32_t i = 0; i < 4; ++i) sum += uint64_t{byte_of(a, i)} * byte_of(b, i);
          return sum > 0xffffffffu ? 0xffffffffu : static_cast<uint32_t>(sum);)
}
DIFFERENTIAL inline uint32_t dot_mixed(uint32_t a, uint32_t b, uint32_t c) {
  ON_RDNA_GPU(static_cast<uint32_t>(__builtin_amdgcn_sudot4(
      true, static_cast<int>(a), false, static_cast<int>(b), static_cast<int>(c), false)))
  ON_OTHERS(for (uint32_t i = 0; i < 4; ++i) c += static_cast<uint32_t>(
                static_cast<int8_t>(byte_of(a, i)) * static_cast<int32_t>(byte_of(b, i)));
            return c;)
}
DIFFERENTIAL inline uint32_t dot_nibbles(uint32_t a, uint32_t b, uint32_t c) {
  ON_GPU(__builtin_amdgcn_udot8(a, b, c, false))
  ON_HOST(for (int i = 0; i < 8; ++i) c += (a >> (4 * i) & 15u) * (b >> (4 * i) & 15u); return c;)
}

DIFFERENTIAL inline float middle(float a, float b, float c) {
  ON_GPU(__builtin_amdgcn_fmed3f(a, b, c))
  ON_HOST(return __builtin_fmaxf(__builtin_fminf(a, b), __builtin_fminf(__builtin_fmaxf(a, b), c));)
}
DIFFERENTIAL inline float fractional(float x) {
  ON_GPU(__builtin_amdgcn_fractf(x))
  ON_HOST(return __builtin_fminf(x - __builtin_floorf(x), 0x1.fffffep-1f);)
}
DIFFERENTIAL inline double fractional(double x) {
  ON_GPU(__builtin_amdgcn_fract(x))
  ON_HOST(return __builtin_fmin(x - __builtin_floor(x), 0x1.fffffffffffffp-1);)
}
DIFFERENTIAL inline float mantissa(float x) {
  ON_GPU(__builtin_amdgcn_frexp_mantf(x))
  ON_HOST(int e; return __builtin_frexpf(x, &e);)
}
DIFFERENTIAL inline int32_t exponent(float x) {
  ON_GPU(__builtin_amdgcn_frexp_expf(x))
  ON_HOST(int e; (void)__builtin_frexpf(x, &e); return e;)
}
DIFFERENTIAL inline double mantissa(double x) {
  ON_GPU(__builtin_amdgcn_frexp_mant(x))
  ON_HOST(int e; return __builtin_frexp(x, &e);)
}
DIFFERENTIAL inline int32_t exponent(double x) {
  ON_GPU(__builtin_amdgcn_frexp_exp(x))
  ON_HOST(int e; (void)__builtin_frexp(x, &e); return e;)
}
// Bit 0 signalling NaN, 1 quiet NaN, 2 -infinity, 3 -normal, 4 -denormal, 5 -0, 6 +0 and upwards.
template <uint32_t mask>
DIFFERENTIAL inline uint32_t is_of_class(float x) {
  ON_GPU(__builtin_amdgcn_classf(x, mask))
  ON_HOST(const bool negative = __builtin_signbit(x); int which;
          if (__builtin_isnan(x)) which = __builtin_bit_cast(uint32_t, x) >> 22 & 1 ? 1 : 0;
          else if (__builtin_isinf(x)) which = negative ? 2 : 9;
          else if (x == 0) which = negative ? 5 : 6;
          else if (__builtin_isnormal(x)) which = negative ? 3 : 8; else which = negative ? 4 : 7;
          return mask >> which & 1;)
}

#undef ON_GPU
#undef ON_HOST
