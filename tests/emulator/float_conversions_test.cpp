// Every conversion with a scale that LLVM knows for CDNA4 and gfx1250 against a formula in f64: all
// patterns of the small formats, and numbers at, between and beside them, under scales from one end
// of the range to the other, in every place that OPSEL can choose.
//
// What an instruction converts is read from its name. Numbers, scales and their products are exact
// in f64, in which the reference looks for the nearest pattern among all of the small format.
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "kernels.h"
#include "opcode_space.h"

namespace heddle::emulator::testing {
namespace float_conversions_test {

// --- formats -----------------------------------------------------------------------------------

enum class Ends { numbers, last_is_nan, ieee };
struct Format {
  int exponent, mantissa, bias;
  Ends ends;
  int bits() const { return 1 + exponent + mantissa; }
  uint32_t sign() const { return 1u << (bits() - 1); }
  uint32_t largest() const {
    if (ends == Ends::ieee) return (((1u << exponent) - 1) << mantissa) - 1;
    return sign() - (ends == Ends::last_is_nan ? 2 : 1);
  }
  // Of a pattern without sign, as if all patterns were numbers.
  double value(uint32_t pattern) const {
    const int field = static_cast<int>(pattern >> mantissa);
    const uint32_t fraction = pattern & ((1u << mantissa) - 1);
    if (field == 0) return std::ldexp(fraction, 1 - bias - mantissa);
    return std::ldexp(fraction + (1u << mantissa), field - bias - mantissa);
  }
  double number(uint32_t pattern) const {
    const uint32_t magnitude = pattern & (sign() - 1);
    double x = value(magnitude);
    if (ends == Ends::ieee && magnitude > largest())
      x = magnitude == largest() + 1 ? INFINITY : NAN;
    if (ends == Ends::last_is_nan && magnitude > largest()) x = NAN;
    return pattern & sign() ? -x : x;
  }
};

const std::map<std::string, Format> formats = {
    {"f32", {8, 23, 127, Ends::ieee}}, {"f16", {5, 10, 15, Ends::ieee}},
    {"bf16", {8, 7, 127, Ends::ieee}}, {"fp8", {4, 3, 7, Ends::last_is_nan}},
    {"bf8", {5, 2, 15, Ends::ieee}},   {"fp6", {2, 3, 1, Ends::numbers}},
    {"bf6", {3, 2, 3, Ends::numbers}}, {"fp4", {2, 1, 1, Ends::numbers}},
};

// The pattern below |x|, or of |x|, as if there were no largest.
uint32_t below(const Format& f, double x) {
  uint32_t low = 0, high = f.sign();  // value(low) <= x < value(high), or high is past all
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    (f.value(middle) <= x ? low : high) = middle;
  }
  return low;
}
uint32_t nearest(const Format& f, double x) {
  const uint32_t low = below(f, x);
  const double down = x - f.value(low), up = f.value(low + 1) - x;
  return up < down || (up == down && low % 2 == 1) ? low + 1 : low;
}
// The random number is that share of a step with which the upper neighbour is reached.
uint32_t stochastic(const Format& f, double x, uint32_t random) {
  const uint32_t low = below(f, x);
  const int digits = 23 - f.mantissa;
  const double share = (x - f.value(low)) / (f.value(low + 1) - f.value(low));
  return share + std::ldexp(random >> (32 - digits), -digits) >= 1 ? low + 1 : low;
}

// --- instructions ------------------------------------------------------------------------------

struct Conversion {
  std::string name;
  Format to, from;
  int elements = 1;
  bool is_small_source = false, is_stochastic = false, interleaves = false;
  bool has_scale = true;
  int source_bits() const { return elements * from.bits(); }
  int result_bits() const { return elements * to.bits(); }
};

Conversion read_name(const std::string& name) {
  Conversion c;
  c.name = name;
  std::vector<std::string> words;
  for (std::size_t at = 0; at != std::string::npos;) {
    const std::size_t end = name.find('_', at);
    words.push_back(name.substr(at, end == std::string::npos ? end : end - at));
    at = end == std::string::npos ? end : end + 1;
  }
  const std::string &to = words[words.size() - 2], &from = words.back();
  c.to = formats.at(to);
  c.from = formats.at(from);
  c.is_small_source = c.from.bits() <= 8;
  for (const std::string& word : words) {
    if (word == "sr") c.is_stochastic = true;
    if (word == "2xpk16") c.elements = 32;
    if (word.starts_with("pk")) c.elements = word == "pk" ? 2 : std::stoi(word.substr(2));
  }
  c.interleaves = from == "f32" && !c.is_stochastic && (c.elements == 2 || c.elements == 32);
  return c;
}

std::vector<Conversion> conversions(const std::string& target, int wave) {
  std::set<std::string> names;
  for (const EncodedInstruction& instruction : opcode_space(*find_target(target), wave))
    if (instruction.mnemonic.starts_with("v_cvt_scale")) names.insert(instruction.mnemonic);
  std::vector<Conversion> result;
  for (const std::string& name : names) result.push_back(read_name(name));
  return result;
}

std::string registers(int first, int count) {
  if (count <= 1) return "v" + std::to_string(first);
  return "v[" + std::to_string(first) + ":" + std::to_string(first + count - 1) + "]";
}

// Sources lie in v32 to v63, a random number in v64, the scale in v65, the result from v96 on.
constexpr int words_per_lane = 64, result_words = 32;

struct Form {
  std::string text;
  unsigned source_part = 0, result_part = 0;  // bits of the first register that are skipped
  unsigned selection = 0;                     // SCALE_SEL
};

std::vector<Form> forms(const Conversion& c, bool gfx1250) {
  const int source = (c.source_bits() + 31) / 32, result = (c.result_bits() + 31) / 32;
  std::string text = c.name + " " + registers(96, result) + ", ";
  if (c.interleaves)
    text += registers(32, source / 2) + ", " + registers(32 + source / 2, source / 2);
  else
    text += registers(32, source);
  if (c.is_stochastic) text += ", v64";
  text += ", v65";
  std::vector<Form> all;
  if (gfx1250) {
    if (!c.is_small_source) return {{text}};
    for (unsigned i = 0; i < 16; ++i) {
      const bool eight = c.from.bits() == 8;
      if ((eight && i % 2) || (!eight && i >= 8)) continue;
      all.push_back({text + " scale_sel:" + std::to_string(i), 0, 0, i});
    }
    return all;
  }
  // OPSEL of CDNA4: bits 0 and 1 choose the source's part, 2 and 3 the result's.
  const int sources = c.interleaves || c.is_stochastic ? 3 : 2;
  const auto with = [&](std::vector<int> list, unsigned source_part, unsigned result_part) {
    std::string modifier = " op_sel:[";
    for (std::size_t i = 0; i < list.size(); ++i)
      modifier += (i ? "," : "") + std::to_string(list[i]);
    all.push_back({text + modifier + "]", source_part, result_part, 0});
  };
  if (c.elements > 2) return {{text}};
  if (!c.is_small_source) {
    const bool byte = c.result_bits() == 8;
    for (unsigned i = 0; i < (byte ? 4u : 2u); ++i)
      if (byte)
        with({0, 0, static_cast<int>(i & 1), static_cast<int>(i >> 1)}, 0, 8 * i);
      else if (sources == 3)
        with({0, 0, 0, static_cast<int>(i)}, 0, 16 * i);
      else
        with({0, 0, static_cast<int>(i)}, 0, 16 * i);
    if (c.elements == 1 && c.from.bits() == 16) with({1, 0, 0, 0}, 16, 0);
    return all;
  }
  const bool byte = c.source_bits() == 8, half = c.result_bits() == 16;
  for (unsigned i = 0; i < (byte ? 4u : 2u); ++i)
    for (unsigned upper = 0; upper < (half ? 2u : 1u); ++upper)
      with({byte ? static_cast<int>(i & 1) : static_cast<int>(i),
            byte ? static_cast<int>(i >> 1) : 0, static_cast<int>(upper)},
           byte ? 8 * i : 16 * i, 16 * upper);
  return all;
}

constexpr uint64_t active_lanes = 0xfffffff7fffffffb;  // two are off

std::string body(const std::string& text, bool gfx1250, bool saturates) {
  const std::string load = gfx1250 ? "global_load_b128 " : "global_load_dwordx4 ",
                    store = gfx1250 ? "global_store_b128 " : "global_store_dwordx4 ";
  std::string code = gfx1250 ? "s_load_b128 s[4:7], s[0:1], 0x0\ns_wait_kmcnt 0x0\n"
                             : "s_load_dwordx4 s[4:7], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n";
  code += "v_and_b32 v0, 0x3ff, v0\nv_lshlrev_b32 v1, 8, v0\nv_lshlrev_b32 v2, 7, v0\n";
  // Each workgroup has a wave and lanes of its own.
  const std::string group = gfx1250 ? "ttmp9" : "s2", add = gfx1250 ? "v_add_nc_u32" : "v_add_u32";
  code += "s_lshl_b32 s8, " + group + (gfx1250 ? ", 13" : ", 14") + "\n" + add +
          " v1, s8, v1\ns_lshl_b32 s8, " + group + (gfx1250 ? ", 12" : ", 13") + "\n" + add +
          " v2, s8, v2\n";
  for (int i = 0; i < 16; ++i)
    code += load +
            registers(i < 8   ? 32 + 4 * i
                      : i < 9 ? 64
                              : 96 + 4 * (i - 9),
                      4) +
            ", v1, s[4:5] offset:" + std::to_string(16 * i) + "\n";
  code += gfx1250 ? "s_wait_loadcnt 0x0\n" : "s_waitcnt vmcnt(0)\n";
  if (saturates)
    code += gfx1250 ? "s_setreg_imm32_b32 hwreg(HW_REG_WAVE_MODE, 23, 1), 1\n"
                    : "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), 1\n";
  for (int i = 28; i < 32; ++i) code += "v_mov_b32 v" + std::to_string(96 + i) + ", v96\n";
  code += gfx1250 ? "s_mov_b32 exec_lo, 0xfffffffb\n"
                  : "s_mov_b32 exec_lo, 0xfffffffb\ns_mov_b32 exec_hi, 0xfffffff7\n";
  code += "s_nop 1\n" + text + "\ns_nop 1\n";
  code += gfx1250 ? "s_mov_b32 exec_lo, -1\n" : "s_mov_b64 exec, -1\n";
  for (int i = 0; i < 8; ++i)
    code += store + "v2, " + registers(96 + 4 * i, 4) +
            ", s[6:7] offset:" + std::to_string(16 * i) + "\n";
  return code + "s_endpgm";
}

// --- one run -----------------------------------------------------------------------------------

struct Lane {
  uint32_t word[words_per_lane];
  uint32_t old(int i) const { return i < 28 ? word[36 + i] : word[36]; }
  uint32_t random() const { return word[32]; }
  uint32_t scale() const { return word[33]; }
};

uint32_t bits_at(const uint32_t* words, unsigned at, int count) {
  uint64_t x = words[at / 32];
  if (at % 32 + static_cast<unsigned>(count) > 32) x |= uint64_t{words[at / 32 + 1]} << 32;
  return static_cast<uint32_t>(x >> at % 32 & ((uint64_t{1} << count) - 1));
}
void set_bits(uint32_t* words, unsigned at, int count, uint32_t x) {
  for (unsigned i = 0; i < static_cast<unsigned>(count); ++i) {
    uint32_t& word = words[(at + i) / 32];
    const uint32_t bit = 1u << (at + i) % 32;
    word = x >> i & 1 ? word | bit : word & ~bit;
  }
}

unsigned place_of(const Conversion& c, const Form& form, int i) {
  if (c.interleaves) return static_cast<unsigned>(32 * (i / 2 + i % 2 * c.elements / 2));
  return form.source_part + static_cast<unsigned>(i * c.from.bits());
}

// The scale's byte for a lane: of gfx1250 as MLIR's amdgpu.scaled_ext_packed_matrix says.
uint32_t scale_byte(const Conversion& c, const Form& form, const Lane* wave, std::size_t lane,
                    bool gfx1250) {
  if (!c.has_scale) return 127;
  if (!gfx1250 || !c.is_small_source) return wave[lane].scale() >> 23 & 255;
  const std::size_t upper = lane / 16;
  std::size_t half = 0, byte = 0;
  if (c.from.bits() == 8) {
    half = form.selection >> 3 & 1;
    byte = form.selection >> 1 & 3;
  } else {
    half = form.selection >> 2 & 1;
    const std::size_t first = form.selection >> 1 & 1;
    byte = form.selection & 1 ? first + 2 * upper : 2 * first + upper;
  }
  return wave[16 * half + lane % 16].scale() >> (8 * byte) & 255;
}

// What becomes of numbers beyond the largest, and of infinities.
struct Saturated {
  bool numbers = false, infinities = false;
};

// Whether a pattern is what the element must become.
bool is_right(const Conversion& c, uint32_t source, uint32_t scale, uint32_t random,
              Saturated saturated, uint32_t got, uint32_t& expected) {
  const double x = c.from.number(source);
  const bool is_nan = std::isnan(x) || scale == 255;
  const uint32_t sign = source & c.from.sign() ? c.to.sign() : 0;
  const uint32_t infinity = c.to.ends == Ends::numbers ? c.to.largest() : c.to.largest() + 1;
  if (is_nan) {
    expected = sign | infinity;
    if (c.to.ends != Ends::ieee) return got == expected;
    return (got & c.to.sign()) == sign && (got & (c.to.sign() - 1)) > infinity;
  }
  const int power = static_cast<int>(scale) - 127;
  const double y = std::ldexp(std::abs(x), c.is_small_source ? power : -power);
  uint32_t magnitude = saturated.infinities ? c.to.largest() : infinity;
  if (!std::isinf(x)) {
    // An upper neighbour of the largest is there for rounding alone.
    const double most = c.to.value(c.to.largest() + 1);
    magnitude = y >= most         ? c.to.largest() + 1
                : c.is_stochastic ? stochastic(c.to, y, random)
                                  : nearest(c.to, y);
    if (magnitude > c.to.largest()) magnitude = saturated.numbers ? c.to.largest() : infinity;
  }
  expected = sign | magnitude;
  return got == expected;
}

// `lanes`: of one wave after the other.
void check(const CodeObject& object, const std::string& kernel, const Conversion& c,
           const Form& form, const std::vector<Lane>& lanes, bool gfx1250, bool saturates) {
  const std::size_t wave = gfx1250 ? 32 : 64;
  std::vector<uint32_t> in(lanes.size() * words_per_lane),
      out(lanes.size() * result_words, 0xdeadbeef);
  std::memcpy(in.data(), lanes.data(), in.size() * 4);
  Launch launch;
  launch.kernel = kernel;
  launch.grid = {static_cast<uint32_t>(lanes.size() / wave), 1, 1};
  launch.workgroup = {static_cast<uint32_t>(wave), 1, 1};
  launch.arguments = {buffer(std::span(in), "in"), buffer(std::span(out), "out")};
  const auto report = run(object, launch);
  ASSERT_TRUE(report) << form.text << "\n" << report.error().text();
  for (std::size_t l = 0; l < lanes.size(); ++l) {
    const Lane& lane = lanes[l];
    uint32_t expected[result_words];
    for (int i = 0; i < result_words; ++i) expected[i] = lane.old(i);
    const uint32_t* got = &out[l * result_words];
    uint32_t random = lane.random();
    for (int i = 0; i < c.elements && (active_lanes >> l % wave & 1); ++i) {
      const uint32_t source = bits_at(lane.word, place_of(c, form, i), c.from.bits());
      const unsigned at = form.result_part + static_cast<unsigned>(i * c.to.bits());
      const uint32_t result = bits_at(got, at, c.to.bits());
      const uint32_t scale = scale_byte(c, form, &lanes[l / wave * wave], l % wave, gfx1250);
      uint32_t right = 0;
      const bool saturated = saturates && !c.is_small_source;
      // CDNA4 has it so where it scales.
      const bool infinities = saturated && !gfx1250 && form.text.contains("_scalef32_");
      ASSERT_TRUE(is_right(c, source, scale, random, {saturated, infinities}, result, right))
          << form.text << "\nlane " << l << " element " << i << std::hex << ": 0x" << source << " ("
          << c.from.number(source) << ") with the scale 0x" << scale << " and random 0x" << random
          << ": expected 0x" << right << ", got 0x" << result;
      set_bits(expected, at, c.to.bits(), result);
      random = random << 1 ^ (random >> 31 ? 197u : 0u);
    }
    for (int i = 0; i < result_words; ++i)
      ASSERT_EQ(got[i], expected[i]) << form.text << "\nlane " << l << " register " << i;
  }
}

// --- sources -----------------------------------------------------------------------------------

uint32_t a_scale(Random& random, int round) {
  constexpr uint32_t chosen[] = {0x3f800000, 0x3fc00000, 0x40000001, 0xbe800000, 0x00000000,
                                 0x00000001, 0x7f000000, 0x7f800000, 0x7fc00000, 0x42000000};
  const int which = round % 16;
  if (which < 10) return chosen[which];
  // Near 1, where neither end of the range is reached, or anywhere.
  return which < 14 ? (117 + random.bits() % 20) << 23 | random.bits() >> 9 : random.bits();
}

uint32_t to_pattern(const Format& f, double x) {
  const double magnitude = std::min(std::abs(x), f.value(f.largest()));
  return nearest(f, magnitude) | (std::signbit(x) ? f.sign() : 0);
}

// A number that, divided by the scale, lies at, beside or between numbers of the small format.
uint32_t a_number(Random& random, const Conversion& c, uint32_t scale) {
  const uint32_t kind = random.bits() % 16;
  if (kind == 0) return random.bits() >> (32 - c.from.bits());
  if (kind == 1)
    return (c.from.largest() + random.bits() % 3) | (random.bits() & 1 ? c.from.sign() : 0);
  const uint32_t low = random.bits() % (c.to.largest() + 2);
  const double a = c.to.value(low), b = c.to.value(low + 1);
  const double share = kind < 5 ? 0.5 : kind < 7 ? 0 : double{random.uniform()} * 0.5 + 0.5;
  const double x = std::ldexp(a + share * (b - a), static_cast<int>(scale) - 127);
  uint32_t pattern = to_pattern(c.from, random.bits() & 1 ? x : -x);
  if (kind == 4 || kind == 6) ++pattern;
  return pattern & (2 * c.from.sign() - 1);
}

void check_all(const std::string& target, std::size_t least) {
  const bool gfx1250 = target == "gfx1250";
  const int wave = gfx1250 ? 32 : 64;
  const std::vector<Conversion> all = conversions(target, wave);
  ASSERT_GE(all.size(), least);
  std::vector<AssemblyKernel> kernels;
  struct Case {
    const Conversion* conversion;
    Form form;
    bool saturates;
  };
  std::vector<Case> cases;
  for (const Conversion& c : all)
    for (const Form& form : forms(c, gfx1250))
      for (const bool saturates : {false, true}) {
        if (saturates && c.is_small_source) continue;
        kernels.push_back({.name = "k" + std::to_string(kernels.size()),
                           .body = body(form.text, gfx1250, saturates),
                           .arguments = 2,
                           .wave = wave});
        cases.push_back({&c, form, saturates});
      }
  const CodeObject object = assemble(kernel_text(kernels, target), target, wave);
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const auto& [c, form, saturates] = cases[k];
    Random random(k + 1);
    uint32_t pattern = 0;
    // Of a small source all patterns under each of the sixteen kinds of scale.
    const int rounds = c->is_small_source
                           ? std::max(16, 16 * (1 << c->from.bits()) / (wave * c->elements))
                       : c->elements > 2 ? 16
                                         : 48;
    std::vector<Lane> lanes;
    for (int round = 0; round < rounds; ++round) {
      const uint32_t common = a_scale(random, round);
      for (int l = 0; l < wave; ++l) {
        Lane lane;
        for (uint32_t& word : lane.word) word = random.bits();
        if (!(gfx1250 && c->is_small_source)) lane.word[33] = common;
        for (int i = 0; i < c->elements; ++i)
          set_bits(lane.word, place_of(*c, form, i), c->from.bits(),
                   c->is_small_source ? pattern++ / 16 : a_number(random, *c, common >> 23 & 255));
        lanes.push_back(lane);
      }
    }
    check(object, kernels[k].name, *c, form, lanes, gfx1250, saturates);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(FloatConversions, OfCdna4AreAFormulaInF64) { check_all("gfx950", 49); }
TEST(FloatConversions, OfGfx1250AreAFormulaInF64) { check_all("gfx1250", 45); }

// --- without a scale -----------------------------------------------------------------------------

struct Plain {
  const char *target, *text, *to, *from;
  int elements = 1;
  unsigned source_part = 0, result_part = 0;
};
constexpr Plain plain[] = {
    {"gfx1250", "v_cvt_f16_fp8 v96, v32 byte_sel:2", "f16", "fp8", 1, 16},
    {"gfx1250", "v_cvt_f16_bf8 v96, v32", "f16", "bf8"},
    {"gfx1250", "v_cvt_pk_f16_fp8 v96, v32", "f16", "fp8", 2},
    {"gfx1250", "v_cvt_pk_f16_bf8 v96, v32 op_sel:[1,0]", "f16", "bf8", 2, 16},
    {"gfx1250", "v_cvt_pk_fp8_f16 v96, v32", "fp8", "f16", 2},
    {"gfx1250", "v_cvt_pk_bf8_f16 v96, v32 op_sel:[0,1]", "bf8", "f16", 2, 0, 16},
    {"gfx1250", "v_cvt_sr_fp8_f16 v96, v32, v64 byte_sel:1", "fp8", "f16", 1, 0, 8},
    {"gfx1250", "v_cvt_sr_bf8_f16 v96, v32, v64 op_sel:[1,0,0] byte_sel:2", "bf8", "f16", 1, 16,
     16},
    {"gfx1250", "v_cvt_sr_pk_f16_f32 v96, v32, v33, v64", "f16", "f32", 2},
    {"gfx1250", "v_cvt_sr_pk_bf16_f32 v96, v32, v33, v64", "bf16", "f32", 2},
    {"gfx1250", "v_cvt_pk_fp8_f32 v96, v32, v33", "fp8", "f32", 2},
    {"gfx1250", "v_cvt_sr_bf8_f32 v96, v32, v64 byte_sel:3", "bf8", "f32", 1, 0, 24},
    {"gfx950", "v_cvt_sr_f16_f32 v96, v32, v64", "f16", "f32"},
    {"gfx950", "v_cvt_sr_bf16_f32 v96, v32, v64 op_sel:[0,0,1]", "bf16", "f32", 1, 0, 16},
    {"gfx950", "v_cvt_pk_bf8_f32 v96, v32, v33 op_sel:[0,0,1]", "bf8", "f32", 2, 0, 16},
    {"gfx950", "v_cvt_sr_fp8_f32 v96, v32, v64 op_sel:[0,0,0,1]", "fp8", "f32", 1, 0, 16},
    {"gfx950", "v_cvt_sr_fp8_f32 v96, v32, v64 op_sel:[0,0,1,0]", "fp8", "f32", 1, 0, 8},
    {"gfx950", "v_cvt_sr_bf8_f32 v96, v32, v64 op_sel:[0,0,1,1]", "bf8", "f32", 1, 0, 24},
    {"gfx950", "v_cvt_sr_bf8_f32 v96, v32, v64", "bf8", "f32"},
};

TEST(FloatConversions, WithoutAScaleAreAFormulaInF64) {
  for (const Plain& each : plain) {
    const bool gfx1250 = std::string_view(each.target) == "gfx1250";
    const std::size_t wave = gfx1250 ? 32 : 64;
    Conversion c;
    c.to = formats.at(each.to);
    c.from = formats.at(each.from);
    c.elements = each.elements;
    c.has_scale = false;
    c.is_small_source = c.from.bits() <= 8;
    c.is_stochastic = std::string_view(each.text).contains("_sr_");
    c.interleaves = c.elements == 2 && c.from.bits() == 32;
    const Form form{each.text, each.source_part, each.result_part, 0};
    for (const bool saturates : {false, true}) {
      if (saturates && c.to.bits() > 8) continue;
      const AssemblyKernel kernel{.name = "k",
                                  .body = body(form.text, gfx1250, saturates),
                                  .arguments = 2,
                                  .wave = static_cast<int>(wave)};
      const CodeObject object =
          assemble(kernel_text({kernel}, each.target), each.target, kernel.wave);
      Random random(3);
      uint32_t pattern = 0;
      std::vector<Lane> lanes(16 * wave);
      for (Lane& lane : lanes) {
        for (uint32_t& word : lane.word) word = random.bits();
        for (int i = 0; i < c.elements; ++i)
          set_bits(lane.word, place_of(c, form, i), c.from.bits(),
                   c.is_small_source ? pattern++ : a_number(random, c, 127));
      }
      check(object, "k", c, form, lanes, gfx1250, saturates);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

// gfx1250's fp8 with `clamp`: five bits of exponent and no sign.
TEST(FloatConversions, ClampMeansAnotherFp8OnGfx1250) {
  const Format e5m3{5, 3, 15, Ends::last_is_nan};
  const std::string text =
      "v_cvt_pk_fp8_f32 v96, v32, v33 clamp\nv_cvt_sr_fp8_f32 v97, v32, v64 byte_sel:1 clamp\n"
      "v_cvt_f32_fp8 v98, v34 clamp\nv_and_b32 v35, 0x7bff7bff, v35\n"
      "v_cvt_pk_fp8_f16 v99, v35 clamp";
  const CodeObject object = assemble(
      kernel_text({{.name = "k", .body = body(text, true, false), .arguments = 2}}, "gfx1250"),
      "gfx1250");
  Random random(5);
  std::vector<Lane> lanes(32 * 8);
  std::vector<uint32_t> in(lanes.size() * words_per_lane), out(lanes.size() * result_words);
  for (std::size_t l = 0; l < lanes.size(); ++l) {
    for (uint32_t& word : lanes[l].word) word = random.bits();
    for (int i = 0; i < 2; ++i)
      lanes[l].word[i] = std::bit_cast<uint32_t>(
          std::ldexp(random.uniform(), static_cast<int>(random.bits() % 40) - 20));
    lanes[l].word[2] = static_cast<uint32_t>(l) | 0xff00;
  }
  std::memcpy(in.data(), lanes.data(), in.size() * 4);
  Launch launch;
  launch.grid = {8, 1, 1};
  launch.arguments = {buffer(std::span(in), "in"), buffer(std::span(out), "out")};
  const auto report = run(object, launch);
  ASSERT_TRUE(report) << report.error().text();
  for (std::size_t l = 0; l < lanes.size(); ++l) {
    if (l % 32 == 2) continue;  // off
    const uint32_t* word = lanes[l].word;
    const uint32_t* got = &out[l * result_words];
    const auto number = [&](int i) { return std::abs(double{std::bit_cast<float>(word[i])}); };
    const auto half = [&](int shift) {
      return formats.at("f16").number((word[3] & 0x7bff7bffu) >> shift & 0x7fffu);
    };
    // 255 is NaN, which numbers too large become.
    const auto rounded = [&](double x) { return std::min(nearest(e5m3, x), 255u); };
    EXPECT_EQ(got[0] & 0xffffu, rounded(number(0)) | rounded(number(1)) << 8) << l;
    EXPECT_EQ(got[1] >> 8 & 255u, std::min(stochastic(e5m3, number(0), lanes[l].random()), 255u))
        << l;
    EXPECT_EQ(got[3] & 0xffffu, rounded(half(0)) | rounded(half(16)) << 8) << l;
    const float widened = std::bit_cast<float>(got[2]);
    if (l == 255)
      EXPECT_TRUE(std::isnan(widened));
    else
      EXPECT_EQ(double{widened}, e5m3.value(static_cast<uint32_t>(l)));
  }
}

}  // namespace float_conversions_test
}  // namespace heddle::emulator::testing
