// Statistics of the memory accesses of the profiled workgroups, for each instruction: passes
// through the banks of LDS, and sectors of global memory.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "emulator/machine/observation.h"
#include "emulator/machine/target.h"
#include "emulator/record/report.h"
#include "emulator/run/sector_count.h"
#include "heddle/memory/banks.h"

namespace heddle::emulator {

class AccessProfile {
 public:
  AccessProfile(const Target& target, int wave);

  // Called at the start of each workgroup, before its first access.
  void start() { lower_.clear(); }
  // Counts an access. In a wave of 64, the lower half comes first (`first_lane` is 0), then the
  // upper half (`first_lane` is 32). Returns the cost of counting, in instructions of the budget.
  uint64_t note(uint32_t first_lane, const MemoryAccess& access);
  void add(const AccessProfile& other);

  // The indices of the instructions that accessed LDS or global memory, in rising order.
  std::vector<uint32_t> lds_instructions() const;
  std::vector<uint32_t> global_instructions() const;
  // The counts of an instruction that accessed LDS (lds) or global memory (global). The caller adds
  // the instruction's place in the program.
  LdsAccess lds(uint32_t instruction) const;
  GlobalAccess global(uint32_t instruction) const;

  // The most host memory that the profile takes for each instruction of the program.
  static constexpr uint64_t bytes_per_instruction = 192;

 private:
  struct LdsCount {
    uint64_t issued = 0, ideal_passes = 0, extra_passes = 0;
    int bytes_per_lane = 0;
    std::vector<ConflictPhase> conflicts;
  };
  // The access of the lower half of a wave of 64. LDS serves both halves together, so the lower
  // half's access is kept until the access of the upper half comes.
  struct HalfAccess {
    std::array<uint32_t, 32> offsets;
    uint32_t lanes;
  };
  uint64_t note_lds(uint32_t first_lane, const MemoryAccess& access, const uint32_t* offsets,
                    uint32_t lanes);
  uint64_t note_flat(uint32_t first_lane, const MemoryAccess& access);
  uint64_t count_lds(LdsCount& count, const memory::Access& access);
  void note_conflicts(LdsCount& count, const memory::Access& access);
  static void merge(std::vector<ConflictPhase>& into, const ConflictPhase& phase);

  int wave_;
  memory::BankModel bank_model_;
  std::deque<HalfAccess> lower_;
  // The counts are in maps because only few instructions of a program access memory. Clearing an
  // array with an entry for each instruction would take most of the time of a short launch.
  std::unordered_map<uint32_t, LdsCount> lds_;
  std::unordered_map<uint32_t, SectorCount> global_;
};

}  // namespace heddle::emulator
