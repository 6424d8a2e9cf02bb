#include "mutants.h"

#include <algorithm>
#include <cstring>

#include "emulator/decode/program.h"
#include "library/text/formatted.h"

namespace heddle::emulator::testing {
namespace {

constexpr uint32_t s_nop = 0xbf800000;

// A counter in the 16-bit immediate of a wait: AMD Instinct MI300 ISA and RDNA3 ISA, S_WAITCNT;
// RDNA4 ISA, S_WAIT_*.
struct Field {
  std::string_view mnemonic, counter;
  int first, bits;
  Families families = isa::gfx11 | isa::gfx12;
};
constexpr Field fields[] = {
    // The two upper bits of vmcnt, which are bits 15 and 14, stay.
    {"s_waitcnt", "vmcnt", 0, 4, isa::gfx9},
    {"s_waitcnt", "lgkmcnt", 8, 4, isa::gfx9},
    {"s_waitcnt", "vmcnt", 10, 6},
    {"s_waitcnt", "lgkmcnt", 4, 6},
    {"s_waitcnt_vscnt", "vscnt", 0, 6},
    {"s_wait_loadcnt", "loadcnt", 0, 6},
    {"s_wait_storecnt", "storecnt", 0, 6},
    {"s_wait_dscnt", "dscnt", 0, 6},
    {"s_wait_kmcnt", "kmcnt", 0, 5},
    {"s_wait_loadcnt_dscnt", "dscnt", 0, 6},
    {"s_wait_loadcnt_dscnt", "loadcnt", 8, 6},
    {"s_wait_storecnt_dscnt", "dscnt", 0, 6},
    {"s_wait_storecnt_dscnt", "storecnt", 8, 6},
    {"s_wait_asynccnt", "asynccnt", 0, 6},
    {"s_wait_tensorcnt", "tensorcnt", 0, 2},
};

// Instructions that invalidate a cache or write it back.
constexpr std::string_view cache_controls[] = {"buffer_gl0_inv", "buffer_gl1_inv", "s_dcache_inv",
                                               "buffer_inv",     "buffer_wbl2",    "global_inv",
                                               "global_wb",      "global_wbinv"};

// Bits of one word of an encoding.
struct Bits {
  int word, first, count;

  uint32_t mask() const { return ((1u << count) - 1) << first; }
};

// The encodings of memory instructions: AMD Instinct MI300 ISA, "FLAT", "DS"; RDNA3 ISA, "FLAT",
// "MUBUF", "DS"; RDNA4 ISA, "VGLOBAL", "VFLAT", "VBUFFER", "DS".
struct Encoding {
  Families families;
  std::string_view prefix;
  Bits opcode;
  Bits scope;  // gfx11: dlc, glc and slc; no bits: none
  Bits plain;  // to be cleared where an atomic becomes a load or store
  uint32_t load_b32, load_b64, store_b32, store_b64;
};
constexpr Encoding encodings[] = {
    {isa::gfx9, "global_", {0, 18, 7}, {}, {0, 16, 1}, 0x14, 0x15, 0x1c, 0x1d},
    {isa::gfx9, "flat_", {0, 18, 7}, {}, {0, 16, 1}, 0x14, 0x15, 0x1c, 0x1d},
    {isa::gfx9, "ds_", {0, 17, 8}, {}, {}, 0x36, 0x76, 0x0d, 0x4d},
    {isa::gfx11, "global_", {0, 18, 7}, {0, 13, 3}, {0, 13, 3}, 0x14, 0x15, 0x1a, 0x1b},
    {isa::gfx11, "flat_", {0, 18, 7}, {0, 13, 3}, {0, 13, 3}, 0x14, 0x15, 0x1a, 0x1b},
    {isa::gfx11, "buffer_", {0, 18, 8}, {0, 12, 3}, {0, 12, 3}, 0x14, 0x15, 0x1a, 0x1b},
    {isa::gfx12, "global_", {0, 14, 8}, {1, 18, 2}, {1, 18, 5}, 0x14, 0x15, 0x1a, 0x1b},
    {isa::gfx12, "flat_", {0, 14, 8}, {1, 18, 2}, {1, 18, 5}, 0x14, 0x15, 0x1a, 0x1b},
    {isa::gfx12, "buffer_", {0, 14, 8}, {1, 18, 2}, {1, 18, 5}, 0x14, 0x15, 0x1a, 0x1b},
    {isa::gfx11, "ds_", {0, 18, 8}, {}, {}, 0x36, 0x76, 0x0d, 0x4d},
    {isa::gfx12, "ds_", {0, 18, 8}, {}, {}, 0x36, 0x76, 0x0d, 0x4d},
};

constexpr Bits lds_data = {1, 8, 16}, lds_second_data = {1, 16, 8};

// What is in LDS's encoding and no atomic.
constexpr std::string_view lds_others[] = {"ds_read",    "ds_write",    "ds_load",
                                           "ds_store_",  "ds_bpermute", "ds_bvh",
                                           "ds_permute", "ds_swizzle",  "ds_nop"};

class Collector {
 public:
  explicit Collector(const CodeObject& object) : object_(object), program_(object.program()) {}

