// How a program calls an instruction: HIP with clang's builtin, CUDA with PTX in an asm statement.
#pragma once

#include <string>

#include "heddle/instruction/instruction.h"
#include "heddle/instruction/variant.h"

namespace heddle::answers {

/// The name of clang's builtin for the row: the name of its LLVM intrinsic in C spelling. If clang
/// has different builtins for wave sizes or generations of processors, the name contains the wave
/// size or the generation. Empty if clang has no builtin for the row.
std::string builtin_name(const instruction::Instruction& row);

/// A C++ function that only calls this instruction, and the types that it needs. If the instruction
/// exists for several n, the function calls the one with the smallest n.
struct CallSource {
  std::string language;  // "HIP" or "CUDA"
  std::string text;      // lines, each ending in a newline
};

/// tests/tool/calls.py compiles the answer of every row.
CallSource call_source(const instruction::Instruction& row);

}  // namespace heddle::answers
