// How CDNA's matrix instructions add: in which order the products of a row of A and a column of B
// are added to each other and to the element of C, what is rounded or truncated on the way, and the
// sources.
//
// Sources. Xie, Wang, Yang, Yang, "MMA-Sim: Bit-Accurate Reference Model of Tensor Cores and Matrix
// Cores" (arXiv 2511.10909) and its code (github.com/microsoft/MMA-Sim, commit c785138), which its
// authors compared with CDNA1, CDNA2 and CDNA3 hardware. It covers dense MFMA on floats. Integers
// are exact (AMD Instinct MI300 Instruction Set Architecture, matrix arithmetic). Nothing is
// published about the sums of CDNA4 or SMFMAC.
//
// AN EXAMPLE. A and B are f16, the four products are 2^24, 0, 1 and 1, C = 0, and D is f32. f32 has
// 24 significant bits, so its numbers above 2^24 are 2 apart.
//
//     rule     how                                            result
//     chain    (((0 + 2^24) + 0) + 1) + 1                     2^24: each 1 is rounded away
//     pairs    (2^24 + 0) + (1 + 1), then + C                 2^24 + 2
//     fused    all at once, each to 24 bits below 2^24        2^24 + 2
//
// So two correct instructions may differ in the last bits, and a test that compares them bit by bit
// fails.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "heddle/instruction/instruction.h"

