// Numbers for the sizes of the parts of a sequence that only a launch knows. Places of matrices are
// products of sizes, so those that agree for a few numbers of each agree for all.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "compiler/request/product_sequence.h"
#include "compiler/request/size_map.h"

namespace heddle::compiler {

/// How many samples there are to compare places with: one where all sizes are known.
int size_samples(const MatmulRequest& request);

class SequenceSizes {
 public:
  /// `shapes` of the sequence's buffers; empty: not known.
  SequenceSizes(const ProductSequence& sequence, std::vector<std::vector<std::int64_t>> shapes)
      : sequence_(sequence), shapes_(std::move(shapes)) {}
  /// Sample `sample` of the sizes of `request`, which is part `part` or that part transposed.
  SequenceSizes(const ProductSequence& sequence, std::size_t part, const MatmulRequest& request,
                int sample);

  /// Learns the shapes of a part's memory. False if the memory that it shares with earlier ones
  /// does not tell all of its sizes.
  bool learn(std::size_t part, const MatmulRequest& request);
  /// The problem of a part that is learned, given as above, with numbers.
  plan::Problem of(std::size_t part, const MatmulRequest& request) const {
    return known(part, request).first;
  }

 private:
  // … and a bit for each size that is known.
  std::pair<plan::Problem, unsigned> known(std::size_t part, const MatmulRequest& request) const;
  void learn_shapes(std::size_t part, const MatmulRequest& request, const plan::Problem& problem);

  const ProductSequence& sequence_;
  std::vector<std::vector<std::int64_t>> shapes_;  // of each buffer; empty: not known
};

/// For each dynamic size of one part that of another which has the same number in each sample.
/// Nothing if one has none.
std::optional<SizeMap> equal_sizes(std::span<const plan::Problem> from,
                                   std::span<const plan::Problem> to);

}  // namespace heddle::compiler
