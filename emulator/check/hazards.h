// Wait states: the number of instructions that must lie between two instructions of a wave if
// CDNA's hardware neither waits for the first nor forwards its result. Programs fill them with
// s_nop.
//
// A row of hazard_rows() is one rule: the first instruction, the second instruction, their
// overlapping operands, and the number of wait states between them. An instruction is one wait
// state, and `s_nop n` is n + 1. The check follows the path that a wave takes, across branches too.
// A branch that is taken is `taken_branch_states`.
//
// Sources: AMD Instinct MI200, MI300 and CDNA4 ISA, "Manually Inserted Wait States (NOPs)" and, of
// matrix instructions, "Dependency Resolution: Required Independent Instructions"; LLVM,
// GCNHazardRecognizer.cpp, the function that each row names; for passes, AMD's tables of matrix
// instructions and LLVM, SISchedule.td. If LLVM asks for more than the documents, LLVM's number is
// used.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "emulator/check/effects.h"
#include "emulator/machine/target.h"
#include "heddle/instruction/instruction.h"

namespace heddle::emulator::check {

// The properties of an instruction that matter for wait states.
enum InstructionClass : uint32_t {
  class_vector = 1,           // of the vector ALU, no matrix instruction
  class_dot = 2,              // v_dot*, in addition
  class_transcendental = 4,   // v_exp, v_rcp ..., in addition
  class_moved_result = 8,     // puts its result into some bits of a register, in addition
  class_f64_small = 16,       // v_mfma_f64_4x4x4
  class_f64_large = 32,       // v_mfma_f64_16x16x4
  class_single = 64,          // MFMA of f32 on CDNA3 and 4
  class_narrow = 128,         // all other MFMA and SMFMAC, LLVM's XDL
  class_scalar = 256,         // of the scalar ALU
  class_vector_memory = 512,  // buffer, global, flat, scratch
  class_lds = 1024,
  class_exchange = 2048,         // v_permlane16_swap, v_permlane32_swap
  class_ordinary_vector = 4096,  // of class_vector, and not transcendental
};
constexpr uint32_t class_f64 = class_f64_small | class_f64_large;
constexpr uint32_t class_matrix = class_f64 | class_single | class_narrow;
constexpr uint32_t class_memory = class_vector_memory | class_lds;

// The use of an operand by an instruction.
enum OperandRole : uint32_t {
  reads_vector = 1,
  writes_vector = 2,
  reads_scalar = 4,
  writes_scalar = 8,
  multiplies = 16,      // A, B, the index or a scale of a matrix instruction; A and B of a v_dot
  adds = 32,            // C of a matrix instruction
  writes_matrix = 64,   // D
  stores_wide = 128,    // data of more than 64 bits
  reads_dpp = 256,      // by DPP
  reads_lane = 512,     // by v_readlane, v_readfirstlane
  selects_lane = 1024,  // the number of the lane of v_readlane and v_writelane
  needs_exec = 2048,    // EXEC: an instruction of DPP, or a product
  needs_exec_of_lane = 4096,  // EXEC: v_readlane, v_readfirstlane, v_writelane, v_permlane*_swap
  scales_by_vcc = 8192,       // VCC of v_div_fmas
  addresses_by_m0 = 16384,    // M0, where the scalar ALU is not waited for
  sets_mode = 32768,          // a register of s_setreg
  gets_mode = 65536,          // and of s_getreg or another s_setreg
  uses_f64 = 131072,          // the unit that v_mfma_f64 and v_fma_f64 share
  exchanges = 262144,         // a source of v_permlane*_swap
};

// The instruction sets that a rule is of.
inline constexpr Families cdna2 = instruction::Family::gfx90a, cdna3 = instruction::Family::gfx942,
                          cdna4 = instruction::Family::gfx950, since_cdna3 = cdna3 | cdna4,
                          all_models = cdna2 | since_cdna3;

enum HazardCondition : uint8_t {
  same_registers = 1,  // the operands are the same registers, not some of them
  other_registers = 2,
  same_opcode = 4,
  other_opcode = 8,
  two_passes = 16,  // of the first instruction
  more_passes = 32,
  f64_between = 64,  // a v_mfma_f64 lies between the two
};

struct HazardRow {
  Families models;
  uint32_t first;       // InstructionClass, any of them; 0: every instruction
  uint32_t first_role;  // OperandRole, any of them
  uint32_t second, second_role;
  int8_t states;          // that must lie between
  bool add_passes;        // and so many more as the first instruction has passes
  uint8_t conditions;     // HazardCondition, all of them
  std::string_view isa;   // what the ISA's tables say of the two
  std::string_view llvm;  // the function of GCNHazardRecognizer
};
std::span<const HazardRow> hazard_rows();

// The passes of a matrix instruction of CDNA, which take four clocks each. `is_8_bit`: for an
// instruction with several formats, true if A or B has 8 bits.
int passes_of(const instruction::Instruction& instruction, const Target& target, bool is_8_bit);

// The wait states of a branch that is taken. No document of AMD's gives the number. After such a
// branch the wave has to fetch instructions again: on GCN it takes 20 clocks, those of five
// instructions (CLRX, GcnTimings, "SOPP Instruction timings"), and in LLVM's model of CDNA the time
// of eight (SISchedule.td, WriteBranch). Two are a safe part of that, and enough for what LLVM
// puts: GCNHazardRecognizer counts an s_branch behind a conditional branch that jumps over it.
inline constexpr int taken_branch_states = 2;

// The instructions that a wave has executed last.
class Path {
 public:
  static constexpr uint32_t most_states = 20;  // that any row asks for

