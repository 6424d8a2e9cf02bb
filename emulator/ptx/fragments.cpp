// wmma: loads, stores and products of matrices that a whole warp holds.
//
// PTX does not specify which lane holds which element of a fragment, and some elements are held
// more than once (PTX ISA 9.0, "Matrix Fragments for WMMA"). So the simulator chooses: a fragment
// has a numbered place for each lane, each element-sized bit field of a register, and each
// register. The lane varies fastest, then the bit field, then the register. Place p holds the
// element p modulo the number of elements, in row-major order.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <span>

#include "emulator/ptx/elementwise.h"
#include "emulator/ptx/matrix_table.h"
#include "emulator/ptx/races.h"
#include "emulator/ptx/sum_products.h"

namespace heddle::emulator::ptx {
namespace {

using instruction::ElementType;

struct ElementRow {
  std::string_view name;
  ElementType type;
  int bits;
};
constexpr ElementRow element_rows[] = {
    {"f16", ElementType::f16, 16}, {"bf16", ElementType::bf16, 16}, {"tf32", ElementType::xf32, 32},
    {"f32", ElementType::f32, 32}, {"f64", ElementType::f64, 64},   {"s32", ElementType::i32, 32},
    {"s8", ElementType::i8, 8},    {"u8", ElementType::u8, 8},      {"s4", ElementType::i4, 4},
    {"u4", ElementType::u4, 4},    {"b1", ElementType::b1, 1},
};
const ElementRow* element_named(std::string_view name) {
  const auto* const found = std::ranges::find(element_rows, name, &ElementRow::name);
  return found == std::end(element_rows) ? nullptr : found;
}

struct Shape {
  std::string_view name;
  uint16_t m, n, k;
};
constexpr Shape shapes[] = {
    {"m16n16k16", 16, 16, 16}, {"m32n8k16", 32, 8, 16}, {"m8n32k16", 8, 32, 16},
    {"m16n16k8", 16, 16, 8},   {"m8n8k4", 8, 8, 4},     {"m8n8k32", 8, 8, 32},
    {"m8n8k128", 8, 8, 128},
};

// A matrix in registers.
struct Fragment {
  ElementType type = ElementType::f16;
  uint16_t rows = 0, columns = 0;
  uint8_t bits = 16, register_bits = 32;
  uint8_t registers = 0;

