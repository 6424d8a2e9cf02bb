// The simulated machine: warps with their registers, blocks with shared memory, clusters of blocks.
//
// A register is 32 lanes of 8 bytes, whatever its type; a handler reads the low bytes that its type
// has and writes at least those. A predicate is one word with a bit for each lane. Constants and
// special registers are registers too, filled when a warp starts, so an operand is always a place
// in the warp's frame.
//
// Lanes of a warp that are at different places are groups; the group that is furthest behind runs,
// so they meet where the branches of structured code meet. Instructions that name lanes which have
// to take part (`.sync`) wait for them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "emulator/machine/memory.h"
#include "emulator/ptx/source.h"
#include "emulator/record/budget.h"
#include "emulator/record/fault.h"

namespace heddle::emulator::ptx {

struct Warp;
struct Record;
using Handler = void (*)(Warp&, const Record&, uint32_t lanes);

// What a record may ask of the loop that runs it.
enum class Control : uint8_t { none, branch, indexed_branch, exit, call, ret };

// A source that is computed before its instruction runs: a register and a number, the opposite of a
// predicate, or a clock.
struct PreparedSource {
  uint32_t from = 0, to = 0;  // words
  uint64_t addend = 0;
  bool negates = false;
  std::optional<Special> time = {};  // this register in place of `from`
};

// How undefined bits of its sources get to the results of an instruction (definedness.h).
enum class Flow : uint8_t {
  lane,        // one undefined bit makes all results of its lane undefined
  exact,       // as far as they change results
  exchange,    // the same, of all lanes
  across,      // one makes the results of all lanes undefined
  comparison,  // as in a lane, but for the predicate that it is combined with
  matrix,      // none may be undefined
  memory,      // the handler says
};

struct Record {
  static constexpr uint32_t always = ~uint32_t{0};
  Handler handler = nullptr;
  const uint32_t* operand = nullptr;  // words in the frame
  const void* extra = nullptr;        // what the kind of instruction needs
  uint32_t guard = always;            // word of a predicate
  uint32_t target = 0;                // of a branch or call: a record
  int64_t immediate = 0;              // added to an address; else as the handler says
  uint32_t statement = 0, function = 0;
  Control control = Control::none;
  bool guard_negated = false;
  bool is_aligned = false;    // a barrier of whole warps
  bool is_warp_wide = false;  // .sync: handlers wait for lanes, so a guard splits the warp
  Space space = Space::generic;
  uint8_t bytes = 0;         // of an element in memory
  uint8_t count = 1;         // elements of a vector
  uint8_t detail = 0;        // as the handler says
  bool is_move = false;      // mov between registers
  bool is_multiply = false;  // wgmma.mma_async
  uint32_t operand_count = 0;
  const std::vector<PreparedSource>* prepared = nullptr;
  bool ftz = false, saturate = false;
  uint8_t rounding = 0;
  // Of an access to memory or a fence, for the search for races (races.h): a Scope, and its order.
  uint8_t scope = 0;
  bool acquires = false, releases = false;
  Flow flow = Flow::lane;
  bool commutes = false;  // adds and the like that nobody sees the order of: red of integers
};

// One access to shared memory, for the bank model.
struct SharedStatistics {
  uint64_t issued = 0, ideal_passes = 0, extra_passes = 0;
};

// Lanes at one place. Waiting ones do not run until a barrier completes or the lanes that the
// instruction names have come.
struct Group {
  enum class State : uint8_t { running, at_barrier, at_sync };
  uint32_t next = 0;  // record
  uint32_t lanes = 0;
  State state = State::running;
  uint8_t barrier = 0;
};

// How far a strong access or a fence reaches. weak: an ordinary access.
enum class Scope : uint8_t { weak, block, cluster, device };

enum class Event : uint8_t { none, fault, wait_for_lanes, barrier, yield };

struct Block;
struct Cluster;

// A copy into shared memory under way: cp.async of one lane.
struct PendingCopy {
  uint64_t group = 0;  // number of commits of the lane before it
  uint32_t lane = 0;
  uint32_t address = 0;  // in shared memory
  uint8_t bytes = 0;
  const Record* record = nullptr;
  std::array<std::byte, 16> data{};
};

// A store of the tensor memory accelerator under way, until its group is waited for.
struct PendingStore {
  uint64_t group = 0;
  uint32_t lane = 0;
  const Record* record = nullptr;
  uint64_t map = 0, global = 0;
  uint32_t shared = 0, bytes = 0;
  uint8_t reduction = 0;
  std::array<int32_t, 5> coordinates{};
};

// wgmma that was issued and not waited for.
struct PendingMultiply {
  uint64_t group = 0;
  const Record* record = nullptr;
  uint64_t a_descriptor = 0, b_descriptor = 0;
  uint64_t checksum = 0;  // of what it read of shared memory
};

struct Warp {
  uint64_t* frame = nullptr;
  Block* block = nullptr;
  uint32_t number = 0;           // in the block
  uint32_t existing = 0;         // lanes that are threads
  uint32_t alive = 0;            // that have not exited
  std::array<Group, 34> groups;  // 32, and two while lanes change places
  uint32_t group_count = 0;
  uint32_t current = 0;
  Event event = Event::none;
  uint64_t instructions = 0;   // executed
  uint64_t turn_began = 0;     // at so many
  std::byte* local = nullptr;  // 32 times local_bytes
  uint32_t local_bytes = 0;
  std::vector<std::array<uint32_t, 32>> return_to;  // of every function

