// Integers of 8 and 16 bits, four or two of them in a 32-bit word, and the functions of CUDA for
// dynamic programming. cuda_device_functions.h includes this file. Source: "CUDA Math API Reference
// Manual" 12.8, sections "SIMD Intrinsics" and "Integer Intrinsics" (DPX); for averages of signed
// numbers PTX ISA 9.0, "vavrg2".
#pragma once

struct HeddlePacked {
  template <int bits, bool is_signed>
  __device__ static int part(unsigned word, int at) {
    const unsigned lone = word << (32 - bits - at);
    return is_signed ? static_cast<int>(lone) >> (32 - bits)
                     : static_cast<int>(lone >> (32 - bits));
  }
  template <int bits, bool is_signed>
  __device__ static int saturated(int x) {
    constexpr int most = is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
    constexpr int least = is_signed ? -(1 << (bits - 1)) : 0;
    return x > most ? most : x < least ? least : x;
  }
  template <int bits, bool is_signed, class Function>
  __device__ static unsigned each(unsigned a, unsigned b, Function function) {
    unsigned result = 0;
    for (int at = 0; at < 32; at += bits) {
      const int value = function(part<bits, is_signed>(a, at), part<bits, is_signed>(b, at));
      result |= (static_cast<unsigned>(value) & ((1u << bits) - 1)) << at;
    }
    return result;
  }
  template <int bits, bool is_signed>
  __device__ static unsigned sum_of_distances(unsigned a, unsigned b) {
    unsigned sum = 0;
    for (int at = 0; at < 32; at += bits)
      sum += distance(part<bits, is_signed>(a, at), part<bits, is_signed>(b, at));
    return sum;
  }
  __device__ static int distance(int a, int b) { return a > b ? a - b : b - a; }
  template <class T>
  __device__ static T larger(T a, T b) {
    return a > b ? a : b;
  }
  template <class T>
  __device__ static T smaller(T a, T b) {
    return a < b ? a : b;
  }
};

// Defines a function on words of packed integers. `value` is an expression of `a` and `b`, the
// integers at one position of the two words; it gives the integer at this position of the result.
#define CUDA_PACKED_OF(name, bits, is_signed, value)                 \
  __device__ inline unsigned name(unsigned x, unsigned y) {          \
    return HeddlePacked::each<bits, is_signed>(                      \
        x, y, [](int a, int b) { return static_cast<int>(value); }); \
  }
