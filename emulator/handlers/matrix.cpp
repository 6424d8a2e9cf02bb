// Matrix instructions. Nothing here knows a layout: every row of the catalogue becomes a row of
// this table, and where an element lies is read from its maps at compile time. The dense ones of
// wave32 have handlers of their own, unrolled; the others share one (matrix_general.h).
//
// A product of 16 x 16 x k: the columns n are the lanes of 16-wide vectors. Row k of B is one
// vector; row m of C and D is one vector; element (m, k) of A is broadcast from a small table of A
// in memory. D[m] = C[m] + sum over rising k of A[m][k] * B[k], one rounding per step in f32; what
// the hardware rounds in between is not documented.
#include "emulator/handlers/matrix_elements.h"
#include "emulator/handlers/matrix_general.h"
#include "emulator/handlers/tables.h"
#include "emulator/machine/matrix_copies.h"

namespace heddle::emulator::HEDDLE_LEVEL {
namespace {

inline void stop_constant_evaluation() {}  // not constexpr: calling it does not compile

template <int count>
struct Slices {
  Slice at[count];
};

// The slices of an operand. A row of the catalogue that has none does not compile.
template <std::size_t row, Operand operand, int count>
consteval Slices<count> slices_along(const char* axis, const char* lane_axis) {
  Slices<count> slices{};
  const auto map = catalogue::isa_fragment(catalogue::rdna_instructions[row], operand);
  if (!find_slices(slices.at, count, map, axis, lane_axis)) stop_constant_evaluation();
  return slices;
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
    HEDDLE_UNROLL
    for (int k = 0; k < k_size; ++k) a[k] = operand<row.a_type>(w, in->source[0], a_slices.at[k]);
    HEDDLE_UNROLL
    for (int k = 0; k < k_size; ++k) b[k] = operand<row.b_type>(w, in->source[1], b_slices.at[k]);
    const auto* a_elements = reinterpret_cast<const __typeof__(a[0][0] + 0)*>(a);
    asm volatile("" : : "r"(a_elements) : "memory");  // A stays a table in memory
    HEDDLE_UNROLL
    for (int first = 0; first < 16; first += block) {
      Value sum[block];
      HEDDLE_UNROLL
      for (int i = 0; i < block; ++i) sum[i] = accumulator(w, in->source[2], first + i);
      HEDDLE_UNROLL
      for (int k = 0; k < k_size; ++k) HEDDLE_UNROLL
      for (int i = 0; i < block; ++i)
        sum[i] = step(Value(a_elements[16 * k + first + i]), b[k], sum[i]);
      HEDDLE_UNROLL
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

  static bool permuted_alike(const Wavefront& w, const Instruction* in) {
    const Source &a = in->source[0], &b = in->source[1];
    return a.kind == SourceKind::vgpr && b.kind == SourceKind::vgpr &&
           row.a.registers == row.b.registers &&
           copies_agree(&w.vgpr[a.index], &w.vgpr[b.index], row.a.registers);
  }

  static const Instruction* execute(Wavefront& w, const Instruction* in) {
    if (exec(w) != 0xffffffffu) [[unlikely]]
      return raise(w, in, FaultKind::wmma_inactive_lanes, __builtin_ctz(~exec(w)));
    if constexpr (row.has(catalogue::Constraint::equal_copies)) {
      if (w.verify_copies) [[unlikely]] {
        int lane = unequal_copy(w, in->source[0], row.a.registers);
        if (lane < 0) lane = unequal_copy(w, in->source[1], row.b.registers);
        if (lane >= 0 && !permuted_alike(w, in))
          return raise(w, in, FaultKind::wmma_unequal_copies, lane);
      }
    }
    if (overlaps_shifted(in)) [[unlikely]]
      multiply<16>(w, in);
    else
      multiply<8>(w, in);
    return in + 1;
  }
};

constexpr Type type_of_c(ElementType d) {
  return d == ElementType::f32   ? Type::f32
         : d == ElementType::i32 ? Type::i32
         : d == ElementType::f16 ? Type::packed_f16
                                 : Type::packed_bf16;
}

// The general handler finds its row of the catalogue in Instruction::extra.
template <std::size_t index>
constexpr Row matrix_row() {
  constexpr const catalogue::Instruction& from = catalogue::rdna_instructions[index];
  Row row{};
  for (std::size_t i = 0; i < from.name.size(); ++i) row.name[i] = from.name[i];
  row.form = Form::matrix;
  row.generation = from.family() == catalogue::Family::gfx11 ? 11 : 12;
  row.wave = from.wave;
  row.destination = Type::wide;
  row.sources[0] = row.sources[1] = Type::wide;
  row.sources[2] = from.is_sparse() ? Type::u32 : type_of_c(from.d_type);
  row.extra = index;
  row.plain = row.general = &multiply_general;
  if constexpr (from.wave == 32 && !from.is_sparse()) row.plain = &Wmma<index>::execute;
  return row;
}

struct Table {
  Row rows[catalogue::rdna_instructions.size()];
  unsigned count = 0;

  template <std::size_t... index>
  constexpr void add_all(std::index_sequence<index...>) {
    ((rows[count++] = matrix_row<index>()), ...);
  }
  constexpr Table() : rows{} {
    add_all(std::make_index_sequence<catalogue::rdna_instructions.size()>{});
  }
};

constexpr Table table;

}  // namespace

Rows matrix_rows() { return {table.rows, table.count}; }

}  // namespace heddle::emulator::HEDDLE_LEVEL
