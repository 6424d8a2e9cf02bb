// How this library ends a program that used it wrongly: with a sentence, then a trap.
//
// Users' mistakes come back as an Error inside an Expected. Only a program that ignores one, by
// asking a failed Expected for its value, arrives here. In constant evaluation each of these
// functions is an error of the compiler, which prints the function's name: hence the long names.
#pragma once

#include <cstddef>
#include <cstdio>

// constexpr functions are implicitly for host and device in clang's HIP and CUDA; others say so.
#if defined(__HIP__) || defined(__CUDA__)
#define HEDDLE_HOST_DEVICE __attribute__((host)) __attribute__((device))
#else
#define HEDDLE_HOST_DEVICE
#endif

namespace heddle::layout {

// Prints the sentence to stderr where there is one, and traps.
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
axis_name_needs_1_to_15_letters_digits_or_underscores() {
  constexpr char sentence[] =
      "an axis name is 1 to 15 letters, digits and underscores and does not start with a digit";
  stop(sentence, sizeof sentence - 1);
}

}  // namespace heddle::layout
