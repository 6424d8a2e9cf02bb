// Executes the matrix instructions of gfx1250, for every row of the catalogue: WMMA, SWMMAC
// (sparse) and scaled ones. The positions of elements, as runs of 16 lanes, are made from the
// catalogue's maps by machine/mfma_form.h.
//
// D[m] = C[m] + the sum of A[m][k] * B[k] for ascending k, rounded to f32 after each step. How the
// hardware adds is not published. Sums of integers wrap around, or saturate with `clamp`.
#include "emulator/handlers/matrix_runs.h"
#include "emulator/handlers/tables.h"

namespace heddle::emulator::HEDDLE_LEVEL {
namespace {

using Long16 = int64_t __attribute__((ext_vector_type(16)));
using Double16 = double __attribute__((ext_vector_type(16)));
using Signed16 = int32_t __attribute__((ext_vector_type(16)));

constexpr uint8_t in_order[4] = {0, 1, 2, 3};

// Applies the modifiers neg_lo and neg_hi to the numbers of an operand. For floats, they flip the
// signs of the elements with even and with odd position. For integers, neg_lo means that the
// elements are signed.
void apply_signs(Word16* numbers, const MfmaOperand& operand, uint8_t flags) {
  const bool integers = operand.type == ElementType::iu8;
  if (!(flags & (source_negate | source_negate_high))) return;
  for (int i = 0; i < operand.count * operand.runs; ++i) {
    if (integers) {
      if (flags & source_negate) numbers[i] = (numbers[i] ^ 0x80u) - 0x80u;
      continue;
    }
    const bool odd = operand.at[i].bit / operand.bits % 2 != 0;
    if (flags & (odd ? source_negate_high : source_negate)) numbers[i] ^= 0x80000000u;
  }
}

HEDDLE_INLINE Word16 register_bits(Wavefront& w, const Source& s, const MfmaRun& run) {
  if (s.kind != SourceKind::vgpr) return Word16(read_scalar(w, s));
  return *sixteen_lanes(w, s.index + run.bit / 32u, run.sixteenth);
}

// 16 elements of C, as f32 or 32-bit integers.
Word16 addend(Wavefront& w, const Source& c, const MfmaOperand& operand, int i) {
  const MfmaRun& run = operand.at[i];
  const Word16 reg = register_bits(w, c, run);
  if (operand.type == ElementType::i32) return reg;
  // A constant is the same for all elements; the decoder stores it in the low bits.
  const int half = c.kind == SourceKind::constant ? 0 : run.bit % 32 / 16;
  Word16 x = reg;
  if (operand.type == ElementType::f16)
    x = float_bits(floats_of<ElementType::f16>(reg, half));
  else if (operand.type == ElementType::bf16)
    x = float_bits(floats_of<ElementType::bf16>(reg, half));
  // For C, neg_hi means the absolute value; then neg_lo, if set, negates it.
  if (c.flags & source_negate_high) x &= 0x7fffffffu;
  if (c.flags & source_negate) x ^= 0x80000000u;
  return x;
}

void store_run(Wavefront& w, const Instruction* in, const MfmaOperand& operand, int i, Word16 x) {
  const MfmaRun& run = operand.at[i];
  Word16* const place = sixteen_lanes(w, in->destination + run.bit / 32u, run.sixteenth);
  if (operand.type == ElementType::f32 || operand.type == ElementType::i32) {
    *place = x;
    return;
  }
  const Float16 sum = bits_as_vector<Float16>(x);
  const Word16 bits = operand.type == ElementType::f16 ? rounded_bits<ElementType::f16>(sum)
                                                       : rounded_bits<ElementType::bf16>(sum);
  *place = run.bit % 32 != 0 ? (*place & 0xffffu) | bits << 16 : (*place & 0xffff0000u) | bits;
}

// --- scales ------------------------------------------------------------------------------------

// The value of the scale with the bits x.
// - Format 0 is E8M0: 2^(x - 127), and NaN for 255.
// - Format 1 is E5M3: five bits of exponent, three fraction bits, no sign. It is assumed that the
// bias is 15 and that 255 is NaN.
// - Format 2 is E4M3, which is also a format of A and B.
double scale_of(uint32_t x, int format) {
  constexpr double nan = __builtin_nan("");
  if (format == 0) return x == 255 ? nan : __builtin_ldexp(1.0, static_cast<int>(x) - 127);
  if (format == 1) {
    if (x == 255) return nan;
    const int exponent = static_cast<int>(x >> 3), fraction = static_cast<int>(x & 7);
    return exponent == 0 ? __builtin_ldexp(fraction, -17)
                         : __builtin_ldexp(8 + fraction, exponent - 18);
  }
  return static_cast<double>(fp8_to_float(Word16(x))[0]);
}

// The scales of A or B. A scale is for one row of A (or column of B) and one group of consecutive
// k: that of group g and row or column r is at[g * 32 + r].
struct Scales {
  double at[8 * 32];
};
void read_scales(Scales& to, Wavefront& w, unsigned reg, const MfmaOperand& operand, int row,
                 int format) {
  for (int i = 0; i < operand.count; ++i)
    for (int run = 0; run < operand.runs; ++run) {
      const MfmaRun& at = operand.at[i * operand.runs + run];
      const unsigned sixteenth = at.sixteenth ^ static_cast<unsigned>(operand.runs == 1 ? row : 0);
      const Word16 x = elements_at<8>(w, reg, at.bit, sixteenth);
      for (int l = 0; l < 16; ++l) to.at[i * 32 + 16 * run + l] = scale_of(x[l], format);
    }
}

// --- the product -------------------------------------------------------------------------------

struct Operands {
  const MfmaForm& form;
  const MfmaOperand &of_a, &of_b;
  int terms;
  Word16 a[MfmaOperand::most], b[MfmaOperand::most / 2];
  Word16 index[32];  // of a sparse A: the two places of a group of four

