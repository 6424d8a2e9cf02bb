// The search of placement.h for the words of a linear layout: how many elements may move at once,
// which widths fit one layout and their least cost, and which steps within the banks cause no
// conflict in any phase.
#pragma once

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include "heddle/plan/placed_tile.h"
#include "heddle/plan/tile_access.h"

namespace heddle::plan {

namespace detail {

/// The words of single bits of the coordinates: first those of the dimension `fastest`, then those
/// of the other dimensions from the last to the first. If `fastest` is the last dimension, this is
/// row-major order.
std::vector<std::uint64_t> units_in_order(const layout::AxisList& dims, int fastest);

layout::LinearLayout map_of(const std::vector<std::uint64_t>& words, const layout::AxisList& dims);

/// `map` with the inputs (register, lane, warp), as placement.h wants it. The new `register` counts
/// through the inputs that `order` names, all inputs but lane and warp. If `order` is empty, these
/// inputs keep the order that they have in `map`.
layout::LinearLayout by_register(const layout::LinearLayout& map, const layout::NameList& dims,
                                 layout::NameList order = {});

/// True if the lowest `bits` input bits of `offsets` are the lowest bits of the offset, in order,
/// and every other input bit changes the offset by whole vectors of 2^bits elements. Then a vector
/// holds the elements in their order.
bool is_in_order(const layout::LinearLayout& offsets, int bits);

/// The widths of all accesses, as log2 of elements, with their passes in the best layout and their
/// instructions.
struct Widths {
  std::vector<int> bits;
  std::uint64_t ideal = 0;
  std::uint64_t instructions = 0;
};

/// The question, prepared once for the search.
struct Search {
  const memory::BankModel& model;
  const std::vector<TileAccess>& accesses;
  std::vector<AccessSpaces> spaces;
  layout::AxisList dims;
  int element_bits;

  /// The passes without conflicts, if all lanes that may share a vector do so.
  std::uint64_t ideal(std::size_t access, int bits) const {
    const AccessSpaces& space = spaces[access];
    const auto phases = static_cast<std::uint64_t>(
        phase_span(model, space, bits, element_bits, space.vector).count);
    return space.is_matrix ? space.pieces : space.instructions(bits) * phases;
  }

  /// The words that the vector spaces of all accesses of at least this width share: their
  /// intersection.
  layout::Subspace vector_space(const std::vector<int>& bits, int width) const {
    std::optional<layout::Subspace> common;
    for (std::size_t i = 0; i < bits.size(); ++i) {
      if (bits[i] < width) continue;
      layout::Subspace own = spaces[i].vector;
      if (spaces[i].is_ordered) {  // elements along a row are in order
        own = {};
        for (int bit = 0; bit < width; ++bit)
          own.add(spaces[i].registers[static_cast<std::size_t>(bit)]);
      }
      common = common ? layout::intersection(*common, own) : own;
    }
    return common.value_or(layout::Subspace());
  }

  /// log2 of the elements that a copy writes in order and contiguously; 0 if no access writes in
  /// order.
  int slab_bits() const {
    int most = 0;
    for (std::size_t i = 0; i < spaces.size(); ++i)
      if (spaces[i].is_in_order)
        most = std::max(most, accesses[i].map.inputs().bits_of("lane") + spaces[i].most_bits);
    return most;
  }

  /// log2 of the elements in one pass over all banks (a line), for each access.
  std::vector<int> lines(const std::vector<int>& bits) const {
    std::vector<int> all;
    for (std::size_t i = 0; i < bits.size(); ++i)
      all.push_back(line_bits(model, spaces[i], bits[i], element_bits));
    return all;
  }

  /// The passes that accesses of these widths need in any layout.
  ///
  /// If a wide access keeps its registers at the same offsets inside its vectors, then lanes of a
  /// narrow access that differ by steps between these vectors all want the same offset inside a
  /// vector. A line of the banks has one such offset for each vector in it. If there are more lanes
  /// than that, they conflict in any layout.
  std::uint64_t least_passes(const std::vector<int>& bits) const {
    std::uint64_t passes = 0;
    for (std::size_t i = 0; i < bits.size(); ++i) {
      const int line = line_bits(model, spaces[i], bits[i], element_bits);
      int conflicts = 0;
      for (std::size_t wide = 0; wide < bits.size(); ++wide) {
        if (bits[wide] <= std::max(bits[i], element_bits_in(model.bank_bytes, element_bits)))
          continue;
        layout::Subspace steps;
        for (const std::uint64_t word : spaces[wide].aligned) steps.add(word);
        const layout::Subspace lanes =
            phase_span(model, spaces[i], bits[i], element_bits, spaces[i].vector).words;
        conflicts = std::max(conflicts, layout::intersection(lanes, steps).dimension() -
                                            std::max(0, line - bits[wide]));
      }
      passes += ideal(i, bits[i]) << conflicts;
    }
    return passes;
  }

