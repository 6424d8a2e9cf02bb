#pragma once

#include <string>

#include "tools/heddle/modules/compile_module.h"

namespace heddle::tool {

/// `heddle run` of a warp-level function: compiles the text, runs it on the emulator, the simulator
/// or a GPU, compares every element with the float64 reference, prints the report. Returns the exit
/// status.
int run_warp(const RunArguments& arguments, const std::string& text);

}  // namespace heddle::tool
