// CuTe's thread-value layouts: (thread, value) -> index in a tile. The index counts along dim0
// first. A thread of a block is a lane of a warp, and a value is a register.
//
//   ((4,8),(2,2)):((32,1),(16,8)) in a tile (16,8) is the accumulator of mma.m16n8: thread
//   (t % 4, t / 4) holds row t / 4 + 8 * v1 and column 2 * (t % 4) + v0.
#pragma once

#include "heddle/interop/cute/linear.h"

namespace heddle::interop::cute {

/// A thread-value layout and the tile that it is of.
struct ThreadValue {
  Layout layout;             // (thread, value) -> index
  std::vector<Number> tile;  // sizes of dim0, dim1, …
  friend bool operator==(const ThreadValue&, const ThreadValue&) = default;
};

/// The map (register, lane, warp) -> (dim0, dim1, …). Threads beyond a warp of `warp_size` are
/// further warps.
/// Errors: a layout of another rank than 2, a tile or a warp size that is no power of two, what
/// to_linear refuses, an index outside the tile.
std::expected<layout::LinearLayout, std::string> to_distributed(const ThreadValue& tv,
                                                                Number warp_size = 32);

/// The thread-value layout of a map with the inputs register, lane, warp (or some of them).
/// Law: from_distributed undoes to_distributed: the map comes back if its axes were register, lane,
/// warp -> dim0, dim1, … and the warp size is the size of its lane axis.
/// Errors: another input axis; bases that share bits, which only a swizzle could give.
std::expected<ThreadValue, std::string> from_distributed(const layout::LinearLayout& map);

}  // namespace heddle::interop::cute
