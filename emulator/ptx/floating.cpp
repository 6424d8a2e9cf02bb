// Arithmetic of floats.
//
// - f32 and f64 follow IEEE 754 with the rounding that the instruction names.
// - f16 and bf16 are calculated in double and rounded once.
// - PTX's approximate operations give the host's value, rounded. On a GPU the last bits of such a
// result may differ (PTX ISA 9.0, "Floating-Point Instructions").
#include <algorithm>
#include <array>
#include <cfenv>
#include <cmath>
#include <span>
#include <tuple>

#include "emulator/ptx/elementwise.h"
#include "emulator/ptx/float_lanes.h"

namespace heddle::emulator::ptx {
namespace {

template <class T>
constexpr bool is_half = sizeof(typename T::Word) == 2;

template <class T>
typename T::Word finished(typename T::Number value, const Record& in) {
  if (in.saturate) value = value > 0 ? (value < 1 ? value : 1) : 0;       // NaN is 0
  if (in.detail & 0x40) value = value > 0 || value != value ? value : 0;  // .relu
  return T::write(value, in.ftz);
}

// Sets the host's rounding for its lifetime.
class RoundingScope {
 public:
  explicit RoundingScope(uint8_t rounding) : changes_(rounding != 0) {
    constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    if (changes_) std::fesetround(modes[rounding & 3]);
  }
  ~RoundingScope() {
    if (changes_) std::fesetround(FE_TONEAREST);
  }

