// Fills those members of a Compilation that follow from the request alone, before there is a plan.
#pragma once

#include "compiler/compile.h"

namespace heddle::compiler {

/// Sets the request, the parameters of its kernel, and the kernel's name.
void describe(Compilation& result, const MatmulRequest& request, instruction::Target target);

}  // namespace heddle::compiler
