// Checks the workgroups that one runner runs, one after the other (docs/checker.md).
//
// For every instruction the runner asks whether it touches a register of interest: one that a load
// may still write, or one with undefined bits. Such instructions, and all that are more than
// arithmetic, are run by step() with the checks around them. All others run as in an unchecked run.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "emulator/check/barrier_clocks.h"
#include "emulator/check/coexecution.h"
#include "emulator/check/definedness.h"
#include "emulator/check/effects.h"
#include "emulator/check/finding_log.h"
#include "emulator/check/guesses.h"
#include "emulator/check/hazards.h"
#include "emulator/check/lds_order.h"
#include "emulator/check/lds_shadow.h"
#include "emulator/check/memory_shadow.h"
#include "emulator/check/outstanding.h"
#include "emulator/check/races.h"
#include "emulator/check/sharing.h"
#include "emulator/dispatch/dispatch.h"
#include "emulator/machine/wavefront.h"

namespace heddle::emulator::check {

// The checker's data about a program, for all its launches.
struct ProgramTables {
  ProgramTables(const Program& program, const Target& target);
  static const ProgramTables& of(const CodeObject& object);

  EffectsTable effects;
  std::optional<Hazards> hazards;          // CDNA has them
  std::optional<Coexecution> coexecution;  // and gfx1250 these
};

// The data that all runners of a launch share, over its runs.
struct LaunchShadow {
  explicit LaunchShadow(const Dispatch& dispatch);
  // Begins a run. If the run does not look for sharing, all accesses are followed, on one thread of
  // the host.
  void begin(Sharing::Look look);
  // The run is over for its purpose.
  bool is_stopped() const { return sharing.is_stopped(); }

  const Dispatch& dispatch;
  const EffectsTable& effects;
  const std::optional<Hazards>& hazards;
  const std::optional<Coexecution>& coexecution;
  GlobalShadow memory;

  // Bytes of the host that it takes, without `sharing`; and the most that `races` takes.
  static constexpr uint64_t races_bytes = uint64_t{1} << 29;
  static uint64_t bytes_of(const Dispatch& dispatch) {
    return EffectsTable::bytes_per_instruction * dispatch.program().instructions().size() +
           Hazards::bytes_of(dispatch.program()) + GlobalShadow::bytes_of(dispatch.memory());
  }

  Sharing sharing;
  std::unique_ptr<Races> races;  // where all accesses are followed
};

class Checker {
 public:
  // `of_cluster`: what the workgroups of its cluster tell each other at their barrier.
  Checker(const Dispatch& dispatch, LaunchShadow& shadow, BarrierClocks& of_cluster);
  ~Checker();

  // Bytes of the host that a checker takes, but for its findings.
  static uint64_t bytes_of(const Dispatch& dispatch);

  // `upper_halves`: of waves of 64 (machine/halves.h), else null.
  void start(uint64_t workgroup, Wavefront* waves, Wavefront* upper_halves, uint32_t count);
  // All waves have ended.
  void finish();
  // A fault ended them.
  void stop();

  // Instructions of a wave's that went to the vector ALU.
  struct Vectors {
    uint32_t last = ~0u;  // none yet
    uint32_t count = 0;
  };
  // What the runner asks of every instruction of a wave.
  class Watch {
   public:
    // The wave is about to execute an instruction. True if check_states() must find out whether
    // there were enough wait states before it.
    bool needs_states(uint32_t instruction) {
      if (!hazards_) return false;
      const bool turned = path_->take(instruction);
      return turned || hazards_->is_wrong_in_order(instruction);
    }
    bool is_of_interest(uint32_t instruction) const {
      return (kinds_[instruction] & EffectsTable::watched) != 0 ||
             meet(touched_[instruction], *interest_);
    }
    // Of every instruction that was executed: those of the vector ALU are remembered.
    void note_vector(uint32_t instruction) {
      // No branch, which the host would often foresee wrong.
      const uint32_t kept = kinds_[instruction] & EffectsTable::vector ? 0u : ~0u;
      vectors_->last = (instruction & ~kept) | (vectors_->last & kept);
      vectors_->count += ~kept & 1u;
    }

   private:
    friend Checker;
    const uint8_t* kinds_;
    const RegisterSet *touched_, *interest_;
    Vectors* vectors_;
    const Hazards* hazards_;  // null where there are none
    Path* path_;
  };
  Watch watch(uint32_t wave);
  void check_states(uint32_t wave, uint32_t instruction);
  const Instruction* step(Wavefront& wave, const Instruction* in);
  void observe(Wavefront& wave, const MemoryAccess& access);