  /// All widths that one layout can serve, those with the least possible passes first.
  std::vector<Widths> feasible_widths() const {
    std::vector<Widths> all{{}};
    for (std::size_t i = 0; i < spaces.size(); ++i) {
      std::vector<Widths> longer;
      for (const Widths& so_far : all) {
        for (int bits = spaces[i].least_bits; bits <= spaces[i].most_bits; ++bits) {
          Widths next = so_far;
          next.bits.push_back(bits);
          next.instructions += spaces[i].instructions(bits);
          longer.push_back(std::move(next));
        }
      }
      all = std::move(longer);
    }
    std::erase_if(all, [&](const Widths& widths) {
      const int most = *std::ranges::max_element(widths.bits);
      for (int width = 1; width <= most; ++width)
        if (vector_space(widths.bits, width).dimension() < width) return true;
      return false;
    });
    for (Widths& widths : all) widths.ideal = least_passes(widths.bits);
    std::ranges::sort(all, {}, [](const Widths& widths) {
      return std::tuple(widths.ideal, widths.instructions, widths.bits);
    });
    return all;
  }

  /// The words of Low. For each width from 1 on it takes a word that all accesses of at least that
  /// width have in their registers. It prefers the word of the register bit with that number, so
  /// that registers need no packing; otherwise it takes the first of `units`. There are fewer words
  /// if not enough of them keep registers aligned.
  std::vector<std::uint64_t> vector_words(const std::vector<int>& bits,
                                          const std::vector<std::uint64_t>& units) const;

  /// The space U of each access: the span of the differences between the lanes of a phase, and of
  /// the first words of `low`, which lie inside a bank word or a vector.
  std::vector<layout::Subspace> differences(const std::vector<int>& bits,
                                            const std::vector<std::uint64_t>& low) const {
    std::vector<layout::Subspace> all;
    for (std::size_t i = 0; i < spaces.size(); ++i) {
      layout::Subspace& span = all.emplace_back();
      const int word = element_bits_in(model.bank_bytes, element_bits);
      const auto count = static_cast<std::size_t>(std::max(bits[i], word));
      for (std::size_t bit = 0; bit < std::min(count, low.size()); ++bit) span.add(low[bit]);
      layout::Subspace vector;
      for (int bit = 0; bit < bits[i]; ++bit) vector.add(low[static_cast<std::size_t>(bit)]);
      span.add(phase_span(model, spaces[i], bits[i], element_bits, vector).words);
    }
    return all;
  }

  /// The words of a layout for these widths: Low, then the rest of a line, then H. Empty if the
  /// search finds none.
  std::vector<std::uint64_t> words_for(const std::vector<int>& bits,
                                       const std::vector<std::uint64_t>& units) const;
};

/// Makes sure that each register has the same place in the vectors of all lanes. It decides which
/// words may still follow Low in the layout.
///
/// Bit j < v of an offset must be 0 for every lane. So c(j) must be no sum of the aligned words,
/// the words after Low and the other words of Low.
class Alignment {
 public:
  Alignment(const Search& search, const std::vector<int>& bits,
            const std::vector<std::uint64_t>& low) {
    for (std::size_t j = 0; j < low.size(); ++j) {
      layout::Subspace& others = others_.emplace_back();
      for (std::size_t k = 0; k < low.size(); ++k)
        if (k != j) others.add(low[k]);
      for (std::size_t i = 0; i < bits.size(); ++i)
        for (const std::uint64_t word : search.spaces[i].aligned)
          if (bits[i] > static_cast<int>(j)) others.add(word);
      words_.push_back(low[j]);
    }
  }
  bool is_possible() const {
    for (std::size_t j = 0; j < words_.size(); ++j)
      if (others_[j].contains(words_[j])) return false;
    return true;
  }
  bool allows(std::uint64_t word) const {
    for (std::size_t j = 0; j < words_.size(); ++j)
      if (others_[j].contains(word ^ words_[j])) return false;
    return true;
  }
  void add(std::uint64_t word) {
    for (layout::Subspace& others : others_) others.add(word);
  }

 private:
  std::vector<std::uint64_t> words_;
  std::vector<layout::Subspace> others_;
};

/// True if every row of a matrix instruction is in order in the layout `map`, and each register has
/// the same place in the vectors of all lanes. `bits` are the widths of the accesses.
bool is_aligned(const Search& search, const layout::LinearLayout& map,
                const std::vector<int>& bits);

}  // namespace detail

}  // namespace heddle::plan
