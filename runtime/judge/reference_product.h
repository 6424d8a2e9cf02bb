// Computes the reference of a product in float64.
#pragma once

#include <cstddef>

namespace heddle::runtime {

/// sums[r][j] += sum over k of a[r][k] * b[k][j] for `rows` rows of `columns` columns. Row-major;
/// strides in elements. Uses the widest vectors of the host.
void add_product(const double* a, std::ptrdiff_t a_stride, const double* b, std::ptrdiff_t b_stride,
                 double* sums, std::ptrdiff_t sums_stride, std::ptrdiff_t rows,
                 std::ptrdiff_t columns, std::ptrdiff_t depth);

}  // namespace heddle::runtime
