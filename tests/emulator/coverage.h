// Which instructions of LLVM's the emulator executes, counted by encoding; and which it does not,
// with the reasons.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "emulator/machine/target.h"

namespace heddle::emulator::testing {

struct Coverage {
  struct Count {
    int covered = 0, all = 0;  // mnemonics
  };
  std::map<std::string, Count> by_encoding;
  Count total;                                 // each mnemonic once
  std::map<std::string, std::string> missing;  // mnemonic -> what stands in the way
};

Coverage coverage(const Target& target, int wave);

// What the emulator refuses of machine code, by mnemonic: an instruction of it and why. `emitted`
// gets all mnemonics.
std::map<std::string, std::string> refused(std::span<const std::byte> code, const Target& target,
                                           int wave, std::set<std::string>& emitted);

// Why the emulator lacks an instruction on purpose; empty when it should have it.
std::string_view reason_for_absence(std::string_view mnemonic, const Target& target, int wave);

}  // namespace heddle::emulator::testing
