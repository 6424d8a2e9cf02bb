// Makes kernels from plans. There is a function for each kind of plan.
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

/// The kernel of a plan. It has the name of the user's function. Its arguments, in the order of
/// `parameter_roles`, are 64-bit pointers to global memory (on NVIDIA aligned to 16 bytes) and
/// 32-bit sizes. If k is split, one more pointer follows: to the memory through which the parts of
/// k are combined.
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

/// The kernel of attention (a request with a softmax) for sm_90a, by wgmma. Its arguments are the
/// tensor maps of Q, K and V, then the tensor map of the result or a pointer to the result, then
/// pointers to the further matrices of the epilogue.
std::unique_ptr<KernelModule> product_kernel(const MatmulRequest& request,
                                             const plan::WarpgroupAttentionPlan& plan);

/// The kernel of a request with a program.
std::unique_ptr<KernelModule> product_kernel(const MatmulRequest& request,
                                             const plan::ElementPlan& plan);

/// A kernel of wgmma for sm_90a with persistent thread blocks: in each block one warpgroup copies
/// tiles, and several warpgroups multiply. Its arguments are, in this order: the tensor maps of A
/// and B; the tensor map of D, or a pointer to D; a pointer to C, if there is a C; pointers to the
/// further matrices of the epilogue; the dynamic sizes. Tensor maps are passed by value, 128 bytes
/// each. C and D may be the same memory.
std::unique_ptr<KernelModule> product_kernel(const MatmulRequest& request,
                                             const plan::WarpgroupPlan& plan);

}  // namespace heddle::compiler
