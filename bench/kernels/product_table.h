// Whole calls of products, whoever made the kernel, in one table.
#pragma once

#include <string>

namespace heddle::kernels {

/// Prints the table of bench/records/kernels.md for a target, as Markdown; the status of the
/// program.
int print_product_table(const std::string& target);

}  // namespace heddle::kernels
