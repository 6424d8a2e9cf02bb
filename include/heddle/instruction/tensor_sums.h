// How NVIDIA's tensor cores add: which products of a row of A and a column of B come together with
// the element of C, what is cut off or rounded on the way, and who says so.
//
// Sources. Hopper: 30 million sums recorded on an H200 (tests/data/matrix_sums_h200.json.gz), which
// bench/records/matrix_sums.md describes. Others: MMA-Sim (arXiv 2511.10909, and its code, commit
// c785138), which has the fraction bits and the groups. What it does not have is taken from Hopper:
// that zeros align nothing, the least exponent, the sign of zero and the NaN.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "heddle/instruction/numerics.h"

namespace heddle::instruction {

/// How products become a sum.
///
///   exact   integers and bits
///   chain   f64: a multiply-add for each k in rising order, from C on
///   fused   groups of products in rising k. The products of a group and what was summed up before
///           are one sum: each is cut off towards zero below the largest exponent of those that are
///           not zero. A product is exact and has the sum of its operands' exponents
///   halves  8-bit floats as f16: from 0 on a fused sum of those k that are 0 or 1 modulo 4, onto
///           it a fused sum of the others; then C is added to nearest
///   quads   m8n8k4 by multiply-adds of f32. To f32 from 0 on one for each k, then C is added; to
///           f16 C + (p0 + p1) + (p2 + p3)
enum class TensorSum : std::uint8_t { exact, chain, fused, halves, quads };

struct TensorSumRule {
  TensorSum sum = TensorSum::exact;
  /// Of fused: the products that are added at once. Of halves: those of each half.
  int group = 0;
  /// The bits below the largest exponent that a term of a fused sum keeps.
  int fraction_bits = 25;
  /// The fraction bits of a D of f32, which is cut off. A D of f16 is rounded to nearest even.
  int result_bits = 23;
  Evidence evidence = Evidence::assumed;
  std::string_view source{};
};

/// The least value that the largest exponent of a fused sum has.
constexpr int least_aligned_exponent = -133;

struct TensorSumRow {
  Families families;
  bool is_warpgroup;   // wgmma
  ElementType a_type;  // fp8 stands for both 8-bit floats
  int depth;           // only instructions of this k; 0: all others
  TensorSum sum;
  int group;  // 0: all products
  int fraction_bits, result_bits;
  Evidence evidence;
};

// Column legend: families, whether wgmma, type of A, k, sum, group, fraction bits of a term, of a D
// of f32, evidence. The first row that fits counts.
// clang-format off
inline constexpr std::array tensor_sum_rows = [] {
  using enum Family;
  using enum ElementType;
  using enum TensorSum;
  using enum Evidence;
  constexpr Families late = sm100 | sm120;
  return std::array{
      TensorSumRow{sm90,        true,  f16,  0, fused,  0, 25, 23, measured},
      TensorSumRow{sm90,        true,  bf16, 0, fused,  0, 25, 23, measured},
      TensorSumRow{sm90,        true,  xf32, 0, fused,  0, 25, 23, measured},
      TensorSumRow{sm90,        true,  fp8,  0, fused,  0, 13, 13, measured},
      TensorSumRow{sm90,        false, f16,  4, quads,  0,  0, 23, measured},
      TensorSumRow{sm90,        false, f16,  0, fused,  0, 25, 23, measured},
      TensorSumRow{sm90,        false, bf16, 0, fused,  0, 25, 23, measured},
      TensorSumRow{sm90,        false, xf32, 0, fused,  0, 25, 23, measured},
      TensorSumRow{sm90,        false, fp8,  0, halves, 0, 25, 23, measured},
      TensorSumRow{sm90,        false, f64,  0, chain,  1,  0, 52, measured},
      TensorSumRow{sm70,        false, f16,  4, fused,  4, 23, 23, modelled},
      TensorSumRow{sm75,        false, f16,  0, fused,  0, 24, 23, modelled},
      TensorSumRow{sm80 | sm89, false, f16,  4, quads,  0,  0, 23, assumed},
      TensorSumRow{sm80 | sm89, false, f16,  0, fused,  8, 24, 23, modelled},
      TensorSumRow{sm80 | sm89, false, bf16, 0, fused,  8, 24, 23, modelled},
      TensorSumRow{sm80 | sm89, false, xf32, 0, fused,  4, 24, 23, modelled},
      TensorSumRow{sm89,        false, fp8,  0, fused, 16, 13, 13, modelled},
      TensorSumRow{late,        false, f16,  4, quads,  0,  0, 23, assumed},
      TensorSumRow{late,        false, f16,  0, fused,  0, 25, 23, modelled},
      TensorSumRow{late,        false, bf16, 0, fused,  0, 25, 23, modelled},
      TensorSumRow{late,        false, xf32, 0, fused,  0, 25, 23, modelled},
      TensorSumRow{sm120,       false, fp8,  0, fused,  0, 25, 23, modelled},
  };
}();
// clang-format on

/// How a matrix instruction of NVIDIA adds. `depth`: the elements of a row of A, of a sparse A
/// those that it keeps. Instructions that no row has are summed as Hopper's.
constexpr TensorSumRule tensor_sum_rule(Family family, bool is_warpgroup, ElementType a_type,
                                        int depth) {
  if (is_integer(a_type) || a_type == ElementType::b1)
    return {.evidence = Evidence::documented, .source = "PTX ISA 9.0"};
  const ElementType type = a_type == ElementType::bf8 ? ElementType::fp8 : a_type;
  for (const Family of : {family, Family::sm90})
    for (const TensorSumRow& row : tensor_sum_rows) {
      if (!row.families.contains(of) || row.is_warpgroup != is_warpgroup || row.a_type != type ||
          (row.depth != 0 && row.depth != depth))
        continue;
      TensorSumRule rule{row.sum, row.group, row.fraction_bits, row.result_bits,
                         of == family ? row.evidence : Evidence::assumed};
      if (rule.group == 0 || rule.group > depth) rule.group = depth;
      if (rule.sum == TensorSum::halves) rule.group = depth / 2;
      rule.source = rule.evidence == Evidence::measured   ? "sums recorded on an H200"
                    : rule.evidence == Evidence::modelled ? "MMA-Sim, arXiv 2511.10909"
                                                          : "as Hopper";
      return rule;
    }
  return {.sum = TensorSum::fused, .group = depth, .source = "as Hopper"};
}

}  // namespace heddle::instruction
