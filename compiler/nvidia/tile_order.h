// Which tiles a block computes, in which order.
#pragma once

#include <vector>

#include "compiler/nvidia/warpgroup_context.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace heddle::compiler {

/// The tile of one block.
struct Tile {
  mlir::Value m, n;  // i32: first row and column of D
};

using CarryOver =
    llvm::function_ref<std::vector<mlir::Value>(mlir::Value, std::vector<mlir::Value>)>;

/// for (i = from; i < to; i += step) values = body(i, values), of i32.
std::vector<mlir::Value> counted_loop(const WarpgroupContext& context, mlir::Value from,
                                      mlir::Value to, mlir::Value step,
                                      std::vector<mlir::Value> first, CarryOver body);

/// The block's tiles, with values that each hands to the next. Clusters take tiles in turn, in
/// groups of `group_m` rows that are walked through column by column: blocks that run at the same
/// time then read few rows of A and few columns of B, which L2 holds.
std::vector<mlir::Value> for_each_tile(
    const WarpgroupContext& context, std::vector<mlir::Value> first,
    llvm::function_ref<std::vector<mlir::Value>(const Tile&, std::vector<mlir::Value>)> body);

}  // namespace heddle::compiler
