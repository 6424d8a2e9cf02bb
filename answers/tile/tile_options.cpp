#include "answers/tile/tile_options.h"

#include "answers/instruction/processor_argument.h"
#include "library/text/formatted.h"

namespace heddle::answers {

std::expected<LayoutContext, std::string> tile_context(const TileOptions& options) {
  const auto target = read_processor_or_generic(options.target);
  if (!target) return std::unexpected(target.error());
  LayoutContext context;
  context.target = *target;
  context.lanes = options.wave == 0 ? instruction::default_wave(*target) : options.wave;
  if (!memory::has_wave(*target, context.lanes))
    return std::unexpected(formatted("{} has no waves of {} lanes", options.target, context.lanes));
  if (options.k_order == "contiguous") context.k_order = instruction::KOrder::contiguous;
  if (!options.tile.empty()) {
    const auto tile = read_tile(options.tile, options.warps);
    if (!tile) return std::unexpected(tile.error());
    context.tile = *tile;
  } else if (!options.warps.empty()) {
    return std::unexpected("--warps needs the tile that they share, as --tile 64x32");
  }
  return context;
}

memory::BankModel bank_model(const LayoutContext& context) {
  return memory::bank_model(context.target, context.lanes);
}

}  // namespace heddle::answers
