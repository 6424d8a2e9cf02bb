// Code for one element of an Expression.
#pragma once

#include <vector>

#include "compiler/request/matmul_request.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle::compiler {

/// The MLIR type with which a kernel computes: f64, f32, f16, bf16, f8E4M3FN, f8E5M2, f8E4M3FNUZ,
/// f8E5M2FNUZ, or the integer of the same number of bits (i8 also for u8). It is such an integer
/// also for types that kernels only read.
mlir::Type number_type(mlir::MLIRContext* context, instruction::ElementType type);

/// The integer type with as many bits.
mlir::Type bits_type(mlir::MLIRContext* context, instruction::ElementType type);

/// Builds code for `expression`, and returns its value. Each of `inputs` has its number_type. If
/// the expression has no steps, the value is inputs[0].
mlir::Value emit(mlir::ImplicitLocOpBuilder& builder, const Expression& expression,
                 const std::vector<mlir::Value>& inputs);

/// `x` and `y` combined by a step that reduces (plan::reduces).
mlir::Value combined(mlir::ImplicitLocOpBuilder& builder, Step step, mlir::Value x, mlir::Value y);

/// Applies a producer to one element of A or B, whose type in memory is `stored`. `beside` are the
/// other inputs of the producer. The element, and the result of type `bits`, are passed as integers
/// with their bits.
mlir::Value produced(mlir::ImplicitLocOpBuilder& builder, const Expression& producer,
                     instruction::ElementType stored, mlir::Value element,
                     const std::vector<mlir::Value>& beside, mlir::Type bits);

/// What to use, as a number of type `bits`, in place of elements of A or B beyond the matrix: zero,
/// which changes no sum. If the problem combines A's elements by another step than addition, for A
/// the number that does not change the result of this step.
mlir::Value beyond_matrix(mlir::ImplicitLocOpBuilder& builder, const plan::Problem& problem,
                          bool is_a, mlir::Type bits);

/// For elements of 4 bits. element_of_word returns element number `index` of an integer that has
/// several. element_of_byte returns the lower half of a byte if `number` (i32) is even, otherwise
/// its upper half.
mlir::Value element_of_word(mlir::ImplicitLocOpBuilder& builder, mlir::Value word,
                            std::int64_t index);
mlir::Value element_of_byte(mlir::ImplicitLocOpBuilder& builder, mlir::Value byte,
                            mlir::Value number);

/// `value` converted to `type`, as Step::convert does; `value` itself if it has that type.
mlir::Value converted(mlir::ImplicitLocOpBuilder& builder, mlir::Value value, mlir::Type type,
                      bool is_unsigned = false);

}  // namespace heddle::compiler
