// Votes that compare values of lanes (match), and reductions over a mask of lanes, of
// <hip/hip_runtime.h> and <cuda_runtime.h> where there is no SDK.
#pragma once

#ifdef __CUDA__
using HeddleLanes = unsigned;
#else
using HeddleLanes = unsigned long long;
#endif

// The lanes of the mask whose value has the same bits as the value of this lane.
template <class T>
__device__ inline HeddleLanes __match_any_sync(HeddleLanes mask, T value) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "a value of 4 or 8 bytes");
#ifdef __NVPTX__
  if constexpr (sizeof(T) == 4)
    return __nvvm_match_any_sync_i32(mask, __builtin_bit_cast(unsigned, value));
  else
    return __nvvm_match_any_sync_i64(mask, __builtin_bit_cast(unsigned long long, value));
#else
  unsigned words[sizeof(T) / 4];
  __builtin_memcpy(words, &value, sizeof(T));
  HeddleLanes same = mask;
  for (const unsigned word : words)
    for (int bit = 0; bit < 32; ++bit) {
      const bool is_set = (word >> bit & 1u) != 0;
      const HeddleLanes set = __ballot_sync(mask, is_set);
      same &= is_set ? set : ~set;
    }
  return same;
#endif
}
// Returns the mask if all of its lanes have the same value, else 0.
template <class T>
__device__ inline HeddleLanes __match_all_sync(HeddleLanes mask, T value, int* are_equal) {
  const bool all = __match_any_sync(mask, value) == mask;
  *are_equal = all;
  return all ? mask : 0;
}

// Combines the values of the mask's lanes in the order of the lanes. In each exchange every lane of
// the wave takes part, even if it is not in the mask, because other lanes may have other masks.
template <class T, class Operation>
__device__ inline T heddle_reduced(HeddleLanes mask, T value, Operation operation) {
  T result = value;
  bool has_any = false;
  for (int lane = 0; lane < warpSize; ++lane) {
    const T other = __shfl_sync(mask, value, lane);
    if ((mask >> lane & 1u) == 0) continue;
    result = has_any ? operation(result, other) : other;
    has_any = true;
  }
  return result;
}
#ifdef __NVPTX__
#define HIP_REDUCTION(name, expression, of_int, of_unsigned)                            \
  template <class T>                                                                    \
  __device__ inline T __reduce_##name##_sync(HeddleLanes mask, T value) {               \
    static_assert(sizeof(T) == 4 && __is_integral(T), "an integer of 32 bits");         \
    return static_cast<T>(T(-1) < T(0) ? __nvvm_redux_sync_##of_int(value, mask)        \
                                       : __nvvm_redux_sync_##of_unsigned(value, mask)); \
  }
#else
#define HIP_REDUCTION(name, expression, of_int, of_unsigned)                      \
  template <class T>                                                              \
  __device__ inline T __reduce_##name##_sync(HeddleLanes mask, T value) {         \
    return heddle_reduced(mask, value, [](T a, T b) -> T { return expression; }); \
  }
#endif
HIP_REDUCTION(add, a + b, add, add)
HIP_REDUCTION(min, b < a ? b : a, min, umin)
HIP_REDUCTION(max, a < b ? b : a, max, umax)
HIP_REDUCTION(and, a& b, and, and)
HIP_REDUCTION(or, a | b, or, or)
HIP_REDUCTION(xor, a ^ b, xor, xor)
#undef HIP_REDUCTION
