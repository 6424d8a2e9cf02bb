// Makes the LLVM of a module end the program when there is no memory.
#pragma once

#include <llvm/Support/ErrorHandling.h>

#include <new>

namespace heddle::tool {

/// From now on LLVM's failed allocations end the program in the same way as others
/// (tools/heddle/host/memory_ceiling.h). Each module has its own LLVM.
inline void end_llvm_for_lack_of_memory() {
  static const bool installed = (llvm::install_bad_alloc_error_handler(
                                     [](void*, const char*, bool) {
                                       if (const std::new_handler handler = std::get_new_handler())
                                         handler();
                                     },
                                     nullptr),
                                 true);
  (void)installed;
}

}  // namespace heddle::tool
