// The arguments of kernels for sm_90a that are tensor maps.
#pragma once

#include <expected>
#include <string>

#include "compiler/compile.h"

namespace heddle::compiler {

/// A kernel argument that is the tensor map of A, B or D. Error: the reason why copies by a tensor
/// map cannot move this matrix.
std::expected<KernelArgument, std::string> mapped_argument(const MatmulRequest& request,
                                                           const plan::WarpgroupPlan& plan,
                                                           instruction::Operand operand);

}  // namespace heddle::compiler
