// printf of kernels. Under `heddle run` a variable of the module keeps the printed text, and is
// read after the launch (runtime/program/printed_text.h). Elsewhere the text is lost.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef HEDDLE_PRINTS
// The records of printf. Each consists of words of 8 bytes: the number of its words, the address of
// the format, and a word for each argument.
struct HeddlePrinted {
  unsigned used;  // bytes that were wanted: more than there are when something was lost
  unsigned reserved;
  unsigned long long words[(1 << 20) / 8];
};
inline __device__ HeddlePrinted heddle_printed;

template <class T>
__device__ unsigned long long heddle_printed_word(T value) {
  if constexpr (__is_same(T, float) || __is_same(T, _Float16))
    return __builtin_bit_cast(unsigned long long, static_cast<double>(value));
  else if constexpr (__is_same(T, double))
    return __builtin_bit_cast(unsigned long long, value);
  else if constexpr (__is_pointer(T))
    return reinterpret_cast<unsigned long long>(value);
  else
    return static_cast<unsigned long long>(static_cast<long long>(value));  // an enumeration too
}

template <class... T>
__device__ int printf(const char* format, T... values) {
  constexpr unsigned count = 2 + sizeof...(T);
  const unsigned first = __scoped_atomic_fetch_add(&heddle_printed.used, 8 * count,
                                                   __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  if (first + 8 * count > sizeof heddle_printed.words) return -1;
  unsigned long long* word = heddle_printed.words + first / 8;
  *word++ = count;
  *word++ = reinterpret_cast<unsigned long long>(format);
  ((*word++ = heddle_printed_word(values)), ...);
  return 0;
}
#else
template <class... T>
__device__ int printf(const char*, T...) {
  return 0;
}
#endif
