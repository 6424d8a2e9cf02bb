// Functions of one thread, compiled twice: for the GPU, whose code the emulator runs, and for the
// host, which says what must come out. Every operation here has one right answer on both: integers,
// and floating-point operations that IEEE rounds exactly.
//
// `in`: 8 random words of this thread. Results go through result(), which hashes them.
#pragma once

#include "differential_platform.h"

struct Words {
  uint32_t hash = 1;
  DIFFERENTIAL void result(uint32_t x) { hash = (hash ^ x) * 0x01000193u + (hash >> 15); }
  DIFFERENTIAL void result64(uint64_t x) {
    result(static_cast<uint32_t>(x));
    result(static_cast<uint32_t>(x >> 32));
  }
  DIFFERENTIAL void result(float x) { result(__builtin_bit_cast(uint32_t, x)); }
  DIFFERENTIAL void result(double x) { result64(__builtin_bit_cast(uint64_t, x)); }
  DIFFERENTIAL void result(_Float16 x) { result(uint32_t{__builtin_bit_cast(uint16_t, x)}); }
};

DIFFERENTIAL inline float number(uint32_t bits) {
  return static_cast<float>(static_cast<int32_t>(bits)) * 0x1p-20f + 0x1p-12f;
}
DIFFERENTIAL inline double precise(const uint32_t* in) {
  return static_cast<double>(static_cast<int32_t>(in[0])) + static_cast<double>(in[1]) * 0x1p-32;
}
DIFFERENTIAL inline _Float16 small(uint32_t bits) {
  return static_cast<_Float16>(static_cast<float>(static_cast<int32_t>(bits)) * 0x1p-26f);
}

DIFFERENTIAL inline uint32_t integer_arithmetic(const uint32_t* in) {
  Words w;
  const uint32_t a = in[0], b = in[1] | 1, c = in[2];
  const int32_t x = static_cast<int32_t>(in[3]), y = static_cast<int32_t>(in[4] >> 7 | 1);
  w.result(a / b);
  w.result(a % (c % 1000 + 1));
  w.result(static_cast<uint32_t>(x / y));
  w.result(static_cast<uint32_t>(x % y));
  w.result(a / 10 + c % 13);
  w.result(static_cast<uint32_t>(static_cast<uint64_t>(a) * c >> 32));
  w.result(static_cast<uint32_t>(__builtin_popcount(a)));
  w.result(static_cast<uint32_t>(__builtin_clz(b) + __builtin_ctz(c | 0x80000000u)));
  w.result(__builtin_bitreverse32(a));
  w.result(a << (b & 31) | a >> (-b & 31));
  w.result(static_cast<uint32_t>(x < 0 ? -(x + 1) : x));
  w.result(static_cast<uint32_t>(static_cast<int8_t>(a) * static_cast<int16_t>(c)));
  w.result(a > c ? a - c : c - a);
  return w.hash;
}

DIFFERENTIAL inline uint32_t wide_arithmetic(const uint32_t* in) {
  Words w;
  const uint64_t a = in[0] | static_cast<uint64_t>(in[1]) << 32,
                 b = in[2] | static_cast<uint64_t>(in[3] % 5000) << 32;
  const int64_t x = static_cast<int64_t>(a), y = static_cast<int64_t>(b) - (int64_t{1} << 40);
  w.result64(a + b);
  w.result64(a * b);
  w.result64(a / (b | 1));
  w.result64(a % (b | 1));
  w.result64(static_cast<uint64_t>(x / (y | 1)));
  w.result64(static_cast<uint64_t>(x >> (in[4] & 63)));
  w.result64(a << (in[5] & 63));
  w.result64(x < y ? a : b);
  w.result(static_cast<uint32_t>(__builtin_popcountll(a) + __builtin_clzll(a | 1)));
  return w.hash;
}

DIFFERENTIAL inline uint32_t short_arithmetic(const uint32_t* in) {
  Words w;
  const uint16_t a = static_cast<uint16_t>(in[0]), b = static_cast<uint16_t>(in[1] | 1);
  const int16_t x = static_cast<int16_t>(in[2]), y = static_cast<int16_t>(in[3] >> 3 | 1);
  w.result(uint32_t{static_cast<uint16_t>(uint32_t{a} * b + static_cast<uint32_t>(x))});
  w.result(uint32_t{static_cast<uint16_t>(a / b)});
  w.result(static_cast<uint32_t>(x / y));
  w.result(static_cast<uint32_t>(x > y ? x : y));
  w.result(uint32_t{static_cast<uint16_t>(a >> (b & 15))});
  w.result(static_cast<uint32_t>(static_cast<int16_t>(x >> (a & 15))));
  w.result(uint32_t{static_cast<uint8_t>(in[4] >> 8)} * static_cast<uint8_t>(in[4] >> 16));
  return w.hash;
}

