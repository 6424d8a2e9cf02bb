// The kernel of a WarpgroupPlan: persistent blocks of one warpgroup that copies and several that
// multiply, for sm_90a.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "compiler/kernel/kernel_module.h"
#include "heddle/plan/warpgroup_plan.h"

namespace heddle::compiler {

/// The kernel `name`. Its parameters: the tensor maps of A, B and D by value, 128 bytes each; when
/// there is no `constant` to begin with, then a pointer to C, row-major like D. C and D may be the
/// same memory.
std::unique_ptr<KernelModule> warpgroup_kernel(const std::string& name,
                                               const plan::WarpgroupPlan& plan,
                                               std::optional<double> constant);

}  // namespace heddle::compiler