#define CUDA_PACKED(name, is_signed, value)     \
  CUDA_PACKED_OF(name##2, 16, is_signed, value) \
  CUDA_PACKED_OF(name##4, 8, is_signed, value)
// The same for one operand.
#define CUDA_PACKED_ONE_OF(name, bits, value)                                                  \
  __device__ inline unsigned name(unsigned x) {                                                \
    return HeddlePacked::each<bits, true>(x, 0,                                                \
                                          [](int a, int) { return static_cast<int>(value); }); \
  }
#define CUDA_SATURATED(name, is_signed, value)                                            \
  CUDA_PACKED_OF(name##2, 16, is_signed, (HeddlePacked::saturated<16, is_signed>(value))) \
  CUDA_PACKED_OF(name##4, 8, is_signed, (HeddlePacked::saturated<8, is_signed>(value)))

CUDA_PACKED(__vadd, false, a + b)
CUDA_PACKED(__vsub, false, a - b)
CUDA_SATURATED(__vaddss, true, a + b)
CUDA_SATURATED(__vaddus, false, a + b)
CUDA_SATURATED(__vsubss, true, a - b)
CUDA_SATURATED(__vsubus, false, a - b)
CUDA_PACKED(__vabsdiffs, true, HeddlePacked::distance(a, b))
CUDA_PACKED(__vabsdiffu, false, HeddlePacked::distance(a, b))
CUDA_PACKED(__vavgs, true, (a + b + (a + b >= 0)) >> 1)
CUDA_PACKED(__vavgu, false, (a + b + 1) >> 1)
CUDA_PACKED(__vhaddu, false, (a + b) >> 1)
CUDA_PACKED(__vmaxs, true, HeddlePacked::larger(a, b))
CUDA_PACKED(__vmaxu, false, HeddlePacked::larger(a, b))
CUDA_PACKED(__vmins, true, HeddlePacked::smaller(a, b))
CUDA_PACKED(__vminu, false, HeddlePacked::smaller(a, b))
#define CUDA_COMPARED(name, is_signed, relation)        \
  CUDA_PACKED(__vcmp##name, is_signed, -(a relation b)) \
  CUDA_PACKED(__vset##name, is_signed, a relation b)
CUDA_COMPARED(eq, false, ==)
CUDA_COMPARED(ne, false, !=)
CUDA_COMPARED(ges, true, >=)
CUDA_COMPARED(geu, false, >=)
CUDA_COMPARED(gts, true, >)
CUDA_COMPARED(gtu, false, >)
CUDA_COMPARED(les, true, <=)
CUDA_COMPARED(leu, false, <=)
CUDA_COMPARED(lts, true, <)
CUDA_COMPARED(ltu, false, <)
CUDA_PACKED_ONE_OF(__vabs2, 16, a < 0 ? -a : a)
CUDA_PACKED_ONE_OF(__vabs4, 8, a < 0 ? -a : a)
CUDA_PACKED_ONE_OF(__vabsss2, 16, (HeddlePacked::saturated<16, true>(a < 0 ? -a : a)))
CUDA_PACKED_ONE_OF(__vabsss4, 8, (HeddlePacked::saturated<8, true>(a < 0 ? -a : a)))
CUDA_PACKED_ONE_OF(__vneg2, 16, -a)
CUDA_PACKED_ONE_OF(__vneg4, 8, -a)
CUDA_PACKED_ONE_OF(__vnegss2, 16, (HeddlePacked::saturated<16, true>(-a)))
CUDA_PACKED_ONE_OF(__vnegss4, 8, (HeddlePacked::saturated<8, true>(-a)))
__device__ inline unsigned __vsads2(unsigned a, unsigned b) {
  return HeddlePacked::sum_of_distances<16, true>(a, b);
}
__device__ inline unsigned __vsadu2(unsigned a, unsigned b) {
  return HeddlePacked::sum_of_distances<16, false>(a, b);
}
__device__ inline unsigned __vsads4(unsigned a, unsigned b) {
  return HeddlePacked::sum_of_distances<8, true>(a, b);
}
__device__ inline unsigned __vsadu4(unsigned a, unsigned b) {
  return HeddlePacked::sum_of_distances<8, false>(a, b);
}

// The larger or smaller of two or three numbers, or of a sum and a number. The result may be
// clamped at 0. A 32-bit word holds one number or two.
#define CUDA_EXTREMES_OF(name, choose, T, type, floor)                     \
  __device__ inline T __vi##name##3_##type(T a, T b, T c) {                \
    return floor(choose(choose(a, b), c));                                 \
  }                                                                        \
  __device__ inline T __viadd##name##_##type(T a, T b, T c) {              \
    return floor(choose(static_cast<T>(static_cast<unsigned>(a) + b), c)); \
  }
#define CUDA_AS_IT_IS(x) (x)
#define CUDA_NOT_BELOW_ZERO(x) HeddlePacked::larger(x, 0)
#define CUDA_RELU_OF(name, choose)                            \
  __device__ inline int __vi##name##_s32_relu(int a, int b) { \
    return CUDA_NOT_BELOW_ZERO(choose(a, b));                 \
  }
#define CUDA_EXTREMES_OF_PAIRS(name, sign)                                                      \
  __device__ inline unsigned __vi##name##3_##sign##16x2(unsigned a, unsigned b, unsigned c) {   \
    return __v##name##sign##2(__v##name##sign##2(a, b), c);                                     \
  }                                                                                             \
  __device__ inline unsigned __viadd##name##_##sign##16x2(unsigned a, unsigned b, unsigned c) { \
    return __v##name##sign##2(__vadd2(a, b), c);                                                \
  }
#define CUDA_RELU_OF_PAIRS(name)                                                              \
  __device__ inline unsigned __vi##name##_s16x2_relu(unsigned a, unsigned b) {                \
    return __vmaxs2(__v##name##s2(a, b), 0);                                                  \
  }                                                                                           \
  __device__ inline unsigned __vi##name##3_s16x2_relu(unsigned a, unsigned b, unsigned c) {   \
    return __vmaxs2(__vi##name##3_s16x2(a, b, c), 0);                                         \
  }                                                                                           \
  __device__ inline unsigned __viadd##name##_s16x2_relu(unsigned a, unsigned b, unsigned c) { \
    return __vmaxs2(__viadd##name##_s16x2(a, b, c), 0);                                       \
  }
#define CUDA_EXTREMES(name, choose)                                  \
  CUDA_EXTREMES_OF(name, choose, int, s32, CUDA_AS_IT_IS)            \
  CUDA_EXTREMES_OF(name, choose, unsigned, u32, CUDA_AS_IT_IS)       \
  CUDA_EXTREMES_OF(name, choose, int, s32_relu, CUDA_NOT_BELOW_ZERO) \
  CUDA_RELU_OF(name, choose)                                         \
  CUDA_EXTREMES_OF_PAIRS(name, s)                                    \
  CUDA_EXTREMES_OF_PAIRS(name, u)                                    \
  CUDA_RELU_OF_PAIRS(name)
CUDA_EXTREMES(max, HeddlePacked::larger)
CUDA_EXTREMES(min, HeddlePacked::smaller)

// The larger or smaller of two numbers, with a flag that tells whether the first operand was
// chosen.
#define CUDA_CHOSEN(name, T, type, relation)                           \
  __device__ inline T __vib##name##_##type(T a, T b, bool* is_first) { \
    *is_first = a relation b;                                          \
    return *is_first ? a : b;                                          \
  }
#define CUDA_CHOSEN_PAIRS(name, sign, relation)                                             \
  __device__ inline unsigned __vib##name##_##sign##16x2(unsigned a, unsigned b, bool* high, \
                                                        bool* low) {                        \
    const unsigned first = __vset##relation##sign##2(a, b);                                 \
    *high = first >> 16 != 0;                                                               \
    *low = (first & 1) != 0;                                                                \
    return __v##name##sign##2(a, b);                                                        \
  }
CUDA_CHOSEN(max, int, s32, >=)
CUDA_CHOSEN(max, unsigned, u32, >=)
CUDA_CHOSEN(min, int, s32, <=)
CUDA_CHOSEN(min, unsigned, u32, <=)
CUDA_CHOSEN_PAIRS(max, s, ge)
CUDA_CHOSEN_PAIRS(max, u, ge)
CUDA_CHOSEN_PAIRS(min, s, le)
CUDA_CHOSEN_PAIRS(min, u, le)

#undef CUDA_PACKED_OF
#undef CUDA_PACKED
#undef CUDA_PACKED_ONE_OF
#undef CUDA_SATURATED
#undef CUDA_COMPARED
#undef CUDA_EXTREMES_OF
#undef CUDA_AS_IT_IS
#undef CUDA_NOT_BELOW_ZERO
#undef CUDA_RELU_OF
#undef CUDA_EXTREMES_OF_PAIRS
#undef CUDA_RELU_OF_PAIRS
#undef CUDA_EXTREMES
#undef CUDA_CHOSEN
#undef CUDA_CHOSEN_PAIRS
