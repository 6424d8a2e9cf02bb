// The cheapest way from one distributed layout of a tile to another: nothing, other names for
// registers, an exchange between the lanes of a warp, or through shared memory.
//
// Where does each register find its element? S = inverse(from) ∘ to maps (register, lane, warp) of
// the destination to the source. Where the source holds copies there are several answers, and S
// takes the nearest: the same warp if possible, then the same lane. What S then still moves
// decides:
//
//   S moves              way                what it costs
//   nothing              nothing            -
//   registers            registers          packing of elements below 32 bits, if their words
//   change and lanes            lanes              shuffles and selects (lane_exchange.h) and warps
//   shared memory      stores, a barrier, loads (placement.h)
//
// Both the last ways are planned where both are possible, and the cheaper is taken. The cost is
// instructions of one warp + passes of its shared-memory accesses, a shuffle being a pass too on
// processors that send it through shared memory's pipeline. It is a count, not a time.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "heddle/instruction/target.h"
#include "heddle/memory/banks.h"
#include "heddle/plan/lane_exchange.h"
#include "heddle/plan/placement.h"

namespace heddle::plan {

enum class Way : std::uint8_t { nothing, registers, lanes, shared };

constexpr std::string_view name(Way way) {
  constexpr std::array<std::string_view, 4> names{"nothing", "registers", "lanes", "shared memory"};
  return names[static_cast<std::size_t>(way)];
}

/// One line of what a way executes, for one warp.
struct ConversionStep {
  std::string instruction;  // its mnemonic, or what it does
  std::uint64_t count = 0;  // executed by one warp
  std::string why;
};

/// One way, with what it costs.
struct ConversionWay {
  Way way = Way::nothing;
  std::vector<ConversionStep> steps;
  std::optional<LaneExchange> exchange;  // of Way::lanes and Way::registers
  std::optional<Placement> placement;    // of Way::shared: stores first, then loads
  std::vector<TileAccess> accesses;      // of Way::shared
  std::uint64_t shuffles = 0;
  std::uint64_t shared_bytes = 0;  // of the block
  std::uint64_t passes = 0;        // of shared memory, one warp
  bool needs_barrier = false;      // of the block; a warp alone waits for its own accesses only

