#include "heddle/plan/lane_exchange.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace heddle::plan {
namespace detail {

layout::LinearLayout one_axis(const layout::AxisName& in, int in_bits, const layout::AxisName& out,
                              int out_bits, const std::vector<std::uint64_t>& words) {
  layout::LinearLayout::Bases bases{};
  std::copy(words.begin(), words.end(), bases.begin());
  return layout::LinearLayout::from_words({{in, in_bits}}, {{out, out_bits}}, bases).value();
}

namespace {

/// The elements of a basis of `space` that extend `within` to all of `space`.
std::vector<std::uint64_t> completing(const std::vector<std::uint64_t>& space,
                                      layout::Subspace within) {
  std::vector<std::uint64_t> words;
  for (const std::uint64_t word : space)
    if (within.add(word)) words.push_back(word);
  return words;
}

/// Chooses after, lane by lane, so that M is the identity; nothing if that is impossible.
std::optional<std::vector<std::uint64_t>> after_keeping_lanes(const Solver& lane_steps,
                                                              const Part& lane_to_lane) {
  std::vector<std::uint64_t> after;
  for (std::size_t bit = 0; bit < lane_to_lane.words.size(); ++bit) {
    const auto step = lane_steps.solve(lane_to_lane.words[bit] ^ std::uint64_t{1} << bit);
    if (!step) return std::nullopt;
    after.push_back(*step);
  }
  return after;
}

}  // namespace
}  // namespace detail

