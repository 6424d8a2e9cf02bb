// vector.contract as matrix instructions of one thread, again and again over its tile.
#pragma once

#include "compiler/warp/thread_code.h"

namespace heddle::compiler {

/// D = A * B + C by one instruction of the catalogue, of any machine. Operands are vectors of the
/// elements of a lane, and D is one of the type of `c`.
mlir::Value matrix_instruction(ThreadCode& code, const instruction::Instruction& row, mlir::Value a,
                               mlir::Value b, mlir::Value c, std::array<bool, 2> is_unsigned = {});

/// D = A * B + C of the thread's registers; D has the type of `c`.
mlir::Value multiply(ThreadCode& code, const Multiplication& multiplication, mlir::Value a,
                     mlir::Value b, mlir::Value c, std::array<bool, 2> is_unsigned);

}  // namespace heddle::compiler
