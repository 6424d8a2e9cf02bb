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

void add_registered(const void* function, RegisteredKernel kernel);
void add_registered(const void* variable, RegisteredVariable known);

}  // namespace heddle::program
