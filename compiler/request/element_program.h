// What a kernel without a product computes: each element of its results by itself.
#pragma once

#include <optional>
#include <string>

#include "compiler/plan/element_rows.h"

namespace heddle::compiler {

/// A function on tensors, as MLIR. Its arguments are the buffers that the kernel reads, in their
/// order; a number is a tensor without dimensions. Its results are the matrices that it writes.
/// elements/kernel.cpp follows each element of a result back to elements of the arguments;
/// elements/tensor_reference.h computes one operation after the other.
struct ElementProgram {
  std::string text;
  int read_dimension = -1;                     // elements/read_order.h
  int together = 1;                            // elements/together.h
  std::optional<plan::ElementRows> rows = {};  // elements/row_function.h
};

}  // namespace heddle::compiler
