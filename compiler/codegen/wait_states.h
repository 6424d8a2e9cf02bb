// The wait states that LLVM 22 leaves out.
#pragma once

#include "llvm/Pass.h"

namespace heddle::compiler {

/// A pass for gfx950, to run behind LLVM's "Post RA hazard recognizer". After a product of 16
/// passes, 20 wait states are needed before another instruction reads or writes the product's
/// result (CDNA4 ISA, "Dependency Resolution: Required Independent Instructions"). LLVM 22 looks
/// back over only 19 wait states, so if exactly 19 lie between product and instruction, it adds
/// none. This pass adds the missing one. Later versions of LLVM do it themselves (pull request
/// 222040).
llvm::FunctionPass* missed_wait_states();

}  // namespace heddle::compiler
