#include "compiler/decisions/special_launches.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "compiler/request/operand_form.h"
#include "library/text/formatted.h"

namespace heddle::compiler {
namespace {

// Adds to `known` that certain sizes are multiples of `unit`; `sizes` has a bit for each of them.
// False if such a size is the product of other sizes and is not known to be a multiple already.
bool know_multiples(MatmulRequest& known, unsigned sizes, std::int64_t unit) {
  for (std::size_t size = 0; size < plan::size_count; ++size) {
    if ((sizes >> size & 1u) == 0 || known.multiples[size] % unit == 0) continue;
    if (size < plan::loop_count && known.made_of[size] != 0) return false;
    known.multiples[size] = std::lcm(known.multiples[size], unit);
  }
  return true;
}

// Adds to `known` the conditions under which all rows of the matrix begin and end at multiples of
// `unit` elements; `rows` and `columns` are its loops. The size of the contiguous dimension comes
// first, because a stride that is a product with this size then needs no further condition. False
// in the cases of know_multiples().
bool know_whole_rows(MatmulRequest& known, const MatrixRecord& matrix, plan::Loop rows,
                     plan::Loop columns, std::int64_t unit) {
  for (const auto& [axis, loop] : {std::pair{&matrix.row, rows}, {&matrix.column, columns}}) {
    const bool is_inner = axis->step == Stride{1, 0} && known.problem.is_dynamic(loop);
    if (is_inner && !know_multiples(known, 1u << static_cast<unsigned>(loop), unit)) return false;
  }
  for (const Axis* axis : {&matrix.row, &matrix.column, &matrix.batch})
    if (known_factor(known, axis->step) % unit != 0 &&
        !know_multiples(known, axis->step.sizes, unit))
      return false;
  return true;
}

}  // namespace

std::optional<MatmulRequest> with_unit_strides(const MatmulRequest& request) {
  MatmulRequest known = request;
  for (const BufferRecord& buffer : request.buffers)
    if (!buffer.strides.empty() && buffer.strides.back() == told_stride)
      known.ones |= 1u << static_cast<unsigned>(buffer.told_strides.back());
  if (known.ones == 0) return std::nullopt;
  for_each_matrix(known, [&](MatrixRecord& matrix) {
    for (Axis* axis : {&matrix.row, &matrix.column, &matrix.batch}) {
      axis->step.sizes &= ~known.ones;
      for (Jump& jump : axis->jumps) {
        jump.forward.sizes &= ~known.ones;
        jump.back.sizes &= ~known.ones;
      }
    }
  });
  find_forms(known);
  known.function += "_unit_strides";
  return known;
}

std::vector<MatmulRequest> with_whole_rows(const MatmulRequest& request, int bytes) {
  using plan::Loop;
  std::vector<MatmulRequest> all;
  if (request.ones == 0 && std::ranges::any_of(request.buffers, &BufferRecord::has_open_offset))
    return all;
  MatmulRequest known = request;
  struct Operand {
    const MatrixRecord& matrix;
    Loop rows, columns;
  };
  for (const auto& [matrix, rows, columns] :
       {Operand{request.a, Loop::m, Loop::k}, Operand{request.b, Loop::k, Loop::n},
        Operand{request.d, Loop::m, Loop::n}}) {
    const int unit = bytes / counted_bytes(matrix.element);
    if (!know_whole_rows(known, matrix, rows, columns, unit)) return {};
    const auto& before = all.empty() ? request.multiples : all.front().multiples;
    if (&matrix != &request.a && known.multiples != before) all.insert(all.begin(), known);
  }
  for (MatmulRequest& one : all) find_forms(one);
  for (MatmulRequest& one : all)
    one.function += &one == &all.front() ? "_whole_rows" : "_whole_input_rows";
  return all;
}

std::optional<MatmulRequest> with_most(const MatmulRequest& request, const MostSizes& most) {
  MatmulRequest known = request;
  for (const auto& [of, limit] :
       {std::pair{plan::Loop::m, most.rows}, {plan::Loop::n, most.columns}}) {
    if (limit == 0) continue;
    if (!request.problem.is_dynamic(of)) {
      if (request.problem.size(of) > limit) return std::nullopt;
      continue;
    }
    const auto loop = static_cast<unsigned>(of);
    const std::int64_t multiple = request.multiples[loop];
    if (request.made_of[loop] != 0 || limit < multiple) return std::nullopt;
    known.problem.size(of) = known.problem.most[loop] = limit / multiple * multiple;
    known.function += formatted("_{}{}", plan::size_names[loop], limit);
  }
  if (known.function == request.function) return std::nullopt;
  return known;
}

bool has_launches_of(const plan::Problem& large, const plan::Problem& small) {
  for (std::size_t loop = 0; loop < plan::loop_count; ++loop)
    if (large.most[loop] != 0 && (small.most[loop] == 0 || small.most[loop] > large.most[loop]))
      return false;
  return true;
}

bool are_as_known(const MatmulRequest& request, const plan::Problem& problem) {
  for (std::size_t loop = 0; loop < plan::size_count; ++loop) {
    const std::int64_t size = problem.size(static_cast<plan::Loop>(loop));
    const std::int64_t most = loop < plan::loop_count ? request.problem.most[loop] : 0;
    if (size % request.multiples[loop] != 0 || (most != 0 && size > most)) return false;
    if ((request.ones >> loop & 1u) != 0 && size != 1) return false;
  }
  return true;
}

}  // namespace heddle::compiler
