// Conversions of numbers whose names say the rounding, of <hip/hip_runtime.h> and <cuda_runtime.h>
// where there is no SDK: _rn to the nearest, _rz to zero, _rd down, _ru up.
#pragma once

struct HeddleConversions {
  // Converts a float that has an integer value. A number out of the range of Integer becomes the
  // nearest Integer, and a NaN becomes 0. On NVIDIA's GPUs, if either type has 64 bits, a NaN
  // becomes a number with only the highest bit set (PTX ISA 9.0, "cvt").
  template <class Integer, class Float>
  __device__ static Integer to_integer(Float x) {
    constexpr bool is_signed = Integer(-1) < Integer(0);
    constexpr int bits = 8 * sizeof(Integer);
    constexpr auto top = static_cast<Integer>(1ull << (bits - 1));
    constexpr auto most = static_cast<Integer>(is_signed ? ~top : ~Integer(0));
    constexpr Float limit = (is_signed ? 1.0f : 2.0f) * static_cast<Float>(1ull << (bits - 1));
#ifdef __NVPTX__
    constexpr Integer of_nan = sizeof(Float) == 8 || bits == 64 ? top : Integer(0);
#else
    constexpr Integer of_nan = 0;
#endif
    if (x != x) return of_nan;
    if (x >= limit) return most;
    if (x <= (is_signed ? -limit : Float(0))) return is_signed ? top : Integer(0);
    return static_cast<Integer>(x);
  }

  // Keeps as many leading bits of `size` as the float can hold. If `up`, and if the bits that are
  // dropped are not all zero, adds one to the last bit that is kept.
  template <class Float>
  __device__ static Float of_size(unsigned long long size, bool up) {
    constexpr int room = sizeof(Float) == 8 ? 53 : 24;
    const int beyond = size == 0 ? 0 : 64 - room - __builtin_clzll(size);
    if (beyond <= 0) return static_cast<Float>(size);
    const unsigned long long kept = size >> beyond << beyond;
    const auto step = static_cast<Float>(1ull << beyond);
    return static_cast<Float>(kept) + (up && kept != size ? step : Float(0));
  }
  template <class Float, class Integer>
  __device__ static Float of_integer(Integer x, bool down, bool up) {
    const bool is_negative = x < Integer(0);
    const auto bits = static_cast<unsigned long long>(x);
    const Float size = of_size<Float>(is_negative ? 0 - bits : bits, is_negative ? down : up);
    return is_negative ? -size : size;
  }

  __device__ static float of_double(double x, bool down, bool up) {
    const auto near = static_cast<float>(x);
    const double back = near;
    const bool is_larger = __builtin_fabs(back) > __builtin_fabs(x);
    const bool wants_larger = x < 0 ? down : up;
    if (back == x || x != x || is_larger == wants_larger) return near;
    return __builtin_bit_cast(float, __builtin_bit_cast(int, near) + (is_larger ? -1 : 1));
  }
};

#define HIP_TO_INTEGER(from, From, f, to, To)                        \
  __device__ inline To __##from##2##to##_rn(From x) {                \
    return HeddleConversions::to_integer<To>(__builtin_rint##f(x));  \
  }                                                                  \
  __device__ inline To __##from##2##to##_rz(From x) {                \
    return HeddleConversions::to_integer<To>(__builtin_trunc##f(x)); \
  }                                                                  \
  __device__ inline To __##from##2##to##_rd(From x) {                \
    return HeddleConversions::to_integer<To>(__builtin_floor##f(x)); \
  }                                                                  \
  __device__ inline To __##from##2##to##_ru(From x) {                \
    return HeddleConversions::to_integer<To>(__builtin_ceil##f(x));  \
  }
#define HIP_OF_INTEGER(from, From, to)                                             \
  __device__ inline to __##from##2##to##_rn(From x) { return static_cast<to>(x); } \
  __device__ inline to __##from##2##to##_rz(From x) {                              \
    return HeddleConversions::of_integer<to>(x, false, false);                     \
  }                                                                                \
  __device__ inline to __##from##2##to##_rd(From x) {                              \
    return HeddleConversions::of_integer<to>(x, true, false);                      \
  }                                                                                \
  __device__ inline to __##from##2##to##_ru(From x) {                              \
    return HeddleConversions::of_integer<to>(x, false, true);                      \
  }
#define HIP_BOTH_WAYS(name, Integer)              \
  HIP_TO_INTEGER(float, float, f, name, Integer)  \
  HIP_TO_INTEGER(double, double, , name, Integer) \
  HIP_OF_INTEGER(name, Integer, float)            \
  HIP_OF_INTEGER(name, Integer, double)
HIP_BOTH_WAYS(int, int)
HIP_BOTH_WAYS(uint, unsigned)
HIP_BOTH_WAYS(ll, long long)
HIP_BOTH_WAYS(ull, unsigned long long)
#undef HIP_BOTH_WAYS
#undef HIP_OF_INTEGER
#undef HIP_TO_INTEGER

__device__ inline float __double2float_rn(double x) { return static_cast<float>(x); }
__device__ inline float __double2float_rz(double x) {
  return HeddleConversions::of_double(x, false, false);
}
__device__ inline float __double2float_rd(double x) {
  return HeddleConversions::of_double(x, true, false);
}
__device__ inline float __double2float_ru(double x) {
  return HeddleConversions::of_double(x, false, true);
}
__device__ inline int __double2hiint(double x) {
  return static_cast<int>(__builtin_bit_cast(long long, x) >> 32);
}
__device__ inline int __double2loint(double x) {
  return static_cast<int>(__builtin_bit_cast(long long, x));
}
__device__ inline double __hiloint2double(int high, int low) {
  return __builtin_bit_cast(double, static_cast<unsigned long long>(static_cast<unsigned>(high))
                                            << 32 |
                                        static_cast<unsigned>(low));
}
