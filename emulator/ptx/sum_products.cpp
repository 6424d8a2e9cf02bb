// A fused sum truncates each term to a multiple of a unit, which is a power of two: it converts
// term / unit to an integer. This is done for eight columns at a time, in vectors of f32 if the
// exponents of all products fit, else of f64.
//
// Rare cases are computed one sum at a time, in integers: NaN, infinities, subnormal results of
// f32, and sums of f32 vectors that are too small.
#include "emulator/ptx/sum_products.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "emulator/ptx/float_format.h"

namespace heddle::emulator::ptx {
namespace {

using instruction::ElementType;
using instruction::TensorSum;

constexpr uint32_t f32_exponent = 0x7f800000u;
constexpr uint32_t f32_nan = 0x7fffffffu, f16_nan = 0x7fffu;

// --- one by one ----------------------------------------------------------------------------------

FloatFormat format_of(ElementType type) {
  switch (type) {
    case ElementType::f16:
      return format_f16;
    case ElementType::bf16:
      return format_bf16;
    case ElementType::xf32:
      return format_tf32;
    case ElementType::fp8:
      return format_e4m3;
    case ElementType::bf8:
      return format_e5m2;
    default:
      return format_f32;
  }
}

// A number, as (-1)^negative * significand * 2^(exponent - fraction). Zeros do not influence the
// alignment of a sum.
struct Parts {
  bool negative = false, infinite = false, nan = false;
  int exponent = 0, fraction = 0;
  int64_t significand = 0;
};

Parts parts_of(ElementType type, uint32_t bits) {
  const FloatFormat f = format_of(type);
  if (type == ElementType::xf32) bits >>= 13;  // which are not read
  Parts x;
  x.fraction = f.precision - 1;
  x.negative = (bits & f.sign()) != 0;
  const uint64_t magnitude = bits & (f.sign() - 1);
  x.nan = f.has_infinity ? magnitude > f.infinity() : magnitude == f.nan();
  x.infinite = f.has_infinity && magnitude == f.infinity();
  if (x.nan || x.infinite) return x;
  const int field = static_cast<int>(magnitude >> x.fraction);
  x.significand = static_cast<int64_t>(magnitude & ((uint64_t{1} << x.fraction) - 1));
  if (field > 0) x.significand |= int64_t{1} << x.fraction;
  x.exponent = std::max(field, 1) - f.bias();
  return x;
}

Parts product_of(const Parts& x, const Parts& y) {
  Parts p;
  p.negative = x.negative != y.negative;
  p.nan = x.nan || y.nan || (x.infinite && !y.infinite && y.significand == 0) ||
          (y.infinite && !x.infinite && x.significand == 0);
  p.infinite = !p.nan && (x.infinite || y.infinite);
  p.exponent = x.exponent + y.exponent;
  p.fraction = x.fraction + y.fraction;
  p.significand = p.infinite || p.nan ? 0 : x.significand * y.significand;
  return p;
}

int64_t cut_off(const Parts& x, int largest, int fraction_bits) {
  const int up = std::max(0, fraction_bits - x.fraction);
  // The exponent of a zero may exceed `largest`, hence the lower bound.
  const int right = std::clamp(largest - x.exponent + x.fraction + up - fraction_bits, 0, 62);
  const int64_t size = x.significand << up >> right;
  return x.negative ? -size : size;
}

// Encodes sum * 2^unit. An f16 result is rounded to nearest; an f32 result is truncated to
// `result_bits` bits.
uint32_t encoded(ElementType type, int64_t sum, int unit, int result_bits) {
  if (sum == 0) return 0;
  const FloatFormat f = format_of(type);
  auto size = static_cast<uint64_t>(sum < 0 ? -sum : sum);
  const uint32_t sign = sum < 0 ? static_cast<uint32_t>(f.sign()) : 0;
  if (type == ElementType::f16) {
    const auto bits =
        static_cast<uint32_t>(encode(f, false, size, unit, false, Rounding::nearest_even));
    return bits == 0 ? 0 : sign | bits;
  }
  const int places = static_cast<int>(std::bit_width(size));
  if (places + unit > 128) return sign | static_cast<uint32_t>(f.infinity());
  const int cut = std::max(0, places - 1 - result_bits);
  size = size >> cut << cut;
  const auto bits = static_cast<uint32_t>(encode(f, false, size, unit, false, Rounding::zero));
  return bits == 0 ? 0 : sign | bits;
}

// `count` products of a row of A and a column of B. Consecutive elements of the column are `b_step`
// apart.
struct Terms {
  const ProductForm& form;
  ElementType a_type, b_type;
  const uint32_t *a, *b;
  std::size_t count, b_step;
};

uint32_t fused_sum(const Terms& terms, ElementType c_type, uint32_t c) {
  const ProductForm& form = terms.form;
  const ElementType type = form.d_type;
  const uint32_t nan = type == ElementType::f16 ? f16_nan : f32_nan;
  std::array<Parts, 65> all;
  all[0] = parts_of(c_type, c);
  for (std::size_t k = 0; k < terms.count; ++k)
    all[k + 1] = product_of(parts_of(terms.a_type, terms.a[k]),
                            parts_of(terms.b_type, terms.b[k * terms.b_step]));
  bool up = false, down = false;
  int largest = instruction::least_aligned_exponent;
  for (std::size_t i = 0; i <= terms.count; ++i) {
    const Parts& x = all[i];
    if (x.nan) return nan;
    up |= x.infinite && !x.negative;
    down |= x.infinite && x.negative;
    if (x.significand != 0) largest = std::max(largest, x.exponent);
  }
  if (up && down) return nan;
  const auto infinity = static_cast<uint32_t>(format_of(type).infinity());
  if (up || down) return infinity | (down ? static_cast<uint32_t>(format_of(type).sign()) : 0);
  int64_t sum = 0;
  for (std::size_t i = 0; i <= terms.count; ++i)
    sum += cut_off(all[i], largest, form.rule.fraction_bits);
  return encoded(type, sum, largest - form.rule.fraction_bits, form.rule.result_bits);
}

// --- eight at a time -----------------------------------------------------------------------------

template <class T>
struct Vectors {
  typedef T Eight __attribute__((ext_vector_type(8)));
};
template <class T>
using Eight = typename Vectors<T>::Eight;

template <class To, class V>
Eight<To> converted(V x) {
  return __builtin_convertvector(x, Eight<To>);
}
template <class To, class From>
To same_bits(From x) {
  return __builtin_bit_cast(To, x);
}

template <class V>
V larger(V x, V y) {
  return __builtin_elementwise_max(x, y);
}

template <class T>
Eight<T> eight_at(const T* from) {
  Eight<T> x;
  std::memcpy(&x, from, sizeof x);
  return x;
}
template <class T>
void put_eight(T* to, Eight<T> x) {
  std::memcpy(to, &x, sizeof x);
}

bool any(Eight<int32_t> x) {
  std::array<uint64_t, 4> words;
  std::memcpy(words.data(), &x, sizeof words);
  return (words[0] | words[1] | words[2] | words[3]) != 0;
}

template <class Float>
struct Bits;
template <>
struct Bits<float> {
  using Word = uint32_t;
  static constexpr int fraction = 23;
  static constexpr Word bias = 127;
  static constexpr float least = 0x1p-100f;  // scales of smaller sums do not fit
};
template <>
struct Bits<double> {
  using Word = uint64_t;
  static constexpr int fraction = 52;
  static constexpr Word bias = 1023;
  static constexpr double least = 0x1p-133;  // least_aligned_exponent
};

std::array<float, 256> numbers_of(FloatFormat f) {
  std::array<float, 256> all;
  for (unsigned i = 0; i < 256; ++i) all[i] = static_cast<float>(decode(f, i));
  return all;
}

// Eight elements as f32, which is exact.
template <ElementType type>
Eight<float> read(Eight<uint32_t> bits) {
  if constexpr (type == ElementType::f16) {
    const Eight<uint32_t> magnitude = bits & 0x7fffu;
    const Eight<float> scaled = same_bits<Eight<float>>(magnitude << 13) * 0x1p112f;
    const Eight<uint32_t> special = same_bits<Eight<uint32_t>>(magnitude >= 0x7c00u) & f32_exponent;
    return same_bits<Eight<float>>(same_bits<Eight<uint32_t>>(scaled) | special |
                                   (bits & 0x8000u) << 16);
  } else if constexpr (type == ElementType::bf16) {
    return same_bits<Eight<float>>(bits << 16);
  } else if constexpr (type == ElementType::xf32) {
    return same_bits<Eight<float>>(bits & 0xffffe000u);
  } else if constexpr (type == ElementType::f32) {
    return same_bits<Eight<float>>(bits);
  } else {
    static const std::array<float, 256> numbers =
        numbers_of(type == ElementType::fp8 ? format_e4m3 : format_e5m2);
    Eight<float> x;
    for (unsigned i = 0; i < 8; ++i) x[i] = numbers[bits[i] & 0xff];
    return x;
  }
}

// Eight numbers, and for each the power of two of its encoded exponent. The power is `least` for a
// subnormal number and 0 for zero. For NaN and infinity the value is 0 and the power is infinity.
template <class Float>
struct Numbers {
  Eight<Float> value, power;
};

template <class Float>
Numbers<Float> numbers(Eight<float> elements, Float least) {
  using Word = typename Bits<Float>::Word;
  constexpr Word ones = (2 * Bits<Float>::bias + 1) << Bits<Float>::fraction;
  const Eight<Float> x = converted<Float>(elements);
  const Eight<Word> word = same_bits<Eight<Word>>(x), exponent = word & ones;
  const Eight<Float> power = larger(same_bits<Eight<Float>>(exponent), Eight<Float>(least));
  const Eight<Word> is_number = same_bits<Eight<Word>>(exponent != ones);
  const Eight<Word> is_not_zero = same_bits<Eight<Word>>(x != Float{0});
  return {same_bits<Eight<Float>>(word & is_number),
          same_bits<Eight<Float>>(same_bits<Eight<Word>>(power) & is_not_zero)};
}

// The elements of A or B, in vectors of eight. Elements of the last vector beyond the end of the
// matrix are not used.
template <class Float>
struct Operand {
  std::vector<Eight<Float>> value, power;
  bool is_special = false;          // some are no numbers
  Float smallest = 0, largest = 0;  // powers of those that are not zero

