#include "compiler/request/reach.h"

#include <algorithm>
#include <utility>

#include "library/text/formatted.h"

namespace heddle::compiler {
namespace {

using plan::Loop;
using plan::Problem;

// The distance from the first element of a matrix to the end of the last one, in the units in which
// kernels compute offsets (counted_bytes). It has 128 bits, because the text may contain strides of
// any size.
struct Span {
  __int128 bytes = 0;
  bool is_known = true;

  void add(const Axis& axis, std::int64_t size, int of_element) {
    bytes += static_cast<__int128>(size - 1) * axis.step.factor * of_element;
    is_known = is_known && axis.step.is_static();
    for (const Jump& jump : axis.jumps) {
      bytes += static_cast<__int128>((size - 1) / jump.every) *
               (jump.forward.factor - jump.back.factor) * of_element;
      is_known = is_known && jump.forward.is_static() && jump.back.is_static();
    }
  }
  bool is_far() const { return is_known && bytes > most_bytes; }
};

Span span_of_matrix(const MatrixRecord& matrix, const Problem& problem, Loop rows, Loop columns) {
  const int bytes = counted_bytes(matrix.element);
  Span span{bytes};  // from the first element, to which kernels move a pointer of 64 bits
  span.add(matrix.row, problem.size(rows), bytes);
  span.add(matrix.column, problem.size(columns), bytes);
  return span;
}

bool is_far_array(const BufferRecord& buffer) {
  __int128 last = buffer.offset, step = 1;
  for (std::size_t i = buffer.shape.size(); i-- > 0;) {
    if (buffer.shape[i] < 0 || buffer.strides[i] == told_stride) return false;
    last += (buffer.shape[i] - 1) * (buffer.strides[i] < 0 ? step : buffer.strides[i]);
    step *= buffer.shape[i];
  }
  return (last + 1) * counted_bytes(buffer.element) > most_bytes;
}

}  // namespace

std::int64_t most_bytes_of(const BufferRecord& buffer) {
  const bool is_known = std::ranges::find(buffer.shape, -1) == buffer.shape.end();
  return is_known ? most_array_bytes : most_bytes;
}

std::string accepted_size(const BufferRecord& buffer) {
  return formatted("at most {} bytes an array, and {} elements along a dimension",
                   most_bytes_of(buffer), most_length);
}

std::optional<std::string> out_of_reach(const MatmulRequest& request, Reach reach) {
  if (reach == Reach::any) return std::nullopt;
  const Problem& problem = request.problem;
  const auto refusal = [&](const MatrixRecord& matrix) {
    const BufferRecord& buffer = request.buffers[static_cast<std::size_t>(matrix.parameter)];
    return formatted("{} of more than {} bytes; accepted: at most {} bytes {} in these kernels",
                     "ABCDE"[static_cast<std::size_t>(buffer.role)], most_bytes, most_bytes,
                     reach == Reach::array ? "an array" : "a matrix");
  };
  std::optional<std::string> found;
  const auto check = [&](const MatrixRecord& matrix, Loop rows, Loop columns) {
    if (found || matrix.parameter < 0) return;
    // Kernels count elements that share a byte from the start of the array, so the array must be in
    // reach.
    const BufferRecord& buffer = request.buffers[static_cast<std::size_t>(matrix.parameter)];
    const bool by_array = reach == Reach::array || shares_bytes(matrix.element);
    if ((by_array && is_far_array(buffer)) ||
        span_of_matrix(matrix, problem, rows, columns).is_far())
      found = refusal(matrix);
  };
  check(request.a, Loop::m, Loop::k);
  check(request.b, Loop::k, Loop::n);
  check(request.d, Loop::m, Loop::n);
  if (request.c) check(*request.c, Loop::m, Loop::n);
  for (const MatrixRecord& extra : request.a_extras) check(extra, Loop::m, Loop::k);
  for (const MatrixRecord& extra : request.b_extras) check(extra, Loop::k, Loop::n);
  for (const MatrixRecord& extra : request.extras) check(extra, Loop::m, Loop::n);
  for (const FurtherResult& further : request.further) check(further.d, Loop::m, Loop::n);
  if (found || reach != Reach::array) return found;
  for (const BufferRecord& buffer : request.buffers)
    if (is_far_array(buffer))
      return formatted("an array of more than {} bytes; accepted: at most {} in these kernels",
                       most_bytes, most_bytes);
  return found;
}

}  // namespace heddle::compiler
