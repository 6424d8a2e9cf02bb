// The checker's data about one wave, shared by checker.cpp and checker_memory.cpp.
#pragma once

#include "emulator/check/checker.h"
#include "emulator/check/copied_padding.h"

namespace heddle::emulator::check {

// The source operand that holds the data of a store. Which source it is depends on the form of the
// instruction.
inline const Source& data_of(const Instruction& in, const MemoryAccess& access) {
  if (access.space != MemorySpace::lds) return in.source[2];
  return in.source[access.first_register == 0 ? 1 : 2];
}

// True if a store of less than 32 bits stores the upper half of its register, not the lower one.
inline bool is_upper_half(const Row& row, const Source& data, const MemoryAccess& access) {
  return access.bytes < 4 && (row.half == 2 || (data.flags & source_high) != 0);
}

// Sets `words` to the value (one or two words) that the compare-and-swap of lane `lane` expects in
// memory.
inline void expected_words(const Row& row, const MemoryAccess& access, const Wavefront& wave,
                           unsigned lane, uint32_t (&words)[2]) {
  const bool is_lds = row.form == Form::lds_atomic || row.form == Form::lds_atomic_return;
  const unsigned count = access.bytes / 4;
  const unsigned first = access.instruction->source[row.expected].index + (is_lds ? 0 : count);
  for (unsigned i = 0; i < count; ++i)
    words[i] =
        access.space == MemorySpace::scalar ? wave.scalar[first + i] : wave.vgpr[first + i][lane];
}

// Whether an atomic tells what was there.
inline bool returns(const Row& row, const MemoryAccess& access) {
  return row.form == Form::lds_atomic_return || (access.instruction->flags & flag_return) != 0;
}

// The value that the atomic of lane `lane` would leave in memory that contains `old`. If the
// emulator does not know it, any value that differs from `old`.
inline uint64_t updated_value(const Row& row, const MemoryAccess& access, const Wavefront& wave,
                              unsigned lane, uint64_t old) {
  if (row.updated == nullptr) return ~old;
  const Source* const source = access.instruction->source;
  const bool is_lds = row.form == Form::lds_atomic || row.form == Form::lds_atomic_return;
  const unsigned words = access.bytes / 4;
  const unsigned data = source[is_lds ? 1 : 2].index;
  const unsigned compare = is_lds ? source[2].index : data + words;
  const auto value = [&](unsigned index) {
    uint64_t bits = wave.vgpr[index][lane];
    if (words == 2) bits |= uint64_t{wave.vgpr[index + 1][lane]} << 32;
    return bits;
  };
  return row.updated(old, value(data), value(compare));
}

// The accesses of one operation to LDS. They are kept until the operation has ended, since they may
// get a newer stamp.
struct Checker::LdsTrace {
  struct Access {
    AccessKind kind;
    uint32_t lanes, bytes;
    uint32_t offsets[32];
  };
  int count = 0;
  static constexpr int most = 4;  // two addresses, and two halves of a wave of 64
  Access accesses[most];
};

struct Checker::WaveState {
  explicit WaveState(const EffectsTable& effects) : outstanding(effects) {}

  static constexpr uint32_t traces = 128;  // more than can be outstanding in LDS
  uint32_t number = 0;
  Outstanding outstanding;
  Definedness defined;
  CopiedPadding padding;
  WaveClock clock;
  std::vector<Coexecution::Product> products;  // the last ones, on gfx1250
  uint32_t signals = 0, waits = 0;
  uint64_t signalled_at = 0;          // the last time, by FindingLog::time
  uint32_t l1_version = 0;            // of Checker::l1_version_, that its clock has
  bool address_is_undefined = false;  // of the instruction that is carried out
  bool ended = false;
  uint32_t end_instruction = 0;
  // For a wave that has ended: whether there is a barrier that it did not reach; for the first such
  // barrier, the instruction and the wave that signalled it first.
  bool missed = false;
  uint32_t missed_instruction = 0, missed_wave = 0;
  void miss(const Barrier& barrier) {
    missed = true;
    missed_instruction = barrier.instruction;
    missed_wave = barrier.wave;
  }
  uint32_t next_trace = 0;
  LdsTrace trace[traces];
  // The accesses to LDS of the operation with number `operation`. Null if the operation is too old:
  // only those of the last `traces` operations are kept. LDS never has so many outstanding, so an
  // older outstanding operation is a load from memory. The current operation already overwrites the
  // oldest.
  const LdsTrace* trace_of(uint32_t operation) const {
    return next_trace - operation < traces ? &trace[operation % traces] : nullptr;
  }
};

}  // namespace heddle::emulator::check
