// A value, or the Error that says why there is none.
//
//     constexpr auto tile = product(atom, tiling);
//     static_assert(tile.has_value(), tile.error().message());   the compiler prints the sentence
//                                  (C++26; clang 17 and gcc 14 take it in C++20 with a warning)
//     constexpr LinearLayout tile = product(atom, tiling).value();     any compiler: names the code
//
//     if (const auto tile = product(atom, tiling)) use(*tile);   at run time
//     else report(tile.error().message().view());
//
//     const LinearLayout tile = product(atom, tiling).value();   when it cannot fail: checked
//
// There are three ways to get the value. Which one is right depends on the origin of the arguments:
//
//     the arguments come from  ask first           what happens without a value
//     a user, at run time      if (!result) …      report result.error().message() and go on
//     the program itself       result.value()      prints the sentence on stderr, and traps
//     a constant expression    result.value()      does not compile; the message has the code
//
// std::expected is not used, because it is C++23, and with it a missing value means an exception or
// undefined behaviour. Kernels and wasm have no exceptions.
#pragma once

#include <utility>

#include "heddle/layout/error.h"

namespace heddle::layout {

// Stops because of an error. In constant evaluation the compiler rejects the call of this function
// in stop_with() and prints the template argument: "non-constexpr function
// 'stop_because<ErrorCode::duplicate_axis>' cannot be used". At run time this prints the sentence
// and traps.
template <ErrorCode code>
[[noreturn]] HEDDLE_HOST_DEVICE inline void stop_because(const Error& error) {
#if defined(__HIP_DEVICE_COMPILE__) || defined(__CUDA_ARCH__) || defined(__wasm__)
  (void)error;
  __builtin_trap();
#else
  const Text sentence = error.message();
  stop(sentence.data(), sentence.size());
#endif
}

// Calls the instance of stop_because whose template argument is the error's code.
template <int... codes>
constexpr void stop_with(const Error& error, std::integer_sequence<int, codes...>) {
  ((error.code == ErrorCode{codes} ? stop_because<ErrorCode{codes}>(error) : void()), ...);
}

// At run time one instance of stop_because() is enough for all codes. This function is cold, so
// that its code is kept apart from the code that continues with the value.
[[noreturn, gnu::cold]] HEDDLE_HOST_DEVICE inline void stop_at_run_time(const Error& error) {
  stop_because<ErrorCode::none>(error);
}

// The result of a function that may fail. It stores both a value and an Error, without a union, so
// that it is constexpr and trivially copyable whenever T is. T must be default-constructible.
template <class T>
class [[nodiscard]] Expected {
 public:
  constexpr Expected() = default;  // a default-constructed value
  // Both constructors are implicit, so that a function can simply return a value or an Error.
  constexpr Expected(const T& value) : value_(value) {}
  constexpr Expected(const Error& error) : error_(error) {}

  constexpr bool has_value() const { return error_.code == ErrorCode::none; }
  constexpr explicit operator bool() const { return has_value(); }

  // The value. If there is none, a constant expression does not compile; at run time the program
  // prints the error's sentence on stderr and traps.
  constexpr const T& value() const {
    check();
    return value_;
  }

  // The same.
  constexpr const T& operator*() const { return value(); }
  constexpr const T* operator->() const { return &value(); }
  constexpr T& operator*() {
    check();
    return value_;
  }
  constexpr T* operator->() { return &**this; }

  // The reason why there is no value; ErrorCode::none if there is one.
  constexpr const Error& error() const { return error_; }

 private:
  using Codes = std::make_integer_sequence<int, static_cast<int>(ErrorCode::count_of_codes)>;

  constexpr void check() const {
    if (has_value()) [[likely]] {
      return;
    }
    if (__builtin_is_constant_evaluated()) {
      stop_with(error_, Codes());
    } else {
      stop_at_run_time(error_);
    }
  }

  T value_ = T();
  Error error_;
};

}  // namespace heddle::layout