std::optional<LaneExchange> lane_exchange(const layout::LinearLayout& s, int element_bits,
                                          std::span<const SourceCopy> source_copies) {
  using detail::Part;
  const Part register_to_register(s, "register", "register");
  const Part register_to_lane(s, "register", "lane");
  Part lane_to_register(s, "lane", "register");
  Part lane_to_lane(s, "lane", "lane");
  const int register_bits = s.inputs().bits_of("register");
  const int lane_bits = s.inputs().bits_of("lane");

  // Registers of the destination, as steps: copies, those that stay in their lane, and the others.
  LaneExchange exchange;
  std::vector<std::uint64_t> units;
  for (int bit = 0; bit < register_bits; ++bit) units.push_back(std::uint64_t{1} << bit);
  layout::Subspace copies, staying;
  {
    // Finds the kernels of S and of its lane part by elimination, and records the steps.
    const auto kernel = [&](auto&& output, layout::Subspace& into) {
      std::vector<std::pair<std::uint64_t, std::uint64_t>> rows;
      for (const std::uint64_t unit : units) {
        std::uint64_t step = unit, word = output(unit);
        for (const auto& [row_step, row] : rows) {
          if ((word & (row & (~row + 1))) == 0) continue;
          word ^= row;
          step ^= row_step;
        }
        if (word != 0)
          rows.emplace_back(step, word);
        else
          into.add(step);
      }
    };
    const int shift = s.outputs().bits_of("register");
    kernel(
        [&](std::uint64_t r) {
          return register_to_register.apply(r) | register_to_lane.apply(r) << shift;
        },
        copies);
    kernel([&](std::uint64_t r) { return register_to_lane.apply(r); }, staying);
  }
  for (int i = 0; i < copies.dimension(); ++i) exchange.copies.push_back(copies.basis(i));

  // Steps whose registers move together. Those that already share a 32-bit register on both sides
  // come first.
  int wanted = 0;
  while (element_bits << (wanted + 1) <= 32) ++wanted;
  layout::Subspace used = copies;
  const auto pack = [&](std::uint64_t step) {
    exchange.packed_to.push_back(step);
    exchange.packed_from.push_back(register_to_register.apply(step));
    used.add(step);
  };
  const auto is_full = [&] { return static_cast<int>(exchange.packed_to.size()) >= wanted; };
  for (int bit = 0; bit < std::min(wanted, register_bits); ++bit) {
    const std::uint64_t unit = std::uint64_t{1} << bit;
    const std::uint64_t from = register_to_register.apply(unit);
    if (staying.contains(unit) && from >> wanted == 0 && !used.contains(unit)) pack(unit);
  }
  for (const std::uint64_t unit : units) {
    if (is_full() || !staying.contains(unit) || used.contains(unit)) continue;
    exchange.is_packed_already = false;
    pack(unit);
  }
  for (int i = 0; i < staying.dimension() && !is_full(); ++i) {
    if (used.contains(staying.basis(i))) continue;
    exchange.is_packed_already = false;
    pack(staying.basis(i));
  }

  // Finds `after`. M is the identity if possible. Otherwise source lanes are as in S, with extra
  // steps where several destination lanes would need different registers of one source lane.
  detail::Solver lane_steps;
  for (const std::uint64_t unit : units) lane_steps.add(unit, register_to_lane.apply(unit));
  std::vector<std::uint64_t> after;
  if (const auto found = detail::after_keeping_lanes(lane_steps, lane_to_lane)) {
    after = *found;
  } else {
    after.assign(static_cast<std::size_t>(lane_bits), 0);
    layout::Subspace reached;
    detail::Solver from_lane;  // source lane -> its register step
    detail::Solver staying_steps;
    for (int i = 0; i < staying.dimension(); ++i)
      staying_steps.add(staying.basis(i), register_to_register.apply(staying.basis(i)));
    for (int bit = 0; bit < lane_bits; ++bit)
      reached.add(lane_to_lane.words[static_cast<std::size_t>(bit)]);
    for (int bit = 0; bit < lane_bits; ++bit) {
      const auto i = static_cast<std::size_t>(bit);
      const std::uint64_t to_lane = lane_to_lane.words[i];
      const std::uint64_t to_register = lane_to_register.words[i];
      if (from_lane.add(to_register, to_lane)) continue;
      const std::uint64_t expected = from_lane.solve(to_lane).value();
      if (expected == to_register) continue;  // both lanes read one register
      // Lanes that hold the same elements in other registers see their registers in this order.
      if (const auto step = staying_steps.solve(expected ^ to_register)) {
        after[i] = *step;
        continue;
      }
      // Uses a copy in a lane that is not read yet.
      const auto copy = std::ranges::find_if(source_copies, [&](const SourceCopy& each) {
        return !reached.contains(to_lane ^ each.lane);
      });
      if (copy != source_copies.end()) {
        lane_to_lane.words[i] ^= copy->lane;
        lane_to_register.words[i] ^= copy->reg;
        reached.add(lane_to_lane.words[i]);
        from_lane.add(lane_to_register.words[i], lane_to_lane.words[i]);
        continue;
      }
      // Reads another register of this lane first, from a lane that is not read yet.
      const auto unread = std::ranges::find_if(units, [&](std::uint64_t unit) {
        return !reached.contains(to_lane ^ register_to_lane.apply(unit));
      });
      if (unread == units.end()) return std::nullopt;
      after[i] = *unread;
      reached.add(to_lane ^ register_to_lane.apply(*unread));
      from_lane.add(to_register ^ register_to_register.apply(*unread),
                    to_lane ^ register_to_lane.apply(*unread));
    }
  }
  std::vector<std::uint64_t> lanes;
  for (int bit = 0; bit < lane_bits; ++bit) {
    const auto i = static_cast<std::size_t>(bit);
    lanes.push_back(lane_to_lane.words[i] ^ register_to_lane.apply(after[i]));
  }

  // Finds `before` for the lanes that are read; other lanes do what is simplest.
  detail::Solver before_of_lane;
  for (int bit = 0; bit < lane_bits; ++bit) {
    const auto i = static_cast<std::size_t>(bit);
    const std::uint64_t step = lane_to_register.words[i] ^ register_to_register.apply(after[i]);
    if (before_of_lane.add(step, lanes[i])) continue;
    if (before_of_lane.solve(lanes[i]) != step) return std::nullopt;
  }
  for (int bit = 0; bit < lane_bits; ++bit) before_of_lane.add(0, std::uint64_t{1} << bit);
  std::vector<std::uint64_t> before;
  for (int bit = 0; bit < lane_bits; ++bit)
    before.push_back(before_of_lane.solve(std::uint64_t{1} << bit).value());

  const int source_register_bits = s.outputs().bits_of("register");
  exchange.before = detail::one_axis("lane", lane_bits, "register", source_register_bits, before);
  exchange.lanes = detail::one_axis("lane", lane_bits, "lane", lane_bits, lanes);
  exchange.after = detail::one_axis("lane", lane_bits, "register", register_bits, after);

  // The rounds: steps that are neither copies nor packed. Steps that stay in their lane come first.
  const bool keeps_lanes = exchange.keeps_lanes();
  std::vector<std::uint64_t> candidates;
  for (const std::uint64_t unit : units)
    if (staying.contains(unit)) candidates.push_back(unit);
  for (int i = 0; i < staying.dimension(); ++i) candidates.push_back(staying.basis(i));
  candidates.insert(candidates.end(), units.begin(), units.end());
  const std::vector<std::uint64_t> steps = detail::completing(candidates, used);
  for (std::uint64_t number = 0; number >> steps.size() == 0; ++number) {
    ExchangeRound round;
    for (std::size_t i = 0; i < steps.size(); ++i)
      round.to_register ^= (number >> i & 1) != 0 ? steps[i] : 0;
    round.lane_xor = register_to_lane.apply(round.to_register);
    round.from_register =
        register_to_register.apply(round.to_register) ^ exchange.before.apply(round.lane_xor);
    round.stays = keeps_lanes && round.lane_xor == 0;
    exchange.rounds.push_back(round);
  }
  return exchange;
}

