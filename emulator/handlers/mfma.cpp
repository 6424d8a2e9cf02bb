// Executes CDNA's matrix instructions, for every row of the catalogue. No layout is written here:
// machine/mfma_form.h makes runs of sixteen lanes from the catalogue's maps. How products are added
// follows from the row's rule (heddle/instruction/numerics.h).
//
// The columns are the lanes of vectors of 16 numbers: row k of B is one or several such vectors,
// and so is row m of C and of D. Element (m, k) of A is broadcast to a vector. EXEC does not matter
// (AMD Instinct MI300 Instruction Set Architecture, "Matrix Arithmetic Instructions"), nor does
// MODE.
#include "emulator/handlers/matrix_runs.h"
#include "emulator/handlers/tables.h"
#include "emulator/machine/float_mode.h"
#include "emulator/machine/fused_sum.h"

namespace heddle::emulator::HEDDLE_LEVEL {
namespace {

using catalogue::FloatShape;
using catalogue::Summation;
using catalogue::SumRule;
using Signed16 = int32_t __attribute__((ext_vector_type(16)));
using Long16 = int64_t __attribute__((ext_vector_type(16)));
using Double16 = double __attribute__((ext_vector_type(16)));

HEDDLE_INLINE Signed16 larger(Signed16 a, Signed16 b) { return a > b ? a : b; }
HEDDLE_INLINE Signed16 smaller(Signed16 a, Signed16 b) { return a < b ? a : b; }

// --- the product -------------------------------------------------------------------------------

// The operands of one instruction: A and B converted to numbers of 32 bits, C and D in their own
// element types.
struct Product {
  const MfmaForm& form;
  int rows, runs, terms;                // of A, of B and D; of the sum
  Word16 a[MfmaOperand::most];          // term by term, all rows
  Word16 b[MfmaOperand::most];          // k by k, all columns
  Word16 d[MfmaOperand::most];          // row by row, all columns; C at first
  Word16 index[MfmaOperand::most / 2];  // of a sparse A

  explicit Product(const MfmaForm& of)
      : form(of), rows(of.m * of.blocks), runs(of.d.runs), terms(of.sparse ? of.k / 2 : of.k) {}

