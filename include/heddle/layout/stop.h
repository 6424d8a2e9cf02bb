// How this library ends a program that used it wrongly: with a sentence, then a trap.
//
// Users' mistakes come back as an Error inside an Expected. Only a program that ignores one, by
// asking a failed Expected for its value, calls these functions. In constant evaluation such a call
// does not compile, and the compiler prints the function's name: hence the long names.
//
// On the host the sentence goes to stderr, as "heddle: this point has no axis 'lnae'", and the
// program ends by a trap (SIGILL or SIGTRAP). In a kernel and in wasm there is no stderr: only the
// trap is left. So a kernel's mistakes are better found at compile time, by making the layout a
// constant.
#pragma once

#include "heddle/layout/needs_cxx20.h"

#include <cstddef>
#include <cstdio>

// In clang's HIP and CUDA, constexpr functions are implicitly for host and device. Other functions
// need these attributes.
#if defined(__HIP__) || defined(__CUDA__)
#define HEDDLE_HOST_DEVICE __attribute__((host)) __attribute__((device))
#else
#define HEDDLE_HOST_DEVICE
#endif

namespace heddle::layout {

// Prints the sentence to stderr, except in a kernel and in wasm, which have no stderr. Then traps.
[[noreturn]] HEDDLE_HOST_DEVICE inline void stop([[maybe_unused]] const char* sentence,
                                                 [[maybe_unused]] std::size_t size) {
#if !defined(__HIP_DEVICE_COMPILE__) && !defined(__CUDA_ARCH__) && !defined(__wasm__)
  std::fwrite("heddle: ", 1, 8, stderr);
  std::fwrite(sentence, 1, size, stderr);
  std::fwrite("\n", 1, 1, stderr);
#endif
  __builtin_trap();
}

[[noreturn]] HEDDLE_HOST_DEVICE inline void
axis_name_needs_1_to_15_letters_digits_underscores_no_digit_first() {
  constexpr char sentence[] =
      "an axis name is 1 to 15 letters, digits and underscores and does not start with a digit";
  stop(sentence, sizeof sentence - 1);
}

// Stops with the sentence "this point has no axis 'NAME'". NAME is the text of an AxisName, which
// has at most 15 characters.
[[noreturn]] HEDDLE_HOST_DEVICE inline void this_point_has_no_axis_of_that_name(const char* name,
                                                                                std::size_t size) {
  constexpr char begin[] = "this point has no axis '";
  char sentence[sizeof begin + 16] = {};
  std::size_t end = 0;
  for (const char* c = begin; *c != 0; ++c) sentence[end++] = *c;
  for (std::size_t i = 0; i < size && i < 15; ++i) sentence[end++] = name[i];
  sentence[end++] = '\'';
  stop(sentence, end);
}

}  // namespace heddle::layout
