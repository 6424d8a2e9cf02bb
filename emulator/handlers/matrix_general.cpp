#include "emulator/handlers/matrix_general.h"

#include "emulator/handlers/matrix_elements.h"

namespace heddle::emulator::HEDDLE_LEVEL {
namespace {

HEDDLE_INLINE bool is_integer(const MatrixForm& form) { return form.d_type == ElementType::i32; }

HEDDLE_INLINE Wavefront& half_wave(Wavefront& w, const Slice& at) {
  return at.half < 2 ? w : *w.upper;
}
HEDDLE_INLINE Word16 register_of(Wavefront& w, const Source& s, const Slice& at) {
  if (s.kind != SourceKind::vgpr) return Word16(read_scalar(w, s));
  return register_half(half_wave(w, at), s.index + at.reg, at.half & 1);
}

// A number of one lane: f32, or an integer of any type here.
union Number {
  float real;
  int32_t integer;
};

[[gnu::noinline]] Float16 floats_at(ElementType type, Word16 reg, int position) {
  switch (type) {
    case ElementType::f16:
      return floats_of<ElementType::f16>(reg, position);
    case ElementType::bf16:
      return floats_of<ElementType::bf16>(reg, position);
    case ElementType::fp8:
      return floats_of<ElementType::fp8>(reg, position);
    case ElementType::bf8:
      return floats_of<ElementType::bf8>(reg, position);
    default:
      return floats_of<ElementType::f32>(reg, position);
  }
}

// Reads sixteen elements of A or B. For floats, the modifiers neg_lo and neg_hi flip the signs of
// elements with even and with odd position. For integers, neg_lo means that they are signed.
void read_elements(Number (&to)[16], ElementType type, Word16 reg, int position, uint8_t flags) {
  if (type == ElementType::iu8 || type == ElementType::iu4) {
    const bool is_signed = flags & source_negate;
    const Word16 x = type == ElementType::iu8
                         ? integers_of<ElementType::iu8>(reg, position, is_signed)
                         : integers_of<ElementType::iu4>(reg, position, is_signed);
    __builtin_memcpy(to, &x, sizeof x);
    return;
  }
  Float16 x = floats_at(type, reg, position);
  if (flags & (position % 2 ? source_negate_high : source_negate)) x = -x;
  __builtin_memcpy(to, &x, sizeof x);
}

// A as a list of terms in the order of k. A term has one element of each row m of A, and its k. If
// A is sparse, it has only two elements of every four k; the index says of which k.
struct Terms {
  int count = 0;
  Number value[MatrixForm::most_k][16];
  uint8_t k[MatrixForm::most_k][16];
};

void read_terms(Terms& terms, Wavefront& w, const Instruction* in, const MatrixForm& form) {
  const Source& a = in->source[0];
  if (!form.sparse) {
    terms.count = form.k;
    for (int k = 0; k < form.k; ++k) {
      const Slice& at = form.a[k];
      read_elements(terms.value[k], form.a_type, register_of(w, a, at), at.position, a.flags);
      for (uint8_t& each : terms.k[k]) each = static_cast<uint8_t>(k);
    }
    return;
  }
  terms.count = form.k / 2;
  for (int group = 0; group < form.k / 4; ++group) {
    const Slice &at = form.a[group], &index_at = form.index[group];
    const Word16 index =
        register_of(w, in->source[2], index_at) >>
        static_cast<uint32_t>(in->offset * form.index_bits + 4 * index_at.position);
    for (int survivor = 0; survivor < 2; ++survivor) {
      const int term = 2 * group + survivor;
      read_elements(terms.value[term], form.a_type, register_of(w, a, at),
                    2 * at.position + survivor, a.flags);
      for (int m = 0; m < 16; ++m)
        terms.k[term][m] = static_cast<uint8_t>(4u * static_cast<unsigned>(group) +
                                                (index[m] >> (2 * survivor) & 3u));
    }
  }
}

// Row m of the accumulator, as numbers of 32 bits: of C for a dense instruction, of D for a sparse
// one.
Word16 accumulator_bits(Wavefront& w, const Instruction* in, const MatrixForm& form, int m) {
  Source c = in->source[2];
  if (form.sparse) {
    c = Source{};
    c.kind = SourceKind::vgpr;
    c.index = in->destination;
  }
  const Slice& at = form.d[m];
  const Word16 reg = register_of(w, c, at);
  if (is_integer(form)) return reg;
  int position = form.half_unpacked ? (c.flags & source_high ? 1 : 0) : at.position;
  // A constant is the same for all elements; the decoder stores it in the low bits.
  if (c.kind == SourceKind::constant) position = 0;
  Word16 x = float_bits(floats_at(form.d_type, reg, position));
  // For C, neg_hi means the absolute value; then neg_lo, if set, negates it.
  if (c.flags & source_negate_high) x &= 0x7fffffffu;
  if (c.flags & source_negate) x ^= 0x80000000u;
  return x;
}

void store_row(Wavefront& w, const Instruction* in, const MatrixForm& form, int m, Word16 result) {
  const Slice& at = form.d[m];
  auto* place = reinterpret_cast<Word16*>(half_wave(w, at).vgpr[in->destination + at.reg] +
                                          16 * (at.half & 1));
  if (form.d_type == ElementType::f32 || form.d_type == ElementType::i32) {
    *place = result;
    return;
  }
  const Float16 x = __builtin_bit_cast(Float16, result);
  const Word16 bits = form.d_type == ElementType::f16 ? rounded_bits<ElementType::f16>(x)
                                                      : rounded_bits<ElementType::bf16>(x);
  const bool high =
      form.half_unpacked ? (in->source[2].flags & source_high) != 0 : at.position == 1;
  *place = high ? (*place & 0xffffu) | bits << 16 : (*place & 0xffff0000u) | bits;
}

using Long16 = int64_t __attribute__((ext_vector_type(16)));

// Computes row m of D: C plus the products in the order of k. Floats are rounded to f32 after each
// step. Integers are summed in 64 bits, and the final sum wraps around to 32 bits, or saturates.
Word16 row_of_result(const Terms& terms, const Word16* b, Word16 c, int m, bool integer,
                     bool saturate) {
  if (!integer) {
    Float16 sum = __builtin_bit_cast(Float16, c);
    for (int t = 0; t < terms.count; ++t)
      sum = __builtin_elementwise_fma(Float16(terms.value[t][m].real),
                                      __builtin_bit_cast(Float16, b[terms.k[t][m]]), sum);
    return float_bits(sum);
  }
  using Signed16 = int32_t __attribute__((ext_vector_type(16)));
  Long16 sum = __builtin_convertvector(__builtin_bit_cast(Signed16, c), Long16);
  for (int t = 0; t < terms.count; ++t)
    sum += Long16(int64_t{terms.value[t][m].integer}) *
           __builtin_convertvector(__builtin_bit_cast(Signed16, b[terms.k[t][m]]), Long16);
  if (saturate) {
    const Long16 low = Long16(int64_t{-2147483647} - 1), high = Long16(int64_t{2147483647});
    sum = sum < low ? low : sum;
    sum = sum > high ? high : sum;
  }
  using Unsigned64 = uint64_t __attribute__((ext_vector_type(16)));
  return __builtin_convertvector(__builtin_bit_cast(Unsigned64, sum), Word16);
}

HEDDLE_INLINE int first_inactive_lane(const Wavefront& w, int wave) {
  if (exec(w) != 0xffffffffu) return __builtin_ctz(~exec(w));
  const uint32_t upper = w.scalar[register_exec + 1];
  return wave == 64 && upper != 0xffffffffu ? 32 + __builtin_ctz(~upper) : -1;
}

}  // namespace

const Instruction* multiply_general(Wavefront& w, const Instruction* in) {
  const MatrixForm& form = matrix_form(in->extra);
  if (const int lane = first_inactive_lane(w, form.wave); lane >= 0) [[unlikely]]
    return raise(w, in, FaultKind::wmma_inactive_lanes, lane);
  if (form.equal_copies && w.verify_copies) {
    const int lane = unequal_copy(w, in, form.a_registers, form.b_registers, form.wave);
    if (lane >= 0) return raise(w, in, FaultKind::wmma_unequal_copies, lane);
  }
  Terms terms;
  read_terms(terms, w, in, form);
  Word16 b[MatrixForm::most_k];
  for (int k = 0; k < form.k; ++k) {
    Number row[16];
    read_elements(row, form.b_type, register_of(w, in->source[1], form.b[k]), form.b[k].position,
                  in->source[1].flags);
    __builtin_memcpy(&b[k], row, sizeof row);
  }
  Word16 c[16];  // all of it before any of D is written
  for (int m = 0; m < 16; ++m) c[m] = accumulator_bits(w, in, form, m);
  for (int m = 0; m < 16; ++m)
    store_row(w, in, form, m,
              row_of_result(terms, b, c[m], m, is_integer(form), in->flags & flag_clamp));
  return in + 1;
}

}  // namespace heddle::emulator::HEDDLE_LEVEL
