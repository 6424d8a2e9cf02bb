// mma.sync, ldmatrix, stmatrix and movmatrix. No layout is written here: the catalogue says where
// each element lies (matrix_table.h).
#include <algorithm>
#include <span>

#include "emulator/ptx/elementwise.h"
#include "emulator/ptx/matrix_table.h"
#include "emulator/ptx/races.h"
#include "emulator/ptx/sum_products.h"
#include "emulator/record/formatted.h"

namespace heddle::emulator::ptx {
namespace {

using instruction::ElementType;

uint64_t bits_at(const Warp& w, const uint32_t* registers, const ElementPlace& at) {
  return w.at(registers[at.reg])[at.lane] >> at.bit;
}

void set_bits(Warp& w, const uint32_t* registers, const ElementPlace& at, int width,
              uint64_t bits) {
  uint64_t& word = w.at(registers[at.reg])[at.lane];
  const uint64_t mask = (width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1) << at.bit;
  word = (word & ~mask) | (bits << at.bit & mask);
}

// The most elements that an operand of a warp has: 16 x 256 of A in single bits.
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

// An element that a sparse A keeps, and its k.
struct Kept {
  uint64_t bits;
  std::size_t k;
};

// Those of a row, in rising order of groups. A group of four k keeps two, which two numbers of two
// bits in its index name; of eight k of 4 bits these name pairs. A group of two k of tf32 keeps
// one, and its index is 0b0100 or 0b1110 (PTX ISA 9.0, "Sparse matrix storage").
std::vector<Kept> kept_elements(const Warp& w, const Multiply& product, const Registers& at,
                                std::size_t m) {
  const MatrixTable& table = *product.table;
  const int width = instruction::bits(table.row.a_type);
  const auto depth = static_cast<std::size_t>(table.row.k);
  const auto each = static_cast<std::size_t>(table.row.a.bits / width), step = 2 * each;
  std::vector<Kept> kept;
  for (std::size_t first = 0; first < depth; first += step) {
    const uint64_t all = bits_at(w, at.a, table.a[m * depth + first]);
    const uint64_t index = bits_at(w, at.index, table.index[product.selector][m * depth + first]);
    for (std::size_t i = 0; i < each; ++i) {
      const std::size_t run = std::max<std::size_t>(step / 4, 1);  // k that a number names
      const std::size_t number = index >> (2 * (i / run)) & 3;
      kept.push_back({all >> (i * static_cast<unsigned>(width)) & (~uint64_t{0} >> (64 - width)),
                      first + (step == 2 ? number / 2 : number * run + i % run)});
    }
  }
  return kept;
}

void multiply_integers(Warp& w, const Multiply& product, const Registers& at) {
  const auto [d, a, b, c, index] = at;
  const MatrixTable& table = *product.table;
  const auto& row = table.row;
  thread_local std::array<int64_t, most> a_values, b_values;
  std::array<int64_t, 128> sums{};
  if (row.is_sparse()) {
    a_values.fill(0);
    for (std::size_t m = 0; m < static_cast<std::size_t>(row.m); ++m)
      for (const Kept& kept : kept_elements(w, product, at, m))
        a_values[m * static_cast<std::size_t>(row.k) + kept.k] =
            integer_element(row.a_type, kept.bits);
  } else {
    for (std::size_t i = 0; i < table.a.size(); ++i)
      a_values[i] = integer_element(row.a_type, bits_at(w, a, table.a[i]));
  }
  for (std::size_t i = 0; i < table.b.size(); ++i)
    b_values[i] = integer_element(row.b_type, bits_at(w, b, table.b[i]));
  const auto columns = static_cast<std::size_t>(row.n), depth = static_cast<std::size_t>(row.k);
  const bool is_and = row.name.ends_with("and.popc"), is_xor = row.name.ends_with("xor.popc");
  for (std::size_t m = 0; m < static_cast<std::size_t>(row.m); ++m) {
    int64_t* sum = sums.data() + m * columns;
    for (std::size_t k = 0; k < depth; ++k) {
      const int64_t x = a_values[m * depth + k];
      const int64_t* y = b_values.data() + k * columns;
      if (is_and || is_xor)
        for (std::size_t n = 0; n < columns; ++n) sum[n] += is_and ? x & y[n] : x ^ y[n];
      else
        for (std::size_t n = 0; n < columns; ++n) sum[n] += x * y[n];
    }
  }
  const ElementType c_type = row.type(instruction::Operand::c);
  for (std::size_t i = 0; i < table.d.size(); ++i) {
    sums[i] += integer_element(c_type, bits_at(w, c, table.c[i]));
    if (table.saturates) sums[i] = std::clamp<int64_t>(sums[i], INT32_MIN, INT32_MAX);
  }
  for (std::size_t i = 0; i < table.d.size(); ++i)
    set_bits(w, d, table.d[i], row.d.bits, static_cast<uint64_t>(sums[i]));
}

// The elements of all products of the instruction: m8n8k4 has four.
template <class Word>
void multiply_floats(Warp& w, const Multiply& product, const Registers& at) {
  const auto [d, a, b, c, index] = at;
  const MatrixTable& table = *product.table;
  thread_local std::array<Word, most> a_bits, b_bits, c_bits;
  const auto gather = [&](std::array<Word, most>& bits, const uint32_t* registers,
                          const std::vector<ElementPlace>& places, int width) {
    const uint64_t mask = ~uint64_t{0} >> (64 - width);
    for (std::size_t i = 0; i < places.size(); ++i)
      bits[i] = static_cast<Word>(bits_at(w, registers, places[i]) & mask);
  };
  gather(a_bits, a, table.a, table.row.a.bits);
  gather(b_bits, b, table.b, table.row.b.bits);
  gather(c_bits, c, table.c, table.row.map(instruction::Operand::c).bits);
  const auto blocks = static_cast<std::size_t>(table.row.blocks);
  for (std::size_t m = 0; table.row.is_sparse() && m < product.form.m; ++m) {
    // Each row has rows of B of its own.
    const std::size_t columns = product.form.n;
    std::vector<Word> of_a, of_b;
    for (const Kept& kept : kept_elements(w, product, at, m)) {
      of_a.push_back(static_cast<Word>(kept.bits));
      const Word* const from = b_bits.data() + kept.k * columns;
      of_b.insert(of_b.end(), from, from + columns);
    }
    ProductForm form = product.form;
    form.m = 1;
    Word* const sums = c_bits.data() + m * columns;
    sum_products(form, of_a.data(), of_b.data(), sums, sums);
  }
  for (std::size_t i = 0; !table.row.is_sparse() && i < blocks; ++i) {
    Word* const sums = c_bits.data() + table.d.size() / blocks * i;
    sum_products(product.form, a_bits.data() + table.a.size() / blocks * i,
                 b_bits.data() + table.b.size() / blocks * i, sums, sums);
  }
  for (std::size_t i = 0; i < table.d.size(); ++i)
    set_bits(w, d, table.d[i], table.row.d.bits, c_bits[i]);
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
    multiply_integers(w, product, at);
  else if (table.row.d_type == ElementType::f64)
    multiply_floats<uint64_t>(w, product, at);
  else
    multiply_floats<uint32_t>(w, product, at);
}

// Adds the registers of an operand as words, as many as the catalogue says.
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
  if (d.has("kind::f8f6f4") || d.modifiers() < 5) return false;
  const auto table = matrix_table(d.whole_name("rn"));
  if (table == nullptr || table->row.kind != instruction::Kind::multiply || table->row.wave != 32 ||
      table->a.size() > most)
    return false;
  Multiply product{table, product_form(table->row, d.program().target)};
  if (table->row.is_sparse()) {
    const Operand& selector = d.operand(5);
    if (selector.kind != Operand::Kind::number || selector.bits >= table->index.size())
      d.bad(selector,
            formatted("the selector of the index is a number below {} here", table->index.size()));
    product.selector = selector.bits;
  }
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
                   formatted("a row of 16 bytes at address {:x}, which is no multiple of 16", at),
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
