#include "answers/instruction/sums_text.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "answers/text/json_text.h"
#include "heddle/instruction/numerics.h"
#include "heddle/instruction/tensor_sums.h"
#include "library/text/formatted.h"

namespace heddle::answers {
namespace {

using instruction::ElementType;
using instruction::Family;
using instruction::Instruction;
using instruction::Kind;
using instruction::SumError;
using instruction::Summation;
using instruction::SumStanding;
using instruction::TensorSum;

std::string cdna_rule(const Instruction& row) {
  const instruction::SumRule rule = instruction::sum_rule(row);
  std::string text;
  switch (rule.summation) {
    case Summation::exact:
      text = "exact modulo 2^32";
      break;
    case Summation::chain:
      text = "a fused multiply-add for each k, in rising order";
      break;
    case Summation::pairs:
      text = formatted("trees of {} products, each added to C, every step rounded", rule.group);
      break;
    case Summation::fused:
      text = formatted("{} products and C at once{}, cut off below the largest and rounded",
                       rule.group, rule.splits ? ", even and odd k apart" : "");
      break;
    case Summation::blocks:
      text = "a chain for each scaled run of k, scaled and added to C";
      break;
  }
  if (rule.flushes) text += ", subnormal numbers as zero";
  return text;
}

std::string tensor_rule(const Instruction& row, Family family) {
  const instruction::TensorSumRule rule = instruction::tensor_sum_rule(row, family);
  const bool is_f32 = row.d_type == ElementType::f32;
  const std::string result = !is_f32 ? "rounded to f16"
                             : rule.result_bits < 23
                                 ? formatted("cut off to {} of f32's fraction", rule.result_bits)
                                 : "cut off to f32";
  switch (rule.sum) {
    case TensorSum::exact:
      return "exact modulo 2^32, or with .satfinite the nearest number of 32 bits";
    case TensorSum::chain:
      return "a fused multiply-add for each k, in rising order from C on";
    case TensorSum::fused:
      return formatted("{} products and C at once, each cut off {} bits below the largest; {}",
                       rule.group, rule.fraction_bits, result);
    case TensorSum::halves:
      return formatted(
          "as f16, {} products at once, each cut off {} bits below the largest, first those whose "
          "k "
          "is 0 or 1 modulo 4, then the others; then C is added, to nearest",
          rule.group, rule.fraction_bits);
    case TensorSum::quads:
      return is_f32 ? "an f32 multiply-add for each k from 0 on, then C is added"
                    : "C + (p0 + p1) + (p2 + p3) in f32, rounded to f16";
    case TensorSum::runs:
      return formatted(
          "exact sums of 16 products, times their scales, and C at once, each cut off {} bits "
          "below "
          "the largest power of two of the scales; {}",
          rule.fraction_bits, result);
  }
  return "";
}

std::string rule_text(const Instruction& row, Family family) {
  if (instruction::is_nvidia(family)) return tensor_rule(row, family);
  if (instruction::is_cdna(family)) return cdna_rule(row);
  if (instruction::is_integer(row.a_type)) return "exact modulo 2^32, or with clamp the nearest";
  return formatted(
      "not published; emulated as {} multiply-adds in rising k{}",
      row.d_type == ElementType::f64 ? "f64" : "f32",
      row.d_type == ElementType::f32 || row.d_type == ElementType::f64 ? "" : ", D rounded once");
}

std::string standing_text(const SumStanding& standing) {
  return formatted("{}{}", instruction::name(standing.evidence),
                   standing.source.empty() ? "" : formatted(" ({})", standing.source));
}

/// "1.25 * 2^-23".
std::string power_text(double x) {
  const int exponent = std::ilogb(x);
  const double factor = std::ldexp(x, -exponent);
  const std::string words = formatted("{:.4g}", factor);
  return formatted("{}2^{}", words == "1" ? "" : words + " * ", exponent);
}

/// The bound of the error as a formula: "k * 2^-25 + ceil(k/16) * 1.25 * 2^-23".
std::string error_formula(const SumError& error) {
  std::string text;
  const auto add = [&](double x, const std::string& count) {
    if (x == 0) return;
    text += formatted("{}{}{}{}", text.empty() ? "" : " + ", count, count.empty() ? "" : " * ",
                      power_text(x));
  };
  add(error.once, "");
  add(error.per_product, "k");
  add(error.per_group, error.group == 1 ? "k" : formatted("ceil(k/{})", error.group));
  return text.empty() ? "0" : text;
}

bool is_product(const Instruction& row) { return row.kind == Kind::multiply; }

std::string types_text(const Instruction& row) {
  return formatted("{} x {} -> {}", instruction::name(row.a_type), instruction::name(row.b_type),
                   instruction::name(row.d_type));
}

/// The kind of an instruction: "mma", "wgmma", "tcgen05.mma", "v_wmma", "v_smfmac"; also whether it
/// is "sparse" (NVIDIA) or "scaled".
std::string kind_text(const Instruction& row) {
  std::string_view name =
      row.name.substr(0, row.name.find_first_of(row.name[0] == 'v' ? "_" : "."));
  if (name == "v") name = row.name.substr(0, row.name.find('_', 2));
  if (name == "mma" && row.blocks > 1) name = "mma.m8n8k4";
  if (name == "tcgen05") name = "tcgen05.mma";
  return formatted("{}{}{}", name, row.is_sparse() ? ", sparse" : "",
                   row.has(instruction::Operand::scale_a) ? ", scaled" : "");
}

}  // namespace

std::string sums_text(const Instruction& row, Family family) {
  if (!is_product(row)) return "";
  return formatted("{}; bits {}", rule_text(row, family),
                   standing_text(instruction::sum_standing(row, family)));
}

std::string sum_error_text(const Instruction& row, Family family, std::int64_t products) {
  if (!is_product(row)) return "";
  const SumError error = instruction::sum_standing(row, family).error;
  if (error == SumError{}) return "none";
  const bool is_known =
      instruction::sum_standing(row, family).evidence != instruction::Evidence::unknown;
  return formatted(
      "{}at most x / (1 - x) of S = |c| + the sum of |a b|, x = {}: {:.3g} S of {} products",
      is_known ? "" : "if it adds so, ", error_formula(error), error.share(products), products);
}

std::string sums_json(const Instruction& row, Family family, std::int64_t products) {
  if (!is_product(row)) return "null";
  const SumStanding standing = instruction::sum_standing(row, family);
  const SumError& error = standing.error;
  const double share = error.share(products);
  return formatted(
      R"({{"rule": {}, "standing": "{}", "source": {}, "error": {{"once": {}, "per_product": {}, )"
      R"("per_group": {}, "group": {}, "products": {}, "share": {}}}}})",
      json_string(rule_text(row, family)), instruction::name(standing.evidence),
      json_string(standing.source), error.once, error.per_product, error.per_group, error.group,
      products, std::isfinite(share) ? formatted("{}", share) : "\"inf\"");
}

std::string sums_table(std::span<const Instruction* const> rows, std::optional<Family> only) {
  struct Line {
    std::string family, kind, rule, standing, error;
    std::vector<std::string> types;
    int count = 0;
  };
  std::vector<Line> lines;
  for (const instruction::FamilyRow& family : instruction::family_rows)
    for (const Instruction* row : rows) {
      if (!is_product(*row) || !row->is_of(family.family) ||
          family.family != only.value_or(family.family))
        continue;
      const SumStanding standing = instruction::sum_standing(*row, family.family);
      Line line{std::string(family.name),       kind_text(*row),
                rule_text(*row, family.family), standing_text(standing),
                error_formula(standing.error),  {}};
      auto at = std::ranges::find_if(lines, [&](const Line& other) {
        return other.family == line.family && other.kind == line.kind && other.rule == line.rule &&
               other.standing == line.standing && other.error == line.error;
      });
      if (at == lines.end()) at = lines.insert(lines.end(), std::move(line));
      ++at->count;
      if (std::ranges::find(at->types, types_text(*row)) == at->types.end())
        at->types.push_back(types_text(*row));
    }
  std::string text =
      "| family | instructions | | A x B -> D | sums | bits | x of k products |\n"
      "| --- | --- | --: | --- | --- | --- | --- |\n";
  for (const Line& line : lines) {
    std::string types;
    for (std::size_t i = 0; i < line.types.size() && i < 4; ++i)
      types += (i == 0 ? "" : ", ") + line.types[i];
    if (line.types.size() > 4) types += formatted(" and {} others", line.types.size() - 4);
    text += formatted("| {} | {} | {} | {} | {} | {} | {} |\n", line.family, line.kind, line.count,
                      types, line.rule, line.standing, line.error);
  }
  return text;
}

}  // namespace heddle::answers
