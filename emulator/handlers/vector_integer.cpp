// Vector integer and move instructions of 16, 32 and 64 bits.
// Meanings: RDNA3 and RDNA4 ISA, chapters "Vector ALU" and "Instructions".
#include "emulator/handlers/lanes.h"
#include "emulator/handlers/tables.h"

namespace heddle::emulator::HEDDLE_LEVEL {
namespace {

HEDDLE_INLINE U32 shift_count(U32 x) { return x & 31u; }

HEDDLE_INLINE U32 sign_extended(U32 x, U32 width) {
  const U32 shift = (U32(32) - width) & 31u;
  return bits_as<U32>(bits_as<I32>(x << shift) >> bits_as<I32>(shift));
}

// One byte of the result of v_perm_b32. The selector says what it is: 0 to 3, that byte of `low`; 4
// to 7, a byte of `high`; 8 to 11, the repeated sign of one of the four 16-bit halves; 12, zero;
// above 12, all ones.
HEDDLE_INLINE U32 permuted_byte(U64 both, U32 selector) {
  selector &= 0xffu;
  const U64 byte = both >> convert<U64>((selector & 7u) * 8u) & U64(0xff);
  const U64 sign = both >> convert<U64>((selector & 3u) * 16u + 15u) & U64(1);
  U32 result = convert<U32>(byte);
  result = select(to_lanes_of(selector >= 8u), convert<U32>(U64(0) - sign) & 0xffu, result);
  result = select(to_lanes_of(selector == 12u), U32(0), result);
  return select(to_lanes_of(selector > 12u), U32(0xff), result);
}

// True if all four selectors select bytes or zero; false if one selects a sign or all ones.
HEDDLE_INLINE bool moves_bytes(uint32_t selector) {
  for (; selector != 0; selector >>= 8)
    if ((selector & 0xffu) >= 8 && (selector & 0xffu) != 12) return false;
  return true;
}

HEDDLE_INLINE U32 permuted_bytes(U32 high, U32 low, U32 selector) {
  // The usual case: the selector is the same in all lanes, since compilers move bytes of registers.
  const uint32_t common = selector[0];
  if (to_bits(to_lanes_of(selector == U32(common))) == 0xffffffffu) [[likely]] {
    const auto moved = [&](uint32_t first, uint32_t mask) {
      return (first < 4 ? low : high) >> U32(first % 4 * 8) & mask;
    };
    // Usually 16-bit halves are moved: selectors for two consecutive bytes, the first of them even.
    const uint32_t even = common & 0x00ff00ffu;
    if ((common >> 8 & 0x00ff00ffu) == even + 0x00010001u && (even & ~0x00060006u) == 0)
      return moved(even & 0xffu, 0xffffu) | moved(even >> 16, 0xffffu) << 16;
    if (moves_bytes(common)) {
      U32 result = U32(0);
      for (uint32_t at = 0; at < 32; at += 8) {
        const uint32_t byte = common >> at & 0xffu;
        if (byte < 8) result |= moved(byte, 0xffu) << at;
      }
      return result;
    }
  }
  const U64 both = convert<U64>(high) << 32 | convert<U64>(low);
  return permuted_byte(both, selector) | permuted_byte(both, selector >> 8) << 8 |
         permuted_byte(both, selector >> 16) << 16 | permuted_byte(both, selector >> 24) << 24;
}

template <class T>
HEDDLE_INLINE T minimum(T a, T b) {
  return a < b ? a : b;
}
template <class T>
HEDDLE_INLINE T maximum(T a, T b) {
  return a > b ? a : b;
}

template <class T>
HEDDLE_INLINE T median(T a, T b, T c) {
  return maximum(minimum(a, b), minimum(maximum(a, b), c));
}

HEDDLE_INLINE U32 masked24(U32 x) { return x & 0xffffffu; }
HEDDLE_INLINE I32 signed24(U32 x) { return bits_as<I32>(x << 8) >> 8; }
HEDDLE_INLINE U32 high_product(U32 a, U32 b) {
  return convert<U32>(convert<U64>(a) * convert<U64>(b) >> 32);
}
HEDDLE_INLINE I32 high_product(I32 a, I32 b) {
  return convert<I32>(convert<I64>(a) * convert<I64>(b) >> 32);
}

HEDDLE_INLINE U32 count_leading(U32 x) {
  U32 result;
  for (int l = 0; l < lanes; ++l)
    result[l] = x[l] ? static_cast<uint32_t>(__builtin_clz(x[l])) : 0xffffffffu;
  return result;
}
HEDDLE_INLINE U32 count_trailing(U32 x) {
  U32 result;
  for (int l = 0; l < lanes; ++l)
    result[l] = x[l] ? static_cast<uint32_t>(__builtin_ctz(x[l])) : 0xffffffffu;
  return result;
}
HEDDLE_INLINE U32 count_sign(U32 x) {
  return count_leading(x ^ bits_as<U32>(bits_as<I32>(x) >> 31));
}

HEDDLE_INLINE U32 count_ones(U32 x) {
  x = x - (x >> 1 & 0x55555555u);
  x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
  return ((x + (x >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}

HEDDLE_INLINE U32 reversed(U32 x) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
  x = (x >> 8 & 0x00ff00ffu) | (x & 0x00ff00ffu) << 8;
  return x >> 16 | x << 16;
}

HEDDLE_INLINE U32 carry_of(Mask carry) { return select(to_lanes(carry.bits), U32(1), U32(0)); }

HEDDLE_INLINE Carried add_carry(U32 a, U32 b, U32 carry) {
  const U32 sum = a + b;
  const U32 all = sum + carry;
  return {all, to_lanes_of(sum < a) | to_lanes_of(all < sum)};
}
HEDDLE_INLINE Carried subtract_carry(U32 a, U32 b, U32 carry) {
  const U32 difference = a - b;
  return {difference - carry, to_lanes_of(a < b) | to_lanes_of(difference < carry)};
}

// Additions with carry and subtractions with borrow. With the modifier clamp, the result saturates
// at the end of the range; the carry is the same as without clamp.
template <auto op, uint32_t limit>
const Instruction* carried_saturating(Wavefront& w, const Instruction* in) {
  Carried x = called<op>(Read<true>{w, in});
  if (in->flags & flag_clamp) x.value = select(x.carry, U32(limit), x.value);
  Write<true>{w, in}.put(x);
  return in + 1;
}

template <auto op, uint32_t limit>
constexpr Row carried(const char* name) {
  Row row = vector<op>(name);
  row.general = &carried_saturating<op, limit>;
  row.extra = 1;  // takes clamp
  return row;
}
constexpr uint32_t beyond_top = 0xffffffffu, below_zero = 0;

// The same for both halves of packed 16-bit integers.
template <class T, auto wide>
const Instruction* saturate_pair(Wavefront& w, const Instruction* in) {
  const auto x = called<wide>(Read<true>{w, in});
  const bool clamp = in->flags & flag_clamp;
  Write<true>{w, in}.put(Pair<T>{narrowed<T>(x.low, clamp), narrowed<T>(x.high, clamp)});
  return in + 1;
}
template <class T, auto wide>
constexpr Row saturating_pair(const char* name) {
  Row row = base_row<wide>(name, Form::vector);
  row.destination = Type::packed;
  row.plain = row.general = &saturate_pair<T, wide>;
  row.extra = 1;  // takes clamp
  return row;
}
template <auto wide, class T, class... More>
constexpr auto both = [](Pair<T> a, Pair<T> b, Pair<More>... c) {
  const auto low = wide(a.low, b.low, c.low...);
  return Pair<std::remove_const_t<decltype(low)>>{low, wide(a.high, b.high, c.high...)};
};

// Makes the row of an addition, a subtraction or a multiplication with addition. With the modifier
// clamp, the result is computed in wider integers; without it, a faster handler is used.
template <class T, auto wide, auto plain>
constexpr Row addition(const char* name) {
  Row row = saturating<T, wide>(name);
  row.plain = vector<plain>(name).plain;
  return row;
}
template <class Wide, class T>
constexpr auto wide_sum = [](T a, T b) { return convert<Wide>(a) + convert<Wide>(b); };
template <class Wide, class T>
constexpr auto wide_difference = [](T a, T b) { return convert<Wide>(a) - convert<Wide>(b); };
template <class Wide, class T, class C = T>
constexpr auto wide_product_sum =
    [](T a, T b, C c) { return convert<Wide>(a) * convert<Wide>(b) + convert<Wide>(c); };

// v_mad_u64_u32 and v_mad_i64_i32: the sum of a product of two 32-bit numbers and a 64-bit number.
// The sum has 65 bits; bit 64 is the carry out. For v_mad_i64_i32, the product and the 64-bit
// number are sign-extended to 65 bits first (RDNA3 ISA, V_MAD_I64_I32).
template <class T, class Wide>
const Instruction* multiply_add_wide(Wavefront& w, const Instruction* in) {
  const Read<true> read{w, in};
  const U64 product =
      bits_as<U64>(convert<Wide>(read.get(0, Tag<T>{})) * convert<Wide>(read.get(1, Tag<T>{})));
  const U64 addend = read.get(2, Tag<U64>{});
  U64 sum = product + addend;
  constexpr bool is_signed = type_of<Wide> == Type::i64;
  const Lanes wraps = to_lanes_of(sum < product);
  uint32_t carry = to_bits(wraps);
  if constexpr (is_signed) carry ^= to_bits(to_lanes_of(bits_as<I64>(product ^ addend) < 0));
  if (in->flags & flag_clamp) {
    const U64 top = U64(~uint64_t{0} >> is_signed);
    if constexpr (is_signed) {
      const I64 lost = bits_as<I64>((sum ^ product) & (sum ^ addend));
      sum = select(to_lanes_of(lost < 0), top + (product >> 63), sum);
    } else {
      sum = select(wraps, top, sum);
    }
  }
  w.scalar[in->destination2] = carry & exec(w);
  Write<true>{w, in}.put(sum);
  return in + 1;
}

template <class T, class Wide>
constexpr Row wide_multiply_add(const char* name) {
  Row row{};
  copy_name(row.name, name);
  row.form = Form::vector;
  row.destination = Type::u64;
  row.sources[0] = row.sources[1] = type_of<T>;
  row.sources[2] = type_of<Wide>;
  row.carry_out = true;
  row.plain = row.general = &multiply_add_wide<T, Wide>;
  row.extra = 1;  // takes clamp
  return row;
}

const Instruction* swap_registers(Wavefront& w, const Instruction* in) {
  const U32 first = load_register(w, in->destination);
  store_register(w, in->destination, load_register(w, in->source[0].index), exec(w));
  store_register(w, in->source[0].index, first, exec(w));
  return in + 1;
}

// v_swap_b16: exchanges two 16-bit halves of registers, which may be the two halves of one
// register.
const Instruction* swap_halves(Wavefront& w, const Instruction* in) {
  const Read<true> read{w, in};
  const bool first_high = in->flags & flag_destination_high,
             second_high = in->source[0].flags & source_high;
  const auto put = [&](unsigned index, bool high, U32 half) {
    const U32 old = load_register(w, index);
    store_register(w, index, high ? half << 16 | (old & 0xffffu) : half | (old & 0xffff0000u),
                   exec(w));
  };
  const U32 second = convert<U32>(read.half(0));
  const U32 whole = load_register(w, in->destination);
  const U32 first = first_high ? whole >> 16 : whole & 0xffffu;
  put(in->destination, first_high, second);
  put(in->source[0].index, second_high, first);
  return in + 1;
}

// The numbers of the source and destination register after M0 is added to them. If `separate`, bits
// 9..0 of M0 are added to the source's number, and bits 25..16 to the destination's; otherwise all
// of M0 is added to each.
struct MovedRegisters {
  uint64_t from, to;
};
template <bool separate>
HEDDLE_INLINE MovedRegisters moved_registers(const Wavefront& w, const Instruction* in) {
  const uint32_t m0 = w.scalar[register_m0];
  return {uint64_t{in->source[0].index} + (separate ? m0 & 0x3ffu : m0),
          uint64_t{in->destination} + (separate ? m0 >> 16 & 0x3ffu : m0)};
}
template <bool separate, bool swap>
const Instruction* move_both_relative(Wavefront& w, const Instruction* in) {
  const MovedRegisters r = moved_registers<separate>(w, in);
  if (r.from > 255 || r.to > 255) return raise(w, in, FaultKind::unsupported);
  const U32 from = load_register(w, static_cast<unsigned>(r.from)),
            to = load_register(w, static_cast<unsigned>(r.to));
  store_register(w, static_cast<unsigned>(r.to), from, exec(w));
  if constexpr (swap) store_register(w, static_cast<unsigned>(r.from), to, exec(w));
  return in + 1;
}

// v_movrels_b32 and v_movreld_b32: M0 is added to the register number.
template <bool from_relative>
const Instruction* move_relative(Wavefront& w, const Instruction* in) {
  const uint32_t m0 = w.scalar[register_m0];
  const uint64_t from = uint64_t{in->source[0].index} + (from_relative ? m0 : 0);
  const uint64_t to = uint64_t{in->destination} + (from_relative ? 0 : m0);
  if (from > 255 || to > 255) return raise(w, in, FaultKind::unsupported);
  const U32 x = in->source[0].kind == SourceKind::vgpr
                    ? load_register(w, static_cast<unsigned>(from))
                    : read_bits(w, in->source[0]);
  store_register(w, static_cast<unsigned>(to), x, exec(w));
  return in + 1;
}

template <Handler handler>
constexpr Row register_row(const char* name, Type type = Type::u32) {
  Row row{};
  copy_name(row.name, name);
  row.form = Form::vector;
  row.destination = row.sources[0] = type;
  row.plain = handler;
  return row;
}

constexpr auto add32 = [](U32 a, U32 b) { return a + b; };
constexpr auto subtract32 = [](U32 a, U32 b) { return a - b; };
constexpr auto subtract_reversed32 = [](U32 a, U32 b) { return b - a; };
constexpr auto add32_signed = [](I32 a, I32 b) {
  return bits_as<I32>(bits_as<U32>(a) + bits_as<U32>(b));
};
constexpr auto subtract32_signed = [](I32 a, I32 b) {
  return bits_as<I32>(bits_as<U32>(a) - bits_as<U32>(b));
};
constexpr auto add16 = [](U16 a, U16 b) { return a + b; };
constexpr auto subtract16 = [](U16 a, U16 b) { return a - b; };
constexpr auto add16_signed = [](I16 a, I16 b) {
  return bits_as<I16>(bits_as<U16>(a) + bits_as<U16>(b));
};
constexpr auto subtract16_signed = [](I16 a, I16 b) {
  return bits_as<I16>(bits_as<U16>(a) - bits_as<U16>(b));
};

constexpr Row rows[] = {
    tracking(undefined::copied, vector<[](U32 a) { return a; }>("v_mov_b32")),
    tracking(undefined::copied, vector<[](U16 a) { return a; }>("v_mov_b16")),
    tracking(undefined::copied, vector<[](U32 a) { return ~a; }>("v_not_b32")),
    tracking(undefined::copied, vector_rare<[](U16 a) { return ~a; }>("v_not_b16")),
    tracking(undefined::chosen,
             vector<[](U32 a, U32 b, Mask m) { return select(to_lanes(m.bits), b, a); }>(
                 "v_cndmask_b32")),
    tracking(undefined::chosen,
             vector<[](U16 a, U16 b, Mask m) { return select(to_lanes(m.bits), b, a); }>(
                 "v_cndmask_b16")),
    acting(Role::exchange, swapping(register_row<&swap_registers>("v_swap_b32"))),
    tracking(undefined::copied,
             indexing(indexes_source, register_row<&move_relative<true>>("v_movrels_b32"))),
    tracking(undefined::copied,
             indexing(indexes_destination, register_row<&move_relative<false>>("v_movreld_b32"))),
    acting(Role::exchange, swapping(register_row<&swap_halves>("v_swap_b16", Type::u16))),
    tracking(undefined::copied,
             indexing(indexes_source | indexes_destination,
                      register_row<&move_both_relative<false, false>>("v_movrelsd_b32"))),
    tracking(undefined::copied,
             indexing(indexes_source | indexes_destination | indexes_apart,
                      register_row<&move_both_relative<true, false>>("v_movrelsd_2_b32"))),
    tracking(undefined::copied,
             swapping(register_row<&move_both_relative<true, true>>("v_swaprel_b32"))),

    tracking(undefined::sum, addition<U32, wide_sum<I64, U32>, add32>("v_add_nc_u32")),
    tracking(undefined::sum, addition<U32, wide_difference<I64, U32>, subtract32>("v_sub_nc_u32")),
    tracking(undefined::sum,
             addition<U32, [](U32 a, U32 b) { return convert<I64>(b) - convert<I64>(a); },
                      subtract_reversed32>("v_subrev_nc_u32")),
    addition<I32, wide_sum<I64, I32>, add32_signed>("v_add_nc_i32"),
    addition<I32, wide_difference<I64, I32>, subtract32_signed>("v_sub_nc_i32"),
    addition<U16, wide_sum<I32, U16>, add16>("v_add_nc_u16"),
    addition<U16, wide_difference<I32, U16>, subtract16>("v_sub_nc_u16"),
    addition<I16, wide_sum<I32, I16>, add16_signed>("v_add_nc_i16"),
    addition<I16, wide_difference<I32, I16>, subtract16_signed>("v_sub_nc_i16"),
    carried<[](U32 a, U32 b) { return add_carry(a, b, U32(0)); }, beyond_top>("v_add_co_u32"),
    carried<[](U32 a, U32 b) { return subtract_carry(a, b, U32(0)); }, below_zero>("v_sub_co_u32"),
    carried<[](U32 a, U32 b) { return subtract_carry(b, a, U32(0)); }, below_zero>(
        "v_subrev_co_u32"),
    carried<[](U32 a, U32 b, Mask c) { return add_carry(a, b, carry_of(c)); }, beyond_top>(
        "v_add_co_ci_u32"),
    carried<[](U32 a, U32 b, Mask c) { return subtract_carry(a, b, carry_of(c)); }, below_zero>(
        "v_sub_co_ci_u32"),
    carried<[](U32 a, U32 b, Mask c) { return subtract_carry(b, a, carry_of(c)); }, below_zero>(
        "v_subrev_co_ci_u32"),
    saturating<I16, wide_product_sum<I32, I16>>("v_mad_i16"),
    tracking(undefined::sum, vector<[](U32 a, U32 b, U32 c) { return a + b + c; }>("v_add3_u32")),
    tracking(undefined::sum, vector<[](U32 a, U32 b, U32 c) { return (a ^ b) + c; }>("v_xad_u32")),
    tracking(
        undefined::shifted_left_add,
        vector<[](U32 a, U32 b, U32 c) { return (a << shift_count(b)) + c; }>("v_lshl_add_u32")),
    tracking(
        undefined::added_shifted_left,
        vector<[](U32 a, U32 b, U32 c) { return (a + b) << shift_count(c); }>("v_add_lshl_u32")),
    tracking(
        undefined::shifted_left_or,
        vector<[](U32 a, U32 b, U32 c) { return (a << shift_count(b)) | c; }>("v_lshl_or_b32")),

    tracking(undefined::conjunction, vector<[](U32 a, U32 b) { return a & b; }>("v_and_b32")),
    tracking(undefined::disjunction, vector<[](U32 a, U32 b) { return a | b; }>("v_or_b32")),
    tracking(undefined::either, vector<[](U32 a, U32 b) { return a ^ b; }>("v_xor_b32")),
    tracking(undefined::either, vector<[](U32 a, U32 b) { return ~(a ^ b); }>("v_xnor_b32")),
    tracking(undefined::conjunction_or,
             vector<[](U32 a, U32 b, U32 c) { return (a & b) | c; }>("v_and_or_b32")),
    tracking(undefined::disjunction_of_three,
             vector<[](U32 a, U32 b, U32 c) { return a | b | c; }>("v_or3_b32")),
    tracking(undefined::either,
             vector<[](U32 a, U32 b, U32 c) { return a ^ b ^ c; }>("v_xor3_b32")),
    tracking(undefined::conjunction, vector<[](U16 a, U16 b) { return a & b; }>("v_and_b16")),
    tracking(undefined::disjunction, vector<[](U16 a, U16 b) { return a | b; }>("v_or_b16")),
    tracking(undefined::either, vector<[](U16 a, U16 b) { return a ^ b; }>("v_xor_b16")),

    tracking(undefined::shifted_left<32, true>,
             vector<[](U32 a, U32 b) { return b << shift_count(a); }>("v_lshlrev_b32")),
    tracking(undefined::shifted_right<32, true>,
             vector<[](U32 a, U32 b) { return b >> shift_count(a); }>("v_lshrrev_b32")),
    tracking(
        undefined::shifted_right_signed<32, true>,
        vector<[](U32 a, I32 b) { return b >> bits_as<I32>(shift_count(a)); }>("v_ashrrev_i32")),
    tracking(undefined::shifted_left<16, true>,
             vector<[](U16 a, U16 b) { return b << (a & 15); }>("v_lshlrev_b16")),
    tracking(undefined::shifted_right<16, true>,
             vector<[](U16 a, U16 b) { return b >> (a & 15); }>("v_lshrrev_b16")),
    tracking(undefined::shifted_right_signed<16, true>,
             vector<[](U16 a, I16 b) { return b >> bits_as<I16>(U16(a & 15)); }>("v_ashrrev_i16")),
    tracking(undefined::shifted_left<64, true>,
             vector<[](U32 a, U64 b) { return b << convert<U64>(a & 63u); }>("v_lshlrev_b64")),
    tracking(undefined::shifted_right<64, true>,
             vector_rare<[](U32 a, U64 b) { return b >> convert<U64>(a & 63u); }>("v_lshrrev_b64")),
    tracking(undefined::shifted_right_signed<64, true>,
             vector_rare<[](U32 a, I64 b) { return b >> convert<I64>(a & 63u); }>("v_ashrrev_i64")),

    tracking(undefined::sum, vector<[](U32 a, U32 b) { return a * b; }>("v_mul_lo_u32")),
    vector<[](U32 a, U32 b) { return high_product(a, b); }>("v_mul_hi_u32"),
    vector<[](I32 a, I32 b) { return high_product(a, b); }>("v_mul_hi_i32"),
    vector<[](U16 a, U16 b) { return a * b; }>("v_mul_lo_u16"),
    tracking(undefined::sum,
             vector<[](U32 a, U32 b) { return masked24(a) * masked24(b); }>("v_mul_u32_u24")),
    vector_rare<[](U32 a, U32 b) { return high_product(masked24(a), masked24(b)); }>(
        "v_mul_hi_u32_u24"),
    vector<[](U32 a, U32 b) { return bits_as<U32>(signed24(a)) * bits_as<U32>(signed24(b)); }>(
        "v_mul_i32_i24"),
    vector_rare<[](U32 a, U32 b) { return high_product(signed24(a), signed24(b)); }>(
        "v_mul_hi_i32_i24"),
    tracking(undefined::sum,
             addition<U32,
                      [](U32 a, U32 b, U32 c) {
                        return wide_product_sum<I64, U32>(masked24(a), masked24(b), c);
                      },
                      [](U32 a, U32 b, U32 c) { return masked24(a) * masked24(b) + c; }>(
                 "v_mad_u32_u24")),
    addition<I32,
             [](U32 a, U32 b, I32 c) {
               return wide_product_sum<I64, I32>(signed24(a), signed24(b), c);
             },
             [](U32 a, U32 b, U32 c) {
               return bits_as<U32>(signed24(a)) * bits_as<U32>(signed24(b)) + c;
             }>("v_mad_i32_i24"),
    saturating<U32, wide_product_sum<I64, U16, U32>>("v_mad_u32_u16"),
    saturating<I32, wide_product_sum<I64, I16, I32>>("v_mad_i32_i16"),
    saturating<U16, wide_product_sum<I64, U16>>("v_mad_u16"),
    tracking(undefined::sum, wide_multiply_add<U32, U64>("v_mad_u64_u32")),
    tracking(undefined::sum, wide_multiply_add<U32, U64>("v_mad_co_u64_u32")),
    tracking(undefined::sum, wide_multiply_add<I32, I64>("v_mad_i64_i32")),
    tracking(undefined::sum, wide_multiply_add<I32, I64>("v_mad_co_i64_i32")),

    vector<[](U32 a, U32 b) { return minimum(a, b); }>("v_min_u32"),
    vector<[](U32 a, U32 b) { return maximum(a, b); }>("v_max_u32"),
    vector<[](I32 a, I32 b) { return minimum(a, b); }>("v_min_i32"),
    vector<[](I32 a, I32 b) { return maximum(a, b); }>("v_max_i32"),
    vector_rare<[](U16 a, U16 b) { return minimum(a, b); }>("v_min_u16"),
    vector_rare<[](U16 a, U16 b) { return maximum(a, b); }>("v_max_u16"),
    vector_rare<[](I16 a, I16 b) { return minimum(a, b); }>("v_min_i16"),
    vector_rare<[](I16 a, I16 b) { return maximum(a, b); }>("v_max_i16"),
    vector_rare<[](U32 a, U32 b, U32 c) { return minimum(minimum(a, b), c); }>("v_min3_u32"),
    vector_rare<[](U32 a, U32 b, U32 c) { return maximum(maximum(a, b), c); }>("v_max3_u32"),
    vector_rare<[](I32 a, I32 b, I32 c) { return minimum(minimum(a, b), c); }>("v_min3_i32"),
    vector_rare<[](I32 a, I32 b, I32 c) { return maximum(maximum(a, b), c); }>("v_max3_i32"),
    vector_rare<[](U32 a, U32 b, U32 c) { return median(a, b, c); }>("v_med3_u32"),
    vector_rare<[](I32 a, I32 b, I32 c) { return median(a, b, c); }>("v_med3_i32"),
    vector_rare<[](U16 a, U16 b, U16 c) { return minimum(minimum(a, b), c); }>("v_min3_u16"),
    vector_rare<[](I16 a, I16 b, I16 c) { return minimum(minimum(a, b), c); }>("v_min3_i16"),
    vector_rare<[](U16 a, U16 b, U16 c) { return maximum(maximum(a, b), c); }>("v_max3_u16"),
    vector_rare<[](I16 a, I16 b, I16 c) { return maximum(maximum(a, b), c); }>("v_max3_i16"),
    vector_rare<[](U16 a, U16 b, U16 c) { return median(a, b, c); }>("v_med3_u16"),
    vector_rare<[](I16 a, I16 b, I16 c) { return median(a, b, c); }>("v_med3_i16"),
    vector_rare<[](U32 a, U32 b, U32 c) { return minimum(maximum(a, b), c); }>("v_maxmin_u32"),
    vector_rare<[](U32 a, U32 b, U32 c) { return maximum(minimum(a, b), c); }>("v_minmax_u32"),
    vector_rare<[](I32 a, I32 b, I32 c) { return minimum(maximum(a, b), c); }>("v_maxmin_i32"),
    vector_rare<[](I32 a, I32 b, I32 c) { return maximum(minimum(a, b), c); }>("v_minmax_i32"),
    saturating<U32,
               [](U32 a, U32 b, U32 c) {
                 return convert<I64>(maximum(a, b) - minimum(a, b)) + convert<I64>(c);
               }>("v_sad_u32"),

    tracking(undefined::field, vector<[](U32 a, U32 b, U32 c) {
               return (a >> shift_count(b)) & ~(U32(~0u) << shift_count(c));
             }>("v_bfe_u32")),
    tracking(undefined::signed_field, vector<[](U32 a, U32 b, U32 c) {
               const U32 width = shift_count(c);
               // Past bit 31 the field has copies of the sign.
               const U32 moved = bits_as<U32>(bits_as<I32>(a) >> bits_as<I32>(shift_count(b)));
               const U32 field = moved & ~(U32(~0u) << width);
               return select(to_lanes_of(width == 0u), U32(0), sign_extended(field, width));
             }>("v_bfe_i32")),
    tracking(undefined::chosen_by_bit,
             vector<[](U32 a, U32 b, U32 c) { return (a & b) | (~a & c); }>("v_bfi_b32")),
    vector<[](U32 a, U32 b) { return ~(U32(~0u) << shift_count(a)) << shift_count(b); }>(
        "v_bfm_b32"),
    tracking(undefined::aligned_bits, vector<[](U32 a, U32 b, U32 c) {
               const U64 both = convert<U64>(a) << 32 | convert<U64>(b);
               return convert<U32>(both >> convert<U64>(c & 31u));
             }>("v_alignbit_b32")),
    tracking(undefined::aligned_bytes, vector<[](U32 a, U32 b, U32 c) {
               const U64 both = convert<U64>(a) << 32 | convert<U64>(b);
               return convert<U32>(both >> convert<U64>((c & 3u) * 8u));
             }>("v_alignbyte_b32")),
    tracking(undefined::permuted_bytes,
             vector<[](U32 a, U32 b, U32 c) { return permuted_bytes(a, b, c); }>("v_perm_b32")),
    tracking(undefined::reversed<32>,
             vector_rare<[](U32 a) { return reversed(a); }>("v_bfrev_b32")),
    vector_rare<[](U32 a) { return count_leading(a); }>("v_clz_i32_u32"),
    vector_rare<[](U32 a) { return count_trailing(a); }>("v_ctz_i32_b32"),
    vector_rare<[](U32 a) { return count_sign(a); }>("v_cls_i32"),
    tracking(undefined::count_added,
             vector_rare<[](U32 a, U32 b) { return count_ones(a) + b; }>("v_bcnt_u32_b32")),
    tracking(undefined::sign_extended<16>,
             vector_rare<[](I16 a) { return convert<I32>(a); }>("v_cvt_i32_i16")),
    tracking(undefined::copied,
             vector_rare<[](U16 a) { return convert<U32>(a); }>("v_cvt_u32_u16")),
    tracking(undefined::halves<false, false>, vector<[](F16 a, F16 b) {
               return convert<U32>(bits_as<U16>(a)) | convert<U32>(bits_as<U16>(b)) << 16;
             }>("v_pack_b32_f16")),

    saturating_pair<U16, both<wide_sum<I32, U16>, U16>>("v_pk_add_u16"),
    saturating_pair<I16, both<wide_sum<I32, I16>, I16>>("v_pk_add_i16"),
    saturating_pair<U16, both<wide_difference<I32, U16>, U16>>("v_pk_sub_u16"),
    saturating_pair<I16, both<wide_difference<I32, I16>, I16>>("v_pk_sub_i16"),
    vector_rare<[](Pair<U16> a, Pair<U16> b) { return Pair<U16>{a.low * b.low, a.high * b.high}; }>(
        "v_pk_mul_lo_u16"),
    saturating_pair<U16, both<wide_product_sum<I64, U16>, U16, U16>>("v_pk_mad_u16"),
    saturating_pair<I16, both<wide_product_sum<I64, I16>, I16, I16>>("v_pk_mad_i16"),
    vector_rare<[](Pair<U16> a, Pair<U16> b) {
      return Pair<U16>{b.low << (a.low & 15), b.high << (a.high & 15)};
    }>("v_pk_lshlrev_b16"),
    vector_rare<[](Pair<U16> a, Pair<U16> b) {
      return Pair<U16>{b.low >> (a.low & 15), b.high >> (a.high & 15)};
    }>("v_pk_lshrrev_b16"),
    vector_rare<[](Pair<U16> a, Pair<I16> b) {
      return Pair<I16>{b.low >> bits_as<I16>(U16(a.low & 15)),
                       b.high >> bits_as<I16>(U16(a.high & 15))};
    }>("v_pk_ashrrev_i16"),
    vector_rare<[](Pair<U16> a, Pair<U16> b) {
      return Pair<U16>{minimum(a.low, b.low), minimum(a.high, b.high)};
    }>("v_pk_min_u16"),
    vector_rare<[](Pair<U16> a, Pair<U16> b) {
      return Pair<U16>{maximum(a.low, b.low), maximum(a.high, b.high)};
    }>("v_pk_max_u16"),
    vector_rare<[](Pair<I16> a, Pair<I16> b) {
      return Pair<I16>{minimum(a.low, b.low), minimum(a.high, b.high)};
    }>("v_pk_min_i16"),
    vector_rare<[](Pair<I16> a, Pair<I16> b) {
      return Pair<I16>{maximum(a.low, b.low), maximum(a.high, b.high)};
    }>("v_pk_max_i16"),
};

}  // namespace

Rows vector_integer_rows() { return {rows, sizeof rows / sizeof rows[0]}; }

}  // namespace heddle::emulator::HEDDLE_LEVEL
