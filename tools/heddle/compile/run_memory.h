// The memory of a run: the size and contents of each array of a sequence of products.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <vector>

#include "compiler/compile.h"
#include "tools/heddle/compile/run_arrays.h"
#include "tools/heddle/run/progress.h"

namespace heddle::tool {

/// The bytes of each buffer of a request.
using Buffers = std::vector<std::vector<std::byte>>;

/// True if operands are drawn such that all sums of products are exact.
bool draws_exact_sums(const RunArguments& arguments, const plan::Problem& problem);

/// The limits of a run of products on the machine that executes it.
struct ProductLimits {
  bool is_emulated = true;  // a GPU has no limits here
  /// The multiplications of the largest matrix instruction, divided by the number of instructions
  /// that the budget counts for it. Source: emulator/record/budget.h for PTX,
  /// emulator/decode/work.h for AMD, whose largest is v_wmma_f32_32x16x128_f4.
  double multiplications_per_instruction = 64;
};

class RunMemory {
 public:
  RunMemory(const compiler::ProductSequence& sequence, const RunArguments& arguments,
            const RunArrays& arrays, ProductLimits limits)
      : sequence_(sequence),
        arguments_(arguments),
        limits_(limits),
        arrays_(arrays),
        shapes_(sequence.buffers.size()),
        memory_(sequence.buffers.size()) {}

  /// Prepares a part of the sequence: chooses its dynamic sizes and allocates its arrays. Parts
  /// must be prepared in their order.
  ///
  /// - Returns the problem of the part with a number for every dynamic size. The number comes from
  /// --sizes, from the files of --input or from arrays of earlier parts; otherwise it is a default.
  /// - Arguments get the values of --input or random numbers. All other arrays, except constants,
  /// are filled with NaN, so that an element that no kernel writes is found.
  ///
  /// Error: sizes that contradict each other or are too large.
  std::expected<plan::Problem, Stop> prepare(std::size_t part);

  /// take() moves the bytes of a part's buffers out of this object; give_back() moves them back
  /// into it after the run.
  Buffers take(std::size_t part);
  void give_back(std::size_t part, Buffers buffers);

  /// Writes the files of --dump; returns their names.
  std::expected<std::vector<std::string>, std::string> dump() const {
    return arrays_.dump(shapes_, memory_);
  }

 private:
  std::expected<plan::Problem, Stop> actual_sizes(std::size_t part) const;
  std::expected<void, std::string> learn_sizes(std::size_t part, plan::Problem& problem,
                                               unsigned& is_known) const;
  void choose_parts(const compiler::MatmulRequest& request, unsigned is_asked, unsigned is_known,
                    plan::Problem& problem) const;
  std::expected<void, Stop> choose_windows(const compiler::MatmulRequest& request,
                                           unsigned is_known, plan::Problem& problem) const;
  std::expected<void, Stop> check_bytes(std::size_t part, const plan::Problem& problem) const;

  std::expected<void, Stop> check_cost(std::size_t part, const plan::Problem& problem);

  const compiler::ProductSequence& sequence_;
  const RunArguments& arguments_;
  const ProductLimits limits_;
  double multiplications_ = 0, array_bytes_ = 0;  // of the parts so far
  const RunArrays& arrays_;
  std::vector<ArrayShape> shapes_;  // of each array; without sizes until a part uses it
  Buffers memory_;
};

}  // namespace heddle::tool
