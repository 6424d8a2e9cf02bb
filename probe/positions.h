// The places of an operand in registers, one number each, and what the catalogue says lies there.
#pragma once

#include <cstdint>
#include <vector>

#include "heddle/instruction/catalogue.h"

namespace heddle::probe {

/// Where a stored element begins, and how wide it is.
struct Place {
  int reg;  // of the operand's tuple
  int lane;
  int bit;   // lowest bit inside the register
  int bits;  // 1 to 64; of 64 the register after it holds the upper half
};

/// What a place holds: two coordinates of the matrix (of A: m, k; of B: k, n; of D: m, n), those of
/// several blocks numbered on.
struct Element {
  int first;
  int second;
  friend bool operator==(const Element&, const Element&) = default;
};

/// How the index of a sparse A is set: each group keeps its first half, or its second.
enum class Kept : std::uint8_t { first_half, second_half };

/// The places of A, B or D of an instruction that holds them in registers. A sparse A has a place
/// for each element that it stores.
class Positions {
 public:
  Positions(const instruction::Instruction& row, instruction::Operand operand);

  int size() const { return static_cast<int>(places_.size()); }
  const Place& place(int position) const { return places_[static_cast<std::size_t>(position)]; }
  /// What the catalogue says lies there.
  Element element(int position, Kept kept = Kept::first_half) const;
  /// Words that one lane holds: registers of the tuple.
  int registers() const { return registers_; }

 private:
  layout::LinearLayout map_;
  int bits_;    // of a stored element
  int stored_;  // elements in one position of the map: more than one only of a sparse A
  int group_;   // k in a group of a sparse A
  int registers_;
  std::vector<Place> places_;
  std::vector<std::uint64_t> words_;  // of each place, its input of the map
  int first_extent_, second_extent_;  // of one block
};

/// An index has 4 bits for each group, so a register holds 8.
inline constexpr int index_places_a_word = 8;

/// The places of the index of a sparse instruction: one for each group's bits.
struct IndexPlace {
  Place place;
  int row;       // m
  int group;     // which group of k
  int selector;  // the instruction's selector that has it read; 0 without selectors
};
std::vector<IndexPlace> index_places(const instruction::Instruction& row);

}  // namespace heddle::probe
