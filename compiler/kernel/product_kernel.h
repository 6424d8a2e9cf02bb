// Makes the kernel of a plan, by one function for each kind of plan.
#pragma once

#include <memory>

#include "compiler/kernel/kernel_module.h"
#include "compiler/plan/attention_plan.h"
#include "compiler/plan/element_plan.h"
#include "compiler/plan/elementwise_plan.h"
#include "compiler/plan/matmul_plan.h"
#include "compiler/plan/mma_plan.h"
#include "compiler/plan/warpgroup_attention.h"
#include "compiler/plan/warpgroup_plan.h"
#include "compiler/request/matmul_request.h"

namespace heddle::compiler {

/// The kernel is named after the user's function. Its arguments, in the order of `parameter_roles`,
/// are 64-bit pointers to global memory, on NVIDIA aligned to 16 bytes, and 32-bit sizes. If k is
/// split, the pointer to the memory in which parts meet follows.
std::unique_ptr<KernelModule> product_kernel(const MatmulRequest& request,
                                             const plan::MatmulPlan& plan);
std::unique_ptr<KernelModule> product_kernel(const MatmulRequest& request,
                                             const plan::MmaPlan& plan);

/// The kernel of a request that is_elementwise.
std::unique_ptr<KernelModule> product_kernel(const MatmulRequest& request,
                                             const plan::ElementwisePlan& plan);

/// The kernel of a request with a softmax.
std::unique_ptr<KernelModule> product_kernel(const MatmulRequest& request,
                                             const plan::AttentionPlan& plan);

/// The same for sm_90a, by wgmma. Arguments: the tensor maps of Q, K, V and the result, or a pointer
/// to it; pointers to the further matrices of the epilogue.
std::unique_ptr<KernelModule> product_kernel(const MatmulRequest& request,
                                             const plan::WarpgroupAttentionPlan& plan);

/// The kernel of a request with a program.
std::unique_ptr<KernelModule> product_kernel(const MatmulRequest& request,
                                             const plan::ElementPlan& plan);

/// Persistent blocks of one warpgroup that copies and several that multiply, for sm_90a. Arguments:
/// the tensor maps of A, B and D by value, 128 bytes each, or a pointer to D; a pointer to C, if
/// there is one; pointers to the further matrices of the epilogue; the dynamic sizes. C and D may
/// be the same memory.
std::unique_ptr<KernelModule> product_kernel(const MatmulRequest& request,
                                             const plan::WarpgroupPlan& plan);

}  // namespace heddle::compiler
