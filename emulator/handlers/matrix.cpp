// Matrix instructions. Nothing here knows a layout: every row of the catalogue becomes a row of
// this table, and where an element lies is read from its maps at compile time.
//
// A product of 16 x 16 x k: the columns n are the lanes of 16-wide vectors. Row k of B is one
// vector; row m of C and D is one vector; element (m, k) of A is broadcast from a small table of A
// in memory. D[m] = C[m] + sum over rising k of A[m][k] * B[k], one rounding per step in f32; what
// the hardware rounds in between is not documented.
#include "emulator/handlers/float_operations.h"
#include "emulator/handlers/memory_access.h"
#include "emulator/handlers/tables.h"
#include "heddle/instruction/catalogue.h"

namespace heddle::emulator::HEDDLE_LEVEL {
namespace {

namespace catalogue = heddle::instruction;
using catalogue::ElementType;
using catalogue::Operand;

using Float16 = float __attribute__((ext_vector_type(16)));
using Half16 = _Float16 __attribute__((ext_vector_type(16)));
using Short16 = uint16_t __attribute__((ext_vector_type(16)));

// Sixteen lanes of one register, one element position: a row of D, a row of B or a column of A.
struct Slice {
  uint8_t reg, position, half;
};

template <int count>
struct Slices {
  Slice at[count];
  bool found[count];
};

inline void stop_constant_evaluation() {}  // not constexpr: calling it does not compile

// The slice that holds each coordinate of `axis`. The sixteen lanes of a slice are the other axis,
// in order: checked here, so that a catalogue row that breaks it does not compile.
template <std::size_t row, Operand operand, int count>
consteval Slices<count> slices_along(const char* axis, const char* lane_axis) {
  const auto map = catalogue::isa_fragment(catalogue::rdna_instructions[row], operand);
  const auto& inputs = map.inputs();
  const auto& outputs = map.outputs();
  const int along = outputs.find(layout::AxisName(axis));
  const int across = outputs.find(layout::AxisName(lane_axis));
  const int element_bits = inputs.bits_of("element"), register_bits = inputs.bits_of("register");
  const int lane_offset = inputs.offset(inputs.find("lane"));
  Slices<count> slices{};
  for (int half = 1; half >= 0; --half) {
    for (int reg = 0; reg < 1 << register_bits; ++reg) {
      for (int position = 0; position < 1 << element_bits; ++position) {
        const std::uint64_t base = inputs
                                       .pack({{"element", static_cast<uint64_t>(position)},
                                              {"register", static_cast<uint64_t>(reg)},
                                              {"lane", static_cast<uint64_t>(16 * half)}})
                                       .value();
        const std::uint64_t at = outputs.coordinate(map.apply(base), along);
        slices.at[at] = {static_cast<uint8_t>(reg), static_cast<uint8_t>(position),
                         static_cast<uint8_t>(half)};
        slices.found[at] = true;
        for (std::uint64_t lane = 0; lane < 16; ++lane) {
          const std::uint64_t point = map.apply(base ^ lane << lane_offset);
          if (outputs.coordinate(point, across) != lane || outputs.coordinate(point, along) != at)
            stop_constant_evaluation();  // the lanes of a slice are not the other axis
        }
      }
    }
  }
  for (bool found : slices.found)
    if (!found) stop_constant_evaluation();  // a coordinate is in no slice
  return slices;
}

// --- elements to numbers -----------------------------------------------------------------------

HEDDLE_INLINE Float16 half_to_float(Word16 bits) {
  return __builtin_convertvector(__builtin_bit_cast(Half16, __builtin_convertvector(bits, Short16)),
                                 Float16);
}

// E4M3: no infinity, NaN is all ones. Denormals go through an integer, so that the host's mode for
// f32 denormals does not matter.
HEDDLE_INLINE Float16 fp8_to_float(Word16 bits) {
  const Word16 magnitude = bits & 0x7fu;
  const Word16 normal = (magnitude << 20) + (120u << 23);  // 120 = 127 - 7, the biases
  const Word16 denormal =
      __builtin_bit_cast(Word16, Float16(__builtin_convertvector(magnitude, Float16) * 0x1p-9f));
  Word16 number = magnitude < 8u ? denormal : normal;
  number = magnitude == 0x7fu ? Word16(0x7fc00000u) : number;
  return __builtin_bit_cast(Float16, Word16(number | (bits & 0x80u) << 24));
}

// E5M2 is the upper byte of an f16.
HEDDLE_INLINE Float16 bf8_to_float(Word16 bits) { return half_to_float((bits & 0xffu) << 8); }

// The elements of a slice as floats. `negate`: flip their sign.
template <ElementType type>
HEDDLE_INLINE Float16 floats_of(Word16 reg, int position) {
  if constexpr (type == ElementType::f32) return __builtin_bit_cast(Float16, reg);
  if constexpr (type == ElementType::f16) return half_to_float(reg >> (16 * position) & 0xffffu);
  if constexpr (type == ElementType::bf16)
    return __builtin_bit_cast(Float16, Word16(reg >> (16 * position) << 16));
  if constexpr (type == ElementType::fp8) return fp8_to_float(reg >> (8 * position) & 0xffu);
  if constexpr (type == ElementType::bf8) return bf8_to_float(reg >> (8 * position) & 0xffu);
  __builtin_unreachable();
}

template <ElementType type>
// Two's complement in unsigned words: sums and products wrap as the hardware's do.
HEDDLE_INLINE Word16 integers_of(Word16 reg, int position, bool is_signed) {
  constexpr int bits = catalogue::bits(type);
  const Word16 field = reg >> (bits * position) & ((1u << bits) - 1);
  constexpr uint32_t sign = 1u << (bits - 1);
  return is_signed ? (field ^ sign) - sign : field;
}

constexpr bool is_integer(ElementType type) {
  return type == ElementType::iu8 || type == ElementType::iu4;
}

HEDDLE_INLINE Word16 float_bits(Float16 x) { return __builtin_bit_cast(Word16, x); }

template <ElementType type>
HEDDLE_INLINE Word16 rounded_bits(Float16 x) {
  if constexpr (type == ElementType::f16)
    return __builtin_convertvector(__builtin_bit_cast(Short16, __builtin_convertvector(x, Half16)),
                                   Word16);
  // bf16: to nearest, ties to even; NaN stays NaN.
  const Word16 bits = float_bits(x);
  const Word16 rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
  return (bits & 0x7fffffffu) > 0x7f800000u ? (bits >> 16 | 0x40u) : rounded;
}

// --- the product -------------------------------------------------------------------------------

template <std::size_t index>
struct Wmma {
  static constexpr const catalogue::Instruction& row = catalogue::rdna_instructions[index];
  static constexpr int k_size = row.k;
  static constexpr auto a_slices = slices_along<index, Operand::a, row.k>("k", "m");
  static constexpr auto b_slices = slices_along<index, Operand::b, row.k>("k", "n");
  static constexpr auto d_slices = slices_along<index, Operand::d, 16>("m", "n");
  static constexpr bool integer = is_integer(row.a_type);
  static constexpr bool half_result =
      row.d_type == ElementType::f16 || row.d_type == ElementType::bf16;
  // A 16-bit result with one element per register: OPSEL says which half of it.
  static constexpr bool half_unpacked = half_result && row.d.registers == 8;

