// The loops of a contraction in four groups: batch, m, n and k.
//
// A kernel counts through each group with one number. Loops whose places follow each other in every
// operand become one: in C[b, s, n] += A[b, s, k] * B[k, n], b and s are the rows of one matrix. If
// they do not follow each other, the place jumps each time an inner loop begins again (Axis,
// matmul_request.h). An outer loop of large matrices is counted with the batch instead, where a
// jump costs nothing.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/request/matmul_request.h"

namespace heddle::compiler {

/// `factor` times the sizes of the dynamic loops in `loops`, a bit for each.
struct LoopProduct {
  std::int64_t factor = 0;
  std::uint64_t loops = 0;
  friend bool operator==(const LoopProduct&, const LoopProduct&) = default;
};

/// Their product, whose factor ends at 2^62. Nothing if a dynamic size would occur twice.
std::optional<LoopProduct> times(const LoopProduct& x, const LoopProduct& y);

/// The numbers of loops that count as one, the outermost first.
using Run = std::vector<int>;

/// The runs of a group, the outermost first. If only one has a dynamic loop, it is the first.
struct LoopGroup {
  std::vector<Run> runs;
};

using LoopGroups = std::array<LoopGroup, 4>;  // of each plan::Loop

/// The input of the search for groups.
struct GroupedLoops {
  std::vector<std::int64_t> sizes;          // of each loop; -1: dynamic
  std::array<std::vector<int>, 4> members;  // of each plan::Loop; of m and n some may become batch
  /// The step of each loop in A, B, D and every other matrix.
  std::vector<std::vector<LoopProduct>> strides;

  LoopProduct size(int loop) const;
  LoopProduct size(const Run& run) const;
  /// The product of all runs; if one is dynamic, of the others.
  std::int64_t static_size(const LoopGroup& group) const;
  bool is_dynamic(const LoopGroup& group) const;
};

/// Grids have at most this many blocks along z. Source: CUDA C++ Programming Guide, "Compute
/// Capabilities", maximum z-dimension of a grid; HIP's is not smaller.
inline constexpr std::int64_t most_batches = 65535;

LoopGroups grouped(const GroupedLoops& loops);

}  // namespace heddle::compiler
