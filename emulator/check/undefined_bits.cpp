#include "emulator/check/undefined_bits.h"

#include <bit>

namespace heddle::emulator::check {
namespace {

constexpr uint64_t all = ~uint64_t{0};
using Bits = const uint64_t*;

// An undefined bit of a sum or product changes it from its own place upwards.
constexpr uint64_t upwards(uint64_t undefined) {
  return undefined == 0 ? 0 : all << std::countr_zero(undefined);
}

// A defined 0 (and) or a defined 1 (or) makes the bit of the other side count for nothing.
constexpr uint64_t conjunction(uint64_t a, uint64_t ua, uint64_t b, uint64_t ub) {
  return (ua & ub) | (ua & b) | (ub & a);
}
constexpr uint64_t disjunction(uint64_t a, uint64_t ua, uint64_t b, uint64_t ub) {
  return (ua & ub) | (ua & ~b) | (ub & ~a);
}

template <unsigned bits>
constexpr uint64_t shifted_left(uint64_t undefined, uint64_t amount, uint64_t undefined_amount) {
  if (undefined_amount & (bits - 1)) return all;
  return undefined << (amount & (bits - 1));
}
template <unsigned bits>
constexpr uint64_t shifted_right(uint64_t undefined, uint64_t amount, uint64_t undefined_amount,
                                 bool extends_sign) {
  if (undefined_amount & (bits - 1)) return all;
  const unsigned by = amount & (bits - 1);
  const uint64_t within = bits == 64 ? undefined : undefined & ((uint64_t{1} << bits % 64) - 1);
  uint64_t moved = within >> by;
  if (extends_sign && within >> (bits - 1) & 1) moved |= all << (bits - 1 - by);
  return moved;
}

constexpr uint64_t field(Bits v, Bits u, bool is_signed, unsigned bits) {
  if (u[1] | u[2]) return all;
  const unsigned offset = v[1] & (bits - 1), width = v[2] & 31;
  if (width == 0) return 0;
  const uint64_t part = u[0] >> offset & ((uint64_t{1} << width) - 1);
  return is_signed && part >> (width - 1) & 1 ? part | all << width : part;
}

// v_perm_b32: four selectors of a byte; 0 to 7 pick one, 8 to 11 a sign, others constants.
constexpr uint64_t permuted(Bits v, Bits u) {
  const uint64_t both = (u[0] << 32) | (u[1] & 0xffffffffu);
  uint64_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned selector = v[2] >> (8 * i) & 255u;
    uint64_t byte = 0;
    if (u[2] >> (8 * i) & 255u)
      byte = 255;
    else if (selector < 8)
      byte = both >> (8 * selector) & 255u;
    else if (selector < 12)
      byte = both >> (16 * (selector - 8) + 15) & 1 ? 255 : 0;
    result |= byte << (8 * i);
  }
  return result;
}

constexpr uint64_t aligned(Bits v, Bits u, unsigned unit) {
  if (u[2] & (unit == 8 ? 3u : 31u)) return all;
  const uint64_t both = (u[0] << 32) | (u[1] & 0xffffffffu);
  return both >> ((v[2] * unit) & 31u) & 0xffffffffu;
}

// v_bitop3 and, with no third source, v_bitop2: bit 4a + 2b + c of the table is the result. A bit
// of it is defined where all values that the undefined bits of the sources can have give the same.
constexpr uint64_t of_table(Bits v, Bits u) {
  uint64_t may_be_one = 0, may_be_zero = 0;
  for (unsigned i = 0; i < 8; ++i) {
    uint64_t possible = all;
    for (unsigned source = 0; source < 3; ++source)
      possible &= (i << source & 4 ? v[source] : ~v[source]) | u[source];
    (v[3] >> i & 1 ? may_be_one : may_be_zero) |= possible;
  }
  return may_be_one & may_be_zero;
}

constexpr uint64_t halves(bool low, bool high) {
  return (low ? 0xffffu : 0u) | (high ? 0xffff0000u : 0u);
}

template <unsigned byte>
uint64_t of_byte(Bits, Bits u) {
  return u[0] >> (8 * byte) & 255u ? all : 0;
}

uint64_t first(Bits, Bits u) { return u[0]; }
uint64_t either(Bits, Bits u) { return u[0] | u[1] | u[2]; }
uint64_t sum(Bits, Bits u) { return upwards(u[0] | u[1] | u[2]); }
uint64_t pack_16(Bits, Bits u) { return (u[0] & 0xffffu) | (u[1] & 0xffffu) << 16; }
uint64_t pack_converted(Bits, Bits u) { return halves(u[0], u[1]); }
uint64_t select(Bits v, Bits u) { return u[2] ? all : v[2] ? u[1] : u[0]; }

struct Rule {
  std::string_view name;
  UndefinedBits bits;
};

constexpr Rule rules[] = {
    {"v_mov_b32", first},
    {"v_mov_b16", first},
    {"v_mov_b64", first},
    {"v_movrels_b32", first},
    {"v_movreld_b32", first},
    {"v_movrelsd_b32", first},
    {"v_movrelsd_2_b32", first},
    {"v_pk_mov_b32",
     [](Bits, Bits u) { return (u[0] & 0xffffffffu) | (u[1] & 0xffffffffu) << 32; }},
    {"v_not_b32", first},
    {"v_xor_b32", either},
    {"v_xnor_b32", either},
    {"v_xor3_b32", either},
    {"v_and_b32", [](Bits v, Bits u) { return conjunction(v[0], u[0], v[1], u[1]); }},
    {"v_or_b32", [](Bits v, Bits u) { return disjunction(v[0], u[0], v[1], u[1]); }},
    {"v_and_b16", [](Bits v, Bits u) { return conjunction(v[0], u[0], v[1], u[1]); }},
    {"v_or_b16", [](Bits v, Bits u) { return disjunction(v[0], u[0], v[1], u[1]); }},
    {"v_or3_b32",
     [](Bits v, Bits u) {
       return disjunction(v[0] | v[1], disjunction(v[0], u[0], v[1], u[1]), v[2], u[2]);
     }},
    {"v_and_or_b32",
     [](Bits v, Bits u) {
       return disjunction(v[0] & v[1], conjunction(v[0], u[0], v[1], u[1]), v[2], u[2]);
     }},
    {"v_bfi_b32", [](Bits v, Bits u) { return u[0] | (v[0] & u[1]) | (~v[0] & u[2]); }},
    {"v_bitop2_b32", of_table},
    {"v_bitop3_b32", of_table},
    {"v_bitop3_b16", of_table},
    {"v_lshlrev_b32", [](Bits v, Bits u) { return shifted_left<32>(u[1], v[0], u[0]); }},
    {"v_lshlrev_b16", [](Bits v, Bits u) { return shifted_left<16>(u[1], v[0], u[0]); }},
    {"v_lshlrev_b64", [](Bits v, Bits u) { return shifted_left<64>(u[1], v[0], u[0]); }},
    {"v_lshrrev_b32", [](Bits v, Bits u) { return shifted_right<32>(u[1], v[0], u[0], false); }},
    {"v_lshrrev_b64", [](Bits v, Bits u) { return shifted_right<64>(u[1], v[0], u[0], false); }},
    {"v_ashrrev_i32", [](Bits v, Bits u) { return shifted_right<32>(u[1], v[0], u[0], true); }},
    {"v_ashrrev_i64", [](Bits v, Bits u) { return shifted_right<64>(u[1], v[0], u[0], true); }},
    {"v_lshl_or_b32",
     [](Bits v, Bits u) {
       return disjunction(v[0] << (v[1] & 31), shifted_left<32>(u[0], v[1], u[1]), v[2], u[2]);
     }},
    {"v_lshl_add_u32",
     [](Bits v, Bits u) { return upwards(shifted_left<32>(u[0], v[1], u[1]) | u[2]); }},
    {"v_add_lshl_u32",
     [](Bits v, Bits u) { return shifted_left<32>(upwards(u[0] | u[1]), v[2], u[2]); }},
    {"v_lshl_add_u64",
     [](Bits v, Bits u) { return upwards(shifted_left<64>(u[0], v[1] & 7, u[1] & 7) | u[2]); }},
    {"v_add_nc_u32", sum},
    {"v_sub_nc_u32", sum},
    {"v_subrev_nc_u32", sum},
    {"v_add3_u32", sum},
    {"v_xad_u32", sum},
    {"v_mul_lo_u32", sum},
    {"v_mul_u32_u24", sum},
    {"v_mad_u32_u24", sum},
    // The upper word of the addend is often left undefined when only the lower sum is wanted.
    {"v_mad_u64_u32", sum},
    {"v_mad_co_u64_u32", sum},
    {"v_mad_i64_i32", sum},
    {"v_mad_co_i64_i32", sum},
    {"v_bfe_u32", [](Bits v, Bits u) { return field(v, u, false, 32); }},
    {"v_bfe_i32", [](Bits v, Bits u) { return field(v, u, true, 32); }},
    {"v_perm_b32", [](Bits v, Bits u) { return permuted(v, u); }},
    {"v_alignbit_b32", [](Bits v, Bits u) { return aligned(v, u, 1); }},
    {"v_alignbyte_b32", [](Bits v, Bits u) { return aligned(v, u, 8); }},
    {"v_pack_b32_f16", pack_16},
    {"v_cvt_pk_rtz_f16_f32", pack_converted},
    {"v_cvt_pkrtz_f16_f32", pack_converted},
    {"v_cvt_pk_i16_i32", pack_converted},
    {"v_cvt_pk_u16_u32", pack_converted},
    {"v_cvt_f32_ubyte0", of_byte<0>},
    {"v_cvt_f32_ubyte1", of_byte<1>},
    {"v_cvt_f32_ubyte2", of_byte<2>},
    {"v_cvt_f32_ubyte3", of_byte<3>},
    {"v_cndmask_b32", select},
    {"v_cndmask_b16", select},

    {"s_mov_b32", first},
    {"s_mov_b64", first},
    {"s_movrels_b32", first},
    {"s_movreld_b32", first},
    {"s_movrelsd_2_b32", first},
    {"s_movrels_b64", first},
    {"s_movreld_b64", first},
    {"s_not_b32", first},
    {"s_not_b64", first},
    {"s_xor_b32", either},
    {"s_xor_b64", either},
    {"s_xnor_b32", either},
    {"s_xnor_b64", either},
    {"s_and_b32", [](Bits v, Bits u) { return conjunction(v[0], u[0], v[1], u[1]); }},
    {"s_and_b64", [](Bits v, Bits u) { return conjunction(v[0], u[0], v[1], u[1]); }},
    {"s_nand_b32", [](Bits v, Bits u) { return conjunction(v[0], u[0], v[1], u[1]); }},
    {"s_nand_b64", [](Bits v, Bits u) { return conjunction(v[0], u[0], v[1], u[1]); }},
    {"s_and_not1_b32", [](Bits v, Bits u) { return conjunction(v[0], u[0], ~v[1], u[1]); }},
    {"s_and_not1_b64", [](Bits v, Bits u) { return conjunction(v[0], u[0], ~v[1], u[1]); }},
    {"s_or_b32", [](Bits v, Bits u) { return disjunction(v[0], u[0], v[1], u[1]); }},
    {"s_or_b64", [](Bits v, Bits u) { return disjunction(v[0], u[0], v[1], u[1]); }},
    {"s_nor_b32", [](Bits v, Bits u) { return disjunction(v[0], u[0], v[1], u[1]); }},
    {"s_nor_b64", [](Bits v, Bits u) { return disjunction(v[0], u[0], v[1], u[1]); }},
    {"s_or_not1_b32", [](Bits v, Bits u) { return disjunction(v[0], u[0], ~v[1], u[1]); }},
    {"s_or_not1_b64", [](Bits v, Bits u) { return disjunction(v[0], u[0], ~v[1], u[1]); }},
    {"s_lshl_b32", [](Bits v, Bits u) { return shifted_left<32>(u[0], v[1], u[1]); }},
    {"s_lshl_b64", [](Bits v, Bits u) { return shifted_left<64>(u[0], v[1], u[1]); }},
    {"s_lshr_b32", [](Bits v, Bits u) { return shifted_right<32>(u[0], v[1], u[1], false); }},
    {"s_lshr_b64", [](Bits v, Bits u) { return shifted_right<64>(u[0], v[1], u[1], false); }},
    {"s_ashr_i32", [](Bits v, Bits u) { return shifted_right<32>(u[0], v[1], u[1], true); }},
    {"s_ashr_i64", [](Bits v, Bits u) { return shifted_right<64>(u[0], v[1], u[1], true); }},
    {"s_add_u32", sum},
    {"s_add_co_u32", sum},
    {"s_add_i32", sum},
    {"s_add_co_i32", sum},
    {"s_add_nc_u64", sum},
    {"s_sub_u32", sum},
    {"s_sub_co_u32", sum},
    {"s_sub_i32", sum},
    {"s_sub_co_i32", sum},
    {"s_sub_nc_u64", sum},
    {"s_mul_i32", sum},
    {"s_mul_u64", sum},
    {"s_pack_ll_b32_b16", pack_16},
    {"s_pack_lh_b32_b16", [](Bits, Bits u) { return (u[0] & 0xffffu) | (u[1] & 0xffff0000u); }},
    {"s_pack_hh_b32_b16", [](Bits, Bits u) { return u[0] >> 16 | (u[1] & 0xffff0000u); }},
    {"s_pack_hl_b32_b16", [](Bits, Bits u) { return u[0] >> 16 | (u[1] & 0xffffu) << 16; }},
};

}  // namespace

UndefinedBits undefined_bits_of(std::string_view mnemonic) {
  for (const Rule& rule : rules)
    if (rule.name == mnemonic) return rule.bits;
  return nullptr;
}

}  // namespace heddle::emulator::check
