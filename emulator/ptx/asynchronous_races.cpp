// Records the reads and writes of asynchronous operations for the race detector.
#include <algorithm>
#include <bit>

#include "emulator/ptx/races.h"
#include "emulator/ptx/warpgroup.h"
#include "library/text/formatted.h"

namespace heddle::emulator::ptx {

// Returns the actor that performs an operation: one actor for each queue in which operations
// complete in order. Operations whose bytes an mbarrier counts have one queue for each mbarrier.
// Other operations have one queue for each thread, or for each warp with `lane` 0.
uint32_t RaceWatch::actor_of(const Queued& queued) {
  const Warp& w = queued.warp;
  const uint64_t place =
      queued.block != nullptr
          ? uint64_t{queued.block->rank} << 32 | queued.offset
          : (w.block->rank * w.block->warps.size() + w.number) << 5 | queued.lane;
  const auto [known, is_new] =
      queues_.try_emplace(uint64_t{static_cast<uint8_t>(queued.engine)} << 56 | place, 0u);
  if (is_new) {
    known->second = static_cast<uint32_t>(races_.first_queue_ + races_.queues_.size());
    races_.queues_.push_back({number_of(w), queued.engine});
  }
  return known->second;
}

RaceWatch::Operation RaceWatch::issue(const Queued& queued, const Record& in, uint32_t lanes) {
  Operation operation{{}, &queued.warp, &in, lanes, released(queued.warp)};
  lanes_.next_instruction();
  operation.now.actor = actor_of(queued);
  operation.now.number = queued.number;
  operation.now.site =
      std::min(races_.dispatch_->program().number_of(in), Races::most_sites - 1) & 0xffffffu;
  return operation;
}

void RaceWatch::reads(const Operation& by, const Block& block, uint32_t offset, uint32_t bytes) {
  Run run;
  run.key = key_of(block, offset);
  run.address = offset;
  run.host = block.shared.data() + offset;
  run.bytes = bytes;
  run.lanes = by.lanes;
  run.is_shared = true;
  look(*by.warp, *by.record, run, by.now, by.known);
  if (&block != by.warp->block) use_of_peer(*by.warp, block, by.now, by.known, by.lanes);
  // If one thread issues the operation, the warp's other lanes must have finished their accesses.
  if (std::has_single_bit(by.lanes))
    compare_with_lanes({*by.warp, static_cast<unsigned>(std::countr_zero(by.lanes)), block, offset,
                        bytes, by.now.site, false, false, false});
}

void RaceWatch::writes(const Operation& by, const Block& block, uint32_t offset, uint32_t bytes,
                       const std::byte* data) {
  Run run;
  run.key = key_of(block, offset);
  run.address = offset;
  run.host = block.shared.data() + offset;
  run.data = data;
  run.bytes = bytes;
  run.lanes = by.lanes;
  run.is_shared = true;
  check::Past now = by.now;
  now.writes = true;
  look(*by.warp, *by.record, run, now, by.known);
  if (&block != by.warp->block) use_of_peer(*by.warp, block, by.now, by.known, by.lanes);
  defined_.write_shared(block, offset, bytes);
}

// The use of the mbarrier is not recorded as an access of the async proxy: no document says that a
// proxy fence is needed after mbarrier.init.
void RaceWatch::names_barrier(const Operation& by, const Block& block, uint32_t offset) {
  Run run;
  run.key = key_of(block, offset);
  run.address = offset;
  run.host = block.shared.data() + offset;
  run.bytes = 8;
  run.lanes = by.lanes;
  run.is_shared = true;
  check::Past now = by.now;
  now.writes = now.update = now.atomic = true;
  now.scope = static_cast<uint32_t>(Scope::cluster);
  look(*by.warp, *by.record, run, now, by.known);
  MemoryBarrierUse& use = barrier_uses_[run.key];
  use.is_used = true;
  compare_with_init(use, run, now, by.known);
  use.issued.join(by.known);
  use.issued.join(actor_of(*by.warp).waited);
  add_to_phase(use, now.site, number_of(*by.warp), use.issued);
}

bool RaceWatch::place_bytes(const Operation& by, uint64_t address, uint32_t bytes, Run& run) const {
  if (!place(*by.warp, Space::global, address, run)) return false;
  const AddressSpace& memory = races_.dispatch_->memory();
  const Region& buffer = memory.regions()[memory.region_at(address)];
  if (address < buffer.base || address - buffer.base >= buffer.size) return false;
  run.bytes =
      static_cast<uint32_t>(std::min<uint64_t>(bytes, buffer.size - (address - buffer.base)));
  return true;
}

void RaceWatch::reads(const Operation& by, uint64_t address, uint32_t bytes) {
  Run run;
  if (!place_bytes(by, address, bytes, run)) return;
  run.lanes = by.lanes;
  look(*by.warp, *by.record, run, by.now, by.known);
}

void RaceWatch::writes(const Operation& by, uint64_t address, uint32_t bytes, bool updates,
                       const std::byte* data) {
  Run run;
  if (!place_bytes(by, address, bytes, run)) return;
  run.data = data;
  run.lanes = by.lanes;
  check::Past now = by.now;
  now.writes = true;
  if (updates) {
    now.update = now.atomic = true;
    now.scope = static_cast<uint32_t>(Scope::device);
  }
  look(*by.warp, *by.record, run, now, by.known);
}

// Tells the race detector that an operation reads a matrix. Rows or columns of which no byte was
// written are not reported: the matrix may end before them.
void RaceWatch::reads(const Operation& by, const Block& block, const Matrix& matrix) {
  const auto& [descriptor, major, along, across, name, used, quarter] = matrix;
  constexpr uint32_t piece = 16;  // within it bytes are contiguous
  const bool k_major = major == instruction::Major::k;
  const uint32_t pieces = (along[1] + piece - 1) / piece;
  struct Line {  // a row or column, or several in one piece
    uint32_t undefined = 0, address = 0;
  };
  thread_local std::vector<Line> lines;
  lines.assign(k_major ? across[1] : pieces, {});
  uint32_t begin = 0, end = 0;
  const auto finish = [&] {
    if (begin != end) reads(by, block, begin, end - begin);
  };
  for (uint32_t row = 0; row < across[1]; ++row)
    for (uint32_t i = 0; i < pieces; ++i) {
      if (quarter && ((k_major ? row / 8 : i) + *quarter) % 4 != 0) continue;
      const uint32_t bytes = std::min(used, along[1] - i * piece);
      const uint32_t address =
          operand_address(descriptor, major, along[0] + i * piece, across[0] + row);
      if (address != end) {
        finish();
        begin = end = address;
      }
      end += bytes;
      const uint32_t undefined = defined_.first_undefined(block, address, bytes);
      if (undefined == 0) continue;
      Line& line = lines[k_major ? row : i];
      ++line.undefined;
      line.address = undefined;
    }
  finish();
  const uint32_t whole = k_major ? pieces : across[1];
  for (const Line& line : lines) {
    if (line.undefined == 0 || line.undefined == whole) continue;
    return races_.note(
        FindingKind::undefined_matrix_operand, by.now.site, number_of(*by.warp), by.lanes,
        [&] {
          return formatted(
              "the descriptor of {}, which begins at {:#x}, names address {:#x} of shared memory, "
              "whose value nobody wrote, next to others that somebody did",
              name, descriptor.start_address, line.address);
        },
        "Write or copy all of the operand first, or correct the descriptor: its address, offsets "
        "and swizzle.");
  }
}

void RaceWatch::complete(const Queued& before, bool reads_only) {
  const uint32_t number = before.number;
  actor_of(before.warp).known.raise(actor_of(before), {number, reads_only ? 0 : number});
}

void RaceWatch::deliver(const Block& block, uint32_t offset, const Queued& before) {
  memory_barriers_[key_of(block, offset)].arriving.raise(actor_of(before),
                                                         {before.number, before.number});
}

void RaceWatch::fence_proxies(const Warp& w, bool of_shared, bool of_global) {
  const check::Clock all = released(w);
  check::Clock& known = actor_of(w).known;
  if (of_shared) known.join(all.shifted(0, Races::most_actors, Races::fenced_shared));
  if (of_global) known.join(all.shifted(0, Races::most_actors, Races::fenced_global));
}

}  // namespace heddle::emulator::ptx
