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

/// The question of `heddle place`: where in shared memory the elements of a tile should lie.
/// `stores` and `loads` are the layouts of registers from which the tile is written and into which
/// it is read.
struct PlaceQuestion : TileOptions {
  std::string format = "text";
  /// If set, the answer is only the chosen layout, written in a dialect of dialects_of_memory or as
  /// functions in a programming language (layout_code.h). If empty, the answer also has the costs
  /// and the other means.
  std::string placed_as;
  std::vector<std::string> stores, loads;
  std::int64_t most_bytes = 65536;
  bool swizzle_only = false, padding_only = false, descriptor = false;
};

/// One access to the tile: a store from registers, or a load into registers, with its layout. If it
/// is a load that transposes, the tile is placed for the elements that each lane reads from memory,
/// before the lanes exchange them.
struct Party {
  LayoutArgument argument;
  layout::LinearLayout held;
  std::string instruction;  // a load that transposes; else empty
};

/// The question after reading, the chosen placement, and the placements that the other means
/// (swizzle, padding, …) give.
struct PlaceView {
  memory::BankModel model;
  int element_bits = 16;
  std::vector<Party> parties;
  std::vector<plan::TileAccess> accesses;  // of each
  plan::Means asked = plan::Means::any;
  /// Triton's name for the layout of a matrix descriptor; null if none was asked for.
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

/// Finds the view that the question asks for. Error: a sentence about the mistake in the question.
std::expected<PlaceView, std::string> place_view(const PlaceQuestion& question);

/// Answers the question, in the format that it asks for. Error: a sentence about the mistake in the
/// question.
std::expected<std::string, std::string> place(const PlaceQuestion& question);

}  // namespace heddle::answers
