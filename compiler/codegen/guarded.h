// The last net under LLVM: a step that LLVM would end with an abort comes back as an error.
//
// Nothing that a user can write should get here, because every input is verified before; what is
// caught is a fault of this compiler or of LLVM, reported instead of killing the caller's process.
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
