// `heddle compile FILE`: a matmul to its plan, MLIR, LLVM IR, assembly or code object.
#pragma once

#include <CLI/App.hpp>

namespace heddle::tool {

/// Adds the command; its exit status goes to `status` when it was the one given.
void add_compile_command(CLI::App& program, int& status);

}  // namespace heddle::tool
