// The last protection against crashes of LLVM: if LLVM would abort the process in a step, the step
// returns an error instead.
//
// All input is verified before, so no user's input should cause a crash. A crash that is caught
// here is a fault of this compiler or of LLVM; it is reported, and the process goes on.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "llvm/ADT/STLFunctionalExtras.h"

namespace heddle::compiler {

/// Runs `step` on a thread with a large stack. Errors: the text of LLVM's fatal error, or that
/// `what` (the name of the step in messages) crashed. Only one step runs at a time, others wait:
/// LLVM has one fatal error handler for the process.
std::expected<void, std::string> guarded(std::string_view what, llvm::function_ref<void()> step);

}  // namespace heddle::compiler
