// More functions of one thread, compiled for the GPU and the host like those of
// differential_functions.h: bits and bytes, saturation, halves, bf16, packed numbers, memory of all
// widths, calls.
#pragma once

#include "../differential_functions.h"
#include "instructions.h"

DIFFERENTIAL inline uint32_t bits_and_bytes(const uint32_t* in) {
  Words w;
  const uint32_t a = in[0], b = in[1], c = in[2], d = in[3];
  w.result(permuted(a, b, c));
  w.result(permuted(a, b, 0x0c0b0804u));
  w.result(aligned_bytes(a, b, c));
  w.result(aligned_bits(a, b, c));
  w.result(sum_of_distances(a, b, c));
  w.result(masked_distances(a, b & 0xff00ffffu, c));
  w.result(high_distances(a, b, c));
  w.result(short_distances(a, b, c));
  w.result(mean_of_bytes(a, b, c));
  w.result(unsigned_field(a, b, c));
  w.result(unsigned_field(a, 7, 11));
  w.result(signed_field(a, b, c % 20));
  w.result(dot_unsigned(a, b, c));
  w.result(dot_mixed(a, b, c));
  w.result(dot_nibbles(a, b, c));
  w.result((a & b) | (~a & c));
  w.result(a << 3 | b);
  w.result((a + b) << 5);
  w.result((a ^ b) + c);
  w.result(a ^ b ^ d);
  w.result(__builtin_bitreverse32(a) ^ __builtin_bswap32(b));
  w.result64(__builtin_bitreverse64(a | static_cast<uint64_t>(b) << 32));
  w.result(static_cast<uint32_t>(__builtin_clz(a | 1) ^ __builtin_ctz(b | 0x1000u)));
  w.result(static_cast<uint32_t>(__builtin_clrsb(static_cast<int32_t>(a >> (b & 15)))));
  w.result((a & 0xffffffu) * (b & 0xffffffu));
  w.result(static_cast<uint32_t>(static_cast<int32_t>(a << 8) >> 8) *
           static_cast<uint32_t>(static_cast<int32_t>(b << 12) >> 12));
  return w.hash;
}

template <class T>
DIFFERENTIAL inline void saturate_all(Words& w, T a, T b) {
  w.result64(static_cast<uint64_t>(__builtin_elementwise_add_sat(a, b)));
  w.result64(static_cast<uint64_t>(__builtin_elementwise_sub_sat(a, b)));
  w.result64(static_cast<uint64_t>(__builtin_elementwise_min(a, b)));
  w.result64(static_cast<uint64_t>(__builtin_elementwise_max(a, b)));
}

DIFFERENTIAL inline uint32_t saturation(const uint32_t* in) {
  Words w;
  const uint64_t a = in[0] | static_cast<uint64_t>(in[1]) << 32,
                 b = in[2] | static_cast<uint64_t>(in[3]) << 32;
  saturate_all(w, static_cast<uint8_t>(a), static_cast<uint8_t>(b));
  saturate_all(w, static_cast<int8_t>(a), static_cast<int8_t>(b));
  saturate_all(w, static_cast<uint16_t>(a), static_cast<uint16_t>(b));
  saturate_all(w, static_cast<int16_t>(a), static_cast<int16_t>(b));
  saturate_all(w, static_cast<uint32_t>(a), static_cast<uint32_t>(b));
  saturate_all(w, static_cast<int32_t>(a), static_cast<int32_t>(b));
  saturate_all(w, a, b);
  saturate_all(w, static_cast<int64_t>(a), static_cast<int64_t>(b));
  const __int128 wide = static_cast<__int128>(static_cast<int64_t>(a)) * static_cast<int64_t>(b);
  w.result64(static_cast<uint64_t>(wide >> 64));
  w.result64(static_cast<uint64_t>(static_cast<unsigned __int128>(a) * b >> 64));
  int32_t sum;
  w.result(static_cast<uint32_t>(
      __builtin_add_overflow(static_cast<int32_t>(a), static_cast<int32_t>(b), &sum)));
  uint32_t carry;
  w.result(__builtin_addc(in[0], in[2], 1u, &carry) + carry);
  return w.hash;
}

