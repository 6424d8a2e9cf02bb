#include "emulator/machine/undefined_bits.h"

#include <bit>

namespace heddle::emulator::undefined {
namespace {

constexpr uint64_t all = ~uint64_t{0};

// If bit i of a source is undefined, bit i of the sum or product and all higher bits are undefined.
constexpr uint64_t upwards(uint64_t undefined) {
  return undefined == 0 ? 0 : all << std::countr_zero(undefined);
}

// An and with a defined 0 is 0, and an or with a defined 1 is 1, even if the other bit is
// undefined.
constexpr uint64_t both(uint64_t a, uint64_t ua, uint64_t b, uint64_t ub) {
  return (ua & ub) | (ua & b) | (ub & a);
}
constexpr uint64_t any(uint64_t a, uint64_t ua, uint64_t b, uint64_t ub) {
  return (ua & ub) | (ua & ~b) | (ub & ~a);
}

template <unsigned bits>
constexpr uint64_t to_the_left(uint64_t undefined, uint64_t amount, uint64_t undefined_amount) {
  if (undefined_amount & (bits - 1)) return all;
  return undefined << (amount & (bits - 1));
}
template <unsigned bits>
constexpr uint64_t to_the_right(uint64_t undefined, uint64_t amount, uint64_t undefined_amount,
                                bool extends_sign) {
  if (undefined_amount & (bits - 1)) return all;
  const unsigned by = amount & (bits - 1);
  const uint64_t within = bits == 64 ? undefined : undefined & ((uint64_t{1} << bits % 64) - 1);
  uint64_t moved = within >> by;
  if (extends_sign && within >> (bits - 1) & 1) moved |= all << (bits - 1 - by);
  return moved;
}

constexpr uint64_t part(Bits v, Bits u, bool is_signed) {
  if (u[1] | u[2]) return all;
  const unsigned offset = v[1] & 31, width = v[2] & 31;
  if (width == 0) return 0;
  // A signed field that reaches beyond bit 31 continues with copies of bit 31.
  const uint64_t beyond = is_signed && u[0] >> 31 & 1 ? all << 31 : 0;
  const uint64_t part = (u[0] | beyond) >> offset & ((uint64_t{1} << width) - 1);
  return is_signed && part >> (width - 1) & 1 ? part | all << width : part;
}

constexpr uint64_t aligned(Bits v, Bits u, unsigned unit) {
  if (u[2] & (unit == 8 ? 3u : 31u)) return all;
  const uint64_t both = (u[0] << 32) | (u[1] & 0xffffffffu);
  return both >> ((v[2] * unit) & 31u) & 0xffffffffu;
}

}  // namespace

uint64_t copied(Bits, Bits u) { return u[0]; }
uint64_t either(Bits, Bits u) { return u[0] | u[1] | u[2]; }
uint64_t conjunction(Bits v, Bits u) { return both(v[0], u[0], v[1], u[1]); }
uint64_t disjunction(Bits v, Bits u) { return any(v[0], u[0], v[1], u[1]); }
uint64_t conjunction_with_complement(Bits v, Bits u) { return both(v[0], u[0], ~v[1], u[1]); }
uint64_t disjunction_with_complement(Bits v, Bits u) { return any(v[0], u[0], ~v[1], u[1]); }
uint64_t disjunction_of_three(Bits v, Bits u) {
  return any(v[0] | v[1], any(v[0], u[0], v[1], u[1]), v[2], u[2]);
}
uint64_t conjunction_or(Bits v, Bits u) {
  return any(v[0] & v[1], both(v[0], u[0], v[1], u[1]), v[2], u[2]);
}
uint64_t chosen_by_bit(Bits v, Bits u) { return u[0] | (v[0] & u[1]) | (~v[0] & u[2]); }

// A result bit is defined if the truth table gives the same bit for all values that the undefined
// source bits may have.
uint64_t by_table(Bits v, Bits u) {
  uint64_t may_be_one = 0, may_be_zero = 0;
  for (unsigned i = 0; i < 8; ++i) {
    uint64_t possible = all;
    for (unsigned source = 0; source < 3; ++source)
      possible &= (i << source & 4 ? v[source] : ~v[source]) | u[source];
    (v[3] >> i & 1 ? may_be_one : may_be_zero) |= possible;
  }
  return may_be_one & may_be_zero;
}

uint64_t chosen(Bits v, Bits u) { return u[2] ? all : v[2] ? u[1] : u[0]; }

uint64_t sum(Bits, Bits u) { return upwards(u[0] | u[1] | u[2]); }

template <unsigned bits, bool by_first>
uint64_t shifted_left(Bits v, Bits u) {
  return to_the_left<bits>(u[by_first], v[!by_first], u[!by_first]);
}
template <unsigned bits, bool by_first>
uint64_t shifted_right(Bits v, Bits u) {
  return to_the_right<bits>(u[by_first], v[!by_first], u[!by_first], false);
}
template <unsigned bits, bool by_first>
uint64_t shifted_right_signed(Bits v, Bits u) {
  return to_the_right<bits>(u[by_first], v[!by_first], u[!by_first], true);
}
template uint64_t shifted_left<32, false>(Bits, Bits);
template uint64_t shifted_left<64, false>(Bits, Bits);
template uint64_t shifted_left<16, true>(Bits, Bits);
template uint64_t shifted_left<32, true>(Bits, Bits);
template uint64_t shifted_left<64, true>(Bits, Bits);
template uint64_t shifted_right<32, false>(Bits, Bits);
template uint64_t shifted_right<64, false>(Bits, Bits);
template uint64_t shifted_right<16, true>(Bits, Bits);
template uint64_t shifted_right<32, true>(Bits, Bits);
template uint64_t shifted_right<64, true>(Bits, Bits);
template uint64_t shifted_right_signed<32, false>(Bits, Bits);
template uint64_t shifted_right_signed<64, false>(Bits, Bits);
template uint64_t shifted_right_signed<16, true>(Bits, Bits);
template uint64_t shifted_right_signed<32, true>(Bits, Bits);
template uint64_t shifted_right_signed<64, true>(Bits, Bits);

uint64_t shifted_left_or(Bits v, Bits u) {
  return any(v[0] << (v[1] & 31), to_the_left<32>(u[0], v[1], u[1]), v[2], u[2]);
}
uint64_t shifted_left_add(Bits v, Bits u) {
  return upwards(to_the_left<32>(u[0], v[1], u[1]) | u[2]);
}
uint64_t shifted_left_add_wide(Bits v, Bits u) {
  return upwards(to_the_left<64>(u[0], v[1] & 7, u[1] & 7) | u[2]);
}
uint64_t added_shifted_left(Bits v, Bits u) {
  return to_the_left<32>(upwards(u[0] | u[1]), v[2], u[2]);
}

uint64_t field(Bits v, Bits u) { return part(v, u, false); }
uint64_t signed_field(Bits v, Bits u) { return part(v, u, true); }

// Each of four selectors makes one byte: 0 to 7 copy a byte of the sources, 8 to 11 replicate a
// sign, and others give constants.
uint64_t permuted_bytes(Bits v, Bits u) {
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

uint64_t aligned_bits(Bits v, Bits u) { return aligned(v, u, 1); }
uint64_t aligned_bytes(Bits v, Bits u) { return aligned(v, u, 8); }

template <bool a_high, bool b_high>
uint64_t halves(Bits, Bits u) {
  return (a_high ? u[0] >> 16 & 0xffffu : u[0] & 0xffffu) |
         (b_high ? u[1] & 0xffff0000u : (u[1] & 0xffffu) << 16);
}
template uint64_t halves<false, false>(Bits, Bits);
template uint64_t halves<false, true>(Bits, Bits);
template uint64_t halves<true, false>(Bits, Bits);
template uint64_t halves<true, true>(Bits, Bits);

uint64_t converted_halves(Bits, Bits u) {
  return (u[0] ? 0xffffu : 0u) | (u[1] ? 0xffff0000u : 0u);
}
uint64_t words(Bits, Bits u) { return (u[0] & 0xffffffffu) | (u[1] & 0xffffffffu) << 32; }

template <unsigned number>
uint64_t converted_byte(Bits, Bits u) {
  return u[0] >> (8 * number) & 255u ? all : 0;
}
template uint64_t converted_byte<0>(Bits, Bits);
template uint64_t converted_byte<1>(Bits, Bits);
template uint64_t converted_byte<2>(Bits, Bits);
template uint64_t converted_byte<3>(Bits, Bits);

uint64_t replaced_byte(Bits v, Bits u) {
  if (u[1] & 3) return all;
  const uint64_t byte = uint64_t{255} << 8 * (v[1] & 3);
  return (u[2] & ~byte) | (u[0] ? byte : 0);
}

template <unsigned bits>
uint64_t reversed(Bits, Bits u) {
  uint64_t result = 0;
  for (unsigned i = 0; i < bits; ++i) result |= (u[0] >> i & 1) << (bits - 1 - i);
  return result;
}
template uint64_t reversed<32>(Bits, Bits);
template uint64_t reversed<64>(Bits, Bits);

template <unsigned bits>
uint64_t sign_extended(Bits, Bits u) {
  const uint64_t part = u[0] & ((uint64_t{1} << bits) - 1);
  return part >> (bits - 1) & 1 ? part | all << bits : part;
}
template uint64_t sign_extended<8>(Bits, Bits);
template uint64_t sign_extended<16>(Bits, Bits);

template <unsigned bits, bool is_signed>
uint64_t scalar_field(Bits v, Bits u) {
  if (u[1] & ((bits - 1) | 0x7f0000u)) return all;
  const unsigned offset = v[1] & (bits - 1), width = v[1] >> 16 & 0x7fu;
  if (width == 0) return 0;
  const uint64_t moved = to_the_right<bits>(u[0], offset, 0, is_signed);
  if (width >= bits) return moved;
  const uint64_t part = moved & ((uint64_t{1} << width) - 1);
  return is_signed && part >> (width - 1) & 1 ? part | all << width : part;
}
template uint64_t scalar_field<32, false>(Bits, Bits);
template uint64_t scalar_field<32, true>(Bits, Bits);
template uint64_t scalar_field<64, false>(Bits, Bits);
template uint64_t scalar_field<64, true>(Bits, Bits);

uint64_t any_of_four(Bits v, Bits u) {
  uint64_t result = 0;
  for (unsigned i = 0; i < 16; ++i) {
    const uint64_t undefined = u[0] >> 4 * i & 15, ones = v[0] >> 4 * i & 15 & ~undefined;
    result |= uint64_t{undefined != 0 && ones == 0} << i;
  }
  return result;
}

uint64_t count_added(Bits, Bits u) { return u[0] ? all : upwards(u[1]); }

}  // namespace heddle::emulator::undefined
