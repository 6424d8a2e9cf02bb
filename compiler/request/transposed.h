// The same product with A and B exchanged: D^T = B^T * A^T.
#pragma once

#include "compiler/request/matmul_request.h"

namespace heddle::compiler {

/// True if `transposed` takes the request: it has one result, a sum.
bool can_be_transposed(const MatmulRequest& request);

/// The request whose A is B of this one, with all matrices transposed. Memory keeps its meaning: a
/// matrix of m x n that lies by rows is one of n x m that lies by columns. Precondition:
/// can_be_transposed(request).
MatmulRequest transposed(MatmulRequest request);

}  // namespace heddle::compiler
