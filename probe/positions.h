// Numbers the places of an operand, in registers or in shared memory, and says which element the
// catalogue has at each place.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "heddle/instruction/instruction.h"
#include "heddle/instruction/shared_operand.h"

namespace heddle::probe {

/// Where an entry of a table (KernelParameters) has a stored element, and how many bits the element
/// has.
struct Place {
  int word;
  int bit;         // lowest bit inside the word
  int bits;        // 1 to 64
  int upper_word;  // of 64 bits, that of the upper half
};

/// The element at a place: two coordinates of the matrix (A: m, k; B: k, n; D: m, n). If an
/// instruction multiplies several independent matrices (blocks), the coordinates count on from one
/// block to the next.
struct Element {
  int first;
  int second;
  friend bool operator==(const Element&, const Element&) = default;
};

/// How the index of a sparse A is set. A group is a run of neighbouring k, of which A stores one
/// half: the first or the second.
enum class Kept : std::uint8_t { first_half, second_half };

/// The places of A, B or D: the places in its registers, or in a tile of shared memory. A sparse A
/// has a place for each element that it stores.
class Positions {
 public:
  Positions(const instruction::Instruction& row, instruction::Operand operand);
  /// The places of a tile in shared memory. Precondition: it is the tile that the instruction reads
  /// (instruction::shared_tile).
  Positions(const instruction::Instruction& row, const instruction::SharedTile& tile);

  int size() const { return static_cast<int>(places_.size()); }
  const Place& place(int position) const { return places_[static_cast<std::size_t>(position)]; }
  /// The element that the catalogue has at a place. Nothing if the instruction does not read the
  /// place.
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
  // For a sparse A: the number of k in a group, and how many of these are stored.
  int group_ = 1, kept_ = 1;
};

/// The number of places in a 32-bit register of the index: each group of k takes 4 bits.
inline constexpr int index_places_a_word = 8;

/// The places of the index of a sparse instruction: the 4 bits that belong to one group of k are a
/// place.
struct IndexPlace {
  Place place;
  int row;       // m
  int group;     // which group of k
  int selector;  // the instruction's selector that has it read; 0 without selectors
};
std::vector<IndexPlace> index_places(const instruction::Instruction& row);

}  // namespace heddle::probe
