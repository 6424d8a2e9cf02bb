// Calls of the functions that CUDA itself has and a text only declares: vprintf, __assertfail,
// malloc and free.
//
// Source: CUDA C++ Programming Guide 13.0, "Formatted Output" and "Assertion", and their
// declarations in clang's and NVIDIA's PTX.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/ptx/machine.h"

namespace heddle::emulator::ptx {

// Where the parameters and results of a call are in the local memory of the lanes.
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
