// The effects of an instruction on registers and counters, whatever the values are. They are read
// once from its text and its row of the opcode table, before a checked run.
//
// Which counter an instruction counts in: RDNA3 ISA, "Data dependency resolution" (section 4.4) and
// RDNA4 ISA, "Data dependency resolution"; LLVM "User Guide for AMDGPU Backend", "Memory model
// gfx10-gfx11" and "gfx12".
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "emulator/check/register_set.h"
#include "emulator/decode/assembly_text.h"
#include "emulator/decode/program.h"
#include "emulator/handlers/row.h"

namespace heddle::emulator::check {

using instruction::CacheControl, instruction::WaitCounters;

// Whether loads and stores say how far they are coherent, and cache controls how far they reach.
constexpr bool has_scopes(CacheControl caches) { return caches >= CacheControl::by_scope; }

// "vmcnt", "loadcnt", ...
std::string_view counter_name(Counter counter, WaitCounters counters);
// The instruction that waits until at most `left` are outstanding: "s_waitcnt vmcnt(2)".
std::string wait_text(Counter counter, unsigned left, WaitCounters counters);
// The most that can be outstanding; the hardware stalls the wave there.
unsigned counter_limit(Counter counter, WaitCounters counters);

// Operations of one group that share a counter end in the order of their issue. Operations of
// different groups end in any order, and so do scalar loads.
enum class Group : uint8_t { vector_memory, sample, bvh, lds, scalar, async, tensor };
constexpr int group_count = 7;

struct RegisterRange {
  bool scalar = false;
  uint16_t first = 0, count = 1;
  uint8_t halves = 3;         // of VGPRs: 1 bits 15..0, 2 bits 31..16, 3 both
  bool accumulation = false;  // a register of CDNA, at first_accumulator and above

  std::string text() const;  // "v[4:7]", "s2", "v3.h"
  bool overlaps(const RegisterRange& other) const {
    return scalar == other.scalar && first < other.first + other.count &&
           other.first < first + count && (halves & other.halves) != 0;
  }
};

// The registers that an operand of a text names: VGPRs, accumulation or scalar registers.
RegisterRange range_of(const TextOperand& operand);

enum class Action : uint8_t {
  ordinary,  // arithmetic, moves, branches
  wait,
  memory,
  barrier_signal,
  barrier_wait,
  named_signal,  // of a barrier with a number, or the cluster's
  named_wait,
  named_init,
  named_join,
  barrier,  // both
  cache_control,
  matrix,
  end,
};

// The instructions to write after a wait, joined by `and`, so that vector loads and scalar loads of
// a wave see the stores of another wave, of the same workgroup or of another.
std::string_view invalidation_text(const Target& target, bool within_workgroup);
inline constexpr std::string_view scalar_invalidation = "s_dcache_inv";
// The instruction or the modifier of the store that makes other workgroups see a wave's stores. It
// is for processors whose stores otherwise stay in a cache.
std::string_view write_back_text(const Target& target);
std::string_view write_through_text(const Target& target);
inline constexpr std::string_view scalar_write_back = "s_dcache_wb";
// The text that fills this many wait states.
std::string idle_text(const Target& target, int states);

// The fields that are needed for most instructions come first: one cache line.
struct Effects {
  Action action = Action::ordinary;
  // For a memory operation or cache control: the counters that count it until it ends (a bit each),
  // and its group.
  Group group = Group::vector_memory;
  uint16_t counters = 0;
  uint8_t implicit = 0;  // ImplicitRegister
  bool by_number =
      false;              // M0 has a part in which registers these are: not in `reads` and `writes`
  bool subwords = false;  // SDWA
  // The scope of coherence: 0 the compute unit, 1 the shader engine, 2 the device, 3 the system. On
  // gfx11 and CDNA2, `glc` means the last two, and stores and atomics always have them. On CDNA3,
  // `sc0` means the workgroup and `sc1` the last two, and atomics have at least the device.
  uint8_t scope = 0;
  bool updates = false;      // an atomic
  bool arrives = false;      // at a barrier in LDS
  bool polls = false;        // an atomic load of LDS, or one in a loop that waits for what it loads
  bool waits = false;        // the latter, or the first look at it before the loop
  bool copies = false;       // between memory and LDS, through no register
  bool stores = false;       // to memory, counted with the loads (CDNA)
  uint8_t invalidates = 0;   // of a cache control: the CacheEffects empties_l0, _l1 and _scalar
  bool writes_back = false;  // what a near cache has of stores, so that other workgroups see it
  // A wait: how many may be left, or -1.
  std::array<int8_t, counter_count> wait = {-1, -1, -1, -1, -1, -1, -1, -1, -1};
  // For a matrix instruction: whether the upper half-waves of A and B must repeat the lower ones
  // (heddle/instruction/catalogue.h), and the operands A and B, which count as scalar if they are
  // constants.
  bool equal_copies = false;
  RegisterRange matrix[2];
  const Row* row[2] = {};  // two of a dual-issue pair, none of what cannot be executed

  RegisterSet loads;  // the registers that a memory operation writes when it ends
  std::vector<RegisterRange> reads, writes;
  std::string_view mnemonic[2];  // without encoding suffix
};

class EffectsTable {
 public:
  // Of the host, with the ranges that an entry points to.
  static constexpr uint64_t bytes_per_instruction = 640;

  EffectsTable(const Program& program, const Target& target);

  const Effects& operator[](uint32_t index) const { return effects_[index]; }
  // Registers read or written.
  const RegisterSet& touched(uint32_t index) const { return touched_[index]; }
  // For each instruction: whether it is more than arithmetic on registers that its text names, and
  // whether it goes to the vector ALU.
  enum Kind : uint8_t { watched = 1, vector = 2 };
  std::span<const uint8_t> kinds() const { return kinds_; }
  WaitCounters counters() const { return counters_; }
  // Whether some instruction copies between memory and LDS.
  bool has_copies() const { return has_copies_; }
  // The vector registers from 256 on that instructions name: accumulation registers of CDNA.
  std::span<const uint16_t> beyond_255() const { return beyond_255_; }
  // True if the program has barriers that only some waves may use, which are named barriers and
  // barriers in LDS, or words in LDS by which waves may wait for each other.
  bool has_partial_order() const { return has_partial_order_; }

 private:
  void find_polls(const Program& program);
  void note_poll(uint32_t index);
  void note_first_look(const Program& program, uint32_t index, uint32_t first);
  bool stays(const RegisterRange& range, uint32_t first, uint32_t last, int depth) const;

  WaitCounters counters_;
  bool has_copies_ = false, has_partial_order_ = false;
  std::vector<RegisterSet> touched_;
  std::vector<uint8_t> kinds_;
  std::vector<uint16_t> beyond_255_;
  std::vector<Effects> effects_;
};

}  // namespace heddle::emulator::check
