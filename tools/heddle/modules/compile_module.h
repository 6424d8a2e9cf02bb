// The boundary between the program and libheddle_compile.so, which holds everything that needs MLIR
// or LLVM's code generators. Loading MLIR and LLVM takes several times as long as a question to the
// catalogue. So the program opens the module only for MLIR text and for linking.
#pragma once

#include <string>

#include "tools/heddle/modules/run_module.h"

namespace heddle::tool {

/// The user's arguments of `heddle compile`.
struct CompileArguments : ProductArguments {
  std::string file;
  std::string target = "gfx1151";
  std::string emit = "object";
  std::string format = "text";
  std::string tune;  // a file of the fastest plans; empty: the planner decides
  std::string output;
};

/// The functions of the module. Each command prints its answer or error and returns the exit
/// status.
struct CompileModule {
  static constexpr char file[] = "libheddle_compile.so";
  static constexpr char entry[] = "heddle_compile_module";
  const char* version;  // Heddle's version; the program and its modules must be of one build
  int (*compile)(const CompileArguments&);
  int (*run)(const RunArguments&);  // MLIR
  LinkObject link;
};

}  // namespace heddle::tool

/// The module's entry, found by its name.
extern "C" const heddle::tool::CompileModule* heddle_compile_module();
