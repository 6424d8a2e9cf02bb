// Turns vectors of a warp into the code of one thread, in three passes over functions:
//
//   heddle-assign-layouts        gives every vector a layout, beginning with those that the matrix
//                                instructions need, and puts heddle.convert_layout between them
//   heddle-minimise-conversions  removes conversions that are not needed, or that a second read of
//                                memory replaces
//   heddle-distribute            writes the code of one thread
//
// Functions without vectors of a warp (no vector.contract, no vector.transfer) stay as they are.
#pragma once

#include <memory>

#include "compiler/warp/contraction.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace heddle::compiler {

/// The passes; a target that they make no code for is refused where they run.
std::unique_ptr<mlir::Pass> create_assign_layouts_pass(llvm::StringRef target, bool tf32);
std::unique_ptr<mlir::Pass> create_minimise_conversions_pass(llvm::StringRef target, bool tf32);
std::unique_ptr<mlir::Pass> create_distribute_pass(llvm::StringRef target, bool tf32);

/// Adds the three passes, and then passes that tidy up. They work on the functions in the operation
/// that `passes` is for. The lane is gpu.lane_id; all threads of the warp must call the function
/// together.
void add_matrix_passes(mlir::OpPassManager& passes, const WarpOptions& options);

/// True if each pass prints the layouts of all vectors and the conversions to stderr: heddle-opt
/// -debug. (LLVM_DEBUG does nothing in a release build of LLVM, such as Debian's.)
extern bool show_layouts;

/// Registers the dialects that the passes write. They must be loaded before the passes run without
/// a pass manager.
void register_warp_dialects(mlir::DialectRegistry& registry);

/// Makes the three passes known to mlir-opt, and all of add_matrix_passes as one, `heddle-matrix`,
/// with the options target (as target=sm_80) and tf32.
void register_warp_passes();

}  // namespace heddle::compiler
