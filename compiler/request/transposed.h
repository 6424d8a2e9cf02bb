// Rewrites a product so that A and B are exchanged: D^T = B^T * A^T.
#pragma once

#include "compiler/request/matmul_request.h"

namespace heddle::compiler {

/// True if `transposed` accepts the request: it has a single result, which is a sum of products.
bool can_be_transposed(const MatmulRequest& request);

/// The request with A and B exchanged and all matrices transposed. The arrays in memory stay as
/// they are: the same bytes are a row-major matrix of m x n and a column-major one of n x m.
/// Precondition: can_be_transposed(request).
MatmulRequest transposed(MatmulRequest request);

}  // namespace heddle::compiler
