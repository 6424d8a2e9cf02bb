// heddle probe: ask an NVIDIA GPU where the elements lie.
#pragma once

#include <CLI/App.hpp>

namespace heddle::tool {

/// Adds the command; when it runs it sets `status`: 1 if the GPU contradicts the catalogue, 2 if
/// there is none or an instruction is not known.
void add_probe_command(CLI::App& program, int& status);

}  // namespace heddle::tool
