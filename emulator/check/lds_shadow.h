// The checker's state for every byte of LDS: whether it was written, whether with a defined value,
// and which waves read and wrote it last.
//
// Two accesses of different waves to one byte race if all of these hold:
// - One of them writes.
// - They are not both atomic.
// - They do not write the same value.
// - Neither of them comes before the other.
//
// An access comes before another one if it has ended before its wave signals a barrier, and the
// other one is issued after the other wave has waited for that barrier (RDNA3 ISA, S_BARRIER; RDNA4
// ISA, S_BARRIER_SIGNAL and S_BARRIER_WAIT; LLVM "User Guide for AMDGPU Backend", "Memory model": a
// release waits for the operations before it). So an access gets a stamp: the number of barriers
// that its wave had signalled when the access had surely ended. It comes before every access that
// is issued after its wave has waited for more barriers than this stamp.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "emulator/machine/observation.h"

namespace heddle::emulator::check {

class LdsShadow {
 public:
  LdsShadow(uint64_t bytes, uint32_t waves);
  // The most host memory that this object takes, in bytes: when accesses are recorded for every
  // single byte of LDS (a granule is then one byte).
  static constexpr uint64_t bytes_of(uint64_t bytes, uint32_t waves) {
    return (bytes + 128) * (1 + 8 * (uint64_t{1} + waves)) +
           ((Place::patterns * sizeof(Pattern) + sizeof(Place)) << place_bits) +
           (uint64_t{1} + waves) * (most_deferred * sizeof(Access) + sizeof(Recent));
  }

  // Begins a workgroup: no byte is written, and there were no accesses.
  void start();

  struct Actor {
    uint32_t wave;
    uint32_t signals;  // barriers that the wave has signalled
    uint32_t waits;    // and has waited for
    uint32_t instruction;
  };

  struct Race {
    enum class Kind : uint8_t { read_after_write, write_after_read, write_after_write };
    Kind kind;
    uint32_t instruction;  // of the other access
    uint32_t wave;
    bool outstanding;  // the other access had no wait before its barrier
    bool update;       // one is an atomic, the other a load: a race for each address
    uint32_t lanes;    // of this access
    uint32_t address;  // of a byte that both access
  };
  struct Outcome {
    std::span<const Race> races;
    // Points to a flag: whether it is known that no two lanes overlap when they access these
    // addresses. The checker sets the flag after it has found that out for a store.
    bool* lanes_are_apart = nullptr;
    uint32_t unwritten_lanes = 0;  // that read bytes of which none was written
    uint32_t unwritten_address = 0;
    bool any_undefined = false;
    std::array<uint16_t, 32> undefined_bytes;  // by lane, when any_undefined
  };

  // The data that a store will write, and the contents of LDS before it.
  struct StoredData {
    const std::byte* lds;
    const uint32_t (*registers)[32];  // the first of the data, by lane
    bool upper_half;                  // of the register, for less than 32 bits

    // True if the byte of LDS at `address` already has the value that lane `lane` stores there,
    // byte `byte` of its data.
    bool keeps(uint32_t address, uint32_t lane, uint32_t byte) const {
      const uint32_t word = registers[byte / 4][lane] >> (upper_half ? 16 : 0);
      return static_cast<std::byte>(word >> 8 * (byte % 4)) == lds[address];
    }
  };

  // Handles an access of at most 16 bytes a lane. Call it for a store before the store happens:
  // `data` is then what is stored, and undefined[lane] has a bit for each undefined byte of it;
  // `undefined` is null if all bytes are defined.
  const Outcome& access(const Actor& actor, AccessKind kind, const uint32_t* offsets,
                        uint32_t lanes, uint32_t bytes, const uint16_t* undefined,
                        const StoredData* data);

  // Forgets the loads by `wave` of these bytes, so that they race with nothing: a compare-and-swap
  // has shown that the loaded value was up to date.
  void forget_loads(uint32_t wave, uint32_t address, uint32_t bytes);

  // Gives a recorded access a newer stamp. Call it if the access had not ended when its wave
  // signalled a barrier.
  void restamp(const Actor& actor, AccessKind kind, const uint32_t* offsets, uint32_t lanes,
               uint32_t bytes);

 private:
  // A set of blocks of LDS. LDS is divided into at most 1024 blocks of equal size.
  struct alignas(64) Blocks {
    static constexpr uint32_t most = 1024;
    uint64_t words[most / 64] = {};

    void add(uint32_t block) { words[block / 64] |= uint64_t{1} << block % 64; }
  };
  // For each of the newest four stamps, the blocks that were accessed under it. With this, it is
  // quickly found for most accesses that they race with nothing.
  struct Recent {
    static constexpr uint32_t stamps = 4;
    uint32_t highest = 0;
    Blocks of[stamps];  // by the stamp's remainder

