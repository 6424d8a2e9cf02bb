// Checks that there are enough instructions between a matrix instruction of gfx1250 and the vector
// instructions after it.
//
// The matrix unit of gfx1250 works in parallel with the vector ALU. The vector ALU neither waits
// for the matrix unit nor sees its results early. So some vector instructions, such as v_nop, must
// be executed between a WMMA and
// - a vector instruction that reads or writes the D of the WMMA, or writes its A, B or index;
// - another WMMA that reads the D of the first as A, B or index.
//
// Transcendental and memory instructions may follow directly: they wait by themselves.
//
// Source: LLVM 22, GCNHazardRecognizer, fixWMMACoexecutionHazards, and fixWMMAHazards for
// instructions that are not executed by the matrix unit. For dual-issue pairs LLVM only considers
// the registers that they read (pull request 203145 is about that); here the registers that they
// write are checked too.
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

  // A matrix instruction that a wave has executed recently.
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
  // Finds the matrix instruction in `products` that is too close before `instruction`; null if
  // there is none. `vectors` is the number of vector ALU instructions that the wave has executed
  // before `instruction`.
  std::optional<Found> check(const std::vector<Product>& products, uint32_t instruction,
                             uint32_t vectors) const;

 private:
  // For a matrix instruction: how many vector ALU instructions must be executed between it and a
  // vector instruction that depends on it (before_vector), and between it and a matrix instruction
  // that depends on it (before_matrix).
  struct States {
    uint8_t before_vector = 0, before_matrix = 0;
  };
  const EffectsTable& effects_;
  std::vector<States> states_;
};

}  // namespace heddle::emulator::check
