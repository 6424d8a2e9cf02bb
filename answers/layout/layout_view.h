// The results of `heddle layout`, before they are written.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "answers/layout/layout_argument.h"
#include "heddle/memory/bank_model.h"

namespace heddle::answers {

/// The arguments of the commands `layout` and `translate`.
struct LayoutArguments {
  std::string text;
  std::string shape;   // of the tile; empty: the layout's own
  std::string warps;   // that share it; empty: one
  std::string target;  // of an operand; empty: the default
  int lanes = 0;       // of a warp; 0: 32, or those of the target
  std::string type;    // of an element in memory; empty: as wide as the text says, or 16 bits
};

/// Reads the arguments. Error: a sentence.
std::expected<LayoutArgument, std::string> read_layout_arguments(const LayoutArguments& arguments);

/// What a layout says: which thread holds which element of a tile (held), where each element of a
/// tile lies in shared memory (shared), or only a function of coordinates (function).
enum class LayoutKind : std::uint8_t { held, shared, function };

/// A word of JSON: "held", "shared", "function".
std::string_view name(LayoutKind kind);

/// A bit of the inputs (a bit of the lane, say) because of which several inputs hold the same
/// element. Either its basis is zero (`is_zero`): two inputs that differ only in this bit hold the
/// same element. Or its basis is the xor of the bases of some other bits: two inputs that differ in
/// this bit and in all those others hold the same element.
struct FreeBit {
  std::string axis;
  int bit = 0;
  bool is_zero = true;
};

struct LayoutView {
  LayoutArgument argument;
  LayoutKind kind = LayoutKind::function;
  layout::LinearLayout held;         // of `held`: the standard axes register, lane, warp, block
  std::vector<std::string> axes;     // of the tile or of the coordinates, as the layout names them
  std::vector<std::uint64_t> sizes;  // of those; 0: 2^64
  std::string gluon;                 // Gluon's mangled name; empty if it has none
  std::string hint;                  // another reading of the text, or advice; mostly empty

  /// For a thread-value layout in which some elements of the tile have more holders than others:
  /// the sizes of the tile. Otherwise empty.
  std::vector<std::int64_t> uneven_tile;

  // Set only if the layout is a map over bits, not for a function of CuTe's whose sizes are no
  // powers of two.
  int copy_bits = 0;     // each element that is reached is reached 2^copy_bits times
  int missing_bits = 0;  // one in 2^missing_bits is reached
  std::vector<FreeBit> free_bits;
  int vector_bits = 0;  // 2^vector_bits elements of one dimension follow each other
  std::size_t vector_axis = 0;

  // The facts that turn offsets in memory into bytes and banks.
  int element_bits = 16;
  std::string type;         // the value of --type; empty: not given
  memory::BankModel model;  // of the operand's processor, the named one, or the default

  const memory::SharedLayout& shared() const {
    return std::get<memory::SharedLayout>(argument.meaning);
  }
  const interop::cute::AnyLayout* cute() const {
    return std::get_if<interop::cute::AnyLayout>(&argument.meaning);
  }
  /// The layout as a linear map over the bits of its inputs; null if the layout is not such a map.
  const layout::LinearLayout* map() const;
};

LayoutView layout_view(LayoutArgument argument, bool has_shape);

/// Reads the arguments and makes the view. Error: a sentence.
std::expected<LayoutView, std::string> layout_view(const LayoutArguments& arguments);
/// The view of a CuTe thread-value layout in which some elements of the tile of `arguments` have no
/// holder or more holders than others. Such a layout is no map over the tile's bits, but stays
/// inside the tile. Null if the text is no such layout, if `arguments` give no tile, or if the
/// layout is too large to count its holders.
std::optional<LayoutView> uneven_view(const LayoutArguments& arguments);

/// All elements of a tile that a thread-value layout holds `times` times, as indices in the tile. A
/// thread that holds an element twice counts twice.
struct HeldElements {
  int times = 0;
  std::vector<std::int64_t> indices;  // ascending; the first dimension of the tile runs fastest
  std::string where;                  // "dim1 20 to 31", or the first few coordinates
};
std::vector<HeldElements> held_elements(const LayoutView& view);

/// The number 2^bits as text: "128", or "2^40" for 40 bits and more.
std::string count_text(int bits);

/// "16x8": the sizes of the tile.
std::string sizes_text(const LayoutView& view);

/// The offsets that a function of CuTe's has as values: the least, the greatest, and how many
/// different ones. Null if the function has more than 2^20 coordinates.
struct ReachedOffsets {
  std::int64_t least = 0, most = 0;
  std::uint64_t different = 0;
};
std::optional<ReachedOffsets> reached_offsets(const interop::cute::AnyLayout& layout);

/// A label and a sentence each, for people.
struct LayoutFact {
  std::string label;
  std::string words;
};
std::vector<LayoutFact> layout_facts(const LayoutView& view);

/// The layout in Heddle's own notation, or the reason why it has none.
std::expected<std::string, std::string> native_text(const LayoutView& view);

}  // namespace heddle::answers
