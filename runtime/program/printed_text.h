// Formats the text that kernels printed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace heddle::program {

/// Reads the text at an address of the device, up to its zero.
using TextAt = std::function<std::string(std::uint64_t address)>;

struct Printed {
  std::string text;
  bool is_cut = false;  // the variable had no room for all of it
};

/// Reads the variable `heddle_printed` of a module (without_rocm/print.h), and empties it.
Printed take_printed(std::span<std::byte> variable, const TextAt& text_at);

}  // namespace heddle::program
