// Divides the largest error of a product between the matrix instruction and the kernel around it.
#pragma once

#include <optional>

#include "runtime/judge/product_check.h"
#include "tools/heddle/reports/run_report.h"

namespace heddle::tool {

/// The parts of the largest error. Nothing if every element is exact, if the elements are sums of
/// integers, if no matrix instruction computes the sums, or if the instruction multiplies other
/// numbers than the inputs (bf16x3).
std::optional<ErrorParts> error_parts(const runtime::Product& product,
                                      const runtime::MatmulCheck& check,
                                      const compiler::Compilation& compiled);

}  // namespace heddle::tool
