// Reads a layout as a user writes it: in any dialect; as the operand of an instruction; as the way
// threads copy a tile from global memory; by its name in a file (layout_file.h); or as the whole
// text of a file or of standard input (-). The text around a copied layout is removed
// (pasted_text.h).
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "heddle/instruction/fragment.h"
#include "heddle/interop/any_layout.h"
#include "heddle/plan/distribution.h"

namespace heddle::answers {

/// The facts that the text of a layout does not give.
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

/// The forms besides the dialects, for help and errors.
inline constexpr std::string_view layout_forms =
    "a layout in any dialect, an operand as v_wmma_f32_16x16x16_f16.A, or rows:8 or columns:8 for "
    "threads that copy 8 elements each";

/// Reads the value of `option`. Errors name the option. If the text is wrong, they show the place:
/// the text, a ^ under the column, and a sentence.
std::expected<LayoutArgument, std::string> read_layout_argument(std::string_view option,
                                                                const std::string& text,
                                                                const LayoutContext& context);

/// If the text names a layout in a file or on standard input, returns that layout as a text of its
/// own; otherwise returns the text. Error: as for read_layout_argument, if the file is wrong.
std::expected<std::string, std::string> layout_without_files(const std::string& text);

/// The same for a layout that distributes a tile over threads: register, lane, warp, block -> dim0,
/// dim1, …
std::expected<layout::LinearLayout, std::string> distributed_meaning(
    std::string_view option, const LayoutArgument& argument);

/// Reads a tile and its warps: "128x32", and "4" or "4x2" warps along rows and columns.
std::expected<plan::TileShape, std::string> read_tile(const std::string& tile,
                                                      const std::string& warps);

/// The sizes "16x8" or "(16,8)" or "16,8" of a tile of any number of dimensions.
std::expected<std::vector<std::int64_t>, std::string> read_shape(std::string_view option,
                                                                 const std::string& text);

/// The bits of an element in memory. They are those of `type`, the value of --type. If it is empty,
/// they are those of the layouts (`of_layouts`; 0: unknown), or else 16. Errors: an unknown type; a
/// type whose elements share bytes unevenly; a type with other bits than the layouts, if
/// `must_agree`.
std::expected<int, std::string> element_bits_of(const std::string& type, int of_layouts,
                                                bool must_agree);

/// The bits of an element type by name, or a sentence.
std::expected<int, std::string> read_element_bits(const std::string& name);

}  // namespace heddle::answers