  HEDDLE_INLINE uint32_t a_at(int term, int m) const {
    return a[term * of_a.runs + m / 16][m % 16];
  }
  HEDDLE_INLINE int k_of(int term, int m) const {
    if (!form.sparse) return term;
    return term / 2 * 4 + static_cast<int>(index[term / 2][m] >> (term % 2 * 2) & 3u);
  }
};

Word16 float_sum(const Operands& p, int m, Word16 c) {
  Float16 sum = bits_as_vector<Float16>(c);
  for (int t = 0; t < p.terms; ++t)
    sum = __builtin_elementwise_fma(Float16(__builtin_bit_cast(float, p.a_at(t, m))),
                                    bits_as_vector<Float16>(p.b[p.k_of(t, m)]), sum);
  return float_bits(sum);
}

// Computes one row of D with scales. In f64, the product of two elements and their two scales is
// exact. Each product is added to the sum, which is then rounded to f32.
Word16 scaled_sum(const Operands& p, const Scales& scale_a, const Scales& scale_b, int m,
                  Word16 c) {
  const int per_group = p.form.k / p.form.scale_a.count;
  Float16 sum = bits_as_vector<Float16>(c);
  for (int k = 0; k < p.form.k; ++k) {
    const int group = k / per_group;
    const double a =
        static_cast<double>(__builtin_bit_cast(float, p.a_at(k, m))) * scale_a.at[group * 32 + m];
    Double16 b = __builtin_convertvector(bits_as_vector<Float16>(p.b[k]), Double16);
    for (int l = 0; l < 16; ++l) b[l] *= scale_b.at[group * 32 + l];
    sum = __builtin_convertvector(
        __builtin_elementwise_fma(Double16(a), b, __builtin_convertvector(sum, Double16)), Float16);
  }
  return float_bits(sum);
}

Word16 integer_sum(const Operands& p, int m, Word16 c, bool saturate) {
  Long16 sum = __builtin_convertvector(bits_as_vector<Signed16>(c), Long16);
  for (int t = 0; t < p.terms; ++t)
    sum += Long16(int64_t{static_cast<int32_t>(p.a_at(t, m))}) *
           __builtin_convertvector(bits_as_vector<Signed16>(p.b[p.k_of(t, m)]), Long16);
  if (saturate) {
    const Long16 low = Long16(int64_t{-2147483647} - 1), high = Long16(int64_t{2147483647});
    sum = sum < low ? low : sum;
    sum = sum > high ? high : sum;
  }
  using Unsigned64 = uint64_t __attribute__((ext_vector_type(16)));
  return __builtin_convertvector(bits_as_vector<Unsigned64>(sum), Word16);
}

const Instruction* multiply(Wavefront& w, const Instruction* in) {
  if (exec(w) != 0xffffffffu) [[unlikely]]
    return raise(w, in, FaultKind::wmma_inactive_lanes, __builtin_ctz(~exec(w)));
  const MfmaForm& form = mfma_form(in->extra);
  const WmmaModifiers modifiers = WmmaModifiers::of(in->offset);
  Operands p{form,
             form.a[modifiers.a_format],
             form.b[modifiers.b_format],
             form.sparse ? form.k / 2 : form.k,
             {},
             {},
             {}};
  reader_of(p.of_a.type)(p.a, w, in->source[0].index, p.of_a, in_order);
  reader_of(p.of_b.type)(p.b, w, in->source[1].index, p.of_b, in_order);
  apply_signs(p.a, p.of_a, in->source[0].flags);
  apply_signs(p.b, p.of_b, in->source[1].flags);
  Source c = in->source[2];
  if (form.sparse) {
    for (int i = 0; i < form.index.count; ++i)
      p.index[i] = elements_at<4>(w, c.index, form.index.at[i].bit, form.index.at[i].sixteenth);
    c = Source{};
    c.kind = SourceKind::vgpr;
    c.index = in->destination;
  }
  Scales scale_a, scale_b;
  if (form.scaled) {
    read_scales(scale_a, w, in->source[3].index, form.scale_a, modifiers.a_row,
                modifiers.a_scale_format);
    read_scales(scale_b, w, in->destination2, form.scale_b, modifiers.b_row,
                modifiers.b_scale_format);
  }
  Word16 sum[32];  // all of C is read before any of D is written
  for (int m = 0; m < form.m; ++m) {
    const Word16 before = addend(w, c, form.c, m);
    sum[m] = form.d.type == ElementType::i32 ? integer_sum(p, m, before, in->flags & flag_clamp)
             : form.scaled                   ? scaled_sum(p, scale_a, scale_b, m, before)
                                             : float_sum(p, m, before);
  }
  for (int m = 0; m < form.m; ++m) store_run(w, in, form.d, m, sum[m]);
  return in + 1;
}

constexpr Row matrix_row(const catalogue::Instruction& from, std::size_t number) {
  Row row{};
  for (std::size_t i = 0; i < from.name.size(); ++i) row.name[i] = from.name[i];
  row.form = Form::matrix;
  row.families = isa::gfx1250;
  row.wave = 32;
  row.destination = Type::wide;
  row.sources[0] = row.sources[1] = Type::wide;
  const ElementType c = from.type(Operand::c);
  row.sources[2] = from.is_sparse()         ? Type::u32
                   : c == ElementType::i32  ? Type::i32
                   : c == ElementType::f16  ? Type::packed_f16
                   : c == ElementType::bf16 ? Type::packed_bf16
                                            : Type::f32;
  if (from.has(Operand::scale_a)) row.sources[3] = Type::u32;
  row.reads_destination = from.is_sparse();
  row.extra = static_cast<uint16_t>(number);
  row.plain = row.general = &multiply;
  return row;
}

struct Table {
  Row rows[catalogue::gfx1250_instructions.size()];
  unsigned count = 0;

  constexpr Table() : rows{} {
    for (std::size_t i = 0; i < catalogue::gfx1250_instructions.size(); ++i)
      rows[count++] = matrix_row(catalogue::gfx1250_instructions[i], first_gfx1250_form + i);
  }
};

constexpr Table table;

}  // namespace

Rows wmma_gfx1250_rows() { return {table.rows, table.count}; }

}  // namespace heddle::emulator::HEDDLE_LEVEL
