#include "emulator/machine/target.h"

#include <llvm/BinaryFormat/ELF.h>

namespace heddle::emulator {
namespace {

using namespace llvm::ELF;

// Exercised by the tests: gfx1100, gfx1151, gfx1201, gfx1250, gfx90a, gfx942, gfx950. The
// others have the same instructions as one of these as far as LLVM's processor table says.
constexpr Target targets[] = {
    {"gfx1100", EF_AMDGPU_MACH_AMDGCN_GFX1100, 11, 11},
    {"gfx1101", EF_AMDGPU_MACH_AMDGCN_GFX1101, 11, 11},
    {"gfx1102", EF_AMDGPU_MACH_AMDGCN_GFX1102, 11, 11},
    {"gfx1103", EF_AMDGPU_MACH_AMDGCN_GFX1103, 11, 11},
    {"gfx1150", EF_AMDGPU_MACH_AMDGCN_GFX1150, 11, 11},
    {"gfx1151", EF_AMDGPU_MACH_AMDGCN_GFX1151, 11, 11},
    {"gfx1152", EF_AMDGPU_MACH_AMDGCN_GFX1152, 11, 11},
    {"gfx1153", EF_AMDGPU_MACH_AMDGCN_GFX1153, 11, 11},
    {"gfx1200", EF_AMDGPU_MACH_AMDGCN_GFX1200, 12, 12},
    {"gfx1201", EF_AMDGPU_MACH_AMDGCN_GFX1201, 12, 12},
    {"gfx1250", EF_AMDGPU_MACH_AMDGCN_GFX1250, 12, 125},
    {"gfx90a", EF_AMDGPU_MACH_AMDGCN_GFX90A, 9, 90},
    {"gfx942", EF_AMDGPU_MACH_AMDGCN_GFX942, 9, 94},
    {"gfx950", EF_AMDGPU_MACH_AMDGCN_GFX950, 9, 95},
};

}  // namespace

const Target* find_target(unsigned elf_machine) {
  for (const Target& target : targets)
    if (target.elf_machine == elf_machine) return &target;
  return nullptr;
}

const Target* find_target(std::string_view name) {
  for (const Target& target : targets)
    if (target.name == name) return &target;
  return nullptr;
}

std::string target_names() {
  std::string names;
  for (const Target& target : targets) {
    if (!names.empty()) names += ", ";
    names += target.name;
  }
  return names;
}

}  // namespace heddle::emulator
