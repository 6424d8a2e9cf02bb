#include "compiler/check/part_check.h"

#include "compiler/elements/tensor_reference.h"
#include "compiler/request/actual_product.h"
#include "runtime/judge/product_check.h"
#include "runtime/judge/tally.h"

namespace heddle::compiler {
namespace {

using Bytes = std::vector<std::span<const std::byte>>;

void judge(runtime::Tally& tally, const runtime::Interval& found, instruction::ElementType type,
           const runtime::Interval& range, std::int64_t row, std::int64_t column) {
  tally.judge({.type = type,
               .found = found,
               .range = range,
               .without_width = range,
               .is_exact = range.low == range.high,
               .row = row,
               .column = column});
}

runtime::MatmulCheck check_rows(const MatmulRequest& request, const SoftmaxResult& result,
                                const plan::Problem& problem, const Bytes& before,
                                const Bytes& after) {
  const ActualSoftmax softmax = actual_softmax(request, problem, before);
  const runtime::MatrixView found = view(result.d, problem, after);
  runtime::Tally tally;
  for (std::int64_t matrix = 0; matrix < problem.batch; ++matrix) {
    const std::vector<runtime::Interval> rows = runtime::numbers_of_rows(
        softmax.scores, softmax.rounding, softmax.sink, result.value, matrix);
    for (std::int64_t m = 0; m < problem.m; ++m)
      judge(tally, found.number(matrix, m, 0), result.d.element, rows[static_cast<std::size_t>(m)],
            matrix * problem.m + m, 0);
  }
  return tally.finished();
}

std::expected<std::vector<runtime::MatmulCheck>, std::string> check_program(
    const MatmulRequest& request, const plan::Problem& problem, const Bytes& before,
    const Bytes& after) {
  std::string error;
  const auto expected = tensor_reference(request, problem, before, error);
  if (expected.empty()) return std::unexpected(error);
  const std::vector<const MatrixRecord*> written = written_matrices(request);
  std::vector<runtime::MatmulCheck> checks;
  for (std::size_t result = 0; result < written.size(); ++result) {
    const auto number = static_cast<std::size_t>(written[result]->parameter);
    const BufferRecord& buffer = request.buffers[number];
    const runtime::MatrixView view{buffer.element, after[number], {}, {}, {1}};
    const std::vector<std::int64_t> sizes = shape(buffer, problem);
    const std::int64_t columns = sizes.empty() ? 1 : sizes.back();
    runtime::Tally tally;
    for (std::int64_t at = 0; at < static_cast<std::int64_t>(expected[result].size()); ++at)
      judge(tally, view.number(0, 0, at), buffer.element,
            expected[result][static_cast<std::size_t>(at)], at / columns, at % columns);
    checks.push_back(tally.finished());
  }
  return checks;
}

}  // namespace

std::expected<std::vector<runtime::MatmulCheck>, std::string> check_part(
    const MatmulRequest& request, const plan::Problem& problem, const Bytes& before,
    const Bytes& after, const std::function<void(std::int64_t rows)>& progress) {
  if (request.program) return check_program(request, problem, before, after);
  std::vector<runtime::MatmulCheck> checks;
  for (std::size_t result = 0; result <= request.further.size(); ++result)
    checks.push_back(
        runtime::check_product(actual_product(request, problem, before, after, result), progress));
  if (request.softmax)
    for (const SoftmaxResult& result : request.softmax->results)
      checks.push_back(check_rows(request, result, problem, before, after));
  return checks;
}

}  // namespace heddle::compiler
