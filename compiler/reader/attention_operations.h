// Reads the operations of IREE's dialect that compute attention: iree_linalg_ext.attention and
// iree_linalg_ext.online_attention. The dialect is not part of MLIR, so this file replaces the
// operations by operations that later stages support.
#pragma once

#include "compiler/diagnostics.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectRegistry.h"

namespace heddle::compiler {

/// Registers the part of IREE's dialect iree_linalg_ext that attention needs: the operations
/// attention and online_attention, and yield and index in their bodies. A text with other
/// operations of this dialect is refused, and the message names the operation.
void add_attention_dialect(mlir::DialectRegistry& registry);

/// Replaces each attention operation by operations of linalg:
///
///   scores = body(scale * Q K^T) + mask        in f32; the mask of i1: -infinity where it is false
///   shares = exp(scores - largest) / sum       largest and sum of each row, over the keys
///   result = shares V
///
/// online_attention returns three results without dividing by the sum: exp(…) V, the largest score
/// and the sum. It continues from the values in its outs, but only outs with the initial values are
/// accepted: 0 for the first, the lowest numbers for the second, 0 for the third. By default
/// (`use_exp2`) it computes powers of two, of scores multiplied by log2(e).
///
/// Returns false if an operation is refused; the reason and its place are then added to
/// `diagnostics`.
bool expand_attention(mlir::func::FuncOp function, Diagnostics& diagnostics);

}  // namespace heddle::compiler
