// The processors whose machine code the emulator runs: rows of the one table, which
// heddle/instruction/target.h has.
#pragma once

#include <string>
#include <string_view>

#include "heddle/instruction/target.h"

namespace heddle::emulator {

using instruction::Families;
using instruction::Feature;
using Target = instruction::ProcessorRow;

// Groups of instruction sets, for the rows of tables; Families{} stands for all.
namespace isa {
inline constexpr Families gfx9 = instruction::families_with(Feature::gfx9_code),
                          gfx950 = instruction::families_with(Feature::gfx950_code),
                          gfx11 = instruction::families_with(Feature::gfx11_code),
                          gfx12 = instruction::families_with(Feature::gfx12_code),
                          gfx1250 = instruction::families_with(Feature::gfx1250_code);
// Whose 8-bit floats have no infinities, and one NaN in the place of -0.
inline constexpr Families fnuz = [] {
  Families all;
  for (const instruction::FamilyRow& each : instruction::family_rows)
    if (each.small_floats == instruction::SmallFloats::fnuz) all = all | each.family;
  return all;
}();
}  // namespace isa

// Null when `elf_machine` is of no processor that the emulator runs.
const Target* find_target(unsigned elf_machine);

// Null when the emulator runs no processor of this name.
using instruction::find_target;

// The names of all targets, "gfx1100, gfx1101, ...", for messages.
std::string target_names();

}  // namespace heddle::emulator
