// Lowers vector.contract to matrix instructions in the code of one thread. The instruction is
// repeated until it covers the contraction's vectors.
#pragma once

#include "compiler/warp/thread_code.h"

namespace heddle::compiler {

/// Emits D = A * B + C by the instruction `row` of the catalogue, for any target. `a`, `b` and `c`
/// are vectors of the elements that a lane holds for one instruction; the result D has the type of
/// `c`.
mlir::Value matrix_instruction(ThreadCode& code, const instruction::Instruction& row, mlir::Value a,
                               mlir::Value b, mlir::Value c, std::array<bool, 2> is_unsigned = {});

/// Emits D = A * B + C for the whole contraction. `a`, `b` and `c` are vectors of all elements that
/// the thread holds; the result D has the type of `c`.
mlir::Value multiply(ThreadCode& code, const Multiplication& multiplication, mlir::Value a,
                     mlir::Value b, mlir::Value c, std::array<bool, 2> is_unsigned);

}  // namespace heddle::compiler
