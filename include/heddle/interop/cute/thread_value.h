// CuTe's thread-value layouts: (thread, value) -> index in a tile. The index counts along dim0
// first. The number of a thread in its thread block is split into lane and warp, and a value is a
// register.
//
//   ((4,8),(2,2)):((32,1),(16,8)) in a tile (16,8) is the accumulator of mma.m16n8: thread
//   (t % 4, t / 4) holds row t / 4 + 8 * v1 and column 2 * (t % 4) + v0.
#pragma once

#include "heddle/interop/cute/linear.h"

namespace heddle::interop::cute {

/// A thread-value layout and the tile to whose indices it maps.
struct ThreadValue {
  Layout layout;             // (thread, value) -> index
  std::vector<Number> tile;  // sizes of dim0, dim1, …
  friend bool operator==(const ThreadValue&, const ThreadValue&) = default;
};

/// The map (register, lane, warp) -> (dim0, dim1, …). Every `warp_size` threads form a warp.
/// Errors: a layout whose rank is not 2, a tile or a warp size that is not a power of two, whatever
/// to_linear rejects, an index outside the tile.
std::expected<layout::LinearLayout, std::string> to_distributed(const ThreadValue& tv,
                                                                Number warp_size = 32);

/// The thread-value layout of a map with the input axes register, lane, warp (or some of them).
///
/// Law: from_distributed undoes to_distributed: to_distributed(from_distributed(m)) == m if the
/// axes are register, lane, warp -> dim0, dim1, … and the warp size is the size of the lane axis.
/// Errors: another input axis; bases with common bits, which only a swizzle could express.
std::expected<ThreadValue, std::string> from_distributed(const layout::LinearLayout& map);

}  // namespace heddle::interop::cute
