// The options of commands that take a tile: the GPU, the size, the warps that share it, and the
// element type.
#pragma once

#include <expected>
#include <string>

#include "answers/layout/layout_argument.h"
#include "heddle/memory/bank_model.h"

namespace heddle::answers {

/// The options as the user wrote them; empty or 0 if not given.
struct TileOptions {
  std::string target;
  std::string tile, warps;
  std::string type;
  std::string k_order = "isa";
  int wave = 0;
};

/// The options as a context for reading layouts, with the GPU. Error: a sentence about an unknown
/// GPU, a wave size that it lacks, or a wrong tile.
std::expected<LayoutContext, std::string> tile_context(const TileOptions& options);

/// The banks of the shared memory of the context's GPU, for waves of the context's size.
/// Precondition: the context names a GPU.
memory::BankModel bank_model(const LayoutContext& context);

}  // namespace heddle::answers
