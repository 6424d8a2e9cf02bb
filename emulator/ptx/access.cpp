// Finds the host's bytes for an address in global, shared, local and parameter memory, and counts
// the cost of accesses to shared memory (bank conflicts).
#include <algorithm>
#include <array>
#include <bit>

#include "emulator/ptx/dispatch.h"
#include "heddle/memory/banks.h"
#include "library/text/formatted.h"

namespace heddle::emulator::ptx {

Block* shared_block(const Warp& w, uint64_t address, uint32_t& offset) {
  const auto low = static_cast<uint32_t>(address);
  offset = low & ((1u << rank_shift) - 1);
  const uint32_t tag = low >> rank_shift;
  if (tag == 0) return w.block;
  Cluster& cluster = *w.block->cluster;
  return tag - 1 < cluster.blocks.size() ? &cluster.blocks[tag - 1] : nullptr;
}

std::byte* shared_access(Warp& w, const Record& in, unsigned lane, uint64_t address,
                         uint32_t bytes) {
  uint32_t offset = 0;
  Block* block = shared_block(w, address, offset);
  if (block == nullptr) {
    raise(w, in, FaultKind::lds_out_of_bounds, static_cast<int>(lane),
          formatted("shared memory of block {} of a cluster of {}",
                    (static_cast<uint32_t>(address) >> rank_shift) - 1,
                    w.block->cluster->blocks.size()),
          address);
    return nullptr;
  }
  if (offset < shared_begin || offset + uint64_t{bytes} > block->shared.size()) {
    const std::size_t size = w.block->shared.size() - shared_begin;
    raise(w, in, FaultKind::lds_out_of_bounds, static_cast<int>(lane),
          formatted("{} bytes at address {:#x} of shared memory, which the block has from {:#x} to "
                    "{:#x} ({} bytes)",
                    bytes, static_cast<uint32_t>(address), shared_begin, w.block->shared.size(),
                    size),
          address);
    return nullptr;
  }
  return block->shared.data() + offset;
}

std::byte* access(Warp& w, const Record& in, unsigned lane, uint64_t address, uint32_t bytes,
                  Space space, bool writes) {
  if ((address & (bytes & (~bytes + 1)) - 1) != 0 ||
      (std::has_single_bit(bytes) && address % bytes)) {
    raise(w, in, FaultKind::misaligned, static_cast<int>(lane),
          formatted("{} bytes at address {:#x}, which is no multiple of {}", bytes, address, bytes),
          address);
    return nullptr;
  }
  if (space == Space::param) address += parameter_base;
  const uint64_t region = address >> region_shift;
  if (space == Space::shared || (space == Space::generic && region == shared_region))
    return shared_access(w, in, lane, address, bytes);
  if (space == Space::local || (space == Space::generic && region == private_region)) {
    const auto offset = static_cast<uint32_t>(address);
    if (offset < 16 || offset + uint64_t{bytes} > w.local_bytes) {
      raise(w, in, FaultKind::scratch_out_of_bounds, static_cast<int>(lane),
            formatted("{} bytes at address {:#x} of local memory, of which the thread has {} bytes",
                      bytes, offset, w.local_bytes),
            address);
      return nullptr;
    }
    return w.local + std::size_t{lane} * w.local_bytes + offset;
  }
  const AddressSpace& memory = w.block->cluster->dispatch->memory();
  if (const uint64_t number = memory.region_at(address); number < memory.region_count()) {
    const Region& place = memory.regions()[number];
    const uint64_t offset = address - place.base;
    if (offset < place.size && bytes <= place.size - offset) {
      if (writes && !place.writable) {
        raise(w, in, FaultKind::global_read_only, static_cast<int>(lane),
              memory.describe(address, bytes) + ": it is read-only", address);
        return nullptr;
      }
      return place.host + offset;
    }
  }
  raise(w, in, FaultKind::global_out_of_bounds, static_cast<int>(lane),
        memory.describe(address, bytes), address);
  return nullptr;
}

std::optional<PartialDword> partial_dword(const Warp& w, uint64_t address, Space space,
                                          bool writes) {
  const AddressSpace& memory = w.block->cluster->dispatch->memory();
  if (space != Space::global && space != Space::generic) return {};
  for (const uint64_t byte : {address, address + 3}) {
    const uint64_t index = memory.region_at(byte);
    if (index >= memory.region_count()) continue;
    const Region& region = memory.regions()[index];
    const PartOfDword part = part_of_dword(region, address);
    if (part.bytes == 0 || (writes && !region.writable)) continue;
    PartialDword found = {undefined_word, region.host + (address + part.first - region.base), part};
    found.read();
    return found;
  }
  return {};
}

bool exchanges_dwords(const Warp& w, const Record& in) {
  const Program& program = w.block->cluster->dispatch->program();
  return std::ranges::any_of(program.functions[in.function]->statements, [](const Statement& at) {
    return !at.opcode.empty() && at.opcode[0] == "atom" && at.has("cas") &&
           (at.has("b32") || at.has("u32") || at.has("s32"));
  });
}

void count_shared(Warp& w, const Record& in, uint32_t lanes, const uint64_t* addresses, int bytes,
                  bool is_load, int matrices) {
  Cluster& cluster = *w.block->cluster;
  if (!cluster.profiled || lanes == 0) return;
  const Program& program = cluster.dispatch->program();
  std::array<uint32_t, 32> low{};
  for (unsigned lane = 0; lane < 32; ++lane)
    low[lane] = static_cast<uint32_t>(addresses[lane]) & ((1u << rank_shift) - 1);
  memory::Access shared;
  shared.kind = matrices > 0
                    ? (is_load ? memory::AccessKind::matrix_load : memory::AccessKind::matrix_store)
                    : (is_load ? memory::AccessKind::load : memory::AccessKind::store);
  shared.bytes = bytes;
  shared.matrices = matrices;
  shared.active = lanes;
  shared.address = low;
  const memory::BankModel model = memory::bank_model(program.target);
  if (!memory::why_not(model, shared).empty()) return;
  const memory::Cost cost = memory::cost(model, shared);
  SharedStatistics& at = cluster.shared_statistics[program.number_of(in)];
  ++at.issued;
  at.ideal_passes += static_cast<uint64_t>(cost.phases);
  at.extra_passes += static_cast<uint64_t>(cost.extra_passes);
}

void count_global(Warp& w, const Record& in, uint32_t lanes, const uint64_t* addresses,
                  uint32_t bytes) {
  Cluster& cluster = *w.block->cluster;
  if (!cluster.profiled) return;
  uint32_t global = 0;
  for_lanes(lanes, [&](unsigned lane) {
    const uint64_t region = addresses[lane] >> region_shift;
    const bool is_other = region == shared_region || region == private_region;
    if (in.space == Space::global || (in.space == Space::generic && !is_other))
      global |= 1u << lane;
  });
  if (global != 0)
    cluster.global_statistics[cluster.dispatch->program().number_of(in)].note(addresses, bytes,
                                                                              global);
}

}  // namespace heddle::emulator::ptx
