// The inputs of a value of the text, and the number of its elements.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "llvm/ADT/SetVector.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "mlir/Transforms/RegionUtils.h"

namespace heddle::compiler {

/// The inputs of an operation, regions included.
inline llvm::SetVector<mlir::Value> sources(mlir::Operation& operation) {
  llvm::SetVector<mlir::Value> values(operation.operand_begin(), operation.operand_end());
  mlir::getUsedValuesDefinedAbove(operation.getRegions(), values);
  return values;
}

/// The attribute of an operation that replaces another one of the text: its name, a string.
inline constexpr llvm::StringLiteral spelling_attribute = "spelling";

/// The text's name of an operation, for messages.
inline std::string spelling(mlir::Operation& operation) {
  if (const auto text = operation.getAttrOfType<mlir::StringAttr>(spelling_attribute))
    return text.str();
  return operation.getName().getStringRef().str();
}

/// True if a source is a size or a place, on which elements do not depend.
inline bool is_size(mlir::Value value) { return value.getType().isIndex(); }

/// The number of dynamic sizes, and the product of the others (0 above 2^63 - 1). In comparisons a
/// dynamic size outweighs any product.
struct ElementCount {
  std::int64_t dynamic_sizes = 0, product = 0;
  friend auto operator<=>(const ElementCount&, const ElementCount&) = default;
};

/// The sizes of a ranked tensor or a memref; zeros for anything else.
inline ElementCount element_count(mlir::Value value) {
  const auto type = mlir::dyn_cast<mlir::ShapedType>(value.getType());
  if (!type || !type.hasRank()) return {};
  ElementCount count{.dynamic_sizes = static_cast<std::int64_t>(type.getNumDynamicDims()),
                     .product = 1};
  for (const std::int64_t size : type.getShape())
    if (!mlir::ShapedType::isDynamic(size) &&
        __builtin_mul_overflow(count.product, size, &count.product))
      count.product = 0;
  return count;
}

}  // namespace heddle::compiler
