// Looks for data races of a checked launch, by the memory consistency model of PTX ISA 9.0.
//
// Two accesses race if all of this holds: they overlap; one of them writes; neither happened before
// the other; and they are not both strong (volatile, relaxed, acquire, release, atom, red) with
// scopes that include each other. Accesses are ordered by the program order of a warp, by barriers
// of a block or a cluster, by mbarriers, and by a release that an acquire reads from. A fence
// (membar, fence.acq_rel, fence.sc) before a strong store makes the store a release, and a fence
// after a strong load makes the load an acquire. Such an order reaches as far as both scopes do.
//
// The effects of an asynchronous instruction (cp.async, cp.async.bulk, wgmma, tcgen05) are not part
// of the program order of its warp ("Program Order of Asynchronous Operations"). They come after
// everything that the warp knew at the issue, and others know of them only after a wait for the
// completion. So a separate actor performs them, one for each queue in which operations complete in
// order. The async proxy knows those stores of the generic proxy that came before a
// fence.proxy.async which happened before. Clocks hold this knowledge as progress of further
// actors, so that it is passed on like the rest. The completion of an asynchronous operation
// implies such a fence, and a load of the generic proxy needs none before an asynchronous write, as
// it has returned its value. No document says what the proxy of cp.async is; Triton 3.6 and CUTLASS
// put no fence between it and wgmma, so none is asked for. Nor is one behind st.async, red.async
// and the address that tcgen05.alloc stores.
//
// A warp is one actor (check/happens_before.h). Races between its lanes in shared memory are
// checked separately (lane_order.h). In global memory lanes of one warp do not race, except two
// lanes of one instruction that store different values to one place. A store of the value that
// memory already holds is no race. Two unordered strong stores of different values are a race
// unless one of them is an atomic operation: one of the two values is lost.
//
// All of this runs on one thread of the host.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "emulator/check/guesses.h"
#include "emulator/check/happens_before.h"
#include "emulator/check/memory_shadow.h"
#include "emulator/ptx/definedness.h"
#include "emulator/ptx/dispatch.h"
#include "emulator/ptx/lane_order.h"
#include "emulator/ptx/tensor_order.h"
#include "emulator/record/finding.h"
#include "heddle/instruction/shared_operand.h"

namespace heddle::emulator::ptx {

// The queues of asynchronous operations that complete in the order of their issue.
enum class Engine : uint8_t {
  copy,       // cp.async of a warp
  load,       // what an mbarrier counts the bytes of
  store,      // cp.async.bulk of bulk groups, of a thread
  message,    // st.async, red.async, as load; tcgen05.alloc
  warpgroup,  // wgmma of a warp
  tensor,     // tcgen05.mma, .cp, .shift of a thread
};

// One operation of a queue, or the end of those that come before it.
struct Queued {
  Engine engine;
  const Warp& warp;
  uint32_t lane;  // 0 where all of the warp are one queue
  uint32_t number;
  // Of those that it counts: the mbarrier.
  const Block* block = nullptr;
  uint32_t offset = 0;
};

// The state that all clusters of a launch share.
class Races {
 public:
  static constexpr uint32_t most_sites = 1u << 24;  // of check::Past
  // Begins a run. If the launch is run more than once, it forgets the accesses and keeps the
  // findings.
  void begin(const Dispatch& dispatch);

  // The run is over.
  void end();

  bool has_findings() const {  // remarks are none
    return std::ranges::any_of(
        found_, [](const auto& entry) { return !description(entry.second.finding.kind).is_note; });
  }
  // True if a block wrote bytes of global memory that another block used, and the writes were not
  // only additions or the like. The result of a block may then depend on which blocks ran before
  // it.
  bool depend_on_blocks() const { return depend_on_blocks_ || memory_.is_incomplete(); }
  // Records that the result depends on the order of the blocks. The finding is placed at the last
  // store to the address.
  void note_difference(const Dispatch& dispatch, uint64_t address, std::string message);

  // Records a finding for lanes of a warp at record `site`. A finding of the same kind at the same
  // records is only counted, so `message` is called for a new one only. `fix`: null for the usual
  // fix of the kind. `user`: the record that used a value which `site` loaded.
  void note(FindingKind kind, uint32_t site, uint32_t warp, uint32_t lanes,
            const std::function<std::string()>& message, const char* fix = nullptr,
            std::optional<uint32_t> user = {});
  // The same for an instruction and an earlier one that it conflicts with.
  struct Words {
    std::string message, fix, role;  // `role`: what the earlier one did
  };
  void note_pair(FindingKind kind, uint32_t site, uint32_t earlier, uint32_t warp,
                 const std::function<Words()>& words);
  // Tells the owners of the buffers what the launch has written.
  void keep_written() const {
    if (written_) written_->keep();
  }

