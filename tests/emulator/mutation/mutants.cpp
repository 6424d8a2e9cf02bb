#include "mutants.h"

#include <cstring>

#include "emulator/decode/program.h"
#include "emulator/formatted.h"

namespace heddle::emulator::testing {
namespace {

constexpr uint32_t s_nop = 0xbf800000;

// A counter in the 16-bit immediate of a wait: RDNA3 ISA, S_WAITCNT; RDNA4 ISA, S_WAIT_*.
struct Field {
  std::string_view mnemonic, counter;
  int first, bits;
};
constexpr Field fields[] = {
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
};

class Collector {
 public:
  explicit Collector(const CodeObject& object) : object_(object), program_(object.program()) {}

  void visit(uint32_t index) {
    const std::string_view mnemonic = program_.mnemonic(index);
    for (const Field& field : fields)
      if (field.mnemonic == mnemonic) weaken(index, field);
    if (is_wait(mnemonic)) add(Mutation::wait_deleted, index, "deleted", {{index, s_nop}});
    if (mnemonic == "s_barrier") add(Mutation::barrier_deleted, index, "deleted", {{index, s_nop}});
    if (mnemonic == "s_barrier_signal") delete_split_barrier(index);
    if (mnemonic.starts_with("ds_load") || mnemonic.starts_with("ds_store"))
      move_offset(index, mnemonic);
  }

  std::vector<Mutant> take() { return std::move(mutants_); }

 private:
  static bool is_wait(std::string_view mnemonic) {
    for (const Field& field : fields)
      if (field.mnemonic == mnemonic) return true;
    return false;
  }

  uint32_t word(uint32_t index) const {
    uint32_t word;
    std::memcpy(&word, object_.image().data() + program_.addresses()[index], 4);
    return word;
  }

  void add(Mutation mutation, uint32_t index, std::string how,
           std::vector<std::pair<uint32_t, uint32_t>> words) {
    Mutant mutant{
        mutation,
        formatted("{} at {:x}: {}", program_.text(index), program_.addresses()[index], how),
        {}};
    for (const auto& [at, word] : words) mutant.patches.push_back({program_.addresses()[at], word});
    mutants_.push_back(std::move(mutant));
  }

  void weaken(uint32_t index, const Field& field) {
    const uint32_t all = (1u << field.bits) - 1, old = word(index);
    const uint32_t count = old >> field.first & all;
    if (count == all) return;  // waits for nothing already
    add(Mutation::wait_weakened, index, formatted("{} {}", field.counter, count + 1),
        {{index, old + (1u << field.first)}});
  }

  // The signal and the wait that follows it; and the wait alone, after which the barrier still
  // counts the wave but does not hold it.
  void delete_split_barrier(uint32_t index) {
    uint32_t wait = index;
    while (wait + 1 < program_.instructions().size() && program_.mnemonic(wait) != "s_barrier_wait")
      ++wait;
    if (program_.mnemonic(wait) != "s_barrier_wait") return;
    add(Mutation::barrier_deleted, index, "deleted with its wait", {{index, s_nop}, {wait, s_nop}});
    add(Mutation::barrier_deleted, wait, "deleted", {{wait, s_nop}});
  }

  // DS encoding, first word: offset0 in bits 7..0 and offset1 in 15..8 of instructions with two
  // addresses, in units of an element; one offset in bits 15..0 of the others, in bytes.
  void move_offset(uint32_t index, std::string_view mnemonic) {
    const uint32_t old = word(index);
    const auto moved = [&](int first, int bits, uint32_t by) {
      const uint32_t all = ((1u << bits) - 1) << first;
      return (old & ~all) | ((old & all) + (by << first) & all);
    };
    if (mnemonic.contains("2addr")) {
      add(Mutation::lds_offset_moved, index, "offset0 + 1", {{index, moved(0, 8, 1)}});
      add(Mutation::lds_offset_moved, index, "offset1 + 1", {{index, moved(8, 8, 1)}});
      return;
    }
    const uint32_t bytes = mnemonic.contains("b128")  ? 16
                           : mnemonic.contains("b64") ? 8
                           : mnemonic.contains("16")  ? 2
                           : mnemonic.contains("8")   ? 1
                                                      : 4;
    add(Mutation::lds_offset_moved, index, formatted("offset + {}", bytes),
        {{index, moved(0, 16, bytes)}});
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
    default:
      return "LDS offset moved";
  }
}

std::vector<Mutant> mutants_of(const CodeObject& object, const std::vector<bool>& executed) {
  Collector collector(object);
  for (uint32_t i = 0; i < executed.size(); ++i)
    if (executed[i]) collector.visit(i);
  return collector.take();
}

std::vector<std::byte> patched(std::vector<std::byte> file, const Mutant& mutant) {
  for (const Mutant::Patch& patch : mutant.patches)
    std::memcpy(file.data() + file_offset(file, patch.address), &patch.word, 4);
  return file;
}

}  // namespace heddle::emulator::testing
