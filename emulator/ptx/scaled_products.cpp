// Products, scales, and sums of a run (run_length products along k) are exact in a double, since
// elements and scales of type ue4m3 have at most 4 significant bits. Terms are aligned and
// truncated by the rules TensorSum::fused and TensorSum::runs of heddle/instruction/tensor_sums.h.
// No GPU has confirmed these rules for scaled products.
#include "emulator/ptx/scaled_products.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "emulator/ptx/dispatch.h"
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

// The exponent by which a nonzero number is aligned: its encoded exponent, or for a subnormal
// number the smallest exponent of the type.
int exponent_of(ElementType type, double x) {
  const int exponent = static_cast<int>(std::bit_cast<uint64_t>(x) >> 52 & 0x7ff) - 1023;
  const int least = type == ElementType::bf8 ? -14 : type == ElementType::e8m0 ? -127 : -6;
  return std::max(exponent, least);
}

// A summand, and the exponent by which it is aligned.
struct Term {
  double value = 0;
  int exponent = 0;
};

constexpr uint32_t run_length = 16;  // of TensorSum::runs

// Makes the terms of one sum, except C. `a` is the row of A. of_b(k) returns the element at k of
// the column of B. scale_of(k) returns the scale of A at k times the scale of B at k, with its
// exponent.
template <class OfB, class ScaleOf>
void add_terms(const ProductForm& form, const uint32_t* a, OfB&& of_b, ScaleOf&& scale_of,
               std::vector<Term>& terms) {
  const auto &numbers_a = numbers_of(form.a_type), &numbers_b = numbers_of(form.b_type);
  terms.clear();
  const uint32_t each = form.rule.sum == instruction::TensorSum::runs ? run_length : 1;
  for (uint32_t k = 0; k < form.k; k += each) {
    const Term scale = scale_of(k);
    double sum = 0;
    int exponent = scale.exponent;
    for (uint32_t i = k; i < k + each; ++i) {
      const double x = numbers_a[a[i] & 0xff], y = numbers_b[of_b(i) & 0xff];
      sum += x * y;
      if (each == 1 && sum != 0)
        exponent += exponent_of(form.a_type, x) + exponent_of(form.b_type, y);
    }
    // Zeros do not influence the alignment. A run whose products cancel has the exponent of its
    // scales.
    const bool is_zero = scale.value == 0 || (each == 1 && sum == 0);
    terms.push_back({sum * scale.value, is_zero ? instruction::least_aligned_exponent : exponent});
  }
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
  const auto& of_scale = numbers_of(scales.type);
  const uint32_t each = form.k / scales.count;
  std::vector<Term> terms;
  for (uint32_t n = 0; n < form.n; ++n) {
    add_terms(
        form, a, [&](uint32_t k) { return b[k * form.n + n]; },
        [&](uint32_t k) {
          const double x = of_scale[scale_a[k / each] & 0xff];
          const double y = of_scale[scale_b[n * scales.count + k / each] & 0xff];
          return Term{x * y, exponent_of(scales.type, x) + exponent_of(scales.type, y)};
        },
        terms);
    const auto start = static_cast<double>(std::bit_cast<float>(sums[n]));
    const int start_exponent = static_cast<int>(sums[n] >> 23 & 0xff) - 127;
    terms.push_back(
        {start, start == 0 ? instruction::least_aligned_exponent : std::max(start_exponent, -126)});
    double plain = 0;  // NaN or infinity if a term is
    int largest = instruction::least_aligned_exponent;
    for (const Term& term : terms) {
      plain += term.value;
      largest = std::max(largest, term.exponent);
    }
    if (!std::isfinite(plain)) {
      const auto result = static_cast<float>(plain);
      sums[n] = result != result ? 0x7fffffffu : std::bit_cast<uint32_t>(result);
      continue;
    }
    double sum = 0;
    for (const Term& term : terms)
      sum += std::trunc(std::ldexp(term.value, form.rule.fraction_bits - largest));
    sum = std::ldexp(sum, largest - form.rule.fraction_bits);
    sums[n] = static_cast<uint32_t>(encode(format_f32, sum, Rounding::zero));
  }
}

ScaleOperand tried_scales(const Warp& w, ScaleOperand scales) {
  if (OperandTrial* trial = w.block->cluster->dispatch->launch().trial) trial->change(scales);
  return scales;
}

}  // namespace heddle::emulator::ptx
