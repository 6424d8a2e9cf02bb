// Checks wait states on CDNA. For some pairs of instructions the hardware neither waits for the
// first one nor forwards its result to the second. Other instructions (wait states) must then be
// executed between the two; programs use s_nop for that.
//
// A row of hazard_rows() is one rule: the first instruction, the second instruction, which of their
// operands overlap, and the number of wait states that must lie between. An instruction counts as
// one wait state, `s_nop n` as n + 1, and a branch that is taken as `taken_branch_states`. The
// check follows the path that a wave takes, across branches too.
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

// The number of passes, of four clocks each, that a matrix instruction of CDNA takes. For an
// instruction with several formats, `is_8_bit` says whether A or B has elements of 8 bits.
int passes_of(const instruction::Instruction& instruction, const Target& target, bool is_8_bit);

// The number of wait states for which a taken branch counts. AMD's documents do not have this
// number. After a taken branch the wave must fetch instructions anew:
// - On GCN that takes 20 clocks, the time of five instructions (CLRX, GcnTimings, "SOPP Instruction
// timings").
// - In LLVM's model of CDNA it takes the time of eight (SISchedule.td, WriteBranch).
//
// Two is less than either, so no hazard is missed. Two also accepts the code that LLVM emits: its
// GCNHazardRecognizer counts an s_branch that stands behind a conditional branch, although the
// conditional branch skips it when taken.
inline constexpr int taken_branch_states = 2;

// The instructions that a wave has executed last.
class Path {
 public:
  static constexpr uint32_t most_states = 20;  // that any row asks for

  void start() { count_ = 0, next_ = none; }
  // Adds instruction `index` to the path. Returns true if, within the reach of wait states, the
  // instructions that the wave executed before it may differ from those that precede it in the
  // code. Then the path must be checked by check(); otherwise is_wrong_in_order() has the answer.
  bool take(uint32_t index) {
    if (index != next_) [[unlikely]] {
      if (index + 1 == next_) return false;  // a barrier is executed again when it is complete
      if (next_ != none) runs_[count_++ % most_states] = {first_, next_ - 1};
      first_ = index;
    }
    next_ = index + 1;
    return index - first_ <= most_states;
  }
  // Calls visit(index, branched) for the instructions on the path before the last one, the latest
  // first. `branched` is true if the instruction is a branch that was taken. Stops when `visit`
  // returns false.
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

    // True if the operand is a register. False if it is a mode register (s_setreg, s_getreg) or the
    // unit that f64 instructions share.
    bool is_register() const { return (role & (sets_mode | gets_mode | uses_f64)) == 0; }
  };
  // Checks instruction `index`, the last one on the path, against those before it. Of the rules
  // that are violated, returns the one with the most missing wait states; null if none is violated.
  std::optional<Found> check(const Path& path, uint32_t index) const;
  // True if check() would find something for instruction `index` if the wave executed the
  // instructions before it in the order of the code. It is computed once for each program.
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