DIFFERENTIAL inline uint32_t float_shapes(const uint32_t* in) {
  Words w;
  const float a = number(in[0]), b = number(in[1]), c = number(in[2] >> 6);
  const float any = __builtin_bit_cast(float, in[3]);
  w.result(middle(a, b, c));
  w.result(fractional(a));
  w.result(mantissa(a));
  w.result(static_cast<uint32_t>(exponent(a)));
  w.result(is_of_class<0x3>(any) + 2 * is_of_class<0x204>(any) + 4 * is_of_class<0x90>(any) +
           8 * is_of_class<0x108>(any));
  w.result(__builtin_roundf(a) + __builtin_nearbyintf(b));
  w.result(__builtin_fabsf(a) - __builtin_copysignf(b, c));
  w.result(static_cast<uint32_t>(static_cast<int8_t>(static_cast<int32_t>(c) & 127)));
  w.result(static_cast<float>(in[4] & 255) + static_cast<float>(in[4] >> 8 & 255) +
           static_cast<float>(in[4] >> 24));
  w.result(static_cast<uint32_t>(a < b) + 2 * !(a < c) + 4 * __builtin_isunordered(any, b) +
           8 * __builtin_islessgreater(a, any));
  w.result(a < b ? (b < c ? a : c) : (a > c ? b : a));
  return w.hash;
}

DIFFERENTIAL inline uint32_t double_shapes(const uint32_t* in) {
  Words w;
  const double a = precise(in), b = precise(in + 2), c = precise(in + 4);
  w.result(fractional(a));
  w.result(mantissa(b));
  w.result(static_cast<uint32_t>(exponent(c)));
  w.result(__builtin_fmax(a, b) - __builtin_fmin(b, c));
  w.result(__builtin_ldexp(a, static_cast<int>(in[6] % 100) - 50));
  w.result(__builtin_ceil(a) + __builtin_trunc(b) + __builtin_round(c));
  w.result(static_cast<uint32_t>(static_cast<int32_t>(a)));
  w.result(static_cast<uint32_t>(__builtin_fabs(b)));
  w.result(static_cast<double>(in[6]) - static_cast<double>(static_cast<int32_t>(in[7])));
  w.result(static_cast<double>(static_cast<uint64_t>(in[6]) << 20 | in[7]));
  w.result64(static_cast<uint64_t>(__builtin_fabs(c) * 4096));
  w.result(static_cast<double>(number(in[7])) * a);
  w.result(static_cast<uint32_t>(a < b) + 2 * (b >= c) + 4 * (a != a) + 8 * !(c > a));
  return w.hash;
}

using Half2 = _Float16 __attribute__((ext_vector_type(2)));
using Short2 = short __attribute__((ext_vector_type(2)));
using UShort2 = unsigned short __attribute__((ext_vector_type(2)));

DIFFERENTIAL inline uint32_t half_shapes(const uint32_t* in) {
  Words w;
  const _Float16 a = small(in[0]), b = small(in[1]), c = small(in[2]);
  w.result(__builtin_fmaf16(a, b, c));
  w.result(__builtin_elementwise_min(a, b));
  w.result(__builtin_elementwise_max(a, c));
  w.result(__builtin_elementwise_floor(a));
  w.result(__builtin_elementwise_ceil(b));
  w.result(__builtin_elementwise_trunc(c));
  w.result(__builtin_elementwise_roundeven(a));
  w.result(static_cast<_Float16>(static_cast<int16_t>(in[3] >> 8)));
  w.result(static_cast<_Float16>(static_cast<uint16_t>(in[3] >> 20)));
  w.result(static_cast<uint32_t>(static_cast<int16_t>(a)));
  w.result(static_cast<_Float16>(static_cast<double>(a) * 3.0));
  w.result(static_cast<float>(a) * number(in[4]) + number(in[5]));
  // Mixed precision: one fused operation of halves and f32.
  w.result(__builtin_fmaf(static_cast<float>(a), static_cast<float>(b), number(in[4])));
  w.result(static_cast<_Float16>(
      __builtin_fmaf(static_cast<float>(a), static_cast<float>(c), static_cast<float>(b))));
  w.result(-a * __builtin_elementwise_abs(b));
  return w.hash;
}