  HEDDLE_INLINE static Word16 source_register(const Wavefront& w, const Source& s,
                                              const Slice& at) {
    if (s.kind == SourceKind::vgpr) [[likely]]
      return register_half(w, s.index + at.reg, at.half);
    return Word16(read_scalar(w, s));
  }

  // The number of one row of C.
  HEDDLE_INLINE static auto accumulator(const Wavefront& w, const Source& c, int m) {
    const Slice at = d_slices.at[m];
    const Word16 reg = source_register(w, c, at);
    if constexpr (integer) {
      return reg;
    } else {
      int position = at.position;
      if constexpr (half_unpacked) position = c.flags & source_high ? 1 : 0;
      // A constant is the same element everywhere; the decoder has it in the low bits.
      if (c.kind == SourceKind::constant) position = 0;
      Word16 x = float_bits(floats_of<row.d_type>(reg, position));
      // For C, neg_lo negates and neg_hi takes the absolute value first.
      if (c.flags & source_negate_high) x &= 0x7fffffffu;
      if (c.flags & source_negate) x ^= 0x80000000u;
      return __builtin_bit_cast(Float16, x);
    }
  }

  // A and B: neg_lo flips the even elements of a register, neg_hi the odd ones; for integers
  // neg_lo means signed.
  template <ElementType type>
  HEDDLE_INLINE static auto operand(const Wavefront& w, const Source& s, const Slice& at) {
    const Word16 reg = source_register(w, s, at);
    if constexpr (integer) {
      return integers_of<type>(reg, at.position, s.flags & source_negate);
    } else {
      Float16 x = floats_of<type>(reg, at.position);
      const uint8_t flag = at.position % 2 ? source_negate_high : source_negate;
      if (s.flags & flag) [[unlikely]]
        x = -x;
      return x;
    }
  }

  HEDDLE_INLINE static void store_result(Wavefront& w, const Instruction* in, int m, auto x) {
    const Slice at = d_slices.at[m];
    auto* place = reinterpret_cast<Word16*>(w.vgpr[in->destination + at.reg] + 16 * at.half);
    if constexpr (!half_result) {
      *place = __builtin_bit_cast(Word16, x);
    } else {
      const Word16 bits = rounded_bits<row.d_type>(x);
      const bool high = half_unpacked ? (in->source[2].flags & source_high) != 0 : at.position == 1;
      *place = high ? (*place & 0xffffu) | bits << 16 : (*place & 0xffff0000u) | bits;
    }
  }

