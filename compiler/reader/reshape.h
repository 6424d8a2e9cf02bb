// Operations that give the elements of a tensor other coordinates: tensor.expand_shape,
// collapse_shape, extract_slice, insert_slice into zeros, cast and pad with zeros, linalg.pack and
// unpack without padding.
#pragma once

#include <optional>

#include "compiler/diagnostics.h"
#include "compiler/reader/loop_numbers.h"
#include "compiler/reader/tensor_formula.h"

namespace heddle::compiler {

bool is_reshape(mlir::Operation& operation);

/// True if `tensor` has more elements than `value`, as the result of a linalg.unpack of whole
/// tiles. Only linalg.pack can read it.
bool stands_over(const TensorFormula& tensor, mlir::Value value);

/// The result of `operation`, for which is_reshape holds, on `source`. Nothing if it is refused.
std::optional<TensorFormula> reshaped(mlir::Operation& operation, const TensorFormula& source,
                                      const LoopNumbers& numbers, Diagnostics& diagnostics);

}  // namespace heddle::compiler
