// Attention as one operation: iree_linalg_ext.attention and online_attention of IREE's dialect,
// which is not MLIR's own. They are read here, and become the operations that all later code knows.
#pragma once

#include "compiler/diagnostics.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectRegistry.h"

namespace heddle::compiler {

/// Adds the part of the dialect that has attention: these two operations, and the yield and index
/// of their bodies. A text with others of it is refused by their names.
void add_attention_dialect(mlir::DialectRegistry& registry);

/// Replaces each by operations of linalg:
///
///   scores = body(scale * Q K^T) + mask        in f32; the mask of i1: -infinity where it is false
///   shares = exp(scores - largest) / sum       each of a row, over the keys
///   result = shares V
///
/// online_attention returns exp(…) V, the largest score and the sum, as its outs continue them.
/// Taken are outs of 0, lowest numbers and 0: the beginning. By default its exponentials are
/// powers of two, and its scores are multiplied by log2(e) (`use_exp2`). False: refused, with the
/// place.
bool expand_attention(mlir::func::FuncOp function, Diagnostics& diagnostics);

}  // namespace heddle::compiler