  void visit(uint32_t index) {
    const std::string_view mnemonic = program_.mnemonic(index);
    bool is_wait = false;
    for (const Field& field : fields) {
      if (field.mnemonic != mnemonic || !field.families.contains(object_.target().family)) continue;
      weaken(index, field);
      is_wait = true;
    }
    if (is_wait) remove(Mutation::wait_deleted, index);
    if (mnemonic == "s_barrier") remove(Mutation::barrier_deleted, index);
    if (mnemonic == "s_barrier_signal") delete_split_barrier(index);
    if (is_cache_control(mnemonic)) weaken_cache_control(index);
    for (const Encoding& encoding : encodings)
      if (mnemonic.starts_with(encoding.prefix) &&
          encoding.families.contains(object_.target().family))
        weaken_atomic(index, mnemonic, encoding);
    if (mnemonic.starts_with("ds_load") || mnemonic.starts_with("ds_store") ||
        mnemonic.starts_with("ds_read") || mnemonic.starts_with("ds_write"))
      move_offset(index, mnemonic);
  }

  std::vector<Mutant> take() { return std::move(mutants_); }

 private:
  using Words = std::vector<uint32_t>;

  Words words(uint32_t index) const {
    const uint64_t first = program_.addresses()[index];
    Words words((program_.addresses()[index + 1] - first) / 4);
    std::memcpy(words.data(), object_.image().data() + first, 4 * words.size());
    return words;
  }

  Mutant& add(Mutation mutation, uint32_t index, std::string_view how, std::string_view becomes,
              const Words& words) {
    Mutant& mutant = mutants_.emplace_back(
        mutation, index,
        formatted("{} at {:#x}: {}", program_.text(index), program_.addresses()[index], how),
        std::string(becomes));
    patch(mutant, index, words);
    return mutant;
  }

  void patch(Mutant& mutant, uint32_t index, const Words& words) const {
    uint64_t address = program_.addresses()[index];
    for (const uint32_t word : words) {
      mutant.patches.push_back({address, word});
      address += 4;
    }
  }

  Mutant& remove(Mutation mutation, uint32_t index, std::string_view how = "deleted") {
    return add(mutation, index, how, "s_nop", Words(words(index).size(), s_nop));
  }

  void weaken(uint32_t index, const Field& field) {
    const uint32_t all = (1u << field.bits) - 1;
    Words changed = words(index);
    const uint32_t count = changed[0] >> field.first & all;
    if (count == all) return;  // waits for nothing already
    changed[0] += 1u << field.first;
    add(Mutation::wait_weakened, index, formatted("{} {}", field.counter, count + 1),
        field.mnemonic, changed);
  }

