// The kernel of a plan for mma.sync, as a module that lowers to LLVM IR for NVIDIA.
#pragma once

#include <memory>

#include "compiler/kernel/kernel_module.h"
#include "compiler/request/matmul_request.h"
#include "heddle/plan/mma_plan.h"

namespace heddle::compiler {

/// The kernel of one plan, named after the user's function. Its arguments are 64-bit pointers to
/// global memory, in the order of `parameter_roles`, each aligned to 16 bytes.
std::unique_ptr<KernelModule> mma_kernel(const MatmulRequest& request, const plan::MmaPlan& plan);

}  // namespace heddle::compiler
