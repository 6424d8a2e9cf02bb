// The simulated machine: warps with their registers, blocks with shared memory, clusters of blocks.
//
// A register has 32 lanes of 8 bytes, whatever its type. A handler reads the low bytes of its type,
// and writes at least those. A predicate is one 8-byte word with a bit for each lane. Constants and
// special registers are registers too, filled when a warp starts. So every operand is given by the
// index of its first word in the warp's frame (the array of all its registers).
//
// Lanes of a warp that are at different instructions form groups. The group that is least far in
// the program runs first, so that groups meet where structured branches join. Instructions that
// name the participating lanes (`.sync`) wait until all of these lanes have arrived.
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
#include "emulator/machine/partial_dword.h"
#include "emulator/ptx/source.h"
#include "emulator/ptx/tensor_memory.h"
#include "emulator/record/budget.h"
#include "emulator/record/fault.h"
#include "emulator/run/sector_count.h"

namespace heddle::emulator::ptx {

struct Warp;
struct Record;
using Handler = void (*)(Warp&, const Record&, uint32_t lanes);

// What the interpreter does after a record: goes to the next one (none), or changes the control
// flow.
enum class Control : uint8_t { none, branch, indexed_branch, exit, call, ret };

// A source that is computed before its instruction runs: a register plus a number, a negated
// predicate, or a clock.
struct PreparedSource {
  uint32_t from = 0, to = 0;  // words
  uint64_t addend = 0;
  bool negates = false;
  // If set, the source is this special register instead of `from`.
  std::optional<Special> time = {};
};

// How undefined bits of the sources reach the results of an instruction (definedness.h).
enum class Flow : uint8_t {
  lane,        // an undefined bit makes all results of its lane undefined
  exact,       // only result bits that depend on undefined bits are undefined
  exchange,    // as exact, but between lanes
  across,      // an undefined bit makes the results of all lanes undefined
  comparison,  // as lane, except for the predicate that is combined with the outcome
  matrix,      // no source may be undefined
  memory,      // the handler decides
};

struct Record {
  static constexpr uint32_t always = ~uint32_t{0};
  Handler handler = nullptr;
  const uint32_t* operand = nullptr;  // words in the frame
  const void* extra = nullptr;        // data for this kind of instruction
  uint32_t guard = always;            // word of a predicate
  uint32_t target = 0;                // the record that a branch or call goes to
  int64_t immediate = 0;              // added to an address; otherwise its meaning is the handler's
  uint32_t statement = 0, function = 0;
  Control control = Control::none;
  bool guard_negated = false;
  bool is_aligned = false;    // a barrier of whole warps
  bool is_warp_wide = false;  // .sync: handlers wait for lanes, so a guard splits the warp
  Space space = Space::generic;
  uint8_t bytes = 0;         // the size of an element in memory
  uint8_t count = 1;         // the number of elements of a vector
  uint8_t detail = 0;        // the meaning is the handler's
  bool is_move = false;      // mov between registers
  bool is_multiply = false;  // wgmma.mma_async
  uint32_t operand_count = 0;
  const std::vector<PreparedSource>* prepared = nullptr;
  bool ftz = false, saturate = false;
  uint8_t rounding = 0;
  // The scope and order of a memory access or a fence, for the race detector (races.h).
  uint8_t scope = 0;
  bool acquires = false, releases = false;
  Flow flow = Flow::lane;
  bool commutes = false;  // an update whose order does not matter: an integer red such as add
};

// Counts of one instruction that accesses shared memory, by the bank model.
struct SharedStatistics {
  uint64_t issued = 0, ideal_passes = 0, extra_passes = 0;
};

// A set of lanes at the same instruction. A waiting group does not run until its barrier completes,
// or until all lanes that the instruction names have arrived.
struct Group {
  enum class State : uint8_t { running, at_barrier, at_sync };
  uint32_t next = 0;  // record
  uint32_t lanes = 0;
  State state = State::running;
  uint8_t barrier = 0;
};

// The threads among which a strong access or a fence orders memory. weak: an ordinary access.
enum class Scope : uint8_t { weak, block, cluster, device };

enum class Event : uint8_t { none, fault, wait_for_lanes, barrier, yield };

struct Block;
struct Cluster;

// A pending copy into shared memory: cp.async of one lane.
struct PendingCopy {
  uint64_t group = 0;   // how many groups the lane had committed before
  uint32_t number = 0;  // in the order in which the warp issued them
  uint32_t lane = 0;
  uint32_t address = 0;  // in shared memory
  uint8_t bytes = 0;
  const Record* record = nullptr;
  std::array<std::byte, 16> data{};
};

// A pending store of the tensor memory accelerator. It is kept until a thread waits for the bulk
// group `group` that contains it.
struct PendingStore {
  uint64_t group = 0;
  uint32_t number = 0;  // in the order in which the warp issued them
  uint32_t lane = 0;
  const Record* record = nullptr;
  uint64_t map = 0, global = 0;
  uint32_t shared = 0, bytes = 0;
  uint8_t reduction = 0;
  std::array<int32_t, 5> coordinates{};
};

// A wgmma that was issued and not yet waited for.
struct PendingMultiply {
  uint64_t group = 0;
  uint32_t number = 0;  // in the order in which the warp issued them
  const Record* record = nullptr;
  uint64_t a_descriptor = 0, b_descriptor = 0;
  uint64_t checksum = 0;  // a checksum of the shared memory that it read
};

// A tcgen05.mma, .cp or .shift that was issued and whose completion nobody has waited for.
struct PendingTensorOperation {
  uint64_t number = 0;  // in the order in which the warp issued them
  uint32_t lane = 0;
  const Record* record = nullptr;
  std::array<TensorRegion, 2> written{};  // of the block, and of its peer in a pair
  uint64_t checksum = 0;                  // of the shared memory that it read
  std::array<uint64_t, 2> descriptors{};  // of these operands
  uint32_t shape = 0;                     // the instruction descriptor
};

struct Warp {
  uint64_t* frame = nullptr;
  Block* block = nullptr;
  uint32_t number = 0;           // in the block
  uint32_t existing = 0;         // the lanes that are threads
  uint32_t alive = 0;            // that have not exited
  std::array<Group, 34> groups;  // 32, and two while lanes change places
  uint32_t group_count = 0;
  uint32_t current = 0;
  Event event = Event::none;
  uint64_t instructions = 0;   // executed
  uint64_t turn_began = 0;     // the value of `instructions` when the turn began
  std::byte* local = nullptr;  // local memory: local_bytes for each of 32 lanes
  uint32_t local_bytes = 0;
  std::vector<std::array<uint32_t, 32>> return_to;  // of each function, for each lane

