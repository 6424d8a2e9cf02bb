// Code for one element of an Expression.
#pragma once

#include <vector>

#include "compiler/request/matmul_request.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle::compiler {

/// The MLIR type of a number: f32, f16, bf16, f8E4M3FN, f8E5M2, those of FNUZ, i32, i8 (also for
/// u8), i4 or i1. Types that kernels only read are the integers of their bits.
mlir::Type number_type(mlir::MLIRContext* context, instruction::ElementType type);

/// The integer type with as many bits.
mlir::Type bits_type(mlir::MLIRContext* context, instruction::ElementType type);

/// The value of `expression` for `inputs`, each of its number type. Without steps it is inputs[0].
mlir::Value emit(mlir::ImplicitLocOpBuilder& builder, const Expression& expression,
                 const std::vector<mlir::Value>& inputs);

/// `x` and `y` combined by a step that reduces (plan::reduces).
mlir::Value combined(mlir::ImplicitLocOpBuilder& builder, Step step, mlir::Value x, mlir::Value y);

/// The result of a producer for an element of type `stored` and for the further inputs `beside`.
/// The element and the result, which has `bits`, are integers of their bits.
mlir::Value produced(mlir::ImplicitLocOpBuilder& builder, const Expression& producer,
                     instruction::ElementType stored, mlir::Value element,
                     const std::vector<mlir::Value>& beside, mlir::Type bits);

/// The value of elements of A or B beyond the matrix, as `bits`: zeros, which do not change a sum.
/// If the problem combines otherwise, in A the number that changes nothing there.
mlir::Value beyond_matrix(mlir::ImplicitLocOpBuilder& builder, const plan::Problem& problem,
                          bool is_a, mlir::Type bits);

/// For elements of 4 bits: element `index` of an integer; and the element of a byte, which is its
/// lower half if `number` (i32) is even.
mlir::Value element_of_word(mlir::ImplicitLocOpBuilder& builder, mlir::Value word,
                            std::int64_t index);
mlir::Value element_of_byte(mlir::ImplicitLocOpBuilder& builder, mlir::Value byte,
                            mlir::Value number);

/// `value` converted to `type`, as Step::convert does; `value` itself if it has that type.
mlir::Value converted(mlir::ImplicitLocOpBuilder& builder, mlir::Value value, mlir::Type type,
                      bool is_unsigned = false);

}  // namespace heddle::compiler