 private:
  bool changes_;
};

template <class T, class F>
void float_unary(Warp& w, const Record& in, uint32_t lanes) {
  using Word = typename T::Word;
  const RoundingScope scope(in.rounding);
  uint64_t* d = w.at(in.operand[0]);
  const uint64_t* a = w.at(in.operand[1]);
  for_lanes(lanes, [&](unsigned l) {
    volatile auto x = T::read(get<Word>(a, l), in.ftz);
    put<Word>(d, l, finished<T>(F{}(static_cast<typename T::Number>(x)), in));
  });
}
template <class T, class F>
void float_binary(Warp& w, const Record& in, uint32_t lanes) {
  using Word = typename T::Word;
  uint64_t* d = w.at(in.operand[0]);
  const uint64_t *a = w.at(in.operand[1]), *b = w.at(in.operand[2]);
  if (in.rounding == 0) {
    for_lanes(lanes, [&](unsigned l) {
      put<Word>(
          d, l,
          finished<T>(F{}(T::read(get<Word>(a, l), in.ftz), T::read(get<Word>(b, l), in.ftz)), in));
    });
    return;
  }
  const RoundingScope scope(in.rounding);
  for_lanes(lanes, [&](unsigned l) {
    volatile auto x = T::read(get<Word>(a, l), in.ftz), y = T::read(get<Word>(b, l), in.ftz);
    volatile auto result =
        F{}(static_cast<typename T::Number>(x), static_cast<typename T::Number>(y));
    put<Word>(d, l, finished<T>(result, in));
  });
}
template <class T, class F>
void float_ternary(Warp& w, const Record& in, uint32_t lanes) {
  using Word = typename T::Word;
  const RoundingScope scope(in.rounding);
  uint64_t* d = w.at(in.operand[0]);
  const uint64_t *a = w.at(in.operand[1]), *b = w.at(in.operand[2]), *c = w.at(in.operand[3]);
  for_lanes(lanes, [&](unsigned l) {
    const auto x = T::read(get<Word>(a, l), in.ftz), y = T::read(get<Word>(b, l), in.ftz);
    const auto z = T::read(get<Word>(c, l), in.ftz);
    put<Word>(d, l, finished<T>(F{}(x, y, z), in));
  });
}

// Applies F to both halves of a packed register.
template <class T, class F>
void pair_unary(Warp& w, const Record& in, uint32_t lanes) {
  uint64_t* d = w.at(in.operand[0]);
  for_lanes(lanes, [&](unsigned l) {
    const auto a = get<uint32_t>(w.at(in.operand[1]), l);
    uint32_t result = 0;
    for (unsigned i = 0; i < 32; i += 16)
      result |= uint32_t{finished<T>(F{}(T::read(static_cast<uint16_t>(a >> i), in.ftz)), in)} << i;
    put(d, l, result);
  });
}
template <class T, class F>
void pair_binary(Warp& w, const Record& in, uint32_t lanes) {
  uint64_t* d = w.at(in.operand[0]);
  for_lanes(lanes, [&](unsigned l) {
    const auto a = get<uint32_t>(w.at(in.operand[1]), l), b = get<uint32_t>(w.at(in.operand[2]), l);
    uint32_t result = 0;
    for (unsigned i = 0; i < 32; i += 16)
      result |= uint32_t{finished<T>(F{}(T::read(static_cast<uint16_t>(a >> i), in.ftz),
                                         T::read(static_cast<uint16_t>(b >> i), in.ftz)),
                                     in)}
                << i;
    put(d, l, result);
  });
}
template <class T, class F>
void pair_ternary(Warp& w, const Record& in, uint32_t lanes) {
  uint64_t* d = w.at(in.operand[0]);
  for_lanes(lanes, [&](unsigned l) {
    const auto a = get<uint32_t>(w.at(in.operand[1]), l), b = get<uint32_t>(w.at(in.operand[2]), l);
    const auto c = get<uint32_t>(w.at(in.operand[3]), l);
    uint32_t result = 0;
    for (unsigned i = 0; i < 32; i += 16)
      result |= uint32_t{finished<T>(F{}(T::read(static_cast<uint16_t>(a >> i), in.ftz),
                                         T::read(static_cast<uint16_t>(b >> i), in.ftz),
                                         T::read(static_cast<uint16_t>(c >> i), in.ftz)),
                                     in)}
                << i;
    put(d, l, result);
  });
}

// Applies F to the two f32 numbers of a 64-bit register.
template <class F, std::size_t sources>
void wide_pair(Warp& w, const Record& in, uint32_t lanes) {
  const RoundingScope scope(in.rounding);
  for_lanes(lanes, [&](unsigned l) {
    uint64_t result = 0;
    for (unsigned i = 0; i < 64; i += 32) {
      std::array<float, sources> x;
      for (std::size_t j = 0; j < sources; ++j)
        x[j] = AsF32::read(static_cast<uint32_t>(w.at(in.operand[1 + j])[l] >> i), in.ftz);
      volatile float value = std::apply(F{}, x);
      result |= uint64_t{finished<AsF32>(value, in)} << i;
    }
    w.at(in.operand[0])[l] = result;
  });
}

struct Add {
  float operator()(float a, float b) const { return a + b; }
  double operator()(double a, double b) const { return a + b; }
};
// The sum of two f16 or bf16 numbers. It may not be exact in a double, so it is rounded to odd.
struct AddOdd {
  double operator()(double a, double b) const { return multiply_add_odd(a, 1, b); }
};
struct Subtract {
  float operator()(float a, float b) const { return a - b; }
  double operator()(double a, double b) const { return a - b; }
};
struct SubtractOdd {
  double operator()(double a, double b) const { return multiply_add_odd(a, 1, -b); }
};
struct Multiply {
  float operator()(float a, float b) const { return a * b; }
  double operator()(double a, double b) const { return a * b; }
};
struct Divide {
  float operator()(float a, float b) const { return a / b; }
  double operator()(double a, double b) const { return a / b; }
};
// div.approx calculates a * (1 / b), where 1 / b becomes 0 if |b| > 2^126 (PTX ISA 9.0, "div").
struct DivideApproximately {
  float operator()(float a, float b) const {
    return std::fabs(b) > 0x1p126f ? a * std::copysign(0.0f, b) : a / b;
  }
};
struct MultiplyAdd {
  float operator()(float a, float b, float c) const { return std::fma(a, b, c); }
  double operator()(double a, double b, double c) const { return std::fma(a, b, c); }
};
struct MultiplyAddOdd {
  double operator()(double a, double b, double c) const { return multiply_add_odd(a, b, c); }
};
// The smaller operand. If exactly one operand is NaN, the result is the other operand, or with
// `keeps_nan` NaN. -0 is less than +0.
template <bool keeps_nan>
struct Minimum {
  template <class T>
  T operator()(T a, T b) const {
    if (a != a || b != b) return keeps_nan || (a != a && b != b) ? T(NAN) : a != a ? b : a;
    if (a == b) return std::signbit(a) ? a : b;
    return a < b ? a : b;
  }
};
template <bool keeps_nan>
struct Maximum {
  template <class T>
  T operator()(T a, T b) const {
    if (a != a || b != b) return keeps_nan || (a != a && b != b) ? T(NAN) : a != a ? b : a;
    if (a == b) return std::signbit(a) ? b : a;
    return a < b ? b : a;
  }
};
// .xorsign.abs: F of the magnitudes of a and b. The sign of the result is the product of the signs
// of a and b, unless the result is NaN.
template <class F>
struct OfMagnitudes {
  template <class T>
  T operator()(T a, T b) const {
    const T result = F{}(std::fabs(a), std::fabs(b));
    return result != result
               ? result
               : std::copysign(result, std::signbit(a) != std::signbit(b) ? T(-1) : T(1));
  }
};
template <class F, bool magnitudes>
struct OfThree {
  float operator()(float a, float b, float c) const {
    if (magnitudes) a = std::fabs(a), b = std::fabs(b), c = std::fabs(c);
    return F{}(F{}(a, b), c);
  }
};
struct Negate {
  template <class T>
  T operator()(T a) const {
    return -a;
  }
};
struct Absolute {
  template <class T>
  T operator()(T a) const {
    return std::fabs(a);
  }
};
struct SquareRoot {
  template <class T>
  T operator()(T a) const {
    return std::sqrt(a);
  }
};
struct Reciprocal {
  template <class T>
  T operator()(T a) const {
    return T(1) / a;
  }
};
struct ReciprocalRoot {
  template <class T>
  T operator()(T a) const {
    return static_cast<T>(1.0 / std::sqrt(static_cast<double>(a)));
  }
};
struct Exponential {
  template <class T>
  T operator()(T a) const {
    return static_cast<T>(std::exp2(static_cast<double>(a)));
  }
};
struct Logarithm {
  template <class T>
  T operator()(T a) const {
    return static_cast<T>(std::log2(static_cast<double>(a)));
  }
};
struct Sine {
  template <class T>
  T operator()(T a) const {
    return static_cast<T>(std::sin(static_cast<double>(a)));
  }
};
struct Cosine {
  template <class T>
  T operator()(T a) const {
    return static_cast<T>(std::cos(static_cast<double>(a)));
  }
};
struct HyperbolicTangent {
  template <class T>
  T operator()(T a) const {
    return static_cast<T>(std::tanh(static_cast<double>(a)));
  }
};

// Reads the modifiers that the handlers of the type implement. An instruction with any other
// modifier is rejected.
void set_modifiers(Decoder& d) {
  Record& record = d.record();
  const Type type = d.type();
  const std::string_view name = d.name();
  const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, name) != names.end();
  };
  const bool is_sum = is_one_of({"add", "sub", "mul", "mad", "fma"});
  if (is_sum || is_one_of({"div", "rcp", "sqrt"})) {
    d.has("rn");
    if (type == Type::f32 || type == Type::f64 || type == Type::f32x2)
      record.rounding = d.has("rz") ? 1 : d.has("rm") ? 2 : d.has("rp") ? 3 : 0;
  }
  if (type == Type::f64) return;
  record.ftz = d.has("ftz");
  if (is_sum) record.saturate = d.has("sat");
  if (name == "fma" && type != Type::f32 && d.has("relu")) record.detail |= 0x40;
}

