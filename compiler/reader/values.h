// What a value of the text is computed from, and how many elements it has.
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

/// What an operation computes from, regions included.
inline llvm::SetVector<mlir::Value> sources(mlir::Operation& operation) {
  llvm::SetVector<mlir::Value> values(operation.operand_begin(), operation.operand_end());
  mlir::getUsedValuesDefinedAbove(operation.getRegions(), values);
  return values;
}

/// The attribute of an operation that stands for another one of the text: its name, a string.
inline constexpr llvm::StringLiteral spelling_attribute = "spelling";

/// What the text calls an operation, for messages.
inline std::string spelling(mlir::Operation& operation) {
  if (const auto text = operation.getAttrOfType<mlir::StringAttr>(spelling_attribute))
    return text.str();
  return operation.getName().getStringRef().str();
}

/// Whether a source is a size or a place, on which elements do not depend.
inline bool is_size(mlir::Value value) { return value.getType().isIndex(); }

/// The number of dynamic sizes, and the product of the others (0 where that is above 2^63 - 1). In
/// comparisons a dynamic size outweighs any product.
struct ElementCount {
  std::int64_t dynamic_sizes = 0, product = 0;
  friend auto operator<=>(const ElementCount&, const ElementCount&) = default;
};

/// Of a ranked tensor or a memref; zeros of anything else.
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
