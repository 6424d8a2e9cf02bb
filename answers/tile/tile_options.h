// The options of commands that take a tile: which GPU, how large, shared by how many warps, of
// what.
#pragma once

#include <expected>
#include <string>

#include "answers/layout/layout_argument.h"
#include "heddle/memory/bank_model.h"

namespace heddle::answers {

/// What the user wrote; empty or 0 where nothing.
struct TileOptions {
  std::string target;
  std::string tile, warps;
  std::string type;
  std::string k_order = "isa";
  int wave = 0;
};

/// What the options say of layouts, the GPU among it, or a sentence: an unknown GPU, a wave that it
/// has not, a tile that is none.
std::expected<LayoutContext, std::string> tile_context(const TileOptions& options);

/// The banks of the GPU for such waves. Precondition: the context names one.
memory::BankModel bank_model(const LayoutContext& context);

}  // namespace heddle::answers
