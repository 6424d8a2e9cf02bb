// How an argument of a function lies in memory.
#pragma once

#include "mlir/IR/BuiltinTypes.h"

namespace heddle::compiler {

/// If an argument is a memref in the text, the type of the memref; otherwise null. Functions on
/// memrefs are rewritten as functions on tensors (request/memory_values.h) before products are
/// read. A tensor that was a memref has the memref's layout as its encoding.
inline mlir::MemRefType memory_type(mlir::Type type) {
  const auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor || !tensor.getEncoding()) return nullptr;
  const auto layout = mlir::dyn_cast<mlir::MemRefLayoutAttrInterface>(tensor.getEncoding());
  return layout ? mlir::MemRefType::get(tensor.getShape(), tensor.getElementType(), layout)
                : nullptr;
}

}  // namespace heddle::compiler
