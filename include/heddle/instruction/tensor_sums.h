// How NVIDIA's tensor cores add: which products of a row of A and a column of B are added together
// with the element of C, what is truncated or rounded on the way, and the sources.
//
// Sources. Hopper: 30 million sums recorded on an H200 (tests/data/matrix_sums_h200.json.gz), which
// bench/records/matrix_sums.md describes. Others: MMA-Sim (arXiv 2511.10909, and its code, commit
// c785138), which has the fraction bits and the groups of dense products. The rest is assumed to be
// as on Hopper: zeros do not influence the alignment, and the smallest exponent, the sign of zero
// and the NaN are Hopper's.
//
// AN EXAMPLE OF A FUSED SUM. Two products, 2^20 and 1.5 * 2^-5, are added to C = 0 with
// fraction_bits 23:
//
//     the largest exponent       20
//     what a term keeps          bits down to 2^(20 - 23) = 2^-3
//     1.5 * 2^-5                 is below that: truncated to 0
//     the sum                    2^20
//
// With fraction_bits 25 the second term keeps 2^-5, and the sum is 2^20 + 2^-5. A D of f32 has 23
// fraction bits and keeps 2^20. The order within a group does not matter. The order of the groups
// does: the sum of C and the earlier groups is one term of the next group.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "heddle/instruction/instruction.h"
#include "heddle/instruction/numerics.h"

