// Whose the largest error of a product is: the instruction's, or that of the kernel around it.
#pragma once

#include <optional>

#include "runtime/judge/product_check.h"
#include "tools/heddle/reports/run_report.h"

namespace heddle::tool {

/// The parts of the error of the element with the largest error. Nothing if every element is exact,
/// if sums are of integers, if no matrix instruction makes them, or if it multiplies other numbers
/// (bf16x3).
std::optional<ErrorParts> error_parts(const runtime::Product& product,
                                      const runtime::MatmulCheck& check,
                                      const compiler::Compilation& compiled);

}  // namespace heddle::tool
