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

/// Goes through `space`, and returns the words that are not in the span of `within` and the words
/// returned so far.
std::vector<std::uint64_t> completing(const std::vector<std::uint64_t>& space,
                                      layout::Subspace within) {
  std::vector<std::uint64_t> words;
  for (const std::uint64_t word : space)
    if (within.add(word)) words.push_back(word);
  return words;
}

/// Chooses `after` so that M is the identity, one lane bit after the other. Nothing if that is
/// impossible.
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

namespace {

/// Finds an exchange. It determines, in this order: the registers that stay in their lane, the
/// registers that travel together, `after`, `before`, and the rounds that follow from these. In
/// this class, a step is a number that is xored with a register number.
class ExchangeSearch {
 public:
  ExchangeSearch(const layout::LinearLayout& s, int element_bits,
                 std::span<const SourceCopy> source_copies)
      : s_(s), element_bits_(element_bits), source_copies_(source_copies) {
    for (int bit = 0; bit < register_bits_; ++bit) units_.push_back(std::uint64_t{1} << bit);
  }

  std::optional<LaneExchange> run() {
    find_staying();
    choose_packed();
    if (!choose_after() || !choose_before()) return std::nullopt;
    add_rounds();
    return std::move(exchange_);
  }

 private:
  using Part = detail::Part;

