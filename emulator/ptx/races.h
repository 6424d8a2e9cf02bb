// Looks for data races of a checked launch, by the memory consistency model of PTX ISA 9.0.
//
// Two accesses race if all of this holds:
// - they overlap;
// - at least one of them writes;
// - neither happened before the other;
// - they are not both strong (volatile, relaxed, acquire, release, atom, red) with scopes that
// include each other.
//
// Accesses are ordered by the program order of a warp, by barriers of a block or a cluster, by
// mbarriers, and by a release that an acquire reads from. A fence (membar, fence.acq_rel, fence.sc)
// before a strong store makes the store a release, and a fence after a strong load makes the load
// an acquire. A release and an acquire order accesses only among threads that the scopes of both
// include.
//
// The effects of an asynchronous instruction (cp.async, cp.async.bulk, wgmma, tcgen05) are not part
// of the program order of its warp ("Program Order of Asynchronous Operations"). They happen after
// everything that the warp knew when it issued the instruction, and threads know of them only after
// a wait for their completion. So asynchronous instructions are performed by actors other than the
// warps: one for each queue in which operations complete in order.
//
// The async proxy knows a store of the generic proxy only if a fence.proxy.async came after the
// store and happened before the asynchronous operation. The clocks represent these fences as the
// progress of additional actors, so a thread that synchronises with another also learns of the
// other's fences. Rules for these fences:
// - The completion of an asynchronous operation implies such a fence.
// - No fence is needed between a load of the generic proxy and a later asynchronous write, because
// the load has already returned its value.
// - No document says to which proxy cp.async belongs. Triton 3.6 and CUTLASS put no fence between
// cp.async and wgmma, so none is required here.
// - No fence is required after st.async, red.async and the store of the address by tcgen05.alloc.
//
// A warp is one actor (check/happens_before.h). Races between its lanes in shared memory are
// checked separately (lane_order.h). In global memory lanes of one warp do not race, except two
// lanes of one instruction that store different values to the same address. A store of the value
// that memory already holds is not a race. Two unordered strong stores of different values are a
// race unless one of them is an atomic operation: one of the two values is lost.
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

// The kinds of queues of asynchronous operations. Operations of one queue complete in the order of
// their issue.
enum class Engine : uint8_t {
  copy,       // cp.async of a warp
  load,       // what an mbarrier counts the bytes of
  store,      // cp.async.bulk of bulk groups, of a thread
  message,    // st.async, red.async, as load; tcgen05.alloc
  warpgroup,  // wgmma of a warp
  tensor,     // tcgen05.mma, .cp, .shift of a thread
};

// The position of an operation in its queue. As an argument named `before` it stands for all
// operations of the queue that precede this position.
struct Queued {
  Engine engine;
  const Warp& warp;
  uint32_t lane;  // 0 where all of the warp are one queue
  uint32_t number;
  // Of those that it counts: the mbarrier.
  const Block* block = nullptr;
  uint32_t offset = 0;
};

// The state of the race detector that all clusters of a launch share.
class Races {
 public:
  static constexpr uint32_t most_sites = 1u << 24;  // of check::Past
  // Begins a run of the launch. A further run forgets the accesses of the previous one, but keeps
  // its findings.
  void begin(const Dispatch& dispatch);

  // The run is over.
  void end();

  bool has_findings() const {  // remarks are none
    return std::ranges::any_of(
        found_, [](const auto& entry) { return !description(entry.second.finding.kind).is_note; });
  }
  // True if two blocks accessed the same bytes of global memory and one of them wrote, except if
  // both accesses were the same kind of update whose order does not matter, such as additions. The
  // result of a block may then depend on which blocks ran before it.
  bool depend_on_blocks() const { return depend_on_blocks_ || memory_.is_incomplete(); }
  // Records the finding that the result depends on the order of the blocks. The finding's place is
  // the last store to the address.
  void note_difference(const Dispatch& dispatch, uint64_t address, std::string message);

  // Records a finding about lanes of a warp at record `site`. `user`: the record that used a value
  // which `site` loaded. If there is a finding of the same kind with the same `site` and `user`,
  // only its count is increased; otherwise `message` is called to make its text. `fix`: null for
  // the usual fix of this kind.
  void note(FindingKind kind, uint32_t site, uint32_t warp, uint32_t lanes,
            const std::function<std::string()>& message, const char* fix = nullptr,
            std::optional<uint32_t> user = {});
  // Like note(), for a conflict of the instruction at record `site` with an earlier instruction, at
  // record `earlier`.
  struct Words {
    std::string message, fix, role;  // `role`: what the earlier one did
  };
  void note_pair(FindingKind kind, uint32_t site, uint32_t earlier, uint32_t warp,
                 const std::function<Words()>& words);
  // Tells the owners of the buffers which bytes the launch has written.
  void keep_written() const {
    if (written_) written_->keep();
  }

