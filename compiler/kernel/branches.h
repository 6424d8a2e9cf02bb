// Lowers loops and conditions of the scf dialect to blocks and branches.
//
// This header includes MLIR: C++20 only (see compiler/CMakeLists.txt).
#pragma once

#include <memory>

#include "mlir/Pass/Pass.h"

namespace heddle::compiler {

/// A pass that does what convert-scf-to-cf does, but in a time proportional to the number of
/// operations. MLIR 22's pass begins with the first condition of a block; for each condition it
/// moves, and records, everything that follows it. For a tile with some thousand masked accesses
/// MLIR's pass takes a minute and gigabytes.
std::unique_ptr<mlir::Pass> create_branches_pass();

}  // namespace heddle::compiler
