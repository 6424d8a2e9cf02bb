#include "compiler/description.h"

#include <array>

#include "compiler/request/actual_product.h"
#include "library/text/formatted.h"

namespace heddle::compiler {
namespace {

Parameter parameter(const BufferRecord& buffer, const MatmulRequest& request, std::size_t number) {
  constexpr std::array<const char*, 5> names{"A", "B", "C", "D", "E"};
  const auto reads = [&](const MatrixRecord& matrix) {
    return matrix.parameter == static_cast<int>(number);
  };
  bool writes = false;
  for (const MatrixRecord* written : written_matrices(request)) writes = writes || reads(*written);
  bool read = reads(request.a) || reads(request.b) || (request.c && reads(*request.c));
  for (const auto* extras : {&request.extras, &request.a_extras, &request.b_extras})
    for (const MatrixRecord& extra : *extras) read = read || reads(extra);
  if (request.softmax) {
    read = read || reads(request.softmax->keys);
    for (const MatrixRecord& extra : request.softmax->extras) read = read || reads(extra);
    if (request.softmax->sink)
      for (const MatrixRecord& extra : request.softmax->sink->extras) read = read || reads(extra);
  }
  return {names[static_cast<std::size_t>(buffer.role)],
          buffer.role,
          shape(buffer, request.problem),
          buffer.element,
          byte_count(buffer, request.problem),
          read,
          writes};
}

}  // namespace

void describe(Compilation& result, const MatmulRequest& request, instruction::Target target) {
  result.request = request;
  result.problem = request.problem;
  result.target = target;
  for (std::size_t i = 0; i < request.buffers.size(); ++i)
    result.parameters.push_back(parameter(request.buffers[i], request, i));
  // Several further matrices are called E, E2, E3 …; several results are called D, D2, D3 …
  for (const Role role : {Role::extra, Role::d})
    for (int count = 0; Parameter& one : result.parameters)
      if (one.role == role && ++count > 1) one.name += formatted("{}", count);
  for (unsigned loop = 0; loop < plan::size_count; ++loop) {
    if (!request.problem.is_dynamic(static_cast<plan::Loop>(loop))) continue;
    result.parameters.push_back(
        {plan::size_names[loop], Role::size, {}, instruction::ElementType::i32, 4, true, false});
  }
  result.kernel_name = request.function;
  result.constant = request.constant;
}

}  // namespace heddle::compiler
