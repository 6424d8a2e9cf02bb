// tcgen05: allocation of tensor memory, moves between tensor memory and registers, commits and
// waits.
#include "emulator/ptx/tensor_memory.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <span>

#include "emulator/ptx/asynchronous.h"
#include "emulator/ptx/dispatch.h"
#include "emulator/ptx/matrix_table.h"
#include "emulator/ptx/memory_barrier.h"
#include "emulator/ptx/races.h"
#include "emulator/ptx/tensor_instructions.h"
#include "emulator/ptx/tensor_reduction.h"
#include "library/text/formatted.h"

namespace heddle::emulator::ptx {

void TensorMemory::reset() {
  words.assign(std::size_t{lanes} * columns, undefined);
  for (std::vector<uint32_t>& counts : marks)
    counts.assign(std::size_t{lanes / group_lanes} * columns, 0);
  allocated = {};
  freed = {};
  gave_up_permit = false;
}

bool TensorMemory::is_allocated(uint32_t column, uint32_t count) const {
  if (column >= columns || count > columns - column) return false;
  for (uint32_t at = column / unit; at * unit < column + count; ++at)
    if (allocated[at] == 0) return false;
  return true;
}

uint32_t TensorMemory::allocate(uint32_t count) {
  const uint32_t units = count / unit;
  for (uint32_t first = 0; first + units <= allocated.size(); ++first) {
    const auto begin = allocated.begin() + first;
    if (!std::all_of(begin, begin + units, [](uint16_t owner) { return owner == 0; })) continue;
    std::fill_n(begin, units, static_cast<uint16_t>(1 + first * unit));
    for (uint32_t lane = 0; lane < lanes; ++lane)
      std::fill_n(&at(lane, first * unit), count, undefined);
    return first * unit;
  }
  return columns;
}

bool TensorMemory::release(uint32_t column, uint32_t count, const Record& by) {
  uint32_t held = 0;
  for (const uint16_t owner : allocated) held += owner == column + 1 ? unit : 0;
  if (held == 0 || held != count) return false;
  for (std::size_t i = 0; i < allocated.size(); ++i)
    if (allocated[i] == column + 1) {
      allocated[i] = 0;
      freed[i] = &by;
    }
  return true;
}

void TensorMemory::mark(Mark kind, const TensorRegion& region, bool begins) {
  std::vector<uint32_t>& counts = marks[static_cast<std::size_t>(kind)];
  for (uint32_t group = 0; group < lanes / group_lanes; ++group)
    for (uint32_t i = 0; (region.groups >> group & 1) != 0 && i < region.columns; ++i) {
      uint32_t& count = counts[group * columns + region.column + i];
      count += begins ? 1 : ~uint32_t{0};
    }
}

bool TensorMemory::is_marked(Mark kind, const TensorRegion& region) const {
  const std::vector<uint32_t>& counts = marks[static_cast<std::size_t>(kind)];
  for (uint32_t group = 0; group < lanes / group_lanes; ++group) {
    if ((region.groups >> group & 1) == 0) continue;
    const auto first = counts.begin() + group * columns + region.column;
    if (std::any_of(first, first + region.columns, [](uint32_t count) { return count != 0; }))
      return true;
  }
  return false;
}

bool tensor_access(Warp& w, const Record& in, unsigned lane, const Block& block, uint32_t column,
                   uint32_t count) {
  const TensorMemory& tensor = block.tensor;
  if (tensor.is_allocated(column, count)) return true;
  std::string why = "has not allocated";
  for (uint32_t at = column; at < std::min(column + count, TensorMemory::columns); ++at) {
    const Record* const by = tensor.freed[at / TensorMemory::unit];
    if (tensor.is_allocated(at, 1) || by == nullptr) continue;
    const Program& program = block.cluster->dispatch->program();
    const Place place = program.place_of(*by);
    why = formatted("has freed: {} at PTX:{}:{}", program.text_of(*by), place.line, place.column);
    break;
  }
  raise(w, in, FaultKind::tensor_memory_misused, static_cast<int>(lane),
        formatted("{} columns of tensor memory from column {} on, which block {} of the cluster {}",
                  count, column, block.rank, why),
        column);
  return false;
}

Block* tensor_peer(Warp& w, const Record& in, unsigned lane) {
  auto& blocks = w.block->cluster->blocks;
  const uint32_t peer = w.block->rank ^ 1;
  if (peer < blocks.size()) return &blocks[peer];
  raise(w, in, FaultKind::unsupported, static_cast<int>(lane),
        formatted("cta_group::2 is of two blocks of a cluster, and this one is block {} of {}",
                  w.block->rank, blocks.size()));
  return nullptr;
}

void begin_tensor_operation(Warp& w, const Record& in, PendingTensorOperation operation,
                            std::span<const TensorAccess> reads, uint32_t group) {
  if (!spend(w, in, Resource::pending_copies, 1)) return;
  std::vector<TensorAccess> accesses(reads.begin(), reads.end());
  for (std::size_t i = 0; i < 2; ++i) {
    if (operation.written[i].columns == 0) continue;
    Block& block = w.block->cluster->blocks[w.block->rank ^ i];
    block.tensor.mark(TensorMemory::Mark::product, operation.written[i], true);
    accesses.push_back({&block, operation.written[i], true});
  }
  if (RaceWatch* watch = w.block->cluster->watch) {
    watch->tensor().check_group(w, in, group);
    watch->tensor().issue(w, in, w.tensor_issues, accesses);
  }
  operation.number = w.tensor_issues++;
  operation.record = &in;
  w.tensor_operations.push_back(operation);
}

void check_tensor_memory_is_freed(Warp& w, const Record& in) {
  const auto is_held = [](uint16_t owner) { return owner != 0; };
  if (std::ranges::any_of(w.block->tensor.allocated, is_held))
    raise(w, in, FaultKind::tensor_memory_misused, -1,
          "the block ends with tensor memory that it has allocated: tcgen05.dealloc is missing");
}

namespace {

// Completes the operations that the lane issued before `number`.
void complete_operations(Warp& w, uint32_t lane, uint64_t number) {
  Cluster& cluster = *w.block->cluster;
  const auto is_done = [&](const PendingTensorOperation& operation) {
    return operation.lane == lane && operation.number < number;
  };
  for (const PendingTensorOperation& operation : w.tensor_operations) {
    if (!is_done(operation) || cluster.fault) continue;
    const uint64_t checksum = read_again(w, operation);
    if (!cluster.fault && checksum != operation.checksum)
      raise(w, *operation.record, FaultKind::unsupported, static_cast<int>(lane),
            "shared memory that this instruction reads was written before a tcgen05.commit of it "
            "was waited for");
    for (std::size_t i = 0; i < 2; ++i)
      if (operation.written[i].columns > 0)
        cluster.blocks[w.block->rank ^ i].tensor.mark(TensorMemory::Mark::product,
                                                      operation.written[i], false);
  }
  release(w, Resource::pending_copies, std::erase_if(w.tensor_operations, is_done));
}

constexpr uint8_t all_groups = 0xff;

// A commit completes the operations of its warp with numbers below the result: those before the
// commit and before the first operation of another lane.
uint64_t completed(const PendingCommit& commit) {
  uint64_t number = commit.number;
  for (const PendingTensorOperation& operation : commit.warp->tensor_operations)
    if (operation.lane != commit.lane) number = std::min(number, operation.number);
  return number;
}

// --- allocation ----------------------------------------------------------------------------------

bool well_sized(Warp& w, const Record& in, unsigned lane, uint32_t count) {
  if (count >= TensorMemory::unit && count <= TensorMemory::columns && std::has_single_bit(count))
    return true;
  raise(w, in, FaultKind::tensor_memory_misused, static_cast<int>(lane),
        formatted("{} columns of tensor memory: a power of two from 32 to 512 is wanted", count));
  return false;
}

// tcgen05.alloc. Operands: where in shared memory the address is stored, and the number of columns.
// Waits until so many contiguous columns are free.
void allocate_columns(Warp& w, const Record& in, uint32_t lanes) {
  if (!converged(w, in, lanes)) return;
  TensorMemory& tensor = w.block->tensor;
  const auto count = get<uint32_t>(w.at(in.operand[1]), 0);
  if (!well_sized(w, in, 0, count)) return;
  if (tensor.gave_up_permit)
    return raise(w, in, FaultKind::tensor_memory_misused, 0,
                 "tcgen05.alloc of a block that has executed tcgen05.relinquish_alloc_permit");
  if (in.detail == 2 && tensor_peer(w, in, 0) == nullptr) return;
  const uint64_t to = w.at(in.operand[0])[0] + static_cast<uint64_t>(in.immediate);
  std::byte* place = access(w, in, 0, to, 4, in.space, true);
  if (place == nullptr) return;
  if (!is_shared(in.space, to))
    return raise(w, in, FaultKind::lds_out_of_bounds, 0,
                 "tcgen05.alloc writes its address to shared memory, and this is none", to);
  const uint32_t column = tensor.allocate(count);
  if (column == TensorMemory::columns) {
    w.block->cluster->waiting_for =
        formatted("tcgen05.alloc waits for {} free columns of tensor memory in a row", count);
    --w.groups[w.current].next;  // it is executed again
    w.event = Event::yield;
    return;
  }
  std::memcpy(place, &column, 4);
  w.block->cluster->counts.shared_written += 4;
  ++w.block->cluster->changes;
  RaceWatch* watch = w.block->cluster->watch;
  if (watch == nullptr) return;
  watch->tensor().check_group(w, in, in.detail);
  watch->tensor().allocate(
      w, in, {static_cast<uint16_t>(column), static_cast<uint16_t>(count), all_groups});
  uint32_t offset = 0;
  const Block* block = shared_block(w, to, offset);
  const auto number = static_cast<uint32_t>(w.instructions);
  watch->writes(watch->issue({Engine::message, w, 0, number}, in, 1), *block, offset, 4);
  watch->complete({Engine::message, w, 0, number + 1});
}

// Operands: address, columns.
void deallocate(Warp& w, const Record& in, uint32_t lanes) {
  if (!converged(w, in, lanes)) return;
  TensorMemory& tensor = w.block->tensor;
  const auto address = get<uint32_t>(w.at(in.operand[0]), 0);
  const auto count = get<uint32_t>(w.at(in.operand[1]), 0);
  if (!well_sized(w, in, 0, count)) return;
  if (tensor_lane(address) != 0 || !tensor.release(tensor_column(address), count, in))
    return raise(
        w, in, FaultKind::tensor_memory_misused, 0,
        formatted("tcgen05.dealloc of {} columns at address {:#x}, which tcgen05.alloc did "
                  "not give to this block, or not so many",
                  count, address));
  const TensorRegion region{static_cast<uint16_t>(tensor_column(address)),
                            static_cast<uint16_t>(count), all_groups};
  if (RaceWatch* watch = w.block->cluster->watch) {
    watch->tensor().check_group(w, in, in.detail);
    watch->tensor().free(w, in, region);
  }
  for (const auto kind : {TensorMemory::Mark::product, TensorMemory::Mark::store})
    if (tensor.is_marked(kind, region))
      return raise(w, in, FaultKind::tensor_memory_misused, 0,
                   kind == TensorMemory::Mark::product
                       ? "tensor memory is freed that a tcgen05.mma, .cp or .shift still writes: "
                         "nobody has waited for a tcgen05.commit of it"
                       : "tensor memory is freed that a tcgen05.st still writes: "
                         "tcgen05.wait::st is missing");
  ++w.block->cluster->changes;
}

void give_up_permit(Warp& w, const Record& in, uint32_t lanes) {
  if (!converged(w, in, lanes)) return;
  w.block->tensor.gave_up_permit = true;
  if (RaceWatch* watch = w.block->cluster->watch) watch->tensor().check_group(w, in, in.detail);
}

// --- registers -----------------------------------------------------------------------------------

struct TensorMove {
  std::shared_ptr<const MatrixTable> table;
  AddressWord address;
  uint32_t second_column = 0;  // of 16x32bx2: where the second half begins
  std::optional<TensorReduction> reduction;
};

// The address in tensor memory that the instruction gives. It must be valid and the same in all
// lanes; 0xffffffff after a fault.
uint32_t checked_address(Warp& w, const Record& in, const TensorMove& move) {
  const uint32_t address = address_of(w, in, move.address, 0);
  for (unsigned l = 1; l < 32; ++l)
    if (address_of(w, in, move.address, l) != address) {
      raise(w, in, FaultKind::tensor_memory_misused, static_cast<int>(l),
            "the lanes of a warp name different addresses of tensor memory");
      return ~0u;
    }
  const auto& row = move.table->row;
  const uint32_t lane = tensor_lane(address), quarter = w.number % 4 * 32;
  if (lane < quarter || lane + static_cast<uint32_t>(row.m) > quarter + 32 ||
      lane % TensorMemory::group_lanes != 0) {
    raise(w, in, FaultKind::tensor_memory_misused, -1,
          formatted("{} lanes of tensor memory from lane {} on: warp {} reaches lanes {} to {}",
                    row.m, lane, w.number, quarter, quarter + 31),
          address);
    return ~0u;
  }
  const auto count = static_cast<uint32_t>(row.n);
  for (uint32_t block = 0; block < static_cast<uint32_t>(row.blocks); ++block)
    if (!tensor_access(w, in, 0, *w.block, tensor_column(address) + block * move.second_column,
                       count))
      return ~0u;
  return address;
}

// Operands: registers, then the address.
template <bool loads>
void move_registers(Warp& w, const Record& in, uint32_t lanes) {
  if (!converged(w, in, lanes)) return;
  const auto& move = *static_cast<const TensorMove*>(in.extra);
  const MatrixTable& table = *move.table;
  const uint32_t address = checked_address(w, in, move);
  if (address == ~0u) return;
  TensorMemory& tensor = w.block->tensor;
  const auto columns = static_cast<uint32_t>(table.row.n),
             rows = static_cast<uint32_t>(table.row.m);
  const int bits = table.row.d.bits;
  const uint64_t mask = ~uint64_t{0} >> (64 - bits);
  bool changes = false;
  for (std::size_t i = 0; i < table.d.size(); ++i) {
    const auto row = static_cast<uint32_t>(i) / columns;
    const uint32_t lane = tensor_lane(address) + row % rows;
    const uint32_t column = tensor_column(address) + static_cast<uint32_t>(i) % columns +
                            row / rows * move.second_column;
    uint64_t& word = w.at(in.operand[table.d[i].reg])[table.d[i].lane];
    uint32_t& cell = tensor.at(lane, column);
    if constexpr (loads) {
      const bool under_way = tensor.is_marked(TensorMemory::Mark::product, lane, column) ||
                             tensor.is_marked(TensorMemory::Mark::store, lane, column);
      const uint64_t value = under_way ? TensorMemory::undefined : cell;
      word = (word & ~(mask << table.d[i].bit)) | (value & mask) << table.d[i].bit;
    } else {
      const auto value = static_cast<uint32_t>(word >> table.d[i].bit & mask);
      changes = changes || cell != value;
      cell = value;
    }
  }
  w.block->cluster->extra_work += table.d.size() / 256;
  uint8_t groups = 0;
  for (uint32_t lane = 0; lane < rows; lane += TensorMemory::group_lanes)
    groups |= static_cast<uint8_t>(1u << (tensor_lane(address) + lane) / TensorMemory::group_lanes);
  std::array<TensorAccess, 2> accesses;
  const auto blocks = static_cast<uint32_t>(table.row.blocks);
  for (uint32_t block = 0; block < blocks; ++block)
    accesses[block] = {w.block,
                       {static_cast<uint16_t>(tensor_column(address) + block * move.second_column),
                        static_cast<uint16_t>(columns), groups},
                       !loads,
                       changes};
  if (RaceWatch* watch = w.block->cluster->watch)
    watch->tensor().move(w, in, loads, {accesses.data(), blocks});
  if constexpr (loads) {
    for (int i = 0; i < table.d_registers; ++i) w.busy[in.operand[i]] = Warp::loaded;
    if (move.reduction) reduce_lanes(w, in, *move.reduction);
    return;
  }
  for (uint32_t block = 0; block < blocks; ++block) {
    if (!spend(w, in, Resource::pending_copies, 1)) return;
    tensor.mark(TensorMemory::Mark::store, accesses[block].region, true);
    w.tensor_stores.push_back(accesses[block].region);
  }
}

void wait_for_tensor_loads(Warp& w, const Record& in, uint32_t lanes) {
  if (!converged(w, in, lanes)) return;
  std::erase_if(w.busy, [](const auto& entry) { return entry.second == Warp::loaded; });
  if (RaceWatch* watch = w.block->cluster->watch) watch->tensor().wait(w, true);
}

void wait_for_tensor_stores(Warp& w, const Record& in, uint32_t lanes) {
  if (!converged(w, in, lanes)) return;
  for (const TensorRegion& region : w.tensor_stores)
    w.block->tensor.mark(TensorMemory::Mark::store, region, false);
  release(w, Resource::pending_copies, w.tensor_stores.size());
  w.tensor_stores.clear();
  ++w.block->cluster->changes;
  if (RaceWatch* watch = w.block->cluster->watch) watch->tensor().wait(w, false);
}

// tcgen05.fence; `detail` is 1 for before_thread_sync. The simulator writes memory in program
// order, so the fence matters only to the race detector.
void order_tensor_operations(Warp& w, const Record& in, uint32_t) {
  if (RaceWatch* watch = w.block->cluster->watch) watch->tensor().fence(w, in.detail == 1);
}

void raise_refusal(Warp& w, const Record& in, uint32_t) {
  raise(w, in, FaultKind::unsupported, -1, *static_cast<const std::string*>(in.extra));
}

bool decode_move(Decoder& d, bool loads) {
  TensorMove move;
  const bool reduces = loads && d.has("red");
  if (reduces && d.has("16x32bx2"))
    return refuse(d,
                  "tcgen05.ld.red.16x32bx2 is not simulated: no source says whether the two halves "
                  "of a lane have one result");
  if (reduces) move.reduction = decode_reduction(d);
  move.table = matrix_table(reduces ? name_of_load(d) : d.whole_name());
  const auto kind = loads ? instruction::Kind::load : instruction::Kind::store;
  if (move.table == nullptr || move.table->row.kind != kind) return false;
  const bool halves = move.table->row.blocks == 2;
  const std::size_t registers_at = loads ? 0 : halves ? 2 : 1, offset_at = loads ? 2 : 1;
  const std::size_t address_at = !loads ? 0 : reduces ? 2 : 1;
  const auto parts = d.parts(registers_at);
  if (static_cast<int>(parts.size()) != move.table->d_registers)
    d.bad(d.operand(registers_at), formatted("{} registers are expected here, and {} are given",
                                             move.table->d_registers, parts.size()));
  std::vector<uint32_t> words;
  for (const Operand* part : parts)
    words.push_back(loads ? d.destination(*part, Type::b32) : d.source(*part, Type::b32));
  if (reduces) {
    move.reduction->columns = static_cast<uint32_t>(words.size());
    words.push_back(d.destination(1, Type::b32));
  }
  move.address = address_word(d, d.operand(address_at), words);
  if (halves) {
    const Operand& offset = d.operand(offset_at);
    if (offset.kind != Operand::Kind::number || offset.bits >= TensorMemory::columns)
      d.bad(offset, "the columns to the second half are a number below 512");
    move.second_column = static_cast<uint32_t>(offset.bits);
  }
  d.record().handler = loads ? move_registers<true> : move_registers<false>;
  d.record().extra = d.keep(move);
  d.set_operands(std::move(words));
  return true;
}

// --- commit --------------------------------------------------------------------------------------

struct CommitForm {
  AddressWord barrier;
  bool multicast = false;
};

// Operands: the barrier, a mask of blocks.
void commit_operations(Warp& w, const Record& in, uint32_t lanes) {
  const auto& form = *static_cast<const CommitForm*>(in.extra);
  Cluster& cluster = *w.block->cluster;
  if (cluster.watch != nullptr) cluster.watch->tensor().check_group(w, in, in.detail);
  for_lanes(lanes, [&](unsigned l) {
    if (w.event != Event::none) return;
    const uint32_t address = address_of(w, in, form.barrier, l);
    uint32_t offset = 0;
    Block* own = shared_block(w, address, offset);
    const uint32_t mask = form.multicast ? get<uint32_t>(w.at(in.operand[1]), l) & 0xffff : 0;
    if (own == nullptr || address % 8 != 0 || mask >> cluster.blocks.size() != 0)
      return raise(
          w, in, FaultKind::lds_out_of_bounds, static_cast<int>(l),
          formatted("there can be no mbarrier at address {:#x} of shared memory, for blocks "
                    "{:#x} of a cluster of {}",
                    address, mask, cluster.blocks.size()),
          address);
    const auto add = [&](Block& block) {
      if (offset < shared_begin || offset + uint64_t{8} > block.shared.size())
        return raise(
            w, in, FaultKind::lds_out_of_bounds, static_cast<int>(l),
            formatted("there can be no mbarrier at address {:#x} of shared memory", address),
            address);
      if (!spend(w, in, Resource::pending_copies, 1)) return;
      cluster.commits.push_back({&w, l, w.tensor_issues, &block, offset});
      if (cluster.watch != nullptr)
        cluster.watch->arrive_at(w, in, uint64_t{block.rank + 1} << rank_shift | offset, true);
    };
    if (!form.multicast) return add(*own);
    for_lanes(mask, [&](unsigned rank) {
      if (w.event == Event::none) add(cluster.blocks[rank]);
    });
  });
  ++cluster.changes;
}

bool decode_commit(Decoder& d) {
  CommitForm form;
  std::vector<uint32_t> words;
  d.record().space = Space::shared;
  form.barrier = address_word(d, d.operand(0), words);
  form.multicast = d.has("multicast::cluster");
  words.push_back(form.multicast ? d.source(1, Type::b16) : d.constant(0));
  d.record().handler = commit_operations;
  d.record().detail = d.has("cta_group::2") ? 2 : 1;
  d.record().extra = d.keep(form);
  d.set_operands(std::move(words));
  return d.has("mbarrier::arrive::one");
}

// --- forms ---------------------------------------------------------------------------------------

bool decode_tensor(Decoder& d) {
  Record& record = d.record();
  const std::string_view what = d.modifier(1);
  d.program().uses_tensor_memory = true;
  if (what == "mma") return decode_tensor_multiply(d);
  if (what == "cp" || what == "shift") return decode_tensor_copy(d);
  if (what == "commit") return decode_commit(d);
  if (what == "fence::before_thread_sync" || what == "fence::after_thread_sync") {
    record.detail = what == "fence::before_thread_sync";
    record.handler = order_tensor_operations;
    d.set_operands({});
    return true;
  }
  record.is_warp_wide = true;
  if (what == "ld" || what == "st") return decode_move(d, what == "ld");
  if (what == "wait::ld" || what == "wait::st") {
    record.handler = what == "wait::ld" ? wait_for_tensor_loads : wait_for_tensor_stores;
    d.set_operands({});
    return true;
  }
  record.detail = d.has("cta_group::2") ? 2 : 1;
  if (what == "relinquish_alloc_permit") {
    record.handler = give_up_permit;
    d.set_operands({});
    return true;
  }
  if (what == "alloc") {
    record.space = d.space();
    record.handler = allocate_columns;
    const uint32_t to = d.address(d.operand(0));
    d.set_operands({to, d.source(1, Type::b32)});
    return true;
  }
  if (what != "dealloc") return false;
  record.handler = deallocate;
  d.set_operands({d.source(0, Type::b32), d.source(1, Type::b32)});
  return true;
}

constexpr DecodeRow tensor_table[] = {
    {"tcgen05", decode_tensor,
     "cta_group::* sync aligned b32 b64 shared::cta shared::cluster collector::*"}};

}  // namespace

bool refuse(Decoder& d, const char* why) {
  d.read_all();
  d.record().handler = raise_refusal;
  d.record().extra = d.keep(std::string(why));
  d.set_operands({});
  return true;
}

bool deliver_commit(Cluster& cluster, const Block& block, uint32_t offset) {
  const auto found = std::ranges::find_if(cluster.commits, [&](const PendingCommit& commit) {
    return commit.barrier_block == &block && commit.barrier == offset;
  });
  if (found == cluster.commits.end()) return false;
  cluster.extra_work += cluster.commits.size() / 16;
  const PendingCommit commit = *found;
  cluster.commits.erase(found);
  release(*commit.warp, Resource::pending_copies, 1);
  if (cluster.watch != nullptr && !commit.of_copies)
    cluster.watch->arrive_commit(*commit.warp, completed(commit), block, offset);
  if (commit.of_copies)
    arrive_copies_before(*commit.warp, commit.lane, static_cast<uint32_t>(commit.number));
  else
    complete_operations(*commit.warp, commit.lane, commit.number);
  if (cluster.watch != nullptr)
    cluster.watch->deliver(block, offset,
                           {commit.of_copies ? Engine::copy : Engine::tensor, *commit.warp,
                            commit.lane, static_cast<uint32_t>(commit.number)});
  complete_arrival(*commit.barrier_block, offset);
  return true;
}

std::span<const DecodeRow> tensor_rows() { return tensor_table; }

}  // namespace heddle::emulator::ptx
