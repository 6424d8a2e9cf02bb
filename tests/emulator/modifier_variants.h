// Every vector instruction with every modifier, source constant and DPP control that LLVM's
// disassembler takes for it, as machine code, and what the modifier means: by which host arithmetic
// the same instruction without it gives the result.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "emulator/machine/target.h"
#include "modifier_exceptions.h"

namespace heddle::emulator::testing {

// Source `i` of an instruction begins at VGPR first_source + 2 i: operands of several registers
// begin at an even one on CDNA2 and later, and on gfx1250.
constexpr std::size_t first_source = 2;

// Registers of one lane: v2..v9 before; v10..v13 and the lane's bit of the mask before and after.
struct LaneState {
  std::array<uint32_t, first_source + 8> source{};
  std::array<uint32_t, 4> result{};
  bool mask = false;

  uint32_t& word(std::size_t i, std::size_t which = 0) {
    return source[first_source + 2 * i + which];
  }
};
using WaveState = std::vector<LaneState>;

// MODE while the instruction runs: bits 7..4 (denormals) and 9 (IEEE, CDNA and gfx11).
struct FloatMode {
  bool keep_denormals = true;
  bool ieee = true;
  bool operator==(const FloatMode&) const = default;
};

struct MachineCode {
  std::array<uint32_t, 4> words{};
  int count = 0;
};

// One instruction with one modifier.
struct Variant {
  std::string mnemonic, kind;  // "v_add_f32", "clamp"
  std::string text;            // disassembled
  MachineCode code, plain;     // with the modifier and without
  FloatMode mode, plain_mode;
  bool special = false;     // denormals, NaN and infinities among the sources
  bool names_mask = false;  // reads a mask in a scalar register, else in VCC
  // From what the sources hold to what they hold for the plain instruction.
  std::function<void(WaveState&)> before;
  // From what the plain instruction gives to what this one gives; `in` as before any of them.
  std::function<void(const WaveState& in, WaveState& result)> after;
};

// Lanes of the waves that the variants of a target are for.
int wave_of(const Target& target);

// All of a target. `left_out` gets a line for each instruction or form without a model, and why.
std::vector<Variant> modifier_variants(const Target& target, std::vector<std::string>& left_out);

// What an exception leaves out, as if it were not there; without what those of `but` do.
struct ExceptedVariant {
  const LeftOut* exception;
  Variant variant;
};
std::vector<ExceptedVariant> excepted_variants(const Target& target,
                                               const std::set<const LeftOut*>& but);

}  // namespace heddle::emulator::testing
