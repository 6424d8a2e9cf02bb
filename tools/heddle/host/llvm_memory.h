// Makes a failed allocation in LLVM end the program with the same message as a failed allocation
// elsewhere. Each module of the program has its own copy of LLVM, and calls this for it.
#pragma once

#include <llvm/Support/ErrorHandling.h>

#include <new>

namespace heddle::tool {

/// After this call, failed allocations in LLVM end the program with the usual message
/// (tools/heddle/host/memory_ceiling.h). Each module has its own copy of LLVM.
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
