// Cuts a function with several products into functions with one product each.
//
// A part is a product with elementwise operations around it. An operation that depends on products
// goes to the part of the last of them, where the epilogue takes it. A value that another part
// needs is a result of its part and an argument of the other. Operations that depend on no product
// (fills, constants, and computations on arguments only) are in every part that uses them.
// Operations that only move elements to other places stay with the part that reads them, where they
// cost nothing.
//
// Every operation that combines the elements along loops makes a part: sums of products, sums, and
// the largest or smallest element; formula_reader.h reads each.
#pragma once

#include <optional>
#include <vector>

#include "compiler/diagnostics.h"
#include "compiler/request/product_sequence.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::compiler {

/// More products than one function may have.
inline constexpr std::size_t most_products = 64;

struct CutPart {
  mlir::func::FuncOp function;
  std::vector<mlir::Value> arguments;  // what each argument is in the function that was cut
  std::vector<mlir::Value> results;    // what it returns
};

/// Makes parts, which become functions NAME_0, NAME_1 … next to `function`. One product with at
/// most one result stays as it is. First, operations and results that nothing uses are erased.
/// Error: what cannot be cut, with its place.
std::optional<std::vector<CutPart>> cut_products(mlir::func::FuncOp function, Formulas formulas,
                                                 Diagnostics& diagnostics);

}  // namespace heddle::compiler
