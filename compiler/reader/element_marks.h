// Finds the operations that no kernel of a product takes: those that compute with places
// (linalg.index), read elements at places that they compute (tensor.extract, tensor.gather), put
// tensors together (tensor.concat, insert_slice), or have several results that depend on each
// other. Each gets an attribute, and is then cut out like a product (cutter/product_cutter.h).
#pragma once

#include <vector>

#include "compiler/request/product_sequence.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Operation.h"

namespace heddle::compiler {

/// True if the operation has a kernel of its own that computes each element by itself.
bool has_element_kernel(mlir::Operation& operation);

/// True if an operation that reads this value computes it on the way.
bool is_read_on_the_way(mlir::Operation& operation);

/// Removes what this file has added to the operation.
void remove_marks(mlir::Operation* operation);

/// Marks the operations of `function`, which has one block.
void mark_element_kernels(mlir::func::FuncOp function, Formulas formulas);

/// Marks the reductions at these places of the text, or what is computed there without one: forms of
/// products that kernels of products do not have.
void mark_element_kernels_at(mlir::func::FuncOp function, const std::vector<Place>& places);

/// Marks what one kernel computes on its way to what the function returns, which has a kernel:
/// reductions of rows.
void mark_row_function(mlir::func::FuncOp function);

/// Marks one operation.
void give_element_kernel(mlir::Operation& operation);

/// Marks operations with several results, after those that can be split were split.
void mark_coupled_results(mlir::func::FuncOp function);

}  // namespace heddle::compiler
