// Messages with values in them; std::format is not in the C++ library of Debian 12.
#pragma once

#include <llvm/Support/FormatVariadic.h>

#include <string>
#include <utility>

namespace heddle::emulator {

// LLVM's format strings: {} is the next value, {:x} in hexadecimal with 0x.
template <class... Values>
std::string formatted(const char* format, Values&&... values) {
  return llvm::formatv(format, std::forward<Values>(values)...).str();
}

}  // namespace heddle::emulator