  // The signal and the wait that follows it; and the wait alone, after which the barrier still
  // counts the wave but does not hold it.
  void delete_split_barrier(uint32_t index) {
    uint32_t wait = index;
    while (wait + 1 < program_.instructions().size() && program_.mnemonic(wait) != "s_barrier_wait")
      ++wait;
    if (program_.mnemonic(wait) != "s_barrier_wait") return;
    Mutant& both = remove(Mutation::barrier_deleted, index, "deleted with its wait");
    patch(both, wait, {s_nop});
    remove(Mutation::barrier_deleted, wait);
  }

  static uint32_t get(const Words& words, const Bits& bits) {
    return (words[static_cast<std::size_t>(bits.word)] & bits.mask()) >> bits.first;
  }
  static void set(Words& words, const Bits& bits, uint32_t value) {
    uint32_t& word = words[static_cast<std::size_t>(bits.word)];
    word = (word & ~bits.mask()) | value << bits.first;
  }

  void weaken_cache_control(uint32_t index) {
    remove(Mutation::cache_control_weakened, index);
    const std::string_view mnemonic = program_.mnemonic(index);
    if (!mnemonic.starts_with("global_")) return;
    constexpr Bits scope = {1, 18, 2};
    Words changed = words(index);
    const uint32_t old = get(changed, scope);
    if (old == 0) return;
    set(changed, scope, old - 1);
    add(Mutation::cache_control_weakened, index, formatted("scope {}", old - 1), mnemonic, changed);
  }

  static bool is_cache_control(std::string_view mnemonic) {
    return std::ranges::find(cache_controls, mnemonic) != std::end(cache_controls);
  }

  static bool is_atomic(std::string_view mnemonic, const Encoding& encoding) {
    if (encoding.prefix != "ds_") return mnemonic.contains("_atomic_");
    return std::ranges::none_of(
        lds_others, [&](std::string_view other) { return mnemonic.starts_with(other); });
  }

  void weaken_atomic(uint32_t index, std::string_view mnemonic, const Encoding& encoding) {
    const std::string& text = program_.text(index);
    const bool is_scoped = text.contains(encoding.families == isa::gfx12 ? "scope:" : " glc");
    if (is_atomic(mnemonic, encoding)) {
      const bool cdna = encoding.families == isa::gfx9;
      const bool returns = text.contains(cdna ? " sc0" : "TH_ATOMIC_RETURN") ||
                           text.contains(" glc") || mnemonic.contains("_rtn");
      const bool is_wide = mnemonic.contains("64") || mnemonic.contains("_x2");
      Words changed = words(index);
      if (encoding.plain.count) set(changed, encoding.plain, 0);
      set(changed, encoding.opcode,
          returns ? (is_wide ? encoding.load_b64 : encoding.load_b32)
                  : (is_wide ? encoding.store_b64 : encoding.store_b32));
      const bool lds = encoding.prefix == "ds_";
      // A load has no data, and a store only the first of two.
      if (lds) set(changed, returns ? lds_data : lds_second_data, 0);
      const std::string becomes =
          cdna && !lds ? formatted("{}{}_dword{} ", encoding.prefix, returns ? "load" : "store",
                                   is_wide ? "x2" : "")
          : cdna       ? formatted("ds_{}_b{} ", returns ? "read" : "write", is_wide ? 64 : 32)
                       : formatted("{}{}_b{} ", encoding.prefix, returns ? "load" : "store",
                                   is_wide ? 64 : 32);
      add(Mutation::atomic_weakened, index, becomes, becomes, changed);
      if (encoding.families == isa::gfx11) return;  // glc is the return, not a scope
    }
    if (encoding.scope.count == 0 || !is_scoped || is_cache_control(mnemonic)) return;
    Words changed = words(index);
    set(changed, encoding.scope, 0);
    add(Mutation::atomic_weakened, index, "no scope", mnemonic, changed);
  }

