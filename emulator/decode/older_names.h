// CDNA uses older names for instructions that RDNA3 has renamed. The opcode table only has the
// newer names; this file translates.
#pragma once

#include <string>
#include <string_view>

namespace heddle::emulator {

// The newer name, such as "global_load_b32" for "global_load_dword"; empty if the name was not
// changed.
std::string newer_name(std::string_view mnemonic);

}  // namespace heddle::emulator