  std::vector<Finding> findings() const;
  // What was not checked. Each string completes the sentence "not checked: …".
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
  // A race: an access and an earlier one, or two lanes of the same instruction.
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
  // An actor that is not a warp: a queue of asynchronous operations.
  struct Queue {
    uint32_t warp;
    Engine engine;
  };
  uint32_t first_queue_ = 0;  // the number of the first of them: below are the warps
  std::vector<Queue> queues_;
  // The fences of the async proxy that an actor has executed are represented by two additional
  // actors. Their numbers are the actor's number plus fenced_shared (fences of shared memory) and
  // plus fenced_global (fences of global memory).
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
  // True if a load races with an atomic update, and it cannot be decided yet whether this is a
  // mistake. Then the race is kept for a later decision (check/guesses.h). `key`: the address in
  // the numbering of the shadow memory. `word`: what the load read at this address.
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

  // For an atomic operation: the contents of memory before it, with `pitch` bytes for each lane,
  // and the values that a compare-and-swap expects (null for other operations).
  struct Compared {
    static constexpr std::size_t pitch = 64;
    const std::byte* before;
    const std::byte* expected;
  };
  // Called when lanes load. The record has the instruction's scope and memory order.
  void load(const Warp& w, const Record& in, Space space, uint32_t lanes, const uint64_t* addresses,
            uint32_t bytes, const Compared& compared = {});
  // Like load(), for an instruction that does nothing but fill registers. A race in global memory
  // is reported only if the loaded value is later used where an undefined value would be reported
  // (definedness.h). Returns the lanes whose loads race in this way.
  uint32_t load_to_registers(const Warp& w, const Record& in, uint32_t lanes,
                             const uint64_t* addresses, uint32_t bytes, const Compared& compared);
  // Called before lanes store `bytes` bytes each. The bytes of lane l begin at data + 32 * l.
  void store(const Warp& w, const Record& in, Space space, uint32_t lanes,
             const uint64_t* addresses, uint32_t bytes, const std::byte* data);
  // Called after lanes have read and written memory in one atomic operation.
  void update(const Warp& w, const Record& in, uint32_t lanes, const uint64_t* addresses,
              uint32_t bytes, const Compared& compared);
  // Called when an operation uses the mbarrier at an address. The functions below record how
  // mbarriers order accesses.
  void touch(const Warp& w, const Record& in, uint64_t address, bool initialises);
  // Called when the mbarrier at an address is invalidated. A later mbarrier at this address is a
  // new one.
  void forget_barrier(const Warp& w, uint64_t address);
  // end(): the last lane of a warp has exited. end_cluster(): all warps of the cluster have exited.
  void end(const Warp& w);
  void end_cluster();
  void fence(const Warp& w, Scope scope, bool is_sequential);
  void note_unchecked(const char* what) { races_.note_unchecked(what); }
  Definedness& defined() { return defined_; }
  // Lanes come to bar.warp.sync.
  void meet(const Warp& w, uint32_t lanes) { lanes_.synchronise(w, lanes); }
  // Called when a lane's copy to shared memory has completed and this lane itself has waited for
  // it.
  void land(const Warp& w, const Record& in, unsigned lane, const Block& block, uint32_t offset,
            uint32_t bytes);
  TensorOrder& tensor() { return tensor_; }
  // Reports that an instruction uses a register of a wgmma that is still under way.
  void note_early_use(const Warp& w, const Record& in);
  // Reports that only some lanes of a warp reach a barrier that is for whole warps.
  void note_part_of_warp(const Warp& w, const Record& in, uint32_t lanes);

