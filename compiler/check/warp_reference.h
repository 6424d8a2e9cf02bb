// Computes a warp-level function in float64: the independent witness of the compiler's kernels.
//
// It walks the text as the user wrote it, one operation after another, and shares nothing with the
// lowering. Each element is an interval. It is a single number if the program leaves no freedom. A
// vector.contract leaves the order and the inner precision of its sums open, and its interval has
// all results that a correct program may give. A contraction is exact, and its interval a point, if
// every product and the accumulator are multiples of a quantum q and their magnitudes add up to at
// most 2^p q, where p is the number of significant bits of the accumulator. Otherwise n terms give
//
//   |error| <= (n + 1) 2^(1-p) (|c| + sum |a| |b|)
//
// the classic bound (Higham, Accuracy and Stability of Numerical Algorithms, section 4.2) with a
// unit of truncation, since tensor cores truncate (Fasi, Higham, Mikaitis, Pranesh, "Numerical
// behavior of NVIDIA tensor cores", PeerJ CS 2021). Elements of 8 bits: p is 13 at most
// (DeepSeek-V3 technical report, section 3.3.2: about 14 bits on H800). Integers are exact and
// wrap.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/check/interval.h"
#include "compiler/warp_kernel/argument.h"

namespace heddle::compiler {

/// One element of a memref's memory.
struct Cell {
  Interval number;
  bool read = false, written = false;  // by the function
};

struct ReferenceOptions {
  bool tf32 = false;     // contractions of f32 may see 10 bits of the fraction of A and B
  bool flushes = false;  // contractions of f16 and bf16 may see 0 in place of subnormal numbers
  std::int64_t most_steps = 200'000'000;  // products, or what takes as long; refuses beyond
};

class WarpReference {
 public:
  /// Null when `text` is refused; `errors` then holds lines file:line:column: error: …
  static std::unique_ptr<WarpReference> read(std::string_view text, std::string_view file_name,
                                             std::string& errors);
  ~WarpReference();

  const std::string& name() const;
  const std::vector<WarpArgument>& arguments() const;

  /// Runs the function on `memory`, one vector of span() cells for each argument (empty for an
  /// index). False if the function does something without a meaning (an access outside a memref
  /// that claims to be in bounds) or something that this walk does not know; `errors` says where.
  /// Precondition: `bound` are arguments(), with nothing open.
  bool run(const std::vector<WarpArgument>& bound, std::vector<std::vector<Cell>>& memory,
           const ReferenceOptions& options, std::string& errors) const;

 private:
  struct State;
  explicit WarpReference(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace heddle::compiler
