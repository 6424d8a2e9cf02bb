// How a program calls an instruction: HIP with clang's builtin, CUDA with PTX in an asm statement.
#pragma once

#include <string>

#include "heddle/instruction/instruction.h"
#include "heddle/instruction/variant.h"

namespace heddle::answers {

/// clang's builtin for the row: its LLVM intrinsic in C spelling, with the wave size and the
/// generation if clang distinguishes them. Empty if there is none.
std::string builtin_name(const instruction::Instruction& row);

/// A C++ function with nothing but this instruction, and the types that it needs. An instruction
/// with several n is called with the smallest.
struct CallSource {
  std::string language;  // "HIP" or "CUDA"
  std::string text;      // lines, each ending in a newline
};

/// tests/tool/calls.py compiles the answer of every row.
CallSource call_source(const instruction::Instruction& row);

}  // namespace heddle::answers
