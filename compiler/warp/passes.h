// Turns functions on the vectors of a warp into the code of one thread, in three passes:
//
//   heddle-assign-layouts        gives every vector a layout, beginning with those that the matrix
//                                instructions need; where layouts differ, it inserts
//                                heddle.convert_layout
//   heddle-minimise-conversions  removes conversions that are not needed, or that a second read of
//                                memory can replace
//   heddle-distribute            replaces the operations by the code of one thread
//
// Functions without vectors of a warp (no vector.contract, no vector.transfer) stay as they are.
#pragma once

#include <memory>

#include "compiler/warp/contraction.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace heddle::compiler {

/// Create the three passes of this file. If the target is unsupported, the pass fails when it runs.
std::unique_ptr<mlir::Pass> create_assign_layouts_pass(llvm::StringRef target, bool tf32);
std::unique_ptr<mlir::Pass> create_minimise_conversions_pass(llvm::StringRef target, bool tf32);
std::unique_ptr<mlir::Pass> create_distribute_pass(llvm::StringRef target, bool tf32);

/// Adds the three passes to `passes`, followed by passes that simplify the resulting code. They
/// change the functions in the operation on which `passes` runs. In the code of one thread,
/// gpu.lane_id numbers the lanes, and all threads of the warp must call such a function together.
void add_matrix_passes(mlir::OpPassManager& passes, const WarpOptions& options);

/// If true, each of the three passes prints the layouts of all vectors and the conversions to
/// stderr. heddle-opt -debug sets it. (LLVM_DEBUG would do nothing in a release build of LLVM, such
/// as Debian's.)
extern bool show_layouts;

/// Registers the dialects of the operations that the passes create. A caller that runs the passes
/// without a pass manager must load these dialects first.
void register_warp_dialects(mlir::DialectRegistry& registry);

/// Makes the three passes known to mlir-opt. Also makes the pipeline of add_matrix_passes known as
/// `heddle-matrix`, with the options target (for example target=sm_80) and tf32.
void register_warp_passes();

}  // namespace heddle::compiler
