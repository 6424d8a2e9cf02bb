// Calls of functions that PTX programs only declare because CUDA itself provides them: vprintf,
// __assertfail, malloc and free.
//
// Source: CUDA C++ Programming Guide 13.0, "Formatted Output" and "Assertion", and the declarations
// of these functions in PTX made by clang and NVIDIA's compiler.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/ptx/machine.h"

namespace heddle::emulator::ptx {

// A call of a declared function. Each lane has the call's parameters and results in its own local
// memory; a Place is the address and size of one of them there.
struct DeclaredCall {
  struct Place {
    uint32_t address = 0, bytes = 0;
  };
  std::vector<Place> parameters, results;
};

// A function and the sizes of its parameters and results.
struct DeclaredFunction {
  std::string_view name;
  std::vector<uint32_t> parameters, results;
  Handler handler = nullptr;  // Record::extra is a DeclaredCall
  bool uses_heap = false;
};

// Null if the simulator does not have the function.
const DeclaredFunction* find_declared_function(std::string_view name);
// "__assertfail, free, malloc, vprintf".
std::string declared_function_names();

}  // namespace heddle::emulator::ptx
