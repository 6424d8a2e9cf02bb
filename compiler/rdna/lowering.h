// From the kernel of a plan for RDNA to LLVM IR. The list of passes is in lowering.cpp, each with
// its reason.
#pragma once

#include <memory>

#include "compiler/kernel/kernel_module.h"
#include "compiler/request/matmul_request.h"
#include "heddle/plan/matmul_plan.h"

namespace heddle::compiler {

/// The kernel of one plan.
std::unique_ptr<KernelModule> rdna_kernel(const MatmulRequest& request,
                                          const plan::MatmulPlan& plan);

}  // namespace heddle::compiler
