// Conversions with a scale between packed small floats (fp8, bf8, fp6, bf6, fp4) and f32, f16 or
// bf16: those of CDNA4 and of gfx1250. A table has a row for each conversion. One handler extracts
// the elements from their registers, applies the scale and rounds once.
//
// A scale is a power of two, 2^(byte - 127). The byte is the exponent field of an f32, or on
// gfx1250 an E8M0. Conversions to small floats divide by the scale, all others multiply by it (AMD
// Instinct CDNA4 ISA, chapter "Instructions"). A scale of 255 gives NaN. AMD's HIP header
// amd_hip_ocp_host.hpp defines the results for NaN and for numbers out of range. It also says that
// denormals are kept in every mode.
//
// With FP16_OVFL, CDNA4 saturates infinities too: Triton 3.6's tests expect this of CDNA4's
// conversions without a scale (test_conversions.py, test_typeconvert_downcast_clamping, which
// excludes only RDNA4). For gfx1250 it is assumed that these conversions saturate like those
// without a scale, and round like CDNA4's.
#include "emulator/handlers/small_float.h"
#include "emulator/handlers/tables.h"

namespace heddle::emulator::HEDDLE_LEVEL {
namespace {

// --- formats at run time -----------------------------------------------------------------------

enum class Format : uint8_t { f32, f16, bf16, fp8, bf8, fp6, bf6, fp4 };

constexpr FloatFormat description(Format format) {
  constexpr FloatFormat all[] = {format_f32, format_f16, format_bf16, format_fp8,
                                 format_bf8, format_fp6, format_bf6,  format_fp4};
  return all[static_cast<int>(format)];
}
constexpr bool is_small(Format format) { return format >= Format::fp8; }
constexpr int bits_of(Format format) { return description(format).bits(); }

struct Arithmetic {
  void (*take_apart)(Parts& parts, const U32& bits);
  // `random`: null for the nearest number.
  void (*round)(U32& bits, const Parts& parts, const U32* random, Overflow overflow);
};
template <Format format>
void take_apart(Parts& parts, const U32& bits) {
  parts = from_bits<description(format)>(bits);
}
template <Format format>
void round_parts(U32& bits, const Parts& parts, const U32* random, Overflow overflow) {
  constexpr FloatFormat f = description(format);
  if constexpr (is_small(format)) {
    if (random) {
      bits = stochastic<f>(parts, *random, overflow);
      return;
    }
    bits = to_nearest<f>(parts, overflow);
  } else {
    bits = to_nearest<f>(parts);
  }
}
template <Format... formats>
struct Arithmetics {
  static constexpr Arithmetic all[] = {{&take_apart<formats>, &round_parts<formats>}...};
};
constexpr auto& arithmetic = Arithmetics<Format::f32, Format::f16, Format::bf16, Format::fp8,
                                         Format::bf8, Format::fp6, Format::bf6, Format::fp4>::all;

// --- the table ---------------------------------------------------------------------------------

struct Conversion {
  const char* name;
  int elements;
  Format to, from;
  bool is_stochastic = false;
};

// On CDNA4, one or two small elements are in a part of a register, which OPSEL selects; 32 elements
// fill whole registers.
constexpr Conversion of_cdna4[] = {
    {"v_cvt_scalef32_pk_fp8_f32", 2, Format::fp8, Format::f32},
    {"v_cvt_scalef32_pk_bf8_f32", 2, Format::bf8, Format::f32},
    {"v_cvt_scalef32_pk_fp4_f32", 2, Format::fp4, Format::f32},
    {"v_cvt_scalef32_pk_fp8_f16", 2, Format::fp8, Format::f16},
    {"v_cvt_scalef32_pk_bf8_f16", 2, Format::bf8, Format::f16},
    {"v_cvt_scalef32_pk_fp4_f16", 2, Format::fp4, Format::f16},
    {"v_cvt_scalef32_pk_fp8_bf16", 2, Format::fp8, Format::bf16},
    {"v_cvt_scalef32_pk_bf8_bf16", 2, Format::bf8, Format::bf16},
    {"v_cvt_scalef32_pk_fp4_bf16", 2, Format::fp4, Format::bf16},
    {"v_cvt_scalef32_sr_fp8_f32", 1, Format::fp8, Format::f32, true},
    {"v_cvt_scalef32_sr_bf8_f32", 1, Format::bf8, Format::f32, true},
    {"v_cvt_scalef32_sr_fp8_f16", 1, Format::fp8, Format::f16, true},
    {"v_cvt_scalef32_sr_bf8_f16", 1, Format::bf8, Format::f16, true},
    {"v_cvt_scalef32_sr_fp8_bf16", 1, Format::fp8, Format::bf16, true},
    {"v_cvt_scalef32_sr_bf8_bf16", 1, Format::bf8, Format::bf16, true},
    {"v_cvt_scalef32_sr_pk_fp4_f32", 2, Format::fp4, Format::f32, true},
    {"v_cvt_scalef32_sr_pk_fp4_f16", 2, Format::fp4, Format::f16, true},
    {"v_cvt_scalef32_sr_pk_fp4_bf16", 2, Format::fp4, Format::bf16, true},
    {"v_cvt_scalef32_f32_fp8", 1, Format::f32, Format::fp8},
    {"v_cvt_scalef32_f32_bf8", 1, Format::f32, Format::bf8},
    {"v_cvt_scalef32_f16_fp8", 1, Format::f16, Format::fp8},
    {"v_cvt_scalef32_f16_bf8", 1, Format::f16, Format::bf8},
    {"v_cvt_scalef32_pk_f32_fp8", 2, Format::f32, Format::fp8},
    {"v_cvt_scalef32_pk_f32_bf8", 2, Format::f32, Format::bf8},
    {"v_cvt_scalef32_pk_f32_fp4", 2, Format::f32, Format::fp4},
    {"v_cvt_scalef32_pk_f16_fp8", 2, Format::f16, Format::fp8},
    {"v_cvt_scalef32_pk_f16_bf8", 2, Format::f16, Format::bf8},
    {"v_cvt_scalef32_pk_f16_fp4", 2, Format::f16, Format::fp4},
    {"v_cvt_scalef32_pk_bf16_fp8", 2, Format::bf16, Format::fp8},
    {"v_cvt_scalef32_pk_bf16_bf8", 2, Format::bf16, Format::bf8},
    {"v_cvt_scalef32_pk_bf16_fp4", 2, Format::bf16, Format::fp4},
    {"v_cvt_scalef32_2xpk16_fp6_f32", 32, Format::fp6, Format::f32},
    {"v_cvt_scalef32_2xpk16_bf6_f32", 32, Format::bf6, Format::f32},
    {"v_cvt_scalef32_pk32_fp6_f16", 32, Format::fp6, Format::f16},
    {"v_cvt_scalef32_pk32_bf6_f16", 32, Format::bf6, Format::f16},
    {"v_cvt_scalef32_pk32_fp6_bf16", 32, Format::fp6, Format::bf16},
    {"v_cvt_scalef32_pk32_bf6_bf16", 32, Format::bf6, Format::bf16},
    {"v_cvt_scalef32_sr_pk32_fp6_f32", 32, Format::fp6, Format::f32, true},
    {"v_cvt_scalef32_sr_pk32_bf6_f32", 32, Format::bf6, Format::f32, true},
    {"v_cvt_scalef32_sr_pk32_fp6_f16", 32, Format::fp6, Format::f16, true},
    {"v_cvt_scalef32_sr_pk32_bf6_f16", 32, Format::bf6, Format::f16, true},
    {"v_cvt_scalef32_sr_pk32_fp6_bf16", 32, Format::fp6, Format::bf16, true},
    {"v_cvt_scalef32_sr_pk32_bf6_bf16", 32, Format::bf6, Format::bf16, true},
    {"v_cvt_scalef32_pk32_f32_fp6", 32, Format::f32, Format::fp6},
    {"v_cvt_scalef32_pk32_f32_bf6", 32, Format::f32, Format::bf6},
    {"v_cvt_scalef32_pk32_f16_fp6", 32, Format::f16, Format::fp6},
    {"v_cvt_scalef32_pk32_f16_bf6", 32, Format::f16, Format::bf6},
    {"v_cvt_scalef32_pk32_bf16_fp6", 32, Format::bf16, Format::fp6},
    {"v_cvt_scalef32_pk32_bf16_bf6", 32, Format::bf16, Format::bf6},
};

// gfx1250's make whole registers.
constexpr Conversion of_gfx1250[] = {
    {"v_cvt_scale_pk8_f32_fp8", 8, Format::f32, Format::fp8},
    {"v_cvt_scale_pk8_f32_bf8", 8, Format::f32, Format::bf8},
    {"v_cvt_scale_pk8_f32_fp4", 8, Format::f32, Format::fp4},
    {"v_cvt_scale_pk8_f16_fp8", 8, Format::f16, Format::fp8},
    {"v_cvt_scale_pk8_f16_bf8", 8, Format::f16, Format::bf8},
    {"v_cvt_scale_pk8_f16_fp4", 8, Format::f16, Format::fp4},
    {"v_cvt_scale_pk8_bf16_fp8", 8, Format::bf16, Format::fp8},
    {"v_cvt_scale_pk8_bf16_bf8", 8, Format::bf16, Format::bf8},
    {"v_cvt_scale_pk8_bf16_fp4", 8, Format::bf16, Format::fp4},
    {"v_cvt_scale_pk16_f32_fp6", 16, Format::f32, Format::fp6},
    {"v_cvt_scale_pk16_f32_bf6", 16, Format::f32, Format::bf6},
    {"v_cvt_scale_pk16_f16_fp6", 16, Format::f16, Format::fp6},
    {"v_cvt_scale_pk16_f16_bf6", 16, Format::f16, Format::bf6},
    {"v_cvt_scale_pk16_bf16_fp6", 16, Format::bf16, Format::fp6},
    {"v_cvt_scale_pk16_bf16_bf6", 16, Format::bf16, Format::bf6},
    {"v_cvt_scalef32_pk8_fp8_f32", 8, Format::fp8, Format::f32},
    {"v_cvt_scalef32_pk8_bf8_f32", 8, Format::bf8, Format::f32},
    {"v_cvt_scalef32_pk8_fp4_f32", 8, Format::fp4, Format::f32},
    {"v_cvt_scalef32_pk8_fp8_f16", 8, Format::fp8, Format::f16},
    {"v_cvt_scalef32_pk8_bf8_f16", 8, Format::bf8, Format::f16},
    {"v_cvt_scalef32_pk8_fp4_f16", 8, Format::fp4, Format::f16},
    {"v_cvt_scalef32_pk8_fp8_bf16", 8, Format::fp8, Format::bf16},
    {"v_cvt_scalef32_pk8_bf8_bf16", 8, Format::bf8, Format::bf16},
    {"v_cvt_scalef32_pk8_fp4_bf16", 8, Format::fp4, Format::bf16},
    {"v_cvt_scalef32_pk16_fp6_f32", 16, Format::fp6, Format::f32},
    {"v_cvt_scalef32_pk16_bf6_f32", 16, Format::bf6, Format::f32},
    {"v_cvt_scalef32_pk16_fp6_f16", 16, Format::fp6, Format::f16},
    {"v_cvt_scalef32_pk16_bf6_f16", 16, Format::bf6, Format::f16},
    {"v_cvt_scalef32_pk16_fp6_bf16", 16, Format::fp6, Format::bf16},
    {"v_cvt_scalef32_pk16_bf6_bf16", 16, Format::bf6, Format::bf16},
    {"v_cvt_scalef32_sr_pk8_fp8_f32", 8, Format::fp8, Format::f32, true},
    {"v_cvt_scalef32_sr_pk8_bf8_f32", 8, Format::bf8, Format::f32, true},
    {"v_cvt_scalef32_sr_pk8_fp4_f32", 8, Format::fp4, Format::f32, true},
    {"v_cvt_scalef32_sr_pk8_fp8_f16", 8, Format::fp8, Format::f16, true},
    {"v_cvt_scalef32_sr_pk8_bf8_f16", 8, Format::bf8, Format::f16, true},
    {"v_cvt_scalef32_sr_pk8_fp4_f16", 8, Format::fp4, Format::f16, true},
    {"v_cvt_scalef32_sr_pk8_fp8_bf16", 8, Format::fp8, Format::bf16, true},
    {"v_cvt_scalef32_sr_pk8_bf8_bf16", 8, Format::bf8, Format::bf16, true},
    {"v_cvt_scalef32_sr_pk8_fp4_bf16", 8, Format::fp4, Format::bf16, true},
    {"v_cvt_scalef32_sr_pk16_fp6_f32", 16, Format::fp6, Format::f32, true},
    {"v_cvt_scalef32_sr_pk16_bf6_f32", 16, Format::bf6, Format::f32, true},
    {"v_cvt_scalef32_sr_pk16_fp6_f16", 16, Format::fp6, Format::f16, true},
    {"v_cvt_scalef32_sr_pk16_bf6_f16", 16, Format::bf6, Format::f16, true},
    {"v_cvt_scalef32_sr_pk16_fp6_bf16", 16, Format::fp6, Format::bf16, true},
    {"v_cvt_scalef32_sr_pk16_bf6_bf16", 16, Format::bf6, Format::bf16, true},
};

constexpr int cdna4_count = sizeof of_cdna4 / sizeof of_cdna4[0];
constexpr int gfx1250_count = sizeof of_gfx1250 / sizeof of_gfx1250[0];

// --- operands ----------------------------------------------------------------------------------

// On CDNA4, one or two elements of few bits are read from a part of a register (takes_part) or
// written to a part (makes_part): a byte or a half.
constexpr bool takes_part(const Conversion& c) { return is_small(c.from) && c.elements <= 2; }
constexpr bool makes_part(const Conversion& c) {
  return c.elements <= 2 && bits_of(c.to) * c.elements <= 16;
}
constexpr bool makes_byte(const Conversion& c) { return bits_of(c.to) * c.elements == 8; }
// True if a conversion reads its f32 elements from two operands. With 2 elements, each operand has
// one; with 32, each has 16, and they alternate. These are conversions that round to nearest.
constexpr bool has_two_blocks(const Conversion& c) {
  return c.from == Format::f32 && !c.is_stochastic && (c.elements == 2 || c.elements == 32);
}
constexpr int scale_operand(const Conversion& c) {
  return has_two_blocks(c) || c.is_stochastic ? 2 : 1;
}

// The bits of OPSEL, which the decoder stores in `offset`.
HEDDLE_INLINE uint32_t op_sel(const Instruction* in) { return static_cast<uint32_t>(in->offset); }

// Word number `word` of an operand that consists of several registers. If the operand is a
// constant, all its words are that constant.
HEDDLE_INLINE U32 word_of(const Read<true>& read, int operand, unsigned word) {
  const Source& s = read.in->source[operand];
  if (word == 0) return read.get(operand, Tag<U32>{});
  if (s.kind == SourceKind::vgpr) return load_register(read.w, s.index + word);
  return U32(s.kind == SourceKind::constant ? s.constant : read.w.scalar[s.index + word]);
}

// The bits of source element i of a conversion. Above them, the result may contain bits of other
// elements.
HEDDLE_INLINE U32 element(const Conversion& c, const Read<true>& read, int i) {
  if (has_two_blocks(c)) return word_of(read, i % 2, static_cast<unsigned>(i / 2));
  if (c.elements == 1 && !is_small(c.from) && c.from != Format::f32)
    return convert<U32>(read.get(0, Tag<U16>{}));
  const auto bits = static_cast<unsigned>(bits_of(c.from));
  unsigned at = static_cast<unsigned>(i) * bits;
  if (takes_part(c)) {
    const bool byte = bits * static_cast<unsigned>(c.elements) == 8;
    at += byte ? 8 * (op_sel(read.in) & 3u) : 16 * (op_sel(read.in) & 1u);
  }
  U32 x = word_of(read, 0, at / 32) >> at % 32;
  if (at % 32 + bits > 32) x |= word_of(read, 0, at / 32 + 1) << (32 - at % 32);
  return x;
}

// On gfx1250, only one half of the wave (16 of its 32 lanes) holds the scales: lane l uses the
// scale of lane l % 16 of that half. SCALE_SEL selects the half, the byte, and whether 16 or 32
// elements share a scale (MLIR, amdgpu.scaled_ext_packed_matrix and its lowering). For fp8 and bf8
// with 16 elements, the sources disagree, so that selection is refused.
bool is_known_selection(const Conversion& c, uint32_t selection) {
  return bits_of(c.from) != 8 || !(selection & 1u);
}
U32 selected_scale(const Conversion& c, const Read<true>& read) {
  const Source& s = read.in->source[1];
  const uint32_t selection = op_sel(read.in);
  const bool eight = bits_of(c.from) == 8, small_blocks = selection & 1u;
  const uint32_t first_lane = 16 * (selection >> (eight ? 3 : 2) & 1u);
  U32 scale;
  for (uint32_t l = 0; l < lanes; ++l) {
    const uint32_t upper = l / 16, second = selection >> 1 & 1u;
    const uint32_t byte = eight          ? selection >> 1 & 3u
                          : small_blocks ? second + 2 * upper
                                         : 2 * second + upper;
    const uint32_t word = s.kind == SourceKind::vgpr ? read.w.vgpr[s.index][first_lane + l % 16]
                                                     : read_scalar(read.w, s);
    scale[l] = word >> (8 * byte) & 0xffu;
  }
  return scale;
}

// --- the conversion ----------------------------------------------------------------------------

template <const Conversion* conversions, bool has_e8m0>
const Instruction* convert_scaled(Wavefront& w, const Instruction* in) {
  const Conversion& c = conversions[in->extra >> 1];
  const Read<true> read{w, in};
  const bool selects = has_e8m0 && is_small(c.from);
  if (selects && !is_known_selection(c, op_sel(in))) return raise(w, in, FaultKind::unsupported);
  const U32 scale = selects ? selected_scale(c, read) : read.bits(scale_operand(c)) >> 23 & 0xffu;
  const I32 power = is_small(c.from) ? bits_as<I32>(scale) - 127 : 127 - bits_as<I32>(scale);
  const Lanes no_scale = to_lanes_of(scale == 255u);
  U32 random = c.is_stochastic ? read.bits(1) : U32(0);
  const Overflow overflow = overflow_of(w);

  const auto bits = static_cast<unsigned>(bits_of(c.to));
  const uint32_t mask = bits == 32 ? 0xffffffffu : (1u << bits) - 1;
  U32 result[32];
  unsigned at = 0;
  for (int i = 0; i < c.elements; ++i, at += bits) {
    Parts parts;
    arithmetic[static_cast<int>(c.from)].take_apart(parts, element(c, read, i));
    parts.exponent += power;
    parts.nan = parts.nan | no_scale;
    parts.significand = select(no_scale, U32(0x800000u), parts.significand);
    if (!has_e8m0 && overflow == Overflow::saturate) {
      parts.exponent = select(parts.infinite, I32(1 << 20), parts.exponent);
      parts.significand = select(parts.infinite, U32(0x800000u), parts.significand);
      parts.infinite = parts.infinite & Lanes(0);
    }
    U32 x;
    arithmetic[static_cast<int>(c.to)].round(x, parts, c.is_stochastic ? &random : nullptr,
                                             overflow);
    x &= mask;
    if (c.is_stochastic) random = next_random(random);
    const unsigned word = at / 32, place = at % 32;
    result[word] = place == 0 ? x : result[word] | x << place;
    if (place + bits > 32) result[word + 1] = x >> (32 - place);
  }
  if (makes_part(c)) {
    const bool byte = at == 8;
    const uint32_t shift = byte ? 8 * (op_sel(in) >> 2 & 3u) : 16 * (op_sel(in) >> 3 & 1u);
    const uint32_t part = (byte ? 0xffu : 0xffffu) << shift;
    const U32 old = load_register(w, in->destination);
    store_register(w, in->destination, (old & ~part) | result[0] << shift, exec(w));
    return in + 1;
  }
  for (unsigned i = 0; i < at / 32; ++i) store_register(w, in->destination + i, result[i], exec(w));
  return in + 1;
}

// --- rows --------------------------------------------------------------------------------------

constexpr Type type_of_block(Format format, int elements) {
  const int registers = bits_of(format) * elements / 32;
  if (registers > 1) return Type::wide;
  if (is_small(format)) return Type::u32;
  if (format == Format::f32) return Type::f32;
  if (format == Format::f16) return elements == 1 ? Type::f16 : Type::packed_f16;
  return elements == 1 ? Type::bf16 : Type::packed_bf16;
}

constexpr Row row_of(const Conversion& c, int number, Families families, Handler handler) {
  Row row{};
  copy_name(row.name, c.name);
  row.form = Form::vector_selecting;
  row.destination = makes_part(c)                      ? Type::u16
                    : bits_of(c.to) * c.elements == 32 ? Type::u32
                                                       : Type::wide;
  row.sources[0] = type_of_block(c.from, has_two_blocks(c) ? c.elements / 2 : c.elements);
  if (has_two_blocks(c)) row.sources[1] = row.sources[0];
  if (c.is_stochastic) row.sources[1] = Type::u32;
  row.sources[scale_operand(c)] = Type::f32;
  if (families == isa::gfx1250 && is_small(c.from)) row.sources[1] = Type::u32;
  row.plain = row.general = handler;
  if (makes_byte(c)) row.traits = trait_writes_byte;
  // LLVM 22 marks these regardless of OPSEL (GCNHazardRecognizer, getDstSelForwardingOperand).
  if (makes_byte(c) && c.to == Format::fp4 && c.is_stochastic) row.traits = trait_moves_result;
  row.extra = static_cast<uint16_t>(2 * number);  // 1 would say that it takes clamp
  row.families = families;
  return row;
}

struct Table {
  Row rows[cdna4_count + gfx1250_count];
  constexpr Table() : rows{} {
    for (int i = 0; i < cdna4_count; ++i)
      rows[i] = row_of(of_cdna4[i], i, isa::gfx950, &convert_scaled<of_cdna4, false>);
    for (int i = 0; i < gfx1250_count; ++i)
      rows[cdna4_count + i] =
          row_of(of_gfx1250[i], i, isa::gfx1250, &convert_scaled<of_gfx1250, true>);
  }
};
constexpr Table table;

}  // namespace

Rows float_conversion_rows() { return {table.rows, sizeof table.rows / sizeof table.rows[0]}; }

}  // namespace heddle::emulator::HEDDLE_LEVEL
