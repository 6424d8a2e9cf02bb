// If one product writes what another product reads, gives the rows of the two products the same
// numbers.
//
// A product has a number for the row and a number for the matrix of the batch, and each number may
// count through several loops of the text. Two products may count through the same loops in
// different orders. Or one product may count a loop in the batch that the other counts in the rows,
// as with heads that share K and V.
#pragma once

#include <optional>

#include "compiler/request/matmul_request.h"

namespace heddle::compiler {

/// Returns `request` with its rows and its batch numbered as in `other`. `own` is a matrix of
/// `request` and `same` is a matrix of `other`; both describe the same memory, in which no two rows
/// begin at the same place. Null if the loops of `request` and `other` do not correspond, if a size
/// is not known at compile time, or if `request` has padding of A or B, or b_extras.
std::optional<MatmulRequest> with_order_of(const MatmulRequest& other, const MatrixRecord& same,
                                           MatmulRequest request, const MatrixRecord& own);

}  // namespace heddle::compiler
