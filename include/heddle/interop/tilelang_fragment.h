// TileLang's fragments: which thread holds an element of a tile, and as which of its values.
// Several threads may hold copies.
//
//   Fragment([16, 16] -> [16], replicate: 2, thread: 32,
//            forward_thread: _rep * 16 + _i, forward_index: [_j])
//
// is the A operand of gfx11's WMMA: element (_i, _j) is value _j of threads _i and _i + 16. The
// first list is the tile's shape. The second list is the shape of a thread's values, of which the
// last axis is fastest. `_i`, `_j`, `_k`, … are the coordinates in the tile. `_rep` is the number
// of the copy; forward_index does not depend on it. `thread` is the number of threads. `,
// thread_range: Range(begin, extent)` may follow: then forward_thread counts from `begin`.
//
// Source: tile-ai/tilelang, commit a35008a4: src/layout/layout.cc (FragmentNode::DebugOutput).
//
// forward_thread and forward_index may be any expressions, but only those that are linear over F2
// are a layout. This is tested for every element: (_i * 3) % 16 is rejected, and the error gives
// the first element at which it is not linear.
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

/// Reads a fragment as TileLang prints it. Errors give the column. Fragments that to_distributed
/// rejects are read too.
///
/// Law: the text reads back: read(text(f)) == f.
std::expected<Fragment, TextError> read(std::string_view text);

std::string text(const Fragment& fragment);

/// The map (register, lane, warp) -> (dim0, dim1, …). An input bit that only numbers copies has a
/// basis that is zero or a sum of other bases. Every `warp_size` threads form a warp.
///
/// Errors:
/// - sizes that are not powers of two;
/// - an expression that is not linear over F2 or exceeds its range;
/// - two elements in the same place;
/// - a thread or value without an element;
/// - a tile too large to be tested element by element.
std::expected<layout::LinearLayout, std::string> to_distributed(const Fragment& fragment,
                                                                std::int64_t warp_size = 32);

/// The fragment of a map with the input axes register, lane, warp (or some of them).
///
/// Law: from_distributed undoes to_distributed: in to_distributed(from_distributed(m)), each
/// register of each lane holds the same element as in m, though copies may be numbered differently.
/// Errors: other input axes, more than 7 dimensions, elements that no thread holds, copies in
/// registers.
std::expected<Fragment, std::string> from_distributed(const layout::LinearLayout& map);

}  // namespace heddle::interop::tilelang
