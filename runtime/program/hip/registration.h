// Keeps what the compiler's code registers before main: the program's kernels and variables.
#pragma once

#include <string>

#include "runtime/program/device.h"

namespace heddle::program {

struct RegisteredKernel {
  ProgramModule* module;
  std::string name;  // the symbol on the device
};
struct RegisteredVariable {
  ProgramModule* module;
  std::string name;
};

/// Finds a kernel by the address of the host function that stands for it; null if unknown.
const RegisteredKernel* registered_kernel(const void* function);
const RegisteredVariable* registered_variable(const void* variable);

/// The bytes of a code object, a bundle or PTX in memory. Their length is read from themselves.
std::string binary_text(const void* image);

}  // namespace heddle::program
