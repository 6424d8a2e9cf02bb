// Cuts a function with several products into functions with one product each.
//
// A part is one product with elementwise operations before and after it. Which operation goes
// where:
// - An operation that depends on products goes to the part of the last of these products, into its
// epilogue.
// - A value that another part needs becomes a result of the part that computes it, and an argument
// of the part that needs it.
// - Operations that depend on no product (fills, constants, computations on arguments only) are
// repeated in every part that uses them.
// - Operations that only move elements go to the part that reads the result, where they cost
// nothing.
//
// Not only products make a part, but every operation that combines elements along loops: sums of
// products, sums, and the largest or smallest element. formula_reader.h reads each of them.
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

/// Erases operations and results that nothing uses, then cuts `function` into parts, which become
/// functions NAME_0, NAME_1 … next to `function`. A function of one product with at most one result
/// stays as it is. Error: what cannot be cut, with its place in the text.
std::optional<std::vector<CutPart>> cut_products(mlir::func::FuncOp function, Formulas formulas,
                                                 Diagnostics& diagnostics);

}  // namespace heddle::compiler