  std::vector<Finding> findings() const;
  // The parts that the search did not check. Each string completes the sentence "not checked: …".
  std::vector<std::string> unchecked() const;
  void note_unchecked(std::string what) { unchecked_.insert(std::move(what)); }

 private:
  friend class RaceWatch;
  static constexpr uint64_t most_releases = uint64_t{1} << 22;  // entries of clocks
  struct Met {
    uint64_t block;
    std::size_t order;       // in which they were met
    uint32_t actor, number;  // of the access that met it last
    Finding finding;
  };

  const Dispatch* dispatch_ = nullptr;
  bool depend_on_blocks_ = false;
  check::AccessShadow memory_{0};
  check::Releases releases_{0};  // of strong writes with the scope of the device
  // An access that races with an earlier one, or with another lane of the same instruction.
  struct Race {
    uint32_t instruction;  // the record of the earlier access
    uint32_t lanes;        // lanes of the later access
    check::Past past, now;
    uint64_t address;
    bool is_shared;
    bool is_lost;  // two stores race, and one of them is lost
    bool lacks_proxy_fence = false;
    int other_lane = -1;  // of the same warp, whose access is the earlier one
  };
  // An actor that is no warp: a queue.
  struct Queue {
    uint32_t warp;
    Engine engine;
  };
  uint32_t first_queue_ = 0;  // the number of the first of them: below are the warps
  std::vector<Queue> queues_;
  // The knowledge from fences of the async proxy, about shared and about global memory.
  static constexpr uint32_t most_actors = 1u << 30, fenced_shared = 1u << 30,
                            fenced_global = 1u << 31;
  const Queue* queue_of(uint32_t actor) const {
    return actor < first_queue_ ? nullptr : &queues_[actor - first_queue_];
  }
  uint32_t warp_of(uint32_t actor) const {
    const Queue* queue = queue_of(actor);
    return queue ? queue->warp : actor;
  }
  bool is_of_async_proxy(uint32_t actor) const {
    const Queue* queue = queue_of(actor);
    return queue && queue->engine != Engine::copy && queue->engine != Engine::message;
  }
  std::string who(uint32_t actor, uint64_t block) const;
  std::string fix_of(const Race& race) const;
  void add(const Race& race);
  // Keeps a race between a load and an atomic update until it can be judged (check/guesses.h).
  // `key` is the address as the shadow numbers it. `word` is what the load read there.
  bool is_guess(Race race, uint64_t key, const check::Guesses<Race>::Word& word);
  void end(uint32_t reader);
  std::map<std::array<uint32_t, 3>, Met> found_;  // by kind and records
  check::Guesses<Race> guesses_;
  std::set<uint32_t> running_;                  // warps
  std::optional<check::GlobalShadow> written_;  // the buffers that the launch does not initialise
  std::set<std::string> unchecked_;
};

// Watches the cluster that one runner runs.
class RaceWatch {
 public:
  RaceWatch(Races& races, Cluster& cluster);
  void begin(uint64_t cluster_number);

  // The contents of memory before an atomic operation, with `pitch` bytes for each lane, and the
  // values that a compare-and-swap expects there (null for other operations).
  struct Compared {
    static constexpr std::size_t pitch = 64;
    const std::byte* before;
    const std::byte* expected;
  };
  // Lanes load. The record has the memory order of the instruction.
  void load(const Warp& w, const Record& in, Space space, uint32_t lanes, const uint64_t* addresses,
            uint32_t bytes, const Compared& compared = {});
  // The same for an instruction that only writes registers. A race in global memory is reported
  // only when the value reaches a place that no undefined value may reach. Returns the lanes of
  // such loads.
  uint32_t load_to_registers(const Warp& w, const Record& in, uint32_t lanes,
                             const uint64_t* addresses, uint32_t bytes, const Compared& compared);
  // Lanes are about to store `bytes` bytes each. The bytes of lane l begin at data + 32 * l.
  void store(const Warp& w, const Record& in, Space space, uint32_t lanes,
             const uint64_t* addresses, uint32_t bytes, const std::byte* data);
  // Lanes have read and written in one atomic operation.
  void update(const Warp& w, const Record& in, uint32_t lanes, const uint64_t* addresses,
              uint32_t bytes, const Compared& compared);
  // An operation uses an mbarrier. The functions below record how it orders accesses.
  void touch(const Warp& w, const Record& in, uint64_t address, bool initialises);
  // The mbarrier at an address is invalidated: what touches it next is a new one.
  void forget_barrier(const Warp& w, uint64_t address);
  // The last lane of a warp has exited; all warps of the cluster have.
  void end(const Warp& w);
  void end_cluster();
  void fence(const Warp& w, Scope scope, bool is_sequential);
  void note_unchecked(const char* what) { races_.note_unchecked(what); }
  Definedness& defined() { return defined_; }
  // Lanes come to bar.warp.sync.
  void meet(const Warp& w, uint32_t lanes) { lanes_.synchronise(w, lanes); }
  // A copy of a lane to shared memory has completed, of which the lane itself knows now.
  void land(const Warp& w, const Record& in, unsigned lane, const Block& block, uint32_t offset,
            uint32_t bytes);
  TensorOrder& tensor() { return tensor_; }
  // A register of a wgmma under way is used.
  void note_early_use(const Warp& w, const Record& in);
  // Some lanes of a warp reach a barrier for whole warps without the others.
  void note_part_of_warp(const Warp& w, const Record& in, uint32_t lanes);

