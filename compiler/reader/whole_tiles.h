// Removes loops over the tiles of tensors whose number of tiles is known only at launch: the loop's
// body, applied once to the whole tensors, replaces the loop. Loops with a known number of tiles
// are read by formula_loops.cpp.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::compiler {

/// Replaces each scf.for and scf.forall that has results and meets these conditions:
/// - Its counters go from 0 to the size of a tensor, and are used as offsets of tiles, which are as
/// long as a step of the counter. The last tile may be shorter.
/// - No element depends on the tile in which it is computed: counters are used only in offsets, and
/// the operations in the loop are linalg's.
/// - If such an operation has a loop that runs through a tile, this loop either makes a tile of a
/// result, or continues a sum that the scf loop carries.
///
/// Dimensions that the tiles of one loop cover are assumed to have the same length, as dimensions
/// that one linalg operation indexes by the same loop do; a kernel gets one size for all of them.
/// Loops that do not meet the conditions are not changed. If all bounds and steps of all of these
/// loops are constant, no loop is changed.
void use_whole_tiles(mlir::func::FuncOp function);

}  // namespace heddle::compiler
