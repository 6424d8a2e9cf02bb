// The effects of each instruction on registers and counters, as far as they do not depend on
// values. They are found once, before a checked run, from the instruction's text and its row in the
// opcode table.
//
// Sources for which counter counts an instruction: RDNA3 ISA, "Data dependency resolution" (section
// 4.4) and RDNA4 ISA, "Data dependency resolution"; LLVM "User Guide for AMDGPU Backend", "Memory
// model gfx10-gfx11" and "gfx12".
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

// True if, on processors with these caches, loads, stores and cache controls have a field for the
// scope of coherence.
constexpr bool has_scopes(CacheControl caches) { return caches >= CacheControl::by_scope; }

// "vmcnt", "loadcnt", ...
std::string_view counter_name(Counter counter, WaitCounters counters);
// The text of the instruction that waits until `counter` counts at most `left` outstanding
// operations, for example "s_waitcnt vmcnt(2)".
std::string wait_text(Counter counter, unsigned left, WaitCounters counters);
// The largest number of outstanding operations that `counter` can count. When it is reached, the
// hardware stalls the wave.
unsigned counter_limit(Counter counter, WaitCounters counters);

// The kinds of memory operations that end in a separate order. If two operations share a counter
// and a group, they end in the order in which they were issued. Operations of different groups end
// in any order, and so do scalar loads among themselves.
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

// The instructions that a wave needs after a wait, so that its vector loads see the stores of
// another wave; several are joined by " and ". `within_workgroup`: the other wave is in the same
// workgroup.
std::string_view invalidation_text(const Target& target, bool within_workgroup);
inline constexpr std::string_view scalar_invalidation = "s_dcache_inv";
// For processors whose stores stay in a cache until they are written back: the instruction that
// writes them back, and the modifier of a store that goes past that cache. After either, other
// workgroups see the store.
std::string_view write_back_text(const Target& target);
std::string_view write_through_text(const Target& target);
inline constexpr std::string_view scalar_write_back = "s_dcache_wb";
// The text that fills this many wait states.
std::string idle_text(const Target& target, int states);

// The effects of one instruction. Fields that are needed for most instructions come first, so that
// they share one cache line of the host.
struct Effects {
  Action action = Action::ordinary;
  // For a memory operation or cache control: its group, and the counters that count it until it
  // ends (`counters`, a bit for each Counter).
  Group group = Group::vector_memory;
  uint16_t counters = 0;
  uint8_t implicit = 0;  // ImplicitRegister
  bool by_number =
      false;              // M0 has a part in which registers these are: not in `reads` and `writes`
  bool subwords = false;  // SDWA
  // The scope of coherence: 0 the compute unit, 1 the shader engine, 2 the device, 3 the system. On
  // processors without a field for it:
  // - gfx11 and CDNA2: `glc` means the device or the system; stores and atomics always have this
  // scope.
  // - CDNA3: `sc0` means the workgroup, `sc1` the device or the system; atomics have at least the
  // device.
  uint8_t scope = 0;
  bool updates = false;      // an atomic
  bool arrives = false;      // at a barrier in LDS
  bool polls = false;        // an atomic load of LDS, or one in a loop that waits for what it loads
  bool waits = false;        // the latter, or the first look at it before the loop
  bool copies = false;       // between memory and LDS, through no register
  bool stores = false;       // to memory, counted with the loads (CDNA)
  uint8_t invalidates = 0;   // of a cache control: the CacheEffects empties_l0, _l1 and _scalar
  bool writes_back = false;  // what a near cache has of stores, so that other workgroups see it
  // For a wait: for each counter, how many operations may be outstanding afterwards; -1: any
  // number.
  std::array<int8_t, counter_count> wait = {-1, -1, -1, -1, -1, -1, -1, -1, -1};
  // For a matrix instruction: the operands A and B, and whether their lanes 16 to 31 must repeat
  // lanes 0 to 15 (heddle/instruction/catalogue.h). If A or B is a constant, its range is marked as
  // scalar.
  bool equal_copies = false;
  RegisterRange matrix[2];
  const Row* row[2] = {};  // two of a dual-issue pair, none of what cannot be executed

  RegisterSet loads;  // the registers that a memory operation writes when it ends
  std::vector<RegisterRange> reads, writes;
  std::string_view mnemonic[2];  // without encoding suffix
};

class EffectsTable {
 public:
  // The most host memory for one instruction, in bytes, including the ranges that its entry refers
  // to.
  static constexpr uint64_t bytes_per_instruction = 640;

  EffectsTable(const Program& program, const Target& target);

  const Effects& operator[](uint32_t index) const { return effects_[index]; }
  // Registers read or written.
  const RegisterSet& touched(uint32_t index) const { return touched_[index]; }
  // For each instruction, a set of these bits. watched: it does more than arithmetic on the
  // registers that its text names. vector: the vector ALU executes it.
  enum Kind : uint8_t { watched = 1, vector = 2 };
  std::span<const uint8_t> kinds() const { return kinds_; }
  WaitCounters counters() const { return counters_; }
  // True if any instruction copies between memory and LDS.
  bool has_copies() const { return has_copies_; }
  // The numbers of all vector registers from 256 on that instructions of the program name. On CDNA,
  // the accumulation registers are among these.
  std::span<const uint16_t> beyond_255() const { return beyond_255_; }
  // True if the program has something by which only some of a workgroup's waves may be ordered:
  // named barriers, barriers in LDS, or words in LDS by which waves may wait for each other.
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
