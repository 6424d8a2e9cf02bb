#include "emulator/ptx/narrow_multiply.h"

#include <array>
#include <vector>

#include "emulator/ptx/matrix_table.h"
#include "emulator/ptx/scaled_products.h"
#include "library/text/formatted.h"

namespace heddle::emulator::ptx {
namespace {

using instruction::ElementType;

// The operand {byte-id, thread-id} of a scaled mma: which bytes of which threads' registers hold
// the scales.
struct ScaleSelector {
  uint32_t byte = 0, thread = 0, threads = 0;
  // As the selector of the map.
  int number(uint32_t count) const { return static_cast<int>(byte / count + thread * (4 / count)); }
};

struct NarrowMultiply {
  std::shared_ptr<const MatrixTable> table;
  ProductForm form;                            // of one row where there are scales
  ScaleForm scales;                            // count 0: none
  std::vector<ElementPlace> scale_a, scale_b;  // m x k and k x n
  std::array<ScaleSelector, 2> selectors;      // of A and of B
};

std::vector<ElementPlace> scale_places(const instruction::Instruction& row,
                                       instruction::Operand operand, int selector) {
  const instruction::Places places =
      instruction::places(row, operand, instruction::KOrder::isa, selector);
  std::vector<ElementPlace> all(places.reg.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = {static_cast<uint16_t>(places.reg[i]), static_cast<uint8_t>(places.lane[i]),
              static_cast<uint8_t>(places.bit[i])};
  return all;
}

ScaleOperand scale_operand(const NarrowMultiply& product, bool is_b) {
  const auto& row = product.table->row;
  const ScaleSelector& selector = product.selectors[is_b ? 1 : 0];
  return {.is_b = is_b,
          .rows = static_cast<uint32_t>(is_b ? row.n : row.m),
          .blocks = product.scales.count,
          .number = selector.byte,
          .thread = selector.thread,
          .threads = selector.threads,
          .order = {}};
}

// The places from which scales are read if the launch has a trial
// (emulator/record/operand_trial.h), which may choose other bytes and threads than the instruction.
// `other` must outlive the result: it receives the places if they differ from the instruction's
// own.
const std::vector<ElementPlace>& tried_places(const NarrowMultiply& product,
                                              const ScaleOperand& tried,
                                              std::vector<ElementPlace>& other) {
  const ScaleSelector& own = product.selectors[tried.is_b ? 1 : 0];
  if (tried.number == own.byte && tried.thread == own.thread)
    return tried.is_b ? product.scale_b : product.scale_a;
  using instruction::Operand;
  other = scale_places(
      product.table->row, tried.is_b ? Operand::scale_b : Operand::scale_a,
      ScaleSelector{tried.number, tried.thread, own.threads}.number(product.scales.count));
  return other;
}

// Extracts an element. An element that occupies a whole byte is in its low bits, except elements of
// 4 bits, which are in bits 2 to 5 (instruction::Constraint::byte_containers).
uint32_t element_of(const MatrixTable& table, ElementType type, int width, uint64_t bits) {
  if (width == 8 && instruction::bits(type) == 4 &&
      table.row.has(instruction::Constraint::byte_containers))
    bits >>= 2;
  const uint64_t mask = (uint64_t{1} << instruction::bits(type)) - 1;
  return summed_element(type, static_cast<uint32_t>(bits & mask));
}

void multiply(Warp& w, const Record& in, uint32_t lanes) {
  if (!converged(w, in, lanes)) return;
  const auto& product = *static_cast<const NarrowMultiply*>(in.extra);
  const MatrixTable& table = *product.table;
  const auto& row = table.row;
  const uint32_t *d = in.operand, *a = d + table.d_registers, *b = a + table.a_registers,
                 *c = b + table.b_registers, *scales = c + table.c_registers;
  const auto word = [&](const uint32_t* registers, const ElementPlace& at) {
    return w.at(registers[at.reg])[at.lane] >> at.bit;
  };
  thread_local std::vector<uint32_t> of_a, of_b, sums, scale_a, scale_b;
  std::vector<ElementPlace> other_a, other_b;
  of_a.resize(table.a.size());
  of_b.resize(table.b.size());
  sums.resize(table.d.size());
  for (std::size_t i = 0; i < of_a.size(); ++i)
    of_a[i] = element_of(table, row.a_type, row.a.bits, word(a, table.a[i]));
  for (std::size_t i = 0; i < of_b.size(); ++i)
    of_b[i] = element_of(table, row.b_type, row.b.bits, word(b, table.b[i]));
  const uint64_t mask = ~uint64_t{0} >> (64 - row.d.bits);
  for (std::size_t i = 0; i < sums.size(); ++i)
    sums[i] = static_cast<uint32_t>(word(c, table.c[i]) & mask);
  Cluster& cluster = *w.block->cluster;
  ++cluster.counts.matrix;
  const auto rows = static_cast<std::size_t>(row.m), columns = static_cast<std::size_t>(row.n),
             depth = static_cast<std::size_t>(row.k);
  cluster.extra_work += rows * columns * depth / 64;
  if (const std::size_t count = product.scales.count; count == 0) {
    sum_products(product.form, of_a.data(), of_b.data(), sums.data(), sums.data());
  } else {
    const std::size_t each = depth / count;
    scale_a.resize(rows * count);
    scale_b.resize(columns * count);
    const ScaleOperand of_rows = tried_scales(w, scale_operand(product, false)),
                       of_columns = tried_scales(w, scale_operand(product, true));
    const std::vector<ElementPlace>&a_places = tried_places(product, of_rows, other_a),
          &b_places = tried_places(product, of_columns, other_b);
    for (std::size_t i = 0; i < scale_a.size(); ++i) {
      const std::size_t from = source_of(of_rows, i);
      scale_a[i] = static_cast<uint32_t>(
          word(scales, a_places[from / count * depth + from % count * each]) & 0xff);
    }
    for (std::size_t i = 0; i < scale_b.size(); ++i) {
      const std::size_t from = source_of(of_columns, i);
      scale_b[i] = static_cast<uint32_t>(
          word(scales + 1, b_places[from % count * each * columns + from / count]) & 0xff);
    }
    for (std::size_t m = 0; m < rows; ++m)
      sum_scaled_products(product.form, product.scales, of_a.data() + m * depth, of_b.data(),
                          scale_a.data() + m * count, scale_b.data(), sums.data() + m * columns);
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const ElementPlace& at = table.d[i];
    uint64_t& to = w.at(d[at.reg])[at.lane];
    to = (to & ~(mask << at.bit)) | uint64_t{sums[i]} << at.bit;
  }
}

ScaleSelector selector_of(Decoder& d, std::size_t operand, uint32_t count, uint32_t threads) {
  const auto parts = d.parts(operand);
  if (parts.size() != 2 || parts[0]->kind != Operand::Kind::number ||
      parts[1]->kind != Operand::Kind::number)
    d.bad(d.operand(operand), "two numbers are expected here: {byte-id, thread-id}");
  const uint64_t byte = parts[0]->bits, thread = parts[1]->bits;
  if (byte > 3 || byte % count != 0 || (count == 4 && byte != 0) || thread >= threads)
    d.bad(d.operand(operand),
          formatted("byte-id {} and thread-id {}: with {} scales in a row byte-id is a multiple of "
                    "it below 4, and thread-id is below {}",
                    byte, thread, count, threads));
  return {static_cast<uint32_t>(byte), static_cast<uint32_t>(thread), threads};
}

}  // namespace

bool decode_narrow_multiply(Decoder& d) {
  NarrowMultiply product;
  product.table = matrix_table(d.whole_name());
  if (product.table == nullptr) return false;
  const MatrixTable& table = *product.table;
  const auto& row = table.row;
  if (row.kind != instruction::Kind::multiply || row.is_sparse() || row.wave != 32) return false;
  product.form = product_form(table, d.program().target);
  product.form.a_type = summed_type(row.a_type);
  product.form.b_type = summed_type(row.b_type);
  std::vector<uint32_t> words;
  const auto add = [&](std::size_t operand, int count, bool writes) {
    const auto parts = d.parts(operand);
    if (static_cast<int>(parts.size()) != count)
      d.bad(d.operand(operand),
            formatted("{} registers are expected here, and {} are given", count, parts.size()));
    for (const Operand* part : parts)
      words.push_back(writes ? d.destination(*part, Type::b32) : d.source(*part, Type::b32));
  };
  add(0, table.d_registers, true);
  add(1, table.a_registers, false);
  add(2, table.b_registers, false);
  add(3, table.c_registers, false);
  if (row.scale_a.registers > 0) {
    using instruction::Operand;
    product.scales.type = row.scale_type;
    product.scales.count =
        static_cast<uint32_t>(instruction::fragment(row, Operand::scale_a).output_size("group"));
    product.form.m = 1;
    words.push_back(d.source(4, Type::b32));
    words.push_back(d.source(6, Type::b32));
    const uint32_t count = product.scales.count;
    product.selectors = {selector_of(d, 5, count, 2), selector_of(d, 7, count, 4)};
    product.scale_a = scale_places(row, Operand::scale_a, product.selectors[0].number(count));
    product.scale_b = scale_places(row, Operand::scale_b, product.selectors[1].number(count));
  }
  d.record().extra = d.keep(product);
  d.record().is_warp_wide = true;
  d.record().handler = multiply;
  d.set_operands(std::move(words));
  return true;
}

}  // namespace heddle::emulator::ptx
