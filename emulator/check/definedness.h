// Follows which bits of a wave's registers are undefined, that is, nobody wrote them: for each lane
// and byte of a VGPR, and for each bit of a scalar register. Undefined values may be copied and
// computed with, since compilers do that when they merge values. But they must not be used as an
// address, a condition or a matrix operand (Misuse).
//
// An instruction of a wave of 64 lanes is evaluated first for the lower and then for the upper 32
// lanes, as the emulator executes it (machine/halves.h). The two halves have separate VGPRs and
// share scalar registers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "emulator/check/effects.h"
#include "emulator/decode/program.h"
#include "emulator/machine/wavefront.h"

namespace heddle::emulator::check {

using LaneMask = uint32_t;  // of 32 lanes, a wave or half of one

// A forbidden use of an undefined value by an instruction.
struct Misuse {
  enum class Kind : uint8_t { none, address, condition, matrix_operand };
  Kind kind = Kind::none;
  uint64_t lanes = 0;  // of the wave
  RegisterRange operand;
};

// For each 16-bit half of a register (low: bits 15 to 0, high: bits 31 to 16): the lanes in which
// it is undefined.
struct Halves {
  LaneMask low = 0, high = 0;
  LaneMask any() const { return low | high; }
  Halves operator|(const Halves& other) const { return {low | other.low, high | other.high}; }
};

// Lanes in which each byte of a register is undefined.
struct Bytes {
  LaneMask byte[4] = {};

  static Bytes of(const Halves& halves) {
    return {{halves.low, halves.low, halves.high, halves.high}};
  }
  Halves halves() const { return {byte[0] | byte[1], byte[2] | byte[3]}; }
  LaneMask any() const { return byte[0] | byte[1] | byte[2] | byte[3]; }
  // bits() returns the undefined bits of the register in one lane. add() marks bytes as undefined
  // in one lane: those in which `bits` has a bit set.
  uint32_t bits(unsigned lane) const {
    uint32_t bits = 0;
    for (unsigned i = 0; i < 4; ++i) bits |= (byte[i] >> lane & 1u) * 0xffu << 8 * i;
    return bits;
  }
  void add(unsigned lane, uint32_t bits) {
    for (unsigned i = 0; i < 4; ++i)
      if (bits >> 8 * i & 0xffu) byte[i] |= 1u << lane;
  }
  // Copies the bytes of the lower half (`which` = 1), the upper half (2) or both (3) from `other`.
  void take(const Bytes& other, uint8_t which) {
    for (unsigned i = 0; i < 4; ++i)
      if (which >> i / 2 & 1) byte[i] = other.byte[i];
  }
};

class Definedness {
 public:
  // Begins a wave. All registers that the program uses are undefined, except those that the launch
  // sets: the first `scalars` SGPRs, VGPR 0 of the threads that exist, EXEC, and the system's
  // registers.
  //
  // `beyond` are the vector registers from 256 on that the program names. Other registers from 256
  // on are not followed, because they would slow down instructions on registers that have the same
  // number in a RegisterSet.
  void start(const Wavefront& wave, unsigned scalars, Program::VectorRegisters used,
             std::span<const uint16_t> beyond);

  // Registers with an undefined bit.
  const RegisterSet& undefined() const { return undefined_; }

  // Call before the instruction runs. Finds out which bits of its results will be undefined (see
  // commit()), and whether it misuses an undefined value. If the wave has an upper half, also
  // copies the scalar registers to it.
  Misuse evaluate(Wavefront& wave, const Instruction* instruction, const Effects& effects);
  // After it ran: makes the results so.
  void commit(const Wavefront& wave, const Effects& effects);

  // The undefined bytes of VGPR `index`. `wave` may be the upper half of a wave of 64 lanes.
  const Bytes& vgpr(const Wavefront& wave, unsigned index) const {
    return vgpr_[part_of(wave)][index];
  }
  // In `lanes`, sets the undefined bytes of a register to those in `undefined`, for the half of the
  // register that `which` names (1 low, 2 high, 3 both).
  void set_halves(const Wavefront& wave, unsigned index, uint8_t which, const Bytes& undefined,
                  LaneMask lanes) {
    set_halves(part_of(wave), index, which, undefined, lanes);
  }
  uint32_t scalar(unsigned index) const { return scalar_[index]; }
  void set_scalar(unsigned index, uint32_t bits);

 private:
  struct Result {
    uint8_t part = 0;
    uint16_t first = 0;
    uint8_t registers = 0;
    uint8_t halves = 3;
    LaneMask lanes = 0;  // written
    Bytes undefined[2];
  };
  struct ScalarResult {
    uint16_t index = 0;
    uint32_t undefined = 0;
  };

  // Which 32 lanes `wave` stands for: 1 if it is the upper half of a wave of 64 lanes, else 0.
  static unsigned part_of(const Wavefront& wave) { return wave.first_lane / 32; }
  void set_vgpr(unsigned part, unsigned index, const Bytes& undefined, LaneMask lanes);
  void set_halves(unsigned part, unsigned index, uint8_t which, const Bytes& undefined,
                  LaneMask lanes);

  Misuse evaluate_halves(Wavefront& wave, const Instruction* instruction, const Effects& effects);
  Misuse evaluate_one(const Wavefront& wave, const Instruction& in, const Effects& effects,
                      int pair_part);
  Misuse evaluate_vector(const Wavefront& wave, const Instruction& in, const Row& row,
                         const Effects& effects);
  Misuse evaluate_subwords(const Wavefront& wave, const Instruction& in, const Row& row);
  void evaluate_conversion(const Wavefront& wave, const Instruction& in, const Row& row,
                           const Effects& effects);
  Misuse evaluate_scalar(const Wavefront& wave, const Instruction& in, const Row& row,
                         const Effects& effects);
  Misuse evaluate_branch(const Wavefront& wave, const Effects& effects);
  Misuse evaluate_matrix(const Instruction& in, const Row& row, const Effects& effects);
  Misuse evaluate_address(const Wavefront& wave, const Instruction& in, const Row& row);
  void evaluate_exchange(const Wavefront& wave, const Instruction& in, const Row& row);
  static std::optional<Instruction> at_moved_registers(const Wavefront& wave, const Instruction& in,
                                                       const Row& row);
  static Misuse condition(uint64_t undefined);

  Halves source_halves(const Wavefront& wave, const Instruction& in, int i, Type type) const;
  uint64_t source_undefined(const Wavefront& wave, const Instruction& in, int i, Type type,
                            unsigned lane) const;
  static uint64_t source_value(const Wavefront& wave, const Instruction& in, int i, Type type,
                               unsigned lane);
  void add_vector_result(const Result& result);
  void add_scalar_result(unsigned index, uint32_t undefined);

  // True if an undefined register has the same number in a RegisterSet as register `index`. Such
  // registers are the other half's register `index`, and registers from 256 on.
  bool has_undefined_namesake(unsigned index) const;

  unsigned parts_ = 1;
  Bytes vgpr_[2][vector_registers] = {};
  // VCC is also stored at register_whole_vcc, where instructions of the upper half read all 64
  // bits.
  uint32_t scalar_[scalar_registers];
  RegisterSet undefined_;

  // There are four, since a swap of two registers has two results, in each half of a wave.
  Result results_[4];
  int result_count_ = 0;
  ScalarResult scalars_[20];
  int scalar_count_ = 0;
  // True if SCC says whether the result in scalars_[0] is not zero. If that result has a set bit
  // that is defined, SCC is defined.
  bool flag_of_result_ = false;
};

}  // namespace heddle::emulator::check