  // An asynchronous operation that begins. Its reads and writes are recorded at once, with the
  // knowledge from before it.
  struct Operation {
    check::Past now;
    const Warp* warp = nullptr;
    const Record* record = nullptr;
    uint32_t lanes = 0;
    check::Clock known = {};
  };
  Operation issue(const Queued& queued, const Record& in, uint32_t lanes);
  // `data`: what will be written, if two operations may write the same there.
  void reads(const Operation& by, const Block& block, uint32_t offset, uint32_t bytes);
  void reads(const Operation& by, uint64_t address, uint32_t bytes);
  void writes(const Operation& by, const Block& block, uint32_t offset, uint32_t bytes,
              const std::byte* data = nullptr);
  // `data`: what is written, where that is known.
  void writes(const Operation& by, uint64_t address, uint32_t bytes, bool updates,
              const std::byte* data = nullptr);
  // The mbarrier that counts its bytes.
  void names_barrier(const Operation& by, const Block& block, uint32_t offset);
  // The matrix that a descriptor names: the bytes along its contiguous axis, and the number of rows
  // or columns across. A row must have been written whole or not at all.
  struct Matrix {
    const instruction::MatrixDescriptor& descriptor;
    instruction::Major major;
    std::array<uint32_t, 2> along, across;  // first and count
    const char* name;
    uint32_t used = 16;  // bytes of each 16 that hold elements
    // Where four warps read the same, each looks at one in four of the groups of rows: this one.
    std::optional<uint32_t> quarter = {};
  };
  void reads(const Operation& by, const Block& block, const Matrix& matrix);
  // The warp has waited for the operations before this one; `reads_only`: for their reads.
  void complete(const Queued& before, bool reads_only = false);
  // They have completed, for those who wait for the mbarrier at an offset of a block.
  void deliver(const Block& block, uint32_t offset, const Queued& before);
  // fence.proxy.async of shared memory, of global memory, or of both.
  void fence_proxies(const Warp& w, bool of_shared, bool of_global);

  // A warp arrives at `bar` or `barrier`, and then all warps that wait there go on.
  void arrive(const Warp& w, uint32_t barrier);
  void complete(const Block& block, uint32_t barrier);
  // A warp arrives at barrier.cluster.
  void arrive_at_cluster(const Warp& w, bool releases);
  void complete_cluster();
  void leave_cluster(const Warp& w);
  // The events of an mbarrier at an address of shared memory: an arrival, the end of a phase, a
  // wait that succeeds.
  void arrive_at(const Warp& w, const Record& in, uint64_t address, bool releases);
  void end_phase(const Block& block, uint32_t offset);
  void leave(const Warp& w, const Record& in, uint64_t address, bool acquires);
  // Bytes that the phase owes, or that have come.
  void add_to_phase(const Warp& w, const Record& in, uint64_t address);
  // Whether all that the phases of an mbarrier have handed over is known to a warp already.
  bool knows(const Warp& w, const Block& block, uint32_t offset) const;
  // A tcgen05.commit arrives at an mbarrier: the operations of the warp below `number` are
  // complete.
  void arrive_commit(const Warp& w, uint64_t number, const Block& block, uint32_t offset);

 private:
  static constexpr std::size_t levels = 3;  // block, cluster, device
  struct Actor {
    check::Clock known;
    std::array<check::Clock, levels> fenced, seen;
    // The knowledge from the warp's sequentially consistent fences, and that which others of the
    // block have seen. Such fences have one order (PTX ISA 9.0, "Fence-SC order"). So the strong
    // access that belongs to a fence may be another warp's, before or after a barrier of the block.
    std::array<check::Clock, levels> sequential, seen_by_block;
    // The events before the issue of the copies that it has waited for. They came before in time,
    // though their writes need not be visible.
    check::Clock waited;
    uint32_t next = 1;
  };
  struct Handover {
    check::Clock arriving, complete;
    std::array<check::Clock, levels> sequential, seen;
    TensorHandover tensor_arriving, tensor_complete;
  };
  // Adjacent lanes whose bytes are contiguous.
  struct Run {
    uint64_t key = 0;  // the address; for shared memory, its place in the cluster
    uint64_t address = 0;
    const std::byte* host = nullptr;
    const std::byte* data = nullptr;  // the bytes that will be stored
    Compared compared = {};
    uint32_t bytes = 0, lanes = 0;
    bool is_shared = false;
  };

