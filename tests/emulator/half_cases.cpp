// Host versions of the f16 instructions that are not arithmetic, and of gfx12's minimum and
// maximum.
#include <algorithm>
#include <cmath>

#include "instruction_cases.h"

namespace heddle::emulator::testing {
namespace {

using All = const std::vector<Input>&;

_Float16 h(uint16_t bits) { return __builtin_bit_cast(_Float16, bits); }
uint16_t bits(_Float16 x) { return __builtin_bit_cast(uint16_t, x); }
float wide(uint16_t x) { return static_cast<float>(h(x)); }
uint16_t narrow(double x) { return bits(static_cast<_Float16>(x)); }

// Where the exact value is 0, the host's is not quite.
uint16_t wave(double x) { return std::abs(x) < 1e-12 ? 0 : narrow(double{static_cast<float>(x)}); }

// A 16-bit result from the low halves of v1..v3. gfx11 names halves, gfx12 does not.
struct Half {
  const char* name;
  int sources;
  uint16_t (*f)(uint16_t a, uint16_t b, uint16_t c);
  Fill fill = Fill::halves;
};

Case half_case(const Half& half, bool gfx12) {
  std::string text = std::string("v_") + half.name + (gfx12 ? " v10" : " v10.l");
  for (int i = 1; i <= half.sources; ++i)
    text += ", v" + std::to_string(i) + (gfx12 ? "" : i == 2 ? ".h" : ".l");
  const auto f = half.f;
  return {text, half.fill,
          [f, gfx12](All, const Input& in, Output& out) {
            const uint16_t result = f(in.low(1), gfx12 ? in.low(2) : in.high(2), in.low(3));
            out.v[0] = (in.old[0] & 0xffff0000u) | result;
          },
          0, gfx12 ? "gfx1201" : "gfx1151"};
}

int16_t s(uint16_t x) { return static_cast<int16_t>(x); }
template <class T>
T middle(T a, T b, T c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}
// No NaN and no two zeros are in these inputs.
uint16_t least(uint16_t a, uint16_t b) { return wide(a) < wide(b) ? a : b; }
uint16_t most(uint16_t a, uint16_t b) { return wide(a) > wide(b) ? a : b; }

constexpr Half everywhere[] = {
    {"fract_f16", 1,
     [](uint16_t a, uint16_t, uint16_t) {
       const float f = wide(a) - std::floor(wide(a));
       return std::min<uint16_t>(narrow(double{f}), 0x3bff);
     }},
    {"frexp_mant_f16", 1,
     [](uint16_t a, uint16_t, uint16_t) {
       int exponent;
       return narrow(std::frexp(double{wide(a)}, &exponent));
     }},
    {"frexp_exp_i16_f16", 1,
     [](uint16_t a, uint16_t, uint16_t) {
       int exponent = 0;
       std::frexp(wide(a), &exponent);
       return static_cast<uint16_t>(exponent);
     }},
    {"sin_f16", 1,
     [](uint16_t a, uint16_t, uint16_t) { return wave(std::sin(2 * M_PI * double{wide(a)})); }},
    {"cos_f16", 1,
     [](uint16_t a, uint16_t, uint16_t) { return wave(std::cos(2 * M_PI * double{wide(a)})); }},
    {"min3_i16", 3,
     [](uint16_t a, uint16_t b, uint16_t c) {
       return static_cast<uint16_t>(std::min({s(a), s(b), s(c)}));
     },
     Fill::integers},
    {"max3_i16", 3,
     [](uint16_t a, uint16_t b, uint16_t c) {
       return static_cast<uint16_t>(std::max({s(a), s(b), s(c)}));
     },
     Fill::integers},
    {"med3_i16", 3,
     [](uint16_t a, uint16_t b, uint16_t c) {
       return static_cast<uint16_t>(middle(s(a), s(b), s(c)));
     },
     Fill::integers},
    {"min3_u16", 3, [](uint16_t a, uint16_t b, uint16_t c) { return std::min({a, b, c}); },
     Fill::integers},
    {"max3_u16", 3, [](uint16_t a, uint16_t b, uint16_t c) { return std::max({a, b, c}); },
     Fill::integers},
    {"med3_u16", 3, [](uint16_t a, uint16_t b, uint16_t c) { return middle(a, b, c); },
     Fill::integers},
    {"mad_i16", 3,
     [](uint16_t a, uint16_t b, uint16_t c) { return static_cast<uint16_t>(s(a) * s(b) + s(c)); },
     Fill::integers},
};

// The names of gfx11; gfx12 says _num.
constexpr Half orders[] = {
    {"min3", 3, [](uint16_t a, uint16_t b, uint16_t c) { return least(least(a, b), c); }},
    {"max3", 3, [](uint16_t a, uint16_t b, uint16_t c) { return most(most(a, b), c); }},
    {"med3", 3,
     [](uint16_t a, uint16_t b, uint16_t c) { return most(least(a, b), least(most(a, b), c)); }},
    {"minmax", 3, [](uint16_t a, uint16_t b, uint16_t c) { return most(least(a, b), c); }},
    {"maxmin", 3, [](uint16_t a, uint16_t b, uint16_t c) { return least(most(a, b), c); }},
};

constexpr Half gfx12_only[] = {
    {"minimum3_f16", 3, [](uint16_t a, uint16_t b, uint16_t c) { return least(least(a, b), c); }},
    {"maximum3_f16", 3, [](uint16_t a, uint16_t b, uint16_t c) { return most(most(a, b), c); }},
    {"minimummaximum_f16", 3,
     [](uint16_t a, uint16_t b, uint16_t c) { return most(least(a, b), c); }},
    {"maximumminimum_f16", 3,
     [](uint16_t a, uint16_t b, uint16_t c) { return least(most(a, b), c); }},
};

Case words(std::string text, Fill fill, uint32_t (*f)(const Input&), std::string target) {
  return {"v_" + text, fill, [f](All, const Input& in, Output& out) { out.v[0] = f(in); }, 0,
          std::move(target)};
}

// NaN of one operand is the result of gfx12's minimum, and -0 lies below +0.
std::vector<Case> minimum_cases() {
  return {
      words(
          "minimum3_f32 v10, v1, v2, v3", Fill::floats,
          [](const Input& in) {
            return __builtin_bit_cast(uint32_t, std::min({in.f(1), in.f(2), in.f(3)}));
          },
          "gfx1201"),
      words(
          "maximum3_f32 v10, v1, v2, v3", Fill::floats,
          [](const Input& in) {
            return __builtin_bit_cast(uint32_t, std::max({in.f(1), in.f(2), in.f(3)}));
          },
          "gfx1201"),
      words(
          "minimummaximum_f32 v10, v1, v2, v3", Fill::floats,
          [](const Input& in) {
            return __builtin_bit_cast(uint32_t, std::max(std::min(in.f(1), in.f(2)), in.f(3)));
          },
          "gfx1201"),
      words(
          "maximumminimum_f32 v10, v1, v2, v3", Fill::floats,
          [](const Input& in) {
            return __builtin_bit_cast(uint32_t, std::min(std::max(in.f(1), in.f(2)), in.f(3)));
          },
          "gfx1201"),
      words(
          "mov_b32 v4, 0x7fc00000\nv_maximum3_f32 v10, v1, v4, v3", Fill::floats,
          [](const Input&) { return 0x7fc00000u; }, "gfx1201"),
      words(
          "mov_b32 v4, 0x80000000\nv_mov_b32 v5, 0\nv_minimum_f32 v10, v5, v4", Fill::floats,
          [](const Input&) { return 0x80000000u; }, "gfx1201"),
      words(
          "mov_b32 v4, 0x80000000\nv_mov_b32 v5, 0\nv_maximum_f32 v10, v4, v5", Fill::floats,
          [](const Input&) { return 0u; }, "gfx1201"),
      words(
          "pk_minimum_f16 v10, v1, v2", Fill::halves,
          [](const Input& in) {
            return least(in.low(1), in.low(2)) | uint32_t{least(in.high(1), in.high(2))} << 16;
          },
          "gfx1201"),
      words(
          "pk_maximum_f16 v10, v1, v2", Fill::halves,
          [](const Input& in) {
            return most(in.low(1), in.low(2)) | uint32_t{most(in.high(1), in.high(2))} << 16;
          },
          "gfx1201"),
      words(
          "dot2_f16_f16 v10, v1, v2, v3", Fill::halves,
          [](const Input& in) {
            const float high = wide(in.high(1)) * wide(in.high(2));
            const float sum = wide(in.low(1)) * wide(in.low(2)) + (high + wide(in.low(3)));
            return (in.old[0] & 0xffff0000u) | narrow(double{sum});
          },
          "gfx1201"),
  };
}

}  // namespace

std::vector<Case> half_cases() {
  std::vector<Case> cases = minimum_cases();
  for (const Half& half : everywhere)
    for (bool gfx12 : {false, true}) cases.push_back(half_case(half, gfx12));
  for (const Half& half : orders)
    for (bool gfx12 : {false, true}) {
      const std::string name = std::string(half.name) + (gfx12 ? "_num_f16" : "_f16");
      Half named = half;
      named.name = name.c_str();
      cases.push_back(half_case(named, gfx12));
    }
  for (const Half& half : gfx12_only) cases.push_back(half_case(half, true));
  return cases;
}

}  // namespace heddle::emulator::testing
