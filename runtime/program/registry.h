// The kernels and variables of the program. Code that the compiler generates registers them before
// main.
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

/// Finds the kernel for a host function. (To launch a kernel, host code passes the address of a
/// host function with the same name.) Null if the function is unknown.
const RegisteredKernel* registered_kernel(const void* function);
const RegisteredVariable* registered_variable(const void* variable);

void add_registered(const void* function, RegisteredKernel kernel);
void add_registered(const void* variable, RegisteredVariable known);

}  // namespace heddle::program
