// The opcode table for this host. It has a row for every mnemonic that the emulator executes.
#pragma once

#include <string>
#include <string_view>

#include "emulator/handlers/row.h"
#include "emulator/machine/target.h"

namespace heddle::emulator {

// The row of a mnemonic for waves of `wave` lanes (32 or 64) of this target; null if there is none.
// For CDNA the mnemonic may be an older name of an instruction in the table (decode/older_names.h).
const Row* find_row(std::string_view mnemonic, const Target& target, int wave);

Handler dual_handler(bool deferred);

// The level (instruction set of the host) for which the emulator's code in use was compiled:
// "x86-64-v4", "x86-64-v3" or "portable". It is the best one for this host, or the one that the
// environment variable HEDDLE_EMULATOR_SIMD names. If the variable names no such level,
// CodeObject::load returns an error.
std::string_view simd_level();

// If the value of HEDDLE_EMULATOR_SIMD is wrong: a message with the accepted values; else empty.
std::string simd_problem();

}  // namespace heddle::emulator
