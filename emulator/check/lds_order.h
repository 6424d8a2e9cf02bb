// Races in LDS where some waves of a workgroup have barriers for themselves: named ones, and those
// that lie in LDS (gfx1250).
//
// LdsShadow counts the barriers of the workgroup, which all of its waves pass in one order. Here a
// wave has a clock (check/happens_before.h), which it tells others at barriers
// (check/barrier_clocks.h).
//
// What ends in an order of its own, LDS operations, copies and tensor transfers, is an actor for
// each wave. Those of one wave are compared by Checker::check_copies_on_their_way.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "emulator/check/barrier_clocks.h"
#include "emulator/check/effects.h"
#include "emulator/check/happens_before.h"
#include "emulator/check/lds_shadow.h"

namespace heddle::emulator::check {

class LdsOrder {
 public:
  LdsOrder(const EffectsTable& effects, uint32_t waves) : effects_(effects), known_(waves) {}
  // Of the host, for so many bytes of LDS: a cell and a list of readers for each byte.
  static constexpr uint64_t bytes_of(uint64_t bytes) { return (bytes + 2048) * 192; }

  // A workgroup begins.
  void start();

  // A wave and its next operation; of each group, the operations below the number have ended.
  struct Actor {
    uint32_t wave, number;
    std::array<uint32_t, group_count> ended;
  };

  // Adds to `told` what a wave tells others at a barrier.
  void tell(const Actor& actor, Told& told) const;
  void learn(uint32_t wave, const Told& told);

  // A wave sets up the members of a barrier, or uses it otherwise.
  std::span<const LdsShadow::Race> use_barrier(const Actor& actor, uint32_t instruction,
                                               uint32_t barrier, bool sets_up);

  // An access of lanes in LDS, before it happens. `data`: of a store from registers.
  std::span<const LdsShadow::Race> access(const Actor& actor, const Instruction& instruction,
                                          AccessKind kind, const uint32_t* offsets, uint32_t lanes,
                                          uint32_t bytes, const LdsShadow::StoredData* data);

 private:
  // What has ended, and what was issued only.
  struct Known {
    Clock ended, issued;
  };
  struct Asked;

  Verdict judge(const Asked& asked, const Past& past, uint64_t address);
  void note_race(const Asked& asked, const Past& past, uint64_t address, bool outstanding);

  const EffectsTable& effects_;
  std::vector<Known> known_;           // by wave
  AccessShadow shadow_{~uint64_t{0}};  // LDS is small: see bytes_of
  std::vector<LdsShadow::Race> races_;
};

}  // namespace heddle::emulator::check
