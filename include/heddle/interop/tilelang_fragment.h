// TileLang's fragments: which thread holds an element of a tile, and where among its values; with
// copies in several threads.
//
//   Fragment([16, 16] -> [16], replicate: 2, thread: 32,
//            forward_thread: _rep * 16 + _i, forward_index: [_j])
//
// is the A operand of gfx11's WMMA: element (_i, _j) is value _j of threads _i and _i + 16. The
// first list is the tile's shape, the second that of a thread's values, which count the last axis
// fastest. `_i`, `_j`, `_k`, … are the tile's coordinates, `_rep` says which copy; a forward_index
// does not depend on it. `thread` is the number of threads. `, thread_range: Range(begin, extent)`
// may follow: forward_thread counts from `begin`.
//
// Source: tile-ai/tilelang, commit a35008a4: src/layout/layout.cc (FragmentNode::DebugOutput).
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

namespace detail {

/// The largest tile that is tried element by element, copies counted, and the most operations that
/// this may take.
inline constexpr std::int64_t most_elements = std::int64_t{1} << 22;
inline constexpr std::int64_t most_operations = std::int64_t{1} << 28;

/// _i, _j, … of `rank` axes, and _rep.
std::vector<std::string> variables(std::size_t rank);

/// [16, 16], (16, 16) or (16,).
Sizes read_shape(TextScanner& in);

void read_field(TextScanner& in, const std::string& name);

std::string shape_text(const Sizes& shape);

}  // namespace detail

/// Reads a fragment as TileLang prints it. Errors name the column. What to_distributed refuses is
/// read all the same.
/// Law: the text reads back: read(text(f)) == f.
std::expected<Fragment, TextError> read(std::string_view text);

std::string text(const Fragment& fragment);

namespace detail {

std::optional<std::string> not_a_power_of_two(std::int64_t size, const std::string& what);

int bits_of(std::int64_t size);

/// Where a fragment's expressions put its elements, as a map.
class Places {
 public:
  explicit Places(const Fragment& fragment) : fragment_(fragment) {}

  /// The map (_i, _j, …, _rep) -> (value, thread).
  std::expected<layout::LinearLayout, std::string> forward() {
    if (auto reason = check_sizes()) return std::unexpected(std::move(*reason));
    layout::LinearLayout::Bases bases{};
    for (int bit = 0; bit < inputs_.bits(); ++bit) {
      const auto word = place_of(std::uint64_t{1} << bit);
      if (!word) return std::unexpected(word.error());
      bases[static_cast<std::size_t>(bit)] = *word;
    }
    const auto map = layout::LinearLayout::from_words(inputs_, outputs_, bases);
    if (!map) return std::unexpected(std::string(map.error().message().view()));
    for (std::uint64_t flat = 0; flat >> inputs_.bits() == 0; ++flat) {
      const auto word = place_of(flat);
      if (!word) return std::unexpected(word.error());
      if (*word == map->apply(flat)) continue;
      return std::unexpected("the fragment is not linear over F2: at " + point_text(flat) +
                             " it is not the xor of what single bits give");
    }
    return *map;
  }

 private:
  std::optional<std::string> check_sizes() {
    __int128 elements = fragment_.replicate;
    int values = 0;
    for (std::size_t i = 0; i < fragment_.shape.size(); ++i) {
      const std::string name = variables(i + 1)[i];
      if (auto reason = not_a_power_of_two(fragment_.shape[i], "the size of " + name))
        return reason;
      elements *= fragment_.shape[i];
      if (elements > most_elements) return "the tile has more than 2^22 elements, copies counted";
      inputs_.push_back({layout::AxisName(std::string_view(name)), bits_of(fragment_.shape[i])});
    }
    std::int64_t operations = fragment_.forward_thread.operations();
    for (const IndexExpression& index : fragment_.forward_index) operations += index.operations();
    if (elements * operations > most_operations)
      return "the expressions take " + std::to_string(operations) +
             " operations for each element, more than 2^28 in all; simplify them";
    for (const std::int64_t size : fragment_.value_shape) {
      if (auto reason = not_a_power_of_two(size, "the size of an axis of the values"))
        return reason;
      values += bits_of(size);
    }
    if (auto reason = not_a_power_of_two(fragment_.replicate, "the number of copies"))
      return reason;
    if (auto reason = not_a_power_of_two(fragment_.threads, "the number of threads")) return reason;
    inputs_.push_back({"_rep", bits_of(fragment_.replicate)});
    outputs_.push_back({"value", values});
    outputs_.push_back({"thread", bits_of(fragment_.threads)});
    if (outputs_.bits() > layout::max_bits) return "values and threads have more than 64 bits";
    return std::nullopt;
  }

  std::string point_text(std::uint64_t flat) const {
    std::string text;
    for (const layout::Coordinate& at : inputs_.unpack(flat))
      text += (text.empty() ? "" : ", ") + std::string(at.axis.text()) + " = " +
              std::to_string(at.value);
    return text;
  }

  std::expected<std::uint64_t, std::string> place_of(std::uint64_t flat) const {
    std::array<std::int64_t, layout::max_axes> values{};
    std::size_t axis = 0;
    for (const layout::Coordinate& at : inputs_.unpack(flat))
      values[axis++] = static_cast<std::int64_t>(at.value);
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < fragment_.forward_index.size(); ++i) {
      const auto index =
          at_point(fragment_.forward_index[i], "an index", flat, values, fragment_.value_shape[i]);
      if (!index) return index;
      value = value << bits_of(fragment_.value_shape[i]) | *index;
    }
    const auto thread =
        at_point(fragment_.forward_thread, "the thread", flat, values, fragment_.threads);
    if (!thread) return thread;
    return value | *thread << outputs_[0].bits;
  }

  std::expected<std::uint64_t, std::string> at_point(const IndexExpression& expression,
                                                     const std::string& what, std::uint64_t flat,
                                                     std::span<const std::int64_t> values,
                                                     std::int64_t size) const {
    const auto result = expression.evaluate(values);
    if (result && *result >= 0 && *result < size) return static_cast<std::uint64_t>(*result);
    return std::unexpected(what + " " + expression.text() + " is " +
                           (result ? std::to_string(*result) : "no number of 64 bits") + " at " +
                           point_text(flat) + "; it is from 0 to " + std::to_string(size - 1));
  }

  const Fragment& fragment_;
  layout::AxisList inputs_, outputs_;
};

}  // namespace detail

/// The map (register, lane, warp) -> (dim0, dim1, …); copies are zero bases or sums of others.
/// Threads beyond a warp of `warp_size` are further warps.
/// Errors: sizes that are no powers of two, an expression that is not linear over F2 or leaves its
/// range, elements that share a place, a thread or value that holds nothing, a tile too large to be
/// tried element by element.
std::expected<layout::LinearLayout, std::string> to_distributed(const Fragment& fragment,
                                                                std::int64_t warp_size = 32);

/// The fragment of a map with the inputs register, lane, warp (or some of them).
/// Law: from_distributed undoes to_distributed: where a copy is taken is free, but each register of
/// each lane holds the same element again.
/// Errors: other inputs, more than 7 dimensions, elements that nothing holds, copies in registers.
std::expected<Fragment, std::string> from_distributed(const layout::LinearLayout& map);

}  // namespace heddle::interop::tilelang
