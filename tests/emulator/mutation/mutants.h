// Correct code objects with one mistake in each: a wait or barrier deleted, a wait weakened, an LDS
// offset moved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "emulator/code_object.h"

namespace heddle::emulator::testing {

enum class Mutation { wait_deleted, wait_weakened, barrier_deleted, lds_offset_moved };
constexpr int mutation_count = 4;
std::string_view mutation_name(Mutation mutation);

// A few words of the file that are replaced.
struct Mutant {
  Mutation mutation;
  std::string what;  // "s_waitcnt lgkmcnt(0) at 0x1a4: lgkmcnt(1)"
  struct Patch {
    uint64_t address;  // in the image
    uint32_t word;
  };
  std::vector<Patch> patches;
};

// Of all instructions that `executed` names, by index.
std::vector<Mutant> mutants_of(const CodeObject& object, const std::vector<bool>& executed);

// The file with the words of the mutant in the place of its own.
std::vector<std::byte> patched(std::vector<std::byte> file, const Mutant& mutant);

}  // namespace heddle::emulator::testing
