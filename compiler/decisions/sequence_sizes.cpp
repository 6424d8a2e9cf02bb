#include "compiler/decisions/sequence_sizes.h"

#include <algorithm>
#include <array>

#include "compiler/request/actual_product.h"

namespace heddle::compiler {
namespace {

// The numbers with which sizes are tried. They are small, because the places of rows are compared
// one by one.
constexpr std::array<std::int64_t, plan::size_count> tried{3, 5, 7,  2,  11, 4,  13, 6,
                                                           8, 9, 10, 12, 14, 15, 16, 17};
constexpr int sample_count = 3;

// The size of a loop may be a product of sizes of dimensions. Sets it to this product.
void multiply_parts(const MatmulRequest& request, plan::Problem& problem) {
  for (unsigned loop = 0; loop < plan::loop_count; ++loop) {
    if (request.made_of[loop] == 0) continue;
    std::int64_t all = request.multiples[loop];
    for (unsigned part = plan::loop_count; part < plan::size_count; ++part)
      if ((request.made_of[loop] >> part & 1u) != 0)
        all *= problem.size(static_cast<plan::Loop>(part));
    problem.size(static_cast<plan::Loop>(loop)) = all;
  }
}

}  // namespace

int size_samples(const MatmulRequest& request) {
  return request.problem.dynamic == 0 ? 1 : sample_count;
}

SequenceSizes::SequenceSizes(const ProductSequence& sequence, std::size_t part,
                             const MatmulRequest& request, int sample)
    : sequence_(sequence), shapes_(sequence.buffers.size()) {
  plan::Problem problem = request.problem;
  auto next = static_cast<std::size_t>(sample);
  for (unsigned i = 0; i < plan::size_count; ++i) {
    const auto size = static_cast<plan::Loop>(i);
    if (problem.is_dynamic(size))
      problem.size(size) = request.multiples[i] * tried[next++ % tried.size()];
  }
  multiply_parts(request, problem);
  learn_shapes(part, request, problem);
}

void SequenceSizes::learn_shapes(std::size_t part, const MatmulRequest& request,
                                 const plan::Problem& problem) {
  const std::vector<int>& buffers = sequence_.parts[part].buffers;
  for (std::size_t i = 0; i < buffers.size(); ++i)
    shapes_[static_cast<std::size_t>(buffers[i])] = shape(request.buffers[i], problem);
}

bool SequenceSizes::learn(std::size_t part, const MatmulRequest& request) {
  const auto [problem, sizes] = known(part, request);
  if ((problem.dynamic & ~sizes) != 0) return false;
  learn_shapes(part, request, problem);
  return true;
}

std::pair<plan::Problem, unsigned> SequenceSizes::known(std::size_t part,
                                                        const MatmulRequest& request) const {
  plan::Problem problem = request.problem;
  if (problem.dynamic == 0) return {problem, 0};
  unsigned known = 0;
  const std::vector<int>& buffers = sequence_.parts[part].buffers;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const BufferRecord& buffer = request.buffers[i];
    const std::vector<std::int64_t>& sizes = shapes_[static_cast<std::size_t>(buffers[i])];
    for (std::size_t dim = 0; dim < sizes.size(); ++dim) {
      if (buffer.shape[dim] >= 0) continue;
      const DynamicSize& size = buffer.dynamic_sizes[dim];
      problem.size(size.loop) = sizes[dim] / size.times * size.over;
      known |= 1u << static_cast<unsigned>(size.loop);
    }
  }
  multiply_parts(request, problem);
  for (unsigned loop = 0; loop < plan::loop_count; ++loop)
    if (request.made_of[loop] != 0) known |= 1u << loop;
  return {problem, known};
}

std::optional<SizeMap> equal_sizes(std::span<const plan::Problem> from,
                                   std::span<const plan::Problem> to) {
  SizeMap map = same_sizes();
  for (unsigned i = 0; i < plan::size_count; ++i) {
    const auto size = static_cast<plan::Loop>(i);
    if (!from[0].is_dynamic(size)) continue;
    const auto is_same = [&](unsigned other) {
      const auto of = static_cast<plan::Loop>(other);
      for (std::size_t sample = 0; sample < from.size(); ++sample)
        if (!to[sample].is_dynamic(of) || from[sample].size(size) != to[sample].size(of))
          return false;
      return true;
    };
    unsigned other = 0;
    while (other < plan::size_count && !is_same(other)) ++other;
    if (other == plan::size_count) return std::nullopt;
    map[i] = other;
  }
  return map;
}

}  // namespace heddle::compiler
