// Helpers for MLIR values: which values they are computed from, their names in messages, and their
// numbers of elements.
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

/// If an operation replaced another one, this attribute of the new operation has the name of the
/// operation that stood in the user's text. Messages use that name.
inline constexpr llvm::StringLiteral spelling_attribute = "spelling";

/// The text's name of an operation, for messages.
inline std::string spelling(mlir::Operation& operation) {
  if (const auto text = operation.getAttrOfType<mlir::StringAttr>(spelling_attribute))
    return text.str();
  return operation.getName().getStringRef().str();
}

/// True if the value is a size or an index, which does not influence the values of elements.
inline bool is_size(mlir::Value value) { return value.getType().isIndex(); }

/// The number of elements of a tensor whose sizes may be dynamic: how many sizes are dynamic, and
/// the product of the static sizes (0 if it exceeds 2^63 - 1). Comparisons look at the number of
/// dynamic sizes first.
struct ElementCount {
  std::int64_t dynamic_sizes = 0, product = 0;
  friend auto operator<=>(const ElementCount&, const ElementCount&) = default;
};

/// The element count of a ranked tensor or a memref; zeros for anything else.
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
