// The boundary between the program and libheddle_compile.so, which holds all that links LLVM and
// MLIR. Loading these takes several times as long as a question to the catalogue, so the program
// opens the module only for `compile` and `run`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/record/budget.h"

namespace heddle::tool {

/// What the user wrote behind `heddle compile`.
struct CompileArguments {
  std::string file;
  std::string target = "gfx1151";
  std::string emit = "object";
  std::string format = "text";
  std::string f32 = "exact";
  std::string f8 = "promoted";
  std::string plan;  // a plan file
  std::string tune;  // a file of plans that were the fastest; empty: the planner decides
  std::string output;
};

/// What the user wrote behind `heddle run`.
struct RunArguments {
  std::string file;
  std::string launch;              // of a kernel; empty for MLIR
  std::vector<std::string> flags;  // behind --: for the compiler of a kernel, or to a program
  std::vector<std::string> compile_flags;  // of a program
  std::vector<std::string> sources;        // of a program, behind the first
  std::string rocm;                        // a folder of ROCm, for its headers
  std::string target;                      // empty: gfx1151, or what a code object is for
  std::string device = "emulator";
  bool check = false;
  std::string report = "text";
  std::string inputs = "auto";
  std::string f32 = "exact";
  std::string f8 = "promoted";
  std::string plan;                       // a plan file
  std::vector<std::int64_t> sizes;        // of dynamic loops: m, n, k, batch
  std::vector<std::string> array_inputs;  // NAME=FILE, of a matmul
  std::vector<std::string> dumps;         // NAME=FILE
  std::uint64_t seed = 1;
  unsigned threads = 0;
  bool profile_all = false;
  emulator::Budget budget;  // what the run may cost
};

/// What the module offers. Each command prints its answer or error and returns the exit status.
struct CompileModule {
  const char* version;  // of Heddle; the program and its module are of one build
  int (*compile)(const CompileArguments&);
  int (*run)(const RunArguments&);
  int (*run_kernel)(const RunArguments&);
  int (*run_program)(const RunArguments&);
};

inline constexpr char compile_module_file[] = "libheddle_compile.so";
inline constexpr char compile_module_entry[] = "heddle_compile_module";

}  // namespace heddle::tool

/// The module's entry, found by its name.
extern "C" const heddle::tool::CompileModule* heddle_compile_module();
