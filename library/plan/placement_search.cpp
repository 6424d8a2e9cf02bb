#include "library/plan/placement_search.h"

#include <algorithm>
#include <bit>
#include <expected>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "heddle/layout/axes.h"

namespace heddle::plan {

int address_terms(const layout::LinearLayout& access, const layout::LinearLayout& map) {
  const auto offsets = layout::invert_and_compose(access, map);
  if (!offsets) return 0;
  int terms = 0;
  for (const layout::AxisName axis : {layout::AxisName("lane"), layout::AxisName("warp")}) {
    // `before` is the word of the bit below. A word needs no new term if it is `before`, shifted up
    // by 1.
    std::uint64_t before = 0;
    for (const std::uint64_t word : detail::words_of(*offsets, axis)) {
      terms += std::popcount(word & ~(before << 1));
      before = word;
    }
  }
  return terms;
}

int scattered_bits(const TileAccess& access, const layout::LinearLayout& map, int element_bits) {
  const layout::AxisList& dims = map.outputs();
  const int last = dims.size() - 1;
  const int brought = std::min(access.map.input_bits(), map.input_bits());
  layout::Subspace words;
  for (int bit = 0; bit < brought; ++bit) words.add(map.basis(bit));
  int together = 0;
  const int piece = std::min(element_bits_in(64, element_bits), dims[last].bits);
  while (together < piece && words.contains(std::uint64_t{1} << (dims.offset(last) + together)))
    ++together;
  return brought - together;
}

int irregular_steps(const layout::LinearLayout& map) {
  int steps = 0;
  std::uint64_t seen = 0, before = 0;
  for (int bit = 0; bit < map.input_bits(); ++bit) {
    const std::uint64_t own = map.basis(bit) & ~seen;
    const int dim = own == 0 ? -1 : map.outputs().axis_of_bit(std::countr_zero(own));
    const bool begins = dim >= 0 && std::countr_zero(own) == map.outputs().offset(dim);
    steps += bit > 0 && (std::popcount(own) != 1 || begins || own != before << 1);
    steps += own != map.basis(bit);
    seen |= own;
    before = own;
  }
  return steps;
}

namespace detail {

std::vector<std::uint64_t> units_in_order(const layout::AxisList& dims, int fastest) {
  std::vector<int> order{fastest};
  for (int dim = dims.size() - 1; dim >= 0; --dim)
    if (dim != fastest) order.push_back(dim);
  std::vector<std::uint64_t> units;
  for (const int dim : order)
    for (int bit = 0; bit < dims[dim].bits; ++bit)
      units.push_back(std::uint64_t{1} << (dims.offset(dim) + bit));
  return units;
}

layout::LinearLayout map_of(const std::vector<std::uint64_t>& words, const layout::AxisList& dims) {
  layout::LinearLayout::Bases bases{};
  std::copy(words.begin(), words.end(), bases.begin());
  return layout::LinearLayout::from_words({{"offset", static_cast<int>(words.size())}}, dims, bases)
      .value();
}

layout::LinearLayout by_register(const layout::LinearLayout& map, const layout::NameList& dims,
                                 layout::NameList order) {
  const auto is_thread = [](const layout::AxisName& name) {
    return name == "lane" || name == "warp";
  };
  if (order.size() == 0)
    for (const layout::Axis& axis : map.inputs())
      if (!is_thread(axis.name)) order.push_back(axis.name);
  int bits = 0;
  for (const layout::AxisName& name : order) bits += map.inputs().bits_of(name);
  order.push_back("lane");
  order.push_back("warp");
  const auto ordered = layout::transpose_inputs(map, order).value();
  const auto flat = layout::reshape_inputs(ordered, {{"register", bits},
                                                     {"lane", map.inputs().bits_of("lane")},
                                                     {"warp", map.inputs().bits_of("warp")}});
  return layout::transpose_outputs(flat.value(), dims).value();
}

bool is_in_order(const layout::LinearLayout& offsets, int bits) {
  for (int bit = 0; bit < offsets.input_bits(); ++bit) {
    const std::uint64_t word = offsets.basis(bit);
    if (bit < bits ? word != std::uint64_t{1} << bit : (word & layout::low_bits(bits)) != 0)
      return false;
  }
  return true;
}

/// The xor of `unit` with as few words of `within` as possible such that `is_good` accepts the
/// result; 0 if there is none.
std::uint64_t nearest(std::uint64_t unit, const std::vector<std::uint64_t>& within,
                      auto&& is_good) {
  constexpr std::size_t most_flips = 4;  // among more than a dozen words; more were never needed
  const std::size_t count = within.size();
  for (std::size_t flips = 0; flips <= (count <= 12 ? count : most_flips); ++flips) {
    for (std::uint64_t chosen = (std::uint64_t{1} << flips) - 1; chosen >> count == 0;) {
      std::uint64_t word = unit;
      for (std::size_t i = 0; i < count; ++i)
        if ((chosen >> i & 1) != 0) word ^= within[i];
      if (is_good(word)) return word;
      if (chosen == 0) break;
      const std::uint64_t low = chosen & (~chosen + 1);  // the next number with as many bits
      const std::uint64_t ripple = chosen + low;
      chosen = ((chosen ^ ripple) >> 2) / low | ripple;
    }
  }
  return 0;
}

std::vector<std::uint64_t> Search::vector_words(const std::vector<int>& bits,
                                                const std::vector<std::uint64_t>& units) const {
  std::vector<std::uint64_t> words;
  layout::Subspace low;
  const int most = *std::ranges::max_element(bits);
  for (int width = 1; width <= most; ++width) {
    const layout::Subspace space = vector_space(bits, width);
    const auto take = [&](std::uint64_t word) {
      if (static_cast<int>(words.size()) == width || !space.contains(word) || low.contains(word))
        return;
      words.push_back(word);
      if (Alignment(*this, bits, words).is_possible())
        low.add(word);
      else
        words.pop_back();
    };
    for (const bool ordered : {true, false})
      for (std::size_t i = 0; i < bits.size(); ++i)
        if (spaces[i].is_ordered == ordered && bits[i] >= width &&
            width <= static_cast<int>(spaces[i].registers.size()))
          take(spaces[i].registers[static_cast<std::size_t>(width - 1)]);
    for (const std::uint64_t unit : units) take(unit);
    for (int i = 0; i < space.dimension(); ++i) take(space.basis(i));
    if (static_cast<int>(words.size()) < width) break;
  }
  return words;
}

std::vector<std::uint64_t> Search::words_for(const std::vector<int>& bits,
                                             const std::vector<std::uint64_t>& units) const {
  const std::vector<std::uint64_t> low = vector_words(bits, units);
  if (static_cast<int>(low.size()) < *std::ranges::max_element(bits)) return {};
  Alignment alignment(*this, bits, low);
  std::vector<std::uint64_t> words = low;
  layout::Subspace used;
  for (const std::uint64_t word : words) used.add(word);
  // Returns the next unused unit in row-major order, or the word nearest to it that keeps the
  // alignment.
  const auto next = [&]() -> std::uint64_t {
    for (const std::uint64_t unit : units) {
      if (used.contains(unit)) continue;
      return nearest(unit, low, [&](std::uint64_t word) { return alignment.allows(word); });
    }
    return 0;
  };
  const auto append = [&](std::uint64_t word) {
    used.add(word);
    alignment.add(word);
    words.push_back(word);
  };
  // The elements of one bank word are fixed before H is chosen, because narrow accesses meet there.
  const auto bank_word = static_cast<std::size_t>(
      std::min(element_bits_in(model.bank_bytes, element_bits), dims.bits()));
  while (words.size() < bank_word) append(next());
  std::vector<layout::Subspace> taken = differences(bits, words);

  // The words of H are the units in row-major order, each with words of the line xored in so that
  // it causes no conflict; if that fails, other words without conflicts. H begins at the end of the
  // shortest line. If an access has a longer line, the first words of H are other banks to it.
  const std::vector<int> line_of = lines(bits);
  const auto line = static_cast<std::size_t>(std::ranges::min(line_of));
  const std::size_t first = words.size();
  std::vector<std::uint64_t> rest;
  layout::Subspace row_major = used;
  for (const std::uint64_t unit : units)
    if (row_major.add(unit)) rest.push_back(unit);
  const std::size_t inside = words.size() < line ? std::min(line - words.size(), rest.size()) : 0;
  std::vector<std::uint64_t> line_words(rest.begin(),
                                        rest.begin() + static_cast<std::ptrdiff_t>(inside));
  line_words.insert(line_words.end(), words.begin(), words.end());
  std::vector<std::uint64_t> all_words = rest;
  all_words.insert(all_words.end(), words.begin(), words.end());
  std::vector<std::uint64_t> beyond;  // of the shortest line
  const auto is_step = [&](std::size_t access, std::size_t place) {
    return static_cast<std::size_t>(line_of[access]) <= place;
  };
  for (std::size_t i = inside; i < rest.size(); ++i) {
    const auto is_free = [&](std::uint64_t word) {
      if (word == 0 || !alignment.allows(word)) return false;
      for (std::size_t access = 0; access < taken.size(); ++access)
        if (is_step(access, first + i) && taken[access].contains(word)) return false;
      return true;
    };
    std::uint64_t word = nearest(rest[i], line_words, is_free);
    if (word == 0 || used.contains(word)) word = nearest(0, all_words, is_free);
    // If no word is free of conflicts, takes one of the last units in row-major order.
    for (auto unit = units.rbegin(); word == 0 && unit != units.rend(); ++unit) {
      if (used.contains(*unit)) continue;
      word = nearest(*unit, low, [&](std::uint64_t each) { return alignment.allows(each); });
    }
    if (word == 0) return {};
    beyond.push_back(word);
    used.add(word);
    alignment.add(word);
    for (std::size_t access = 0; access < taken.size(); ++access)
      if (is_step(access, first + i)) taken[access].add(word);
  }
  while (static_cast<int>(words.size() + beyond.size()) < dims.bits()) {
    const std::uint64_t word = next();
    if (word == 0) return {};
    append(word);
  }
  words.insert(words.end(), beyond.begin(), beyond.end());
  return words;
}

bool is_aligned(const Search& search, const layout::LinearLayout& map,
                const std::vector<int>& bits) {
  const layout::LinearLayout to_offset = layout::invert(map).value();
  for (std::size_t i = 0; i < bits.size(); ++i) {
    const AccessSpaces& spaces = search.spaces[i];
    for (int bit = 0; spaces.is_ordered && bit < bits[i]; ++bit)
      if (map.basis(bit) != spaces.registers[static_cast<std::size_t>(bit)]) return false;
    for (const std::uint64_t word : spaces.aligned)
      if ((to_offset.apply(word) & layout::low_bits(bits[i])) != 0) return false;
  }
  return true;
}

}  // namespace detail
}  // namespace heddle::plan