  FindingLog& log() { return log_; }
  // The accesses of waves to LDS if their order is free; null if there are none.
  const LdsOrder::Unordered* unordered_in_lds() const {
    return lds_order_ && lds_order_->unordered() ? &*lds_order_->unordered() : nullptr;
  }

 private:
  struct LdsTrace;
  struct WaveState;

  WaveState& state_of(const Wavefront& wave);
  void refresh_interest(WaveState& state);

  void control_caches(WaveState& state, uint32_t instruction);
  static void define_writes(WaveState& state, const Wavefront& wave, const Effects& effects);
  void check_coexecution(WaveState& state, uint32_t instruction);
  void check_pending(WaveState& state, uint32_t instruction, const Effects& effects);
  void report_pending(WaveState& state, uint32_t instruction, const RegisterRange& range,
                      Operation& operation, bool written);
  void report_misuse(WaveState& state, uint32_t instruction, const Misuse& misuse);
  void check_matrix(WaveState& state, const Wavefront& wave, const Instruction* in,
                    const Effects& effects);
  void check_copies(WaveState& state, const Wavefront& wave, const Instruction* in,
                    const RegisterRange& operand, char name);
  void signal(WaveState& state, uint32_t instruction);
  void end(WaveState& state, const Wavefront& wave, uint32_t instruction);
  Told tell(WaveState& state, const Effects* arrival = nullptr);
  Told tell_of_memory(WaveState& state, bool after_copies, bool returned);
  void arrive(WaveState& state, BarrierClocks::Round round);
  void learn(WaveState& state, BarrierClocks::Round round);
  void learn(WaveState& state, const Told& told);
  void synchronise_by_words(WaveState& state, const MemoryAccess& access, const uint32_t* offsets,
                            uint32_t lanes);
  void synchronise_in_lds(WaveState& state, const MemoryAccess& access, const uint32_t* offsets,
                          uint32_t lanes);
  void use_barrier(WaveState& state, uint32_t instruction, uint32_t barrier);
  LdsOrder::Actor lds_actor(const WaveState& state) const;

  void observe_lds(WaveState& state, const MemoryAccess& access, const uint32_t* offsets,
                   uint32_t lanes);
  void follow_lds(WaveState& state, const MemoryAccess& access, const uint32_t* offsets,
                  uint32_t lanes, const LdsShadow::StoredData* data);
  void check_copies_on_their_way(WaveState& state, const MemoryAccess& access,
                                 const uint32_t* offsets, uint32_t lanes);
  void report_copy(WaveState& state, const MemoryAccess& access, const Operation& operation,
                   AccessKind earlier, uint32_t address, uint32_t lanes);
  LdsShadow::StoredData stored_data(const Wavefront& wave, const MemoryAccess& access) const;
  bool is_guess(const WaveState& state, const MemoryAccess& access, const LdsShadow::Race& race);
  void settle_guesses(WaveState& state, const MemoryAccess& access, const uint32_t* offsets,
                      uint32_t lanes);
  void settle_guesses(WaveState& state, const MemoryAccess& access, uint32_t lanes);
  void report_lds_races(WaveState& state, const MemoryAccess& access,
                        std::span<const LdsShadow::Race> races);
  void report_lds_race(WaveState& state, uint32_t instruction, const LdsShadow::Race& race);
  void observe_scratch(WaveState& state, const MemoryAccess& access, const uint32_t* offsets,
                       uint32_t lanes);
  void observe_global(WaveState& state, const MemoryAccess& access, uint32_t lanes);
  // Returns the lanes of a load whose values may be others, by a race that is not reported yet.
  uint32_t observe_races(WaveState& state, const MemoryAccess& access, uint32_t lanes);
  uint32_t follow(WaveState& state, const MemoryAccess& access, uint32_t lanes, AccessKind kind,
                  bool leaves = false);
  uint32_t failed_exchanges(const MemoryAccess& access, uint32_t lanes) const;
  uint32_t returned_as_it_stays(const MemoryAccess& access, uint32_t lanes) const;
  void report_races(WaveState& state, uint32_t instruction, std::span<const Race> races);
  void report_race(uint32_t wave, uint32_t instruction, const Race& race, uint64_t lanes);
  uint32_t keep_loads(const WaveState& state, const MemoryAccess& access,
                      std::span<const Race> races);
  bool report_kept_loads();
  void report_guesses(WaveState& state);
  void check_scalar_stores(WaveState& state, const MemoryAccess& access, uint32_t lanes);
  // Distances between lanes at which stores of a given number of bytes to global memory do not
  // overlap. They are kept because an instruction in a loop usually has the same distances each
  // time.
  struct LanesApart {
    uint32_t lanes = 0, bytes = 0;
    uint64_t from_first[32];