  Actor& actor_of(const Warp& w);
  uint32_t number_of(const Warp& w) const;
  check::Clock released(const Warp& w);
  check::Releases* releases_of(const Warp& w, std::size_t level, const Run& run);
  static uint64_t key_of(const Block& block, uint32_t offset);
  const Block& block_of(uint64_t key) const;
  bool place(const Warp& w, Space space, uint64_t address, Run& run) const;
  // The bytes of a copy that are inside the array at its address. Bytes beyond it are a fault when
  // the copy is carried out.
  bool place_bytes(const Operation& by, uint64_t address, uint32_t bytes, Run& run) const;
  void observe(const Warp& w, const Record& in, Space space, uint32_t lanes,
               const uint64_t* addresses, uint32_t bytes, bool writes, bool updates,
               const std::byte* data, const Compared& compared);
  void settle_guesses(const Run& run, const check::Past& now);
  uint32_t actor_of(const Queued& queued);
  // An access to the shared memory of a block by another block of the cluster.
  void use_of_peer(const Warp& w, const Block& owner, const check::Past& now,
                   const check::Clock& known, uint32_t lanes);
  void note_peer(const Warp& w, uint32_t site, uint32_t lanes, uint32_t rank, bool has_begun);
  bool leaves_no_data(uint32_t site) const;
  void look(const Warp& w, const Record& in, const Run& run, const check::Past& now,
            const check::Clock& known);
  void acquire(const Warp& w, const Record& in, const Run& run);
  void release(const Warp& w, const Record& in, const Run& run, bool updates);
  void compare_lanes(const Warp& w, const Record& in, Space space, uint32_t lanes,
                     const uint64_t* addresses, uint32_t bytes, const std::byte* data);
  bool includes(const check::Past& past, const check::Past& now) const;
  void compare_with_lanes(const LaneOrder::Access& access);
  void note_blocks(const Record& in, const check::Past& past, const check::Past& now);

  Races& races_;
  Cluster& cluster_;
  // Of the loads that are looked at, null where a race is reported at once.
  uint32_t* uncertain_ = nullptr;
  std::map<uint32_t, std::vector<Races::Race>> kept_loads_;  // by instruction
  static constexpr std::size_t most_kept_loads = 16;         // of an instruction
  Definedness defined_;
  LaneOrder lanes_;
  TensorOrder tensor_;
  uint64_t first_warp_ = 0;  // of the cluster, counted over the launch
  std::vector<Actor> actors_;
  check::AccessShadow shared_;
  std::vector<check::Releases> block_releases_;
  check::Releases cluster_releases_;
  std::vector<std::array<Handover, 16>> barriers_;
  Handover cluster_barrier_;
  std::unordered_map<uint64_t, Handover> memory_barriers_;
  std::unordered_map<uint64_t, uint32_t> queues_;  // actors, by engine and place
  struct MemoryBarrierUse {
    uint32_t site = 0, warp = 0;  // of the last use
    bool is_used = false;         // since mbarrier.init
    check::Past initialised;      // by whom
    // Who waits for a phase finds it again by its parity, so that the next phase must not end
    // before: something that the next phase needs has to come after the wait.
    check::Clock issued;                // the events before the issue of copies that it counts
    std::vector<check::Past> waits;     // that the last complete phase has let go
    check::Clock arriving;              // what comes before the parts of the present phase
    uint32_t arrival = 0, arriver = 0;  // the last of these parts
  };
  static void add_to_phase(MemoryBarrierUse& use, uint32_t site, uint32_t warp,
                           const check::Clock& known);
  void add_wait(const Warp& w, const Record& in, MemoryBarrierUse& use) const;
  void compare_with_init(const MemoryBarrierUse& use, const Run& run, const check::Past& now,
                         const check::Clock& known);
  void check_waits(const Block& block, uint32_t offset, MemoryBarrierUse& use);
  std::map<uint64_t, MemoryBarrierUse> barrier_uses_;
  struct PeerUse {
    check::Past past;  // the last of its actor
    const Warp* warp;
    uint32_t lanes;
  };
  std::vector<std::map<uint32_t, PeerUse>> peer_uses_;  // of each block, by actor
  std::vector<bool> has_ended_;                         // blocks
};

}  // namespace heddle::emulator::ptx