  HEDDLE_INLINE static auto step(auto a, auto b, auto sum) {
    if constexpr (integer)
      return sum + a * b;
    else
      return __builtin_elementwise_fma(a, b, sum);
  }

  // D over C by some registers, not one on one: all of C is read before any of D is written.
  HEDDLE_INLINE static bool overlaps_shifted(const Instruction* in) {
    const Source& c = in->source[2];
    if (c.kind != SourceKind::vgpr || c.index == in->destination) return false;
    const int distance = int{c.index} - int{in->destination};
    return distance > -row.d.registers && distance < row.d.registers;
  }

  // `block`: rows summed together; eight are enough to hide the latency of a multiply-add.
  template <int block>
  static void multiply(Wavefront& w, const Instruction* in) {
    using Value = decltype(operand<row.a_type>(w, in->source[0], a_slices.at[0]));
    alignas(64) Value a[k_size];
    Value b[k_size];
#pragma clang loop unroll(full)
    for (int k = 0; k < k_size; ++k) a[k] = operand<row.a_type>(w, in->source[0], a_slices.at[k]);
#pragma clang loop unroll(full)
    for (int k = 0; k < k_size; ++k) b[k] = operand<row.b_type>(w, in->source[1], b_slices.at[k]);
    const auto* a_elements = reinterpret_cast<const __typeof__(a[0][0] + 0)*>(a);
    asm volatile("" : : "r"(a_elements) : "memory");  // A stays a table in memory
#pragma clang loop unroll(full)
    for (int first = 0; first < 16; first += block) {
      Value sum[block];
#pragma clang loop unroll(full)
      for (int i = 0; i < block; ++i) sum[i] = accumulator(w, in->source[2], first + i);
#pragma clang loop unroll(full)
      for (int k = 0; k < k_size; ++k)
#pragma clang loop unroll(full)
        for (int i = 0; i < block; ++i)
          sum[i] = step(Value(a_elements[16 * k + first + i]), b[k], sum[i]);
#pragma clang loop unroll(full)
      for (int i = 0; i < block; ++i) store_result(w, in, first + i, sum[i]);
    }
  }

  // Lanes that must hold copies and do not: the lowest, or -1. The hardware's result would be
  // undefined.
  static int unequal_copy(const Wavefront& w, const Source& s, int registers) {
    if (s.kind != SourceKind::vgpr) return -1;
    for (int r = 0; r < registers; ++r)
      for (int l = 0; l < 16; ++l)
        if (w.vgpr[s.index + r][l] != w.vgpr[s.index + r][l + 16]) return l + 16;
    return -1;
  }

  static const Instruction* execute(Wavefront& w, const Instruction* in) {
    if (exec(w) != 0xffffffffu) [[unlikely]]
      return raise(w, in, FaultKind::wmma_inactive_lanes, __builtin_ctz(~exec(w)));
    if constexpr (row.has(catalogue::Constraint::equal_copies)) {
      if (w.observe_lds) [[unlikely]] {
        int lane = unequal_copy(w, in->source[0], row.a.registers);
        if (lane < 0) lane = unequal_copy(w, in->source[1], row.b.registers);
        if (lane >= 0) return raise(w, in, FaultKind::wmma_unequal_copies, lane);
      }
    }
    if (overlaps_shifted(in)) [[unlikely]]
      multiply<16>(w, in);
    else
      multiply<8>(w, in);
    return in + 1;
  }
};

template <std::size_t index>
constexpr Row matrix_row() {
  constexpr const catalogue::Instruction& from = catalogue::rdna_instructions[index];
  Row row{};
  for (std::size_t i = 0; i < from.name.size(); ++i) row.name[i] = from.name[i];
  row.form = Form::matrix;
  row.generation = from.family() == catalogue::Family::gfx11 ? 11 : 12;
  row.destination = Type::wide;
  row.sources[0] = row.sources[1] = Type::wide;
  row.sources[2] = from.d_type == ElementType::f32   ? Type::f32
                   : from.d_type == ElementType::i32 ? Type::i32
                   : from.d_type == ElementType::f16 ? Type::packed_f16
                                                     : Type::packed_bf16;
  row.plain = row.general = &Wmma<index>::execute;
  return row;
}

constexpr bool executable(const catalogue::Instruction& row) {
  return row.wave == 32 && !row.is_sparse();
}

struct Table {
  Row rows[64];
  unsigned count = 0;

  template <std::size_t index>
  constexpr void add() {
    if constexpr (executable(catalogue::rdna_instructions[index]))
      rows[count++] = matrix_row<index>();
  }
  template <std::size_t... index>
  constexpr void add_all(std::index_sequence<index...>) {
    (add<index>(), ...);
  }
  constexpr Table() : rows{} {
    add_all(std::make_index_sequence<catalogue::rdna_instructions.size()>{});
  }
};

constexpr Table table;

}  // namespace

Rows matrix_rows() { return {table.rows, table.count}; }

}  // namespace heddle::emulator::HEDDLE_LEVEL
