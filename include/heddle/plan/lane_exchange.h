// Moving elements between the lanes of a warp without memory: which lane sends which register to
// whom, in how many rounds.
//
// WHAT IS SOLVED
//
// S says where every register of every lane of the destination finds its element in the source:
// S(register r, lane l) = (register R, lane L), linear over F2. A shuffle moves one register of
// every lane: lane l receives what lane M l ^ x sends. All rounds together are
//
//   1. before:  lane s sees its register R ^ before(s) under the name R
//   2. round t: lane l receives into register t what lane M l ^ x(t) holds as from(t)
//   3. after:   lane l sees its register r under the name r ^ after(l)
//
// with linear maps before, M and after: steps 1 and 3 are selects between registers whose number
// depends on the lane (an xor of register numbers: log2 stages of selects, each over all
// registers).
//
// `after` may be any linear map for which a `before` exists. With S(r, l) = (B_r r ^ B_l l, A_r r ^
// A_l l): M = A_l ^ A_r after, and before ∘ M = B_l ^ B_r after.
//
// HOW FEW SHUFFLES
//
// If after can make M the identity, the rounds t with A_r t = 0 need no shuffle: of N registers N -
// N / 2^rank(A_r) are shuffled. No method needs fewer: in each lane only the registers of such
// rounds come from the lane itself, and a shuffle brings a lane one register. If M cannot be the
// identity, some lane keeps none of its elements, and any method must shuffle all of its registers.
// Elements of fewer than 32 bits travel together if a lane receives them from one source lane. If
// their registers differ by some xor in the destination, they differ by a fixed xor in the source.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "heddle/layout/layout.h"

namespace heddle::plan {

/// One round of an exchange: every lane receives one register. If narrow elements are packed into
/// 32-bit registers, the lane receives with it the other registers of the same 32 bits.
struct ExchangeRound {
  std::uint64_t to_register = 0;
  std::uint64_t from_register = 0;
  std::uint64_t lane_xor = 0;  // lane l receives from lane M l ^ lane_xor
  bool stays = false;          // every lane receives from itself: no instruction
};

struct LaneExchange {
  layout::LinearLayout before;  // source lane -> register
  layout::LinearLayout lanes;   // destination lane -> source lane: M
  layout::LinearLayout after;   // destination lane -> register
  std::vector<ExchangeRound> rounds;
  std::vector<std::uint64_t> packed_to;    // registers that travel with that of a round: steps in
  std::vector<std::uint64_t> packed_from;  // the destination, and the same in the source
  std::vector<std::uint64_t> copies;       // steps in the destination to registers that are copies
  bool is_packed_already = true;           // packed elements share their 32-bit registers anyway

  /// True if M is the identity: then lane l receives from lane l ^ lane_xor.
  bool keeps_lanes() const {
    for (int bit = 0; bit < lanes.input_bits(); ++bit)
      if (lanes.basis(bit) != std::uint64_t{1} << bit) return false;
    return true;
  }
  std::uint64_t shuffled() const {
    return static_cast<std::uint64_t>(std::ranges::count(rounds, false, &ExchangeRound::stays));
  }
};

/// A swap of one bit of the register number with one bit of the lane number, for all 32-bit
/// registers in pairs that differ in that bit: gfx950's v_permlane32_swap_b32 (lane bit 5) and
/// v_permlane16_swap_b32 (lane bit 4), which write both registers of a pair.
struct LaneSwap {
  int register_bit = 0;  // of the number of an element
  int lane_bit = 0;
  friend bool operator==(const LaneSwap&, const LaneSwap&) = default;
};

/// A conversion that consists of swaps only, one after the other, without a select.
struct LaneSwaps {
  std::vector<LaneSwap> stages;
  layout::LinearLayout names;  // register of the destination -> of the source, as swapped

  /// The number of instructions in a stage, for elements of `element_bits`.
  std::uint64_t instructions(int element_bits) const {
    const auto bits = names.output_size("register") * static_cast<std::uint64_t>(element_bits);
    return bits / 64;
  }
};

/// An element is in a register of a lane of the source, and a copy of it may be in another register
/// or lane. This is the difference (by xor) between the two register numbers, and between the two
/// lane numbers.
struct SourceCopy {
  std::uint64_t reg = 0;
  std::uint64_t lane = 0;
};

namespace detail {

/// The part of S between one input axis and one output axis, as a linear map: words[i] is the
/// output of input bit i.
struct Part {
  std::vector<std::uint64_t> words;

  Part(const layout::LinearLayout& map, const layout::AxisName& in, const layout::AxisName& out) {
    for (int bit = 0; bit < map.inputs().bits_of(in); ++bit)
      words.push_back(map.basis(in, bit, out));
  }
  std::uint64_t apply(std::uint64_t input) const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < words.size(); ++i) sum ^= (input >> i & 1) != 0 ? words[i] : 0;
    return sum;
  }
};

/// Solves linear equations over F2. The pairs (input, output) that were added define a linear map;
/// solve returns an input whose output is `wanted`, or nothing if there is none.
class Solver {
 public:
  /// Adds a pair. False if `output` is the sum of earlier outputs: then the pair is redundant and
  /// is not kept.
  bool add(std::uint64_t input, std::uint64_t output) {
    reduce(input, output);
    if (output == 0) return false;
    rows_.push_back({input, output});
    return true;
  }
  std::optional<std::uint64_t> solve(std::uint64_t wanted) const {
    std::uint64_t input = 0;
    reduce(input, wanted);
    if (wanted != 0) return std::nullopt;
    return input;
  }

 private:
  struct Row {
    std::uint64_t input, output;
  };
  void reduce(std::uint64_t& input, std::uint64_t& output) const {
    for (const Row& row : rows_) {
      if ((output & (row.output & (~row.output + 1))) == 0) continue;
      output ^= row.output;
      input ^= row.input;
    }
  }
  std::vector<Row> rows_;  // each clears its lowest bit; later ones do not have the earlier's
};

layout::LinearLayout one_axis(const layout::AxisName& in, int in_bits, const layout::AxisName& out,
                              int out_bits, const std::vector<std::uint64_t>& words);

}  // namespace detail

/// The exchange for S: (register, lane) -> (register, lane), elements of `element_bits` bits.
/// `source_copies` are places of copies: a lane may read a copy instead of an element, so that the
/// reads spread over more lanes. Empty if there is no exchange with one register per round and
/// lane, because several lanes would read different registers of one lane at once.
std::optional<LaneExchange> lane_exchange(const layout::LinearLayout& s, int element_bits,
                                          std::span<const SourceCopy> source_copies = {});

/// The fewest swaps, in at most two stages, that perform S: (register, lane) -> (register, lane).
/// In the source and in the destination the elements lie in order in 32-bit registers. `lane_bits`
/// are the bits of the lane number that the processor can swap. Nothing if there is no such way, or
/// if no element changes its lane.
std::optional<LaneSwaps> lane_swaps(const layout::LinearLayout& s, int element_bits,
                                    std::span<const int> lane_bits);

}  // namespace heddle::plan
