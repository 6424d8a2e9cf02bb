// Names and sizes of axes, and the small fixed lists that hold them.
//
// An axis is a named group of bits: ("lane", 5 bits) has the 32 coordinates 0..31. Sizes are powers
// of two throughout, so an axis stores its bits and the size is 1 << bits.
//
//     Axis{"lane", 5}           an axis of 32 coordinates, 0 to 31
//     Coordinate{"lane", 19}    one of them
//     Coordinates{{"register", 5}, {"lane", 19}}      a point of two axes, in any order
//     NameList{"lane", "warp"}                        names alone, for selecting and reordering
//
// None of these types allocates, and all of them are trivially copyable. So they can be members of
// constants, arguments of kernels, and template arguments by reference.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "heddle/layout/stop.h"

namespace heddle::layout {

inline constexpr int max_axes = 8;   // on each side of a layout
inline constexpr int max_bits = 64;  // on each side of a layout, over all its axes

// The lowest `count` bits set; count is 0..64.
constexpr std::uint64_t low_bits(int count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

// The name of an axis: 1 to 15 letters, digits and underscores, not starting with a digit. It is
// stored in two 64-bit words, padded with zeros, so that == compares two words and a layout needs
// no heap. The compiler checks a string literal. The explicit constructor checks other text and
// stops the program if the name is invalid; for a user's text, call is_valid() first.
class AxisName {
 public:
  static constexpr int max_size = 15;

  // AxisName() and AxisName{} are the empty name, which no axis of a layout has. A declaration
  // without an initialiser leaves the name uninitialized, like an int, so that lists of names cost
  // nothing until they are filled.
  AxisName() = default;

  template <std::size_t n>
  consteval AxisName(const char (&literal)[n]) : AxisName(std::string_view(literal, n - 1)) {}

  constexpr explicit AxisName(std::string_view text) : text_{} {
    if (!is_valid(text)) axis_name_needs_1_to_15_letters_digits_underscores_no_digit_first();
    for (std::size_t i = 0; i < text.size(); ++i) text_[i] = text[i];
    text_[max_size] = static_cast<char>(max_size - text.size());  // 0, a terminator, when full
  }

  // True if the text can be a name. The constructors require this; is_valid() only asks and does
  // not stop the program.
  static constexpr bool is_valid(std::string_view text) {
    if (text.empty() || text.size() > max_size || is_digit(text[0])) return false;
    for (char c : text) {
      if (!is_name_character(c)) return false;
    }
    return true;
  }

  static constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static constexpr bool is_name_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
  }

  // The characters of the name; valid as long as this object exists.
  constexpr std::string_view text() const {
    return {text_, static_cast<std::size_t>(empty() ? 0 : max_size - text_[max_size])};
  }
  // True of AxisName() alone.
  constexpr bool empty() const { return text_[0] == 0; }

  friend constexpr bool operator==(const AxisName& a, const AxisName& b) {
    return a.difference(b) == 0;
  }

  // 0 if the names are equal, otherwise some bits are set. Results for several names can be
  // combined by or and compared with 0 once.
  constexpr std::uint64_t difference(const AxisName& other) const {
    const auto x = std::bit_cast<Words>(*this);
    const auto y = std::bit_cast<Words>(other);
    return (x.low ^ y.low) | (x.high ^ y.high);
  }

 private:
  struct Words {
    std::uint64_t low, high;
  };
  alignas(8) char text_[max_size + 1];
};

// An axis and its size, 1 << bits. Bits are 0 to 64. An axis of 0 bits has only the coordinate 0:
// it has a name but no effect. The constructor accepts values that are out of range;
// AxisList::check() reports them.
struct Axis {
  AxisName name;
  int bits;

  // The size, 1 << bits. 0 for 64 bits, because that size does not fit into 64 bits, and for bits
  // that are out of range.
  constexpr std::uint64_t size() const {
    return bits >= 0 && bits < 64 ? std::uint64_t{1} << bits : 0;
  }
  friend constexpr bool operator==(const Axis&, const Axis&) = default;
};

// One coordinate of a point: {"lane", 5}.
struct Coordinate {
  AxisName axis;
  std::uint64_t value;

  friend constexpr bool operator==(const Coordinate&, const Coordinate&) = default;
};

// A list of up to max_axes items, stored in place. If more items are added, only the first are
// kept; then is_overfull() is true, and every function that takes such a list returns an error.
template <class T>
class FixedList {
 public:
  constexpr FixedList() {
    if (__builtin_is_constant_evaluated()) {  // at run time only what is used is set
      for (T& item : items_) item = T();
    }
  }
  constexpr FixedList(std::initializer_list<T> items) : FixedList() {
    for (const T& item : items) push_back(item);
  }

  // Adds an item. If the list already has max_axes items, only their number increases: see
  // is_overfull().
  constexpr void push_back(const T& item) {
    if (count_ < max_axes) items_[count_] = item;
    ++count_;
  }

  // Sets the number of items, up to max_axes. The caller must set the new items.
  constexpr void resize(int count) { count_ = count; }

  // True if more than max_axes items were added. Then size() is max_axes.
  constexpr bool is_overfull() const { return count_ > max_axes; }
  constexpr int size() const { return count_ < max_axes ? count_ : max_axes; }
  constexpr bool empty() const { return count_ == 0; }
  constexpr const T& operator[](int index) const { return items_[index]; }
  constexpr T& operator[](int index) { return items_[index]; }
  constexpr const T* begin() const { return items_; }
  constexpr const T* end() const { return items_ + size(); }

  friend constexpr bool operator==(const FixedList& a, const FixedList& b) {
    if (a.count_ != b.count_) return false;
    for (int i = 0; i < a.size(); ++i) {
      if (!(a.items_[i] == b.items_[i])) return false;
    }
    return true;
  }

 private:
  T items_[max_axes];
  int count_ = 0;
};

using NameList = FixedList<AxisName>;

// A point: one value per axis, found by name. As an input, a point may leave out axes: these
// coordinates are 0. But to ask a point for an axis that it does not have is a mistake, usually a
// misspelling.
//     const Coordinates point = layout.apply({{"register", 5}, {"lane", 19}}).value();
//     point.at("m")                11; for a name that it lacks, the program stops with a message
//     point.at_or("block", 0)      0 if the layout has no blocks
//     point[1].value               by the index of the axis among the outputs
class Coordinates : public FixedList<Coordinate> {
 public:
  using FixedList::FixedList;
  constexpr Coordinates() {}  // not defaulted: Coordinates() would clear the whole list first

  // The index of the coordinate on an axis, or -1. The result is an index and not a pointer,
  // because g++ 12 cannot compare a pointer into a temporary with null in constant evaluation.
  constexpr int find(const AxisName& axis) const {
    for (int i = 0; i < size(); ++i) {
      if ((*this)[i].axis == axis) return i;
    }
    return -1;
  }
  // The coordinate on an axis. If the point does not have the axis, a constant expression does not
  // compile; at run time the program prints a message on stderr and traps.
  constexpr std::uint64_t at(const AxisName& axis) const {
    const int index = find(axis);
    if (index < 0) [[unlikely]] {
      this_point_has_no_axis_of_that_name(axis.text().data(), axis.text().size());
    }
    return (*this)[index].value;
  }
  // The coordinate on an axis, or `otherwise` if the point does not have the axis.
  constexpr std::uint64_t at_or(const AxisName& axis, std::uint64_t otherwise) const {
    const int index = find(axis);
    return index < 0 ? otherwise : (*this)[index].value;
  }
};

}  // namespace heddle::layout
