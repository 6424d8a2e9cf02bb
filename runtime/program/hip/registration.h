// What the compiler's code hands over before main, and programs as images of modules.
#pragma once

#include <string>

namespace heddle::program {

/// The bytes of a code object, a bundle or PTX in memory. Their length is read from themselves.
std::string binary_text(const void* image);

}  // namespace heddle::program
