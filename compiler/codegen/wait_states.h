// The wait states that LLVM 22 leaves out.
#pragma once

#include "llvm/Pass.h"

namespace heddle::compiler {

/// A pass for gfx950, to run behind LLVM's "Post RA hazard recognizer". A product of 16 passes
/// needs 20 wait states before another instruction reads or writes its result (CDNA4 ISA,
/// "Dependency Resolution: Required Independent Instructions"), but LLVM 22 looks back over only 19
/// instructions. If exactly 19 wait states lie between, it adds none (LLVM, pull request 222040,
/// which later versions have). This pass adds the missing one.
llvm::FunctionPass* missed_wait_states();

}  // namespace heddle::compiler