  HEDDLE_INLINE uint32_t a_at(int term, int row) const {
    return reinterpret_cast<const uint32_t*>(a)[term * rows + row];
  }
  // The elements of A by which a run of 16 columns is multiplied: row i of A, for the given term.
  // The 16 columns belong to one block (one of the matrices that the instruction multiplies), or,
  // for 4 x 4 matrices, to four blocks.
  template <bool narrow>
  HEDDLE_INLINE Word16 a_for(const Word16* from, int term, int i, int run) const {
    const auto* numbers = reinterpret_cast<const uint32_t*>(from) + term * rows;
    if constexpr (!narrow) return Word16(numbers[16 * run / form.n * form.m + i]);
    Word16 x;
    for (int l = 0; l < 16; ++l) x[l] = numbers[(4 * run + l / 4) * 4 + i];
    return x;
  }
  // The k of a term in row i of A. It is the number of the term; for a sparse A, it follows from
  // the index.
  template <bool sparse>
  HEDDLE_INLINE int k_of(int term, int i) const {
    if constexpr (!sparse) return term;
    const uint32_t places = reinterpret_cast<const uint32_t*>(index)[term / 2 * rows + i];
    return term / 2 * 4 + static_cast<int>(places >> (term % 2 * 2) & 3u);
  }
};

HEDDLE_INLINE Float16 floats(Word16 x) { return bits_as_vector<Float16>(x); }

// Adds the terms from `first` up to, but not including, `last` to `sum`, one after the other: sum =
// fma(a, b, sum), or sum + a * b for integers. Computes `many` rows of D at the same time, to hide
// the latency of a step.
template <bool narrow, bool sparse, bool integer, int many>
HEDDLE_INLINE void chain_rows(const Product& p, Word16* sum, int i, int run, int first, int last) {
  for (int term = first; term < last; ++term) HEDDLE_UNROLL
  for (int r = 0; r < many; ++r) {
    const Word16 x = p.a_for<narrow>(p.a, term, i + r, run);
    const Word16 y = p.b[p.k_of<sparse>(term, i + r) * p.runs + run];
    if constexpr (integer)
      sum[r] += x * y;
    else
      sum[r] =
          bits_as_vector<Word16>(__builtin_elementwise_fma(floats(x), floats(y), floats(sum[r])));
  }
}

template <bool narrow, bool sparse, bool integer>
void chain(Product& p) {
  constexpr int many = 4;
  for (int run = 0; run < p.runs; ++run)
    for (int i = 0; i < p.form.m; i += many) {
      Word16 sum[many];
      for (int r = 0; r < many; ++r) sum[r] = p.d[(i + r) * p.runs + run];
      chain_rows<narrow, sparse, integer, many>(p, sum, i, run, 0, p.terms);
      for (int r = 0; r < many; ++r) p.d[(i + r) * p.runs + run] = sum[r];
    }
}

// For instructions with scales: A and B each have a scale, a power of two (e8m0), for every 32 k.
// The sum of each 32 k is multiplied by the product of the two scales, which is computed in double,
// where it cannot overflow.
void scaled_blocks(Product& p, const Word16* scale_a, const Word16* scale_b) {
  constexpr int many = 4, block = 32;
  const auto* rows = reinterpret_cast<const uint32_t*>(scale_a);
  for (int run = 0; run < p.runs; ++run)
    for (int i = 0; i < p.form.m; i += many)
      for (int first = 0; first < p.terms; first += block) {
        Word16 sum[many] = {};
        chain_rows<false, false, false, many>(p, sum, i, run, first, first + block);
        const int group = first / block;
        const Word16 of_b = scale_b[group * p.runs + run];
        for (int r = 0; r < many; ++r) {
          const uint32_t of_a = rows[group * p.rows + i + r];
          using Unsigned64 = uint64_t __attribute__((ext_vector_type(16)));
          const Unsigned64 exponent =
              __builtin_convertvector(Word16(of_b + (of_a + 1023u - 254u)), Unsigned64);
          const auto scale = bits_as_vector<Double16>(exponent << 52);
          Word16& d = p.d[(i + r) * p.runs + run];
          const Double16 total = __builtin_convertvector(floats(sum[r]), Double16) * scale +
                                 __builtin_convertvector(floats(d), Double16);
          Word16 result = bits_as_vector<Word16>(__builtin_convertvector(total, Float16));
          result = of_b == 0xffu ? Word16(0x7fc00000u) : result;
          d = of_a == 0xffu ? Word16(0x7fc00000u) : result;
        }
      }
}

// --- pairs -------------------------------------------------------------------------------------

HEDDLE_INLINE Word16 without_subnormals(Word16 x, uint32_t smallest, uint32_t kept_sign) {
  return (x & 0x7fffffffu) < smallest ? x & kept_sign : x;
}
constexpr uint32_t sign_bit = 0x80000000u, smallest_normal = 0x00800000u;

template <bool narrow>
void pairs(Product& p) {
  const SumRule& rule = p.form.rule;
  const bool flushes = rule.flushes;
  const auto clean = [&](Float16 x) {
    return flushes
               ? floats(without_subnormals(bits_as_vector<Word16>(x), smallest_normal, sign_bit))
               : x;
  };
  if (flushes) {
    const auto flush = [](Word16* numbers, int count, ElementType type) {
      const auto smallest =
          static_cast<uint32_t>(catalogue::float_shape(type).smallest_exponent + 127) << 23;
      for (int i = 0; i < count; ++i) numbers[i] = without_subnormals(numbers[i], smallest, 0);
    };
    flush(p.a, p.terms * p.rows / 16, p.form.a[0].type);
    flush(p.b, p.terms * p.runs, p.form.b[0].type);
    flush(p.d, p.form.m * p.runs, ElementType::f32);
  }
  for (int run = 0; run < p.runs; ++run)
    for (int i = 0; i < p.form.m; ++i) {
      Float16 sum = floats(p.d[i * p.runs + run]);
      for (int first = 0; first < p.terms; first += rule.group) {
        Float16 part[4];
        for (int t = 0; t < rule.group; ++t)
          part[t] = clean(__builtin_elementwise_fma(floats(p.a_for<narrow>(p.a, first + t, i, run)),
                                                    floats(p.b[(first + t) * p.runs + run]),
                                                    Float16(0.0f)));
        for (int step = 1; step < rule.group; step *= 2)
          for (int t = 0; t < rule.group; t += 2 * step) part[t] = clean(part[t] + part[t + step]);
        sum = clean(sum + part[0]);
      }
      p.d[i * p.runs + run] = bits_as_vector<Word16>(sum);
    }
}

// --- fused -------------------------------------------------------------------------------------

// The numbers of A or of B as significand * 2^exponent, with integer significands. Together, the
// significands of A and B have as many fraction bits as a fused sum keeps, so that a product with
// the largest exponent needs no shift.
struct Parts {
  Word16 significand[MfmaOperand::most], exponent[MfmaOperand::most];
  int largest_exponent = -1000;
  bool finite = true;
};

HEDDLE_INLINE void split_number(Word16 x, int smallest_exponent, Signed16& significand,
                                Signed16& exponent) {
  const Word16 field = x >> 23 & 0xffu;
  exponent = bits_as_vector<Signed16>(field == 0u ? Word16(1u) : field) - 127;
  Word16 magnitude = x & 0x7fffffu;
  magnitude = field == 0u ? magnitude : magnitude | 0x800000u;
  // If the number is subnormal in its own format, it is shifted to the smallest exponent of that
  // format.
  const Signed16 below = larger(smallest_exponent - exponent, Signed16(0));
  magnitude = magnitude >> bits_as_vector<Word16>(smaller(below, Signed16(31)));
  exponent = larger(exponent, Signed16(smallest_exponent));
  exponent = magnitude == 0u ? Signed16(catalogue::FusedSum::exponent_of_zero) : exponent;
  const Signed16 number = bits_as_vector<Signed16>(magnitude);
  significand = (x >> 31) != 0u ? -number : number;
}

void split_numbers(Parts& to, const Word16* from, int count, FloatShape shape, int raised) {
  Signed16 largest = Signed16(-1000);
  Word16 fields = Word16(0u);
  for (int i = 0; i < count; ++i) {
    Signed16 significand, exponent;
    split_number(from[i], shape.smallest_exponent, significand, exponent);
    significand = (significand >> (23 - shape.fraction_bits)) << raised;
    to.significand[i] = bits_as_vector<Word16>(significand);
    to.exponent[i] = bits_as_vector<Word16>(exponent);
    largest = larger(largest, exponent);
    fields |= bits_as_vector<Word16>((from[i] >> 23 & 0xffu) == 0xffu);
  }
  to.largest_exponent = __builtin_reduce_max(largest);
  to.finite = __builtin_reduce_or(fields) == 0;
}

// The sum of every `step`-th of `count` products, as an integer. Each product is first rounded
// towards zero to a multiple of 2^-24 times 2^largest, where `largest` is the largest exponent of
// these products.
HEDDLE_INLINE void cut_sum(const Signed16* products, const Signed16* exponents, int count, int step,
                           Signed16& sum, Signed16& largest) {
  largest = exponents[0];
  for (int t = step; t < count; t += step) largest = larger(largest, exponents[t]);
  sum = Signed16(0);
  for (int t = 0; t < count; t += step) {
    const Signed16 sign = products[t] >> 31;
    const Signed16 magnitude =
        ((products[t] ^ sign) - sign) >> smaller(largest - exponents[t], Signed16(31));
    sum += (magnitude ^ sign) - sign;
  }
}

// C plus the sum, as FusedSum says.
HEDDLE_INLINE Word16 with_addend(Word16 c, Signed16 sum, Signed16 exponent, bool splits) {
  using catalogue::FusedSum;
  constexpr int extra = FusedSum::sum_bits - FusedSum::fraction_bits;
  Signed16 addend, addend_exponent;
  split_number(c, -126, addend, addend_exponent);
  const Signed16 largest = larger(exponent, addend_exponent);
  const Signed16 behind = largest - addend_exponent;
  addend = (addend << (FusedSum::fraction_bits - 23)) >> smaller(behind, Signed16(31));
  if (splits) addend = behind > FusedSum::farthest_c ? Signed16(0) : addend;
  const Long16 total =
      ((__builtin_convertvector(sum, Long16) << extra) >>
       __builtin_convertvector(smaller(largest - exponent, Signed16(63)), Long16)) +
      (__builtin_convertvector(addend, Long16) << extra);
  const Long16 scale = (__builtin_convertvector(largest, Long16) + (1023 - FusedSum::sum_bits))
                       << 52;
  const Word16 result = bits_as_vector<Word16>(__builtin_convertvector(
      Double16(__builtin_convertvector(total, Double16) * bits_as_vector<Double16>(scale)),
      Float16));
  return (c & 0x7f800000u) == 0x7f800000u ? c : result;
}

template <bool narrow, bool sparse>
void fused_in_range(Product& p, const Parts& a, const Parts& b) {
  constexpr int most = 16;
  const SumRule& rule = p.form.rule;
  for (int run = 0; run < p.runs; ++run)
    for (int i = 0; i < p.form.m; ++i) {
      Word16& d = p.d[i * p.runs + run];
      for (int first = 0; first < p.terms; first += rule.group) {
        Signed16 products[most], exponents[most];
        for (int t = 0; t < rule.group; ++t) {
          const int term = first + t, of_b = p.k_of<sparse>(term, i) * p.runs + run;
          products[t] = bits_as_vector<Signed16>(p.a_for<narrow>(a.significand, term, i, run) *
                                                 b.significand[of_b]);
          exponents[t] = bits_as_vector<Signed16>(p.a_for<narrow>(a.exponent, term, i, run) +
                                                  b.exponent[of_b]);
        }
        Signed16 sum, exponent;
        cut_sum(products, exponents, rule.group, rule.splits ? 2 : 1, sum, exponent);
        if (rule.splits) {
          Signed16 odd, odd_exponent;
          cut_sum(products + 1, exponents + 1, rule.group - 1, 2, odd, odd_exponent);
          const Signed16 both = larger(exponent, odd_exponent);
          sum = (sum >> smaller(both - exponent, Signed16(31))) +
                (odd >> smaller(both - odd_exponent, Signed16(31)));
          exponent = both;
        }
        d = with_addend(d, sum, exponent, rule.splits);
      }
    }
}

// Computes the fused sums for each element of D separately. This is slower, but also right for
// infinities, NaN and overflow.
template <bool narrow, bool sparse>
void fused_one_by_one(Product& p, FloatShape a_shape, FloatShape b_shape) {
  constexpr int most = 16;
  const SumRule& rule = p.form.rule;
  for (int run = 0; run < p.runs; ++run)
    for (int i = 0; i < p.form.m; ++i)
      for (int l = 0; l < 16; ++l) {
        float sum = floats(p.d[i * p.runs + run])[l];
        for (int first = 0; first < p.terms; first += rule.group) {
          float a[most], b[most];
          for (int t = 0; t < rule.group; ++t) {
            a[t] = floats(p.a_for<narrow>(p.a, first + t, i, run))[l];
            b[t] = floats(p.b[p.k_of<sparse>(first + t, i) * p.runs + run])[l];
          }
          sum = fused_sum(a, a_shape, b, b_shape, rule.group, sum, rule.splits);
        }
        p.d[i * p.runs + run][l] = __builtin_bit_cast(uint32_t, sum);
      }
}

// Computes the fused sums. Returns true if the numbers required the slow way, fused_one_by_one.
template <bool narrow, bool sparse>
bool fused(Product& p) {
  const FloatShape a_shape = catalogue::float_shape(p.form.a[0].type),
                   b_shape = catalogue::float_shape(p.form.b[0].type);
  Parts a, b;
  split_numbers(a, p.a, p.form.a[0].count * p.form.a[0].runs, a_shape,
                catalogue::FusedSum::fraction_bits - a_shape.fraction_bits - b_shape.fraction_bits);
  split_numbers(b, p.b, p.form.b[0].count * p.form.b[0].runs, b_shape, 0);
  // Fast if the largest exponents add up to at most 125: products are then below 4 * 2^125 = 2^127.
  const bool is_slow = !a.finite || !b.finite || a.largest_exponent + b.largest_exponent >= 126;
  if (is_slow)
    fused_one_by_one<narrow, sparse>(p, a_shape, b_shape);
  else
    fused_in_range<narrow, sparse>(p, a, b);
  return is_slow;
}

// --- f64 ---------------------------------------------------------------------------------------

using Long64 = uint64_t __attribute__((ext_vector_type(16)));

HEDDLE_INLINE Long64 double_words(Wavefront& w, unsigned first, MfmaRun run) {
  const unsigned reg = first + run.bit / 32u;
  return __builtin_convertvector(*sixteen_lanes(w, reg, run.sixteenth), Long64) |
         __builtin_convertvector(*sixteen_lanes(w, reg + 1, run.sixteenth), Long64) << 32;
}
HEDDLE_INLINE Double16 signed_doubles(Long64 x, const Source& s) {
  return bits_as_vector<Double16>(x ^ (s.flags & source_negate ? uint64_t{1} << 63 : 0));
}

const Instruction* multiply_doubles(Wavefront& w, const Instruction* in) {
  const MfmaForm& form = mfma_form(in->extra);
  const MfmaOperand &of_a = form.a[0], &of_b = form.b[0];
  const Source& c = in->source[2];
  Double16 a[4], b[4], d[16];
  for (int i = 0; i < of_a.count; ++i)
    a[i] = signed_doubles(double_words(w, in->source[0].index, of_a.at[i]), in->source[0]);
  for (int i = 0; i < of_b.count; ++i)
    b[i] = signed_doubles(double_words(w, in->source[1].index, of_b.at[i]), in->source[1]);
  for (int i = 0; i < form.d.count; ++i)
    d[i] = signed_doubles(c.kind == SourceKind::vgpr ? double_words(w, c.index, form.d.at[i])
                                                     : Long64(read_scalar64(w, c)),
                          c);
  for (int i = 0; i < form.m; ++i) {
    for (int k = 0; k < form.k; ++k) {
      Double16 x = Double16(a[k][i & 15]);
      if (form.n == 4)
        for (int l = 0; l < 16; ++l) x[l] = a[k][l / 4 * 4 + i];
      d[i] = __builtin_elementwise_fma(x, b[k], d[i]);
    }
    const MfmaRun run = form.d.at[i];
    const auto words = bits_as_vector<Long64>(d[i]);
    const unsigned reg = in->destination + run.bit / 32u;
    *sixteen_lanes(w, reg, run.sixteenth) = __builtin_convertvector(words, Word16);
    *sixteen_lanes(w, reg + 1, run.sixteenth) = __builtin_convertvector(words >> 32, Word16);
  }
  return in + 1;
}

// --- the instruction ---------------------------------------------------------------------------

// Applies the modifiers CBSZ and ABID: the blocks of A form groups of 2^cbsz, and all blocks of a
// group use the elements of the group's block number abid.
void broadcast_blocks(Product& p, int cbsz, int abid) {
  auto* numbers = reinterpret_cast<uint32_t*>(p.a);
  const int others = (1 << cbsz) - 1;
  for (int term = 0; term < p.terms; ++term, numbers += p.rows) {
    uint32_t before[64];
    __builtin_memcpy(before, numbers, sizeof(uint32_t) * static_cast<unsigned>(p.rows));
    for (int row = 0; row < p.rows; ++row) {
      const int block = (row / p.form.m & ~others) | abid;
      numbers[row] = before[block * p.form.m + row % p.form.m];
    }
  }
}

void read_scales(Word16* to, Wavefront& w, unsigned reg, const MfmaOperand& operand, int selector) {
  for (int i = 0; i < operand.count * operand.runs; ++i)
    to[i] = elements_at<8>(w, reg, operand.at[i].bit + 8u * static_cast<unsigned>(selector),
                           operand.at[i].sixteenth);
}

template <bool narrow, bool sparse>
void add_products(Product& p, Wavefront& w) {
  switch (p.form.rule.summation) {
    case Summation::exact:
      return chain<narrow, sparse, true>(p);
    case Summation::pairs:
      if constexpr (!sparse) return pairs<narrow>(p);
      return;
    case Summation::fused:
      if (fused<narrow, sparse>(p))
        w.counters.work += static_cast<uint64_t>(p.runs * 16 * p.form.m * p.terms);
      return;
    default:
      return chain<narrow, sparse, false>(p);
  }
}

void add_products(Product& p, Wavefront& w, const Instruction* in, const MfmaModifiers& modifiers) {
  if (p.form.scaled) {
    Word16 scale_a[8], scale_b[8];
    read_scales(scale_a, w, in->source[3].index, p.form.scale_a, modifiers.scale_a);
    read_scales(scale_b, w, in->destination2, p.form.scale_b, modifiers.scale_b);
    return scaled_blocks(p, scale_a, scale_b);
  }
  if (p.form.sparse) return add_products<false, true>(p, w);
  return p.form.n == 4 ? add_products<true, false>(p, w) : add_products<false, false>(p, w);
}

void multiply_singles(Wavefront& w, const Instruction* in) {
  const MfmaForm& form = mfma_form(in->extra);
  const MfmaModifiers modifiers = MfmaModifiers::of(in->offset);
  constexpr uint8_t in_order[4] = {0, 1, 2, 3};
  Product p(form);
  const MfmaOperand& of_a = form.a[form.has_formats ? modifiers.cbsz : 0];
  const MfmaOperand& of_b = form.b[form.has_formats ? modifiers.blgp : 0];
  reader_of(of_a.type)(p.a, w, in->source[0].index, of_a, in_order);
  reader_of(of_b.type)(p.b, w, in->source[1].index, of_b, form.lane_group[modifiers.blgp]);
  Source c = in->source[2];
  if (form.sparse) {
    const unsigned part = modifiers.cbsz != 0 ? 0 : static_cast<unsigned>(modifiers.abid);
    for (int i = 0; i < form.index.count * form.index.runs; ++i)
      p.index[i] = elements_at<4>(
          w, c.index, form.index.at[i].bit + part * static_cast<unsigned>(form.index_bits),
          form.index.at[i].sixteenth);
    c.kind = SourceKind::vgpr;
    c.index = in->destination;
  } else if (!form.has_formats && modifiers.cbsz != 0) {
    broadcast_blocks(p, modifiers.cbsz, modifiers.abid);
  }
  for (int i = 0; i < form.d.count * form.d.runs; ++i)
    p.d[i] = c.kind == SourceKind::vgpr
                 ? *sixteen_lanes(w, c.index + form.d.at[i].bit / 32u, form.d.at[i].sixteenth)
                 : Word16(read_scalar(w, c));
  add_products(p, w, in, modifiers);
  for (int i = 0; i < form.d.count * form.d.runs; ++i)
    *sixteen_lanes(w, in->destination + form.d.at[i].bit / 32u, form.d.at[i].sixteenth) = p.d[i];
}

// Executes a matrix instruction with the float mode that MFMA has whatever MODE says: subnormal
// numbers are kept, and results are rounded to nearest even. The instruction's rule may differ from
// that.
template <auto multiply>
const Instruction* in_own_mode(Wavefront& w, const Instruction* in) {
  constexpr uint32_t single_precision = 0x33, nearest_with_subnormals = 0x30;
  if ((w.mode & single_precision) == nearest_with_subnormals) [[likely]] {
    multiply(w, in);
    return in + 1;
  }
  const FloatModeScope scope;
  install_float_mode(nearest_with_subnormals);
  multiply(w, in);
  return in + 1;
}

constexpr Row matrix_row(const catalogue::Instruction& from, std::size_t index) {
  Row row{};
  for (std::size_t i = 0; i < from.name.size(); ++i) row.name[i] = from.name[i];
  row.form = Form::matrix;
  row.families = from.families;
  row.wave = 64;
  row.destination = Type::wide;
  row.sources[0] = row.sources[1] = Type::wide;
  row.sources[2] = from.is_sparse()                  ? Type::u32
                   : from.d_type == ElementType::i32 ? Type::i32
                   : from.d_type == ElementType::f64 ? Type::f64
                                                     : Type::f32;
  if (from.has(Operand::scale_a)) row.sources[3] = Type::u32;
  row.reads_destination = from.is_sparse();
  row.extra = static_cast<uint16_t>(index);
  row.plain = from.d_type == ElementType::f64 ? &in_own_mode<&multiply_doubles>
                                              : &in_own_mode<&multiply_singles>;
  return row;
}

// The rows of all instructions but CDNA1's, which the emulator does not run.
struct Table {
  Row rows[catalogue::cdna_instructions.size()];
  unsigned count = 0;

  constexpr Table() : rows{} {
    for (std::size_t i = 0; i < catalogue::cdna_instructions.size(); ++i)
      if (catalogue::cdna_instructions[i].family() != catalogue::Family::gfx908)
        rows[count++] = matrix_row(catalogue::cdna_instructions[i], i);
  }
};

constexpr Table table;

}  // namespace

Rows mfma_rows() { return {table.rows, table.count}; }

}  // namespace heddle::emulator::HEDDLE_LEVEL
