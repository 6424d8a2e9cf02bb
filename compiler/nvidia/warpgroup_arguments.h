// The arguments of kernels for sm_90a that are tensor maps.
#pragma once

#include <expected>
#include <string>

#include "compiler/compile.h"

namespace heddle::compiler {

/// The tensor map of A, B or D of a request. Error: why copies cannot do it.
std::expected<KernelArgument, std::string> mapped_argument(const MatmulRequest& request,
                                                           const plan::WarpgroupPlan& plan,
                                                           instruction::Operand operand);

}  // namespace heddle::compiler
