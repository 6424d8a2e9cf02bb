// How many elements a tensor has, as far as its type says.
#pragma once

#include <compare>
#include <cstdint>

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

namespace heddle::compiler {

/// The number of dynamic sizes, and the product of the others: 0 where that is above 2^63 - 1.
struct ElementCount {
  std::int64_t dynamic_sizes = 0, product = 0;
  friend auto operator<=>(const ElementCount&, const ElementCount&) = default;
};

/// Of a ranked tensor or a memref; nothing of what has no shape.
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