  std::vector<PendingCopy> copies;
  std::array<uint64_t, 32> copy_commits{};
  std::vector<PendingStore> stores;
  std::array<uint64_t, 32> store_commits{};
  std::vector<PendingMultiply> multiplies;
  uint64_t multiply_commits = 0;
  std::array<uint64_t, 32> cluster_phase{};  // in which a lane arrived at barrier.cluster
  // Words of registers that a wgmma under way writes, with 1 + the number of its group.
  std::unordered_map<uint32_t, uint64_t> busy;

  uint64_t* at(uint32_t word) { return frame + word; }
  const uint64_t* at(uint32_t word) const { return frame + word; }
};

// One of the sixteen barriers of a block.
struct Barrier {
  uint32_t arrived = 0;   // threads
  uint32_t expected = 0;  // 0: all threads that have not exited
  uint32_t result_count = 0;
  bool result_and = true, result_or = false;
  struct Result {
    Warp* warp;
    uint32_t lanes;
    uint32_t word;
    uint8_t detail;
  };
  std::vector<Result> results;
};

struct Block {
  Cluster* cluster = nullptr;
  std::array<uint32_t, 3> index{};
  uint32_t rank = 0;  // in the cluster
  std::vector<std::byte> shared;
  std::vector<Warp> warps;
  std::array<Barrier, 16> barriers;
  uint32_t live_threads = 0;
  uint32_t completed = 0;     // barriers of it and of its cluster, so far
  uint64_t instructions = 0;  // executed by its warps, and what counts as such
};

// A copy of the tensor memory accelerator under way: what arrives when somebody waits for it.
struct PendingBulk {
  Block* block = nullptr;
  uint32_t address = 0, swizzle_bytes = 0;
  std::vector<std::byte> data;  // before the swizzle
  Block* barrier_block = nullptr;
  uint32_t barrier = 0;  // address of the mbarrier
  uint32_t bytes = 0;    // that it counts
};

struct Counts {
  uint64_t matrix = 0, barriers = 0;
  uint64_t global_read = 0, global_written = 0, shared_read = 0, shared_written = 0, local = 0;
};

class Dispatch;
class RaceWatch;

// What runs one cluster of blocks after the other on one thread of the host.
struct Cluster {
  const Dispatch* dispatch = nullptr;
  std::vector<Block> blocks;
  std::vector<uint64_t> frames;
  std::vector<std::byte> locals;
  std::deque<PendingBulk> bulk;
  RaceWatch* watch = nullptr;    // of a checked launch
  uint64_t changes = 0;          // of memory and barriers: what a waiting warp could be waiting for
  uint64_t naps = 0;             // nanosleep
  uint64_t slept = 0;            // ns, in all of them
  uint32_t cluster_arrived = 0;  // threads, at barrier.cluster
  uint64_t cluster_phase = 0;
  bool profiled = false;
  std::vector<uint64_t> executed;  // by record
  std::vector<SharedStatistics> shared_statistics;
  Counts counts;
  // What handlers did beyond one instruction each, counted as instructions and not yet charged.
  uint64_t extra_work = 0;
  std::optional<Fault> fault;
  std::string waiting_for;  // what the last failed wait waited for
};

// --- registers -----------------------------------------------------------------------------------

// A register of 128 bits is two of 64, the lower one first.
using Wide = unsigned __int128;
constexpr uint32_t lanes_of_warp = 32;

template <class T>
inline T get(const uint64_t* slot, unsigned lane) {
  if constexpr (sizeof(T) == sizeof(Wide)) {
    return Wide{slot[lanes_of_warp + lane]} << 64 | slot[lane];
  } else {
    T value;
    std::memcpy(&value, slot + lane, sizeof(T));
    return value;
  }
}

template <class T>
inline void put(uint64_t* slot, unsigned lane, T value) {
  uint64_t word = 0;
  if constexpr (sizeof(T) == sizeof(Wide)) {
    word = static_cast<uint64_t>(value);
    slot[lanes_of_warp + lane] = static_cast<uint64_t>(value >> 64);
  } else {
    std::memcpy(&word, &value, sizeof(T));
  }
  slot[lane] = word;
}

template <class F>
inline void for_lanes(uint32_t lanes, F f) {
  if (lanes == 0xffffffffu) {
    for (unsigned lane = 0; lane < 32; ++lane) f(lane);
    return;
  }
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1)
    f(static_cast<unsigned>(__builtin_ctz(rest)));
}

