// How CDNA's matrix instructions add: the order in which the products of a row of A and a column of
// B are added to each other and to the element of C, what is rounded or cut off on the way, and the
// sources.
//
// Sources. Xie, Wang, Yang, Yang, "MMA-Sim: Bit-Accurate Reference Model of Tensor Cores and Matrix
// Cores" (arXiv 2511.10909) and its code (github.com/microsoft/MMA-Sim, commit c785138), which was
// compared with CDNA1, CDNA2 and CDNA3 hardware by its authors. It covers dense MFMA on floats.
// Integers are exact (AMD Instinct MI300 Instruction Set Architecture, matrix arithmetic). Nothing
// is published about CDNA4's sums or SMFMAC's.
//
// WHAT THE DIFFERENCE IS. A and B of f16, four products 2^24, 0, 1 and 1, C = 0, D of f32, which
// has 24 bits: beyond 2^24 it counts by 2.
//
//     rule     how                                            result
//     chain    (((0 + 2^24) + 0) + 1) + 1                     2^24: each 1 is half a step, and goes
//     pairs    (2^24 + 0) + (1 + 1), then + C                 2^24 + 2
//     fused    all at once, each to 24 bits below 2^24        2^24 + 2
//
// So two right instructions differ in their last bits, and a test that compares them bit by bit
// fails.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "heddle/instruction/instruction.h"

namespace heddle::instruction {

/// How products become a sum.
///
///   exact   integers, modulo 2^32
///   chain   sum = fma(a, b, sum) for one k after the other, in rising k, from C on; each step
///           rounds to nearest even
///   pairs   a group of products is added as a tree: neighbours, then neighbours of these; each
///           product and each sum rounds to nearest even. The sum of the group is then added to C
///   fused   a group of products is added at once: the larger their exponents, the more of the
///           others is cut off. See FusedSum
///   blocks  one chain for each scaled run of k, times its scales, then added to C
enum class Summation : std::uint8_t { exact, chain, pairs, fused, blocks };

/// How sure a rule is.
///
///   measured    recorded sums of the hardware follow it to the last bit
///   documented  the vendor's manual says it
///   modelled    published rules that agree with the hardware bit by bit, as their authors report
///   assumed     the rule of a like instruction
///   unknown     nobody says it; results are near, and their last bits are not the hardware's
enum class Evidence : std::uint8_t { measured, documented, modelled, assumed, unknown };

constexpr std::string_view name(Evidence evidence) {
  constexpr std::array<std::string_view, 5> names{"measured", "documented", "modelled", "assumed",
                                                  "unknown"};
  return names[static_cast<std::size_t>(evidence)];
}

struct SumRule {
  Summation summation = Summation::chain;
  /// Products that are added at once; not of exact, chain and blocks.
  int group = 1;
  /// Subnormal numbers of A, B and C count as +0, and subnormal sums become zero with their sign.
  bool flushes = false;
  /// Of fused: even and odd k are added apart first, as 8-bit floats are on CDNA3.
  bool splits = false;
  Evidence evidence = Evidence::unknown;
  std::string_view source{};
};

/// What a fused sum keeps, from MMA-Sim. A product has the significand 1.x * 1.y (not normalised;
/// 0.x for subnormal elements), and its exponent is the sum of the two exponents; the exponent of
/// zero is -126. All products are aligned to the largest exponent and keep this many fraction bits,
/// cut off towards zero. Then their exact sum and C are aligned to the larger of their exponents:
/// the sum keeps `sum_bits` and C keeps `fraction_bits`, rounded down. The result rounds to nearest
/// even.
struct FusedSum {
  static constexpr int fraction_bits = 24, sum_bits = 31;
  static constexpr int exponent_of_zero = -126;
  /// If even and odd k are added separately (SumRule::splits), C is ignored when its exponent is
  /// smaller than the sum's by more than this.
  static constexpr int farthest_c = 25;
};

/// A float of at most 32 bits that MFMA reads: the smallest exponent of a normal number, and the
/// bits of its fraction.
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

/// The largest e for which a float of 8 bits has 2^e; 0 for other types. Sources: "OCP 8-bit
/// Floating Point Specification" 1.0, table 1; LLVM's APFloat.h for those of FNUZ.
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
// SMFMAC. A sparse product adds its survivors as a dense product of half the k does.
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

/// Whether matrix instructions of `family` take subnormal numbers of `type` as 0.
constexpr bool flushes_subnormals(Family family, ElementType type) {
  for (const SumRuleRow& row : sum_rule_rows)
    if (row.a_type == type && row.families.contains(family)) return row.flushes;
  return false;
}

/// How a matrix instruction of CDNA adds. If no row has the instruction, floats are summed as a
/// chain. Products with scales have one chain for each run of k that shares a scale.
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
