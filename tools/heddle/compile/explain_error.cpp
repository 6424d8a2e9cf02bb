#include "tools/heddle/compile/explain_error.h"

#include <algorithm>
#include <span>

#include "compiler/planned_sums.h"
#include "emulator/ptx/instruction_sum.h"

namespace heddle::tool {

// Two sums are compared: all products summed exactly, and the same with each group of products
// (part_k of them) summed as the matrix instruction sums it. Their difference is the instruction's
// part of the error. Everything else, namely how the kernel adds the groups to each other and to C,
// and rounds D, is the other part.
std::optional<ErrorParts> error_parts(const runtime::Product& product,
                                      const runtime::MatmulCheck& check,
                                      const compiler::Compilation& compiled) {
  const auto sums = compiler::planned_sums(compiled.plan);
  const plan::Problem& problem = product.problem;
  if (!sums || compiled.request.softmax || check.largest_error == 0 || problem.is_split() ||
      problem.combine != plan::Step::add || instruction::is_integer(problem.sum_type()))
    return std::nullopt;
  ErrorParts parts;
  parts.row = check.largest_row;
  parts.column = check.largest_column;
  const std::int64_t matrix = parts.row / problem.m, m = parts.row % problem.m;
  parts.value = product.d.at(matrix, m, parts.column);
  const runtime::ElementTerms terms = runtime::terms_of(product, parts.row, parts.column);
  const instruction::Family family = instruction::processor(compiled.target).family;
  const std::span<const double> a = terms.a, b = terms.b;
  double exact = terms.initial, by_instruction = terms.initial;
  for (std::size_t k = 0; k < a.size(); ++k) exact += a[k] * b[k];
  const auto step = static_cast<std::size_t>(sums->part_k);
  for (std::size_t k = 0; k < a.size(); k += step) {
    const std::size_t count = std::min(step, a.size() - k);
    by_instruction += emulator::instruction_sum(sums->instruction, family, a.subspan(k, count),
                                                b.subspan(k, count));
  }
  parts.exact = runtime::value_of(product, parts.row, parts.column, exact);
  parts.by_instruction = runtime::value_of(product, parts.row, parts.column, by_instruction);
  parts.instruction = sums->instruction;
  parts.part_k = std::min<std::int64_t>(sums->part_k, problem.k);
  return parts;
}

}  // namespace heddle::tool