  std::uint64_t instructions() const {
    std::uint64_t sum = 0;
    for (const ConversionStep& step : steps) sum += step.count;
    return sum;
  }
  std::uint64_t cost() const { return instructions() + passes; }
};

struct Conversion {
  layout::LinearLayout source;  // S: (register, lane, warp) of the destination -> of the source
  ConversionWay chosen;
  std::vector<ConversionWay> others;    // possible, and dearer
  std::vector<std::string> impossible;  // ways that were refused, and why
};

namespace detail {

inline constexpr std::array<layout::AxisName, 4> distributed_axes{"register", "lane", "warp",
                                                                  "block"};

/// The layout with exactly the input axes register, lane, warp, block.
inline layout::LinearLayout with_all_axes(const layout::LinearLayout& map) {
  layout::AxisList inputs;
  layout::LinearLayout::Bases bases{};
  std::size_t next = 0;
  for (const layout::AxisName& axis : distributed_axes) {
    inputs.push_back({axis, map.inputs().bits_of(axis)});
    for (const std::uint64_t word : words_of(map, axis)) bases[next++] = word;
  }
  return layout::LinearLayout::from_words(inputs, map.outputs(), bases).value();
}

/// S, nearest first: each basis of `to` as a sum of bases of `from`, in which the destination's own
/// bit is used if it can be, and registers rather than lanes rather than warps besides.
inline std::expected<layout::LinearLayout, std::string> nearest_source(
    const layout::LinearLayout& to, const layout::LinearLayout& from) {
  const layout::AxisList& inputs = from.inputs();
  layout::LinearLayout::Bases bases{};
  for (int bit = 0; bit < to.input_bits(); ++bit) {
    const int axis = to.inputs().axis_of_bit(bit);
    const int in_axis = bit - to.inputs().offset(axis);
    // The bit's own counterpart stays outside the sums: the word without it is tried first.
    const bool has_own = axis > 0 && in_axis < inputs[axis].bits;
    const std::uint64_t own = has_own ? std::uint64_t{1} << (inputs.offset(axis) + in_axis) : 0;
    std::optional<std::uint64_t> best;
    // As few of the axes as possible, the inner ones first; the own bit for free.
    for (int most_axis = 0; most_axis < inputs.size() && !best; ++most_axis) {
      for (const bool with_own : {true, false}) {
        if (with_own && own == 0) continue;
        Solver solver;
        for (int source = 0; source < inputs.offset(most_axis) + inputs[most_axis].bits; ++source)
          solver.add(std::uint64_t{1} << source, from.basis(source));
        const std::uint64_t word = to.basis(bit) ^ (with_own ? from.apply(own) : 0);
        if (const auto input = solver.solve(word)) {
          best = *input ^ (with_own ? own : 0);
          break;
        }
      }
    }
    if (!best) {
      std::string where;
      for (int axis = 0; axis < to.outputs().size(); ++axis)
        where += (axis == 0 ? "" : ", ") + std::string(to.outputs()[axis].name.text()) + " " +
                 std::to_string(to.outputs().coordinate(to.basis(bit), axis));
      return std::unexpected("the source nowhere holds the element at " + where +
                             ", which the destination needs");
    }
    bases[static_cast<std::size_t>(bit)] = *best;
  }
  return layout::LinearLayout::from_words(to.inputs(), inputs, bases).value();
}

/// The instruction of one round, and whether it goes through the pipeline of shared memory.
struct LaneInstruction {
  std::string_view mnemonic;
  bool uses_shared_pipeline = false;
};

/// How a processor moves a register from lane M l ^ x to lane l.
/// NVIDIA: PTX ISA, shfl.sync. RDNA: RDNA3 ISA, DPP16 (row_xmask) and v_permlane(x)16_b32, whose
/// selectors are the same for both rows; RDNA4 has selectors for each lane (v_permlane16_var_b32).
/// CDNA: CDNA3 ISA, DPP (quad_perm, row_half_mirror, row_mirror) and ds_swizzle_b32, whose bit mode
/// xors up to 31; CDNA4 swaps halves and rows (v_permlane32_swap_b32, v_permlane16_swap_b32).
/// ds_bpermute_b32 does every permutation.
inline LaneInstruction lane_instruction(instruction::Family family, const LaneExchange& exchange,
                                        const ExchangeRound& round) {
  using instruction::Family;
  const std::uint64_t x = round.lane_xor;
  if (instruction::is_nvidia(family))
    return {exchange.keeps_lanes() ? "shfl.sync.bfly.b32" : "shfl.sync.idx.b32", true};
  const bool is_cdna = instruction::is_cdna(family);
  if (exchange.keeps_lanes()) {
    if (is_cdna) {
      if (x < 4) return {"v_mov_b32_dpp quad_perm"};
      if (x == 7) return {"v_mov_b32_dpp row_half_mirror"};
      if (x == 15) return {"v_mov_b32_dpp row_mirror"};
      if (family == Family::gfx950 && x == 16) return {"v_permlane16_swap_b32"};
      if (family == Family::gfx950 && x == 32) return {"v_permlane32_swap_b32"};
      if (x < 32) return {"ds_swizzle_b32", true};
      return {"ds_bpermute_b32", true};
    }
    if (x < 16) return {"v_mov_b32_dpp row_xmask"};
    if (x < 32) return {"v_permlanex16_b32"};
    return {"ds_bpermute_b32", true};
  }
  const layout::LinearLayout& lanes = exchange.lanes;
  bool keeps_rows = !is_cdna && lanes.input_bits() == 5 && lanes.basis(4) >> 4 == 1;
  for (int bit = 0; bit < 4 && keeps_rows; ++bit) keeps_rows = lanes.basis(bit) < 16;
  if (keeps_rows && lanes.basis(4) == 16)
    return {(x & 16) != 0 ? "v_permlanex16_b32" : "v_permlane16_b32"};
  if (keeps_rows && family != Family::gfx11)
    return {(x & 16) != 0 ? "v_permlanex16_var_b32" : "v_permlane16_var_b32"};
  return {"ds_bpermute_b32", true};
}

inline void add_step(ConversionWay& way, std::string_view instruction, std::uint64_t count,
                     std::string why) {
  if (count == 0) return;
  for (ConversionStep& step : way.steps) {
    if (step.instruction != instruction || step.why != why) continue;
    step.count += count;
    return;
  }
  way.steps.push_back({std::string(instruction), count, std::move(why)});
}

/// The way without memory: renaming, selects and shuffles.
inline ConversionWay lane_way(const instruction::ProcessorRow& processor,
                              const LaneExchange& exchange, int element_bits) {
  const bool nvidia = instruction::is_nvidia(processor.family);
  const std::string_view select = nvidia ? "selp.b32" : "v_cndmask_b32";
  const std::string_view permute = nvidia ? "prmt.b32" : "v_perm_b32";
  ConversionWay way;
  way.exchange = exchange;
  const auto words = static_cast<std::uint64_t>(std::max(1, element_bits / 32));  // of an element
  const auto rounds = static_cast<std::uint64_t>(exchange.rounds.size());
  const std::uint64_t full = element_bits >= 32 ? 1 : static_cast<std::uint64_t>(32 / element_bits);
  const std::uint64_t together = std::uint64_t{1} << exchange.packed_to.size();
  if (!exchange.is_packed_already)
    add_step(way, permute, rounds * (together - 1), "packs elements that travel together");
  const auto stages_before = static_cast<std::uint64_t>(layout::rank(exchange.before));
  add_step(way, select, rounds * words * stages_before,
           "each lane brings the register it sends to one place");
  for (const ExchangeRound& round : exchange.rounds) {
    if (round.stays) continue;
    const LaneInstruction instruction = lane_instruction(processor.family, exchange, round);
    add_step(way, instruction.mnemonic, words, "moves a register between lanes");
    way.shuffles += words;
    if (instruction.uses_shared_pipeline) way.passes += words;
  }
  const auto stages_after = static_cast<std::uint64_t>(layout::rank(exchange.after));
  add_step(way, select, rounds * words * stages_after,
           "each lane brings what it received to its register");
  if (!exchange.is_packed_already || together < full)
    add_step(way, permute, rounds * together / full * (full - 1),
             "puts elements into their 32-bit registers");
  const bool moves_lanes = way.shuffles + stages_before + stages_after != 0;
  way.way = moves_lanes ? Way::lanes : Way::registers;
  return way;
}

/// The ways through shared memory: the cheapest of plain and matrix instructions on either side.
inline std::expected<ConversionWay, std::string> shared_way(
    const instruction::ProcessorRow& processor, const memory::BankModel& model,
    const layout::LinearLayout& to, const layout::LinearLayout& from, int element_bits,
    bool crosses_warps) {
  std::vector<Move> stores{Move::store};
  std::vector<Move> loads{Move::load};
  if (model.has_matrix_moves) {
    loads.insert(loads.end(), {Move::ldmatrix, Move::ldmatrix_transposed});
    if (processor.family >= instruction::Family::sm90)
      stores.insert(stores.end(), {Move::stmatrix, Move::stmatrix_transposed});
  }
  const bool nvidia = instruction::is_nvidia(processor.family);
  std::optional<ConversionWay> best;
  std::string error;
  for (const Move store : stores) {
    for (const Move load : loads) {
      const std::vector<TileAccess> accesses{{from, store}, {to, load}};
      if (!is_possible(accesses[0], element_bits) || !is_possible(accesses[1], element_bits))
        continue;
      const auto placement = place(model, accesses, element_bits, Means::any, ~std::uint64_t{0});
      if (!placement) {
        error = placement.error();
        continue;
      }
      ConversionWay way;
      way.way = Way::shared;
      way.placement = *placement;
      way.accesses = accesses;
      way.shared_bytes = placement->bytes;
      way.needs_barrier = crosses_warps;
      const std::uint64_t warps = to.input_size("warp");
      way.passes = (placement->passes + warps - 1) / warps;
      for (std::size_t i = 0; i < 2; ++i) {
        const PlacedAccess& placed = placement->accesses[i];
        const std::string bytes = std::to_string(bytes_of(placed.element_bits_log2, element_bits));
        const Move move = accesses[i].move;
        const std::string mnemonic =
            is_matrix(move) ? std::string(name(move))
                            : std::string(nvidia ? (i == 0 ? "st.shared, " : "ld.shared, ")
                                                 : (i == 0 ? "ds_store, " : "ds_load, ")) +
                                  bytes + " bytes a lane";
        if (i == 1)
          add_step(way, nvidia ? "bar.sync" : "s_barrier", crosses_warps ? 1 : 0,
                   "waits for all warps");
        add_step(way, mnemonic, (placed.instructions + warps - 1) / warps,
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

}  // namespace detail

/// Plans the conversion of a tile from one distributed layout to another: maps
/// (register, lane, warp, block) -> (dim0, dim1, …), axes that are missing having size 1.
/// Preconditions: element_bits is 4, 8, 16, 32 or 64.
/// Errors: tiles or numbers of lanes, warps or blocks that differ; another number of lanes than the
/// processor's waves have; an element that the source does not hold; elements that move between
/// blocks.
inline std::expected<Conversion, std::string> plan_conversion(const layout::LinearLayout& from_map,
                                                              const layout::LinearLayout& to_map,
                                                              instruction::Target target,
                                                              int element_bits) {
  const layout::LinearLayout from = detail::with_all_axes(from_map);
  const layout::LinearLayout to = detail::with_all_axes(to_map);
  const memory::BankModel model = memory::bank_model(target);
  const instruction::ProcessorRow& processor = instruction::processor(target);
  if (!(from.outputs() == to.outputs())) {
    const layout::Error error = layout::difference_of_axes(from.outputs(), to.outputs());
    return std::unexpected(error.code == layout::ErrorCode::none
                               ? "the dimensions of the tile are in another order"
                               : "the tiles differ: " + std::string(error.message().view()));
  }
  for (const layout::AxisName& axis : std::span(detail::distributed_axes).last(3)) {
    if (from.input_size(axis) != to.input_size(axis))
      return std::unexpected("the source has " + std::to_string(from.input_size(axis)) + " " +
                             std::string(axis.text()) + "s and the destination " +
                             std::to_string(to.input_size(axis)) + "; they must be as many");
  }
  if (from.input_size("lane") != static_cast<std::uint64_t>(model.wave))
    return std::unexpected("the layouts have " + std::to_string(from.input_size("lane")) +
                           " lanes, a wave of " + std::string(model.name) + " has " +
                           std::to_string(model.wave));
  const auto source = detail::nearest_source(to, from);
  if (!source) return std::unexpected(source.error());

  Conversion conversion;
  conversion.source = *source;
  bool crosses_warps = false;
  for (int bit = 0; bit < source->input_bits(); ++bit) {
    const int axis = source->inputs().axis_of_bit(bit);
    const std::uint64_t unit = std::uint64_t{1} << (bit - source->inputs().offset(axis));
    const std::uint64_t word = source->basis(bit);
    if (source->outputs().coordinate(word, 3) != (axis == 3 ? unit : 0))
      return std::unexpected(
          "elements move between the blocks of a cluster, which no way of one block does");
    crosses_warps |= source->outputs().coordinate(word, 2) != (axis == 2 ? unit : 0);
  }
  // Within a warp: the warp's part of S may still choose registers and lanes.
  std::vector<ConversionWay> ways;
  if (crosses_warps) {
    conversion.impossible.push_back("lanes: elements move between warps");
  } else {
    const auto within = layout::sublayout(*source, {"register", "lane"}, {"register", "lane"});
    bool depends_on_warp = false;
    for (const layout::AxisName& axis : std::span(detail::distributed_axes).last(2))
      for (int bit = 0; bit < source->inputs().bits_of(axis); ++bit)
        depends_on_warp |=
            source->basis(axis, bit, "register") != 0 || source->basis(axis, bit, "lane") != 0;
    const auto exchange = lane_exchange(within.value(), element_bits);
    if (depends_on_warp)
      conversion.impossible.push_back("lanes: warps would exchange by different patterns");
    else if (!exchange)
      conversion.impossible.push_back(
          "lanes: several registers of one lane are needed at once by different lanes");
    else
      ways.push_back(detail::lane_way(processor, *exchange, element_bits));
  }
  if (!ways.empty() && ways[0].instructions() == 0) {
    // Renaming; nothing at all if no name changes.
    bool is_identity = source->inputs() == source->outputs();
    for (int bit = 0; bit < source->input_bits() && is_identity; ++bit)
      is_identity = source->basis(bit) == std::uint64_t{1} << bit;
    if (is_identity) ways[0].way = Way::nothing;
  } else if (from.input_size("block") > 1) {
    conversion.impossible.push_back("shared memory: the tile is spread over several blocks");
  } else {
    auto shared = detail::shared_way(processor, model, to, from, element_bits, crosses_warps);
    if (shared)
      ways.push_back(std::move(*shared));
    else
      conversion.impossible.push_back("shared memory: " + shared.error());
  }
  if (ways.empty()) {
    std::string error = "no way is possible";
    for (const std::string& reason : conversion.impossible) error += "; " + reason;
    return std::unexpected(error);
  }
  std::ranges::sort(
      ways, {}, [](const ConversionWay& way) { return std::pair(way.cost(), way.shared_bytes); });
  conversion.chosen = ways[0];
  conversion.others.assign(ways.begin() + 1, ways.end());
  return conversion;
}

}  // namespace heddle::plan
