// Where a tile lies best in shared memory.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "answers/tile/tile_options.h"
#include "heddle/plan/placement.h"

namespace heddle::answers {

/// Who writes a tile to shared memory, and who reads it.
struct PlaceQuestion : TileOptions {
  std::string format = "text";
  std::string code;  // in which language (layout_code.h); empty: words
  std::vector<std::string> stores, loads;
  std::int64_t most_bytes = 65536;
  bool swizzle_only = false, padding_only = false, descriptor = false;
};

/// The question as it was understood, and the answer by each means.
struct PlaceView {
  memory::BankModel model;
  int element_bits = 16;
  std::vector<LayoutArgument> arguments;
  std::vector<plan::TileAccess> accesses;
  plan::Means asked = plan::Means::any;
  std::string descriptor;  // what a descriptor calls the layout; empty where none was asked for
  plan::Placement chosen;
  std::vector<std::pair<plan::Means, std::expected<plan::Placement, std::string>>> others;
};

/// "ldmatrix:NAME.A": the instruction that stands before a layout, and the layout.
struct MovedLayout {
  std::optional<plan::Move> move;  // none: plain loads or stores
  std::string layout;
};
MovedLayout split_move(const std::string& text);

/// The view, or a sentence on what is wrong with the question.
std::expected<PlaceView, std::string> place_view(const PlaceQuestion& question);

/// The answer in the format that the question names, or a sentence on what is wrong with it.
std::expected<std::string, std::string> place(const PlaceQuestion& question);

}  // namespace heddle::answers
