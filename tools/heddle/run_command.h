// `heddle run FILE`: compile a matmul, execute its machine code, judge every element.
#pragma once

#include <CLI/App.hpp>

namespace heddle::tool {

/// Adds the command; its exit status goes to `status` when it was the one given.
void add_run_command(CLI::App& program, int& status);

}  // namespace heddle::tool
