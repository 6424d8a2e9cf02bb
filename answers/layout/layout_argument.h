// Reads a layout as a user writes it, which may be
// - a text in any dialect,
// - the operand of an instruction,
// - the way in which threads copy a tile from global memory,
// - the name of a layout in a file (layout_file.h),
// - the name of a file, or - for standard input, whose whole text is a layout.
//
// Words that were copied around the layout are removed (pasted_text.h).
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "heddle/instruction/fragment.h"
#include "heddle/interop/any_layout.h"
#include "heddle/plan/distribution.h"

namespace heddle::answers {

/// Facts that the meaning of a layout depends on and that its text does not contain.
struct LayoutContext {
  instruction::Target target = instruction::Target::gfx1151;
  bool any_target = false;  // if the target lacks an operand's instruction, use one that has it
  int lanes = 32;           // of a wave
  std::optional<plan::TileShape> tile;  // without one, an operand is that of one instruction
  std::vector<std::int64_t> shape;      // of the tile, where it has not just rows and columns
  instruction::KOrder k_order = instruction::KOrder::isa;
  int element_bits = 16;        // of copied elements, if nothing else says it
  bool cute_is_memory = false;  // CuTe's text is no thread-value layout of the tile
};

/// The text, and its meaning.
struct LayoutArgument {
  std::string text;
  std::string
      what;  // "Triton's attribute", "A of v_wmma_f32_16x16x16_f16", "rows, 8 elements a lane"
  interop::Meaning meaning;
  int element_bits = 0;                         // of an operand; 0: the text does not say
  std::string type;                             // of an operand; empty: the text does not say
  std::optional<interop::Dialect> dialect{};    // none for operands and copies
  std::optional<instruction::Target> target{};  // for an operand: the processor that has it
};

/// The forms of layouts that belong to no dialect, as words for help and errors.
inline constexpr std::string_view layout_forms =
    "a layout in any dialect, an operand as v_wmma_f32_16x16x16_f16.A, or rows:8 or columns:8 for "
    "threads that copy 8 elements each";

/// Reads the layout that was given for the command-line option `option`. Errors name the option. If
/// the text is wrong, the error shows where: the text, a ^ under the column, and a sentence.
std::expected<LayoutArgument, std::string> read_layout_argument(std::string_view option,
                                                                const std::string& text,
                                                                const LayoutContext& context);

/// If `text` names a layout in a file or on standard input, returns a text of this layout that no
/// longer refers to the file. Otherwise returns `text`. Error: the file is wrong, as for
/// read_layout_argument.
std::expected<std::string, std::string> layout_without_files(const std::string& text);

/// The map of a layout that distributes a tile over threads, with the standard axes: register,
/// lane, warp, block -> dim0, dim1, … Errors name the option.
std::expected<layout::LinearLayout, std::string> distributed_meaning(
    std::string_view option, const LayoutArgument& argument);

/// Reads a tile and its warps: "128x32", and "4" or "4x2" warps along rows and columns.
std::expected<plan::TileShape, std::string> read_tile(const std::string& tile,
                                                      const std::string& warps);

/// The sizes "16x8" or "(16,8)" or "16,8" of a tile of any number of dimensions.
std::expected<std::vector<std::int64_t>, std::string> read_shape(std::string_view option,
                                                                 const std::string& text);

/// The width in bits of an element in memory:
/// - the width of `type` (the value of --type), if it is given,
/// - otherwise `of_layouts`, the width that the layouts say (0: they say none),
/// - otherwise 16.
///
/// Errors: an unknown type; a type whose elements have other than 4, 8, 16, 32 or 64 bits; if
/// `must_agree`, a type whose width is not `of_layouts` (unless that is 0).
std::expected<int, std::string> element_bits_of(const std::string& type, int of_layouts,
                                                bool must_agree);

/// The width in bits of the element type named `name`. Error: a sentence.
std::expected<int, std::string> read_element_bits(const std::string& name);

}  // namespace heddle::answers