namespace detail {
namespace {

/// The contents of registers and lanes after some swaps. A swap of two bits exchanges their words.
class Swapped {
 public:
  Swapped(int register_bits, int lane_bits) : register_bits_(register_bits) {
    for (int bit = 0; bit < register_bits + lane_bits; ++bit)
      words_.push_back(std::uint64_t{1} << bit);
  }
  Swapped with(const LaneSwap& swap) const {
    Swapped next = *this;
    std::swap(next.word(swap.register_bit), next.word(register_bits_ + swap.lane_bit));
    return next;
  }

  /// The registers of S under their present names; nothing if lanes differ from those of S, or if
  /// elements would move inside their 32-bit registers.
  std::optional<layout::LinearLayout> names_for(const layout::LinearLayout& s,
                                                int word_bits) const {
    const auto place = [&](const layout::AxisName& axis, int bit) {
      return s.basis(axis, bit, "register") | s.basis(axis, bit, "lane") << register_bits_;
    };
    for (int bit = 0; bit < s.inputs().bits_of("lane"); ++bit)
      if (place("lane", bit) != words_[static_cast<std::size_t>(register_bits_ + bit)])
        return std::nullopt;
    std::vector<std::uint64_t> names;
    const int count = s.inputs().bits_of("register");
    for (int bit = 0; bit < count; ++bit) {
      std::uint64_t rest = place("register", bit), name = 0;
      for (int own = 0; own < register_bits_; ++own) {
        const std::uint64_t word = words_[static_cast<std::size_t>(own)];
        if ((rest & word) == 0) continue;
        name |= std::uint64_t{1} << own;
        rest ^= word;
      }
      const std::uint64_t in_word = bit < word_bits ? std::uint64_t{1} << bit : 0;
      if (rest != 0 || (name & layout::low_bits(word_bits)) != in_word) return std::nullopt;
      names.push_back(name);
    }
    return one_axis("register", count, "register", register_bits_, names);
  }

 private:
  std::uint64_t& word(int bit) { return words_[static_cast<std::size_t>(bit)]; }

  int register_bits_;
  std::vector<std::uint64_t> words_;  // single bits, of registers and then of lanes
};

}  // namespace
}  // namespace detail

std::optional<LaneSwaps> lane_swaps(const layout::LinearLayout& s, int element_bits,
                                    std::span<const int> lane_bits) {
  const int register_bits = s.outputs().bits_of("register");
  int word_bits = 0;
  while (element_bits << (word_bits + 1) <= 32) ++word_bits;
  std::vector<LaneSwap> possible;
  for (int bit = word_bits; bit < register_bits; ++bit)
    for (const int lane_bit : lane_bits) possible.push_back({bit, lane_bit});
  const detail::Swapped none(register_bits, s.outputs().bits_of("lane"));
  if (none.names_for(s, word_bits)) return std::nullopt;
  for (const LaneSwap& one : possible)
    if (const auto names = none.with(one).names_for(s, word_bits)) return LaneSwaps{{one}, *names};
  for (const LaneSwap& first : possible)
    for (const LaneSwap& second : possible)
      if (const auto names = none.with(first).with(second).names_for(s, word_bits))
        return LaneSwaps{{first, second}, *names};
  return std::nullopt;
}

}  // namespace heddle::plan
