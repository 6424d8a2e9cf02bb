// The same product with A and B in each other's place: D^T = B^T * A^T.
#pragma once

#include "compiler/request/matmul_request.h"

namespace heddle::compiler {

/// Whether `transposed` takes the request: all its sizes are known, and it has one result.
bool can_be_transposed(const MatmulRequest& request);

/// The request whose A is B of this one, and whose matrices are all transposed. No byte of memory
/// means anything else: a matrix of m x n that lies by rows is one of n x m that lies by columns.
/// Precondition: can_be_transposed(request).
MatmulRequest transposed(MatmulRequest request);

}  // namespace heddle::compiler
