// CDNA's names of instructions that RDNA3 renamed: the opcode table has the newer ones.
#pragma once

#include <string>
#include <string_view>

namespace heddle::emulator {

// "global_load_dword" -> "global_load_b32"; empty when the name was not changed.
std::string newer_name(std::string_view mnemonic);

}  // namespace heddle::emulator
