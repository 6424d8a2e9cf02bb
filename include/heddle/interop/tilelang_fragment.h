// TileLang's fragments: which thread holds an element of a tile, and at which of its values.
// Several threads may hold copies.
//
//   Fragment([16, 16] -> [16], replicate: 2, thread: 32,
//            forward_thread: _rep * 16 + _i, forward_index: [_j])
//
// is the A operand of gfx11's WMMA: element (_i, _j) is value _j of threads _i and _i + 16. The
// first list is the tile's shape, the second that of a thread's values, which count the last axis
// fastest. `_i`, `_j`, `_k`, … are the tile's coordinates. `_rep` is the number of the copy; a
// forward_index does not depend on it. `thread` is the number of threads. `, thread_range:
// Range(begin, extent)` may follow: forward_thread counts from `begin`.
//
// Source: tile-ai/tilelang, commit a35008a4: src/layout/layout.cc (FragmentNode::DebugOutput).
//
// Any expression may stand there, but it is a layout only if it is linear over F2. This is tried on
// every element: (_i * 3) % 16 is refused, with the first element at which it is not linear.
#pragma once

#include <expected>
#include <utility>

#include "heddle/interop/index_expression.h"
#include "heddle/layout/axes.h"
#include "heddle/layout/formula.h"
#include "heddle/layout/needs_cxx23.h"
#include "heddle/layout/solve.h"

namespace heddle::interop::tilelang {

using Sizes = std::vector<std::int64_t>;

struct Fragment {
  Sizes shape;
  Sizes value_shape;
  std::int64_t replicate = 1;
  std::int64_t threads = 1;
  IndexExpression forward_thread;
  std::vector<IndexExpression> forward_index;  // one for each axis of value_shape
  std::optional<std::pair<std::int64_t, std::int64_t>> thread_range;
  friend bool operator==(const Fragment&, const Fragment&) = default;
};

/// Reads a fragment as TileLang prints it. Errors name the column. It also reads fragments that
/// to_distributed refuses.
/// Law: the text reads back: read(text(f)) == f.
std::expected<Fragment, TextError> read(std::string_view text);

std::string text(const Fragment& fragment);

/// The map (register, lane, warp) -> (dim0, dim1, …); copies are zero bases or sums of others.
/// Threads beyond a warp of `warp_size` are further warps.
/// Errors: sizes that are no powers of two, an expression that is not linear over F2 or leaves its
/// range, elements that share a place, a thread or value that holds nothing, a tile too large to be
/// tried element by element.
std::expected<layout::LinearLayout, std::string> to_distributed(const Fragment& fragment,
                                                                std::int64_t warp_size = 32);

/// The fragment of a map with the inputs register, lane, warp (or some of them).
/// Law: from_distributed undoes to_distributed: the numbers of copies may change, but each register
/// of each lane holds the same element again.
/// Errors: other inputs, more than 7 dimensions, elements that nothing holds, copies in registers.
std::expected<Fragment, std::string> from_distributed(const layout::LinearLayout& map);

}  // namespace heddle::interop::tilelang
