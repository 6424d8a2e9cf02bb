// An Expression as code for one element.
#pragma once

#include <vector>

#include "compiler/request/matmul_request.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle::compiler {

/// The MLIR type of a number: f32, f16, bf16, f8E4M3FN, f8E5M2, those of FNUZ, i32, i8 (also of
/// u8), i4 or i1; of those that are only read the integer of their bits.
mlir::Type number_type(mlir::MLIRContext* context, instruction::ElementType type);

/// The same as an integer of as many bits.
mlir::Type bits_type(mlir::MLIRContext* context, instruction::ElementType type);

/// The value of `expression`, the inputs of which are `inputs`, each of its number type. Without
/// steps it is inputs[0].
mlir::Value emit(mlir::ImplicitLocOpBuilder& builder, const Expression& expression,
                 const std::vector<mlir::Value>& inputs);

/// `x` and `y` put together by a step that reduces (plan::reduces).
mlir::Value combined(mlir::ImplicitLocOpBuilder& builder, Step step, mlir::Value x, mlir::Value y);

/// What a producer makes of an element of type `stored` and of the numbers `beside` it. The element
/// and the result, which is of `bits`, are integers of their bits.
mlir::Value produced(mlir::ImplicitLocOpBuilder& builder, const Expression& producer,
                     instruction::ElementType stored, mlir::Value element,
                     const std::vector<mlir::Value>& beside, mlir::Type bits);

/// What stands for the elements of A or B beyond the matrix, as `bits`: zeros, of which a sum does
/// not change, or in A what does not change what the problem combines otherwise.
mlir::Value beyond_matrix(mlir::ImplicitLocOpBuilder& builder, const plan::Problem& problem,
                          bool is_a, mlir::Type bits);

/// Of elements of 4 bits: number `index` in an integer; and the one in a byte that is the lower
/// half where `number` (i32) is even.
mlir::Value element_of_word(mlir::ImplicitLocOpBuilder& builder, mlir::Value word,
                            std::int64_t index);
mlir::Value element_of_byte(mlir::ImplicitLocOpBuilder& builder, mlir::Value byte,
                            mlir::Value number);

/// `value` converted to `type`, as Step::convert does; itself where it is of that type.
mlir::Value converted(mlir::ImplicitLocOpBuilder& builder, mlir::Value value, mlir::Type type,
                      bool is_unsigned = false);

}  // namespace heddle::compiler
