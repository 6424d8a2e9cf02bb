// The boundary between the program and libheddle_compile.so, which holds all that needs MLIR or
// LLVM's code generators. Loading these takes several times as long as a question to the catalogue,
// so the program opens the module only for what is MLIR, and to link.
#pragma once

#include <string>

#include "tools/heddle/modules/run_module.h"

namespace heddle::tool {

/// What the user wrote behind `heddle compile`.
struct CompileArguments : ProductArguments {
  std::string file;
  std::string target = "gfx1151";
  std::string emit = "object";
  std::string format = "text";
  std::string tune;  // a file of plans that were the fastest; empty: the planner decides
  std::string output;
};

/// What the module offers. Each command prints its answer or error and returns the exit status.
struct CompileModule {
  static constexpr char file[] = "libheddle_compile.so";
  static constexpr char entry[] = "heddle_compile_module";
  const char* version;  // of Heddle; the program and its modules are of one build
  int (*compile)(const CompileArguments&);
  int (*run)(const RunArguments&);  // MLIR
  LinkObject link;
};

}  // namespace heddle::tool

/// The module's entry, found by its name.
extern "C" const heddle::tool::CompileModule* heddle_compile_module();
