#include "tools/heddle/tile_options.h"

#include <fmt/format.h>

#include "tools/heddle/option_values.h"
#include "tools/heddle/source_file.h"

namespace heddle::tool {

void add_tile_options(CLI::App& command, TileOptions& options) {
  command.add_option("--arch", options.target, "GPU")->required();
  command.add_option("--tile", options.tile,
                     "rows and columns, over which operands and copies are spread, as 128x32");
  command.add_option("--warps", options.warps,
                     "warps that share the tile, as 4, or 4x2 along rows and columns");
  command.add_option("--type", options.type,
                     "of an element; without it that of the operand, or f16");
  command.add_option("--wave", options.wave, "lanes of a wave; without it 32, on CDNA 64")
      ->transform(one_of({"32", "64"}));
  command.add_option("--k-order", options.k_order, "numbering of k: isa or contiguous")
      ->transform(one_of({"isa", "contiguous"}))
      ->capture_default_str();
}

std::expected<LayoutContext, std::string> tile_context(const TileOptions& options) {
  const auto target = read_processor(options.target);
  if (!target) return std::unexpected(target.error());
  LayoutContext context;
  context.target = *target;
  context.lanes = options.wave == 0 ? instruction::default_wave(*target) : options.wave;
  if (!memory::has_wave(*target, context.lanes))
    return std::unexpected(
        fmt::format("{} has no waves of {} lanes", options.target, context.lanes));
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

std::expected<int, std::string> element_bits_of(const TileOptions& options, int of_operands,
                                                bool must_agree) {
  if (options.type.empty()) return of_operands == 0 ? 16 : of_operands;
  const auto named = read_element_bits(options.type);
  if (!named) return std::unexpected(named.error());
  if (*named != 4 && *named != 8 && *named != 16 && *named != 32 && *named != 64)
    return std::unexpected(fmt::format(
        "--type {}: elements of {} bits have no place of their own; 4, 8, 16, 32 or 64 bits have",
        options.type, *named));
  if (must_agree && of_operands != 0 && *named != of_operands)
    return std::unexpected(fmt::format("--type {} has {} bits, the operand's elements have {}",
                                       options.type, *named, of_operands));
  return *named;
}

}  // namespace heddle::tool