  /// Adds to `into` all steps of the register number that do not change `output` (the kernel of
  /// `output`). Each row of the elimination has the step that made it.
  void add_kernel(auto&& output, layout::Subspace& into) const {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> rows;
    for (const std::uint64_t unit : units_) {
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
  }

  /// Finds two spaces of steps of the destination's register number: the steps from a register to a
  /// copy of it, and the steps between registers whose elements come from the same source lane.
  void find_staying() {
    const int shift = s_.outputs().bits_of("register");
    layout::Subspace copies;
    add_kernel(
        [&](std::uint64_t r) {
          return register_to_register_.apply(r) | register_to_lane_.apply(r) << shift;
        },
        copies);
    add_kernel([&](std::uint64_t r) { return register_to_lane_.apply(r); }, staying_);
    for (int i = 0; i < copies.dimension(); ++i) exchange_.copies.push_back(copies.basis(i));
    used_ = copies;
  }

  void pack(std::uint64_t step) {
    exchange_.packed_to.push_back(step);
    exchange_.packed_from.push_back(register_to_register_.apply(step));
    used_.add(step);
  }

  /// Chooses the steps between registers that travel together in a 32-bit register. Elements that
  /// already share a 32-bit register in the source and in the destination come first.
  void choose_packed() {
    int wanted = 0;
    while (element_bits_ << (wanted + 1) <= 32) ++wanted;
    const auto is_full = [&] { return static_cast<int>(exchange_.packed_to.size()) >= wanted; };
    for (int bit = 0; bit < std::min(wanted, register_bits_); ++bit) {
      const std::uint64_t unit = std::uint64_t{1} << bit;
      const std::uint64_t from = register_to_register_.apply(unit);
      if (staying_.contains(unit) && from >> wanted == 0 && !used_.contains(unit)) pack(unit);
    }
    for (const std::uint64_t unit : units_) {
      if (is_full() || !staying_.contains(unit) || used_.contains(unit)) continue;
      exchange_.is_packed_already = false;
      pack(unit);
    }
    for (int i = 0; i < staying_.dimension() && !is_full(); ++i) {
      if (used_.contains(staying_.basis(i))) continue;
      exchange_.is_packed_already = false;
      pack(staying_.basis(i));
    }
  }

  /// Chooses `after` so that M is the identity, if possible. Otherwise M is as in S, as far as that
  /// works. If several destination lanes would then need different registers of one source lane, a
  /// lane takes its registers in another order, or reads a copy in another lane.
  bool choose_after() {
    detail::Solver lane_steps;
    for (const std::uint64_t unit : units_) lane_steps.add(unit, register_to_lane_.apply(unit));
    if (auto found = detail::after_keeping_lanes(lane_steps, lane_to_lane_))
      after_ = std::move(*found);
    else if (!choose_after_with_steps())
      return false;
    for (int bit = 0; bit < lane_bits_; ++bit) {
      const auto i = static_cast<std::size_t>(bit);
      lanes_.push_back(lane_to_lane_.words[i] ^ register_to_lane_.apply(after_[i]));
    }
    return true;
  }

  bool choose_after_with_steps() {
    after_.assign(static_cast<std::size_t>(lane_bits_), 0);
    layout::Subspace reached;
    detail::Solver from_lane;  // source lane -> its register step
    detail::Solver staying_steps;
    for (int i = 0; i < staying_.dimension(); ++i)
      staying_steps.add(staying_.basis(i), register_to_register_.apply(staying_.basis(i)));
    for (int bit = 0; bit < lane_bits_; ++bit)
      reached.add(lane_to_lane_.words[static_cast<std::size_t>(bit)]);
    for (int bit = 0; bit < lane_bits_; ++bit) {
      const auto i = static_cast<std::size_t>(bit);
      const std::uint64_t to_lane = lane_to_lane_.words[i];
      const std::uint64_t to_register = lane_to_register_.words[i];
      if (from_lane.add(to_register, to_lane)) continue;
      const std::uint64_t expected = from_lane.solve(to_lane).value();
      if (expected == to_register) continue;  // both lanes read one register
      // The difference of the registers stays in the lane: this lane takes them in another order.
      if (const auto step = staying_steps.solve(expected ^ to_register)) {
        after_[i] = *step;
        continue;
      }
      // Reads a copy of the element instead, in a lane that is not read yet.
      const auto copy = std::ranges::find_if(source_copies_, [&](const SourceCopy& each) {
        return !reached.contains(to_lane ^ each.lane);
      });
      if (copy != source_copies_.end()) {
        lane_to_lane_.words[i] ^= copy->lane;
        lane_to_register_.words[i] ^= copy->reg;
        reached.add(lane_to_lane_.words[i]);
        from_lane.add(lane_to_register_.words[i], lane_to_lane_.words[i]);
        continue;
      }
      // Lets this lane begin with another of its registers, from a lane that is not read yet.
      const auto unread = std::ranges::find_if(units_, [&](std::uint64_t unit) {
        return !reached.contains(to_lane ^ register_to_lane_.apply(unit));
      });
      if (unread == units_.end()) return false;
      after_[i] = *unread;
      reached.add(to_lane ^ register_to_lane_.apply(*unread));
      from_lane.add(to_register ^ register_to_register_.apply(*unread),
                    to_lane ^ register_to_lane_.apply(*unread));
    }
    return true;
  }

  /// Chooses `before` for the source lanes that are read. Further lane bits get 0.
  bool choose_before() {
    detail::Solver before_of_lane;
    for (int bit = 0; bit < lane_bits_; ++bit) {
      const auto i = static_cast<std::size_t>(bit);
      const std::uint64_t step =
          lane_to_register_.words[i] ^ register_to_register_.apply(after_[i]);
      if (before_of_lane.add(step, lanes_[i])) continue;
      if (before_of_lane.solve(lanes_[i]) != step) return false;
    }
    for (int bit = 0; bit < lane_bits_; ++bit) before_of_lane.add(0, std::uint64_t{1} << bit);
    std::vector<std::uint64_t> before;
    for (int bit = 0; bit < lane_bits_; ++bit)
      before.push_back(before_of_lane.solve(std::uint64_t{1} << bit).value());

    const int source_register_bits = s_.outputs().bits_of("register");
    exchange_.before =
        detail::one_axis("lane", lane_bits_, "register", source_register_bits, before);
    exchange_.lanes = detail::one_axis("lane", lane_bits_, "lane", lane_bits_, lanes_);
    exchange_.after = detail::one_axis("lane", lane_bits_, "register", register_bits_, after_);
    return true;
  }

  /// Adds a round for every xor of the steps that are neither copies nor packed. Steps that stay in
  /// their lane come first.
  void add_rounds() {
    const bool keeps_lanes = exchange_.keeps_lanes();
    std::vector<std::uint64_t> candidates;
    for (const std::uint64_t unit : units_)
      if (staying_.contains(unit)) candidates.push_back(unit);
    for (int i = 0; i < staying_.dimension(); ++i) candidates.push_back(staying_.basis(i));
    candidates.insert(candidates.end(), units_.begin(), units_.end());
    const std::vector<std::uint64_t> steps = detail::completing(candidates, used_);
    for (std::uint64_t number = 0; number >> steps.size() == 0; ++number) {
      ExchangeRound round;
      for (std::size_t i = 0; i < steps.size(); ++i)
        round.to_register ^= (number >> i & 1) != 0 ? steps[i] : 0;
      round.lane_xor = register_to_lane_.apply(round.to_register);
      round.from_register =
          register_to_register_.apply(round.to_register) ^ exchange_.before.apply(round.lane_xor);
      round.stays = keeps_lanes && round.lane_xor == 0;
      exchange_.rounds.push_back(round);
    }
  }

  const layout::LinearLayout& s_;
  int element_bits_;
  std::span<const SourceCopy> source_copies_;
  Part register_to_register_{s_, "register", "register"};
  Part register_to_lane_{s_, "register", "lane"};
  Part lane_to_register_{s_, "lane", "register"};
  Part lane_to_lane_{s_, "lane", "lane"};
  int register_bits_ = s_.inputs().bits_of("register");
  int lane_bits_ = s_.inputs().bits_of("lane");
  std::vector<std::uint64_t> units_;
  layout::Subspace staying_, used_;
  std::vector<std::uint64_t> after_, lanes_;
  LaneExchange exchange_;
};

}  // namespace

std::optional<LaneExchange> lane_exchange(const layout::LinearLayout& s, int element_bits,
                                          std::span<const SourceCopy> source_copies) {
  return ExchangeSearch(s, element_bits, source_copies).run();
}

namespace detail {
namespace {

/// For each bit of the register number and of the lane number: the bit of the source that is there
/// after some swaps (`words_`). A swap of two bits exchanges their entries.
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

  /// For each register of the destination, the register that has its elements after the swaps.
  /// Nothing if the swaps bring elements to other lanes than S does, or if an element would move
  /// inside its 32-bit register.
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
