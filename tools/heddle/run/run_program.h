// `heddle run PROGRAM` and `heddle exec -- PROGRAM`: the host code of a program runs on this
// machine, and its kernels on the emulator of AMD's machine code or the simulator of PTX
// (docs/programs.md).
#pragma once

#include "tools/heddle/modules/run_module.h"

namespace heddle::tool {

int run_program(const RunArguments& arguments);

}  // namespace heddle::tool
