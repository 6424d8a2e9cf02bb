// What the LLVM of a module does when there is no memory.
#pragma once

#include <llvm/Support/ErrorHandling.h>

#include <new>

namespace heddle::tool {

/// From now on LLVM's allocations end the program as the others do
/// (tools/heddle/host/memory_ceiling.h). Each module has an LLVM of its own.
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
