#include "heddle/plan/shared_conversion.h"

#include <algorithm>

#include "library/text/formatted.h"

namespace heddle::plan::detail {
namespace {

/// Appends the elements of `words` that `seen` does not span yet, in their order.
void append_new(std::vector<std::uint64_t>& into, layout::Subspace& seen,
                const std::vector<std::uint64_t>& words) {
  for (const std::uint64_t word : words)
    if (seen.add(word)) into.push_back(word);
}

}  // namespace

layout::LinearLayout parts_of(const layout::AxisList& dims, const std::vector<std::uint64_t>& apart,
                              const std::vector<std::uint64_t>& together) {
  std::vector<std::uint64_t> units;
  for (int bit = 0; bit < dims.bits(); ++bit) units.push_back(std::uint64_t{1} << bit);
  // Builds the inverse, (part, element) -> tile: the bits of `part` have the words of `apart`, and
  // the bits of `element` have other words, which complete them to the whole tile.
  layout::Subspace seen;
  std::vector<std::uint64_t> words;
  append_new(words, seen, apart);
  append_new(words, seen, together);
  append_new(words, seen, units);
  const int part_bits = static_cast<int>(apart.size());
  layout::LinearLayout::Bases bases{};
  std::copy(words.begin(), words.end(), bases.begin());
  const auto inverse = layout::LinearLayout::from_words(
      {{"part", part_bits}, {"element", dims.bits() - part_bits}}, dims, bases);
  return layout::invert(inverse.value()).value();
}

layout::LinearLayout first_part(const layout::LinearLayout& map,
                                const layout::LinearLayout& parts) {
  const int part_axis = parts.outputs().find("part");
  const int element_axis = parts.outputs().find("element");
  const auto element = [&](std::uint64_t word) {
    return parts.outputs().coordinate(parts.apply(word), element_axis);
  };
  // The register bits whose elements lie in part 0, and sums of other bits that lie there, too.
  std::vector<std::uint64_t> registers;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> rows;  // part, word
  for (std::uint64_t word : words_of(map, "register")) {
    std::uint64_t part = parts.outputs().coordinate(parts.apply(word), part_axis);
    for (const auto& [row_part, row_word] : rows) {
      if ((part & (row_part & (~row_part + 1))) == 0) continue;
      part ^= row_part;
      word ^= row_word;
    }
    if (part != 0)
      rows.emplace_back(part, word);
    else
      registers.push_back(element(word));
  }
  layout::LinearLayout::Bases bases{};
  std::size_t next = 0;
  for (const std::uint64_t word : registers) bases[next++] = word;
  layout::AxisList inputs{{"register", static_cast<int>(registers.size())}};
  for (const layout::AxisName& axis : std::span(distributed_axes).subspan(1, 2)) {
    inputs.push_back({axis, map.inputs().bits_of(axis)});
    for (const std::uint64_t word : words_of(map, axis)) bases[next++] = element(word);
  }
  return layout::LinearLayout::from_words(inputs, {parts.outputs()[element_axis]}, bases).value();
}

namespace {

/// The instruction that moves `bytes` a lane, 1 to 16. PTX ISA, ld and st; RDNA3 ISA and CDNA3 ISA,
/// LDS instructions (CDNA says read and write).
std::string shared_mnemonic(instruction::Family family, bool is_store, int bytes) {
  const std::string bits = formatted("{}", 8 * std::min(bytes, 4));
  if (instruction::is_nvidia(family)) {
    const std::string vector = bytes == 16 ? ".v4" : bytes == 8 ? ".v2" : "";
    return (is_store ? "st.shared" : "ld.shared") + vector + ".b" + bits;
  }
  const bool is_cdna = instruction::is_cdna(family);
  const std::string verb =
      is_store ? (is_cdna ? "ds_write_" : "ds_store_") : (is_cdna ? "ds_read_" : "ds_load_");
  return formatted("{}{}{}", verb, bytes < 4 && !is_store ? "u" : "b", 8 * bytes);
}

/// The cheapest conversion through shared memory with these parts. For the stores and for the
/// loads, it tries plain and matrix instructions.
std::expected<ConversionWay, std::string> shared_way_in_parts(
    const instruction::ProcessorRow& processor, const memory::BankModel& model,
    const layout::LinearLayout& to, const layout::LinearLayout& from, int element_bits,
    bool crosses_warps, const layout::LinearLayout& parts) {
  const std::array maps{first_part(from, parts), first_part(to, parts)};
  const std::uint64_t part_count = parts.output_size("part");
  std::vector<Move> stores{Move::store};
  std::vector<Move> loads{Move::load};
  // Matrix instructions move whole 32-bit registers, so a register may not be split between parts.
  // In every part the registers must begin their rows where the registers of the first part do. The
  // layout is aligned for the first part's registers, so those of other parts may add only words in
  // their span.
  const auto keeps_registers = [&](const layout::LinearLayout& map) {
    const std::vector<std::uint64_t> registers = words_of(map, "register");
    const auto packed = static_cast<std::size_t>(element_bits_in(4, element_bits));
    const layout::AxisList& axes = parts.outputs();
    layout::Subspace aligned;
    std::vector<std::uint64_t> others;
    for (std::size_t i = 0; i < registers.size(); ++i) {
      const std::uint64_t word = parts.apply(registers[i]);
      const std::uint64_t element = axes.coordinate(word, axes.find("element"));
      const bool is_first = axes.coordinate(word, axes.find("part")) == 0;
      if (i < packed && !is_first) return false;
      if (!is_first)
        others.push_back(element);
      else if (i >= packed)
        aligned.add(element);
    }
    return std::ranges::all_of(others, [&](auto element) { return aligned.contains(element); });
  };
  if (model.has_matrix_moves && keeps_registers(to))
    loads.insert(loads.end(), {Move::ldmatrix, Move::ldmatrix_transposed});
  if (model.has_matrix_stores && keeps_registers(from))
    stores.insert(stores.end(), {Move::stmatrix, Move::stmatrix_transposed});
  const bool nvidia = instruction::is_nvidia(processor.family);
  std::optional<ConversionWay> best;
  std::string error;
  for (const Move store : stores) {
    for (const Move load : loads) {
      const std::array<TileAccess, 2> accesses{TileAccess{maps[0], store},
                                               TileAccess{maps[1], load}};
      if (!is_possible(accesses[0], element_bits) || !is_possible(accesses[1], element_bits))
        continue;
      const auto placement =
          place(model, {accesses[0], accesses[1]}, element_bits, Means::any, ~std::uint64_t{0});
      if (!placement) {
        error = placement.error();
        continue;
      }
      ConversionWay way;
      way.way = Way::shared;
      way.buffer = SharedExchange{parts, accesses, *placement};
      way.shared_bytes = placement->bytes;
      way.needs_barrier = crosses_warps;
      const std::uint64_t warps = to.input_size("warp");
      way.passes = (placement->passes * part_count + warps - 1) / warps;
      for (std::size_t i = 0; i < 2; ++i) {
        const PlacedAccess& placed = placement->accesses[i];
        const Move move = accesses[i].move;
        const std::string mnemonic =
            is_matrix(move) ? std::string(name(move)) + ".x4"
                            : shared_mnemonic(processor.family, i == 0,
                                              bytes_of(placed.element_bits_log2, element_bits));
        if (i == 1)
          add_step(way, nvidia ? "bar.sync" : "s_barrier", crosses_warps ? 2 * part_count - 1 : 0,
                   "waits for all warps", true);
        add_step(way, mnemonic, (placed.instructions * part_count + warps - 1) / warps,
                 i == 0 ? "writes the tile" : "reads it in the other layout");
      }
      if (!best ||
          std::pair(way.cost(), way.shared_bytes) < std::pair(best->cost(), best->shared_bytes))
        best = std::move(way);
    }
  }
  if (!best) return std::unexpected(error);
  return *best;
}

}  // namespace

std::expected<std::vector<ConversionWay>, std::string> shared_ways(
    const instruction::ProcessorRow& processor, const memory::BankModel& model,
    const layout::LinearLayout& to, const layout::LinearLayout& from, int element_bits,
    bool crosses_warps, const layout::LinearLayout& source) {
  layout::Subspace fixed;
  std::vector<std::uint64_t> together;
  for (const layout::LinearLayout* map : {&from, &to})
    for (const layout::AxisName& axis : std::span(distributed_axes).subspan(1, 2))
      append_new(together, fixed, words_of(*map, axis));
  std::vector<std::uint64_t> apart;
  const auto plan = [&](const std::vector<std::uint64_t>& words) {
    return shared_way_in_parts(processor, model, to, from, element_bits, crosses_warps,
                               parts_of(to.outputs(), words, together));
  };
  const auto work = [](const ConversionWay& way) {  // without barriers
    std::uint64_t instructions = 0;
    for (const ConversionStep& step : way.steps) instructions += step.is_barrier ? 0 : step.count;
    return std::pair(way.passes, instructions);
  };
  auto best = plan(apart);
  if (!best) return std::unexpected(best.error());
  const ConversionWay at_once = *best;
  const auto whole = work(at_once);
  const std::vector<std::uint64_t> registers = words_of(to, "register");
  for (int bit = static_cast<int>(registers.size()) - 1; bit >= 0; --bit) {
    const std::uint64_t stays =
        source.basis("register", bit, "lane") | source.basis("register", bit, "warp");
    const std::uint64_t word = registers[static_cast<std::size_t>(bit)];
    layout::Subspace with_word = fixed;
    if (stays != 0 || !with_word.add(word)) continue;
    std::vector<std::uint64_t> longer = apart;
    longer.push_back(word);
    auto way = plan(longer);
    if (!way || work(*way).first > whole.first || work(*way).second > 4 * whole.second) continue;
    best = std::move(way);
    apart = std::move(longer);
    fixed = with_word;
  }
  if (apart.empty()) return std::vector{at_once};
  return std::vector{*std::move(best), at_once};
}

}  // namespace heddle::plan::detail
