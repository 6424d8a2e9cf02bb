// The dialect `heddle`: #heddle.layout<"..."> and heddle.convert_layout. heddle_dialect.td says
// what they mean.
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

/// For LLVM's tables of unique attributes, which find it by its argument.
llvm::hash_code hash_value(const LinearLayout& map);

}  // namespace heddle::layout

#include "compiler/dialect/heddle_dialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "compiler/dialect/heddle_attributes.h.inc"
#define GET_OP_CLASSES
#include "compiler/dialect/heddle_operations.h.inc"
