#include "emulator/machine/target.h"

namespace heddle::emulator {

const Target* find_target(unsigned elf_machine) {
  for (const Target& target : instruction::target_rows)
    if (target.elf_machine == elf_machine) return &instruction::processor(target.target);
  return nullptr;
}

std::string target_names() {
  std::string names;
  for (const Target& target : instruction::target_rows) {
    if (!names.empty()) names += ", ";
    names += target.name;
  }
  return names;
}

}  // namespace heddle::emulator