namespace heddle::instruction {

/// How the products are added.
///
///   exact   integers and bits: without rounding
///   chain   f64: a multiply-add for each k in rising order, beginning with C
///   fused   groups of products in rising k. The products of a group and the sum so far are added
///           as one sum: each term is truncated towards zero below the largest exponent of the
///           nonzero terms. A product is exact, and its exponent is the sum of its operands'
///           exponents and of those of its scales
///   halves  8-bit floats as f16: beginning with 0, a fused sum of those k that are 0 or 1 modulo
///           4, then onto it a fused sum of the others; then C is added, rounded to nearest
///   quads   m8n8k4 by multiply-adds of f32. To f32: beginning with 0, one for each k, then C is
///           added; to f16: C + (p0 + p1) + (p2 + p3)
///   runs    fused, with terms that are sums of 16 products of fp4. Such a sum is exact and is
///           multiplied by its two scales, whose exponents alone align it
enum class TensorSum : std::uint8_t { exact, chain, fused, halves, quads, runs };

/// The instruction that computes a product: mma.sync, wgmma or tcgen05.mma.
enum class TensorUnit : std::uint8_t { mma, wgmma, tcgen05 };

constexpr TensorUnit tensor_unit(const Instruction& row) {
  if (row.d.storage == Storage::tensor_memory) return TensorUnit::tcgen05;
  return row.has(Constraint::warpgroup) ? TensorUnit::wgmma : TensorUnit::mma;
}

struct TensorSumRule {
  TensorSum sum = TensorSum::exact;
  /// For fused and runs: the number of products that are added at once. For halves: the number of
  /// products that each of the two fused sums adds at once.
  int group = 0;
  /// The bits below the largest exponent that a term of a fused sum keeps.
  int fraction_bits = 25;
  /// The number of fraction bits to which a D of f32 is truncated. A D of f16 is rounded to nearest
  /// even.
  int result_bits = 23;
  Evidence evidence = Evidence::assumed;
  std::string_view source{};
};

/// The smallest exponent to which the terms of a fused sum are aligned.
constexpr int least_aligned_exponent = -133;

/// What determines how a product is summed. `depth`: the number of elements of a row of A; for a
/// sparse A, only the stored elements count.
struct TensorProduct {
  Family family;
  TensorUnit unit = TensorUnit::mma;
  ElementType a_type, b_type;
  int depth;
  bool is_sparse = false, has_scales = false, mixes_accumulators = false;  // C and D differ
};

struct TensorSumRow {
  Families families;
  TensorUnit unit;
  ElementType a_type;  // fp8 stands for all floats of 6 and 8 bits, and for fp4 next to them
  int depth;           // only instructions of this k; 0: all others
  bool has_scales;
  TensorSum sum;
  int group;  // 0: all products
  int fraction_bits, result_bits;
  Evidence evidence;
};

// Column legend: families, instruction, type of A, k, scales, sum, group, fraction bits of a term,
// of a D of f32, evidence. The first row that fits counts.
// clang-format off
inline constexpr std::array tensor_sum_rows = [] {
  using enum Family;
  using enum ElementType;
  using enum TensorSum;
  using enum TensorUnit;
  using enum Evidence;
  constexpr Families late = sm100 | sm120;
  return std::array{
      TensorSumRow{sm90,        wgmma,   f16,  0, false, fused,  0, 25, 23, measured},
      TensorSumRow{sm90,        wgmma,   bf16, 0, false, fused,  0, 25, 23, measured},
      TensorSumRow{sm90,        wgmma,   xf32, 0, false, fused,  0, 25, 23, measured},
      TensorSumRow{sm90,        wgmma,   fp8,  0, false, fused,  0, 13, 13, measured},
      TensorSumRow{sm90,        mma,     f16,  4, false, quads,  0,  0, 23, measured},
      TensorSumRow{sm90,        mma,     f16,  0, false, fused,  0, 25, 23, measured},
      TensorSumRow{sm90,        mma,     bf16, 0, false, fused,  0, 25, 23, measured},
      TensorSumRow{sm90,        mma,     xf32, 0, false, fused,  0, 25, 23, measured},
      TensorSumRow{sm90,        mma,     fp8,  0, false, halves, 0, 25, 23, measured},
      TensorSumRow{sm90,        mma,     f64,  0, false, chain,  1,  0, 52, measured},
      TensorSumRow{sm70,        mma,     f16,  4, false, fused,  4, 23, 23, modelled},
      TensorSumRow{sm75,        mma,     f16,  0, false, fused,  0, 24, 23, modelled},
      TensorSumRow{sm80 | sm89, mma,     f16,  4, false, quads,  0,  0, 23, assumed},
      TensorSumRow{sm80 | sm89, mma,     f16,  0, false, fused,  8, 24, 23, modelled},
      TensorSumRow{sm80 | sm89, mma,     bf16, 0, false, fused,  8, 24, 23, modelled},
      TensorSumRow{sm80 | sm89, mma,     xf32, 0, false, fused,  4, 24, 23, modelled},
      TensorSumRow{sm89,        mma,     fp8,  0, false, fused, 16, 13, 13, modelled},
      TensorSumRow{sm80 | sm89, mma,     f64,  4, false, chain,  1,  0, 52, modelled},
      TensorSumRow{late,        mma,     f64,  4, false, chain,  1,  0, 52, modelled},
      TensorSumRow{late,        mma,     f16,  4, false, quads,  0,  0, 23, assumed},
      TensorSumRow{late,        mma,     f16,  0, false, fused,  0, 25, 23, modelled},
      TensorSumRow{late,        mma,     bf16, 0, false, fused,  0, 25, 23, modelled},
      TensorSumRow{late,        mma,     xf32, 0, false, fused,  0, 25, 23, modelled},
      TensorSumRow{sm120,       mma,     fp8,  0, false, fused,  0, 25, 23, modelled},
      TensorSumRow{sm120,       mma,     fp8,  0, true,  fused,  0, 25, 23, modelled},
      TensorSumRow{sm120,       mma,     fp4,  0, true,  runs,   0, 35, 23, modelled},
      TensorSumRow{sm100,       tcgen05, f16,  0, false, fused,  0, 25, 23, modelled},
      TensorSumRow{sm100,       tcgen05, bf16, 0, false, fused,  0, 25, 23, modelled},
      TensorSumRow{sm100,       tcgen05, xf32, 0, false, fused,  0, 25, 23, modelled},
      TensorSumRow{sm100,       tcgen05, fp8,  0, false, fused,  0, 25, 23, modelled},
      TensorSumRow{sm100,       tcgen05, fp8,  0, true,  fused,  0, 25, 23, modelled},
      TensorSumRow{sm100,       tcgen05, fp4,  0, true,  runs,   0, 35, 23, modelled},
  };
}();
// clang-format on

/// True if a row of the table applies to a product with this type of A, unit, depth and scales. If
/// the depth is at most 32, an fp4 element takes a byte and is treated like the other small floats.
constexpr bool is_for(const TensorSumRow& row, const TensorProduct& product) {
  const int width = bits(product.a_type);
  const bool is_byte = width == 8 || width == 6 || (width == 4 && product.depth <= 32);
  return (row.a_type == product.a_type || (row.a_type == ElementType::fp8 && is_byte)) &&
         row.unit == product.unit && row.has_scales == product.has_scales &&
         (row.depth == 0 || row.depth == product.depth);
}

/// The evidence that a row's rule holds for a product: weaker than the row's if the published or
/// measured products do not include exactly this one.
constexpr Evidence evidence_of(const TensorSumRow& row, const TensorProduct& product) {
  const auto is_unpublished = [](ElementType type) {
    return type == ElementType::fp6 || type == ElementType::bf6;
  };
  if (row.evidence == Evidence::measured && product.mixes_accumulators) return Evidence::assumed;
  if (row.evidence == Evidence::modelled &&
      (product.is_sparse || is_unpublished(product.a_type) || is_unpublished(product.b_type)))
    return Evidence::assumed;
  return row.evidence;
}

/// How a matrix instruction of NVIDIA adds. If no row covers the instruction, Hopper's rule is
/// assumed.
constexpr TensorSumRule tensor_sum_rule(const TensorProduct& product) {
  if (is_integer(product.a_type) || product.a_type == ElementType::b1)
    return {.evidence = Evidence::documented, .source = "PTX ISA 9.0"};
  for (const Family of : {product.family, Family::sm90})
    for (const TensorSumRow& row : tensor_sum_rows) {
      if (!row.families.contains(of) || !is_for(row, product)) continue;
      const Evidence evidence =
          of == product.family ? evidence_of(row, product) : Evidence::assumed;
      TensorSumRule rule{row.sum, row.group, row.fraction_bits, row.result_bits, evidence};
      const int depth = product.depth;
      if (rule.group == 0 || rule.group > depth) rule.group = depth;
      if (rule.sum == TensorSum::halves) rule.group = depth / 2;
      rule.source = evidence == Evidence::measured       ? "sums recorded on an H200"
                    : evidence == Evidence::modelled     ? "MMA-Sim, arXiv 2511.10909"
                    : row.evidence == Evidence::modelled ? "as the like products in MMA-Sim"
                                                         : "as Hopper";
      return rule;
    }
  return {.sum = TensorSum::fused, .group = product.depth, .source = "as Hopper"};
}

/// The rule for an instruction of the catalogue. If A and B of the row may have several types, the
/// result is the rule for the first of these types.
constexpr TensorSumRule tensor_sum_rule(const Instruction& row, Family family) {
  return tensor_sum_rule({family, tensor_unit(row), row.a_type, row.b_type,
                          row.is_sparse() ? row.k / 2 : row.k, row.is_sparse(),
                          row.has(Operand::scale_a), row.type(Operand::c) != row.type(Operand::d)});
}

}  // namespace heddle::instruction