  unsigned parts() const { return register_bits / bits; }
  unsigned elements() const { return unsigned{rows} * columns; }
  unsigned places() const { return 32 * parts() * registers; }
};

// The fragment of an operand, with as many registers as PTX gives it: 8 registers of two halves for
// A and B of f16, otherwise as many as the elements need.
Fragment fragment_of(const Shape& shape, char which, const ElementRow& element) {
  Fragment f;
  f.type = element.type;
  f.bits = static_cast<uint8_t>(element.bits);
  f.register_bits = element.bits == 64 ? 64 : 32;
  f.rows = which == 'b' ? shape.k : shape.m;
  f.columns = which == 'a' ? shape.k : shape.n;
  const bool is_operand = which == 'a' || which == 'b';
  f.registers = is_operand && element.type == ElementType::f16
                    ? 8
                    : static_cast<uint8_t>(f.elements() * f.bits / (32u * f.register_bits));
  return f;
}

const Shape* shape_of(const Decoder& d) {
  for (const Shape& shape : shapes)
    if (d.has(shape.name)) return &shape;
  return nullptr;
}

Type register_type(const Fragment& f) { return f.register_bits == 64 ? Type::b64 : Type::b32; }

void add_registers(Decoder& d, std::vector<uint32_t>& words, std::size_t operand, const Fragment& f,
                   bool writes) {
  const auto parts = d.parts(operand);
  if (parts.size() != f.registers)
    d.bad(d.operand(operand), "a vector of as many registers as the fragment has is expected here");
  for (const Operand* part : parts)
    words.push_back(writes ? d.destination(*part, register_type(f))
                           : d.source(*part, register_type(f)));
}

uint64_t element_at(const Warp& w, const uint32_t* registers, const Fragment& f, unsigned place) {
  const unsigned part = place / 32 % f.parts();
  return w.at(registers[place / 32 / f.parts()])[place % 32] >> (part * f.bits) &
         (~uint64_t{0} >> (64 - f.bits));
}
void set_element(Warp& w, const uint32_t* registers, const Fragment& f, unsigned place,
                 uint64_t bits) {
  const unsigned shift = place / 32 % f.parts() * f.bits;
  const uint64_t mask = (~uint64_t{0} >> (64 - f.bits)) << shift;
  uint64_t& word = w.at(registers[place / 32 / f.parts()])[place % 32];
  word = (word & ~mask) | (bits << shift & mask);
}

// --- loads and stores ----------------------------------------------------------------------------

struct FragmentMove {
  Fragment fragment;
  bool by_columns = false;  // .col
};

// Operands: registers, address, and the stride between rows (or, with .col, columns) in elements.
template <bool loads>
void move_fragment(Warp& w, const Record& in, uint32_t lanes) {
  if (!converged(w, in, lanes)) return;
  const auto& [f, by_columns] = *static_cast<const FragmentMove*>(in.extra);
  const uint64_t* base = w.at(in.operand[f.registers]);
  const uint64_t* stride = w.at(in.operand[f.registers + 1]);
  const uint32_t bytes = std::max(f.bits / 8u, 1u);
  RaceWatch* watch = w.block->cluster->watch;
  Counts& counts = w.block->cluster->counts;
  for (unsigned first = 0; first < f.places(); first += 32) {
    if (!loads && first >= f.elements()) break;
    std::array<uint64_t, 32> addresses{};
    std::array<std::byte*, 32> places{};
    std::array<std::byte, 1024> data{};
    std::array<uint64_t, 32> at{};  // in elements
    uint32_t used = 0;
    for (unsigned l = 0; l < 32; ++l) {
      const unsigned element = (first + l) % f.elements();
      if (!loads && first + l >= f.elements()) break;
      const uint64_t row = element / f.columns, column = element % f.columns;
      const uint64_t step = get<uint32_t>(stride, l);
      at[l] = by_columns ? column * step + row : row * step + column;
      uint64_t address = base[l] + static_cast<uint64_t>(in.immediate);
      if (in.space == Space::shared) address = static_cast<uint32_t>(address);
      addresses[l] = address + at[l] * f.bits / 8;
      places[l] = access(w, in, l, addresses[l], bytes, in.space, !loads);
      if (places[l] == nullptr) return;
      used |= 1u << l;
    }
    const auto shift = [&](unsigned l) { return static_cast<unsigned>(at[l] * f.bits % 8); };
    const uint64_t mask = ~uint64_t{0} >> (64 - f.bits);
    for_lanes(used, [&](unsigned l) {
      uint64_t value = 0;
      std::memcpy(&value, places[l], bytes);
      if constexpr (loads) {
        set_element(w, in.operand, f, first + l, value >> shift(l) & mask);
      } else {
        value = element_at(w, in.operand, f, first + l);
        std::memcpy(data.data() + std::size_t{32} * l, &value, bytes);
      }
    });
    if (watch != nullptr && loads) watch->load(w, in, in.space, used, addresses.data(), bytes);
    if (watch != nullptr && !loads)
      watch->store(w, in, in.space, used, addresses.data(), bytes, data.data());
    const std::span word(in.operand + first / 32 / f.parts(), 1);
    if (watch != nullptr && f.bits >= 8 && loads)
      watch->defined().load(w, in, in.space, used, addresses.data(), word, bytes, false);
    if (watch != nullptr && !loads)
      watch->defined().store(w, in, in.space, used, addresses.data(), word, bytes);
    if (!loads)
      for_lanes(used, [&](unsigned l) {
        std::memcpy(places[l], data.data() + std::size_t{32} * l, bytes);
      });
    const auto moved = uint64_t{bytes} * static_cast<unsigned>(std::popcount(used));
    const bool shared = is_shared(in.space, addresses[0]);
    (loads ? (shared ? counts.shared_read : counts.global_read)
           : (shared ? counts.shared_written : counts.global_written)) += moved;
    w.block->cluster->extra_work += 1;
  }
  if (!loads) ++w.block->cluster->changes;
}

bool fragment_move(Decoder& d, bool loads) {
  const Shape* shape = shape_of(d);
  const ElementRow* element = element_named(d.modifier(d.modifiers() - 1));
  const std::string_view which = d.modifier(2);
  if (shape == nullptr || element == nullptr || which.size() != 1 ||
      (loads ? which[0] < 'a' || which[0] > 'c' : which[0] != 'd'))
    return false;
  FragmentMove move;
  move.fragment = fragment_of(*shape, which[0], *element);
  move.by_columns = d.has("col");
  if (!move.by_columns && !d.has("row")) return false;
  const Fragment& f = move.fragment;
  Record& record = d.record();
  record.space = d.space();
  record.is_warp_wide = true;
  record.flow = Flow::memory;
  record.bytes = static_cast<uint8_t>(std::max(f.bits / 8, 1));
  std::vector<uint32_t> words;
  add_registers(d, words, loads ? 0 : 1, f, loads);
  words.push_back(d.address(d.operand(loads ? 1 : 0)));
  words.push_back(d.operands() > 2 ? d.source(2, Type::u32)
                                   : d.constant(move.by_columns ? f.rows : f.columns));
  record.extra = d.keep(move);
  record.handler = loads ? move_fragment<true> : move_fragment<false>;
  d.set_operands(std::move(words));
  return true;
}

// --- products ------------------------------------------------------------------------------------

struct FragmentProduct {
  Fragment a, b, c, d;
  ProductForm sum;
};

struct FragmentRegisters {
  const uint32_t *d, *a, *b, *c;
};
FragmentRegisters registers_of(const FragmentProduct& form, const Record& in) {
  const uint32_t* const a = in.operand + form.d.registers;
  const uint32_t* const b = a + form.a.registers;
  return {in.operand, a, b, b + form.b.registers};
}

template <class Word>
void multiply_as(Warp& w, const Record& in) {
  const auto& form = *static_cast<const FragmentProduct*>(in.extra);
  const auto [d, a, b, c] = registers_of(form, in);
  const auto elements = [&](const uint32_t* registers, const Fragment& f) {
    std::vector<Word> all(f.elements());
    for (unsigned i = 0; i < f.elements(); ++i)
      all[i] = element_of<Word>(f.type, element_at(w, registers, f, i));
    return all;
  };
  const std::vector<Word> x = elements(a, form.a), y = elements(b, form.b), z = elements(c, form.c);
  std::vector<Word> sums(form.d.elements());
  sum_products(form.sum, x.data(), y.data(), z.data(), sums.data());
  for (unsigned place = 0; place < form.d.places(); ++place)
    set_element(w, d, form.d, place, static_cast<uint64_t>(sums[place % form.d.elements()]));
}

void multiply(Warp& w, const Record& in, uint32_t lanes) {
  if (!converged(w, in, lanes)) return;
  const auto& form = *static_cast<const FragmentProduct*>(in.extra);
  ++w.block->cluster->counts.matrix;
  w.block->cluster->extra_work += form.d.elements() * form.a.columns / 64;
  if (form.d.type == ElementType::i32) return multiply_as<int64_t>(w, in);
  if (form.d.type == ElementType::f64) return multiply_as<uint64_t>(w, in);
  multiply_as<uint32_t>(w, in);
}

// wmma.mma.sync.aligned.alayout.blayout.shape.dtype{.atype.btype}.ctype: f16 operand types are
// omitted from the name. alayout and blayout change nothing here: they say how A and B were loaded,
// and a loaded fragment is the same for all layouts.
bool fragment_multiply(Decoder& d) {
  const Shape* shape = shape_of(d);
  if (shape == nullptr) return false;
  std::vector<const ElementRow*> types;
  for (std::size_t i = 2; i < d.modifiers(); ++i)
    if (const ElementRow* element = element_named(d.statement().opcode[i])) {
      d.modifier(i);
      types.push_back(element);
    }
  if (types.size() != 2 && types.size() != 4) return false;
  const ElementRow& operand = types.size() == 4 ? *types[1] : *element_named("f16");
  FragmentProduct form;
  form.d = fragment_of(*shape, 'd', *types.front());
  form.a = fragment_of(*shape, 'a', operand);
  form.b = fragment_of(*shape, 'b', types.size() == 4 ? *types[2] : operand);
  form.c = fragment_of(*shape, 'c', *types.back());
  // It is assumed that wmma sums products as mma.sync does, for which the rules are known.
  ProductForm& sum = form.sum;
  sum.rule = instruction::tensor_sum_rule({instruction::processor(d.program().target).family,
                                           instruction::TensorUnit::mma, form.a.type, form.b.type,
                                           shape->k});
  sum.a_type = form.a.type;
  sum.b_type = form.b.type;
  sum.c_type = form.c.type;
  sum.d_type = form.d.type;
  sum.m = shape->m;
  sum.n = shape->n;
  sum.k = shape->k;
  sum.saturates = form.d.type == ElementType::i32 && d.has("satfinite");
  if (form.a.type == ElementType::b1) {
    sum.bits = d.has("xor")   ? BitProduct::exclusive
               : d.has("and") ? BitProduct::both
                              : BitProduct::none;
    if (sum.bits == BitProduct::none || !d.has("popc")) return false;
  }
  d.has("rn");
  std::vector<uint32_t> words;
  add_registers(d, words, 0, form.d, true);
  add_registers(d, words, 1, form.a, false);
  add_registers(d, words, 2, form.b, false);
  add_registers(d, words, 3, form.c, false);
  d.record().is_warp_wide = true;
  d.record().flow = Flow::matrix;
  d.record().extra = d.keep(form);
  d.record().handler = multiply;
  d.set_operands(std::move(words));
  return true;
}

bool fragment(Decoder& d) {
  const std::string_view what = d.modifier(1);
  if (what == "load" || what == "store") return fragment_move(d, what == "load");
  return what == "mma" && fragment_multiply(d);
}

constexpr DecodeRow fragment_table[] = {{"wmma", fragment, "sync aligned row col"}};

}  // namespace

std::span<const DecodeRow> fragment_rows() { return fragment_table; }

}  // namespace heddle::emulator::ptx
