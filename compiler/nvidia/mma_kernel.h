// The kernel of a plan for mma.sync, as a module that lowers to LLVM IR for NVIDIA.
#pragma once

#include <memory>

#include "compiler/kernel/kernel_module.h"
#include "compiler/request/matmul_request.h"
#include "heddle/plan/mma_plan.h"

namespace heddle::compiler {

/// The kernel of one plan, named after the user's function. Its arguments, in the order of
/// `parameter_roles`, are 64-bit pointers to global memory, each aligned to 16 bytes, and 32-bit
/// sizes; then, where k is split, the pointer to the memory in which parts meet.
std::unique_ptr<KernelModule> mma_kernel(const MatmulRequest& request, const plan::MmaPlan& plan);

}  // namespace heddle::compiler
