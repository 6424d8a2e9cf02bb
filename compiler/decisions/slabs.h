// Matrices that reach further than the offsets of AMD's kernels, as several matrices.
#pragma once

#include "compiler/request/matmul_request.h"
#include "heddle/instruction/target.h"

namespace heddle::compiler {

/// Where a matrix of the request is longer than the kernels for the target allow (reach.h), makes
/// slabs of its rows or columns: the batch counts them, and pointers to matrices of a batch have 64
/// bits. The product is the same. What no slabs bring into reach stays, and is refused later: rows
/// of k that are far apart, and sizes without a divisor.
void cut_into_slabs(MatmulRequest& request, instruction::Target target);

}  // namespace heddle::compiler