  // DS encoding, first word: offset0 in bits 7..0 and offset1 in 15..8 of instructions with two
  // addresses, in units of an element; one offset in bits 15..0 of the others, in bytes.
  void move_offset(uint32_t index, std::string_view mnemonic) {
    const auto move = [&](const Bits& offset, uint32_t by, const std::string& how) {
      Words changed = words(index);
      set(changed, offset, (get(changed, offset) + by) & (offset.mask() >> offset.first));
      add(Mutation::lds_offset_moved, index, how, mnemonic, changed);
    };
    if (mnemonic.contains("2addr") || mnemonic.contains("read2") || mnemonic.contains("write2")) {
      move({0, 0, 8}, 1, "offset0 + 1");
      move({0, 8, 8}, 1, "offset1 + 1");
      return;
    }
    const uint32_t bytes = mnemonic.contains("b128")  ? 16
                           : mnemonic.contains("b64") ? 8
                           : mnemonic.contains("16")  ? 2
                           : mnemonic.contains("8")   ? 1
                                                      : 4;
    move({0, 0, 16}, bytes, formatted("offset + {}", bytes));
  }

  const CodeObject& object_;
  const Program& program_;
  std::vector<Mutant> mutants_;
};

template <class T>
T read(const std::vector<std::byte>& file, uint64_t at) {
  T value;
  std::memcpy(&value, file.data() + at, sizeof value);
  return value;
}

// Where an address of the image lies in the file: System V ABI, "Program Header", 64 bits.
uint64_t file_offset(const std::vector<std::byte>& file, uint64_t address) {
  const auto table = read<uint64_t>(file, 32);
  const auto count = read<uint16_t>(file, 56);
  for (unsigned i = 0; i < count; ++i) {
    const uint64_t header = table + 56 * i;
    const auto offset = read<uint64_t>(file, header + 8), first = read<uint64_t>(file, header + 16),
               size = read<uint64_t>(file, header + 32);
    constexpr uint32_t load = 1;
    if (read<uint32_t>(file, header) == load && address >= first && address - first < size)
      return offset + (address - first);
  }
  return 0;
}

}  // namespace

std::string_view mutation_name(Mutation mutation) {
  switch (mutation) {
    case Mutation::wait_deleted:
      return "wait deleted";
    case Mutation::wait_weakened:
      return "wait weakened";
    case Mutation::barrier_deleted:
      return "barrier deleted";
    case Mutation::cache_control_weakened:
      return "cache control weakened";
    case Mutation::atomic_weakened:
      return "atomic weakened";
    default:
      return "LDS offset moved";
  }
}

std::vector<Mutant> mutants_of(const CodeObject& object, const std::vector<bool>& chosen) {
  Collector collector(object);
  for (uint32_t i = 0; i < chosen.size(); ++i)
    if (chosen[i]) collector.visit(i);
  return collector.take();
}

std::vector<std::byte> patched(std::vector<std::byte> file,
                               std::span<const Mutant::Patch> patches) {
  for (const Mutant::Patch& patch : patches)
    std::memcpy(file.data() + file_offset(file, patch.address), &patch.word, 4);
  return file;
}

std::vector<bool> reachable(const CodeObject& object, const std::vector<bool>& executed) {
  const Program& program = object.program();
  std::vector<bool> reached = executed;
  std::vector<uint32_t> open;
  for (uint32_t i = 0; i < executed.size(); ++i)
    if (executed[i]) open.push_back(i);
  const auto reach = [&](uint64_t index) {
    if (index >= reached.size() || reached[index]) return;
    reached[index] = true;
    open.push_back(static_cast<uint32_t>(index));
  };
  while (!open.empty()) {
    const uint32_t index = open.back();
    open.pop_back();
    const std::string_view mnemonic = program.mnemonic(index);
    if (mnemonic.starts_with("s_branch") || mnemonic.starts_with("s_cbranch"))
      if (const Instruction* target = program.instructions()[index].target)
        reach(static_cast<uint64_t>(target - program.instructions().data()));
    if (mnemonic != "s_branch" && mnemonic != "s_endpgm" && mnemonic != "s_setpc_b64")
      reach(uint64_t{index} + 1);
  }
  return reached;
}

}  // namespace heddle::emulator::testing
