// Scalar arithmetic, logic, comparisons and moves.
// Meanings: RDNA3 and RDNA4 ISA, chapter "Scalar ALU operations".
#include "emulator/handlers/scalar_row.h"
#include "emulator/handlers/tables.h"

namespace heddle::emulator::HEDDLE_LEVEL {
namespace {

HEDDLE_INLINE Flagged<u32> add_unsigned(u32 a, u32 b) {
  const u32 sum = a + b;
  return {sum, sum < a};
}
HEDDLE_INLINE Flagged<u32> subtract_unsigned(u32 a, u32 b) { return {a - b, a < b}; }
HEDDLE_INLINE Flagged<i32> add_signed(i32 a, i32 b) {
  i32 sum;
  const bool overflow = __builtin_add_overflow(a, b, &sum);
  return {sum, overflow};
}
HEDDLE_INLINE Flagged<i32> subtract_signed(i32 a, i32 b) {
  i32 difference;
  const bool overflow = __builtin_sub_overflow(a, b, &difference);
  return {difference, overflow};
}

// Extracts a bit field. The second operand has its offset in bits 5..0 (4..0 for 32 bits) and its
// width in bits 22..16.
template <class T>
HEDDLE_INLINE Flagged<T> extract_field(T a, u32 control) {
  constexpr unsigned bits = sizeof(T) * 8;
  const unsigned offset = control & (bits - 1), width = control >> 16 & 0x7fu;
  if (width == 0) return {0, false};
  T field = a >> offset;
  if (width < bits) {
    // Shifts left, then right, so that a signed type is sign-extended.
    const u64 moved = static_cast<u64>(field) << (64 - width);
    field = static_cast<T>(static_cast<T>(-1) < 0
                               ? static_cast<u64>(static_cast<i64>(moved) >> (64 - width))
                               : moved >> (64 - width));
  }
  return nonzero(field);
}

template <class T>
HEDDLE_INLINE int count_leading_zeros(T x) {
  if (x == 0) return -1;
  return sizeof(T) == 8 ? __builtin_clzll(x) : __builtin_clz(static_cast<u32>(x));
}
template <class T>
HEDDLE_INLINE int count_trailing_zeros(T x) {
  if (x == 0) return -1;
  return sizeof(T) == 8 ? __builtin_ctzll(x) : __builtin_ctz(static_cast<u32>(x));
}
HEDDLE_INLINE u32 reverse_bits(u32 x) { return __builtin_bitreverse32(x); }

// s_lshl1_add_u32 and similar instructions: shift, then add. SCC is the carry out of 32 bits.
template <unsigned shift>
constexpr auto shift_add = [](u32 a, u32 b) {
  const u64 sum = (u64{a} << shift) + b;
  return Flagged<u32>{static_cast<u32>(sum), sum >> 32 != 0};
};

// A quad is a group of four bits. quads(): the result has one bit for each quad, set if any bit of
// the quad is set. whole_quads(): sets all four bits of each quad in which any bit is set.
template <class T>
HEDDLE_INLINE T quads(T x) {
  T result = 0;
  for (unsigned i = 0; i < sizeof(T) * 2; ++i)
    result |= static_cast<T>((x >> 4 * i & 15) != 0) << i;
  return result;
}
template <class T>
HEDDLE_INLINE T whole_quads(T x) {
  T result = 0;
  for (unsigned i = 0; i < sizeof(T) * 8; i += 4)
    if (x >> i & 15) result |= T{15} << i;
  return result;
}

template <bool wide>
const Instruction* select_by_scc(Wavefront& w, const Instruction* in) {
  const Source& s = in->source[scc(w) ? 0 : 1];
  if constexpr (wide)
    write_scalar64(w, in->destination, read_scalar64(w, s));
  else
    w.scalar[in->destination] = read_scalar(w, s);
  return in + 1;
}

template <bool wide>
const Instruction* move_if_scc(Wavefront& w, const Instruction* in) {
  if (!scc(w)) return in + 1;
  if constexpr (wide)
    write_scalar64(w, in->destination, read_scalar64(w, in->source[0]));
  else
    w.scalar[in->destination] = read_scalar(w, in->source[0]);
  return in + 1;
}

const Instruction* add_with_carry(Wavefront& w, const Instruction* in) {
  const u64 sum = u64{read_scalar(w, in->source[0])} + read_scalar(w, in->source[1]) + scc(w);
  w.scalar[in->destination] = static_cast<u32>(sum);
  set_scc(w, sum >> 32 != 0);
  return in + 1;
}

const Instruction* subtract_with_borrow(Wavefront& w, const Instruction* in) {
  const u64 difference =
      u64{read_scalar(w, in->source[0])} - read_scalar(w, in->source[1]) - scc(w);
  w.scalar[in->destination] = static_cast<u32>(difference);
  set_scc(w, difference >> 32 != 0);
  return in + 1;
}

// s_bitset0 and s_bitset1 change one bit of their destination.
template <bool value, bool wide>
const Instruction* set_bit(Wavefront& w, const Instruction* in) {
  const u32 bit = read_scalar(w, in->source[0]) & (wide ? 63u : 31u);
  u32& word = w.scalar[in->destination + bit / 32];
  word = value ? word | 1u << bit % 32 : word & ~(1u << bit % 32);
  return in + 1;
}

// Moves between registers whose numbers depend on M0. s_movrels adds M0 to the number of the
// source, s_movreld to that of the destination. s_movrelsd_2 adds bits 9..0 to the source's number
// and bits 25..16 to the destination's.
enum class Moves { source, destination, both };

template <Moves moves, bool wide>
const Instruction* move_relative(Wavefront& w, const Instruction* in) {
  const u32 m0 = w.scalar[register_m0];
  const u64 from = u64{in->source[0].index} + (moves == Moves::source        ? m0
                                               : moves == Moves::destination ? 0
                                                                             : m0 & 0x3ffu);
  const u64 to = u64{in->destination} + (moves == Moves::source        ? 0
                                         : moves == Moves::destination ? m0
                                                                       : m0 >> 16 & 0x3ffu);
  constexpr u64 last = wide ? 104 : 105;
  if (from > last || to > last) return raise(w, in, FaultKind::unsupported);
  const bool constant = in->source[0].kind == SourceKind::constant;
  if constexpr (wide) {
    Source s = in->source[0];
    if (!constant) s.index = static_cast<uint16_t>(from);
    write_scalar64(w, static_cast<unsigned>(to), read_scalar64(w, s));
  } else {
    w.scalar[to] = constant ? in->source[0].constant : w.scalar[from];
  }
  return in + 1;
}

constexpr auto and32 = [](u32 a, u32 b) { return nonzero(a & b); };
constexpr auto add_u32 = [](u32 a, u32 b) { return add_unsigned(a, b); };
constexpr auto sub_u32 = [](u32 a, u32 b) { return subtract_unsigned(a, b); };
constexpr auto add_i32 = [](i32 a, i32 b) { return add_signed(a, b); };
constexpr auto sub_i32 = [](i32 a, i32 b) { return subtract_signed(a, b); };
constexpr auto mul_i32 = [](u32 a, u32 b) { return a * b; };
constexpr auto equal_u32 = [](u32 a, u32 b) { return a == b; };
constexpr auto unequal_u32 = [](u32 a, u32 b) { return a != b; };
constexpr auto less_i32 = [](i32 a, i32 b) { return a < b; };
constexpr auto less_equal_i32 = [](i32 a, i32 b) { return a <= b; };
constexpr auto greater_i32 = [](i32 a, i32 b) { return a > b; };
constexpr auto greater_equal_i32 = [](i32 a, i32 b) { return a >= b; };
constexpr auto less_u32 = [](u32 a, u32 b) { return a < b; };
constexpr auto less_equal_u32 = [](u32 a, u32 b) { return a <= b; };
constexpr auto greater_u32 = [](u32 a, u32 b) { return a > b; };
constexpr auto greater_equal_u32 = [](u32 a, u32 b) { return a >= b; };

constexpr Row rows[] = {
    tracking(undefined::copied, scalar<[](u32 a) { return a; }>("s_mov_b32")),
    tracking(undefined::copied, scalar<[](u64 a) { return a; }>("s_mov_b64")),
    tracking(undefined::copied, scalar<[](i32 a) { return a; }>("s_movk_i32")),
    tracking(undefined::copied, scalar<[](u32 a) { return nonzero(~a); }>("s_not_b32")),
    tracking(undefined::copied, scalar<[](u64 a) { return nonzero(~a); }>("s_not_b64")),
    scalar<[](u32 a) { return nonzero(whole_quads(a)); }>("s_wqm_b32"),
    scalar<[](u64 a) { return nonzero(whole_quads(a)); }>("s_wqm_b64"),
    tracking(undefined::any_of_four,
             scalar<[](u32 a) { return nonzero(quads(a)); }>("s_quadmask_b32")),
    tracking(undefined::any_of_four,
             scalar<[](u64 a) { return nonzero(quads(a)); }>("s_quadmask_b64")),
    tracking(undefined::conjunction, scalar<and32>("s_and_b32")),
    tracking(undefined::conjunction,
             scalar<[](u64 a, u64 b) { return nonzero(a & b); }>("s_and_b64")),
    tracking(undefined::disjunction,
             scalar<[](u32 a, u32 b) { return nonzero(a | b); }>("s_or_b32")),
    tracking(undefined::disjunction,
             scalar<[](u64 a, u64 b) { return nonzero(a | b); }>("s_or_b64")),
    tracking(undefined::either, scalar<[](u32 a, u32 b) { return nonzero(a ^ b); }>("s_xor_b32")),
    tracking(undefined::either, scalar<[](u64 a, u64 b) { return nonzero(a ^ b); }>("s_xor_b64")),
    tracking(undefined::conjunction_with_complement,
             scalar<[](u32 a, u32 b) { return nonzero(a & ~b); }>("s_and_not1_b32")),
    tracking(undefined::conjunction_with_complement,
             scalar<[](u64 a, u64 b) { return nonzero(a & ~b); }>("s_and_not1_b64")),
    tracking(undefined::disjunction_with_complement,
             scalar<[](u32 a, u32 b) { return nonzero(a | ~b); }>("s_or_not1_b32")),
    tracking(undefined::disjunction_with_complement,
             scalar<[](u64 a, u64 b) { return nonzero(a | ~b); }>("s_or_not1_b64")),
    tracking(undefined::conjunction,
             scalar<[](u32 a, u32 b) { return nonzero(~(a & b)); }>("s_nand_b32")),
    tracking(undefined::conjunction,
             scalar<[](u64 a, u64 b) { return nonzero(~(a & b)); }>("s_nand_b64")),
    tracking(undefined::disjunction,
             scalar<[](u32 a, u32 b) { return nonzero(~(a | b)); }>("s_nor_b32")),
    tracking(undefined::disjunction,
             scalar<[](u64 a, u64 b) { return nonzero(~(a | b)); }>("s_nor_b64")),
    tracking(undefined::either,
             scalar<[](u32 a, u32 b) { return nonzero(~(a ^ b)); }>("s_xnor_b32")),
    tracking(undefined::either,
             scalar<[](u64 a, u64 b) { return nonzero(~(a ^ b)); }>("s_xnor_b64")),
    tracking(undefined::shifted_left<32>,
             scalar<[](u32 a, u32 b) { return nonzero(a << (b & 31)); }>("s_lshl_b32")),
    tracking(undefined::shifted_left<64>,
             scalar<[](u64 a, u32 b) { return nonzero(a << (b & 63)); }>("s_lshl_b64")),
    tracking(undefined::shifted_right<32>,
             scalar<[](u32 a, u32 b) { return nonzero(a >> (b & 31)); }>("s_lshr_b32")),
    tracking(undefined::shifted_right<64>,
             scalar<[](u64 a, u32 b) { return nonzero(a >> (b & 63)); }>("s_lshr_b64")),
    tracking(undefined::shifted_right_signed<32>,
             scalar<[](i32 a, u32 b) { return nonzero(a >> (b & 31)); }>("s_ashr_i32")),
    tracking(undefined::shifted_right_signed<64>,
             scalar<[](i64 a, u32 b) { return nonzero(a >> (b & 63)); }>("s_ashr_i64")),
    scalar<[](u32 a, u32 b) { return ((1u << (a & 31)) - 1) << (b & 31); }>("s_bfm_b32"),
    scalar<[](u32 a, u32 b) { return ((u64{1} << (a & 63)) - 1) << (b & 63); }>("s_bfm_b64"),
    tracking(undefined::scalar_field<32, false>,
             scalar<[](u32 a, u32 b) { return extract_field<u32>(a, b); }>("s_bfe_u32")),
    tracking(undefined::scalar_field<32, true>,
             scalar<[](i32 a, u32 b) { return extract_field<i32>(a, b); }>("s_bfe_i32")),
    tracking(undefined::scalar_field<64, false>,
             scalar<[](u64 a, u32 b) { return extract_field<u64>(a, b); }>("s_bfe_u64")),
    tracking(undefined::scalar_field<64, true>,
             scalar<[](i64 a, u32 b) { return extract_field<i64>(a, b); }>("s_bfe_i64")),

    tracking(undefined::sum, scalar<add_u32>("s_add_u32")),
    tracking(undefined::sum, scalar<add_u32>("s_add_co_u32")),
    tracking(undefined::sum, scalar<sub_u32>("s_sub_u32")),
    tracking(undefined::sum, scalar<sub_u32>("s_sub_co_u32")),
    tracking(undefined::sum, scalar<add_i32>("s_add_i32")),
    tracking(undefined::sum, scalar<add_i32>("s_add_co_i32")),
    tracking(undefined::sum, scalar<sub_i32>("s_sub_i32")),
    tracking(undefined::sum, scalar<sub_i32>("s_sub_co_i32")),
    scalar<add_i32>("s_addk_i32", Form::scalar_accumulate),
    scalar<add_i32>("s_addk_co_i32", Form::scalar_accumulate),
    scalar<mul_i32>("s_mulk_i32", Form::scalar_accumulate),
    row("s_addc_u32", Form::scalar, &add_with_carry, 2, Type::scalar32, Type::scalar32),
    row("s_add_co_ci_u32", Form::scalar, &add_with_carry, 2, Type::scalar32, Type::scalar32),
    row("s_subb_u32", Form::scalar, &subtract_with_borrow, 2, Type::scalar32, Type::scalar32),
    row("s_sub_co_ci_u32", Form::scalar, &subtract_with_borrow, 2, Type::scalar32, Type::scalar32),
    tracking(undefined::sum, scalar<[](u64 a, u64 b) { return a + b; }>("s_add_nc_u64")),
    tracking(undefined::sum, scalar<[](u64 a, u64 b) { return a - b; }>("s_sub_nc_u64")),
    tracking(undefined::sum, scalar<[](u64 a, u64 b) { return a * b; }>("s_mul_u64")),
    tracking(undefined::sum, scalar<mul_i32>("s_mul_i32")),
    scalar<[](u32 a, u32 b) { return static_cast<u32>(u64{a} * b >> 32); }>("s_mul_hi_u32"),
    scalar<[](i32 a, i32 b) { return static_cast<i32>(i64{a} * b >> 32); }>("s_mul_hi_i32"),
    scalar<[](i32 a) { return nonzero(a < 0 ? static_cast<i32>(0u - static_cast<u32>(a)) : a); }>(
        "s_abs_i32"),
    scalar<[](i32 a, i32 b) {
      const u32 d = static_cast<u32>(a) - static_cast<u32>(b);
      return nonzero(static_cast<i32>(static_cast<i32>(d) < 0 ? 0u - d : d));
    }>("s_absdiff_i32"),
    scalar<[](i32 a, i32 b) { return Flagged<i32>{a < b ? a : b, a < b}; }>("s_min_i32"),
    scalar<[](u32 a, u32 b) { return Flagged<u32>{a < b ? a : b, a < b}; }>("s_min_u32"),
    scalar<[](i32 a, i32 b) { return Flagged<i32>{a > b ? a : b, a > b}; }>("s_max_i32"),
    scalar<[](u32 a, u32 b) { return Flagged<u32>{a > b ? a : b, a > b}; }>("s_max_u32"),
    scalar<shift_add<1>>("s_lshl1_add_u32"),
    scalar<shift_add<2>>("s_lshl2_add_u32"),
    scalar<shift_add<3>>("s_lshl3_add_u32"),
    scalar<shift_add<4>>("s_lshl4_add_u32"),
    tracking(undefined::halves<false, false>,
             scalar<[](u32 a, u32 b) { return (a & 0xffffu) | b << 16; }>("s_pack_ll_b32_b16")),
    tracking(undefined::halves<false, true>,
             scalar<[](u32 a, u32 b) { return (a & 0xffffu) | (b & 0xffff0000u); }>(
                 "s_pack_lh_b32_b16")),
    tracking(undefined::halves<true, true>,
             scalar<[](u32 a, u32 b) { return a >> 16 | (b & 0xffff0000u); }>("s_pack_hh_b32_b16")),
    tracking(undefined::halves<true, false>,
             scalar<[](u32 a, u32 b) { return a >> 16 | b << 16; }>("s_pack_hl_b32_b16")),

    tracking(
        undefined::sign_extended<8>,
        scalar<[](i32 a) { return static_cast<i32>(static_cast<int8_t>(a)); }>("s_sext_i32_i8")),
    tracking(
        undefined::sign_extended<16>,
        scalar<[](i32 a) { return static_cast<i32>(static_cast<int16_t>(a)); }>("s_sext_i32_i16")),
    tracking(undefined::reversed<32>, scalar<[](u32 a) { return reverse_bits(a); }>("s_brev_b32")),
    tracking(undefined::reversed<64>,
             scalar<[](u64 a) { return __builtin_bitreverse64(a); }>("s_brev_b64")),
    scalar<[](u32 a) { return nonzero(static_cast<u32>(__builtin_popcount(a))); }>(
        "s_bcnt1_i32_b32"),
    scalar<[](u64 a) { return nonzero(static_cast<u32>(__builtin_popcountll(a))); }>(
        "s_bcnt1_i32_b64"),
    scalar<[](u32 a) { return nonzero(static_cast<u32>(__builtin_popcount(~a))); }>(
        "s_bcnt0_i32_b32"),
    only_for(isa::gfx9, 0, scalar<[](u32 a) { return count_trailing_zeros(~a); }>("s_ff0_i32_b32")),
    only_for(isa::gfx9, 0, scalar<[](u64 a) { return count_trailing_zeros(~a); }>("s_ff0_i32_b64")),
    scalar<[](u32 a) { return count_trailing_zeros(a); }>("s_ctz_i32_b32"),
    scalar<[](u64 a) { return count_trailing_zeros(a); }>("s_ctz_i32_b64"),
    scalar<[](u32 a) { return count_leading_zeros(a); }>("s_clz_i32_u32"),
    scalar<[](u64 a) { return count_leading_zeros(a); }>("s_clz_i32_u64"),
    scalar<[](i32 a) { return count_leading_zeros(static_cast<u32>(a ^ a >> 31)); }>("s_cls_i32"),
    scalar<[](i64 a) { return count_leading_zeros(static_cast<u64>(a ^ a >> 63)); }>(
        "s_cls_i32_i64"),
    scalar<[](u64 a) { return nonzero(static_cast<u32>(__builtin_popcountll(~a))); }>(
        "s_bcnt0_i32_b64"),
    scalar<[](u32 a) {
      u64 result = 0;
      for (unsigned i = 0; i < 32; ++i) result |= (a >> i & u64{1}) * 3 << (2 * i);
      return result;
    }>("s_bitreplicate_b64_b32"),
    acting(Role::set_bit,
           keeping_destination(row("s_bitset0_b32", Form::scalar, &set_bit<false, false>, 1,
                                   Type::scalar32, Type::scalar32))),
    acting(Role::set_bit,
           keeping_destination(row("s_bitset1_b32", Form::scalar, &set_bit<true, false>, 1,
                                   Type::scalar32, Type::scalar32))),
    acting(Role::set_bit,
           keeping_destination(row("s_bitset0_b64", Form::scalar, &set_bit<false, true>, 1,
                                   Type::scalar64, Type::scalar32))),
    acting(Role::set_bit,
           keeping_destination(row("s_bitset1_b64", Form::scalar, &set_bit<true, true>, 1,
                                   Type::scalar64, Type::scalar32))),
    acting(Role::select, row("s_cselect_b32", Form::scalar, &select_by_scc<false>, 2,
                             Type::scalar32, Type::scalar32)),
    acting(Role::select, row("s_cselect_b64", Form::scalar, &select_by_scc<true>, 2, Type::scalar64,
                             Type::scalar64)),
    acting(Role::conditional_move,
           keeping_destination(row("s_cmov_b32", Form::scalar, &move_if_scc<false>, 1,
                                   Type::scalar32, Type::scalar32))),
    acting(Role::conditional_move,
           keeping_destination(row("s_cmov_b64", Form::scalar, &move_if_scc<true>, 1,
                                   Type::scalar64, Type::scalar64))),
    acting(Role::conditional_move,
           keeping_destination(row("s_cmovk_i32", Form::scalar, &move_if_scc<false>, 1,
                                   Type::scalar32, Type::scalar32))),
    tracking(undefined::copied, indexing(indexes_source, row("s_movrels_b32", Form::scalar,
                                                             &move_relative<Moves::source, false>,
                                                             1, Type::scalar32, Type::scalar32))),
    tracking(undefined::copied,
             indexing(indexes_destination,
                      row("s_movreld_b32", Form::scalar, &move_relative<Moves::destination, false>,
                          1, Type::scalar32, Type::scalar32))),
    tracking(undefined::copied,
             indexing(indexes_source | indexes_destination | indexes_apart,
                      row("s_movrelsd_2_b32", Form::scalar, &move_relative<Moves::both, false>, 1,
                          Type::scalar32, Type::scalar32))),
    tracking(undefined::copied, indexing(indexes_source, row("s_movrels_b64", Form::scalar,
                                                             &move_relative<Moves::source, true>, 1,
                                                             Type::scalar64, Type::scalar64))),
    tracking(undefined::copied,
             indexing(indexes_destination,
                      row("s_movreld_b64", Form::scalar, &move_relative<Moves::destination, true>,
                          1, Type::scalar64, Type::scalar64))),

    scalar<[](i32 a, i32 b) { return a == b; }>("s_cmp_eq_i32"),
    scalar<[](i32 a, i32 b) { return a != b; }>("s_cmp_lg_i32"),
    scalar<greater_i32>("s_cmp_gt_i32"),
    scalar<greater_equal_i32>("s_cmp_ge_i32"),
    scalar<less_i32>("s_cmp_lt_i32"),
    scalar<less_equal_i32>("s_cmp_le_i32"),
    scalar<equal_u32>("s_cmp_eq_u32"),
    scalar<unequal_u32>("s_cmp_lg_u32"),
    scalar<greater_u32>("s_cmp_gt_u32"),
    scalar<greater_equal_u32>("s_cmp_ge_u32"),
    scalar<less_u32>("s_cmp_lt_u32"),
    scalar<less_equal_u32>("s_cmp_le_u32"),
    scalar<[](u64 a, u64 b) { return a == b; }>("s_cmp_eq_u64"),
    scalar<[](u64 a, u64 b) { return a != b; }>("s_cmp_lg_u64"),
    scalar<[](i32 a, i32 b) { return a == b; }>("s_cmpk_eq_i32"),
    scalar<[](i32 a, i32 b) { return a != b; }>("s_cmpk_lg_i32"),
    scalar<greater_i32>("s_cmpk_gt_i32"),
    scalar<greater_equal_i32>("s_cmpk_ge_i32"),
    scalar<less_i32>("s_cmpk_lt_i32"),
    scalar<less_equal_i32>("s_cmpk_le_i32"),
    scalar<equal_u32>("s_cmpk_eq_u32"),
    scalar<unequal_u32>("s_cmpk_lg_u32"),
    scalar<greater_u32>("s_cmpk_gt_u32"),
    scalar<greater_equal_u32>("s_cmpk_ge_u32"),
    scalar<less_u32>("s_cmpk_lt_u32"),
    scalar<less_equal_u32>("s_cmpk_le_u32"),
    scalar<[](u32 a, u32 b) { return (a >> (b & 31) & 1) == 0; }>("s_bitcmp0_b32"),
    scalar<[](u32 a, u32 b) { return (a >> (b & 31) & 1) == 1; }>("s_bitcmp1_b32"),
    scalar<[](u64 a, u32 b) { return (a >> (b & 63) & 1) == 0; }>("s_bitcmp0_b64"),
    scalar<[](u64 a, u32 b) { return (a >> (b & 63) & 1) == 1; }>("s_bitcmp1_b64"),
};

}  // namespace

Rows scalar_arithmetic_rows() { return {rows, sizeof rows / sizeof rows[0]}; }

}  // namespace heddle::emulator::HEDDLE_LEVEL
