// Which bits of a wave's registers nobody wrote: per lane and half of a VGPR, per bit of a scalar
// register. Undefined values may be copied and computed with, as compilers do where values merge;
// what they must not reach is said by Misuse.
#pragma once

#include <cstdint>

#include "emulator/check/effects.h"
#include "emulator/check/undefined_bits.h"
#include "emulator/machine/wavefront.h"

namespace heddle::emulator::check {

using LaneMask = uint32_t;

// What an instruction does with an undefined value that it must not do.
struct Misuse {
  enum class Kind : uint8_t { none, address, condition, matrix_operand };
  Kind kind = Kind::none;
  LaneMask lanes = 0;
  RegisterRange operand;
};

// Lanes whose lower and upper half of a register are undefined.
struct Halves {
  LaneMask low = 0, high = 0;
  LaneMask any() const { return low | high; }
  Halves operator|(const Halves& other) const { return {low | other.low, high | other.high}; }
};

class Definedness {
 public:
  // All is undefined but what `wave`'s launch has set: the first `scalars` SGPRs, VGPR 0 of the
  // threads that exist, EXEC and the registers of the system. `vgprs`: how many a lane can have.
  void start(const Wavefront& wave, unsigned scalars, unsigned vgprs);

  // Registers with an undefined bit.
  const RegisterSet& undefined() const { return undefined_; }

  // Before the instruction runs: what its results will be, and whether it misuses a value.
  Misuse evaluate(const Wavefront& wave, const Instruction* instruction, const Effects& effects);
  // After it ran: makes the results so.
  void commit(const Wavefront& wave, const Effects& effects);

  Halves vgpr(unsigned index) const { return vgpr_[index]; }
  void set_vgpr(unsigned index, Halves halves, LaneMask lanes);
  // Of one half (1 low, 2 high, 3 both).
  void set_halves(unsigned index, uint8_t which, LaneMask undefined, LaneMask lanes);
  uint32_t scalar(unsigned index) const { return scalar_[index]; }
  void set_scalar(unsigned index, uint32_t bits);

 private:
  struct Result {
    uint16_t first = 0;
    uint8_t registers = 0;
    uint8_t halves = 3;
    LaneMask lanes = 0;  // written
    Halves undefined[2];
  };
  struct ScalarResult {
    uint16_t index = 0;
    uint32_t undefined = 0;
  };

  struct Operands;
  Misuse evaluate_vector(const Wavefront& wave, const Instruction& in, const Row& row,
                         std::string_view mnemonic);
  void evaluate_conversion(const Wavefront& wave, const Instruction& in, const Row& row,
                           const Effects& effects);
  Misuse evaluate_scalar(const Wavefront& wave, const Instruction& in, const Row& row,
                         std::string_view mnemonic, const Effects& effects);
  Misuse evaluate_branch(const Wavefront& wave, std::string_view mnemonic);
  Misuse evaluate_matrix(const Wavefront& wave, const Instruction& in, const Row& row,
                         const Effects& effects);
  Misuse evaluate_address(const Wavefront& wave, const Instruction& in, const Row& row,
                          std::string_view mnemonic);
  void evaluate_exchange(const Wavefront& wave, const Instruction& in, const Row& row,
                         std::string_view mnemonic);
  Misuse condition(LaneMask undefined) const;

  Halves source_halves(const Wavefront& wave, const Instruction& in, int i, Type type) const;
  uint64_t source_undefined(const Wavefront& wave, const Instruction& in, int i, Type type,
                            unsigned lane) const;
  uint64_t source_value(const Wavefront& wave, const Instruction& in, int i, Type type,
                        unsigned lane) const;
  void add_vector_result(const Result& result);
  void add_scalar_result(unsigned index, uint32_t undefined);

  // Whether an undefined register of gfx1250 has the same number in a RegisterSet.
  bool has_undefined_namesake(unsigned index) const;

  Halves vgpr_[vector_registers];
  uint32_t scalar_[scalar_registers];
  RegisterSet undefined_;

  Result results_[2];
  int result_count_ = 0;
  ScalarResult scalars_[20];
  int scalar_count_ = 0;
  // SCC is "the result is not zero" of scalar_[0]: known only when the result is.
  bool flag_of_result_ = false;
};

// Whether the instruction moves data between lanes, or lanes and scalar registers.
bool is_lane_exchange(std::string_view mnemonic);

}  // namespace heddle::emulator::check
