#include "heddle/plan/lane_conversion.h"

#include <algorithm>
#include <array>
#include <string>

#include "library/text/formatted.h"

namespace heddle::plan::detail {
namespace {

/// The instruction of one round, and whether it goes through the pipeline of shared memory.
struct LaneInstruction {
  std::string_view mnemonic;
  bool uses_shared_pipeline = false;
};

/// The instruction by which a processor moves a register from lane M l ^ x to lane l.
///
/// - NVIDIA: PTX ISA, shfl.sync.
/// - RDNA: RDNA3 ISA, DPP16 (row_xmask), and v_permlane16_b32 and v_permlanex16_b32, whose
/// selectors are the same for lanes 0 to 15 and 16 to 31. RDNA4 also has selectors for each lane
/// (v_permlane16_var_b32).
/// - CDNA: CDNA3 ISA, DPP (quad_perm, row_half_mirror, row_mirror) and ds_swizzle_b32, whose bit
/// mode xors lane numbers by up to 31. CDNA4's swaps move two registers at once: see swap_way.
/// - AMD: ds_bpermute_b32 does every permutation.
LaneInstruction lane_instruction(instruction::Family family, const LaneExchange& exchange,
                                 const ExchangeRound& round) {
  const std::uint64_t x = round.lane_xor;
  if (instruction::is_nvidia(family))
    return {exchange.keeps_lanes() ? "shfl.sync.bfly.b32" : "shfl.sync.idx.b32", true};
  const bool is_cdna = instruction::is_cdna(family);
  if (exchange.keeps_lanes()) {
    if (is_cdna) {
      if (x < 4) return {"v_mov_b32_dpp quad_perm"};
      if (x == 7) return {"v_mov_b32_dpp row_half_mirror"};
      if (x == 15) return {"v_mov_b32_dpp row_mirror"};
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
  if (keeps_rows && has(family, instruction::Feature::gfx12_code))
    return {(x & 16) != 0 ? "v_permlanex16_var_b32" : "v_permlane16_var_b32"};
  return {"ds_bpermute_b32", true};
}

}  // namespace

Packing packing_of(const LaneExchange& exchange, int element_bits) {
  Packing packing;
  const int word_bits = element_bits_in(4, element_bits);
  packing.full = std::uint64_t{1} << word_bits;
  packing.together = std::uint64_t{1} << exchange.packed_to.size();
  layout::Subspace from_words, to_words, low;
  for (const std::uint64_t step : exchange.packed_from) from_words.add(step >> word_bits);
  for (const std::uint64_t step : exchange.packed_to) to_words.add(step);
  for (int bit = 0; bit < word_bits; ++bit) low.add(std::uint64_t{1} << bit);
  const int parts = word_bits - layout::intersection(to_words, low).dimension();
  packing.before = (std::uint64_t{1} << from_words.dimension()) - 1;
  packing.after = (std::uint64_t{1} << parts) - 1;
  if (packing.before + packing.after == 0 && !exchange.is_packed_already) packing.after = 1;
  return packing;
}

ConversionWay lane_way(const instruction::ProcessorRow& processor, const LaneExchange& exchange,
                       int element_bits) {
  const bool nvidia = instruction::is_nvidia(processor.family);
  const std::string_view select = nvidia ? "selp.b32" : "v_cndmask_b32";
  const std::string_view permute = nvidia ? "prmt.b32" : "v_perm_b32";
  ConversionWay way;
  way.exchange = exchange;
  const auto words = static_cast<std::uint64_t>(std::max(1, element_bits / 32));  // of an element
  const auto rounds = static_cast<std::uint64_t>(exchange.rounds.size());
  const Packing packing = packing_of(exchange, element_bits);
  add_step(way, permute, rounds * packing.before, "packs elements that travel together");
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
  add_step(way, permute, rounds * packing.together / packing.full * packing.after,
           "puts elements into their 32-bit registers");
  const bool moves_lanes = way.shuffles + stages_before + stages_after != 0;
  way.way = moves_lanes ? Way::lanes : Way::registers;
  return way;
}

std::span<const int> swapped_lane_bits(instruction::Family family) {
  static constexpr std::array<int, 2> all{4, 5};
  if (has(family, instruction::Feature::permlane32_swap)) return all;
  if (has(family, instruction::Feature::permlane16_swap)) return std::span(all).first(1);
  return {};
}

std::optional<ConversionWay> swap_way(const instruction::ProcessorRow& processor,
                                      const layout::LinearLayout& s, int element_bits) {
  const std::span<const int> lane_bits = swapped_lane_bits(processor.family);
  const auto swaps = lane_bits.empty() ? std::nullopt : lane_swaps(s, element_bits, lane_bits);
  if (!swaps) return std::nullopt;
  ConversionWay way;
  way.way = Way::lanes;
  way.swaps = swaps;
  const std::uint64_t each = swaps->instructions(element_bits);
  for (const LaneSwap& stage : swaps->stages) {
    add_step(way, stage.lane_bit == 5 ? "v_permlane32_swap_b32" : "v_permlane16_swap_b32", each,
             formatted("exchanges bit {} of the register with bit {} of the lane",
                       stage.register_bit, stage.lane_bit));
    way.shuffles += each;
  }
  return way;
}

std::optional<ConversionWay> cheapest_lane_way(const instruction::ProcessorRow& processor,
                                               const layout::LinearLayout& s,
                                               const LaneExchange* exchange, int element_bits) {
  auto swaps = swap_way(processor, s, element_bits);
  if (!exchange) return swaps;
  ConversionWay way = lane_way(processor, *exchange, element_bits);
  if (swaps && swaps->cost() < way.cost()) return swaps;
  return way;
}

}  // namespace heddle::plan::detail
