// The boundary between the program and libheddle_run.so, which runs kernels: code objects, PTX, and
// what clang makes of sources. It has the few parts of LLVM that the emulator needs linked in:
// loading libLLVM.so and libMLIR.so takes longer than most launches.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/record/budget.h"

namespace heddle::tool {

/// Makes a code object of an object file, or says what the linker said. The linker is in the other
/// module (tools/heddle/modules/compile_module.h), which the program opens when it is called.
using LinkObject = std::expected<std::vector<std::uint8_t>, std::string> (*)(std::string_view);

/// What `heddle compile` and `heddle run` ask of products alike.
struct ProductArguments {
  std::string f32 = "exact";
  std::string f8 = "promoted";
  std::string plan;  // a plan file
};

/// Seconds of a processor that the compiler of a kernel may take, unless --limit-compile says
/// otherwise.
inline constexpr std::uint64_t most_compile_seconds = 120;

/// What the user wrote behind `heddle run`.
struct RunArguments : ProductArguments {
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
  std::vector<std::int64_t> sizes;        // of dynamic loops: m, n, k, batch
  std::vector<std::string> array_inputs;  // NAME=FILE, of a matmul
  std::vector<std::string> dumps;         // NAME=FILE
  std::uint64_t seed = 1;
  unsigned threads = 0;
  bool profile_all = false;
  emulator::Budget budget;                               // what the run may cost
  std::uint64_t compile_seconds = most_compile_seconds;  // of kernels in source
  LinkObject link = nullptr;                             // the same
};

/// What the module offers. Each command prints its answer or error and returns the exit status.
struct RunModule {
  static constexpr char file[] = "libheddle_run.so";
  static constexpr char entry[] = "heddle_run_module";
  const char* version;  // of Heddle; the program and its modules are of one build
  int (*run_kernel)(const RunArguments&);
  int (*run_program)(const RunArguments&);
};

}  // namespace heddle::tool

/// The module's entry, found by its name.
extern "C" const heddle::tool::RunModule* heddle_run_module();
