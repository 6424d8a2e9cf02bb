// Sorts the loops of a contraction into four groups: batch, m, n and k.
//
// A kernel counts through all loops of a group with one number. Loops that are contiguous with each
// other in every operand can be counted like a single loop: in C[b, s, n] += A[b, s, k] * B[k, n],
// b and s together count the rows of one matrix. If loops are not contiguous, the offset in memory
// jumps each time an inner loop begins again (Axis, matmul_request.h). If an outer loop of m or n
// counts large matrices, the batch counts it instead, because jumps between matrices of the batch
// cost nothing.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/request/matmul_request.h"

namespace heddle::compiler {

/// A product: `factor` times the sizes of those dynamic loops whose bits are set in `loops`.
struct LoopProduct {
  std::int64_t factor = 0;
  std::uint64_t loops = 0;
  friend bool operator==(const LoopProduct&, const LoopProduct&) = default;
};

/// The product of x and y. Its factor is at most 2^62; a larger one is cut off. Null if the size of
/// a dynamic loop would occur twice in the product.
std::optional<LoopProduct> times(const LoopProduct& x, const LoopProduct& y);

/// A run: the numbers of loops that are contiguous with each other and count like one loop. The
/// outermost loop comes first.
using Run = std::vector<int>;

/// The runs of a group, the outermost first. But if only one run has a dynamic loop, this run is
/// the first.
struct LoopGroup {
  std::vector<Run> runs;
};

using LoopGroups = std::array<LoopGroup, 4>;  // of each plan::Loop

/// The input of the search for groups.
struct GroupedLoops {
  std::vector<std::int64_t> sizes;          // of each loop; -1: dynamic
  std::array<std::vector<int>, 4> members;  // of each plan::Loop; of m and n some may become batch
  /// For A, B, D and then every other matrix: a list with a distance in memory for each loop, by
  /// which an element moves in one step of the loop.
  std::vector<std::vector<LoopProduct>> strides;

  LoopProduct size(int loop) const;
  LoopProduct size(const Run& run) const;
  /// The product of the sizes of the group's loops, without the loops whose size is dynamic.
  std::int64_t static_size(const LoopGroup& group) const;
  bool is_dynamic(const LoopGroup& group) const;
};

/// Grids have at most this many blocks along z. Source: CUDA C++ Programming Guide, "Compute
/// Capabilities", maximum z-dimension of a grid; HIP's is not smaller.
inline constexpr std::int64_t most_batches = 65535;

LoopGroups grouped(const GroupedLoops& loops);

}  // namespace heddle::compiler
