// Cuts a matrix whose elements are farther apart than the offsets of AMD's kernels reach into
// several smaller matrices.
#pragma once

#include "compiler/request/matmul_request.h"
#include "heddle/instruction/target.h"

namespace heddle::compiler {

/// If a matrix of the request reaches farther than kernels for the target can (reach.h), cuts the
/// rows or columns of the product into slabs, which become matrices of the batch: the pointer to a
/// matrix of the batch has 64 bits. The result of the product is the same. Some requests cannot be
/// brought into reach in this way, because rows along k are far apart or because a size has no
/// divisor. They stay as they are and are refused later.
void cut_into_slabs(MatmulRequest& request, instruction::Target target);

}  // namespace heddle::compiler