DIFFERENTIAL inline uint32_t packed_numbers(const uint32_t* in) {
  Words w;
  const Half2 a = {small(in[0]), small(in[1])}, b = {small(in[2]), small(in[3])};
  const auto keep = [&](Half2 x) { w.result(__builtin_bit_cast(uint32_t, x)); };
  keep(a + b);
  keep(a * b);
  keep(a - b);
  keep(Half2{a.y, a.x} + b);
  keep(Half2{b.y, b.y} * -a);
  keep(__builtin_elementwise_fma(a, b, Half2{a.y, b.x}));
  keep(__builtin_elementwise_min(a, b));
  keep(__builtin_elementwise_max(a, b));
  const auto words = [&](auto x) { w.result(__builtin_bit_cast(uint32_t, x)); };
  const UShort2 p = __builtin_bit_cast(UShort2, in[4]), q = __builtin_bit_cast(UShort2, in[5]);
  const Short2 s = __builtin_bit_cast(Short2, in[6]), t = __builtin_bit_cast(Short2, in[7]);
  words(p + q);
  words(p - q);
  words(p * q);
  words(p * q + UShort2{1, 2});
  words(p << (q & static_cast<unsigned short>(15)));
  words(p >> (q & static_cast<unsigned short>(15)));
  words(s >> (t & static_cast<short>(15)));
  words(__builtin_elementwise_max(s, t));
  words(__builtin_elementwise_min(p, q));
  words(__builtin_elementwise_add_sat(s, t));
  words(__builtin_elementwise_sub_sat(p, q));
  return w.hash;
}

// bf16 as bits: rounding to nearest in integers, as both sides must do without an instruction.
DIFFERENTIAL inline uint32_t brain_floats(const uint32_t* in) {
  Words w;
  const auto narrow = [](float x) {
    const uint32_t bits = __builtin_bit_cast(uint32_t, x);
    return static_cast<uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
  };
  const auto wide = [](uint16_t x) { return __builtin_bit_cast(float, uint32_t{x} << 16); };
  const uint16_t a = narrow(number(in[0])), b = narrow(number(in[1]));
  w.result(uint32_t{narrow(wide(a) + wide(b))});
  w.result(uint32_t{narrow(wide(a) * wide(b))});
  w.result(uint32_t{narrow(__builtin_fmaf(wide(a), wide(b), number(in[2])))});
  // The compiler's own conversion on the GPU; the host's library has none.
#if defined(__HIP__)
  const auto rounded = [](float x) { return __builtin_bit_cast(uint16_t, static_cast<__bf16>(x)); };
#else
  const auto rounded = narrow;
#endif
  const uint16_t x = rounded(number(in[3])), y = rounded(number(in[4]));
  w.result(wide(x) * wide(y));
  w.result(uint32_t{x});
  return w.hash;
}

// Loads and stores of all widths: in scratch, through a pointer that may be anywhere, in constants.
struct Mixed {
  uint8_t byte;
  int16_t half;
  uint32_t word;
  uint64_t wide;
  uint32_t three[3];
  uint8_t tail[5];
};

