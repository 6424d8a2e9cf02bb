// Finds the operations that kernels of products (matrix products and sums) do not support:
// - operations that compute with indices (linalg.index);
// - operations that read elements at computed indices (tensor.extract, tensor.gather);
// - operations that combine tensors (tensor.concat, insert_slice);
// - operations with several results that depend on each other.
//
// Each of these gets an attribute, called a mark here. cutter/product_cutter.h then makes a
// separate function of each marked operation, as it does of each product.
#pragma once

#include <vector>

#include "compiler/request/product_sequence.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Operation.h"

namespace heddle::compiler {

/// True if the operation is marked: a separate kernel computes its result, each element
/// independently of the others.
bool has_element_kernel(mlir::Operation& operation);

/// True if the operation gets no separate kernel: the kernel of an operation that reads its result
/// computes the result where it needs it.
bool is_read_on_the_way(mlir::Operation& operation);

/// Removes the attributes that the functions of this file have added to the operation.
void remove_marks(mlir::Operation* operation);

/// Marks the operations of `function`, which has one block.
void mark_element_kernels(mlir::func::FuncOp function, Formulas formulas);

/// Marks the operations at the positions `places` of the text. The caller has found that kernels of
/// products do not support the products there. Of several operations at one position, only
/// reductions are marked; if none is a reduction, all are.
void mark_element_kernels_at(mlir::func::FuncOp function, const std::vector<Place>& places);

/// Gives all reductions that are not marked yet the attribute of is_read_on_the_way: the kernel
/// that computes the function's result also computes them.
void mark_row_function(mlir::func::FuncOp function);

/// Marks one operation.
void give_element_kernel(mlir::Operation& operation);

/// Marks the operations that have several results. Precondition: operations whose results can be
/// computed separately have been split.
void mark_coupled_results(mlir::func::FuncOp function);

}  // namespace heddle::compiler
