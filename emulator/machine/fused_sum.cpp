#include "emulator/machine/fused_sum.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heddle::emulator {
namespace {

using instruction::FloatShape;
using instruction::FusedSum;

// A number as significand * 2^exponent. The absolute value of the significand is less than 2; it is
// less than 1 only if the number is subnormal.
struct Parts {
  double significand;
  int exponent;
};

Parts parts_of(double x, int smallest_exponent) {
  if (x == 0) return {0, FusedSum::exponent_of_zero};
  int exponent = 0;
  double significand = 2 * std::frexp(x, &exponent);
  --exponent;
  if (exponent < smallest_exponent) {
    significand = std::ldexp(significand, exponent - smallest_exponent);
    exponent = smallest_exponent;
  }
  return {significand, exponent};
}

// The number x as a multiple of 2^exponent, rounded down to `bits` bits after the binary point.
double rounded_down(Parts x, int exponent, int bits) {
  return std::ldexp(std::floor(std::ldexp(x.significand, bits + x.exponent - exponent)), -bits);
}

Parts cut_sum(const Parts* products, int count, int step) {
  Parts sum{0, products[0].exponent};
  for (int i = 0; i < count; i += step) sum.exponent = std::max(sum.exponent, products[i].exponent);
  for (int i = 0; i < count; i += step)
    sum.significand += std::trunc(std::ldexp(
        products[i].significand, FusedSum::fraction_bits + products[i].exponent - sum.exponent));
  sum.significand = std::ldexp(sum.significand, -FusedSum::fraction_bits);
  return sum;
}

}  // namespace

float fused_sum(const float* a, FloatShape a_shape, const float* b, FloatShape b_shape, int count,
                float c, bool splits) {
  constexpr int most = 16;
  Parts products[most];
  double plain = 0;
  bool up = false, down = false;
  for (int i = 0; i < count; ++i) {
    const double product = double{a[i]} * double{b[i]};
    plain += product;
    up |= product >= 0x1p128;
    down |= product <= -0x1p128;
    const Parts x = parts_of(a[i], a_shape.smallest_exponent),
                y = parts_of(b[i], b_shape.smallest_exponent);
    products[i] = {x.significand * y.significand, x.exponent + y.exponent};
  }
  plain += c;
  if (!std::isfinite(plain)) return static_cast<float>(plain);
  constexpr float infinity = std::numeric_limits<float>::infinity();
  if (up && down) return std::numeric_limits<float>::quiet_NaN();
  if (up || down) return up ? infinity : -infinity;

  Parts sum = cut_sum(products, count, splits ? 2 : 1);
  if (splits && count > 1) {
    const Parts odd = cut_sum(products + 1, count - 1, 2);
    const int exponent = std::max(sum.exponent, odd.exponent);
    sum.significand = rounded_down(sum, exponent, FusedSum::fraction_bits) +
                      rounded_down(odd, exponent, FusedSum::fraction_bits);
    sum.exponent = exponent;
  }
  const Parts addend = parts_of(c, -126);
  const int exponent = std::max(sum.exponent, addend.exponent);
  double total = rounded_down(sum, exponent, FusedSum::sum_bits);
  if (!splits || addend.exponent >= exponent - FusedSum::farthest_c)
    total += rounded_down(addend, exponent, FusedSum::fraction_bits);
  return static_cast<float>(std::ldexp(total, exponent));
}

}  // namespace heddle::emulator