DIFFERENTIAL inline uint32_t memory_widths(const uint32_t* in) {
  static constexpr uint32_t table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
  static constexpr uint8_t bytes[16] = {2, 7, 1, 8, 2, 8, 1, 8, 2, 8, 4, 5, 9, 0, 4, 5};
  Words w;
  Mixed all[4];
  for (uint32_t i = 0; i < 4; ++i) {
    Mixed& m = all[(i + in[0]) % 4];
    m.byte = static_cast<uint8_t>(in[i]);
    m.half = static_cast<int16_t>(in[i + 1]);
    m.word = in[i + 2] * table[in[i] % 8];
    m.wide = in[i] | static_cast<uint64_t>(in[i + 3]) << 32;
    for (uint32_t j = 0; j < 3; ++j) m.three[j] = in[(i + j) % 8];
    for (uint32_t j = 0; j < 5; ++j) m.tail[j] = static_cast<uint8_t>(in[j] >> i);
  }
  const Mixed copy = all[in[1] % 4];
  w.result(uint32_t{copy.byte} + static_cast<uint32_t>(int32_t{copy.half}));
  w.result64(copy.wide + copy.word);
  for (uint32_t x : copy.three) w.result(x);
  for (uint8_t x : copy.tail) w.result(uint32_t{x} * bytes[x % 16]);
  const auto* input = reinterpret_cast<const uint8_t*>(in);
  for (uint32_t i = 0; i < 8; ++i) {
    int8_t small_one;
    __builtin_memcpy(&small_one, input + (in[2] + i) % 32, 1);
    w.result(static_cast<uint32_t>(int32_t{small_one}));
  }
  return w.hash;
}

#define NOT_INLINED __attribute__((noinline))

DIFFERENTIAL NOT_INLINED inline uint32_t ways(uint32_t n, uint32_t depth) {
  if (n < 2 || depth == 0) return n + depth;
  return ways(n / 2, depth - 1) * 3 + ways(n / 3, depth - 1);
}
DIFFERENTIAL NOT_INLINED inline uint32_t twice(uint32_t x) { return 2 * x + 1; }
DIFFERENTIAL NOT_INLINED inline uint32_t folded(uint32_t x) { return x ^ x >> 7; }
DIFFERENTIAL NOT_INLINED inline uint32_t many_arguments(uint32_t a, uint64_t b, float c, uint8_t d,
                                                        Mixed m, double e, uint32_t f) {
  return a + static_cast<uint32_t>(b >> 13) + static_cast<uint32_t>(c * 8) + d + m.word +
         m.tail[4] + static_cast<uint32_t>(e) + f;
}

// Recursion, calls through pointers, arguments on the stack, an array of a size known only there,
// a dense switch.
DIFFERENTIAL inline uint32_t calls(const uint32_t* in) {
  Words w;
  w.result(ways(in[0] % 5000, 6));
  uint32_t (*const choices[])(uint32_t) = {twice, folded, twice};
  w.result(choices[in[1] % 3](in[2]));
  Mixed m{};
  m.word = in[3];
  m.tail[4] = static_cast<uint8_t>(in[4]);
  w.result(many_arguments(in[5], in[6] * uint64_t{in[7]}, static_cast<float>(in[0] % 100),
                          static_cast<uint8_t>(in[1]), m, static_cast<double>(in[2] % 1000), 7));
  const uint32_t size = in[4] % 13 + 3;
  auto* local = static_cast<uint32_t*>(__builtin_alloca(size * sizeof(uint32_t)));
  for (uint32_t i = 0; i < size; ++i) local[i] = in[i % 8] + i;
  uint32_t sum = 0;
  for (uint32_t i = 0; i < size; ++i) sum = sum * 3 + local[size - 1 - i];
  w.result(sum);
  for (uint32_t i = 0; i < 6; ++i) {
    uint32_t x = in[i];
    switch (in[i] % 12) {
      case 0:
        x += 5;
        break;
      case 1:
        x *= 3;
        break;
      case 2:
        x ^= 0x55;
        break;
      case 3:
        x = ~x;
        break;
      case 4:
        x >>= 3;
        break;
      case 5:
        x <<= 2;
        break;
      case 6:
        x -= 77;
        break;
      case 7:
        x = x * x;
        break;
      case 8:
        x |= 0xf0;
        break;
      case 9:
        x &= 0xffff;
        break;
      case 10:
        x = x / 7;
        break;
      default:
        x %= 13;
    }
    w.result(x);
  }
  return w.hash;
}
