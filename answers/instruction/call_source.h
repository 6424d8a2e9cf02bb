// How a program calls an instruction: HIP by clang's builtin, CUDA by PTX in an asm statement.
#pragma once

#include <string>

#include "heddle/instruction/instruction.h"
#include "heddle/instruction/variant.h"

namespace heddle::answers {

/// clang's builtin for the row: its LLVM intrinsic in the spelling of C, with the wave size and the
/// generation where clang tells these apart. Empty where there is none.
std::string builtin_name(const instruction::Instruction& row);

/// A function in C++ that does nothing but this instruction, with the types it needs; of an
/// instruction for several n, with the smallest.
struct CallSource {
  std::string language;  // "HIP" or "CUDA"
  std::string text;      // lines, each ending in a newline
};

/// tests/tool/calls.py compiles the answer of every row.
CallSource call_source(const instruction::Instruction& row);

}  // namespace heddle::answers
