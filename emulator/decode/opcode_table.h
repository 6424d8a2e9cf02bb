// The opcode table of this host: every mnemonic the emulator executes.
#pragma once

#include <string>
#include <string_view>

#include "emulator/handlers/row.h"
#include "emulator/machine/target.h"

namespace heddle::emulator {

// Null if there is no row for this target and waves of `wave` lanes (32 or 64). A mnemonic of CDNA
// may be an older name of an instruction in the table (decode/older_names.h).
const Row* find_row(std::string_view mnemonic, const Target& target, int wave);

Handler dual_handler(bool deferred);

// "x86-64-v4", "x86-64-v3" or "portable": the level that this host runs. It is the best one, or the
// one that the environment variable HEDDLE_EMULATOR_SIMD names. CodeObject::load refuses other
// values of it.
std::string_view simd_level();

// The error in HEDDLE_EMULATOR_SIMD, with the accepted values; empty if there is none.
std::string simd_problem();

}  // namespace heddle::emulator
