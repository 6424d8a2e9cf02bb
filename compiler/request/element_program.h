// Describes a kernel that computes no matrix product: it computes each element of its results by
// itself.
#pragma once

#include <optional>
#include <string>

#include "compiler/plan/element_rows.h"

namespace heddle::compiler {

/// The computation, as an MLIR function on tensors. Its arguments are the buffers that the kernel
/// reads, in their order (a number is a tensor without dimensions); its results are the matrices
/// that the kernel writes.
///
/// elements/kernel.cpp makes the kernel: it follows each element of a result back to elements of
/// the arguments. elements/tensor_reference.h computes the expected results, one operation after
/// the other.
struct ElementProgram {
  std::string text;
  int read_dimension = -1;                     // elements/read_order.h
  int together = 1;                            // elements/together.h
  std::optional<plan::ElementRows> rows = {};  // elements/row_function.h
};

}  // namespace heddle::compiler
