// What the compiler's code of a program says of its kernels and variables before main.
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

/// By the address of the function or variable that stands for it on the host; null if unknown.
const RegisteredKernel* registered_kernel(const void* function);
const RegisteredVariable* registered_variable(const void* variable);

/// The bytes of a code object, a bundle or PTX in memory, whose length only they themselves say.
std::string binary_text(const void* image);

}  // namespace heddle::program