  void start() { count_ = 0, next_ = none; }
  // True if, within the reach of wait states, the instructions before `index` on the path may
  // differ from those before it in the code. Then the path has to be checked.
  bool take(uint32_t index) {
    if (index != next_) [[unlikely]] {
      if (index + 1 == next_) return false;  // a barrier is executed again when it is complete
      if (next_ != none) runs_[count_++ % most_states] = {first_, next_ - 1};
      first_ = index;
    }
    next_ = index + 1;
    return index - first_ <= most_states;
  }
  // Calls `visit` with the instructions before the last one that was taken, from the latest on,
  // and with whether they jumped, until it returns false.
  template <class Visit>
  void back(Visit visit) const {
    for (uint32_t i = next_ - 1; i-- > first_;)
      if (!visit(i, false)) return;
    const uint32_t kept = count_ < most_states ? count_ : most_states;
    for (uint32_t r = 1; r <= kept; ++r) {
      const Run& run = runs_[(count_ - r) % most_states];
      for (uint32_t i = run.last + 1; i-- > run.first;)
        if (!visit(i, i == run.last)) return;
    }
  }

 private:
  static constexpr uint32_t none = ~0u;
  struct Run {
    uint32_t first, last;
  };
  std::array<Run, most_states> runs_;  // those before the present one
  uint32_t count_ = 0, first_ = 0, next_ = none;
};

// Of one program.
class Hazards {
 public:
  // `branch_states`: of a branch that is taken.
  Hazards(const Program& program, const EffectsTable& effects, const Target& target,
          int branch_states = taken_branch_states);

  struct Found {
    const HazardRow* row;
    uint32_t first;       // the instruction that comes too early before the present one
    RegisterRange range;  // the operand of the second
    uint32_t role;        // OperandRole of it
    int states, needed;

    // Else it is a register of s_setreg, or a unit.
    bool is_register() const { return (role & (sets_mode | gets_mode | uses_f64)) == 0; }
  };
  // For the last instruction of the path: the rule that lacks the most wait states.
  std::optional<Found> check(const Path& path, uint32_t index) const;
  // True if check() finds something when the instructions before `index` on the path are those
  // before it in the code.
  bool is_wrong_in_order(uint32_t index) const { return wrong_in_order_[index] != 0; }

  static uint64_t bytes_of(const Program& program) {
    return program.instructions().size() * (sizeof(Info) + 8 * sizeof(Operand));
  }

 private:
  struct Operand {
    RegisterRange range;
    uint32_t role;
  };
  struct Info {
    uint64_t first = 0, second = 0;  // the rows in which it can be the first or the second
    uint32_t classes = 0;
    uint32_t operands = 0;  // from there on, in operands_
    uint16_t count = 0;
    uint8_t states = 1;
    uint8_t passes = 0;
  };
  struct Candidate {
    uint32_t index;
    int between;
    bool f64_between;
  };
  struct Reading;

  std::span<const Operand> operands(const Info& info) const {
    return std::span(operands_).subspan(info.operands, info.count);
  }
  void read(Reading& reading, uint32_t index, const Effects& effects, bool is_vector);
  void read_matrix(const Reading& reading, Info& info);
  void read_vector(const Reading& reading, Info& info);
  void read_memory(const Reading& reading, Info& info);
  void read_scalar(Reading& reading, const Effects& effects, Info& info);
  void add(Info& info, const RegisterRange& range, uint32_t role);
  bool fits(const HazardRow& row, const Candidate& candidate, const Operand& operand,
            uint32_t index) const;

  const Program* program_;
  int branch_states_;
  std::vector<Info> infos_;
  std::vector<Operand> operands_;
  std::vector<uint8_t> wrong_in_order_;
};

}  // namespace heddle::emulator::check
