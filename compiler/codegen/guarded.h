// The last net under LLVM: a step that LLVM would end with an abort comes back as an error.
//
// No user's input should get here, because every input is verified before. A crash that is caught
// here is a fault of this compiler or of LLVM; it is reported, and the caller's process goes on.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "llvm/ADT/STLFunctionalExtras.h"

namespace heddle::compiler {

/// Runs `step` on a thread with a large stack. Errors: the text of LLVM's fatal error, or that
/// `what` crashed. Steps run one at a time: LLVM's fatal error handler belongs to the process.
std::expected<void, std::string> guarded(std::string_view what, llvm::function_ref<void()> step);

}  // namespace heddle::compiler
