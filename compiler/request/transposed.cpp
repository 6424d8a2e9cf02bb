#include "compiler/request/transposed.h"

#include <optional>
#include <utility>

namespace heddle::compiler {

bool can_be_transposed(const MatmulRequest& request) {
  const plan::Problem& problem = request.problem;
  return problem.dynamic == 0 && request.further_sizes.empty() && request.further.empty() &&
         problem.scaled_columns == 0 && problem.combine == plan::Step::add;
}

MatmulRequest transposed(MatmulRequest request) {
  plan::Problem& problem = request.problem;
  std::swap(problem.m, problem.n);
  const auto input = problem.input;
  problem.input = problem.b_input();
  if (problem.input_b) problem.input_b = input;
  std::swap(problem.a, problem.b);
  for (plan::OperandForm* form : {&problem.a, &problem.b}) form->transposed = !form->transposed;
  std::swap(problem.most[static_cast<std::size_t>(plan::Loop::m)],
            problem.most[static_cast<std::size_t>(plan::Loop::n)]);
  std::swap(request.a, request.b);
  std::swap(request.a_producer, request.b_producer);
  std::swap(request.a_extras, request.b_extras);
  for_each_matrix(request, [](MatrixRecord& matrix) {
    std::swap(matrix.row, matrix.column);
    for (PaddedDimension& dimension : matrix.padding) std::swap(dimension.row, dimension.column);
  });
  for (PlaceRecord& place : request.places) std::swap(place.row, place.column);
  return request;
}

}  // namespace heddle::compiler
