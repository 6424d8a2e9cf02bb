// Every instruction of a target that LLVM's disassembler knows, found by trying all opcode numbers
// of all encodings: a witness of what there is that knows nothing of the emulator's table.
#pragma once

#include <string>
#include <vector>

#include "emulator/machine/target.h"

namespace heddle::emulator::testing {

struct EncodedInstruction {
  std::string encoding;  // "VOP2", "VGLOBAL", as the ISA documents call it
  std::string mnemonic;  // without the suffix of its encoding
  std::string text;      // disassembled, with registers that stand for any
  uint32_t first_word;
};

// Without images, exports, interpolation and ray tracing, which have encodings of their own.
std::vector<EncodedInstruction> opcode_space(const Target& target, int wave);

}  // namespace heddle::emulator::testing
