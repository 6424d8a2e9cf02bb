// The places of an operand in registers, one number each, and what the catalogue says lies there.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "heddle/instruction/instruction.h"
#include "heddle/instruction/shared_operand.h"

namespace heddle::probe {

/// The place of a stored element in an entry of a table (KernelParameters), and its width.
struct Place {
  int word;
  int bit;         // lowest bit inside the word
  int bits;        // 1 to 64
  int upper_word;  // of 64 bits, that of the upper half
};

/// The element at a place: two coordinates of the matrix (A: m, k; B: k, n; D: m, n). With several
/// blocks the coordinates count on from block to block.
struct Element {
  int first;
  int second;
  friend bool operator==(const Element&, const Element&) = default;
};

/// How the index of a sparse A is set: each group keeps its first half, or its second.
enum class Kept : std::uint8_t { first_half, second_half };

/// The places of A, B or D: those of its registers, or those of a tile in shared memory. A sparse A
/// has a place for each element that it stores.
class Positions {
 public:
  Positions(const instruction::Instruction& row, instruction::Operand operand);
  /// Precondition: the tile is what the row reads of it (instruction::shared_tile).
  Positions(const instruction::Instruction& row, const instruction::SharedTile& tile);

  int size() const { return static_cast<int>(places_.size()); }
  const Place& place(int position) const { return places_[static_cast<std::size_t>(position)]; }
  /// The element that the catalogue has there; nothing if the instruction does not read it.
  std::optional<Element> element(int position, Kept kept = Kept::first_half) const;
  /// Words of an entry.
  int words() const { return words_; }

 private:
  struct Stored {
    bool read;
    int first, second;  // of a sparse A: m, and the number among the stored k
  };
  int words_;
  std::vector<Place> places_;
  std::vector<Stored> stored_;
  // For a sparse A: the k in a group, and how many of them are stored.
  int group_ = 1, kept_ = 1;
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
