// Reads and writes layouts in the notations (dialects) of other systems: one reader, which
// recognises the dialect, and one writer.
//
//   const auto layout =
//       read_layout("#ttg.padded_shared<[4:+2] {order = [1, 0], shape = [16, 16]}>");
//   layout->dialect                                  Dialect::triton
//   layout->meaning                                  a memory::SharedLayout
//   write_layout(layout->meaning, Dialect::native)   offset: (0,1) (0,2) … padding 4:+2
//
// A text means one of three things: which thread holds which element of a tile (register, lane,
// warp, block -> dim0, dim1, …), the layout of a tile in shared memory (offset -> dim0, dim1, … and
// padding), or, in CuTe only, a function of coordinates that is neither.
//
// WHAT EACH DIALECT CAN EXPRESS
//
//     key        a text begins with                held by threads     shared memory
//     linear     register: (0,1) …                 yes                 yes, with padding
//     ttg        #ttg.  tensor<  !ttg.memdesc<     yes                 yes, with padding
//     gluon      gl.BlockedLayout(                 yes                 yes, with padding
//     cute       (4,8):(8,1)                       thread and value    strides and a swizzle
//     iree       #iree_vector_ext.nested_layout    yes                 no
//     tilelang   Fragment([16, 16] -> …            yes                 no
//     ck-tile    tile_distribution_encoding<       yes                 no
//
// A layout that a dialect cannot express is rejected with the reason, never approximated: "it lies
// in shared memory; IREE's layout says who holds elements in registers".
#pragma once

#include <array>
#include <expected>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "heddle/interop/cute/shared.h"
#include "heddle/interop/native.h"

namespace heddle::interop {

enum class Dialect : std::uint8_t { native, triton, gluon, cute, iree, tilelang, ck_tile };

struct DialectRow {
  Dialect dialect;
  std::string_view key;   // as an option is written
  std::string_view name;  // as a sentence says it
};
inline constexpr std::array<DialectRow, 7> dialect_rows{{
    {Dialect::native, "linear", "Heddle's linear layout"},
    {Dialect::triton, "ttg", "Triton's attribute"},
    {Dialect::gluon, "gluon", "Gluon's layout"},
    {Dialect::cute, "cute", "CuTe's shape:stride"},
    {Dialect::iree, "iree", "IREE's layout"},
    {Dialect::tilelang, "tilelang", "TileLang's fragment"},
    {Dialect::ck_tile, "ck-tile", "Composable Kernel's tile distribution"},
}};
constexpr const DialectRow& row(Dialect dialect) {
  return dialect_rows[static_cast<std::size_t>(dialect)];
}

/// The dialect with this key, or null. "triton" is accepted as another key of Triton's attributes.
constexpr const DialectRow* find_dialect(std::string_view key) {
  if (key == "triton") key = row(Dialect::triton).key;
  for (const DialectRow& one : dialect_rows)
    if (one.key == key) return &one;
  return nullptr;
}

using Meaning = std::variant<layout::LinearLayout, memory::SharedLayout, cute::AnyLayout>;

struct AnyLayout {
  Dialect dialect = Dialect::native;
  Meaning meaning;
  int element_bits = 0;  // where the text says how wide an element is, as CuTe's pointers and
                         // Triton's types do; else 0
};

/// The parameters that a text leaves open.
struct ReadingContext {
  std::vector<std::int64_t> shape;  // of the tile: for Triton's attributes, and to say that a
                                    // layout of CuTe is (thread, value) -> index in such a tile
  std::int64_t lanes = 32;          // of a warp
};

/// The dialect of a text, by how it begins. A text of no other dialect counts as native.
Dialect dialect_of(std::string_view text);

namespace detail {

/// The map with exactly the input axes register, lane, warp and block and the output axes dim0,
/// dim1, …. An input axis `element` becomes the low bits of register.
std::expected<layout::LinearLayout, std::string> standard_distributed(
    const layout::LinearLayout& map);

}  // namespace detail

/// Reads a layout in any dialect. Errors give the column, with the message of that dialect's
/// reader.
std::expected<AnyLayout, TextError> read_layout(std::string_view text,
                                                const ReadingContext& context = {});

/// Writes the layout in a dialect. Error: why the dialect cannot express it.
///
/// Law: read_layout(write_layout(m, d)) means m, given its shape and lanes, if its axes are the
/// standard ones (register, lane, warp, block or offset, block; dim0, dim1, …).
std::expected<std::string, std::string> write_layout(const Meaning& meaning, Dialect dialect);

}  // namespace heddle::interop
