// The instructions that must lie between a matrix instruction of gfx1250 and the vector
// instructions after it.
//
// The matrix unit of gfx1250 works in parallel with the vector ALU, which neither waits for it nor
// sees its results early. A vector instruction that reads or writes D of a WMMA, or writes its A, B
// or index, needs others between, and so does another WMMA that reads D as A, B or index. Every
// vector instruction counts, such as v_nop; transcendental ones and memory instructions wait by
// themselves.
//
// Source: LLVM 22, GCNHazardRecognizer, fixWMMACoexecutionHazards, and fixWMMAHazards for
// instructions that are no products of the matrix unit. LLVM looks at the reads of dual-issue pairs
// only (pull request 203145 is about that); here their results count, too.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "emulator/check/effects.h"

namespace heddle::emulator::check {

class Coexecution {
 public:
  // Of gfx1250.
  Coexecution(const Program& program, const EffectsTable& effects, const Target& target);

  // The matrix instructions that a wave executed last.
  struct Product {
    uint32_t instruction;
    uint32_t vectors;  // instructions of the vector ALU that the wave had executed before
  };
  static constexpr uint32_t most_states = 9;  // that any of them asks for

  struct Found {
    uint32_t first;
    int states, needed;  // between the two
    RegisterRange range;
    std::string_view what;
  };
  // The matrix instruction that is too close to an instruction, which comes after `vectors`
  // instructions of the vector ALU.
  std::optional<Found> check(const std::vector<Product>& products, uint32_t instruction,
                             uint32_t vectors) const;

 private:
  // Of a matrix instruction: what must lie before a vector instruction and before a matrix one.
  struct States {
    uint8_t before_vector = 0, before_matrix = 0;
  };
  const EffectsTable& effects_;
  std::vector<States> states_;
};

}  // namespace heddle::emulator::check
