// The opcode table of this host: every mnemonic the emulator executes.
#pragma once

#include <string>
#include <string_view>

#include "emulator/handlers/row.h"
#include "emulator/machine/target.h"

namespace heddle::emulator {

// Null when there is none for this target and waves of so many lanes (32 or 64). A mnemonic of CDNA
// may be an older name of what the table has (decode/older_names.h).
const Row* find_row(std::string_view mnemonic, const Target& target, int wave);

Handler dual_handler(bool deferred);

// "x86-64-v4", "x86-64-v3" or "portable": what this host runs, the best it has or what the
// environment variable HEDDLE_EMULATOR_SIMD names. CodeObject::load refuses other values of it.
std::string_view simd_level();

// What is wrong with HEDDLE_EMULATOR_SIMD, with the values that are accepted; empty when nothing
// is.
std::string simd_problem();

}  // namespace heddle::emulator
