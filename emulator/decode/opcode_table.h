// The opcode table of this host: every mnemonic the emulator executes.
#pragma once

#include <string_view>
#include <vector>

#include "emulator/handlers/row.h"

namespace heddle::emulator {

// Null when there is none for this generation (11 or 12).
const Row* find_row(std::string_view mnemonic, int generation);

// All rows, for documentation and tests.
std::vector<const Row*> all_rows();

Handler dual_handler(bool deferred);

std::string_view simd_level();

}  // namespace heddle::emulator
