// The processors whose machine code the emulator runs. They are rows of the table in
// heddle/instruction/target.h.
#pragma once

#include <string>
#include <string_view>

#include "heddle/instruction/target.h"

namespace heddle::emulator {

using instruction::Families;
using instruction::Feature;
using Target = instruction::ProcessorRow;

// Sets of instruction sets. A row of the opcode table names one of these sets: the instruction sets
// that have the row's instruction. Families{} stands for all instruction sets.
namespace isa {
inline constexpr Families gfx9 = instruction::families_with(Feature::gfx9_code),
                          gfx950 = instruction::families_with(Feature::gfx950_code),
                          gfx11 = instruction::families_with(Feature::gfx11_code),
                          gfx12 = instruction::families_with(Feature::gfx12_code),
                          gfx1250 = instruction::families_with(Feature::gfx1250_code);
// The instruction sets whose 8-bit floats are of the fnuz kind: without infinities, and with one
// NaN, whose encoding is that of -0 in other formats.
inline constexpr Families fnuz = [] {
  Families all;
  for (const instruction::FamilyRow& each : instruction::family_rows)
    if (each.small_floats == instruction::SmallFloats::fnuz) all = all | each.family;
  return all;
}();
}  // namespace isa

// The processor with this number in the ELF header (e_flags), or null if the emulator runs no such
// processor.
const Target* find_target(unsigned elf_machine);

// The processor with this name, or null if the emulator does not run it.
using instruction::find_target;

// The names of all targets, "gfx1100, gfx1101, ...", for messages.
std::string target_names();

}  // namespace heddle::emulator
