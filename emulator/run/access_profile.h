// What the profiled workgroups did to memory, instruction by instruction: passes through the banks
// of LDS, and sectors of global memory.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "emulator/machine/observation.h"
#include "emulator/machine/target.h"
#include "emulator/record/report.h"
#include "heddle/memory/banks.h"

namespace heddle::emulator {

class AccessProfile {
 public:
  AccessProfile(const Target& target, int wave);

  // Before the first access of a workgroup.
  void start() { lower_.clear(); }
  // `first_lane` is 32 for the upper half of a wave of 64, whose lower half comes first.
  // Returns what the model took, in instructions as budgets count them.
  uint64_t note(uint32_t first_lane, const MemoryAccess& access);
  void add(const AccessProfile& other);

  // The instructions that made accesses of the kind, in rising order.
  std::vector<uint32_t> lds_instructions() const;
  std::vector<uint32_t> global_instructions() const;
  // Of one of these; places left out.
  LdsAccess lds(uint32_t instruction) const;
  GlobalAccess global(uint32_t instruction) const;

  // Of the host, for each instruction of the program, at most.
  static constexpr uint64_t bytes_per_instruction = 192;

 private:
  struct LdsCount {
    uint64_t issued = 0, ideal_passes = 0, extra_passes = 0;
    int bytes_per_lane = 0;
    std::vector<ConflictPhase> conflicts;
  };
  struct GlobalCount {
    uint64_t issued = 0, lanes = 0, sectors_touched = 0, sectors_needed = 0;
    int bytes_per_lane = 0;
  };
  // LDS serves the halves of a wave of 64 together: the lower one waits here for the upper.
  struct HalfAccess {
    std::array<uint32_t, 32> offsets;
    uint32_t lanes;
  };
  uint64_t note_lds(uint32_t first_lane, const MemoryAccess& access, const uint32_t* offsets,
                    uint32_t lanes);
  uint64_t note_flat(uint32_t first_lane, const MemoryAccess& access);
  uint64_t count_lds(LdsCount& count, const memory::Access& access);
  void note_conflicts(LdsCount& count, const memory::Access& access);
  static void note_global(GlobalCount& count, const MemoryAccess& access, uint32_t lanes);
  static void merge(std::vector<ConflictPhase>& into, const ConflictPhase& phase);

  int wave_;
  memory::BankModel bank_model_;
  std::deque<HalfAccess> lower_;
  // Few instructions of a program access memory, and a short launch would mostly clear counts of
  // the others.
  std::unordered_map<uint32_t, LdsCount> lds_;
  std::unordered_map<uint32_t, GlobalCount> global_;
};

}  // namespace heddle::emulator
