// Vector instructions that CDNA has but RDNA does not: packed f32, 64-bit additions and moves,
// arbitrary functions of three bits, swaps between rows. gfx1250 has some of them too: those whose
// rows are for all families. Meanings: AMD Instinct MI200, MI300 and CDNA4 Instruction Set
// Architecture, chapter "Instructions".
#include "emulator/handlers/float_operations.h"
#include "emulator/handlers/small_float.h"
#include "emulator/handlers/tables.h"

namespace heddle::emulator::HEDDLE_LEVEL {
namespace {

// v_pk_mov_b32: a word of each source; op_sel says which.
const Instruction* move_packed(Wavefront& w, const Instruction* in) {
  const Read<false> read{w, in};
  const auto word = [&](int i) {
    const U64 both = read.bits64(i);
    return convert<U32>(in->source[i].flags & source_high ? both >> 32 : both);
  };
  const U64 result = convert<U64>(word(0)) | convert<U64>(word(1)) << 32;
  Write<false>{w, in}.put(result);
  return in + 1;
}

// Computes a function of three bits, for each bit of the operands. `table` has its eight results:
// for the bits a, b and c, the result is bit 4a + 2b + c. The decoder stores the table in
// Instruction::offset.
HEDDLE_INLINE U32 bit_function(U32 a, U32 b, U32 c, uint32_t table) {
  U32 result = U32(0);
  for (unsigned i = 0; i < 8; ++i)
    if (table >> i & 1) result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  return result;
}

const Instruction* bit_function_32(Wavefront& w, const Instruction* in) {
  const Read<true> read{w, in};
  const auto table = static_cast<uint32_t>(in->offset);
  Write<true>{w, in}.put(bit_function(read.bits(0), read.bits(1), read.bits(2), table));
  return in + 1;
}

const Instruction* bit_function_16(Wavefront& w, const Instruction* in) {
  const Read<true> read{w, in};
  const auto table = static_cast<uint32_t>(in->offset);
  const U32 result = bit_function(convert<U32>(read.half(0)), convert<U32>(read.half(1)),
                                  convert<U32>(read.half(2)), table);
  Write<true>{w, in}.put(convert<U16>(result));
  return in + 1;
}

// v_permlane16_swap exchanges the odd rows of the destination with the even rows of the source.
// v_permlane32_swap exchanges the upper half of the destination with the lower half of the source
// (CDNA4 ISA).
template <unsigned distance>
const Instruction* swap_rows(Wavefront& w, const Instruction* in) {
  const unsigned first = in->destination, second = in->source[0].index;
  if constexpr (distance == 32) {
    Wavefront& upper = *w.upper;
    const U32 from_upper = load_register(upper, first), from_lower = load_register(w, second);
    store_register(upper, first, from_lower, w.scalar[register_exec + 1]);
    store_register(w, second, from_upper, exec(w));
    return in + 1;
  }
  for (unsigned l = 0; l < lanes; ++l) {
    if (l & distance) continue;
    const uint32_t high = w.vgpr[first][l + distance], low = w.vgpr[second][l];
    if (exec(w) >> (l + distance) & 1) w.vgpr[first][l + distance] = low;
    if (exec(w) >> l & 1) w.vgpr[second][l] = high;
  }
  return in + 1;
}

HEDDLE_INLINE F32 fused(F32 a, F32 b, F32 c) { return __builtin_elementwise_fma(a, b, c); }

HEDDLE_INLINE U32 bf16_bits(F32 x) {
  const U32 bits = bits_as<U32>(x);
  const U32 rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
  return select(to_lanes_of((bits & 0x7fffffffu) > 0x7f800000u), bits >> 16 | 0x40u, rounded);
}

const Instruction* pair_of_bfloats(Wavefront& w, const Instruction* in) {
  const Read<true> read{w, in};
  const auto half = [&](int i) {
    return bf16_bits(output_modifiers(read.get(i, Tag<F32>{}), w, in));
  };
  Write<true>{w, in}.put(half(0) | half(1) << 16);
  return in + 1;
}

constexpr Row by_hand(const char* name, Handler handler, Type destination, Type a,
                      Type b = Type::none, Type c = Type::none) {
  Row row{};
  copy_name(row.name, name);
  row.form = Form::vector;
  row.destination = destination;
  row.sources[0] = a;
  row.sources[1] = b;
  row.sources[2] = c;
  row.plain = handler;
  return row;
}
// One handler for all forms.
constexpr Row with_lanes(Row row) {
  row.general = row.plain;
  return row;
}
constexpr Row to_bfloats(const char* name) {
  return with_lanes(by_hand(name, &pair_of_bfloats, Type::u32, Type::f32, Type::f32));
}
constexpr Row accumulating(Row row) {
  row.form = Form::vector_accumulate;
  return row;
}

// A dot product of integers. Splits a and b into fields of `bits` bits, multiplies corresponding
// fields, and adds all products to c. 64 bits are enough for every sum.
template <int bits, bool is_signed>
HEDDLE_INLINE I64 dot_product(U32 a, U32 b, I64 c) {
  for (int at = 0; at < 32; at += bits) {
    const auto piece = [&](U32 x) {
      const U32 high = x << static_cast<uint32_t>(32 - bits - at);
      constexpr uint32_t down = 32 - bits;
      return is_signed ? convert<I64>(bits_as<I32>(high) >> static_cast<int>(down))
                       : convert<I64>(high >> down);
    };
    c += piece(a) * piece(b);
  }
  return c;
}

// v_mad_f32 and similar instructions round the product before the addition. Denormal operands and
// results are treated as 0 in every mode (AMD Instinct MI200 ISA, V_MAD_F32).
constexpr auto multiply_then_add = [](F32 a, F32 b, F32 c) {
  return without_denormals(without_denormals(without_denormals(a) * without_denormals(b)) +
                           without_denormals(c));
};
constexpr auto multiply_then_add_16 = [](F16 a, F16 b, F16 c) { return a * b + c; };

constexpr Row of_cdna(Row row) { return only_for(isa::gfx9, row.wave, row); }

template <int bits>
constexpr Row dot_accumulating(const char* name) {
  return having(trait_dot_product, of_cdna(accumulating(saturating<I32, [](U32 a, U32 b, I32 c) {
                  return dot_product<bits, true>(a, b, convert<I64>(c));
                }>(name))));
}

constexpr Row rows[] = {
    vector<[](Pair<F32> a, Pair<F32> b) { return Pair<F32>{a.low + b.low, a.high + b.high}; }>(
        "v_pk_add_f32"),
    vector<[](Pair<F32> a, Pair<F32> b) { return Pair<F32>{a.low * b.low, a.high * b.high}; }>(
        "v_pk_mul_f32"),
    vector<[](Pair<F32> a, Pair<F32> b, Pair<F32> c) {
      return Pair<F32>{fused(a.low, b.low, c.low), fused(a.high, b.high, c.high)};
    }>("v_pk_fma_f32"),
    tracking(undefined::words,
             of_cdna(by_hand("v_pk_mov_b32", &move_packed, Type::u64, Type::u64, Type::u64))),
    tracking(undefined::copied, vector<[](U64 a) { return a; }>("v_mov_b64")),
    tracking(undefined::shifted_left_add_wide,
             vector<[](U64 a, U32 b, U64 c) { return (a << convert<U64>(b & 7u)) + c; }>(
                 "v_lshl_add_u64")),
    having(trait_f64_unit,
           accumulate<[](F64 a, F64 b, F64 c) { return __builtin_elementwise_fma(a, b, c); }>(
               "v_fmac_f64")),
    tracking(undefined::by_table, with_lanes(by_hand("v_bitop3_b32", &bit_function_32, Type::u32,
                                                     Type::u32, Type::u32, Type::u32))),
    tracking(undefined::by_table, with_lanes(by_hand("v_bitop3_b16", &bit_function_16, Type::u16,
                                                     Type::u16, Type::u16, Type::u16))),
    vector_rare<[](U32 a) { return next_random(a); }>("v_prng_b32"),
    having(trait_swaps_rows,
           only_for(isa::gfx9, 64,
                    acting(Role::exchange, swapping(by_hand("v_permlane32_swap_b32", &swap_rows<32>,
                                                            Type::u32, Type::u32))))),
    having(trait_swaps_rows,
           acting(Role::exchange, swapping(by_hand("v_permlane16_swap_b32", &swap_rows<16>,
                                                   Type::u32, Type::u32)))),
    to_bfloats("v_cvt_pk_bf16_f32"),
    vector<[](F32 a, F32 b) { return Pair<F16>{convert<F16>(a), convert<F16>(b)}; }>(
        "v_cvt_pk_f16_f32"),
    of_cdna(saturating<U16, [](U16 a, U16 b) { return convert<I32>(b) - convert<I32>(a); }>(
        "v_subrev_u16")),
    // 0 times anything is 0.
    of_cdna(vector_rare<[](F32 a, F32 b, F32 c) {
      a = without_denormals(a), b = without_denormals(b), c = without_denormals(c);
      const auto zero = (a == F32(0)) | (b == F32(0));
      const F32 product = select(to_lanes_of(zero), F32(0), without_denormals(a * b));
      return without_denormals(product + c);
    }>("v_mad_legacy_f32")),
    of_cdna(vector_rare<multiply_then_add>("v_mad_f32")),
    of_cdna(vector_rare<multiply_then_add>("v_madmk_f32")),
    of_cdna(vector_rare<multiply_then_add>("v_madak_f32")),
    of_cdna(accumulate<multiply_then_add>("v_mac_f32")),
    of_cdna(vector_rare<multiply_then_add_16>("v_mad_f16")),
    of_cdna(vector_rare<multiply_then_add_16>("v_madmk_f16")),
    of_cdna(vector_rare<multiply_then_add_16>("v_madak_f16")),
    of_cdna(accumulate<multiply_then_add_16>("v_mac_f16")),
    having(
        trait_dot_product,
        of_cdna(saturating<I32, [](U32 a, U32 b,
                                   I32 c) { return dot_product<8, true>(a, b, convert<I64>(c)); }>(
            "v_dot4_i32_i8"))),
    having(
        trait_dot_product,
        of_cdna(saturating<I32, [](U32 a, U32 b,
                                   I32 c) { return dot_product<4, true>(a, b, convert<I64>(c)); }>(
            "v_dot8_i32_i4"))),
    having(trait_dot_product,
           of_cdna(saturating<I32,
                              [](Pair<I16> a, Pair<I16> b, I32 c) {
                                return convert<I64>(c) + convert<I64>(a.low) * convert<I64>(b.low) +
                                       convert<I64>(a.high) * convert<I64>(b.high);
                              }>("v_dot2_i32_i16"))),
    having(trait_dot_product,
           of_cdna(saturating<U32,
                              [](Pair<U16> a, Pair<U16> b, I32 c) {
                                return convert<I64>(bits_as<U32>(c)) +
                                       convert<I64>(a.low) * convert<I64>(b.low) +
                                       convert<I64>(a.high) * convert<I64>(b.high);
                              }>("v_dot2_u32_u16"))),
    dot_accumulating<8>("v_dot4c_i32_i8"),
    dot_accumulating<4>("v_dot8c_i32_i4"),
    dot_accumulating<16>("v_dot2c_i32_i16"),
};

}  // namespace

Rows cdna_rows() { return {rows, sizeof rows / sizeof rows[0]}; }

}  // namespace heddle::emulator::HEDDLE_LEVEL