    bool holds(const uint64_t* addresses, uint32_t of_lanes, uint32_t of_bytes) const {
      if (lanes != of_lanes || bytes != of_bytes) return false;
      uint64_t differ = 0;
      for (int lane = 0; lane < 32; ++lane)
        differ |= (addresses[lane] - addresses[0]) ^ from_first[lane];
      return differ == 0;
    }
    void keep(const uint64_t* addresses, uint32_t of_lanes, uint32_t of_bytes) {
      lanes = of_lanes;
      bytes = of_bytes;
      for (int lane = 0; lane < 32; ++lane) from_first[lane] = addresses[lane] - addresses[0];
    }
  };
  // Whether no two lanes store to one place, whatever they store.
  template <class Address>
  bool check_lanes(WaveState& state, const MemoryAccess& access, const Address* addresses,
                   uint32_t lanes);
  void report_unwritten(WaveState& state, const MemoryAccess& access, uint32_t lanes);
  void observe_flat(WaveState& state, const MemoryAccess& access);
  void observe_scalar(WaveState& state, const MemoryAccess& access);

  // Of the data of a store: a bit for each undefined byte by lane; false when there is none.
  bool undefined_data(const WaveState& state, const MemoryAccess& access, uint16_t (&bytes)[32],
                      uint32_t lanes) const;
  bool take_padding(const WaveState& state, const MemoryAccess& access, uint16_t (&undefined)[32],
                    uint16_t (&padding)[32], uint32_t lanes) const;
  // `missing`: a bit for each byte of the access that nobody has written.
  void set_loaded_scalars(WaveState& state, const MemoryAccess& access, uint64_t missing);
  void set_loaded(WaveState& state, const MemoryAccess& access, const uint16_t (&bytes)[32],
                  uint32_t lanes);

  const Dispatch& dispatch_;
  LaunchShadow& shadow_;
  BarrierClocks& cluster_clocks_;
  FindingLog log_;
  LdsShadow lds_;
  Guesses<LdsShadow::Race> lds_guesses_;
  std::optional<LdsOrder> lds_order_;  // where the barrier of all waves is not the only order
  ScratchShadow scratch_;
  // Races of loads with stores of their own workgroup, in the order in which they were found. The
  // loaded value counts as undefined, and the race is reported only if the value reaches a place
  // that no undefined value may reach. The reason: Triton gives a tile that is smaller than its
  // waves to each wave, and only one of them stores.
  struct KeptLoad {
    uint32_t wave, instruction;
    Race race;
    uint64_t lanes;
  };
  static constexpr std::size_t most_kept_loads = 4096;
  std::vector<KeptLoad> kept_loads_;
  bool kept_loads_matter_ = false;  // they were reported, and undefined values may come from them
  BarrierClocks barrier_clocks_;    // where races are found by clocks
  Clock l1_;                        // what the last wave knew that invalidated L1
  uint32_t l1_version_ = 0;         // how often one did
  static constexpr std::size_t lanes_apart_kept = 32;  // of an instruction by its index
  std::array<LanesApart, lanes_apart_kept> lanes_apart_;
  Wavefront* waves_ = nullptr;
  Wavefront* upper_halves_ = nullptr;
  uint32_t lanes_ = 32;                  // of a wave
  WaveState* stepped_ = nullptr;         // of the wave whose instruction is carried out
  const Wavefront* observed_ = nullptr;  // whose access is looked at
  std::vector<RegisterSet> interest_;    // by wave
  std::vector<Vectors> vectors_;         // by wave
  std::vector<Path> paths_;              // by wave
  std::vector<std::unique_ptr<WaveState>> states_;
  // The first wave at each barrier, by number, from first_barrier_ on. Barriers that all waves have
  // signalled are forgotten, so that a kernel with many barriers needs no memory.
  struct Barrier {
    uint32_t instruction, wave;
  };
  const Barrier& barrier(uint32_t number) const { return barriers_[number - first_barrier_]; }
  uint32_t barriers_so_far() const {
    return first_barrier_ + static_cast<uint32_t>(barriers_.size());
  }
  void forget_barriers();
  std::vector<Barrier> barriers_;
  uint32_t first_barrier_ = 0;
};

}  // namespace heddle::emulator::check
