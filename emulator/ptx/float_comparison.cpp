// Comparisons of floats, and testp, which tests whether a float is finite, normal, NaN and so on.
#include <array>
#include <cmath>
#include <span>
#include <string_view>

#include "emulator/ptx/elementwise.h"
#include "emulator/ptx/float_lanes.h"

namespace heddle::emulator::ptx {
namespace {

enum Test : uint8_t { finite, infinite, number, notanumber, normal, subnormal };
template <class T>
void test_property(Warp& w, const Record& in, uint32_t lanes) {
  uint32_t result = 0;
  for_lanes(lanes, [&](unsigned l) {
    const T x = get<T>(w.at(in.operand[1]), l);
    bool is = false;
    switch (in.detail) {
      case finite:
        is = std::isfinite(x);
        break;
      case infinite:
        is = std::isinf(x);
        break;
      case number:
        is = !std::isnan(x);
        break;
      case notanumber:
        is = std::isnan(x);
        break;
      case normal:
        is = std::isnormal(x) || x == 0;
        break;
      default:
        is = x != 0 && std::fpclassify(x) == FP_SUBNORMAL;
        break;
    }
    if (is) result |= 1u << l;
  });
  uint64_t& p = *w.at(in.operand[0]);
  p = (p & ~uint64_t{lanes}) | result;
}
bool property(Decoder& d) {
  constexpr std::string_view names[] = {"finite",     "infinite", "number",
                                        "notanumber", "normal",   "subnormal"};
  bool is_named = false;
  for (uint8_t i = 0; i < 6; ++i) {
    if (!d.has(names[i])) continue;
    d.record().detail = i;
    is_named = true;
  }
  if (!is_named) return false;
  d.record().handler = d.type() == Type::f64 ? test_property<double> : test_property<float>;
  d.set_operands({d.destination(0, Type::pred), d.source(1, d.type())});
  return true;
}

enum Comparison : uint8_t { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };

bool compares(uint8_t how, double a, double b) {
  const bool unordered = a != a || b != b;
  switch (how) {
    case eq:
      return a == b;
    case ne:
      return !unordered && a != b;
    case lt:
      return a < b;
    case le:
      return a <= b;
    case gt:
      return a > b;
    case ge:
      return a >= b;
    case equ:
      return unordered || a == b;
    case neu:
      return a != b;
    case ltu:
      return unordered || a < b;
    case leu:
      return unordered || a <= b;
    case gtu:
      return unordered || a > b;
    case geu:
      return unordered || a >= b;
    case num:
      return !unordered;
    default:
      return unordered;
  }
}

template <class T>
void compare_floats(Warp& w, const Record& in, uint32_t lanes) {
  using Word = typename T::Word;
  uint32_t result = 0;
  for_lanes(lanes, [&](unsigned l) {
    if (compares(in.detail, T::read(get<Word>(w.at(in.operand[2]), l), in.ftz),
                 T::read(get<Word>(w.at(in.operand[3]), l), in.ftz)))
      result |= 1u << l;
  });
  finish_comparison(w, in, lanes, result);
}

// Compares packed types: p gets the outcome of the low halves, q that of the high halves.
template <class T>
void compare_pairs(Warp& w, const Record& in, uint32_t lanes) {
  std::array<uint32_t, 2> result{};
  for_lanes(lanes, [&](unsigned l) {
    const auto a = get<uint32_t>(w.at(in.operand[2]), l), b = get<uint32_t>(w.at(in.operand[3]), l);
    for (unsigned half = 0; half < 2; ++half)
      if (compares(in.detail, T::read(static_cast<uint16_t>(a >> (16 * half)), in.ftz),
                   T::read(static_cast<uint16_t>(b >> (16 * half)), in.ftz)))
        result[half] |= 1u << l;
  });
  finish_comparison(w, in, lanes, result[0], result[1]);
}

constexpr DecodeRow float_comparison_table[] = {
    {"testp", property},
};

}  // namespace

bool decode_float_compare(Decoder& d) {
  constexpr std::string_view names[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                        "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
  int how = -1;
  const std::string_view name = d.modifier(1);
  for (int i = 0; i < 14; ++i)
    if (name == names[i]) how = i;
  if (how < 0) return false;
  d.record().detail = static_cast<uint8_t>(how);
  d.record().ftz = d.has("ftz");
  switch (d.type()) {
    case Type::f32:
      return decode_comparison(d, compare_floats<AsF32>, Type::f32);
    case Type::f64:
      return decode_comparison(d, compare_floats<AsF64>, Type::f64);
    case Type::f16:
      return decode_comparison(d, compare_floats<AsF16>, Type::f16);
    case Type::bf16:
      return decode_comparison(d, compare_floats<AsBf16>, Type::bf16);
    case Type::f16x2:
      return decode_comparison(d, compare_pairs<AsF16>, Type::f16x2);
    case Type::bf16x2:
      return decode_comparison(d, compare_pairs<AsBf16>, Type::bf16x2);
    default:
      return false;
  }
}

std::span<const DecodeRow> float_comparison_rows() { return float_comparison_table; }

}  // namespace heddle::emulator::ptx
