// Replaces loops over tiles by their bodies on the whole, where only the launch tells how many
// tiles there are. formula_loops.h reads loops of known counts.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::compiler {

/// Replaces each scf.for and scf.forall with results whose counters, from 0 to the size of a
/// tensor, are the offsets of tiles as long as a step, of which the last may be shorter. No element
/// may depend on the tile in which it is computed: the counter stands in offsets alone, operations
/// are linalg's, and a loop of theirs that runs through a tile either gives the tile of a result or
/// continues a sum that the loop carries. Dimensions that the tiles of one loop cover are taken to
/// be equally long, as those of one linalg operation are; a kernel is told one size for all of
/// them. A loop that is not of this form stays, and so do all loops if every bound and step is
/// constant.
void use_whole_tiles(mlir::func::FuncOp function);

}  // namespace heddle::compiler
