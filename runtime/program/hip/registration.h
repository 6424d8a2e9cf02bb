// Kernels and variables that compiler-generated code registers before main, and the module images
// in programs.
#pragma once

#include <string>

namespace heddle::program {

/// The bytes of a code object, a bundle or PTX that begins at `image`. Their number is found from
/// the contents.
std::string binary_text(const void* image);

}  // namespace heddle::program
