// wgmma: each warp of a warpgroup multiplies its sixteen rows of A by B from shared memory.
//
// The product is computed when the instruction is executed. Its registers are pending until
// wgmma.wait_group. An instruction that uses a pending register waits, because ptxas inserts a wait
// there. A move does not wait, because compilers place moves freely and ptxas removes them; the
// register that it writes becomes pending too. In profiled blocks, the wait checks that the
// operands in shared memory have not changed; a change is a fault.
#include <algorithm>
#include <bit>
#include <optional>
#include <span>

#include "emulator/ptx/dispatch.h"
#include "emulator/ptx/elementwise.h"
#include "emulator/ptx/matrix_table.h"
#include "emulator/ptx/races.h"
#include "emulator/ptx/sum_products.h"
#include "emulator/ptx/warpgroup.h"
#include "emulator/record/operand_trial.h"
#include "heddle/instruction/shared_operand.h"
#include "library/text/formatted.h"

namespace heddle::emulator::ptx {
namespace {

using instruction::Major;
using instruction::MatrixDescriptor;

struct WarpgroupForm {
  std::shared_ptr<const MatrixTable> table;
  ProductForm product;  // of one warp
  bool a_in_registers = false;
  bool negates_a = false, negates_b = false;
  Major a_major = Major::k, b_major = Major::k;
  std::size_t a_at = 0, b_at = 0, index_at = 0, scale_at = 0;  // places in the operands
  std::size_t selector = 0;                                    // of the index of a sparse A
};

// Reads the elements of an operand, as bits: `count` rows or columns times `depth`. Returns false
// after a fault.
bool gather(Warp& w, const Record& in, uint64_t word, Major major, int bits, uint32_t first,
            uint32_t count, uint32_t depth, std::vector<uint32_t>& values) {
  const auto descriptor = instruction::decode(word, instruction::DescriptorForm::sm_90);
  if (!descriptor) {
    raise(w, in, FaultKind::unsupported, -1,
          formatted("{:#x} is no matrix descriptor: it has unknown bits", word));
    return false;
  }
  const auto width = static_cast<uint32_t>(bits), bytes = std::max(width / 8, 1u);
  const uint32_t mask = bits == 32 ? ~0u : (1u << width) - 1;
  const bool k_major = major == Major::k;
  const uint32_t along_count = k_major ? depth : count, across_count = k_major ? count : depth;
  const uint32_t first_along = k_major ? 0 : first, first_across = k_major ? first : 0;
  OperandReader reader(*descriptor, major, w.block->shared);
  values.resize(std::size_t{count} * depth);
  for (uint32_t across = 0; across < across_count; ++across)
    for (uint32_t along = 0; along < along_count; ++along) {
      const uint32_t bit = (first_along + along) * width;
      uint32_t value = 0;
      if (!reader.read(bit / 8, first_across + across, bytes, value)) {
        const uint32_t address =
            operand_address(*descriptor, major, bit / 8, first_across + across);
        raise(w, in, FaultKind::lds_out_of_bounds, -1,
              formatted("an operand of wgmma reaches to address {:#x} of shared memory, which the "
                        "block has from {:#x} to {:#x}",
                        address, shared_begin, w.block->shared.size()),
              address);
        return false;
      }
      const std::size_t mn = k_major ? across : along, k = k_major ? along : across;
      values[mn * depth + k] = value >> bit % 8 & mask;
    }
  return true;
}

uint64_t checksum(uint64_t start, const std::vector<uint32_t>& values) {
  for (const uint32_t value : values) start = (start ^ value) * 0x100000001b3u;
  return start;
}

struct Operands {
  std::vector<uint32_t> a, b;  // bits, m x k, of a sparse A m x k / 2, and n x k
  uint64_t a_word = 0, b_word = 0;
  Major a_major = Major::k, b_major = Major::k;
};

bool read_shared(Warp& w, const Record& in, Operands& operands) {
  const auto& form = *static_cast<const WarpgroupForm*>(in.extra);
  const auto& row = form.table->row;
  const int bits = row.b.bits;
  if (!gather(w, in, operands.b_word, operands.b_major, bits, 0, static_cast<uint32_t>(row.n),
              static_cast<uint32_t>(row.k), operands.b))
    return false;
  if (form.a_in_registers) return true;
  return gather(w, in, operands.a_word, operands.a_major, bits, w.number % 4 * 16, 16,
                form.product.k, operands.a);
}

// Computes the 16 rows of D that one warp has. Every warp uses the table's places of rows 0 to 15
// in lanes 0 to 31.
template <class Word>
void multiply_as(Warp& w, const Record& in, const Operands& operands, bool adds) {
  const auto& form = *static_cast<const WarpgroupForm*>(in.extra);
  const MatrixTable& table = *form.table;
  const auto& row = table.row;
  const auto columns = static_cast<std::size_t>(row.n), depth = static_cast<std::size_t>(row.k);
  thread_local std::vector<Word> a, b, sums;
  a.resize(operands.a.size());
  b.resize(depth * columns);
  sums.resize(16 * columns);
  const uint32_t sign = 1u << (row.b.bits - 1);
  const uint32_t flips_a = form.negates_a ? sign : 0, flips_b = form.negates_b ? sign : 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    a[i] = element_of<Word>(row.a_type, operands.a[i] ^ flips_a);
  for (std::size_t n = 0; n < columns; ++n)
    for (std::size_t k = 0; k < depth; ++k)
      b[k * columns + n] = element_of<Word>(row.b_type, operands.b[n * depth + k] ^ flips_b);
  for (std::size_t i = 0; i < sums.size(); ++i)
    sums[i] = adds ? element_of<Word>(row.d_type, bits_at(w, in.operand, table.d[i])) : Word{0};
  if (row.is_sparse())
    sum_sparse_products(form.product, a.data(), b.data(),
                        kept_k(w, table, form.selector, in.operand + form.index_at, 16).data(),
                        sums.data(), sums.data());
  else
    sum_products(form.product, a.data(), b.data(), sums.data(), sums.data());
  for (std::size_t i = 0; i < sums.size(); ++i)
    set_bits(w, in.operand, table.d[i], row.d.bits, static_cast<uint64_t>(sums[i]));
}

// Tells the race detector which bytes the warp reads. The descriptors have been checked before.
void watch_operands(Warp& w, const Record& in, const Operands& operands, uint32_t number) {
  const auto& form = *static_cast<const WarpgroupForm*>(in.extra);
  const auto& row = form.table->row;
  RaceWatch& watch = *w.block->cluster->watch;
  const auto operation = watch.issue({Engine::warpgroup, w, 0, number}, in, ~0u);
  const auto bits = static_cast<uint32_t>(row.b.bits);
  std::optional<uint32_t> quarter_of_b;
  if (row.n >= 64) quarter_of_b = w.number + number;
  const auto look = [&](uint64_t word, Major major, uint32_t first, uint32_t count, uint32_t depth,
                        const char* what, std::optional<uint32_t> quarter) {
    const auto descriptor = instruction::decode(word, instruction::DescriptorForm::sm_90);
    const std::array<uint32_t, 2> k = {0, depth}, mn = {first, count};
    const std::array<uint32_t, 2>& along = major == Major::k ? k : mn;
    watch.reads(operation, *w.block,
                {*descriptor,
                 major,
                 {along[0] * bits / 8, along[1] * bits / 8},
                 major == Major::k ? mn : k,
                 what,
                 16,
                 quarter});
  };
  if (!form.a_in_registers)
    look(operands.a_word, form.a_major, w.number % 4 * 16, 16, form.product.k, "A", {});
  look(operands.b_word, form.b_major, 0, static_cast<uint32_t>(row.n), static_cast<uint32_t>(row.k),
       "B", quarter_of_b);
}

void multiply(Warp& w, const Record& in, uint32_t lanes) {
  if (!converged(w, in, lanes)) return;
  const auto& form = *static_cast<const WarpgroupForm*>(in.extra);
  const MatrixTable& table = *form.table;
  if (w.block->warps.size() < w.number / 4 * 4 + 4)
    return raise(w, in, FaultKind::wmma_inactive_lanes, -1,
                 "wgmma is of four warps, and the block has not so many");
  if (!spend(w, in, Resource::pending_copies, 1)) return;
  // Charges the multiply-adds of this warp as additional work.
  w.block->cluster->extra_work +=
      uint64_t{16} * static_cast<unsigned>(table.row.n) * static_cast<unsigned>(table.row.k) / 64;
  Operands operands;
  if (!form.a_in_registers) operands.a_word = w.at(in.operand[form.a_at])[0];
  operands.b_word = w.at(in.operand[form.b_at])[0];
  operands.a_major = form.a_major;
  operands.b_major = form.b_major;
  constexpr auto sm_90 = instruction::DescriptorForm::sm_90;
  if (!form.a_in_registers)
    try_operand(w, false, sm_90, table.row.b.bits, operands.a_word, operands.a_major);
  try_operand(w, true, sm_90, table.row.b.bits, operands.b_word, operands.b_major);
  if (!read_shared(w, in, operands)) return;
  const uint32_t number = w.multiply_issues++;
  if (w.block->cluster->watch != nullptr) watch_operands(w, in, operands, number);
  if (form.a_in_registers) {
    operands.a.resize(std::size_t{16} * form.product.k);
    for (std::size_t i = 0; i < operands.a.size(); ++i)
      operands.a[i] =
          element_of<uint32_t>(table.row.a_type, bits_at(w, in.operand + form.a_at, table.a[i]));
  }
  const bool adds = adds_to_sum(w, in);
  if (form.product.rule.sum == instruction::TensorSum::exact)
    multiply_as<int64_t>(w, in, operands, adds);
  else
    multiply_as<uint32_t>(w, in, operands, adds);
  ++w.block->cluster->counts.matrix;
  PendingMultiply pending{w.multiply_commits, number, &in, operands.a_word, operands.b_word, 0};
  if (w.block->cluster->profiled)
    pending.checksum = checksum(form.a_in_registers ? 0 : checksum(0, operands.a), operands.b);
  w.multiplies.push_back(pending);
  const auto mark = [&](uint32_t word) { w.busy[word] = w.multiply_commits + 1; };
  for (int i = 0; i < table.d_registers; ++i) mark(in.operand[i]);
}

void commit(Warp& w, const Record&, uint32_t) { ++w.multiply_commits; }

// Completes the products of all groups with numbers below `end`.
void complete_products(Warp& w, uint64_t end) {
  const auto is_done = [&](uint64_t group) { return group < end; };
  for (const PendingMultiply& pending : w.multiplies) {
    if (!is_done(pending.group) || w.event != Event::none || !w.block->cluster->profiled) continue;
    const Record& record = *pending.record;
    const auto& form = *static_cast<const WarpgroupForm*>(record.extra);
    Operands operands;
    operands.a_word = pending.a_descriptor;
    operands.b_word = pending.b_descriptor;
    operands.a_major = form.a_major;
    operands.b_major = form.b_major;
    if (!read_shared(w, record, operands)) return;
    if (checksum(form.a_in_registers ? 0 : checksum(0, operands.a), operands.b) != pending.checksum)
      return raise(w, record, FaultKind::unsupported, -1,
                   "an operand of wgmma in shared memory was written before wgmma.wait_group");
  }
  uint32_t first_left = w.multiply_issues;
  for (const PendingMultiply& pending : w.multiplies)
    if (!is_done(pending.group)) first_left = std::min(first_left, pending.number);
  if (RaceWatch* watch = w.block->cluster->watch)
    watch->complete({Engine::warpgroup, w, 0, first_left});
  release(w, Resource::pending_copies,
          std::erase_if(w.multiplies,
                        [&](const PendingMultiply& pending) { return is_done(pending.group); }));
  std::erase_if(w.busy, [&](const auto& entry) { return is_done(entry.second - 1); });
}

void wait_for_products(Warp& w, const Record& in, uint32_t lanes) {
  if (!converged(w, in, lanes)) return;
  const auto left = static_cast<uint64_t>(in.immediate);
  complete_products(w, w.multiply_commits - std::min(left, w.multiply_commits));
}

// The simulator writes registers in program order.
void fence(Warp&, const Record&, uint32_t) {}

bool flag(Decoder& d, std::size_t i) {
  const Operand& operand = d.operand(i);
  if (operand.kind != Operand::Kind::number) d.bad(operand, "a number is expected here");
  return operand.bits == 1;
}

bool warpgroup(Decoder& d) {
  Record& record = d.record();
  record.is_warp_wide = true;
  if (d.has("fence") || d.has("commit_group")) {
    record.handler = d.has("fence") ? fence : commit;
    d.set_operands({});
    return true;
  }
  if (d.has("wait_group")) {
    if (d.operand(0).kind != Operand::Kind::number)
      d.bad("the number of groups that may be under way is expected");
    record.immediate = static_cast<int64_t>(d.operand(0).bits);
    record.handler = wait_for_products;
    d.set_operands({});
    return true;
  }
  if (!d.has("mma_async")) return false;
  WarpgroupForm form;
  form.table = matrix_table(d.whole_name());
  if (form.table == nullptr || form.table->row.wave != 128) return false;
  form.product = product_form(*form.table, d.program().target);
  const auto results = d.parts(0);
  if (static_cast<int>(results.size()) != form.table->d_registers)
    d.bad(d.operand(0), formatted("{} registers are expected here, and {} are given",
                                  form.table->d_registers, results.size()));
  std::vector<uint32_t> words;
  for (const Operand* part : results)
    words.push_back(d.destination(*part, Type::b32, Fit::exact, Use::Role::sum));
  form.a_at = words.size();
  form.a_in_registers = d.operand(1).kind == Operand::Kind::vector;
  const auto a_parts = d.parts(1);
  if (form.a_in_registers && static_cast<int>(a_parts.size()) != form.table->a_registers)
    d.bad(d.operand(1), formatted("{} registers are expected here", form.table->a_registers));
  for (const Operand* part : a_parts)
    words.push_back(d.source(*part, form.a_in_registers ? Type::b32 : Type::b64));
  form.b_at = words.size();
  words.push_back(d.source(2, Type::b64));
  std::size_t next = 3;
  form.index_at = words.size();
  if (form.table->row.is_sparse()) {
    words.push_back(d.source(next++, Type::b32));
    form.selector = index_selector(d, next++, *form.table);
  }
  form.scale_at = words.size();
  words.push_back(d.source(next++, Type::pred));
  if (d.operands() > next) {
    form.negates_a = !flag(d, next++);
    form.negates_b = !flag(d, next++);
  }
  const auto next_major = [&] {
    if (next >= d.operands()) return Major::k;
    return flag(d, next++) ? Major::mn : Major::k;
  };
  if (!form.a_in_registers) form.a_major = next_major();
  form.b_major = next_major();
  record.detail = static_cast<uint8_t>(0);
  record.is_multiply = true;
  record.extra = d.keep(form);
  record.handler = multiply;
  d.set_operands(std::move(words));
  return true;
}

constexpr DecodeRow warpgroup_table[] = {{"wgmma", warpgroup, "sync aligned", Flow::matrix}};

}  // namespace

uint32_t operand_address(const MatrixDescriptor& descriptor, Major major, uint32_t along,
                         uint32_t across) {
  const instruction::SwizzleRow& swizzle = instruction::row(descriptor.swizzle);
  const auto line_bytes = static_cast<uint32_t>(swizzle.line_bytes);
  const auto lines = static_cast<uint32_t>(swizzle.lines);
  uint32_t along_step = descriptor.leading_bytes, across_step = descriptor.stride_bytes;
  if (major != Major::k && descriptor.swizzle == instruction::Swizzle::none)
    std::swap(along_step, across_step);
  const uint32_t address = descriptor.start_address + along % line_bytes +
                           along / line_bytes * along_step + across % lines * line_bytes +
                           across / lines * across_step;
  if (swizzle.bits == 0) return address;
  const uint32_t mask = ((1u << swizzle.bits) - 1) << swizzle.first_bit;
  // The swizzle's pattern begins at an address that is a multiple of its size, or later by the base
  // offset: "(pattern start addr >> 7) & 7" (PTX ISA 9.2, "Shared Memory Descriptor").
  return address ^ ((address - (descriptor.base_offset << 7)) >> swizzle.shift & mask);
}

void try_operand(const Warp& w, bool is_b, instruction::DescriptorForm form, int bits,
                 uint64_t& word, Major& major) {
  const Dispatch& dispatch = *w.block->cluster->dispatch;
  OperandTrial* const trial = dispatch.launch().trial;
  const auto descriptor =
      trial != nullptr ? instruction::decode(word, form) : std::optional<MatrixDescriptor>();
  if (!descriptor) return;
  DescribedOperand operand{.warp = dispatch.number_of(w.block->index) * 32 + w.number,
                           .is_b = is_b,
                           .form = form,
                           .descriptor = *descriptor,
                           .major = major,
                           .bits = bits};
  trial->change(operand);
  word = instruction::encode(operand.descriptor, form);
  major = operand.major;
}

bool adds_to_sum(const Warp& w, const Record& in) {
  const auto& form = *static_cast<const WarpgroupForm*>(in.extra);
  return (*w.at(in.operand[form.scale_at]) & 1) != 0;
}

namespace {

// Called if an instruction uses a pending register. False after a fault.
// - If a tcgen05.ld is still to write the register, this raises a fault.
// - If a wgmma is, this waits for all wgmma, as ptxas does: it inserts a wait and warns (C7513,
// C7517 of ptxas 13.0). A checked launch reports the early use.
bool too_early(Warp& w, const Record& in, uint32_t word) {
  if (w.busy.at(word) == Warp::loaded) {
    raise(w, in, FaultKind::unsupported, -1,
          "a register that a tcgen05.ld under way still writes is used before tcgen05.wait::ld");
    return false;
  }
  if (RaceWatch* watch = w.block->cluster->watch) watch->note_early_use(w, in);
  complete_products(w, w.multiply_commits + 1);
  return w.event == Event::none;
}

// Handles an instruction that reads pending registers: usually its results become pending too.
// False after a fault.
//
// Compilers place arithmetic on the registers of a tcgen05.ld before tcgen05.wait::ld, and copies
// of parts of a wgmma's registers before wgmma.wait_group, since no register expresses the order.
// But too_early() handles an instruction that uses a pending value as an address, in other lanes,
// or without writing a register.
bool pass_on(Warp& w, const Record& in) {
  const Program& program = w.block->cluster->dispatch->program();
  const std::size_t number = program.number_of(in);
  const std::size_t end =
      number + 1 < program.first_use.size() ? program.first_use[number + 1] : program.uses.size();
  bool leaves = in.is_warp_wide, reads = false;
  const auto uses =
      std::span(program.uses).subspan(program.first_use[number], end - program.first_use[number]);
  bool writes = false;
  uint64_t until = 0;
  for (const Use& use : uses) {
    leaves |= use.role == Use::Role::address;
    writes |= use.role == Use::Role::destination;
    const auto found = w.busy.find(use.word);
    if (use.role == Use::Role::destination || found == w.busy.end()) continue;
    reads = true;
    until = std::max(until, found->second);
  }
  if (reads && (leaves || !writes))
    for (const Use& use : uses)
      if (w.busy.contains(use.word)) return too_early(w, in, use.word);
  for (const Use& use : uses)
    if (use.role == Use::Role::destination) {
      if (reads)
        w.busy[use.word] = until;
      else
        w.busy.erase(use.word);
    }
  return true;
}

}  // namespace

bool check_busy(Warp& w, const Record& in) {
  if (in.is_multiply) {
    // Successive wgmma may use the same accumulators, but the registers of A may not be pending.
    const auto& form = *static_cast<const WarpgroupForm*>(in.extra);
    for (std::size_t i = form.a_at; i < form.b_at; ++i)
      if (form.a_in_registers && w.busy.contains(in.operand[i]) && !too_early(w, in, in.operand[i]))
        return false;
    return true;
  }
  if (in.is_move) {
    const auto from = w.busy.find(in.operand[1]);
    if (from != w.busy.end())
      w.busy[in.operand[0]] = from->second;
    else
      w.busy.erase(in.operand[0]);
    return true;
  }
  if (in.guard != Record::always && w.busy.contains(in.guard)) return too_early(w, in, in.guard);
  const auto is_copy = [&] {
    return w.block->cluster->dispatch->program().mnemonic_of(in).starts_with("mov.");
  };
  bool takes_pending = false;
  for (uint32_t i = 0; i < in.operand_count; ++i) {
    const auto found = w.busy.find(in.operand[i]);
    if (found == w.busy.end()) continue;
    if (found->second != Warp::loaded && !is_copy()) return too_early(w, in, in.operand[i]);
    takes_pending = true;
  }
  return !takes_pending || pass_on(w, in);
}

std::span<const DecodeRow> warpgroup_rows() { return warpgroup_table; }

}  // namespace heddle::emulator::ptx