  // An asynchronous operation. Its reads and writes are recorded when it is issued. They are
  // ordered after everything that the warp knew at that time (`known`).
  struct Operation {
    check::Past now;
    const Warp* warp = nullptr;
    const Record* record = nullptr;
    uint32_t lanes = 0;
    check::Clock known = {};
  };
  Operation issue(const Queued& queued, const Record& in, uint32_t lanes);
  // `data`: the bytes that will be written, or null. Two pending operations that write the same
  // bytes to the same place do not race.
  void reads(const Operation& by, const Block& block, uint32_t offset, uint32_t bytes);
  void reads(const Operation& by, uint64_t address, uint32_t bytes);
  void writes(const Operation& by, const Block& block, uint32_t offset, uint32_t bytes,
              const std::byte* data = nullptr);
  // `data`: the bytes that are written, or null if they are not known.
  void writes(const Operation& by, uint64_t address, uint32_t bytes, bool updates,
              const std::byte* data = nullptr);
  // The mbarrier that counts its bytes.
  void names_barrier(const Operation& by, const Block& block, uint32_t offset);
  // The matrix that a descriptor specifies: a range of bytes along its contiguous axis (`along`),
  // and a range of rows or columns (`across`). Each row must be wholly written or not written at
  // all.
  struct Matrix {
    const instruction::MatrixDescriptor& descriptor;
    instruction::Major major;
    std::array<uint32_t, 2> along, across;  // first and count
    const char* name;
    uint32_t used = 16;  // bytes of each 16 that hold elements
    // If four warps read the same matrix, each of them checks only every fourth group of rows. This
    // number selects which ones.
    std::optional<uint32_t> quarter = {};
  };
  void reads(const Operation& by, const Block& block, const Matrix& matrix);
  // Called when the warp has waited for the operations before this one in its queue. `reads_only`:
  // the wait was only for their reads.
  void complete(const Queued& before, bool reads_only = false);
  // Called when the operations before this one in its queue have completed at the mbarrier at an
  // offset of a block. Only threads that wait for this mbarrier learn of the completion.
  void deliver(const Block& block, uint32_t offset, const Queued& before);
  // Called for fence.proxy.async of shared memory, of global memory, or of both.
  void fence_proxies(const Warp& w, bool of_shared, bool of_global);

  // arrive(): a warp arrives at a barrier of its block (`bar` or `barrier`). complete(): all warps
  // that wait at the barrier go on.
  void arrive(const Warp& w, uint32_t barrier);
  void complete(const Block& block, uint32_t barrier);
  // A warp arrives at barrier.cluster.
  void arrive_at_cluster(const Warp& w, bool releases);
  void complete_cluster();
  void leave_cluster(const Warp& w);
  // The events of an mbarrier in shared memory: arrive_at() is an arrival, end_phase() the
  // completion of a phase, leave() a successful wait.
  void arrive_at(const Warp& w, const Record& in, uint64_t address, bool releases);
  void end_phase(const Block& block, uint32_t offset);
  void leave(const Warp& w, const Record& in, uint64_t address, bool acquires);
  // Called when the number of bytes that the phase expects changes: more are announced, or some
  // have arrived.
  void add_to_phase(const Warp& w, const Record& in, uint64_t address);
  // True if the warp already knows everything that the completed phases of an mbarrier pass on.
  bool knows(const Warp& w, const Block& block, uint32_t offset) const;
  // Called when a tcgen05.commit arrives at an mbarrier: the warp's operations with numbers below
  // `number` are complete.
  void arrive_commit(const Warp& w, uint64_t number, const Block& block, uint32_t offset);

 private:
  static constexpr std::size_t levels = 3;  // block, cluster, device
  struct Actor {
    check::Clock known;
    std::array<check::Clock, levels> fenced, seen;
    // Sequentially consistent fences have a total order (PTX ISA 9.0, "Fence-SC order"). So the
    // strong access that belongs to such a fence may be executed by another warp of the block,
    // before or after a barrier of the block. `sequential`: what sequentially consistent fences of
    // the warp have released, and, by barriers of the block, those of other warps. `seen_by_block`:
    // what strong loads of warps of the block have read, as the barriers pass it on.
    std::array<check::Clock, levels> sequential, seen_by_block;
    // The events that preceded the issue of the copies for which the warp has waited. These events
    // are earlier in time, though the writes among them need not be visible to the warp.
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
  // Clips a copy's bytes to the array at its address. Bytes beyond the array are a fault when the
  // copy is carried out.
  bool place_bytes(const Operation& by, uint64_t address, uint32_t bytes, Run& run) const;
  void observe(const Warp& w, const Record& in, Space space, uint32_t lanes,
               const uint64_t* addresses, uint32_t bytes, bool writes, bool updates,
               const std::byte* data, const Compared& compared);
  void settle_guesses(const Run& run, const check::Past& now);
  uint32_t actor_of(const Queued& queued);
  // Records an access by one block of the cluster to the shared memory of another block.
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
  // Receives the lanes whose loads race in global memory. If it is null, such races are reported at
  // once.
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
    // A thread recognises the phase for which it waits only by its parity. So the next phase must
    // not complete before the wait has ended: some event that the next phase needs must happen
    // after the wait.
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
