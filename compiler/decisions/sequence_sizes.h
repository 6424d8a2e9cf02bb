// Tries sample numbers for the sizes of a sequence that are known only at launch, to find out
// whether two matrices lie at the same places. Strides are products of sizes, so places that are
// equal for a few samples are equal for all sizes.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "compiler/request/product_sequence.h"
#include "compiler/request/size_map.h"

namespace heddle::compiler {

/// How many samples are needed to decide whether two places are equal. One is enough if all sizes
/// are known at compile time.
int size_samples(const MatmulRequest& request);

class SequenceSizes {
 public:
  /// `shapes` has the shape of each buffer of the sequence, in order; a shape that is not known is
  /// empty.
  SequenceSizes(const ProductSequence& sequence, std::vector<std::vector<std::int64_t>> shapes)
      : sequence_(sequence), shapes_(std::move(shapes)) {}
  /// Gives the sizes of part `part` the numbers of sample `sample`. `request` is the request of
  /// that part, perhaps transposed.
  SequenceSizes(const ProductSequence& sequence, std::size_t part, const MatmulRequest& request,
                int sample);

  /// Computes the sizes of part `part` from the shapes that are known of its buffers, and records
  /// the shapes of its other buffers. False if the buffers that it shares with earlier parts do not
  /// determine all of its sizes.
  bool learn(std::size_t part, const MatmulRequest& request);
  /// The problem of part `part`, with numbers for all its sizes. Precondition: learn() was called
  /// with the same part and request.
  plan::Problem of(std::size_t part, const MatmulRequest& request) const {
    return known(part, request).first;
  }

 private:
  // The problem of a part with the sizes that are known so far, and a mask with a bit for each of
  // these sizes.
  std::pair<plan::Problem, unsigned> known(std::size_t part, const MatmulRequest& request) const;
  void learn_shapes(std::size_t part, const MatmulRequest& request, const plan::Problem& problem);

  const ProductSequence& sequence_;
  std::vector<std::vector<std::int64_t>> shapes_;  // of each buffer; empty: not known
};

/// `from` and `to` are the problems of two parts, one for each sample. For each dynamic size of the
/// first part, finds the size of the second that has the same number in every sample. Null if a
/// size has none.
std::optional<SizeMap> equal_sizes(std::span<const plan::Problem> from,
                                   std::span<const plan::Problem> to);

}  // namespace heddle::compiler
