// Fills in the dynamic sizes of a request with actual values. Computes the sizes of the kernel's
// buffers, and what the check of a result needs.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "compiler/request/matmul_request.h"
#include "runtime/judge/product_check.h"
#include "runtime/judge/softmax_check.h"

namespace heddle::compiler {

/// The value of `stride`, in elements. `problem` has the actual sizes.
inline std::int64_t elements(const Stride& stride, const plan::Problem& problem) {
  std::int64_t result = stride.factor;
  for (unsigned loop = 0; loop < plan::size_count; ++loop)
    if ((stride.sizes >> loop & 1u) != 0) result *= problem.size(static_cast<plan::Loop>(loop));
  return result;
}

inline runtime::MatrixAxis elements(const Axis& axis, const plan::Problem& problem) {
  runtime::MatrixAxis result{elements(axis.step, problem)};
  for (const Jump& jump : axis.jumps)
    result.jumps.push_back({elements(Stride{jump.every, jump.sizes}, problem),
                            elements(jump.forward, problem) - elements(jump.back, problem)});
  return result;
}

/// The smallest length that a dimension must have so that the window that moves over it stays
/// inside.
inline std::int64_t needed(const FurtherSize& further, const plan::Problem& problem) {
  std::int64_t size = further.least;
  for (const FurtherSize::Term& term : further.window)
    size += term.factor * (problem.size(term.size.loop) / term.size.over * term.size.times - 1);
  return size;
}

/// True if further size number `further` is the size of a dimension over which a window moves. It
/// is then neither a stride nor a factor of the size of a loop.
inline bool is_window(const MatmulRequest& request, std::size_t further) {
  unsigned parts = 0;
  for (const unsigned made_of : request.made_of) parts |= made_of;
  return !request.further_sizes[further].is_stride &&
         (parts >> (plan::loop_count + further) & 1u) == 0;
}

inline std::vector<std::int64_t> shape(const BufferRecord& buffer, const plan::Problem& problem) {
  std::vector<std::int64_t> sizes = buffer.shape;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const DynamicSize& dynamic = buffer.dynamic_sizes[i];
    if (sizes[i] < 0) sizes[i] = problem.size(dynamic.loop) / dynamic.over * dynamic.times;
  }
  return sizes;
}

/// For each dimension of the buffer, the distance in memory from one element to the next, in
/// elements.
inline std::vector<std::int64_t> strides(const BufferRecord& buffer, const plan::Problem& problem) {
  const std::vector<std::int64_t> sizes = shape(buffer, problem);
  std::vector<std::int64_t> all = buffer.strides;
  std::int64_t step = 1;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    if (all[i] == told_stride) all[i] = problem.size(buffer.told_strides[i]);
    if (all[i] < 0) all[i] = step;
    step *= sizes[i];
  }
  return all;
}

/// The number of elements that the buffer needs: from its start to the end of the element with the
/// largest offset.
inline std::int64_t element_count(const BufferRecord& buffer, const plan::Problem& problem) {
  const std::vector<std::int64_t> sizes = shape(buffer, problem), steps = strides(buffer, problem);
  std::int64_t last = buffer.offset;
  for (std::size_t i = 0; i < sizes.size(); ++i) last += (sizes[i] - 1) * steps[i];
  return last + 1;
}

inline std::size_t byte_count(const BufferRecord& buffer, const plan::Problem& problem) {
  return static_cast<std::size_t>(
      (element_count(buffer, problem) * instruction::bits(buffer.element) + 7) / 8);
}

/// Makes the description of a matrix that the check of results uses. buffers[i] are the bytes of
/// kernel argument i.
inline runtime::MatrixView view(const MatrixRecord& matrix, const plan::Problem& problem,
                                const std::vector<std::span<const std::byte>>& buffers) {
  runtime::MatrixView result{matrix.element,
                             buffers[static_cast<std::size_t>(matrix.parameter)],
                             elements(matrix.batch, problem),
                             elements(matrix.row, problem),
                             elements(matrix.column, problem),
                             matrix.offset,
                             {}};
  for (const PaddedDimension& padded : matrix.padding)
    result.padding.push_back({elements(padded.batch, problem), elements(padded.row, problem),
                              elements(padded.column, problem), padded.before,
                              elements(padded.size, problem), padded.every});
  result.tells_padding = matrix.tells_padding;
  return result;
}

