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

/// The kinds of layouts: who holds a tile, where a tile lies in shared memory, or a function of
/// coordinates.
enum class LayoutKind : std::uint8_t { held, shared, function };

/// A word of JSON: "held", "shared", "function".
std::string_view name(LayoutKind kind);

/// An input bit that makes copies of elements. If its basis is zero, inputs that differ in this bit
/// alone hold the same element. Otherwise its basis is a sum of other bases, and changing those
/// bits with it leads back to the same element.
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

  /// The tile, if a thread-value layout holds its elements unevenly; else empty.
  std::vector<std::int64_t> uneven_tile;

  // For maps over powers of two, not for a function of CuTe's with other sizes.
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
  /// The map over bits; null if the layout has none.
  const layout::LinearLayout* map() const;
};

LayoutView layout_view(LayoutArgument argument, bool has_shape);

/// Reads the arguments and makes the view. Error: a sentence.
std::expected<LayoutView, std::string> layout_view(const LayoutArguments& arguments);
/// The view of a CuTe thread-value layout that stays inside the tile of `arguments` but is no map
/// over its bits: some elements have no holder, others several. Nothing if the text is no such
/// layout, has no tile, or is too large to count.
std::optional<LayoutView> uneven_view(const LayoutArguments& arguments);

/// The elements of a tile that have the same number of holders, by their index in the tile.
struct HeldElements {
  int times = 0;
  std::vector<std::int64_t> indices;  // ascending; the first dimension of the tile runs fastest
  std::string where;                  // "dim1 20 to 31", or the first few coordinates
};
std::vector<HeldElements> held_elements(const LayoutView& view);

/// "128" for a number of 64 bits, "2^40" for a larger one.
std::string count_text(int bits);

/// "16x8": the sizes of the tile.
std::string sizes_text(const LayoutView& view);

/// The offsets that a function of CuTe's reaches; nothing above 2^20 coordinates.
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

/// The native text, or the reason why there is none.
std::expected<std::string, std::string> native_text(const LayoutView& view);

}  // namespace heddle::answers