template <class F, class Narrow = F>
Handler unary_of(Type type) {
  switch (type) {
    case Type::f32:
      return float_unary<AsF32, F>;
    case Type::f64:
      return float_unary<AsF64, F>;
    case Type::f16:
      return float_unary<AsF16, Narrow>;
    case Type::bf16:
      return float_unary<AsBf16, Narrow>;
    case Type::f16x2:
      return pair_unary<AsF16, Narrow>;
    case Type::bf16x2:
      return pair_unary<AsBf16, Narrow>;
    default:
      return nullptr;
  }
}
template <class F, class Narrow = F>
Handler binary_of(Type type) {
  switch (type) {
    case Type::f32:
      return float_binary<AsF32, F>;
    case Type::f64:
      return float_binary<AsF64, F>;
    case Type::f16:
      return float_binary<AsF16, Narrow>;
    case Type::bf16:
      return float_binary<AsBf16, Narrow>;
    case Type::f16x2:
      return pair_binary<AsF16, Narrow>;
    case Type::bf16x2:
      return pair_binary<AsBf16, Narrow>;
    default:
      return nullptr;
  }
}
template <class F, class Narrow>
Handler ternary_of(Type type) {
  switch (type) {
    case Type::f32:
      return float_ternary<AsF32, F>;
    case Type::f64:
      return float_ternary<AsF64, F>;
    case Type::f16:
      return float_ternary<AsF16, Narrow>;
    case Type::bf16:
      return float_ternary<AsBf16, Narrow>;
    case Type::f16x2:
      return pair_ternary<AsF16, Narrow>;
    case Type::bf16x2:
      return pair_ternary<AsBf16, Narrow>;
    default:
      return nullptr;
  }
}

// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64: they read only the upper half of the operand's bits,
// and keep only the upper half of the result's; subnormal numbers are zeros (PTX ISA 9.0,
// "rcp.approx.ftz.f64").
template <class F>
struct OfUpperHalf {
  static double upper(double x) {
    const uint64_t bits = std::bit_cast<uint64_t>(x) & ~uint64_t{0xffffffff};
    return std::bit_cast<double>((bits & format_f64.infinity()) == 0 ? bits & format_f64.sign()
                                                                     : bits);
  }
  double operator()(double a) const {
    // A NaN is returned at once: without its lower half it could look like an infinity.
    return a != a ? a : upper(F{}(upper(a)));
  }
};
// An approximation gives the host's value.
template <class F>
bool function(Decoder& d) {
  set_modifiers(d);
  const bool is_approximate = d.has("approx");
  if constexpr (std::is_same_v<F, Reciprocal> || std::is_same_v<F, ReciprocalRoot>)
    if (d.type() == Type::f64 && is_approximate && d.has("ftz"))
      return same_typed(d, float_unary<AsF64, OfUpperHalf<F>>, 1);
  return same_typed(d, unary_of<F>(d.type()), 1);
}

// add, sub and fma of f32 in which the factors or the first summand are f16 or bf16 (sm_100). The
// 16-bit operands are converted to f32, which is exact.
template <class A, class F>
void mixed(Warp& w, const Record& in, uint32_t lanes) {
  const RoundingScope scope(in.rounding);
  const auto narrow = [&](std::size_t operand, unsigned l) {
    return static_cast<float>(A::read(get<uint16_t>(w.at(in.operand[operand]), l), false));
  };
  for_lanes(lanes, [&](unsigned l) {
    volatile float a = narrow(1, l), result = 0;
    if constexpr (std::is_same_v<F, MultiplyAdd>) {
      const float b = narrow(2, l), c = get<float>(w.at(in.operand[3]), l);
      result = F{}(float{a}, b, c);
    } else {
      volatile float b = get<float>(w.at(in.operand[2]), l);
      result = F{}(float{a}, float{b});
    }
    put<uint32_t>(w.at(in.operand[0]), l, finished<AsF32>(result, in));
  });
}
template <class F>
bool mixed(Decoder& d) {
  Record& record = d.record();
  const Type narrow = d.type(1);
  if (d.types() != 2 || d.type(0) != Type::f32 || (narrow != Type::f16 && narrow != Type::bf16))
    return false;
  d.has("rn");
  record.rounding = d.has("rz") ? 1 : d.has("rm") ? 2 : d.has("rp") ? 3 : 0;
  record.saturate = d.has("sat");
  record.handler = narrow == Type::f16 ? mixed<AsF16, F> : mixed<AsBf16, F>;
  std::vector<uint32_t> words{d.destination(0, Type::f32), d.source(1, narrow)};
  if (std::is_same_v<F, MultiplyAdd>) words.push_back(d.source(2, narrow));
  const std::size_t last = words.size();
  words.push_back(d.source(last, Type::f32));
  if (d.operands() != words.size()) d.bad("wrong number of operands");
  d.set_operands(std::move(words));
  return true;
}

