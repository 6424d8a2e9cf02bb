// How an argument of a function lies in memory.
#pragma once

#include "mlir/IR/BuiltinTypes.h"

namespace heddle::compiler {

/// Products are read as functions on tensors (request/memory_values.h). A tensor that is a memref
/// in the text has the memref's layout as its encoding; this is the memref. Null for other types.
inline mlir::MemRefType memory_type(mlir::Type type) {
  const auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor || !tensor.getEncoding()) return nullptr;
  const auto layout = mlir::dyn_cast<mlir::MemRefLayoutAttrInterface>(tensor.getEncoding());
  return layout ? mlir::MemRefType::get(tensor.getShape(), tensor.getElementType(), layout)
                : nullptr;
}

}  // namespace heddle::compiler
