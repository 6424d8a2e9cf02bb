// The checker's state for every byte of LDS: whether it was written, whether with a defined value,
// and which waves read and wrote it last.
//
// Two accesses of different waves to one byte race if one of them writes, they are not both atomic,
// they do not write the same value, and neither comes before the other. An access comes before
// another when it has ended before its wave signals a barrier, and the other is issued after its
// own wave has waited for that barrier (RDNA3 ISA, S_BARRIER; RDNA4 ISA, S_BARRIER_SIGNAL and
// S_BARRIER_WAIT; LLVM "User Guide for AMDGPU Backend", "Memory model": a release waits for the
// operations before it). So an access is stamped with the number of barriers that its wave has
// signalled when it has surely ended. It comes before every access that is issued after more waits
// than that number.
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
  // Of the host, when every byte is a granule.
  static constexpr uint64_t bytes_of(uint64_t bytes, uint32_t waves) {
    return (bytes + 128) * (1 + 8 * (uint64_t{1} + waves)) +
           ((Place::patterns * sizeof(Pattern) + sizeof(Place)) << place_bits) +
           (uint64_t{1} + waves) * (most_deferred * sizeof(Access) + sizeof(Recent));
  }

  // A workgroup begins: nothing is written, no one has accessed anything.
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
    // True if it is known that no two lanes at these addresses share a byte. Code that finds that
    // out for stores sets it.
    bool* lanes_are_apart = nullptr;
    uint32_t unwritten_lanes = 0;  // that read bytes of which none was written
    uint32_t unwritten_address = 0;
    bool any_undefined = false;
    std::array<uint16_t, 32> undefined_bytes;  // by lane, when any_undefined
  };

  // The data that a store is about to write, and the data that it overwrites.
  struct StoredData {
    const std::byte* lds;
    const uint32_t (*registers)[32];  // the first of the data, by lane
    bool upper_half;                  // of the register, for less than 32 bits

    // Whether a byte of LDS, `byte` from the start of the lane's data, stays as it is.
    bool keeps(uint32_t address, uint32_t lane, uint32_t byte) const {
      const uint32_t word = registers[byte / 4][lane] >> (upper_half ? 16 : 0);
      return static_cast<std::byte>(word >> 8 * (byte % 4)) == lds[address];
    }
  };

  // An access of at most 16 bytes per lane. For a store, `undefined` has a bit for each undefined
  // byte, by lane; null means that all are defined. `data` is the data of a store, before it
  // happens.
  const Outcome& access(const Actor& actor, AccessKind kind, const uint32_t* offsets,
                        uint32_t lanes, uint32_t bytes, const uint16_t* undefined,
                        const StoredData* data);

  // What a wave has loaded from there was no older than what its compare-and-swap found.
  void forget_loads(uint32_t wave, uint32_t address, uint32_t bytes);

  // The access had not ended when its wave signalled a barrier: it is stamped anew.
  void restamp(const Actor& actor, AccessKind kind, const uint32_t* offsets, uint32_t lanes,
               uint32_t bytes);

 private:
  // A set of blocks of LDS, which are the smaller the less LDS there is.
  struct alignas(64) Blocks {
    static constexpr uint32_t most = 1024;
    uint64_t words[most / 64] = {};

    void add(uint32_t block) { words[block / 64] |= uint64_t{1} << block % 64; }
  };
  // The blocks of the last few stamps: most accesses find none of theirs in them that races.
  struct Recent {
    static constexpr uint32_t stamps = 4;
    uint32_t highest = 0;
    Blocks of[stamps];  // by the stamp's remainder

    void note(uint32_t stamp, const Blocks& blocks);
    // Whether one of the blocks may have a stamp of at least `limit`.
    bool may_have(uint32_t limit, const Blocks& blocks) const;
  };
  // The bytes of an access. An instruction in a loop often repeats its addresses, so the facts that
  // follow from them are kept.
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
  // Patterns are found by a hash of a few of their numbers: some have one place in common.
  struct Place {
    static constexpr uint32_t patterns = 4;
    uint32_t hashes[patterns] = {};  // 0: none
    uint32_t oldest = 0;
  };
  static constexpr int place_bits = 8;
  static constexpr int largest_shift = 4;  // no lane accesses more than 16 bytes
  // The last access to a granule: its stamp, and in `who` the bits for atomic, for shared by
  // several waves (one of them is named) and for outstanding, and the wave and the instruction.
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
  // Most reads share their blocks with no racing write, and after the next barrier they come before
  // all later accesses. So the table's entries for granules are deferred until somebody looks at
  // one.
  static constexpr std::size_t most_deferred = 256;
  struct Table {
    // Log2 of the bytes of a granule, which is the smallest access of the table so far. With larger
    // granules, accesses to neighbouring bytes would seem to race.
    int shift = largest_shift;
    std::vector<Last> last;
    std::vector<Access> deferred;  // reads that are not yet in `last`, in their order
    Recent recent;                 // with the deferred ones
    void resize(std::size_t bytes);
    // No granule is larger than an access of this alignment.
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
  // The first byte of a granule that a store changes. Two waves that write the same value do no
  // harm.
  std::optional<uint32_t> first_change(const Access& access, const StoredData& data, uint32_t lane,
                                       uint32_t granule) const;
  void check_writes(const Access& access);
  void check_reads(const Access& access, uint32_t wave);
  Pattern& pattern_of(const uint32_t* offsets, uint32_t lanes, uint32_t bytes);
  Access access_of(const Actor& actor, AccessKind kind, Pattern& pattern) const;
  template <class Each>  // void(lane, granule)
  static void for_granules(const Table& table, const Access& access, Each each);
  // Whether a stamp of the table at a granule of the access is at or above its limit.
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
