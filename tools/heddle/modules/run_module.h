// The boundary between the program and libheddle_run.so, which runs kernels: code objects, PTX, and
// sources that clang compiles. The few parts of LLVM that the emulator needs are linked into
// libheddle_run.so, because loading libLLVM.so and libMLIR.so takes longer than most launches.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/record/budget.h"

namespace heddle::tool {

/// A function that links an object file to a code object. The program passes it in, because the
/// linker is in the other module (tools/heddle/modules/compile_module.h). Error: the linker's
/// message.
using LinkObject = std::expected<std::vector<std::uint8_t>, std::string> (*)(std::string_view);

/// The processor seconds that compiling a kernel may take, unless --limit-compile sets another
/// limit.
inline constexpr std::uint64_t most_compile_seconds = 120;

/// The arguments that `heddle compile` and `heddle run` share for products.
struct ProductArguments {
  std::string function;  // of a text with several; empty: the only one
  std::string f32 = "exact";
  std::string f8 = "promoted";
  bool unfused = false;                                  // each step of attention is a kernel
  std::string plan;                                      // a plan file
  std::uint64_t compile_seconds = most_compile_seconds;  // also of kernels in other languages
};

/// The user's arguments of `heddle run`.
struct RunArguments : ProductArguments {
  std::string file;
  unsigned devices = 1;   // of a program
  bool is_built = false;  // the file is a program that another compiler has built
  std::string launch;     // the launch file of a kernel; empty for MLIR
  // words after --: flags for a kernel's compiler, or a program's arguments
  std::vector<std::string> flags;
  std::vector<std::string> compile_flags;  // of a program
  std::vector<std::string> sources;        // further sources of a program
  std::string rocm;                        // a folder of ROCm, for its headers
  std::string target;                      // empty: gfx1151, or what a code object is for
  std::string device = "emulator";
  bool check = false;
  std::string report = "text";
  std::string inputs = "auto";
  std::vector<std::int64_t> sizes;        // of dynamic loops: m, n, k, batch
  std::vector<std::string> array_inputs;  // NAME=FILE, for a matmul
  std::vector<std::string> dumps;         // NAME=FILE
  std::uint64_t seed = 1;
  unsigned threads = 0;
  bool profile_all = false;
  bool explain_error = false;  // of a matmul
  emulator::Budget budget;     // what the run may cost
  LinkObject link = nullptr;   // the same
};

/// The functions of the module. Each command prints its answer or error and returns the exit
/// status.
struct RunModule {
  static constexpr char file[] = "libheddle_run.so";
  static constexpr char entry[] = "heddle_run_module";
  const char* version;  // Heddle's version; the program and its modules must be of one build
  int (*run_kernel)(const RunArguments&);
  int (*run_program)(const RunArguments&);
};

}  // namespace heddle::tool

/// The module's entry, found by its name.
extern "C" const heddle::tool::RunModule* heddle_run_module();
