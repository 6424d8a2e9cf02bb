// Whose the largest error of a product is: the instruction's, or that of the kernel around it.
#pragma once

#include <optional>

#include "runtime/judge/product_check.h"
#include "tools/heddle/reports/run_report.h"

namespace heddle::tool {

/// Of the element with the largest error. Nothing where every element is exact, sums are of
/// integers, no matrix instruction makes them, or it multiplies other numbers (bf16x3).
std::optional<ErrorParts> error_parts(const runtime::Product& product,
                                      const runtime::MatmulCheck& check,
                                      const compiler::Compilation& compiled);

}  // namespace heddle::tool