DIFFERENTIAL inline uint32_t float_arithmetic(const uint32_t* in) {
  Words w;
  const float a = number(in[0]), b = number(in[1]), c = number(in[2] >> 4);
  w.result(a + b);
  w.result(a * b - c);
  w.result(a / b);
  w.result(c / a);
  w.result(__builtin_fmaf(a, b, c));
  w.result(__builtin_sqrtf(c));
  w.result(__builtin_floorf(a) + __builtin_ceilf(b) + __builtin_truncf(c));
  w.result(__builtin_rintf(a));
  w.result(__builtin_fmaxf(a, __builtin_fminf(b, c)));
  w.result(static_cast<uint32_t>(static_cast<int32_t>(a)));
  w.result(static_cast<uint32_t>(c));
  w.result(static_cast<float>(in[3]) + static_cast<float>(static_cast<int32_t>(in[4])));
  w.result(__builtin_ldexpf(a, static_cast<int>(in[5] % 20) - 10));
  w.result(__builtin_copysignf(a, b));
  w.result(static_cast<uint32_t>(a < b) + 2 * (a >= c) + 4 * (b != c) + 8 * !(a > b));
  return w.hash;
}

// The ends of the range: denormals, overflow, infinities.
DIFFERENTIAL inline uint32_t extreme_arithmetic(const uint32_t* in) {
  Words w;
  const auto any = [](uint32_t bits) {
    const float x = __builtin_bit_cast(float, bits);
    return __builtin_isnan(x) ? 1.0f : x;
  };
  const float a = any(in[0]), b = any(in[1]), c = any(in[2] & 0x80ffffffu);
  const auto keep = [&](float x) {
    w.result(__builtin_isnan(x) ? 0x7fc00000u : __builtin_bit_cast(uint32_t, x));
  };
  keep(a + b);
  keep(a * b);
  keep(a / b);
  keep(b / c);
  keep(c / a);
  keep(c * 0.25f);
  keep(__builtin_fmaf(a, b, c));
  keep(__builtin_sqrtf(__builtin_fabsf(a)));
  keep(__builtin_sqrtf(__builtin_fabsf(c)));
  return w.hash;
}

DIFFERENTIAL inline uint32_t double_arithmetic(const uint32_t* in) {
  Words w;
  const double a = precise(in), b = precise(in + 2), c = precise(in + 4);
  w.result(a + b);
  w.result(a * b - c);
  w.result(a / b);
  w.result(__builtin_fma(a, b, c));
  w.result(__builtin_sqrt(__builtin_fabs(c)));
  w.result(__builtin_floor(a) + __builtin_rint(b));
  w.result(static_cast<float>(a));
  w.result64(static_cast<uint64_t>(static_cast<int64_t>(b * 1000)));
  w.result(static_cast<double>(static_cast<int64_t>(in[0] | static_cast<uint64_t>(in[1]) << 32)));
  w.result(static_cast<uint32_t>(a < b) + 2 * (b <= c));
  return w.hash;
}

DIFFERENTIAL inline uint32_t half_arithmetic(const uint32_t* in) {
  Words w;
  const _Float16 a = small(in[0]), b = small(in[1]), c = small(in[2]);
  w.result(static_cast<_Float16>(a + b));
  w.result(static_cast<_Float16>(a * b));
  w.result(static_cast<_Float16>(a - c));
  w.result(static_cast<float>(a) * static_cast<float>(b) + static_cast<float>(c));
  w.result(static_cast<_Float16>(number(in[3]) * 0x1p-8f));
  w.result(static_cast<_Float16>(static_cast<float>(a) * 0x1p-14f));  // denormals
  w.result(static_cast<uint32_t>(a < b) + 2 * (b >= c));
  return w.hash;
}

// Arrays in scratch, loops whose lanes leave at different times, and a switch.
DIFFERENTIAL inline uint32_t control_flow(const uint32_t* in) {
  uint32_t table[16];
  for (uint32_t i = 0; i < 16; ++i) table[i] = in[i % 8] * (i + 1);
  uint32_t x = in[0], steps = 0;
  while (x > 1 && steps < 300) {
    x = x % 2 ? (x ^ table[x % 16]) >> 1 : x / 2;
    table[steps % 16] += x;
    ++steps;
  }
  uint32_t sum = steps;
  for (uint32_t i = 0; i < 16; ++i) {
    switch (table[i] % 5) {
      case 0:
        sum += table[i];
        break;
      case 1:
        sum ^= table[i] << 3;
        break;
      case 2:
        sum -= table[(i + 1) % 16];
        [[fallthrough]];
      case 3:
        sum = sum * 31 + i;
        break;
      default:
        if (sum % 3) continue;
        sum >>= 1;
    }
  }
  return sum;
}