    void note(uint32_t stamp, const Blocks& blocks);
    // Returns false only if none of `blocks` was accessed under a stamp of at least `limit`. May
    // return true without such an access.
    bool may_have(uint32_t limit, const Blocks& blocks) const;
  };
  // The addresses of all lanes in one access, with facts that follow from them. Patterns are kept
  // and found again, since an instruction in a loop often repeats its addresses.
  struct alignas(64) Pattern {
    uint32_t offsets[32];
    uint32_t lanes, bytes;
    uint32_t alignment;       // all addresses and the bytes, or-ed
    uint32_t written_in;      // `base_` of a workgroup that has written all of it
    bool upper_half_repeats;  // the addresses of lanes 0 to 15 are those of 16 to 31
    bool is_deferred;         // Table::deferred may point to it
    bool lanes_are_apart;     // Outcome::lanes_are_apart
    Blocks blocks;            // of all lanes
  };
  // One entry of the hash table of patterns. It has several patterns, since different patterns can
  // have the same place in the table.
  struct Place {
    static constexpr uint32_t patterns = 4;
    uint32_t hashes[patterns] = {};  // 0: none
    uint32_t oldest = 0;
  };
  static constexpr int place_bits = 8;
  static constexpr int largest_shift = 4;  // no lane accesses more than 16 bytes
  // The last access to a granule. `who` contains the number of the wave, the number of the
  // instruction, and three bits: atomic, outstanding, and shared. Shared means that several waves
  // made such accesses, and only one of them is named.
  struct Last {
    uint32_t stamp = 0, who = 0;
  };
  struct Access {
    Pattern* pattern;
    uint32_t wave;
    const uint32_t* offsets;
    uint32_t lanes, bytes;
    uint32_t stamp, who, limit;  // stamps below `limit` are of accesses that come before
  };
  // Entering a read into the table of granules can usually be put off: most reads have no block in
  // common with a write that could race with them, and after the next barrier the read comes before
  // all later accesses. Reads are entered when a write needs them or when too many are put off.
  static constexpr std::size_t most_deferred = 256;
  struct Table {
    // Log2 of the size of a granule in bytes. A granule is what one entry of the table stands for.
    // It is as large as the smallest access so far; if it were larger, accesses to neighbouring
    // bytes would seem to race.
    int shift = largest_shift;
    std::vector<Last> last;
    std::vector<Access> deferred;  // reads that are not yet in `last`, in their order
    Recent recent;                 // with the deferred ones
    void resize(std::size_t bytes);
    // Makes granules small enough for accesses of this alignment.
    void refine(uint32_t alignment);
    void clear();
  };
  static constexpr uint32_t atomic_bit = 1u << 31, shared_bit = 1u << 30,
                            outstanding_bit = 1u << 29;
  static constexpr int wave_shift = 24;
  static constexpr uint32_t instruction_mask = (1u << wave_shift) - 1;
  static uint32_t wave_of(uint32_t who) { return who >> wave_shift & 31u; }

  void read(const Access& access);
  void write(const Access& access, const StoredData* data);
  // A store that writes the value that is already there does no harm. Returns the address of the
  // first byte of a granule that the store changes; null if it changes none.
  std::optional<uint32_t> first_change(const Access& access, const StoredData& data, uint32_t lane,
                                       uint32_t granule) const;
  void check_writes(const Access& access);
  void check_reads(const Access& access, uint32_t wave);
  Pattern& pattern_of(const uint32_t* offsets, uint32_t lanes, uint32_t bytes);
  Access access_of(const Actor& actor, AccessKind kind, Pattern& pattern) const;
  template <class Each>  // void(lane, granule)
  static void for_granules(const Table& table, const Access& access, Each each);
  // True if the table may contain an access to the same granules that is not ordered before
  // `access`: its stamp is at least access.limit.
  bool has_concurrent(Table& table, const Access& access);
  template <unsigned count>
  bool reaches(const Table& table, const Access& access) const;
  void defer(Table& table, const Access& access);
  void drop_past(Table& table);
  static void carry_out(Table& table);
  static void fill(Table& table, const Access& access);
  template <unsigned count>
  static void put(Table& table, const Access& access);
  void note_race(Race::Kind kind, uint32_t who, bool update, uint32_t lane, uint32_t address);
  bool is_written(const Access& access) const;
  void check_written(const Access& access, AccessKind kind);
  void set_written(const Access& access, const uint16_t* undefined);
  void collect_undefined(const Access& access);

  uint64_t bytes_;
  int block_shift_ = 5;  // log2 of the bytes of a block
  uint32_t base_ = 1;    // stamp of the workgroup's first access: lower ones come before it
  uint32_t highest_ = 0;
  Table writes_;
  std::vector<Table> reads_;                  // by wave
  std::vector<uint32_t> limits_;              // by wave: that of its last access
  std::vector<uint8_t> written_, undefined_;  // a bit for each byte
  bool has_undefined_ = false;
  std::vector<Place> places_;
  std::unique_ptr<Pattern[]> patterns_;  // of each place
  std::vector<Race> races_;
  Outcome outcome_;
};

}  // namespace heddle::emulator::check
