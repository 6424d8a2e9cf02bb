// Finds the best layout of a tile in shared memory.
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "answers/tile/tile_options.h"
#include "heddle/interop/triton/nvmma_shared.h"
#include "heddle/plan/placement.h"

namespace heddle::answers {

/// The keys of the dialects (interop/any_layout.h) that describe places in memory.
inline constexpr std::array<std::string_view, 4> dialects_of_memory{"linear", "ttg", "gluon",
                                                                    "cute"};

/// The layouts that write a tile to shared memory and read it from there.
struct PlaceQuestion : TileOptions {
  std::string format = "text";
  /// If set, only the layout is answered: in a dialect of dialects_of_memory, or as functions in a
  /// language (layout_code.h). Empty: everything in words.
  std::string placed_as;
  std::vector<std::string> stores, loads;
  std::int64_t most_bytes = 65536;
  bool swizzle_only = false, padding_only = false, descriptor = false;
};

/// A writer or reader of the tile. The tile is placed for the access. For a load that transposes,
/// the access is the elements that each lane reads before the lanes exchange them.
struct Party {
  LayoutArgument argument;
  layout::LinearLayout held;
  std::string instruction;  // a load that transposes; else empty
};

/// The question as it was understood, and the answer by each means.
struct PlaceView {
  memory::BankModel model;
  int element_bits = 16;
  std::vector<Party> parties;
  std::vector<plan::TileAccess> accesses;  // of each
  plan::Means asked = plan::Means::any;
  /// The name of the layout in a descriptor; nothing if none was asked for.
  std::optional<interop::triton::NVMMASharedLayout> descriptor;
  plan::Placement chosen;
  std::vector<std::pair<plan::Means, std::expected<plan::Placement, std::string>>> others;
};

/// A layout with its instruction, as in "ldmatrix:NAME.A".
struct MovedLayout {
  std::optional<plan::Move> move;  // none: plain loads or stores
  std::string load;                // one that transposes; else empty
  std::string layout;
};
MovedLayout split_move(const std::string& text);

/// The view, or a sentence about the mistake in the question.
std::expected<PlaceView, std::string> place_view(const PlaceQuestion& question);

/// The answer in the requested format, or a sentence about the mistake in the question.
std::expected<std::string, std::string> place(const PlaceQuestion& question);

}  // namespace heddle::answers
