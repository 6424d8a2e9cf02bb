// cvt: between integers and floats of every width.
#include <bit>
#include <cmath>
#include <optional>
#include <span>

#include "emulator/ptx/elementwise.h"
#include "emulator/ptx/float_format.h"

namespace heddle::emulator::ptx {
namespace {

const FloatFormat* format_of(Type type) {
  switch (type) {
    case Type::f16:
    case Type::f16x2:
      return &format_f16;
    case Type::bf16:
    case Type::bf16x2:
      return &format_bf16;
    case Type::f32:
      return &format_f32;
    case Type::f64:
      return &format_f64;
    case Type::tf32:
      return &format_tf32;
    case Type::e4m3x2:
      return &format_e4m3;
    case Type::e5m2x2:
      return &format_e5m2;
    case Type::e2m1x2:
      return &format_e2m1;
    case Type::e2m3x2:
      return &format_e2m3;
    case Type::e3m2x2:
      return &format_e3m2;
    default:
      return nullptr;
  }
}

struct Conversion {
  Type to = Type::none, from = Type::none;
  Rounding rounding = Rounding::nearest_even;
  bool to_integer = false;  // .rni and others
  bool saturates = false, finite = false, relu = false, ftz = false;
};

double to_double(Type type, uint64_t bits) {
  if (type == Type::f64) return std::bit_cast<double>(bits);
  if (type == Type::f32)
    return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  return decode(*format_of(type), bits & ((uint64_t{1} << (8 * bytes_of(type))) - 1));
}

double rounded_to_integer(double x, Rounding rounding) {
  switch (rounding) {
    case Rounding::zero:
      return std::trunc(x);
    case Rounding::down:
      return std::floor(x);
    case Rounding::up:
      return std::ceil(x);
    default:
      return std::nearbyint(x);
  }
}

// Converts to ue8m0, which is a power of two of at least 2^-127, or NaN. The sign is ignored. .rp
// rounds to the next higher power, .rz to the next lower one (PTX ISA 9.0, "cvt";
// __nv_cvt_float_to_e8m0 of cuda_fp8.hpp).
uint64_t scale_of(const Conversion& c, double value) {
  constexpr uint64_t nan = 0xff, largest = 0xfe;
  if (value != value) return nan;
  value = std::fabs(value);
  if (std::isinf(value)) return c.finite ? largest : nan;
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);  // of [1/2, 1)
  int power = exponent - 1;
  if (c.rounding == Rounding::up && fraction != 0.5) ++power;
  if (value == 0 || power < -127) return 0;
  return power > 127 ? (c.finite ? largest : nan) : static_cast<uint64_t>(power + 127);
}

uint64_t narrowed(const Conversion& c, double value) {
  if (c.to == Type::ue8m0x2) return scale_of(c, value);
  if (c.relu && !(value > 0) && value == value) value = 0;
  if (c.saturates) value = value > 0 ? (value < 1 ? value : 1) : 0;
  if (c.to == Type::f64) return std::bit_cast<uint64_t>(value);
  if (c.to == Type::tf32) {
    // A tf32 number is in the upper 19 bits of a 32-bit word.
    const uint64_t bits = encode(format_tf32, value, c.rounding, c.finite);
    return value != value ? 0x7fffffffu : bits << 13;
  }
  uint64_t bits = encode(*format_of(c.to), value, c.rounding, c.finite);
  if (c.ftz && c.to == Type::f32 && (bits & 0x7f800000u) == 0) bits &= 0x80000000u;
  return bits;
}

double source_value(const Conversion& c, uint64_t bits) {
  if (c.ftz && c.from == Type::f32 && (bits & 0x7f800000u) == 0) bits &= 0x80000000u;
  return to_double(c.from, bits);
}

// Extends a number in the low bits to 64 bits: by its sign if the type is signed, else by zeros.
uint64_t extended(Type type, uint64_t bits) {
  const int width = 8 * bytes_of(type);
  if (width == 64) return bits;
  bits &= (uint64_t{1} << width) - 1;
  const uint64_t sign = uint64_t{1} << (width - 1);
  return is_signed(type) ? (bits ^ sign) - sign : bits;
}

uint64_t integer_from_float(const Conversion& c, uint64_t bits) {
  const double value = source_value(c, bits);
  const int width = 8 * bytes_of(c.to);
  if (value != value) {
    const bool wide = c.from == Type::f64 || width == 64;
    return wide ? extended(c.to, uint64_t{1} << (width - 1)) : 0;
  }
  const double whole = rounded_to_integer(value, c.rounding);
  const bool sign = is_signed(c.to);
  const double above = std::ldexp(1.0, sign ? width - 1 : width);
  if (whole >= above) return sign ? (uint64_t{1} << (width - 1)) - 1 : ~uint64_t{0} >> (64 - width);
  if (sign && whole < -above) return extended(c.to, uint64_t{1} << (width - 1));
  if (!sign && whole < 0) return 0;
  return sign ? static_cast<uint64_t>(static_cast<int64_t>(whole)) : static_cast<uint64_t>(whole);
}

uint64_t float_from_integer(const Conversion& c, uint64_t bits) {
  const uint64_t value = extended(c.from, bits);
  const bool negative = is_signed(c.from) && static_cast<int64_t>(value) < 0;
  const uint64_t magnitude = negative ? 0 - value : value;
  if (magnitude == 0) return 0;
  if (c.saturates) return encode(*format_of(c.to), false, negative ? 0 : 1, 0, false, c.rounding);
  return encode(*format_of(c.to), negative, magnitude, 0, false, c.rounding, c.finite);
}

uint64_t integer_from_integer(const Conversion& c, uint64_t bits) {
  const uint64_t value = extended(c.from, bits);
  if (!c.saturates) return extended(c.to, value);  // cut off, then continued to the register
  const int width = 8 * bytes_of(c.to);
  const bool negative = is_signed(c.from) && static_cast<int64_t>(value) < 0;
  const uint64_t most =
      is_signed(c.to) ? (uint64_t{1} << (width - 1)) - 1 : ~uint64_t{0} >> (64 - width);
  if (!negative) return value > most ? most : value;
  if (!is_signed(c.to)) return 0;
  const auto least = static_cast<int64_t>(~uint64_t{0} << (width - 1));
  return static_cast<int64_t>(value) < least ? static_cast<uint64_t>(least) : value;
}

template <uint64_t (*convert)(const Conversion&, uint64_t)>
void scalar(Warp& w, const Record& in, uint32_t lanes) {
  const auto& c = *static_cast<const Conversion*>(in.extra);
  uint64_t* d = w.at(in.operand[0]);
  const uint64_t* a = w.at(in.operand[1]);
  for_lanes(lanes, [&](unsigned l) { d[l] = convert(c, a[l]); });
}

uint64_t float_from_float(const Conversion& c, uint64_t bits) {
  double value = source_value(c, bits);
  if (c.to_integer) value = rounded_to_integer(value, c.rounding);
  if (value != value && c.to == Type::f64 && !c.saturates) return 0x7fffffffe0000000u;
  return narrowed(c, value);
}

// d = {a, b}, a above.
void packed(Warp& w, const Record& in, uint32_t lanes) {
  const auto& c = *static_cast<const Conversion*>(in.extra);
  uint64_t* d = w.at(in.operand[0]);
  const int width = 8 * bytes_of(c.to) / 2;
  for_lanes(lanes, [&](unsigned l) {
    const uint64_t high = narrowed(c, source_value(c, w.at(in.operand[1])[l]));
    const uint64_t low = narrowed(c, source_value(c, w.at(in.operand[2])[l]));
    d[l] = high << width | low;
  });
}

double part_of(Type type, uint64_t bits) {
  if (type != Type::ue8m0x2) return decode(*format_of(type), bits);
  return bits == 0xff ? NAN : std::ldexp(1.0, static_cast<int>(bits) - 127);
}

// Converts both halves of a packed register to the halves of another register.
void pairwise(Warp& w, const Record& in, uint32_t lanes) {
  const auto& c = *static_cast<const Conversion*>(in.extra);
  uint64_t* d = w.at(in.operand[0]);
  const int from = 8 * bytes_of(c.from) / 2, to = 8 * bytes_of(c.to) / 2;
  for_lanes(lanes, [&](unsigned l) {
    const uint64_t bits = w.at(in.operand[1])[l];
    uint64_t result = 0;
    for (int i = 0; i < 2; ++i) {
      const uint64_t part = bits >> (i * from) & ((uint64_t{1} << from) - 1);
      result |= narrowed(c, part_of(c.from, part)) << (i * to);
    }
    d[l] = result;
  });
}

bool is_pair(Type type) {
  return type == Type::f16x2 || type == Type::bf16x2 || type == Type::e4m3x2 ||
         type == Type::e5m2x2 || type == Type::e2m1x2 || type == Type::e2m3x2 ||
         type == Type::e3m2x2 || type == Type::ue8m0x2;
}

bool convert(Decoder& d) {
  if (d.types() != 2) return false;
  Conversion c;
  c.to = d.type(0);
  c.from = d.type(1);
  struct RoundingRow {
    std::string_view name;
    Rounding rounding;
    bool to_integer = false;
  };
  for (const RoundingRow& row : {RoundingRow{"rn", Rounding::nearest_even},
                                 {"rz", Rounding::zero},
                                 {"rm", Rounding::down},
                                 {"rp", Rounding::up},
                                 {"rna", Rounding::nearest_away},
                                 {"rni", Rounding::nearest_even, true},
                                 {"rzi", Rounding::zero, true},
                                 {"rmi", Rounding::down, true},
                                 {"rpi", Rounding::up, true}}) {
    if (!d.has(row.name)) continue;
    c.rounding = row.rounding;
    c.to_integer = row.to_integer;
  }
  c.saturates = d.has("sat");
  c.finite = d.has("satfinite");
  c.relu = d.has("relu");
  c.ftz = d.has("ftz");
  Record& record = d.record();
  record.extra = d.keep(c);
  const bool to_float = format_of(c.to) != nullptr, from_float = format_of(c.from) != nullptr;
  if (is_pair(c.to) && is_pair(c.from)) {
    record.handler = pairwise;
    d.set_operands({d.destination(0, c.to, Fit::wider), d.source(1, c.from, Fit::wider)});
    return true;
  }
  if (is_pair(c.to)) {
    if (c.from != Type::f32) return false;
    record.handler = packed;
    d.set_operands({d.destination(0, c.to), d.source(1, c.from), d.source(2, c.from)});
    return true;
  }
  if (is_pair(c.from) || c.from == Type::tf32) return false;
  record.handler = to_float
                       ? (from_float ? scalar<float_from_float> : scalar<float_from_integer>)
                       : (from_float ? scalar<integer_from_float> : scalar<integer_from_integer>);
  if (c.to == Type::pred || c.from == Type::pred || c.to == Type::b128 || c.from == Type::b128)
    return false;
  d.set_operands({d.destination(0, c.to, Fit::wider), d.source(1, c.from, Fit::wider)});
  return true;
}

// cvt.pack.sat.s8.s32.b32 d, a, b, c: d is c, shifted up, with the saturated a and b in its low
// bits (b is the lowest).
struct Pack {
  Conversion conversion;
  int width = 8;
  bool has_c = false;
};
void pack(Warp& w, const Record& in, uint32_t lanes) {
  const auto& p = *static_cast<const Pack*>(in.extra);
  for_lanes(lanes, [&](unsigned l) {
    const uint64_t mask = (uint64_t{1} << p.width) - 1;
    uint64_t result = (integer_from_integer(p.conversion, w.at(in.operand[1])[l]) & mask)
                          << p.width |
                      (integer_from_integer(p.conversion, w.at(in.operand[2])[l]) & mask);
    if (p.has_c) result |= w.at(in.operand[3])[l] << (2 * p.width);
    put<uint32_t>(w.at(in.operand[0]), l, static_cast<uint32_t>(result));
  });
}
bool convert_any(Decoder& d) {
  if (!d.has("pack")) return convert(d);
  Pack p;
  p.conversion.to = d.type(0);
  p.conversion.from = d.type(1);
  p.conversion.saturates = true;
  p.width = 8 * bytes_of(p.conversion.to);
  if (p.conversion.from != Type::s32 || (p.width != 8 && p.width != 16) || !d.has("sat"))
    return false;
  p.has_c = d.operands() > 3;
  if (p.has_c && d.type(2) != Type::b32) return false;
  std::vector<uint32_t> words{d.destination(0, Type::b32), d.source(1, Type::s32),
                              d.source(2, Type::s32)};
  if (p.has_c) words.push_back(d.source(3, Type::b32));
  d.record().extra = d.keep(p);
  d.record().handler = pack;
  d.set_operands(std::move(words));
  return true;
}

constexpr DecodeRow conversion_table[] = {{"cvt", convert_any, "", Flow::exact}};

}  // namespace

std::span<const DecodeRow> conversion_rows() { return conversion_table; }

}  // namespace heddle::emulator::ptx
