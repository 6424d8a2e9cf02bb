#include "compiler/request/operand_form.h"

#include <algorithm>
#include <numeric>

namespace heddle::compiler {

std::int64_t known_factor(const MatmulRequest& request, const Stride& stride) {
  std::int64_t factor = stride.factor;
  for (std::size_t size = 0; size < plan::size_count; ++size)
    if ((stride.sizes >> size & 1u) != 0) factor *= request.multiples[size];
  return factor;
}

bool is_one_element(const Axis& axis, std::int64_t count) {
  return axis.step.factor == 0 &&
         std::ranges::all_of(axis.jumps, [&](const Jump& jump) { return jump.every % count == 0; });
}

plan::OperandForm form_of(const MatmulRequest& request, const MatrixRecord& matrix, plan::Loop rows,
                          plan::Loop columns) {
  const plan::Problem& problem = request.problem;
  plan::OperandForm form;
  form.transposed = matrix.row.step == Stride{1, 0} && matrix.column.step != Stride{1, 0};
  const Axis& along = form.transposed ? matrix.row : matrix.column;
  const Axis& across = form.transposed ? matrix.column : matrix.row;
  const plan::Loop inner = form.transposed ? rows : columns;
  std::int64_t divisor = problem.is_dynamic(inner)
                             ? request.multiples[static_cast<std::size_t>(inner)]
                             : problem.size(inner);
  const auto take = [&](const Stride& stride) {
    divisor = std::gcd(divisor, known_factor(request, stride));
  };
  divisor = std::gcd(divisor, matrix.offset);
  take(across.step);
  take(matrix.batch.step);
  for (const Axis* axis : {&along, &across, &matrix.batch}) {
    for (const Jump& jump : axis->jumps) {
      take(jump.forward);
      take(jump.back);
    }
  }
  for (const Jump& jump : along.jumps) divisor = std::gcd(divisor, jump.every);
  for (const PaddedDimension& padded : matrix.padding) {
    const Axis& inside = form.transposed ? padded.row : padded.column;
    if (inside.step != Stride{}) divisor = 1;
    for (const Jump& jump : inside.jumps) divisor = std::gcd(divisor, jump.every);
  }
  form.divisor = along.step == Stride{1, 0} ? divisor : 1;
  return form;
}

void find_forms(MatmulRequest& request) {
  using plan::Loop;
  const auto find = [&](const MatrixRecord& matrix, Loop rows, Loop columns,
                        plan::OperandForm& form) {
    const plan::OperandForm found = form_of(request, matrix, rows, columns);
    form.transposed = found.transposed;
    form.divisor = found.divisor;
  };
  find(request.a, Loop::m, Loop::k, request.problem.a);
  find(request.b, Loop::k, Loop::n, request.problem.b);
}

}  // namespace heddle::compiler
