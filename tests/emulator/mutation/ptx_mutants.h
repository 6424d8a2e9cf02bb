// Correct PTX with one mistake in each: a wait, a commit, a fence or a barrier deleted or weakened,
// a count or a number of bytes changed, tensor memory not allocated or freed as it should be.
//
// To add a kind, add a row to `mutations` in ptx_mutants.cpp: its name, a regular expression of the
// whole instruction without its guard, and what may stand in its place: text in which $1 … are the
// groups of the expression; empty text deletes the instruction, with its guard. `changes`, if set,
// computes the text from the groups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::emulator::testing {

struct PtxMutant {
  std::size_t kind = 0;  // of ptx_mutation_names()
  std::uint32_t line = 0;
  std::string what;  // "line 12: tcgen05.wait::ld.sync.aligned; deleted"
  std::string text;  // of the whole module
};

std::span<const std::string_view> ptx_mutation_names();

// Of all instructions on lines that `executed` names (from 1 on).
std::vector<PtxMutant> ptx_mutants(const std::string& text, const std::vector<bool>& executed);

}  // namespace heddle::emulator::testing
