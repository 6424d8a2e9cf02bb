// Lowers loops and conditions of the scf dialect to blocks and branches.
//
// This header includes MLIR: C++20 only (see compiler/CMakeLists.txt).
#pragma once

#include <memory>

#include "mlir/Pass/Pass.h"

namespace heddle::compiler {

/// The same as convert-scf-to-cf, in time that grows with the number of operations. MLIR 22's pass
/// begins with the first condition of a block; for each condition it moves and records all that
/// follows. For a tile with some thousand masked accesses that takes a minute and gigabytes.
std::unique_ptr<mlir::Pass> create_branches_pass();

}  // namespace heddle::compiler
