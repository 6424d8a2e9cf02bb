// Vector instructions on bytes and nibbles (such as absolute differences of bytes), dot products of
// integers, and conversions to and from small packed numbers: fp8, bf8, normalised integers.
// Meanings: RDNA3 and RDNA4 ISA, chapters "Vector ALU" and "Instructions".
#include "emulator/handlers/float_operations.h"
#include "emulator/handlers/small_float.h"
#include "emulator/handlers/tables.h"

namespace heddle::emulator::HEDDLE_LEVEL {
namespace {

HEDDLE_INLINE U32 field(U32 x, int width, int i) { return x >> (width * i) & ((1u << width) - 1); }
HEDDLE_INLINE U32 distance(U32 a, U32 b) { return a > b ? a - b : b - a; }

// The sum of the absolute differences of four pairs of bytes. If `masked`, pairs in which b's byte
// is 0 are left out.
template <bool masked>
HEDDLE_INLINE U32 byte_distances(U32 a, U32 b) {
  U32 sum = U32(0);
  for (int i = 0; i < 4; ++i) {
    const U32 y = field(b, 8, i);
    const U32 d = distance(field(a, 8, i), y);
    sum += masked ? select(to_lanes_of(y == 0u), U32(0), d) : d;
  }
  return sum;
}

// v_qsad_pk_u16_u8 and v_mqsad_pk_u16_u8: computes four sums of absolute differences of bytes, and
// adds them to the four 16-bit numbers of the third operand. For each further sum, the first
// operand is shifted by one more byte.
template <bool masked>
const Instruction* four_distances(Wavefront& w, const Instruction* in) {
  const Read<true> read{w, in};
  const U64 a = read.bits64(0), c = read.bits64(2);
  const U32 b = read.bits(1);
  U64 result = U64(0);
  for (int i = 0; i < 4; ++i) {
    const U64 place = U64(static_cast<uint64_t>(16 * i));
    const U32 sum =
        byte_distances<masked>(convert<U32>(a >> U64(static_cast<uint64_t>(8 * i))), b) +
        convert<U32>(c >> place & U64(0xffff));
    result |= convert<U64>(narrowed<U16>(sum, in->flags & flag_clamp)) << place;
  }
  Write<true>{w, in}.put(result);
  return in + 1;
}

// The same into four registers.
const Instruction* four_wide_distances(Wavefront& w, const Instruction* in) {
  const Read<true> read{w, in};
  const U64 a = read.bits64(0);
  const U32 b = read.bits(1);
  U32 result[4];
  for (unsigned i = 0; i < 4; ++i) {
    const Source& c = in->source[2];
    const U32 addend =
        c.kind == SourceKind::constant
            ? (i == 0 ? U32(c.constant)
                      : U32(c.flags & constant_sign_extended && c.constant >> 31 ? ~0u : 0u))
        : c.kind == SourceKind::vgpr ? load_register(w, c.index + i)
                                     : U32(w.scalar[c.index + i]);
    const U32 sum = byte_distances<true>(convert<U32>(a >> U64(uint64_t{8} * i)), b);
    result[i] = narrowed<U32>(convert<I64>(sum) + convert<I64>(addend), in->flags & flag_clamp);
  }
  for (unsigned i = 0; i < 4; ++i) store_register(w, in->destination + i, result[i], exec(w));
  return in + 1;
}

// --- dot products ----------------------------------------------------------------------------

// A dot product of packed integers of `width` bits. In instructions that allow it (iu), the negate
// flag of a source says that its integers are signed. With the modifier clamp, the sum saturates.
template <int width, bool may_be_signed>
const Instruction* dot_integers(Wavefront& w, const Instruction* in) {
  const Read<false> read{w, in};
  const U32 a = read.bits(0), b = read.bits(1);
  constexpr int sign = 1 << (width - 1);
  const bool a_signed = may_be_signed && in->source[0].flags & source_negate,
             b_signed = may_be_signed && in->source[1].flags & source_negate;
  I64 sum = may_be_signed ? convert<I64>(bits_as<I32>(read.bits(2)))
                          : bits_as<I64>(convert<U64>(read.bits(2)));
  for (int i = 0; i < 32 / width; ++i) {
    I32 x = bits_as<I32>(field(a, width, i)), y = bits_as<I32>(field(b, width, i));
    if (a_signed) x = (x ^ sign) - sign;
    if (b_signed) y = (y ^ sign) - sign;
    sum += convert<I64>(x * y);
  }
  if (in->flags & flag_clamp) {
    const I64 top = I64(may_be_signed ? 0x7fffffffL : 0xffffffffL),
              bottom = I64(may_be_signed ? -0x80000000L : 0L);
    sum = sum < bottom ? bottom : sum;
    sum = sum > top ? top : sum;
  }
  store_register(w, in->destination, convert<U32>(bits_as<U64>(sum)), exec(w));
  return in + 1;
}

// Dot products of packed small floats, added to `sum`. The products are exact. They are added in
// the order from the last element to the first, and each sum is rounded to f32; this is assumed, as
// for v_dot2.
template <FloatFormat a_type, FloatFormat b_type>
constexpr auto dot_floats = [](U32 a, U32 b, F32 sum) {
  for (int i = 3; i >= 0; --i)
    sum = bits_as<F32>(widened<a_type>(field(a, 8, i))) *
              bits_as<F32>(widened<b_type>(field(b, 8, i))) +
          sum;
  return sum;
};

template <Handler handler>
constexpr Row dot_row(const char* name) {
  Row row{};
  copy_name(row.name, name);
  row.form = Form::vector;
  row.destination = row.sources[2] = Type::i32;
  row.sources[0] = row.sources[1] = Type::packed;
  row.plain = row.general = handler;
  row.extra = 1;  // takes clamp
  row.traits = trait_dot_product;
  return row;
}

// --- packing ---------------------------------------------------------------------------------

template <class T>
HEDDLE_INLINE T clamped_between(T x, T low, T high) {
  x = x < low ? low : x;
  return x > high ? high : x;
}

template <class T, int lowest, int highest>
HEDDLE_INLINE Pair<T> narrowed(I32 a, I32 b) {
  return {convert<T>(clamped_between(a, I32(lowest), I32(highest))),
          convert<T>(clamped_between(b, I32(lowest), I32(highest)))};
}
HEDDLE_INLINE Pair<U16> narrowed(U32 a, U32 b) {
  const U32 top = U32(0xffffu);
  return {convert<U16>(a > top ? top : a), convert<U16>(b > top ? top : b)};
}

// Converts a float to a normalised integer: 1.0 becomes `scale`. Numbers are clamped to the range
// from `lowest` to 1, and rounded to nearest; NaN becomes 0.
template <int lowest, int scale>
HEDDLE_INLINE I32 normalised(F32 x) {
  x = select(is_nan(x), F32(0), x);
  x = clamped_between(x, F32(static_cast<float>(lowest)), F32(1.0f));
  return convert<I32>(__builtin_elementwise_roundeven(x * F32(static_cast<float>(scale))));
}
constexpr auto signed_norm = [](F32 x) { return normalised<-1, 32767>(x); };
constexpr auto unsigned_norm = [](F32 x) { return normalised<0, 65535>(x); };

HEDDLE_INLINE U32 replaced_byte(U32 old, U32 at, U32 byte) {
  const U32 shift = (at & 3u) * 8u;
  return (old & ~(U32(0xffu) << shift)) | byte << shift;
}

HEDDLE_INLINE U16 saturated_bytes(U32 x) {
  const I32 low = bits_as<I32>(x << 16) >> 16, high = bits_as<I32>(x) >> 16;
  return convert<U16>(clamped_between(low, I32(0), I32(255)) |
                      clamped_between(high, I32(0), I32(255)) << 8);
}

template <int lowest, int highest>
HEDDLE_INLINE U16 shifted_bytes(I32 a, I32 b, U32 by) {
  const I32 places = bits_as<I32>(by & 31u);
  const auto byte = [&](I32 x) {
    return bits_as<U32>(clamped_between(x >> places, I32(lowest), I32(highest))) & 0xffu;
  };
  return convert<U16>(byte(a) | byte(b) << 8);
}

template <bool is_signed>
HEDDLE_INLINE U16 saturated_nibbles(U32 bytes) {
  U32 result = U32(0);
  for (uint32_t i = 0; i < 4; ++i) {
    const U32 high = bytes << (24 - 8 * i);
    const I32 x = is_signed ? bits_as<I32>(high) >> 24 : bits_as<I32>(high >> 24);
    const I32 nibble = clamped_between(x, I32(is_signed ? -8 : 0), I32(is_signed ? 7 : 15));
    result |= (bits_as<U32>(nibble) & 15u) << (4 * i);
  }
  return convert<U16>(result);
}

// --- fp8 and bf8 -----------------------------------------------------------------------------

// Converts one byte of the source. The modifier byte_sel says which byte; the decoder stores it in
// Instruction::offset.
template <FloatFormat from>
const Instruction* from_small(Wavefront& w, const Instruction* in) {
  const Read<true> read{w, in};
  const U32 byte = read.bits(0) >> static_cast<uint32_t>(8 * in->offset);
  Write<true>{w, in}.put(bits_as<F32>(widened<from>(byte)));
  return in + 1;
}
// The same on gfx1250, where `clamp` chooses another format.
const Instruction* from_fp8_or_e5m3(Wavefront& w, const Instruction* in) {
  const Read<true> read{w, in};
  const U32 byte = read.bits(0) >> static_cast<uint32_t>(8 * in->offset) & 0xffu;
  const bool e5m3 = in->flags & flag_clamp;
  Write<true>{w, in}.put(e5m3 ? widened<format_e5m3>(byte) : widened<format_fp8>(byte));
  return in + 1;
}
template <FloatFormat from>
const Instruction* from_small_to_half(Wavefront& w, const Instruction* in) {
  const Read<true> read{w, in};
  const U32 byte = read.bits(0) >> static_cast<uint32_t>(8 * in->offset);
  Write<true>{w, in}.put(convert<U16>(widened<from, format_f16>(byte)));
  return in + 1;
}

template <FloatFormat from>
const Instruction* from_small_pair(Wavefront& w, const Instruction* in) {
  const Read<true> read{w, in};
  const U32 pair = in->source[0].flags & source_high ? read.bits(0) >> 16 : read.bits(0);
  const U32 low = widened<from>(pair), high = widened<from>(pair >> 8);
  Write<true>{w, in}.put(convert<U64>(low) | convert<U64>(high) << 32);
  return in + 1;
}
template <FloatFormat from>
constexpr auto small_pair_to_halves = [](U16 pair) {
  const U32 bits = convert<U32>(pair);
  return widened<from, format_f16>(bits) | widened<from, format_f16>(bits >> 8) << 16;
};

// A number without its sign, for the unsigned fp8 that `clamp` selects on gfx1250.
template <FloatFormat from>
HEDDLE_INLINE Parts unsigned_parts(U32 bits) {
  Parts parts = from_bits<from>(bits);
  parts.sign = U32(0);
  return parts;
}

// Two f32, or the two halves of one register.
template <FloatFormat from, FloatFormat to>
const Instruction* to_small_pair(Wavefront& w, const Instruction* in) {
  const Read<true> read{w, in};
  U32 a, b;
  if constexpr (from.bits() == 32) {
    a = read.get(0, Tag<U32>{});
    b = read.get(1, Tag<U32>{});
  } else {
    const auto pair = read.get(0, Tag<Pair<U16>>{});
    a = convert<U32>(pair.low);
    b = convert<U32>(pair.high);
  }
  const Overflow overflow = overflow_of(w);
  const auto converted = [&](U32 x) {
    if constexpr (to.exponent == format_e5m3.exponent && to.mantissa == format_e5m3.mantissa)
      return in->flags & flag_clamp ? to_nearest<to>(unsigned_parts<from>(x), overflow)
                                    : to_nearest<format_fp8>(from_bits<from>(x), overflow);
    else
      return to_nearest<to>(from_bits<from>(x), overflow);
  };
  Write<true>{w, in}.put(convert<U16>(converted(a) | converted(b) << 8));
  return in + 1;
}

// Converts to one byte with stochastic rounding; the second operand has the random bits.
template <FloatFormat from, FloatFormat to>
const Instruction* to_small_stochastic(Wavefront& w, const Instruction* in) {
  const Read<true> read{w, in};
  U32 x;
  if constexpr (from.bits() == 32)
    x = read.get(0, Tag<U32>{});
  else
    x = convert<U32>(read.get(0, Tag<U16>{}));
  const U32 random = read.bits(1);
  const Overflow overflow = overflow_of(w);
  U32 byte;
  if constexpr (to.exponent == format_e5m3.exponent && to.mantissa == format_e5m3.mantissa)
    byte = in->flags & flag_clamp ? stochastic<to>(unsigned_parts<from>(x), random, overflow)
                                  : stochastic<format_fp8>(from_bits<from>(x), random, overflow);
  else
    byte = stochastic<to>(from_bits<from>(x), random, overflow);
  const U32 old = load_register(w, in->destination);
  Write<true>{w, in}.put(replaced_byte(old, U32(static_cast<uint32_t>(in->offset)), byte));
  return in + 1;
}

// Rounds two f32 stochastically into the two halves of a register. For the second f32, the next
// random number is used. That is assumed: the CDNA4 ISA says so of another instruction,
// V_CVT_SCALEF32_SR_PK_FP4_F32.
template <FloatFormat to>
constexpr auto to_halves_stochastic = [](U32 a, U32 b, U32 random) {
  return stochastic<to>(from_bits<format_f32>(a), random) |
         stochastic<to>(from_bits<format_f32>(b), next_random(random)) << 16;
};
// Rounds one f32 stochastically to 16 bits. Which bits of the random number are used is not
// documented; the upper ones are assumed.
template <FloatFormat to>
constexpr auto to_half_stochastic = [](U32 a, U32 random) {
  return convert<U16>(stochastic<to>(from_bits<format_f32>(a), random));
};

// Converts a number to a byte and inserts it into `old`, at byte `at`.
constexpr auto to_byte = [](F32 a, U32 at, U32 old) {
  const U32 byte = to_u32(select(to_lanes_of(a > 255.0f), F32(255.0f), a));
  return replaced_byte(old, at, byte);
};

template <Handler handler>
constexpr Row hand_row(const char* name, Type destination, Type a, Type b = Type::none,
                       Type c = Type::none) {
  Row row{};
  copy_name(row.name, name);
  row.form = Form::vector;
  row.destination = destination;
  row.sources[0] = a;
  row.sources[1] = b;
  row.sources[2] = c;
  row.plain = row.general = handler;
  return row;
}

template <Handler handler>
constexpr Row distances_row(const char* name, Type destination, Type c) {
  Row row = hand_row<handler>(name, destination, Type::u64, Type::u32, c);
  row.extra = 1;  // takes clamp
  return row;
}
// A sum of absolute differences plus the third operand, c. 64 bits hold every such sum.
HEDDLE_INLINE I64 distance_sum(U32 distances, U32 c) {
  return convert<I64>(distances) + convert<I64>(c);
}

// To one byte of the destination.
template <FloatFormat from, FloatFormat to>
constexpr Row stochastic_row(const char* name, Type source) {
  return having(trait_writes_byte, keeping_destination(hand_row<&to_small_stochastic<from, to>>(
                                       name, Type::u32, source, Type::u32)));
}

constexpr Row rows[] = {
    saturating<U32, [](U32 a, U32 b,
                       U32 c) { return distance_sum(byte_distances<false>(a, b), c); }>("v_sad_u8"),
    saturating<U32, [](U32 a, U32 b,
                       U32 c) { return distance_sum(byte_distances<false>(a, b) << 16, c); }>(
        "v_sad_hi_u8"),
    saturating<U32,
               [](U32 a, U32 b, U32 c) {
                 return distance_sum(
                     distance(a & 0xffffu, b & 0xffffu) + distance(a >> 16, b >> 16), c);
               }>("v_sad_u16"),
    saturating<U32, [](U32 a, U32 b,
                       U32 c) { return distance_sum(byte_distances<true>(a, b), c); }>("v_msad_u8"),
    distances_row<&four_distances<false>>("v_qsad_pk_u16_u8", Type::u64, Type::u64),
    distances_row<&four_distances<true>>("v_mqsad_pk_u16_u8", Type::u64, Type::u64),
    distances_row<&four_wide_distances>("v_mqsad_u32_u8", Type::wide, Type::wide),
    vector_rare<[](U32 a, U32 b, U32 c) {
      U32 result = U32(0);
      for (int i = 0; i < 4; ++i)
        result |= (field(a, 8, i) + field(b, 8, i) + (field(c, 8, i) & 1u)) >> 1 << (8 * i);
      return result;
    }>("v_lerp_u8"),

    dot_row<&dot_integers<8, true>>("v_dot4_i32_iu8"),
    dot_row<&dot_integers<8, false>>("v_dot4_u32_u8"),
    dot_row<&dot_integers<4, true>>("v_dot8_i32_iu4"),
    dot_row<&dot_integers<4, false>>("v_dot8_u32_u4"),

    having(trait_dot_product,
           vector_rare<dot_floats<format_fp8, format_bf8>>("v_dot4_f32_fp8_bf8")),
    having(trait_dot_product,
           vector_rare<dot_floats<format_bf8, format_fp8>>("v_dot4_f32_bf8_fp8")),
    having(trait_dot_product,
           vector_rare<dot_floats<format_fp8, format_fp8>>("v_dot4_f32_fp8_fp8")),
    having(trait_dot_product,
           vector_rare<dot_floats<format_bf8, format_bf8>>("v_dot4_f32_bf8_bf8")),

    vector_rare<[](U32 a) { return saturated_bytes(a); }>("v_sat_pk_u8_i16"),
    tracking(undefined::replaced_byte, vector_rare<to_byte>("v_cvt_pk_u8_f32")),
    tracking(undefined::replaced_byte,
             vector_rare<to_byte>("v_cvt_pkaccum_u8_f32", Form::vector_accumulate)),
    vector_rare<[](F32 a, F32 b) {
      return narrowed<I16, -32768, 32767>(to_i32(__builtin_elementwise_trunc(a)),
                                          to_i32(__builtin_elementwise_trunc(b)));
    }>("v_cvt_pk_i16_f32"),
    vector_rare<[](F32 a, F32 b) { return narrowed(to_u32(a), to_u32(b)); }>("v_cvt_pk_u16_f32"),
    tracking(undefined::converted_halves,
             vector_rare<[](U32 a, U32 b) { return narrowed(a, b); }>("v_cvt_pk_u16_u32")),
    tracking(undefined::converted_halves,
             vector_rare<[](I32 a, I32 b) { return narrowed<I16, -32768, 32767>(a, b); }>(
                 "v_cvt_pk_i16_i32")),
    vector_rare<[](F32 a, F32 b) {
      return Pair<I16>{convert<I16>(signed_norm(a)), convert<I16>(signed_norm(b))};
    }>("v_cvt_pk_norm_i16_f32"),
    vector_rare<[](F32 a, F32 b) {
      return Pair<U16>{convert<U16>(unsigned_norm(a)), convert<U16>(unsigned_norm(b))};
    }>("v_cvt_pk_norm_u16_f32"),
    vector_rare<[](F16 a, F16 b) {
      return Pair<I16>{convert<I16>(signed_norm(convert<F32>(a))),
                       convert<I16>(signed_norm(convert<F32>(b)))};
    }>("v_cvt_pk_norm_i16_f16"),
    vector_rare<[](F16 a, F16 b) {
      return Pair<U16>{convert<U16>(unsigned_norm(convert<F32>(a))),
                       convert<U16>(unsigned_norm(convert<F32>(b)))};
    }>("v_cvt_pk_norm_u16_f16"),
    vector_rare<[](F16 a) { return convert<I16>(signed_norm(convert<F32>(a))); }>(
        "v_cvt_norm_i16_f16"),
    vector_rare<[](F16 a) { return convert<U16>(unsigned_norm(convert<F32>(a))); }>(
        "v_cvt_norm_u16_f16"),
    // A signed nibble in sixteenths.
    vector_rare<[](U32 a) { return convert<F32>(bits_as<I32>(a << 28) >> 28) * F32(0.0625f); }>(
        "v_cvt_off_f32_i4"),

    hand_row<&from_small<format_fp8>>("v_cvt_f32_fp8", Type::f32, Type::u32),
    hand_row<&from_small<format_bf8>>("v_cvt_f32_bf8", Type::f32, Type::u32),
    hand_row<&from_small_pair<format_fp8>>("v_cvt_pk_f32_fp8", Type::u64, Type::u32),
    hand_row<&from_small_pair<format_bf8>>("v_cvt_pk_f32_bf8", Type::u64, Type::u32),
    hand_row<&to_small_pair<format_f32, format_fp8>>("v_cvt_pk_fp8_f32", Type::u16, Type::f32,
                                                     Type::f32),
    hand_row<&to_small_pair<format_f32, format_bf8>>("v_cvt_pk_bf8_f32", Type::u16, Type::f32,
                                                     Type::f32),
    stochastic_row<format_f32, format_fp8>("v_cvt_sr_fp8_f32", Type::f32),
    stochastic_row<format_f32, format_bf8>("v_cvt_sr_bf8_f32", Type::f32),
    // CDNA3's formats.
    only_for(isa::fnuz, 0,
             hand_row<&from_small<format_fp8_fnuz>>("v_cvt_f32_fp8", Type::f32, Type::u32)),
    only_for(isa::fnuz, 0,
             hand_row<&from_small<format_bf8_fnuz>>("v_cvt_f32_bf8", Type::f32, Type::u32)),
    only_for(isa::fnuz, 0,
             hand_row<&from_small_pair<format_fp8_fnuz>>("v_cvt_pk_f32_fp8", Type::u64, Type::u32)),
    only_for(isa::fnuz, 0,
             hand_row<&from_small_pair<format_bf8_fnuz>>("v_cvt_pk_f32_bf8", Type::u64, Type::u32)),
    only_for(isa::fnuz, 0,
             hand_row<&to_small_pair<format_f32, format_fp8_fnuz>>("v_cvt_pk_fp8_f32", Type::u16,
                                                                   Type::f32, Type::f32)),
    only_for(isa::fnuz, 0,
             hand_row<&to_small_pair<format_f32, format_bf8_fnuz>>("v_cvt_pk_bf8_f32", Type::u16,
                                                                   Type::f32, Type::f32)),
    only_for(isa::fnuz, 0,
             stochastic_row<format_f32, format_fp8_fnuz>("v_cvt_sr_fp8_f32", Type::f32)),
    only_for(isa::fnuz, 0,
             stochastic_row<format_f32, format_bf8_fnuz>("v_cvt_sr_bf8_f32", Type::f32)),
    // gfx12's sources use the small constants of f16.
    only_for(isa::gfx12, 0,
             hand_row<&from_small_pair<format_fp8>>("v_cvt_pk_f32_fp8", Type::u64, Type::f16)),
    only_for(isa::gfx12, 0,
             hand_row<&from_small_pair<format_bf8>>("v_cvt_pk_f32_bf8", Type::u64, Type::f16)),
    // gfx1250's, of f16 too.
    only_for(isa::gfx1250, 32, hand_row<&from_fp8_or_e5m3>("v_cvt_f32_fp8", Type::f32, Type::u32)),
    only_for(isa::gfx1250, 32,
             hand_row<&to_small_pair<format_f32, format_e5m3>>("v_cvt_pk_fp8_f32", Type::u16,
                                                               Type::f32, Type::f32)),
    only_for(isa::gfx1250, 32,
             stochastic_row<format_f32, format_e5m3>("v_cvt_sr_fp8_f32", Type::f32)),
    hand_row<&from_small_to_half<format_fp8>>("v_cvt_f16_fp8", Type::u16, Type::u32),
    hand_row<&from_small_to_half<format_bf8>>("v_cvt_f16_bf8", Type::u16, Type::u32),
    vector_rare<small_pair_to_halves<format_fp8>>("v_cvt_pk_f16_fp8"),
    vector_rare<small_pair_to_halves<format_bf8>>("v_cvt_pk_f16_bf8"),
    hand_row<&to_small_pair<format_f16, format_e5m3>>("v_cvt_pk_fp8_f16", Type::u16,
                                                      Type::packed_f16),
    hand_row<&to_small_pair<format_f16, format_bf8>>("v_cvt_pk_bf8_f16", Type::u16,
                                                     Type::packed_f16),
    stochastic_row<format_f16, format_e5m3>("v_cvt_sr_fp8_f16", Type::f16),
    stochastic_row<format_f16, format_bf8>("v_cvt_sr_bf8_f16", Type::f16),
    vector_rare<to_halves_stochastic<format_f16>>("v_cvt_sr_pk_f16_f32"),
    vector_rare<to_halves_stochastic<format_bf16>>("v_cvt_sr_pk_bf16_f32"),
    keeping_destination(vector_rare<to_half_stochastic<format_f16>>("v_cvt_sr_f16_f32")),
    keeping_destination(vector_rare<to_half_stochastic<format_bf16>>("v_cvt_sr_bf16_f32")),
    // v_ashr_pk: shifts, clamps to the range of a byte, packs two bytes. On CDNA4 the ISA writes 16
    // bits.
    vector_rare<[](I32 a, I32 b, U32 by) { return shifted_bytes<-128, 127>(a, b, by); }>(
        "v_ashr_pk_i8_i32"),
    vector_rare<[](I32 a, I32 b, U32 by) { return shifted_bytes<0, 255>(a, b, by); }>(
        "v_ashr_pk_u8_i32"),
    // v_sat_pk4: four bytes become four nibbles with saturation (concluded from names and LLVM's
    // intrinsics).
    vector_rare<[](U32 a) { return saturated_nibbles<true>(a); }>("v_sat_pk4_i4_i8"),
    vector_rare<[](U32 a) { return saturated_nibbles<false>(a); }>("v_sat_pk4_u4_u8"),
};

}  // namespace

Rows vector_bytes_rows() { return {rows, sizeof rows / sizeof rows[0]}; }

}  // namespace heddle::emulator::HEDDLE_LEVEL