// --- what handlers call --------------------------------------------------------------------------

// Ends the run; the first fault of a warp counts.
void raise(Warp& w, const Record& in, FaultKind kind, int lane, std::string message,
           uint64_t address = 0);

// Charges a budget of the launch, or ends the run and returns false.
bool spend(Warp& w, const Record& in, Resource resource, uint64_t amount);
// Gives back what spend() took.
void release(const Warp& w, Resource resource, uint64_t amount);

// The host's place of so many bytes at an address, or null after a fault. `writes`: read-only
// memory is refused.
std::byte* access(Warp& w, const Record& in, unsigned lane, uint64_t address, uint32_t bytes,
                  Space space, bool writes);
// A dword of global memory that ends beyond it (emulator/machine/partial_dword.h): what it is read
// as, and where its first bytes are.
struct PartialDword {
  uint32_t word;
  std::byte* host;
  uint32_t bytes;  // that exist
};
std::optional<PartialDword> partial_dword(const Warp& w, uint64_t address, Space space,
                                          bool writes);
// Whether the function of an instruction has a compare-and-swap of a dword in memory.
bool exchanges_dwords(const Warp& w, const Record& in);
// The place of so many bytes in shared memory alone: of the block, or of one of its cluster by
// mapa.
std::byte* shared_access(Warp& w, const Record& in, unsigned lane, uint64_t address,
                         uint32_t bytes);
// Whether an address of such an access is in shared memory.
inline bool is_shared(Space space, uint64_t address) {
  return space == Space::shared ||
         (space == Space::generic && address >> region_shift == shared_region);
}
// The block that an address in shared::cluster is of, and its offset there.
Block* shared_block(const Warp& w, uint64_t address, uint32_t& offset);

// Where the window of shared memory of a block begins: what lies below is the system's on sm_90.
constexpr uint32_t shared_begin = 1024;
constexpr uint32_t rank_shift = 24;  // of a shared::cluster address: 1 + rank, or 0 for its own

// Whether all threads of the warp are here; else the group waits and the record runs again. A lane
// that has exited is a fault: these are the matrix instructions, which need them all.
bool converged(Warp& w, const Record& in, uint32_t lanes);
// The same for the lanes of a mask, which must be `lanes` but for those that have exited: they need
// not take part (PTX ISA 9.0, "vote.sync": all non-exited threads of membermask).
bool converged(Warp& w, const Record& in, uint32_t lanes, uint32_t mask);
// Calls use(lanes) for the lanes of each mask that lanes name in a register, once all are here.
template <class F>
void for_members(Warp& w, const Record& in, uint32_t lanes, uint32_t word, F use) {
  std::array<uint32_t, 32> sets{};
  std::size_t count = 0;
  for (uint32_t rest = lanes; rest != 0; rest &= ~sets[count++]) {
    const auto mask = get<uint32_t>(w.at(word), static_cast<unsigned>(__builtin_ctz(rest)));
    for_lanes(rest, [&](unsigned l) {
      if (get<uint32_t>(w.at(word), l) == mask) sets[count] |= 1u << l;
    });
    if (!converged(w, in, sets[count], mask)) return;
  }
  for (std::size_t i = 0; i < count; ++i) use(sets[i]);
}

// Counts an access of shared memory through the bank model, when the block is profiled.
void count_shared(Warp& w, const Record& in, uint32_t lanes, const uint64_t* addresses, int bytes,
                  bool is_load, int matrices);

}  // namespace heddle::emulator::ptx