namespace heddle::instruction {

/// How the products are added.
///
///   exact   integers, modulo 2^32
///   chain   sum = fma(a, b, sum) for one k after the other, in rising k, from C on; each step
///           rounds to nearest even
///   pairs   a group of products is added as a binary tree of neighbours; each product and each sum
///           rounds to nearest even. The sum of the group is then added to C
///   fused   a group of products is added at once: the larger the largest exponent, the more bits
///           of the others are truncated. See FusedSum
///   blocks  one chain for each range of k with its own scales, times these, then added to C
enum class Summation : std::uint8_t { exact, chain, pairs, fused, blocks };

/// How reliable a rule is.
///
///   measured    recorded sums of the hardware follow it to the last bit
///   documented  the vendor's manual states it
///   modelled    published rules that agree with the hardware bit by bit, as their authors report
///   assumed     the rule of a similar instruction
///   unknown     no source; results are close to the hardware's, but may differ in the last bits
enum class Evidence : std::uint8_t { measured, documented, modelled, assumed, unknown };

constexpr std::string_view name(Evidence evidence) {
  constexpr std::array<std::string_view, 5> names{"measured", "documented", "modelled", "assumed",
                                                  "unknown"};
  return names[static_cast<std::size_t>(evidence)];
}

struct SumRule {
  Summation summation = Summation::chain;
  /// The number of products that are added at once; not used by exact, chain and blocks.
  int group = 1;
  /// If true, subnormal numbers of A, B and C count as +0, and subnormal sums become zero with
  /// their sign.
  bool flushes = false;
  /// Only for fused: if true, even and odd k are first added separately, as for 8-bit floats on
  /// CDNA3.
  bool splits = false;
  Evidence evidence = Evidence::unknown;
  std::string_view source{};
};

/// The precision of a fused sum, from MMA-Sim. The steps:
/// - A product has the significand 1.x * 1.y (not normalised; 0.x for subnormal elements). The
/// exponent of a product is the sum of the exponents of its factors; the exponent of zero is -126.
/// - All products are aligned to the largest exponent of a product and truncated towards zero to
/// `fraction_bits` fraction bits. Then they are added exactly.
/// - This sum and C are aligned to the larger of their two exponents and rounded down: the sum to
/// `sum_bits` fraction bits and C to `fraction_bits`.
/// - The sum of the two is rounded to nearest even.
struct FusedSum {
  static constexpr int fraction_bits = 24, sum_bits = 31;
  static constexpr int exponent_of_zero = -126;
  /// If even and odd k are added separately (SumRule::splits), C is ignored when its exponent is
  /// smaller than the sum's by more than this.
  static constexpr int farthest_c = 25;
};

/// The format of a float of at most 32 bits that MFMA reads: the smallest exponent of a normal
/// number, and the number of fraction bits.
struct FloatShape {
  int smallest_exponent, fraction_bits;
};
constexpr FloatShape float_shape(ElementType type) {
  switch (type) {
    case ElementType::f16:
      return {-14, 10};
    case ElementType::bf16:
      return {-126, 7};
    case ElementType::xf32:
      return {-126, 10};
    case ElementType::fp8:
      return {-6, 3};
    case ElementType::bf8:
      return {-14, 2};
    case ElementType::fp8_fnuz:
      return {-7, 3};
    case ElementType::bf8_fnuz:
      return {-15, 2};
    case ElementType::fp6:
      return {0, 3};
    case ElementType::bf6:
      return {-2, 2};
    case ElementType::fp4:
      return {0, 1};
    default:
      return {-126, 23};
  }
}

/// The largest e such that 2^e is a number of this 8-bit float type; 0 for other types. Sources:
/// "OCP 8-bit Floating Point Specification" 1.0, table 1; LLVM's APFloat.h for the FNUZ types.
constexpr int largest_byte_exponent(ElementType type) {
  switch (type) {
    case ElementType::fp8:
      return 8;
    case ElementType::fp8_fnuz:
      return 7;
    case ElementType::bf8:
    case ElementType::bf8_fnuz:
      return 15;
    default:
      return 0;
  }
}

struct SumRuleRow {
  Families families;
  ElementType a_type;
  Summation summation;
  int group;  // 0: as many as a lane holds of a row of A
  bool flushes, splits;
  Evidence dense, sparse;
};

// Column legend: families, type of A, summation, group, flushes, splits, evidence for MFMA and for
// SMFMAC. A sparse product adds the products of the stored elements of A as a dense product of half
// the k does.
//
// clang-format off
inline constexpr std::array sum_rule_rows = [] {
  using enum Family;
  using enum ElementType;
  using enum Summation;
  using enum Evidence;
  constexpr Families all = gfx908 | gfx90a | gfx942 | gfx950;
  return std::array{
      SumRuleRow{all, i8, exact, 1, false, false, documented, documented},
      SumRuleRow{gfx908 | gfx90a | gfx942, f64, chain, 1, false, false, modelled, unknown},
      SumRuleRow{gfx908 | gfx90a | gfx942, f32, chain, 1, false, false, modelled, unknown},
      SumRuleRow{gfx950, f64, chain, 1, false, false, assumed, unknown},
      SumRuleRow{gfx950, f32, chain, 1, false, false, assumed, unknown},
      SumRuleRow{gfx908, f16, pairs, 0, false, false, modelled, unknown},
      SumRuleRow{gfx908, bf16, pairs, 0, false, false, modelled, unknown},
      SumRuleRow{gfx90a, f16, pairs, 0, true, false, modelled, unknown},
      SumRuleRow{gfx90a, bf16, pairs, 0, true, false, modelled, unknown},
      SumRuleRow{gfx942, f16, fused, 8, false, false, modelled, assumed},
      SumRuleRow{gfx942, bf16, fused, 8, false, false, modelled, assumed},
      SumRuleRow{gfx942, xf32, fused, 4, false, false, modelled, unknown},
      SumRuleRow{gfx942, fp8_fnuz, fused, 16, false, true, modelled, assumed},
      SumRuleRow{gfx942, bf8_fnuz, fused, 16, false, true, modelled, assumed},
  };
}();
// clang-format on

/// True if matrix instructions of `family` treat subnormal numbers of `type` as 0.
constexpr bool flushes_subnormals(Family family, ElementType type) {
  for (const SumRuleRow& row : sum_rule_rows)
    if (row.a_type == type && row.families.contains(family)) return row.flushes;
  return false;
}

/// How a matrix instruction of CDNA adds. If no row covers the instruction, floats are summed as a
/// chain. Products with scales have one chain for each range of k that shares a scale.
constexpr SumRule sum_rule(const Instruction& instruction) {
  SumRule rule;
  for (const SumRuleRow& row : sum_rule_rows) {
    if (row.a_type != instruction.a_type || !row.families.contains(instruction.family())) continue;
    rule.summation = row.summation;
    const int terms = instruction.is_sparse() ? instruction.k / 2 : instruction.k;
    const int held = instruction.a.registers * 32 / bits(instruction.a_type);
    rule.group = std::min(row.group == 0 ? held : row.group, terms);
    rule.flushes = row.flushes;
    rule.splits = row.splits;
    rule.evidence = instruction.is_sparse() ? row.sparse : row.dense;
  }
  if (instruction.has(Operand::scale_a)) rule.summation = Summation::blocks;
  switch (rule.evidence) {
    case Evidence::documented:
      rule.source = "AMD Instinct MI300 ISA";
      break;
    case Evidence::modelled:
      rule.source = "MMA-Sim, arXiv 2511.10909";
      break;
    case Evidence::assumed:
      rule.source = instruction.is_sparse() ? "as dense, MMA-Sim" : "as CDNA3, MMA-Sim";
      break;
    case Evidence::measured:
    case Evidence::unknown:
      break;
  }
  return rule;
}

}  // namespace heddle::instruction
