// Workgroups that share the k of one tile of D: each leaves its sums in memory, and the last to
// arrive adds them in the order of k, so that a result does not depend on who was last.
#pragma once

#include <vector>

#include "compiler/rdna/kernel_context.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace heddle::compiler {

/// Leaves `sums` in `workspace` (plan::MatmulPlan::workspace_bytes, zeros before the first launch
/// and after every one), and runs `finish` on the sums of all parts in the last workgroup of a
/// tile.
void add_parts(const KernelContext& context, const std::vector<mlir::Value>& sums,
               mlir::Value workspace,
               llvm::function_ref<void(const std::vector<mlir::Value>&)> finish);

}  // namespace heddle::compiler