bool fused(Decoder& d) {
  if (d.types() > 1) return mixed<MultiplyAdd>(d);
  set_modifiers(d);
  if (d.type() == Type::f32x2) return same_typed(d, wide_pair<MultiplyAdd, 3>, 3);
  return same_typed(d, ternary_of<MultiplyAdd, MultiplyAddOdd>(d.type()), 3);
}

// copysign d, a, b: the magnitude of b with the sign of a.
template <class T>
void copy_sign(Warp& w, const Record& in, uint32_t lanes) {
  constexpr T sign = T{1} << (8 * sizeof(T) - 1);
  for_lanes(lanes, [&](unsigned l) {
    const T a = get<T>(w.at(in.operand[1]), l), b = get<T>(w.at(in.operand[2]), l);
    put<T>(w.at(in.operand[0]), l, (a & sign) | (b & ~sign));
  });
}
bool sign_copy(Decoder& d) {
  return same_typed(d, d.type() == Type::f64 ? copy_sign<uint64_t> : copy_sign<uint32_t>, 2);
}

constexpr DecodeRow float_table[] = {
    {"fma", fused},
    {"sqrt", function<SquareRoot>},
    {"rcp", function<Reciprocal>},
    {"rsqrt", function<ReciprocalRoot>},
    {"ex2", function<Exponential>},
    {"lg2", function<Logarithm>},
    {"sin", function<Sine>},
    {"cos", function<Cosine>},
    {"tanh", function<HyperbolicTangent>},
    {"copysign", sign_copy},
};

}  // namespace

namespace {

template <class F>
bool extremum(Decoder& d) {
  const Type type = d.type();
  const bool magnitudes = d.has("abs");
  if (d.operands() == 4)
    return type == Type::f32 && same_typed(d,
                                           magnitudes ? float_ternary<AsF32, OfThree<F, true>>
                                                      : float_ternary<AsF32, OfThree<F, false>>,
                                           3);
  if (magnitudes != d.has("xorsign")) return false;
  return same_typed(d, magnitudes ? binary_of<OfMagnitudes<F>>(type) : binary_of<F>(type), 2);
}
bool division(Decoder& d) {
  const bool is_approximate = d.has("approx");
  if (is_approximate || d.has("full")) {
    if (d.type() != Type::f32) return false;
    if (is_approximate) return same_typed(d, float_binary<AsF32, DivideApproximately>, 2);
  }
  return same_typed(d, binary_of<Divide>(d.type()), 2);
}

}  // namespace

bool decode_float_arithmetic(Decoder& d) {
  const std::string_view name = d.name();
  if (d.types() > 1)
    return name == "add" ? mixed<Add>(d) : name == "sub" ? mixed<Subtract>(d) : false;
  set_modifiers(d);
  const Type type = d.type();
  if (type == Type::f32x2)
    return same_typed(d,
                      name == "add"   ? wide_pair<Add, 2>
                      : name == "sub" ? wide_pair<Subtract, 2>
                      : name == "mul" ? wide_pair<Multiply, 2>
                                      : nullptr,
                      2);
  if (name == "add") return same_typed(d, binary_of<Add, AddOdd>(type), 2);
  if (name == "sub") return same_typed(d, binary_of<Subtract, SubtractOdd>(type), 2);
  if (name == "mul") return same_typed(d, binary_of<Multiply>(type), 2);
  if (name == "mad") return same_typed(d, ternary_of<MultiplyAdd, MultiplyAddOdd>(type), 3);
  if (name == "div") return division(d);
  if (name == "neg") return same_typed(d, unary_of<Negate>(type), 1);
  if (name == "abs") return same_typed(d, unary_of<Absolute>(type), 1);
  const bool keeps_nan = d.has("NaN");
  if (name == "min") return keeps_nan ? extremum<Minimum<true>>(d) : extremum<Minimum<false>>(d);
  if (name == "max") return keeps_nan ? extremum<Maximum<true>>(d) : extremum<Maximum<false>>(d);
  return false;
}

std::span<const DecodeRow> float_rows() { return float_table; }

}  // namespace heddle::emulator::ptx
