// Races in LDS where some waves of a workgroup have barriers for themselves: named ones, and those
// that lie in LDS (gfx1250).
//
// LdsShadow counts the barriers of the workgroup, which all of its waves pass in one order. Here a
// wave has a clock (check/happens_before.h), signals add it to that of the barrier, and who waits
// takes over what the barrier has of the rounds that are complete.
//
// What ends in an order of its own, LDS operations, copies and tensor transfers, is an actor for
// each wave. Those of one wave are compared by Checker::check_copies_on_their_way.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

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

  // A barrier, and how many of its rounds are complete.
  struct Round {
    uint32_t barrier, number;
  };
  static constexpr uint32_t of_workgroup = ~0u;  // the barrier that all waves have
  // `round`: as it was before the signal.
  void signal(const Actor& actor, Round round);
  // `round`: as it is when the wave goes on.
  void wait(uint32_t wave, Round round);

  // A wave sets up the members of a barrier, or uses it otherwise.
  std::span<const LdsShadow::Race> use_barrier(const Actor& actor, uint32_t instruction,
                                               uint32_t barrier, bool sets_up);

  // An access of lanes in LDS, before it happens. `data`: of a store from registers.
  std::span<const LdsShadow::Race> access(const Actor& actor, const Instruction& instruction,
                                          AccessKind kind, const uint32_t* offsets, uint32_t lanes,
                                          uint32_t bytes, const LdsShadow::StoredData* data,
                                          const std::byte* lds);

 private:
  // What has ended, and what was issued only.
  struct Known {
    Clock ended, issued;
    void join(const Known& other) {
      ended.join(other.ended);
      issued.join(other.issued);
    }
  };
  struct Barrier {
    uint32_t round = 0;  // which `arriving` is of
    Known arriving, complete;
    void begin(uint32_t number);
  };
  struct Asked;

  Known told_by(const Actor& actor) const;
  void synchronise(const Actor& actor, const Effects& effects, const Asked& asked,
                   const std::byte* lds);
  Verdict judge(const Asked& asked, const Past& past, uint64_t address);
  void note_race(const Asked& asked, const Past& past, uint64_t address, bool outstanding);

  const EffectsTable& effects_;
  std::vector<Known> known_;            // by wave
  std::map<uint32_t, Barrier> named_;   // by number
  std::map<uint32_t, Barrier> in_lds_;  // by address
  AccessShadow shadow_{~uint64_t{0}};   // LDS is small: see bytes_of
  std::vector<LdsShadow::Race> races_;
};

}  // namespace heddle::emulator::check
