// How exactly a matrix instruction of any vendor adds: the evidence, and the largest error of its
// sums. The rules themselves are in numerics.h (CDNA) and tensor_sums.h (NVIDIA).
//
//     const SumStanding known = sum_standing(row, Family::sm90);      mma.sync m16n8k16 of f16, f32
//     name(known.evidence)         "measured"
//     known.source                 "sums recorded on an H200"
//     known.error.share(4096)      1.6e-4
//
// The error is given as a part of S = |c| + the sum of |a b|, the largest sum that these products
// can have. So with k = 4096 and S = 500, the D of the hardware may differ from the exact sum by
// 500 * 1.6e-4 = 0.08. If signs cancel, D itself may be smaller than that: the error does not
// become smaller with it.
//
// The runtime's judge takes its bound from here. An element that differs from the float64 reference
// by more than this error is wrong. An element within the bound may still be rounded differently.
#pragma once

#include <bit>
#include <string_view>

#include "heddle/instruction/instruction.h"
#include "heddle/instruction/numerics.h"
#include "heddle/instruction/sum_error.h"
#include "heddle/instruction/tensor_sums.h"

namespace heddle::instruction {

/// 2^-bits.
constexpr double unit_of(int bits) {
  double unit = 1;
  for (int i = 0; i < bits; ++i) unit /= 2;
  return unit;
}

/// The largest relative error of rounding to nearest in this type.
constexpr double rounding_of(ElementType type) {
  switch (type) {
    case ElementType::f16:
      return unit_of(11);
    case ElementType::bf16:
      return unit_of(8);
    case ElementType::f64:
      return unit_of(53);
    default:
      return unit_of(24);
  }
}

/// The error that follows from a rule; `depth` is the number of products of one instruction.
/// - By truncation, each product and each sum that enters a group loses at most a `term`.
/// - The sum of a group is rounded once more.
/// - `halves` and `quads` have additional additions, each with a rounding.
constexpr SumError sum_error(const TensorSumRule& rule, ElementType d_type, int depth) {
  const double term = unit_of(rule.fraction_bits), nearest = rounding_of(d_type);
  const double result = d_type == ElementType::f32 ? unit_of(rule.result_bits) : nearest;
  switch (rule.sum) {
    case TensorSum::exact:
      return {};
    case TensorSum::chain:
      return {0, nearest, 0, 1};
    case TensorSum::fused:
      return {0, term, term + result, rule.group};
    case TensorSum::halves:
      return {0, term, term + 2 * result + nearest, 2 * rule.group};
    case TensorSum::quads:
      return {0, 0, d_type == ElementType::f32 ? 4 * nearest : 3 * unit_of(24) + nearest, depth};
    case TensorSum::runs:
      return {0, term / 16, term + result, rule.group};
  }
  return {};
}

/// Of CDNA's.
constexpr SumError sum_error(const SumRule& rule, ElementType d_type) {
  const double nearest = rounding_of(d_type);
  switch (rule.summation) {
    case Summation::exact:
      return {};
    case Summation::chain:
    case Summation::blocks:
      return {0, nearest, 0, 1};
    case Summation::pairs:
      return {(std::bit_width(static_cast<unsigned>(rule.group)) - 1) * nearest, 0, nearest,
              rule.group};
    case Summation::fused: {
      const double term = unit_of(FusedSum::fraction_bits);
      return {0, term, term * (rule.splits ? 3 : 1) + unit_of(FusedSum::sum_bits) + nearest,
              rule.group};
    }
  }
  return {};
}

/// The known facts about an instruction's sums.
struct SumStanding {
  Evidence evidence = Evidence::unknown;
  std::string_view source{};
  SumError error{};
};

/// What is known about the sums of an instruction. For WMMA only the integer sums are published.
/// For floats of WMMA the error is that of the emulator's sums, which add in f32 in rising k and
/// round D once.
constexpr SumStanding sum_standing(const Instruction& row, Family family) {
  const int depth = row.is_sparse() ? row.k / 2 : row.k;
  if (is_nvidia(family)) {
    const TensorSumRule rule = tensor_sum_rule(row, family);
    return {rule.evidence, rule.source, sum_error(rule, row.d_type, depth)};
  }
  if (is_cdna(family)) {
    const SumRule rule = sum_rule(row);
    return {rule.evidence, rule.source, sum_error(rule, row.d_type)};
  }
  if (is_integer(row.a_type))
    return is_rdna(family) ? SumStanding{Evidence::documented, "RDNA3 and RDNA4 ISA"}
                           : SumStanding{Evidence::assumed, "as RDNA4"};
  const bool is_narrow = row.d_type == ElementType::f16 || row.d_type == ElementType::bf16;
  const double nearest = is_narrow ? unit_of(24) : rounding_of(row.d_type);
  return {Evidence::unknown, "", {0, nearest, is_narrow ? rounding_of(row.d_type) : 0, depth}};
}

}  // namespace heddle::instruction
