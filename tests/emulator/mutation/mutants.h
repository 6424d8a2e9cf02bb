// Correct code objects with one mistake in each: a wait, barrier or cache control deleted or
// weakened, an atomic that is none any more, an LDS offset moved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/decode/code_object.h"

namespace heddle::emulator::testing {

enum class Mutation {
  wait_deleted,
  wait_weakened,
  barrier_deleted,
  cache_control_weakened,  // deleted, or of the next smaller scope
  atomic_weakened,         // a plain load or store in its place, or one of smaller scope
  lds_offset_moved
};
constexpr int mutation_count = 6;
std::string_view mutation_name(Mutation mutation);

// A few words of the file that are replaced.
struct Mutant {
  Mutation mutation;
  uint32_t instruction;  // its index
  std::string what;      // "s_waitcnt lgkmcnt(0) at 0x1a4: lgkmcnt(1)"
  std::string becomes;   // how the text of the instruction begins in the mutant
  struct Patch {
    uint64_t address;  // in the image
    uint32_t word;
  };
  std::vector<Patch> patches;
};

// Of all instructions that `chosen` names, by index.
std::vector<Mutant> mutants_of(const CodeObject& object, const std::vector<bool>& chosen);

// The file with the words of the mutant in the place of its own.
std::vector<std::byte> patched(std::vector<std::byte> file, std::span<const Mutant::Patch> patches);
inline std::vector<std::byte> patched(std::vector<std::byte> file, const Mutant& mutant) {
  return patched(std::move(file), mutant.patches);
}

// What may be executed after some instruction that `executed` names: all of the functions of which
// something was.
std::vector<bool> reachable(const CodeObject& object, const std::vector<bool>& executed);

}  // namespace heddle::emulator::testing
