// mma.sync, ldmatrix, stmatrix and movmatrix. The code has no layouts of its own: the catalogue
// says which lane and register holds each element (matrix_table.h).
#include <algorithm>
#include <span>

#include "emulator/ptx/elementwise.h"
#include "emulator/ptx/matrix_table.h"
#include "emulator/ptx/narrow_multiply.h"
#include "emulator/ptx/races.h"
#include "emulator/ptx/sum_products.h"
#include "library/text/formatted.h"

namespace heddle::emulator::ptx {
namespace {

using instruction::ElementType;

// The largest number of elements of an operand: 16 x 256, of A with single-bit elements.
constexpr std::size_t most = 4096;

struct Multiply {
  std::shared_ptr<const MatrixTable> table;
  ProductForm form;
  std::size_t selector = 0;  // of the index of a sparse A
};

// The operands in an instruction's words.
struct Registers {
  const uint32_t *d, *a, *b, *c, *index;
};

// Calculates all products of the instruction (m8n8k4 has four) and writes D.
template <class Word>
void multiply_as(Warp& w, const Multiply& product, const Registers& at) {
  const MatrixTable& table = *product.table;
  thread_local std::array<Word, most> a, b, c;
  const auto gather = [&](std::array<Word, most>& elements, const uint32_t* registers,
                          const std::vector<ElementPlace>& places, ElementType type) {
    for (std::size_t i = 0; i < places.size(); ++i)
      elements[i] = element_of<Word>(type, bits_at(w, registers, places[i]));
  };
  gather(a, at.a, table.a, table.row.a_type);
  gather(b, at.b, table.b, table.row.b_type);
  gather(c, at.c, table.c, table.row.type(instruction::Operand::c));
  if (table.row.is_sparse()) {
    const std::vector<uint32_t> kept = kept_k(w, table, product.selector, at.index, product.form.m);
    sum_sparse_products(product.form, a.data(), b.data(), kept.data(), c.data(), c.data());
  }
  const auto blocks = static_cast<std::size_t>(table.row.blocks);
  for (std::size_t i = 0; !table.row.is_sparse() && i < blocks; ++i) {
    Word* const sums = c.data() + table.d.size() / blocks * i;
    sum_products(product.form, a.data() + table.a.size() / blocks * i,
                 b.data() + table.b.size() / blocks * i, sums, sums);
  }
  for (std::size_t i = 0; i < table.d.size(); ++i)
    set_bits(w, at.d, table.d[i], table.row.d.bits, static_cast<uint64_t>(c[i]));
}

void multiply(Warp& w, const Record& in, uint32_t lanes) {
  if (!converged(w, in, lanes)) return;
  const auto& product = *static_cast<const Multiply*>(in.extra);
  const MatrixTable& table = *product.table;
  Registers at{};
  at.d = in.operand;
  at.a = at.d + table.d_registers;
  at.b = at.a + table.a_registers;
  at.c = at.b + table.b_registers;
  at.index = at.c + table.c_registers;
  Cluster& cluster = *w.block->cluster;
  ++cluster.counts.matrix;
  cluster.extra_work += static_cast<uint64_t>(table.row.m) * static_cast<unsigned>(table.row.n) *
                        static_cast<unsigned>(table.row.k) *
                        static_cast<unsigned>(table.row.blocks) / 64;
  if (product.form.rule.sum == instruction::TensorSum::exact)
    multiply_as<int64_t>(w, product, at);
  else if (table.row.d_type == ElementType::f64)
    multiply_as<uint64_t>(w, product, at);
  else
    multiply_as<uint32_t>(w, product, at);
}

// Appends to `words` the words of the registers that an operand lists. The list must have `count`
// registers.
void add_registers(Decoder& d, std::vector<uint32_t>& words, std::size_t operand, int count,
                   bool writes, Type type) {
  const auto parts = d.parts(operand);
  if (static_cast<int>(parts.size()) != count)
    d.bad(d.operand(operand),
          formatted("{} registers are expected here, and {} are given", count, parts.size()));
  for (const Operand* part : parts)
    words.push_back(writes ? d.destination(*part, type) : d.source(*part, type));
}

bool matrix_multiply(Decoder& d) {
  if (d.has("block_scale") || d.has("kind::f8f6f4")) return decode_narrow_multiply(d);
  if (d.modifiers() < 5) return false;
  const auto table = matrix_table(d.whole_name("rn"));
  if (table == nullptr || table->row.kind != instruction::Kind::multiply || table->row.wave != 32 ||
      table->a.size() > most)
    return false;
  Multiply product{table, product_form(*table, d.program().target)};
  if (table->row.is_sparse()) product.selector = index_selector(d, 5, *table);
  Record& record = d.record();
  record.extra = d.keep(product);
  record.is_warp_wide = true;
  record.handler = multiply;
  const auto type_of = [](int bits) { return bits == 64 ? Type::f64 : Type::b32; };
  std::vector<uint32_t> words;
  add_registers(d, words, 0, table->d_registers, true, type_of(table->row.d.bits));
  add_registers(d, words, 1, table->a_registers, false, type_of(table->row.a.bits));
  add_registers(d, words, 2, table->b_registers, false, type_of(table->row.b.bits));
  add_registers(d, words, 3, table->c_registers, false,
                type_of(table->row.map(instruction::Operand::c).bits));
  if (table->row.is_sparse()) words.push_back(d.source(4, Type::b32));
  d.set_operands(std::move(words));
  return true;
}

// --- ldmatrix and stmatrix -----------------------------------------------------------------------

// Operands: registers, then the address.
template <bool loads>
void move_matrices(Warp& w, const Record& in, uint32_t lanes) {
  if (!converged(w, in, lanes)) return;
  const auto& table = *static_cast<const MatrixTable*>(in.extra);
  const auto& row = table.row;
  const uint64_t* address = w.at(in.operand[table.d_registers]);
  const int width = instruction::bits(row.a_type);
  const auto row_bytes = static_cast<uint32_t>(row.n * width / 8);
  std::array<uint64_t, 32> addresses{};
  uint32_t used = 0;
  RaceWatch* watch = w.block->cluster->watch;
  for (std::size_t i = 0; i < table.address.size(); ++i) {
    const unsigned lane = table.address[i].lane;
    const uint64_t at = static_cast<uint32_t>(address[lane] + static_cast<uint64_t>(in.immediate));
    addresses[lane] = at;
    used |= 1u << lane;
    if (at % 16 != 0)
      return raise(w, in, FaultKind::misaligned, static_cast<int>(lane),
                   formatted("a row of 16 bytes at address {:#x}, which is no multiple of 16", at),
                   at);
    std::byte* place = shared_access(w, in, lane, at, row_bytes);
    if (place == nullptr) return;
    std::array<std::byte, 1024> row_data;
    std::byte* const data = row_data.data() + std::size_t{32} * lane;
    for (std::size_t n = 0; n < static_cast<std::size_t>(row.n); ++n) {
      const ElementPlace& element = table.d[i * static_cast<std::size_t>(row.n) + n];
      const std::size_t bytes = static_cast<std::size_t>(width) / 8;
      uint64_t bits = 0;
      if constexpr (loads) {
        std::memcpy(&bits, place + n * bytes, bytes);
        set_bits(w, in.operand, element, width, bits);
      } else {
        bits = bits_at(w, in.operand, element);
        std::memcpy(data + n * bytes, &bits, bytes);
      }
    }
    if (watch != nullptr && loads)
      watch->load(w, in, Space::shared, 1u << lane, addresses.data(), row_bytes);
    if (watch != nullptr && !loads)
      watch->store(w, in, Space::shared, 1u << lane, addresses.data(), row_bytes, row_data.data());
    for (std::size_t n = 0; watch != nullptr && n < static_cast<std::size_t>(row.n); ++n) {
      const ElementPlace& element = table.d[i * static_cast<std::size_t>(row.n) + n];
      const uint64_t from = at + n * static_cast<std::size_t>(width) / 8;
      const auto move = loads ? &Definedness::load_element : &Definedness::store_element;
      (watch->defined().*move)(w, in, from, in.operand[element.reg], element.lane, element.bit,
                               static_cast<unsigned>(width));
    }
    if (!loads) std::memcpy(place, data, row_bytes);
  }
  Cluster& cluster = *w.block->cluster;
  (loads ? cluster.counts.shared_read : cluster.counts.shared_written) +=
      row_bytes * table.address.size();
  if (!loads) ++cluster.changes;
  if (row.m == 8) count_shared(w, in, used, addresses.data(), 16, loads, row.blocks);
}

bool matrix_move(Decoder& d, bool loads) {
  const auto table = matrix_table(d.whole_name("rn"));
  const auto kind = loads ? instruction::Kind::load : instruction::Kind::store;
  if (table == nullptr || table->row.kind != kind || instruction::bits(table->row.a_type) < 8)
    return false;
  d.program().kept.push_back(table);
  Record& record = d.record();
  record.extra = table.get();
  record.is_warp_wide = true;
  record.bytes = 16;
  record.handler = loads ? move_matrices<true> : move_matrices<false>;
  std::vector<uint32_t> words;
  add_registers(d, words, loads ? 0 : 1, table->d_registers, loads, Type::b32);
  words.push_back(d.address(d.operand(loads ? 1 : 0)));
  d.set_operands(std::move(words));
  return true;
}
bool matrix_load(Decoder& d) { return matrix_move(d, true); }
bool matrix_store(Decoder& d) { return matrix_move(d, false); }

void transpose(Warp& w, const Record& in, uint32_t lanes) {
  if (!converged(w, in, lanes)) return;
  const auto& table = *static_cast<const MatrixTable*>(in.extra);
  const auto size = static_cast<std::size_t>(table.row.m);
  std::array<uint64_t, 64> values{};
  for (std::size_t i = 0; i < table.a.size(); ++i)
    values[i] = bits_at(w, in.operand + 1, table.a[i]);
  for (std::size_t m = 0; m < size; ++m)
    for (std::size_t n = 0; n < size; ++n)
      set_bits(w, in.operand, table.d[m * size + n], 16, values[n * size + m]);
}
bool transposition(Decoder& d) {
  const auto table = matrix_table(d.whole_name("rn"));
  if (table == nullptr || table->row.kind != instruction::Kind::transpose) return false;
  d.program().kept.push_back(table);
  d.record().extra = table.get();
  d.record().is_warp_wide = true;
  d.record().handler = transpose;
  d.set_operands({d.destination(0, Type::b32), d.source(1, Type::b32)});
  return true;
}

constexpr DecodeRow multiply_table[] = {
    {"mma", matrix_multiply, "", Flow::matrix},
    {"ldmatrix", matrix_load, "", Flow::memory},
    {"stmatrix", matrix_store, "", Flow::memory},
    {"movmatrix", transposition, "", Flow::exchange},
};

}  // namespace

std::span<const DecodeRow> matrix_rows() { return multiply_table; }

}  // namespace heddle::emulator::ptx
