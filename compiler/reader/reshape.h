// Operations that only change the indices of a tensor's elements: tensor.expand_shape,
// collapse_shape, extract_slice, insert_slice into zeros, cast and pad with zeros, linalg.pack and
// unpack without padding.
#pragma once

#include <optional>

#include "compiler/diagnostics.h"
#include "compiler/reader/loop_numbers.h"
#include "compiler/reader/tensor_formula.h"

namespace heddle::compiler {

bool is_reshape(mlir::Operation& operation);

/// True if `tensor`, the formula of `value`, has more elements than the type of `value`. This is so
/// for the result of a linalg.unpack that keeps the padding of the last tiles; only linalg.pack can
/// read such a tensor.
bool stands_over(const TensorFormula& tensor, mlir::Value value);

/// The result of `operation`, a reshape (is_reshape), applied to `source`. Null if it is refused.
std::optional<TensorFormula> reshaped(mlir::Operation& operation, const TensorFormula& source,
                                      const LoopNumbers& numbers, Diagnostics& diagnostics);

}  // namespace heddle::compiler
