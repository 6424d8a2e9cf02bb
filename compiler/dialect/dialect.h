// The MLIR dialect `heddle`. It has the attribute #heddle.layout<"..."> and the operation
// heddle.convert_layout, which heddle_dialect.td describes.
#pragma once

#include "heddle/layout/layout.h"
#include "llvm/ADT/Hashing.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace heddle::layout {

/// The hash of a layout, which LLVM's tables of unique attributes call. It must be in this
/// namespace, where C++ finds it by the type of its argument.
llvm::hash_code hash_value(const LinearLayout& map);

}  // namespace heddle::layout

#include "compiler/dialect/heddle_dialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "compiler/dialect/heddle_attributes.h.inc"
#define GET_OP_CLASSES
#include "compiler/dialect/heddle_operations.h.inc"
