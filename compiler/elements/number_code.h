// Code for one operation of the text on numbers.
#pragma once

#include <vector>

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle::compiler {

/// Builds an operation of the dialects arith or math on numbers. The operands and the result have
/// the types that the kernel uses for the types of the text.
mlir::Value number_of(mlir::ImplicitLocOpBuilder& builder, mlir::Operation& operation,
                      const std::vector<mlir::Value>& operands);

/// The result of an operation for which is_accepted_on_places holds.
mlir::Value number_of_places(mlir::ImplicitLocOpBuilder& builder, mlir::Operation& operation,
                             const std::vector<mlir::Value>& operands);

/// An expression of loops at these places.
mlir::Value place_of_map(mlir::ImplicitLocOpBuilder& builder, mlir::AffineExpr expression,
                         const std::vector<mlir::Value>& loops);

}  // namespace heddle::compiler
