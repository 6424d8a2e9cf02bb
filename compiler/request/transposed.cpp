#include "compiler/request/transposed.h"

#include <optional>
#include <utility>

#include "compiler/request/size_map.h"

namespace heddle::compiler {
namespace {

// Exchanges m and n in everything that depends on sizes.
void swap_sizes(MatmulRequest& request) {
  constexpr auto m = static_cast<std::size_t>(plan::Loop::m),
                 n = static_cast<std::size_t>(plan::Loop::n);
  SizeMap map = same_sizes();
  std::swap(map[m], map[n]);
  plan::Problem& problem = request.problem;
  problem.dynamic = renamed(problem.dynamic, map);
  std::swap(problem.most[m], problem.most[n]);
  std::swap(request.multiples[m], request.multiples[n]);
  std::swap(request.made_of[m], request.made_of[n]);
  for_each_matrix(request, [&](MatrixRecord& matrix) { rename_sizes(matrix, map); });
  for (PlaceRecord& place : request.places)
    for (Axis* axis : {&place.batch, &place.row, &place.column}) rename_sizes(*axis, map);
  for (BufferRecord& buffer : request.buffers) rename_sizes(buffer, map);
  for (FurtherSize& further : request.further_sizes)
    for (FurtherSize::Term& term : further.window)
      term.size.loop = static_cast<plan::Loop>(map[static_cast<std::size_t>(term.size.loop)]);
}

}  // namespace

bool can_be_transposed(const MatmulRequest& request) {
  const plan::Problem& problem = request.problem;
  return request.further.empty() && problem.scaled_columns == 0 &&
         problem.combine == plan::Step::add;
}

MatmulRequest transposed(MatmulRequest request) {
  plan::Problem& problem = request.problem;
  std::swap(problem.m, problem.n);
  const auto input = problem.input;
  problem.input = problem.b_input();
  if (problem.input_b) problem.input_b = input;
  std::swap(problem.a, problem.b);
  for (plan::OperandForm* form : {&problem.a, &problem.b}) form->transposed = !form->transposed;
  std::swap(request.a, request.b);
  std::swap(request.a_producer, request.b_producer);
  std::swap(request.a_extras, request.b_extras);
  for_each_matrix(request, [](MatrixRecord& matrix) {
    std::swap(matrix.row, matrix.column);
    for (PaddedDimension& dimension : matrix.padding) std::swap(dimension.row, dimension.column);
  });
  for (PlaceRecord& place : request.places) std::swap(place.row, place.column);
  swap_sizes(request);
  return request;
}

}  // namespace heddle::compiler
