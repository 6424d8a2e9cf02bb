// Computes what a warp-level function should do, in float64, to judge the compiler's kernels. It
// walks through the text as the user wrote it, one operation after another, and shares no code with
// the lowering.
//
// Each element is an interval of the values that a correct program may have. It is a single number
// (a point) if the program leaves no freedom. A vector.contract leaves open in which order and with
// which inner precision it sums. For an element with n terms, the interval is
// - a point, if all partial sums are exact: every product and the accumulator c are multiples of a
// quantum q, and their magnitudes add up to at most 2^p q, where p is the number of significant
// bits of the accumulator,
// - otherwise all values with
//
//   |error| <= (n + 1) 2^(1-p) (|c| + sum |a| |b|)
//
// This is the classic bound (Higham, Accuracy and Stability of Numerical Algorithms, section 4.2)
// for truncation instead of rounding, since tensor cores truncate (Fasi, Higham, Mikaitis, Pranesh,
// "Numerical behavior of NVIDIA tensor cores", PeerJ CS 2021). For elements of 8 bits p is at most
// 13 (DeepSeek-V3 technical report, section 3.3.2: about 14 bits on H800). Integers are exact and
// wrap around.
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
  /// Reads a function from MLIR text. Null if the text is refused; `errors` then has lines of the
  /// form file:line:column: error: …
  static std::unique_ptr<WarpReference> read(std::string_view text, std::string_view file_name,
                                             std::string& errors);
  ~WarpReference();

  const std::string& name() const;
  const std::vector<WarpArgument>& arguments() const;

  /// Runs the function on `memory`, which has a vector of span() cells for each argument that is a
  /// memref (and an empty vector for an index). False if the function does something that has no
  /// meaning (it accesses an element outside a memref and claims that the access is in bounds), or
  /// something that this reference does not know; `errors` then says where. Precondition: `bound`
  /// are the arguments(), with all sizes and strides that are open replaced by numbers.
  bool run(const std::vector<WarpArgument>& bound, std::vector<std::vector<Cell>>& memory,
           const ReferenceOptions& options, std::string& errors) const;

 private:
  struct State;
  explicit WarpReference(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace heddle::compiler
