// Draws warp-level functions: contractions of every type, layout, place and bound, as MLIR text.
#pragma once

#include <cstdint>
#include <string>

#include "heddle/instruction/target.h"

namespace heddle::compiler {

/// What a drawn function contains, in words, and its text.
struct WarpDraw {
  std::string text;
  std::string kind;         // "f16 into f32"
  std::string description;  // "f16 32x16x32 into f32, A k-major, B padded, relu …"
  bool tf32 = false;        // wants contractions of f32 on tf32 instructions
};

/// The same seed and target give the same text on every host. What is drawn is meant to be
/// accepted on `target`: tiles are multiples of an instruction's.
WarpDraw draw_warp_function(instruction::Target target, std::uint64_t seed);

}  // namespace heddle::compiler
