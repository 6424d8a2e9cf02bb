// Which bits of a wave's registers nobody wrote: per lane and byte of a VGPR, per bit of a scalar
// register. Undefined values may be copied and computed with, since compilers do that where values
// merge. Misuse lists the places that they must not reach.
//
// An instruction of a wave of 64 lanes is treated as its two halves in turn, as the emulator
// executes it (machine/halves.h). The halves have separate VGPRs and share scalar registers.
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

// Lanes whose lower and upper half of a register are undefined.
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
  // The undefined bits of one lane, and back: of a byte with an undefined bit, all are.
  uint32_t bits(unsigned lane) const {
    uint32_t bits = 0;
    for (unsigned i = 0; i < 4; ++i) bits |= (byte[i] >> lane & 1u) * 0xffu << 8 * i;
    return bits;
  }
  void add(unsigned lane, uint32_t bits) {
    for (unsigned i = 0; i < 4; ++i)
      if (bits >> 8 * i & 0xffu) byte[i] |= 1u << lane;
  }
  // Takes over the lower half (1), the upper one (2) or both (3).
  void take(const Bytes& other, uint8_t which) {
    for (unsigned i = 0; i < 4; ++i)
      if (which >> i / 2 & 1) byte[i] = other.byte[i];
  }
};

class Definedness {
 public:
  // All that the program uses is undefined but what `wave`'s launch has set: the first `scalars`
  // SGPRs, VGPR 0 of the threads that exist, EXEC and the registers of the system. `beyond`: those
  // vector registers from 256 on that the program names; the others would only slow down what has
  // the same number.
  void start(const Wavefront& wave, unsigned scalars, Program::VectorRegisters used,
             std::span<const uint16_t> beyond);

  // Registers with an undefined bit.
  const RegisterSet& undefined() const { return undefined_; }

  // Called before the instruction runs. Finds out which bits of its results will be undefined, and
  // whether it misuses a value. Also updates the scalar registers of the upper half, if there is
  // one.
  Misuse evaluate(Wavefront& wave, const Instruction* instruction, const Effects& effects);
  // After it ran: makes the results so.
  void commit(const Wavefront& wave, const Effects& effects);

  // `wave`: or the upper half of it, whose registers are meant.
  const Bytes& vgpr(const Wavefront& wave, unsigned index) const {
    return vgpr_[part_of(wave)][index];
  }
  // Of one half of the register (1 low, 2 high, 3 both).
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

  // Which 32 lanes of a wave of 64: 0 or 1.
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

  // Whether another register that is undefined has the same number in a RegisterSet.
  bool has_undefined_namesake(unsigned index) const;

  unsigned parts_ = 1;
  Bytes vgpr_[2][vector_registers] = {};
  // VCC stands at register_whole_vcc too, where the upper half's instructions read all of it.
  uint32_t scalar_[scalar_registers];
  RegisterSet undefined_;

  // A swap of registers has two in each half of a wave.
  Result results_[4];
  int result_count_ = 0;
  ScalarResult scalars_[20];
  int scalar_count_ = 0;
  // SCC is "the result is not zero" of scalar_[0]: known only when the result is.
  bool flag_of_result_ = false;
};

}  // namespace heddle::emulator::check
