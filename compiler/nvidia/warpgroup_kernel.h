// The kernel of a WarpgroupPlan: persistent blocks of one warpgroup that copies and several that
// multiply, for sm_90a.
#pragma once

#include <memory>

#include "compiler/kernel/kernel_module.h"
#include "compiler/request/matmul_request.h"
#include "heddle/plan/warpgroup_plan.h"

namespace heddle::compiler {

/// The kernel of `request`. Its parameters: the tensor maps of A, B and D by value, 128 bytes each,
/// or a pointer to D; pointers to C, where there is one, and to the further matrices of the
/// epilogue; the dynamic sizes. C and D may be the same memory.
std::unique_ptr<KernelModule> warpgroup_kernel(const MatmulRequest& request,
                                               const plan::WarpgroupPlan& plan);

}  // namespace heddle::compiler