  std::vector<PendingCopy> copies;
  std::array<uint64_t, 32> copy_commits{};
  // How many of each it has issued.
  uint32_t copy_issues = 0, store_issues = 0, multiply_issues = 0;
  std::vector<PendingStore> stores;
  std::array<uint64_t, 32> store_commits{};
  std::vector<PendingMultiply> multiplies;
  uint64_t multiply_commits = 0;
  std::array<uint64_t, 32> cluster_phase{};  // in which each lane arrived at barrier.cluster
  // The registers that pending wgmmas write. The key is the index of the register's first word in
  // `frame`, the value is 1 + the number of the wgmma group.
  std::unordered_map<uint32_t, uint64_t> busy;
  // The value in `busy` for a register that a pending tcgen05.ld writes. tcgen05.ld has no groups.
  static constexpr uint64_t loaded = uint64_t{1} << 62;
  std::vector<PendingTensorOperation> tensor_operations;
  uint64_t tensor_issues = 0;
  std::vector<uint64_t> asked;  // phases of mbarriers whose first question was answered with no
  std::vector<TensorRegion> tensor_stores;

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
  TensorMemory tensor;
  std::vector<Warp> warps;
  std::array<Barrier, 16> barriers;
  uint32_t live_threads = 0;
  uint32_t completed = 0;     // barriers of the block and of its cluster that have completed
  uint64_t instructions = 0;  // executed by its warps, with other work that counts as instructions
};

// The operation of red.async and cp.reduce.async.bulk on elements in shared memory (atomic.h).
enum class Type : uint8_t;
struct BulkReduction {
  Type type{};
  uint8_t operation = 0;
};

// A pending copy of the tensor memory accelerator. Its data are written when a thread waits for the
// mbarrier at `barrier` of `barrier_block`.
struct PendingBulk {
  Block* block = nullptr;
  uint32_t address = 0, swizzle_bytes = 0;
  std::vector<std::byte> data;  // before the swizzle
  Block* barrier_block = nullptr;
  uint32_t barrier = 0;  // the address of the mbarrier that counts its bytes
  uint32_t bytes = 0;    // the bytes that the mbarrier counts
  const BulkReduction* reduction = nullptr;
  uint32_t number = 0;      // in the order in which the cluster issued them
  bool is_message = false;  // st.async or red.async
};

// A pending tcgen05.commit or cp.async.mbarrier.arrive: it arrives at an mbarrier when the
// operations that the lane issued before have completed.
struct PendingCommit {
  Warp* warp = nullptr;
  uint32_t lane = 0;
  uint64_t number = 0;  // the operations of the warp before it
  Block* barrier_block = nullptr;
  uint32_t barrier = 0;
  bool of_copies = false;  // of cp.async
};

struct Counts {
  uint64_t matrix = 0, barriers = 0;
  uint64_t global_read = 0, global_written = 0, shared_read = 0, shared_written = 0, local = 0;
};

class Dispatch;
class RaceWatch;

// The state of a running cluster. A thread of the host reuses it for one cluster after the other.
struct Cluster {
  const Dispatch* dispatch = nullptr;
  std::vector<Block> blocks;
  std::vector<uint64_t> frames;
  std::vector<std::byte> locals;
  std::deque<PendingBulk> bulk;
  uint32_t bulk_issues = 0;
  std::deque<PendingCommit> commits;
  RaceWatch* watch = nullptr;  // set in a checked launch
  uint64_t changes = 0;        // changes of memory and barriers, which a waiting warp may wait for
  uint64_t naps = 0;           // how many nanosleep instructions ran
  uint64_t slept = 0;          // the ns that they slept in total
  uint32_t cluster_arrived = 0;  // threads that arrived at barrier.cluster
  uint64_t cluster_phase = 0;
  bool profiled = false;
  std::vector<uint64_t> executed;  // how often each record was executed
  std::vector<SharedStatistics> shared_statistics;
  std::unordered_map<uint32_t, SectorCount> global_statistics;  // by the number of the record
  Counts counts;
  // The work of handlers in excess of one instruction for each call, in instructions. It is not
  // charged to the budget yet.
  uint64_t extra_work = 0;
  std::optional<Fault> fault;
  std::string waiting_for;  // the object of the last wait that failed
};

// --- registers -----------------------------------------------------------------------------------

// The value of a 128-bit register, which occupies two consecutive 64-bit registers, the lower half
// first.
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

// Ends the run with a fault. Only the first fault of a warp counts.
void raise(Warp& w, const Record& in, FaultKind kind, int lane, std::string message,
           uint64_t address = 0);

// Charges a budget of the launch. If too little is left, it ends the run and returns false.
bool spend(Warp& w, const Record& in, Resource resource, uint64_t amount);
// Gives back what spend() took.
void release(const Warp& w, Resource resource, uint64_t amount);

// The host's pointer to `bytes` bytes at an address; null after a fault. If the access `writes`,
// read-only memory is a fault.
std::byte* access(Warp& w, const Record& in, unsigned lane, uint64_t address, uint32_t bytes,
                  Space space, bool writes);
// A dword of which only a part is in global memory (emulator/machine/partial_dword.h): the value
// that a read returns, and the host's pointer to the part in memory.
struct PartialDword {
  uint32_t word;
  std::byte* host;
  PartOfDword part;
  void read() { std::memcpy(reinterpret_cast<std::byte*>(&word) + part.first, host, part.bytes); }
  void write() const {
    std::memcpy(host, reinterpret_cast<const std::byte*>(&word) + part.first, part.bytes);
  }
};
std::optional<PartialDword> partial_dword(const Warp& w, uint64_t address, Space space,
                                          bool writes);
// True if the function that contains the instruction has a compare-and-swap of a dword in memory.
bool exchanges_dwords(const Warp& w, const Record& in);
// Like access(), but only for shared memory: of this block, or of another block of the cluster
// (mapa).
std::byte* shared_access(Warp& w, const Record& in, unsigned lane, uint64_t address,
                         uint32_t bytes);
// True if the address of an access to `space` lies in shared memory.
inline bool is_shared(Space space, uint64_t address) {
  return space == Space::shared ||
         (space == Space::generic && address >> region_shift == shared_region);
}
// The block whose shared memory a shared::cluster address is in, with the offset in it; null if
// there is no such block.
Block* shared_block(const Warp& w, uint64_t address, uint32_t& offset);

// The first address that a block's variables may have in shared memory. On sm_90 the bytes below
// are reserved for the system.
constexpr uint32_t shared_begin = 1024;
// In a shared::cluster address, the bits from this one up are 1 + the rank of the block, or 0 for
// the thread's own block.
constexpr uint32_t rank_shift = 24;

// True if all threads of the warp are at this instruction. Otherwise the lanes that are there wait,
// and their record runs again later. A lane that has exited is a fault, because matrix instructions
// need all lanes.
bool converged(Warp& w, const Record& in, uint32_t lanes);
// Like converged() above, but only for the lanes of `mask`. `lanes` must be in the mask, and lanes
// of the mask that have exited need not take part (PTX ISA 9.0, "vote.sync": all non-exited threads
// of membermask).
bool converged(Warp& w, const Record& in, uint32_t lanes, uint32_t mask);
// Each lane names its participants by a mask in a register. Waits until all participants have
// arrived, then calls use(lanes) for each set of lanes with the same mask.
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

// Raises a fault if the block ends with this instruction and has not freed its tensor memory.
void check_tensor_memory_is_freed(Warp& w, const Record& in);

// If the block is profiled, counts an access to shared memory according to the bank model.
void count_shared(Warp& w, const Record& in, uint32_t lanes, const uint64_t* addresses, int bytes,
                  bool is_load, int matrices);
// Counts the accesses of those lanes whose addresses are in global memory.
void count_global(Warp& w, const Record& in, uint32_t lanes, const uint64_t* addresses,
                  uint32_t bytes);

}  // namespace heddle::emulator::ptx