  const Float* values() const { return reinterpret_cast<const Float*>(value.data()); }
  const Float* powers() const { return reinterpret_cast<const Float*>(power.data()); }

  template <ElementType type>
  void read_as(const uint32_t* bits, std::size_t count) {
    const FloatFormat f = format_of(type);
    const auto least = static_cast<Float>(std::ldexp(1.0, 1 - f.bias()));
    value.resize((count + 7) / 8);
    power.resize(value.size());
    Eight<int32_t> special = 0;
    Eight<Float> low = std::numeric_limits<Float>::infinity(), high = 0;
    for (std::size_t i = 0; i < count; i += 8) {
      Eight<uint32_t> words = 0;
      if (count - i >= 8)
        words = eight_at(bits + i);
      else
        std::memcpy(&words, bits + i, (count - i) * 4);
      const Eight<float> x = ptx::read<type>(words);
      special |= (same_bits<Eight<uint32_t>>(x) & f32_exponent) == f32_exponent;
      const Numbers<Float> both = numbers<Float>(x, least);
      value[i / 8] = both.value;
      power[i / 8] = both.power;
      low = ((both.power < low) & (both.power > Float{0})) ? both.power : low;
      high = larger(high, both.power);
    }
    is_special = any(special);
    smallest = low[0];
    largest = high[0];
    for (unsigned i = 1; i < 8; ++i) {
      smallest = std::min<Float>(smallest, low[i]);
      largest = std::max<Float>(largest, high[i]);
    }
  }
  void read(ElementType type, const uint32_t* bits, std::size_t count) {
    switch (type) {
      case ElementType::f16:
        return read_as<ElementType::f16>(bits, count);
      case ElementType::bf16:
        return read_as<ElementType::bf16>(bits, count);
      case ElementType::xf32:
        return read_as<ElementType::xf32>(bits, count);
      case ElementType::fp8:
        return read_as<ElementType::fp8>(bits, count);
      default:
        return read_as<ElementType::bf8>(bits, count);
    }
  }
};

// Rounds to f16, to nearest even, by adding and subtracting a number so large that the spacing of
// doubles near it is the spacing of f16 near the result.
Eight<uint32_t> rounded_to_f16(Eight<double> x) {
  const Eight<uint64_t> word = same_bits<Eight<uint64_t>>(x);
  const Eight<double> power =
      larger(same_bits<Eight<double>>(word & (uint64_t{0x7ff} << 52)), Eight<double>(0x1p-14));
  const Eight<double> magic = power * 0x1.8p42;
  const Eight<float> result = converted<float>((x + magic) - magic);
  const Eight<uint32_t> bits = same_bits<Eight<uint32_t>>(result);
  const Eight<uint32_t> scaled =
      same_bits<Eight<uint32_t>>(same_bits<Eight<float>>(bits & 0x7fffffffu) * 0x1p-112f);
  const Eight<uint32_t> magnitude =
      __builtin_elementwise_min(scaled >> 13, Eight<uint32_t>(0x7c00));
  const Eight<uint32_t> is_not_zero = same_bits<Eight<uint32_t>>(magnitude != 0u);
  return magnitude | (bits >> 16 & 0x8000u & is_not_zero);
}

// A and B in two forms: as vectors, and as bits. The bits are for sums that are computed one at a
// time.
template <class Float>
struct Operands {
  ElementType a_type, b_type;
  const uint32_t *a_bits, *b_bits;
  Operand<Float> a, b;
};

// D = C plus the products of A and B for `count` values of k, beginning with k = `first`.
template <class Float>
void fused(const ProductForm& form, const Operands<Float>& operands, std::size_t first,
           std::size_t count, ElementType c_type, const uint32_t* c, uint32_t* d) {
  using Word = typename Bits<Float>::Word;
  constexpr int fraction = Bits<Float>::fraction;
  const std::size_t depth = form.k, columns = form.n;
  const Float* const a = operands.a.values();
  const Float* const a_power = operands.a.powers();
  const auto bits = static_cast<Word>(form.rule.fraction_bits);
  const double unit = std::ldexp(1.0, -form.rule.fraction_bits);
  const Word of_scale = (2 * Bits<Float>::bias + bits) << fraction;
  const uint64_t kept = ~uint64_t{0} << (52 - form.rule.result_bits);
  const bool is_special = operands.a.is_special || operands.b.is_special;
  const bool is_f16 = form.d_type == ElementType::f16;
  const auto least_of_c = static_cast<Float>(c_type == ElementType::f16 ? 0x1p-14 : 0x1p-126);
  for (std::size_t m = 0; m < form.m; ++m)
    for (std::size_t n = 0; n < columns; n += 8) {
      const Eight<uint32_t> c_bits = eight_at(c + m * columns + n);
      const Eight<float> start = c_type == ElementType::f16 ? read<ElementType::f16>(c_bits)
                                                            : read<ElementType::f32>(c_bits);
      const auto [c_value, c_power] = numbers<Float>(start, least_of_c);
      const Eight<Float>* const b = operands.b.value.data() + (first * columns + n) / 8;
      const Eight<Float>* const b_power = operands.b.power.data() + (first * columns + n) / 8;
      const Float* const x = a + m * depth + first;
      const Float* const x_power = a_power + m * depth + first;
      Eight<Float> largest = larger(c_power, Eight<Float>(Bits<Float>::least));
      for (std::size_t k = 0; k < count; ++k)
        largest = larger(largest, Eight<Float>(x_power[k]) * b_power[k * columns / 8]);
      const Eight<Float> scale =
          same_bits<Eight<Float>>(of_scale - same_bits<Eight<Word>>(largest));
      Eight<double> total = converted<double>(converted<int32_t>(c_value * scale));
      // No overflow: a term is below 2^27, and the sum of sixteen terms is below 2^31.
      for (std::size_t k = 0; k < count;) {
        Eight<int32_t> sum = 0;
        for (const std::size_t end = std::min(k + 16, count); k < end; ++k)
          sum += converted<int32_t>(Eight<Float>(x[k]) * b[k * columns / 8] * scale);
        total += converted<double>(sum);
      }
      const Eight<double> exact = total * converted<double>(largest) * unit;
      Eight<int32_t> rare = is_special ? 1 : 0;
      rare |= (same_bits<Eight<uint32_t>>(start) & f32_exponent) == f32_exponent;
      if constexpr (std::is_same_v<Float, float>)
        rare |= (largest <= Bits<Float>::least) & (start != 0.0f);
      Eight<uint32_t> result;
      if (is_f16) {
        result = rounded_to_f16(exact);
      } else {
        const Eight<uint64_t> cut = same_bits<Eight<uint64_t>>(exact) & kept;
        const Eight<float> narrow = converted<float>(same_bits<Eight<double>>(cut));
        result = same_bits<Eight<uint32_t>>(narrow);
        const Eight<double> size = __builtin_elementwise_abs(exact);
        rare |= converted<int32_t>((size < 0x1p-126) & (size > 0.0));
      }
      if (any(rare))
        for (unsigned i = 0; i < 8; ++i)
          if (rare[i] != 0)
            result[i] = fused_sum(
                {form, operands.a_type, operands.b_type, operands.a_bits + m * depth + first,
                 operands.b_bits + first * columns + n + i, count, columns},
                c_type, c_bits[i]);
      put_eight(d + m * columns + n, result);
    }
}

template <class Float>
void fused_groups(const ProductForm& form, const Operands<Float>& operands, ElementType c_type,
                  const uint32_t* c, uint32_t* d) {
  const auto group = static_cast<std::size_t>(form.rule.group);
  for (std::size_t k = 0; k < form.k; k += group)
    fused(form, operands, k, std::min(group, form.k - k), k == 0 ? c_type : form.d_type,
          k == 0 ? c : d, d);
}

template <class Float>
Operands<Float>& read_operands(const ProductForm& form, ElementType a_type, ElementType b_type,
                               const uint32_t* a, const uint32_t* b) {
  thread_local Operands<Float> operands;
  operands.a_type = a_type;
  operands.b_type = b_type;
  operands.a_bits = a;
  operands.b_bits = b;
  operands.a.read(a_type, a, std::size_t{form.m} * form.k);
  operands.b.read(b_type, b, std::size_t{form.k} * form.n);
  return operands;
}

// True if all products are in the range of f32 vectors: above Bits<float>::least and below 2^120.
// Products of f16 and of 8-bit floats always are in this range.
bool fits_f32(const Operands<float>& operands) {
  const Operand<float>&a = operands.a, &b = operands.b;
  return double{a.smallest} * b.smallest > Bits<float>::least &&
         double{a.largest} * b.largest < 0x1p120;
}

void fused_product(const ProductForm& form, ElementType a_type, ElementType b_type,
                   const uint32_t* a, const uint32_t* b, ElementType c_type, const uint32_t* c,
                   uint32_t* d) {
  const Operands<float>& operands = read_operands<float>(form, a_type, b_type, a, b);
  const bool is_wide = a_type == ElementType::bf16 || a_type == ElementType::xf32;
  if (!is_wide || fits_f32(operands)) return fused_groups(form, operands, c_type, c, d);
  fused_groups(form, read_operands<double>(form, a_type, b_type, a, b), c_type, c, d);
}

// --- the other sums ------------------------------------------------------------------------------

float number_of(ElementType type, uint32_t bits) {
  return type == ElementType::f16 ? f16_to_f32(static_cast<uint16_t>(bits))
                                  : std::bit_cast<float>(bits);
}

uint32_t bits_of(ElementType type, float x) {
  if (type == ElementType::f16)
    return x != x ? f16_nan : static_cast<uint32_t>(encode(format_f16, x, Rounding::nearest_even));
  return x != x ? f32_nan : std::bit_cast<uint32_t>(x);
}

const std::array<uint32_t, 256>& f16_bits_of(ElementType type) {
  const auto made = [](FloatFormat f) {
    std::array<uint32_t, 256> all;
    for (unsigned i = 0; i < 256; ++i)
      all[i] = static_cast<uint32_t>(encode(format_f16, decode(f, i), Rounding::nearest_even));
    return all;
  };
  static const std::array<uint32_t, 256> of_e4m3 = made(format_e4m3), of_e5m2 = made(format_e5m2);
  return type == ElementType::fp8 ? of_e4m3 : of_e5m2;
}

void sum_halves(const ProductForm& form, const uint32_t* a, const uint32_t* b, const uint32_t* c,
                uint32_t* d) {
  thread_local std::vector<uint32_t> x, y, sums;
  const std::size_t depth = form.k, columns = form.n;
  x.resize(form.m * depth);
  y.resize(depth * columns);
  sums.assign(form.m * columns, 0);
  const auto &of_a = f16_bits_of(form.a_type), &of_b = f16_bits_of(form.b_type);
  for (std::size_t k = 0; k < depth; ++k) {
    const std::size_t to = k / 4 * 2 + k % 2 + (k % 4 < 2 ? 0 : depth / 2);
    for (std::size_t m = 0; m < form.m; ++m) x[m * depth + to] = of_a[a[m * depth + k] & 0xff];
    for (std::size_t n = 0; n < columns; ++n) y[to * columns + n] = of_b[b[k * columns + n] & 0xff];
  }
  fused_product(form, ElementType::f16, ElementType::f16, x.data(), y.data(), form.d_type,
                sums.data(), sums.data());
  for (std::size_t i = 0; i < sums.size(); ++i)
    d[i] = bits_of(form.d_type, number_of(form.d_type, sums[i]) + number_of(form.c_type, c[i]));
}

void sum_quads(const ProductForm& form, const uint32_t* a, const uint32_t* b, const uint32_t* c,
               uint32_t* d) {
  for (std::size_t m = 0; m < form.m; ++m)
    for (std::size_t n = 0; n < form.n; ++n) {
      std::array<float, 4> p;
      for (std::size_t k = 0; k < 4; ++k)
        p[k] = number_of(ElementType::f16, a[m * 4 + k]) *
               number_of(ElementType::f16, b[k * form.n + n]);
      const std::size_t at = m * form.n + n;
      const float start = number_of(form.c_type, c[at]);
      const float sum = form.d_type == ElementType::f16 ? start + (p[0] + p[1]) + (p[2] + p[3])
                                                        : 0.0f + p[0] + p[1] + p[2] + p[3] + start;
      d[at] = bits_of(form.d_type, sum);
    }
}

}  // namespace

void sum_products(const ProductForm& form, const uint32_t* a, const uint32_t* b, const uint32_t* c,
                  uint32_t* d) {
  if (form.rule.sum == TensorSum::quads) return sum_quads(form, a, b, c, d);
  if (form.rule.sum == TensorSum::halves) return sum_halves(form, a, b, c, d);
  fused_product(form, form.a_type, form.b_type, a, b, form.c_type, c, d);
}

// Sums of f64. Each k is a step: sum = sum + a * b. If an operand of a step is NaN, the result of
// the step is the first NaN in the order b, sum, a, made quiet.
void sum_products(const ProductForm& form, const uint64_t* a, const uint64_t* b, const uint64_t* c,
                  uint64_t* d) {
  constexpr uint64_t quiet = uint64_t{1} << 51, invalid = 0xfff8000000000000u;
  const auto is_nan = [](uint64_t bits) { return bits << 1 > format_f64.infinity() << 1; };
  for (std::size_t m = 0; m < form.m; ++m)
    for (std::size_t n = 0; n < form.n; ++n) {
      uint64_t sum = c[m * form.n + n];
      for (std::size_t k = 0; k < form.k; ++k) {
        const uint64_t x = a[m * form.k + k], y = b[k * form.n + n];
        const double next = std::fma(std::bit_cast<double>(x), std::bit_cast<double>(y),
                                     std::bit_cast<double>(sum));
        sum = next == next  ? std::bit_cast<uint64_t>(next)
              : is_nan(y)   ? y | quiet
              : is_nan(sum) ? sum | quiet
              : is_nan(x)   ? x | quiet
                            : invalid;
      }
      d[m * form.n + n] = sum;
    }
}

void sum_products(const ProductForm& form, const int64_t* a, const int64_t* b, const int64_t* c,
                  int64_t* d) {
  const std::size_t columns = form.n, depth = form.k;
  std::copy_n(c, form.m * columns, d);
  for (std::size_t m = 0; m < form.m; ++m) {
    int64_t* const sum = d + m * columns;
    for (std::size_t k = 0; k < depth; ++k) {
      const int64_t x = a[m * depth + k];
      const int64_t* const y = b + k * columns;
      switch (form.bits) {
        case BitProduct::none:
          for (std::size_t n = 0; n < columns; ++n) sum[n] += x * y[n];
          break;
        case BitProduct::exclusive:
          for (std::size_t n = 0; n < columns; ++n) sum[n] += x ^ y[n];
          break;
        case BitProduct::both:
          for (std::size_t n = 0; n < columns; ++n) sum[n] += x & y[n];
          break;
      }
    }
    for (std::size_t n = 0; form.saturates && n < columns; ++n)
      sum[n] = std::clamp<int64_t>(sum[n], INT32_MIN, INT32_MAX);
  }
}

}  // namespace heddle::emulator::ptx
