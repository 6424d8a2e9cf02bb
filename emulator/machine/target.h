// The processors whose machine code the emulator runs.
#pragma once

#include <string>
#include <string_view>

namespace heddle::emulator {

// One row of the table of processors: LLVM's name and the number that an AMDGPU ELF file carries
// for it in the low byte of e_flags (LLVM "User Guide for AMDGPU Backend", table "AMDGPU
// EF_AMDGPU_MACH Values").
struct Target {
  std::string_view name;
  unsigned elf_machine = 0;
  int generation = 0;  // 9: CDNA2 to CDNA4; 11: RDNA3 and RDNA3.5; 12: RDNA4, gfx1250
  // Which instructions of the generation mean what: 90 (CDNA2), 94 (CDNA3), 95 (CDNA4), 125
  // (gfx1250); of RDNA the generation.
  int model = 0;

  // CDNA executes waves of 64 lanes only, and has accumulation registers beside the VGPRs.
  bool is_cdna() const { return generation == 9; }
  // 1024 VGPRs, of which instructions name 256 and s_set_vgpr_msb the rest; a tensor data mover.
  bool is_gfx1250() const { return model == 125; }
};

// Null when `elf_machine` is of no processor in the table.
const Target* find_target(unsigned elf_machine);

// Null when no processor of the table has this name.
const Target* find_target(std::string_view name);

// The names of all targets, "gfx1100, gfx1101, ...", for messages.
std::string target_names();

}  // namespace heddle::emulator
