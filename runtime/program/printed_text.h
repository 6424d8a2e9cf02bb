// What kernels printed, as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace heddle::program {

/// The text at an address of the device, up to its zero.
using TextAt = std::function<std::string(std::uint64_t address)>;

struct Printed {
  std::string text;
  bool is_cut = false;  // there was more than the variable holds
};

/// Reads the variable `heddle_printed` of a module (without_rocm/print.h), and empties it.
Printed take_printed(std::span<std::byte> variable, const TextAt& text_at);

}  // namespace heddle::program
