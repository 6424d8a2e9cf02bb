// Host versions of what works on bytes and nibbles, packs, or converts 8-bit floats, written from
// the ISA documents with scalar C++.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "instruction_cases.h"

namespace heddle::emulator::testing {
namespace {

using All = const std::vector<Input>&;

Case one(std::string text, Fill fill, uint32_t (*f)(const Input&), std::string target = {}) {
  return {"v_" + text, fill, [f](All, const Input& in, Output& out) { out.v[0] = f(in); }, 0,
          std::move(target)};
}
Case several(std::string text, void (*f)(const Input&, Output&), std::string target = {}) {
  return {"v_" + text, Fill::integers, [f](All, const Input& in, Output& out) { f(in, out); }, 0,
          std::move(target)};
}

int byte(uint64_t x, int i) { return static_cast<int>(x >> (8 * i) & 255); }
int nibble(uint32_t x, int i) { return static_cast<int>(x >> (4 * i) & 15); }
int sign4(int x) { return x >= 8 ? x - 16 : x; }
int sign8(int x) { return x >= 128 ? x - 256 : x; }

uint32_t sad(uint64_t a, uint32_t b, bool masked) {
  int sum = 0;
  for (int i = 0; i < 4; ++i)
    if (!masked || byte(b, i) != 0) sum += std::abs(byte(a, i) - byte(b, i));
  return static_cast<uint32_t>(sum);
}

void packed_sad(const Input& in, Output& out, bool masked) {
  for (int i = 0; i < 4; ++i) {
    const auto old = static_cast<uint16_t>(in.v64(4) >> (16 * i));
    const auto sum = static_cast<uint16_t>(old + sad(in.v64(1) >> (8 * i), in.v[3], masked));
    uint32_t& word = out.v[i / 2];
    word = i % 2 ? (word & 0xffffu) | uint32_t{sum} << 16 : sum;
  }
}

template <class T>
uint32_t saturated(int64_t x, int64_t low, int64_t high) {
  return static_cast<T>(std::clamp(x, low, high));
}
uint32_t pair(uint32_t low, uint32_t high) { return (low & 0xffffu) | high << 16; }

// To nearest, ties to even, of a number between -1 and 1 (0 and 1).
int64_t norm(double x, double low, double scale) {
  return static_cast<int64_t>(std::nearbyint(std::clamp(x, low, 1.0) * scale));
}
double half(uint16_t bits) { return static_cast<double>(__builtin_bit_cast(_Float16, bits)); }

// --- 8-bit floats ----------------------------------------------------------------------------

struct Format {
  int mantissa, bias, finite;  // patterns 0..finite are numbers
};
constexpr Format fp8{3, 7, 0x7e}, bf8{2, 15, 0x7b};

double value(const Format& f, int pattern) {
  const int exponent = pattern >> f.mantissa, fraction = pattern & ((1 << f.mantissa) - 1);
  const double x = exponent == 0
                       ? std::ldexp(fraction, 1 - f.bias - f.mantissa)
                       : std::ldexp((1 << f.mantissa) + fraction, exponent - f.bias - f.mantissa);
  return x;
}

uint32_t float_bits(const Format& f, int byte) {
  const int magnitude = byte & 0x7f;
  const uint32_t sign = byte & 0x80 ? 0x80000000u : 0;
  if (magnitude <= f.finite)
    return sign | __builtin_bit_cast(uint32_t, static_cast<float>(value(f, magnitude)));
  if (f.mantissa == 2 && magnitude == 0x7c) return sign | 0x7f800000u;
  return sign | (f.mantissa == 3 ? 0x7fc00000u : 0x7fc00000u | (magnitude & 1) << 21);
}

// The nearest by trying all: where two are as near the even one, past the largest what follows it.
int nearest(const Format& f, double x) {
  int best = 0;
  for (int p = 0; p <= f.finite + 1; ++p) {
    const double d = std::abs(value(f, p) - std::abs(x)),
                 b = std::abs(value(f, best) - std::abs(x));
    if (d < b || (d == b && p % 2 == 0)) best = p;
  }
  return best | (std::signbit(x) ? 0x80 : 0);
}

// The two neighbours, and the upper one when the random number is past the distance to it.
int stochastic(const Format& f, double x, uint32_t random) {
  const double magnitude = std::abs(x);
  int below = 0;
  while (below < f.finite && value(f, below + 1) <= magnitude) ++below;
  const int digits = f.mantissa == 3 ? 20 : 21;
  const double step = value(f, below + 1) - value(f, below);
  const double share = (magnitude - value(f, below)) / step;  // 0 to 1
  const double up = std::ldexp(static_cast<double>(random >> (32 - digits)), -digits);
  return (share + up >= 1 ? below + 1 : below) | (std::signbit(x) ? 0x80 : 0);
}

// f32 in and about the range of both formats.
double scaled(const Input& in, int i) { return std::ldexp(static_cast<double>(in.f(i)), -4); }

std::vector<Case> dot_cases() {
  return {
      one("dot4_i32_iu8 v10, v1, v2, v3 neg_lo:[1,0,0]", Fill::integers,
          [](const Input& in) {
            auto sum = in.v[3];
            for (int i = 0; i < 4; ++i)
              sum += static_cast<uint32_t>(sign8(byte(in.v[1], i)) * byte(in.v[2], i));
            return sum;
          }),
      one("dot4_i32_iu8 v10, v1, v2, v3 neg_lo:[1,1,0] clamp", Fill::integers,
          [](const Input& in) {
            int64_t sum = in.i(3);
            for (int i = 0; i < 4; ++i) sum += sign8(byte(in.v[1], i)) * sign8(byte(in.v[2], i));
            return saturated<int32_t>(sum, INT32_MIN, INT32_MAX);
          }),
      one("dot4_u32_u8 v10, v1, v2, v3", Fill::integers,
          [](const Input& in) {
            auto sum = in.v[3];
            for (int i = 0; i < 4; ++i)
              sum += static_cast<uint32_t>(byte(in.v[1], i) * byte(in.v[2], i));
            return sum;
          }),
      one("dot4_u32_u8 v10, v1, v2, v3 clamp", Fill::integers,
          [](const Input& in) {
            int64_t sum = in.v[3];
            for (int i = 0; i < 4; ++i) sum += byte(in.v[1], i) * byte(in.v[2], i);
            return saturated<uint32_t>(sum, 0, UINT32_MAX);
          }),
      one("dot8_i32_iu4 v10, v1, v2, v3 neg_lo:[0,1,0]", Fill::integers,
          [](const Input& in) {
            auto sum = in.v[3];
            for (int i = 0; i < 8; ++i)
              sum += static_cast<uint32_t>(nibble(in.v[1], i) * sign4(nibble(in.v[2], i)));
            return sum;
          }),
      one("dot8_u32_u4 v10, v1, v2, v3", Fill::integers,
          [](const Input& in) {
            auto sum = in.v[3];
            for (int i = 0; i < 8; ++i)
              sum += static_cast<uint32_t>(nibble(in.v[1], i) * nibble(in.v[2], i));
            return sum;
          }),
  };
}

std::vector<Case> packing_cases() {
  return {
      one(
          "sat_pk_u8_i16_e32 v10, v1", Fill::integers,
          [](const Input& in) {
            const auto low = static_cast<int16_t>(in.low(1)),
                       high = static_cast<int16_t>(in.high(1));
            return (in.old[0] & 0xffff0000u) | saturated<uint8_t>(low, 0, 255) |
                   saturated<uint8_t>(high, 0, 255) << 8;
          },
          "gfx1201"),
      one("cvt_pk_u8_f32 v10, v1, v2, v3", Fill::floats,
          [](const Input& in) {
            const auto x = static_cast<uint32_t>(std::clamp(std::trunc(in.f(1)), 0.0f, 255.0f));
            const int shift = static_cast<int>(in.v[2] & 3) * 8;
            return (in.v[3] & ~(255u << shift)) | x << shift;
          }),
      one("cvt_pk_i16_f32 v10, v1, v2", Fill::floats,
          [](const Input& in) {
            return pair(saturated<int16_t>(static_cast<int64_t>(in.f(1)), -32768, 32767),
                        saturated<int16_t>(static_cast<int64_t>(in.f(2)), -32768, 32767));
          }),
      one("cvt_pk_u16_f32 v10, v1, v2", Fill::floats,
          [](const Input& in) {
            return pair(saturated<uint16_t>(static_cast<int64_t>(in.f(1)), 0, 65535),
                        saturated<uint16_t>(static_cast<int64_t>(in.f(2)), 0, 65535));
          }),
      one("cvt_pk_u16_u32 v10, v1, v2", Fill::integers,
          [](const Input& in) {
            return pair(saturated<uint16_t>(in.v[1], 0, 65535),
                        saturated<uint16_t>(in.v[2], 0, 65535));
          }),
      one("cvt_pk_i16_i32 v10, v1, v2", Fill::integers,
          [](const Input& in) {
            return pair(saturated<int16_t>(in.i(1), -32768, 32767),
                        saturated<int16_t>(in.i(2), -32768, 32767));
          }),
      one("cvt_pk_norm_i16_f32 v10, v1, v2", Fill::floats,
          [](const Input& in) {
            return pair(static_cast<uint32_t>(norm(double{in.f(1)}, -1, 32767)),
                        static_cast<uint32_t>(norm(double{in.f(2)}, -1, 32767)));
          }),
      one("cvt_pk_norm_u16_f32 v10, v1, v2", Fill::floats,
          [](const Input& in) {
            return pair(static_cast<uint32_t>(norm(double{in.f(1)}, 0, 65535)),
                        static_cast<uint32_t>(norm(double{in.f(2)}, 0, 65535)));
          }),
      one(
          "cvt_pk_norm_i16_f16 v10, v1, v2", Fill::halves,
          [](const Input& in) {
            return pair(static_cast<uint32_t>(norm(half(in.low(1)), -1, 32767)),
                        static_cast<uint32_t>(norm(half(in.low(2)), -1, 32767)));
          },
          "gfx1201"),
      one(
          "cvt_pk_norm_u16_f16 v10, v1.h, v2.l", Fill::halves,
          [](const Input& in) {
            return pair(static_cast<uint32_t>(norm(half(in.high(1)), 0, 65535)),
                        static_cast<uint32_t>(norm(half(in.low(2)), 0, 65535)));
          },
          "gfx1151"),
      one(
          "cvt_norm_i16_f16_e32 v10.l, v1.h", Fill::halves,
          [](const Input& in) {
            return (in.old[0] & 0xffff0000u) |
                   (static_cast<uint32_t>(norm(half(in.high(1)), -1, 32767)) & 0xffffu);
          },
          "gfx1151"),
      one(
          "cvt_norm_u16_f16_e32 v10, v1", Fill::halves,
          [](const Input& in) {
            return (in.old[0] & 0xffff0000u) |
                   (static_cast<uint32_t>(norm(half(in.low(1)), 0, 65535)) & 0xffffu);
          },
          "gfx1201"),
      one("cvt_off_f32_i4_e32 v10, v1", Fill::integers,
          [](const Input& in) {
            return __builtin_bit_cast(uint32_t,
                                      static_cast<float>(sign4(nibble(in.v[1], 0))) / 16.0f);
          }),
      one(
          "swap_b16 v10.l, v1.h", Fill::integers,
          [](const Input& in) { return (in.old[0] & 0xffff0000u) | in.high(1); }, "gfx1151"),
  };
}

std::vector<Case> small_float_cases() {
  return {
      one(
          "cvt_f32_fp8_e32 v10, v1", Fill::integers,
          [](const Input& in) { return float_bits(fp8, byte(in.v[1], 0)); }, "gfx1201"),
      one(
          "cvt_f32_fp8_e64 v10, v1 byte_sel:2", Fill::integers,
          [](const Input& in) { return float_bits(fp8, byte(in.v[1], 2)); }, "gfx1201"),
      one(
          "cvt_f32_bf8_e64 v10, v1 byte_sel:3", Fill::integers,
          [](const Input& in) { return float_bits(bf8, byte(in.v[1], 3)); }, "gfx1201"),
      several(
          "cvt_pk_f32_fp8_e64 v[10:11], v1 op_sel:[1,0]",
          [](const Input& in, Output& out) {
            for (int i = 0; i < 2; ++i) out.v[i] = float_bits(fp8, byte(in.v[1], 2 + i));
          },
          "gfx1201"),
      several(
          "cvt_pk_f32_bf8_e32 v[10:11], v1",
          [](const Input& in, Output& out) {
            for (int i = 0; i < 2; ++i) out.v[i] = float_bits(bf8, byte(in.v[1], i));
          },
          "gfx1201"),
      one(
          "ldexp_f32 v1, v1, -4\nv_ldexp_f32 v2, v2, -4\nv_cvt_pk_fp8_f32 v10, v1, v2",
          Fill::floats,
          [](const Input& in) {
            return (in.old[0] & 0xffff0000u) |
                   static_cast<uint32_t>(nearest(fp8, scaled(in, 1)) | nearest(fp8, scaled(in, 2))
                                                                           << 8);
          },
          "gfx1201"),
      one(
          "ldexp_f32 v1, v1, -20\nv_cvt_pk_bf8_f32 v10, v1, v2 op_sel:[0,0,1]", Fill::floats,
          [](const Input& in) {
            return (in.old[0] & 0xffffu) |
                   static_cast<uint32_t>(nearest(bf8, std::ldexp(double{in.f(1)}, -20)) |
                                         nearest(bf8, double{in.f(2)}) << 8)
                       << 16;
          },
          "gfx1201"),
      one(
          "ldexp_f32 v1, v1, -4\nv_cvt_sr_fp8_f32 v10, v1, v2 byte_sel:1", Fill::floats,
          [](const Input& in) {
            return (in.old[0] & 0xffff00ffu) |
                   static_cast<uint32_t>(stochastic(fp8, scaled(in, 1), in.v[2])) << 8;
          },
          "gfx1201"),
      one(
          "ldexp_f32 v1, v1, -4\nv_cvt_sr_bf8_f32 v10, v1, v2", Fill::floats,
          [](const Input& in) {
            return (in.old[0] & 0xffffff00u) |
                   static_cast<uint32_t>(stochastic(bf8, scaled(in, 1), in.v[2]));
          },
          "gfx1201"),
      one(
          "and_b32 v1, 0xbfbfbfbf, v1\nv_and_b32 v2, 0xbfbfbfbf, v2\nv_mov_b32 v3, 0\n"
          "v_dot4_f32_fp8_bf8 v10, v1, v2, v3",
          Fill::integers,
          [](const Input& in) {
            double sum = 0;
            for (int i = 3; i >= 0; --i) {
              const auto number = [&](const Format& f, int n) {
                const int b = byte(in.v[n] & 0xbfbfbfbfu, i);
                return value(f, b & 0x7f) * (b & 0x80 ? -1 : 1);
              };
              sum = double{static_cast<float>(sum + number(fp8, 1) * number(bf8, 2))};
            }
            return __builtin_bit_cast(uint32_t, static_cast<float>(sum));
          },
          "gfx1201"),
  };
}

}  // namespace

std::vector<Case> byte_cases() {
  std::vector<Case> cases = {
      one("sad_u8 v10, v1, v2, v3", Fill::integers,
          [](const Input& in) { return sad(in.v[1], in.v[2], false) + in.v[3]; }),
      one("sad_hi_u8 v10, v1, v2, v3", Fill::integers,
          [](const Input& in) { return (sad(in.v[1], in.v[2], false) << 16) + in.v[3]; }),
      one("msad_u8 v10, v1, v2, v3", Fill::integers,
          [](const Input& in) { return sad(in.v[1], in.v[2], true) + in.v[3]; }),
      one("sad_u16 v10, v1, v2, v3", Fill::integers,
          [](const Input& in) {
            return static_cast<uint32_t>(std::abs(in.low(1) - in.low(2)) +
                                         std::abs(in.high(1) - in.high(2))) +
                   in.v[3];
          }),
      several("qsad_pk_u16_u8 v[10:11], v[1:2], v3, v[4:5]",
              [](const Input& in, Output& out) { packed_sad(in, out, false); }),
      several("mqsad_pk_u16_u8 v[10:11], v[1:2], v3, v[4:5]",
              [](const Input& in, Output& out) { packed_sad(in, out, true); }),
      several("mqsad_u32_u8 v[10:13], v[1:2], v3, v[4:7]",
              [](const Input& in, Output& out) {
                for (int i = 0; i < 4; ++i)
                  out.v[i] = in.v[4 + i] + sad(in.v64(1) >> (8 * i), in.v[3], true);
              }),
      one("lerp_u8 v10, v1, v2, v3", Fill::integers,
          [](const Input& in) {
            uint32_t result = 0;
            for (int i = 0; i < 4; ++i)
              result |= static_cast<uint32_t>(
                            (byte(in.v[1], i) + byte(in.v[2], i) + (byte(in.v[3], i) & 1)) / 2)
                        << (8 * i);
            return result;
          }),
  };
  for (const auto& more : {dot_cases(), packing_cases(), small_float_cases()})
    cases.insert(cases.end(), more.begin(), more.end());
  return cases;
}

}  // namespace heddle::emulator::testing
