// The rows of two products of which one writes what the other reads, as the same numbers.
//
// The batch and the rows count through several loops with one number each. Products may count
// through the same loops in another order, or have one in the batch that the other has in the rows:
// heads that share K and V, for example.
#pragma once

#include <optional>

#include "compiler/request/matmul_request.h"

namespace heddle::compiler {

/// The request with the rows and the batch of `other`. `own` is a matrix of the request and `same`
/// one of `other`'s: they have the same places, and no two rows at one. Nothing if the loops of the
/// two do not fit. All sizes are known.
std::optional<MatmulRequest> with_order_of(const MatmulRequest& other, const MatrixRecord& same,
                                           MatmulRequest request, const MatrixRecord& own);

}  // namespace heddle::compiler
