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

/// Finds a kernel by the address that host code passes to launch it, which is that of a function or
/// variable of the host. Null if the address is unknown.
const RegisteredKernel* registered_kernel(const void* function);
const RegisteredVariable* registered_variable(const void* variable);

void add_registered(const void* function, RegisteredKernel kernel);
void add_registered(const void* variable, RegisteredVariable known);

}  // namespace heddle::program