/// What the check of a softmax needs: the product that gives the scores, how the kernel rounds and
/// normalises them, and the sink if there is one.
struct ActualSoftmax {
  runtime::Product scores;
  runtime::SoftmaxRounding rounding;
  std::optional<runtime::SinkScore> sink;
};
inline ActualSoftmax actual_softmax(const MatmulRequest& request, const plan::Problem& problem,
                                    const std::vector<std::span<const std::byte>>& before) {
  const SoftmaxOperand& softmax = *request.softmax;
  const auto view_of_place = [&](const PlaceRecord& place) {
    return runtime::MatrixView{.element = instruction::ElementType::i64,
                               .bytes = {},
                               .batch = elements(place.batch, problem),
                               .row = elements(place.row, problem),
                               .column = elements(place.column, problem),
                               .offset = place.offset,
                               .is_place = true};
  };
  ActualSoftmax made;
  runtime::Product& scores = made.scores;
  scores.problem = {.m = problem.m,
                    .n = problem.k,
                    .k = softmax.depth,
                    .input = softmax.input,
                    .batch = problem.batch,
                    .sums = softmax.sums,
                    .flushes_subnormals = problem.flushes_subnormals};
  scores.a = view(request.a, problem, before);
  scores.b = view(softmax.keys, problem, before);
  std::swap(scores.b.row, scores.b.column);
  for (const MatrixRecord& extra : softmax.extras)
    scores.extras.push_back(view(extra, problem, before));
  for (const PlaceRecord& place : softmax.places) scores.extras.push_back(view_of_place(place));
  scores.epilogue = softmax.epilogue;
  scores.sum_result = instruction::ElementType::f32;
  if (softmax.sink) {
    made.sink.emplace().value = softmax.sink->value;
    for (const MatrixRecord& extra : softmax.sink->extras)
      made.sink->extras.push_back(view(extra, problem, before));
  }
  const auto steps = [&](std::int64_t keys) {
    return softmax.step_keys == 0 ? 0 : (keys + softmax.step_keys - 1) / softmax.step_keys;
  };
  const std::int64_t more_steps = steps(problem.k) - steps(request.problem.k);
  made.rounding = {.factor = problem.input,
                   .rescales = softmax.rescales + more_steps,
                   .additions = softmax.additions + more_steps,
                   .exponent = softmax.share_exponent,
                   .is_base_two = softmax.is_base_two,
                   .flushes_subnormals = problem.flushes_subnormals};
  return made;
}

/// Describes the product for runtime::check_product. `before` and `after` have the bytes of each
/// buffer before and after the run. `result` selects the result that is checked: 0 is D, i + 1 is
/// request.further[i].
inline runtime::Product actual_product(const MatmulRequest& request, const plan::Problem& problem,
                                       const std::vector<std::span<const std::byte>>& before,
                                       const std::vector<std::span<const std::byte>>& after,
                                       std::size_t result = 0) {
  runtime::Product product;
  product.problem = problem;
  product.a = view(request.a, problem, before);
  product.b = view(request.b, problem, before);
  product.d = view(result == 0 ? request.d : request.further[result - 1].d, problem, after);
  if (request.c) product.c = view(*request.c, problem, before);
  product.constant = request.constant.value_or(0.0);
  for (const MatrixRecord& extra : request.extras)
    product.extras.push_back(view(extra, problem, before));
  for (const MatrixRecord& extra : request.a_extras)
    product.a_extras.push_back(view(extra, problem, before));
  for (const MatrixRecord& extra : request.b_extras)
    product.b_extras.push_back(view(extra, problem, before));
  product.a_producer = request.a_producer;
  product.b_producer = request.b_producer;
  product.epilogue = result == 0 ? request.epilogue : request.further[result - 1].epilogue;
  product.sum_result = request.sum_result;
  if (request.softmax) {
    ActualSoftmax softmax = actual_softmax(request, problem, before);
    product.computed_a =
        runtime::softmax_of(std::move(softmax.scores), softmax.rounding, std::move(softmax.sink));
  }
  return product;
}

}  // namespace heddle::compiler
