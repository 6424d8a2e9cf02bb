// Products, scales and the sum are exact in a double: elements have 4 bits, and scales of ue4m3
// too. Terms are cut off as those of a fused sum (heddle/instruction/tensor_sums.h), which no GPU
// has confirmed for scaled products.
#include "emulator/ptx/scaled_products.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "emulator/ptx/float_format.h"

namespace heddle::emulator::ptx {
namespace {

using instruction::ElementType;

double number_of(ElementType type, uint32_t bits) {
  switch (type) {
    case ElementType::bf8:
      return decode(format_e5m2, bits);
    case ElementType::e8m0:
      return bits == 0xff ? NAN : std::ldexp(1.0, static_cast<int>(bits) - 127);
    case ElementType::ue4m3:
      return decode(format_e4m3, bits & 0x7f);
    default:
      return decode(format_e4m3, bits);
  }
}

const std::array<double, 256>& numbers_of(ElementType type) {
  const auto made = [](ElementType of) {
    std::array<double, 256> all;
    for (unsigned i = 0; i < 256; ++i) all[i] = number_of(of, i);
    return all;
  };
  static const auto e4m3 = made(ElementType::fp8), e5m2 = made(ElementType::bf8),
                    e8m0 = made(ElementType::e8m0), ue4m3 = made(ElementType::ue4m3);
  return type == ElementType::bf8     ? e5m2
         : type == ElementType::e8m0  ? e8m0
         : type == ElementType::ue4m3 ? ue4m3
                                      : e4m3;
}

// The exponent of a number that is not zero.
int exponent_of(double x) {
  return static_cast<int>(std::bit_cast<uint64_t>(x) >> 52 & 0x7ff) - 1023;
}

}  // namespace

uint32_t summed_element(ElementType type, uint32_t bits) {
  const auto made = [](FloatFormat f) {
    std::array<uint8_t, 64> all{};
    for (uint32_t i = 0; i < all.size() && i < 2 * f.sign(); ++i)
      all[i] = static_cast<uint8_t>(encode(format_e4m3, decode(f, i), Rounding::nearest_even));
    return all;
  };
  static const auto of_e2m3 = made(format_e2m3), of_e3m2 = made(format_e3m2),
                    of_e2m1 = made(format_e2m1);
  switch (type) {
    case ElementType::fp6:
      return of_e2m3[bits & 63];
    case ElementType::bf6:
      return of_e3m2[bits & 63];
    case ElementType::fp4:
      return of_e2m1[bits & 15];
    default:
      return bits;
  }
}

void sum_scaled_products(const ProductForm& form, const ScaleForm& scales, const uint32_t* a,
                         const uint32_t* b, const uint32_t* scale_a, const uint32_t* scale_b,
                         uint32_t* sums) {
  const auto &of_a = numbers_of(form.a_type), &of_b = numbers_of(form.b_type),
             &of_scale = numbers_of(scales.type);
  const uint32_t each = form.k / scales.count;
  std::vector<double> terms(form.k + 1);
  for (uint32_t n = 0; n < form.n; ++n) {
    double plain = 0;  // NaN or infinity if a term is
    int largest = instruction::least_aligned_exponent;
    for (uint32_t k = 0; k < form.k; ++k) {
      const uint32_t scale = k / each;
      const double product =
          of_a[a[k] & 0xff] * of_b[b[k * form.n + n] & 0xff] *
          (of_scale[scale_a[scale] & 0xff] * of_scale[scale_b[n * scales.count + scale] & 0xff]);
      terms[k] = product;
      plain += product;
      if (product != 0) largest = std::max(largest, exponent_of(product));
    }
    const auto start = static_cast<double>(std::bit_cast<float>(sums[n]));
    terms[form.k] = start;
    plain += start;
    if (start != 0) largest = std::max(largest, exponent_of(start));
    if (!std::isfinite(plain)) {
      const auto result = static_cast<float>(plain);
      sums[n] = result != result ? 0x7fffffffu : std::bit_cast<uint32_t>(result);
      continue;
    }
    double sum = 0;
    for (const double term : terms)
      sum += std::trunc(std::ldexp(term, form.rule.fraction_bits - largest));
    sum = std::ldexp(sum, largest - form.rule.fraction_bits);
    sums[n] = static_cast<uint32_t>(encode(format_f32, sum, Rounding::zero));
  }
}

}  // namespace heddle::emulator::ptx
