// The checker of AMD kernels (docs/checker.md). Each host thread that runs workgroups (a runner)
// has one, and it checks the workgroups of this runner one after the other.
//
// For every instruction the runner asks the checker whether the instruction touches a register of
// interest: one that a load may still write, or one with undefined bits. Such instructions, and all
// that do more than arithmetic, are run by step(), with checks before and after them. All other
// instructions run as in an unchecked run.
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

// The data that the runners of a launch share. If the launch is run several times, all runs use the
// same object.
struct LaunchShadow {
  explicit LaunchShadow(const Dispatch& dispatch);
  // Begins a run. `look` says how the run looks for memory that waves share. If it is none, the run
  // does not look for that: it follows all accesses instead, on one thread of the host.
  void begin(Sharing::Look look);
  // The run is over for its purpose.
  bool is_stopped() const { return sharing.is_stopped(); }

  const Dispatch& dispatch;
  const EffectsTable& effects;
  const std::optional<Hazards>& hazards;
  const std::optional<Coexecution>& coexecution;
  GlobalShadow memory;

  // bytes_of: the host memory that this data takes, in bytes, without `sharing` and `races`.
  // races_bytes: the most that `races` takes.
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
  // `dispatch`, `shadow` and `of_cluster` must outlive this object. `of_cluster` holds the
  // knowledge that the workgroups of a cluster exchange at the cluster's barrier.
  Checker(const Dispatch& dispatch, LaunchShadow& shadow, BarrierClocks& of_cluster);
  ~Checker();

  // The host memory that a checker takes, in bytes, without its findings.
  static uint64_t bytes_of(const Dispatch& dispatch);

  // Begins a workgroup of `count` waves. `upper_halves` are the upper halves of waves of 64 lanes
  // (machine/halves.h); null for waves of 32 lanes.
  void start(uint64_t workgroup, Wavefront* waves, Wavefront* upper_halves, uint32_t count);
  // All waves have ended.
  void finish();
  // A fault ended them.
  void stop();

  // For one wave: the index of the last vector ALU instruction that it executed, and how many of
  // these instructions it has executed.
  struct Vectors {
    uint32_t last = ~0u;  // none yet
    uint32_t count = 0;
  };
  // The tests that the runner makes for every instruction of a wave: is it of interest, and does it
  // need wait states?
  class Watch {
   public:
    // Call before a wave executes an instruction. If it returns true, call check_states(), which
    // tests whether the wave executed enough wait states (see hazards.h) before the instruction.
    bool needs_states(uint32_t instruction) {
      if (!hazards_) return false;
      const bool turned = path_->take(instruction);
      return turned || hazards_->is_wrong_in_order(instruction);
    }
    bool is_of_interest(uint32_t instruction) const {
      return (kinds_[instruction] & EffectsTable::watched) != 0 ||
             meet(touched_[instruction], *interest_);
    }
    // Call after every instruction. If it is a vector ALU instruction, it becomes the wave's last
    // one.
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
  // An atomic load and an atomic store to LDS, of two waves, that nothing orders; null if none were
  // found.
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
  // Returns lanes of a load whose values are uncertain: they race with a store, but the race is not
  // reported yet (see KeptLoad).
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
  // For a store to global memory in which no two lanes overlap, as check_lanes has found: the
  // distances between the lanes' addresses. An instruction in a loop usually has the same distances
  // again; then check_lanes need not be called.
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
  // True if no two lanes store to the same address, even if they store the same value.
  template <class Address>
  bool check_lanes(WaveState& state, const MemoryAccess& access, const Address* addresses,
                   uint32_t lanes);
  void report_unwritten(WaveState& state, const MemoryAccess& access, uint32_t lanes);
  void observe_flat(WaveState& state, const MemoryAccess& access);
  void observe_scalar(WaveState& state, const MemoryAccess& access);

  // Sets in `bytes`, for each lane, a bit for each undefined byte of the data that the lane stores.
  // Returns false if no byte is undefined.
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
  // Races between a load and a store of the same workgroup, in the order in which they were found.
  // Such a race is not reported at once: the loaded value counts as undefined, and the race is
  // reported only if the value is used where undefined values are forbidden. The reason is code of
  // Triton: if a tile is smaller than a workgroup, every wave computes the whole tile, but only one
  // of the waves stores it.
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
  // For each barrier, in the order of its number, the first wave that signalled it. A barrier that
  // all waves have signalled is removed, so that memory stays small in kernels with many barriers;
  // the list begins with barrier number first_barrier_.
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
