// Parts of a product (compiler/kernel/parts.h) on RDNA: by buffer instructions and LDS.
#pragma once

#include "compiler/kernel/parts.h"
#include "compiler/rdna/kernel_context.h"

namespace heddle::compiler {

/// As compiler/kernel/parts.h says, with `sums` as vectors, in `workspace`
/// (plan::MatmulPlan::workspace_bytes).
void add_parts(const KernelContext& context, const std::vector<mlir::Value>& sums,
               mlir::Value workspace,
               llvm::function_ref<void(const std::vector<mlir::Value>&)> finish);

}  // namespace heddle::compiler
