// Parts of a product (compiler/kernel/parts.h) by mma.sync.
#pragma once

#include "compiler/kernel/parts.h"
#include "compiler/nvidia/mma_fragments.h"

namespace heddle::compiler {

/// As compiler/kernel/parts.h says, in `workspace` (plan::MmaPlan::workspace_bytes).
void add_parts(const MmaContext& context, const Sums& sums, mlir::Value workspace,
               llvm::function_ref<void(const Sums&)> finish);

}  // namespace heddle::compiler
