// Cuts a function with several products into functions with one product each.
//
// A part is a product with elementwise operations around it. An operation that depends on products
// goes to the part of the last of them: behind the product before, where the epilogue takes it, and
// not before the product after. A value from which another part goes on is a result of its part and
// an argument of the other. What depends on no product (fills, constants, what is computed from
// arguments alone) is in every part that uses it. Operations that only give elements other places
// stay with the part that reads them, where they cost nothing.
//
// A part is whatever puts the elements along loops together: sums of products, sums, and the
// largest or smallest; formula_reader.h reads each.
#pragma once

#include <optional>
#include <vector>

#include "compiler/diagnostics.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::compiler {

/// More products than one function may have.
inline constexpr std::size_t most_products = 64;

struct CutPart {
  mlir::func::FuncOp function;
  std::vector<mlir::Value> arguments;  // what each argument is in the function that was cut
  std::vector<mlir::Value> results;    // what it returns
};

/// Makes parts, which become functions beside `function` and are called NAME_0, NAME_1 … One
/// product with at most one result stays as it is. First of all, operations and results of
/// operations that nothing uses are erased. Error: what cannot be cut, with its place.
std::optional<std::vector<CutPart>> cut_products(mlir::func::FuncOp function,
                                                 Diagnostics& diagnostics);

}  // namespace heddle::compiler
