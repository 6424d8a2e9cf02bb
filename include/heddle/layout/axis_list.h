// The axes of one side of a layout, and how their coordinates are packed into one flat word.
//
//     const AxisList axes{{"register", 3}, {"lane", 5}};     names and bits, not sizes
//     axes.pack({{"lane", 5}, {"register", 3}}).value()     43, in any order of the point
//     axes.unpack(43)                                       ("register", 3), ("lane", 5)
//     axes.pack({{"register", 9}}).error().message()
//         "the value 9 lies outside axis 'register', which has size 8"
//     axes.pack({{"warp", 1}}).error().message()
//         "there is no axis 'warp' on this side of the layout; its first axis is 'register'"
//
// The algebra computes with flat words: each basis is a flat word, and so is every input and output
// of LinearLayout::apply. Names matter when an operation takes two layouts.
#pragma once

#include "heddle/layout/expected.h"

namespace heddle::layout {

// Up to 8 axes in order. A flat word holds one coordinate of each, the first axis in the low bits:
//
//   axes            register: 8      lane: 32
//   flat word  bits 0 1 2        |  3 4 5 6 7
//
// so ("register", 3), ("lane", 5) packs to 3 + 5 * 8 = 43. An axis that is not in the list behaves
// as one of size 1: bits_of() is 0 and its only coordinate is 0.
class AxisList {
 public:
  constexpr AxisList() = default;
  constexpr AxisList(std::initializer_list<Axis> axes) {
    for (const Axis& axis : axes) push_back(axis);
  }

  // Adds an axis above the others. This accepts a ninth axis, a repeated name and bits out of
  // range, which check() reports. So code that builds a list step by step checks it only once, at
  // the end.
  constexpr void push_back(const Axis& axis) {
    axes_.push_back(axis);
    // The sum is unsigned, so it cannot overflow; check() reports numbers that are out of range.
    bits_ = static_cast<int>(static_cast<unsigned>(bits_) + static_cast<unsigned>(axis.bits));
  }

  constexpr int size() const { return axes_.size(); }  // how many axes
  constexpr int bits() const { return bits_; }         // of all axes together
  constexpr const Axis& operator[](int index) const { return axes_[index]; }
  constexpr const Axis* begin() const { return axes_.begin(); }
  constexpr const Axis* end() const { return axes_.end(); }

  // The index of the axis with this name, or -1.
  constexpr int find(const AxisName& name) const {
    for (int i = 0; i < size(); ++i) {
      if (axes_[i].name == name) return i;
    }
    return -1;
  }
  // True if there is an axis with this name, even if its size is 1.
  constexpr bool contains(const AxisName& name) const { return find(name) >= 0; }
  // The bits of the axis with this name. 0 if there is none: a missing axis behaves as one of size
  // 1.
  constexpr int bits_of(const AxisName& name) const {
    const int index = find(name);
    return index < 0 ? 0 : axes_[index].bits;
  }
  // The size of the axis with this name, 1 to 2^63. 0 for an axis of 64 bits, whose size does not
  // fit into 64 bits: use bits_of.
  constexpr std::uint64_t size_of(const AxisName& name) const {
    const int index = find(name);
    return index < 0 ? 1 : axes_[index].size();
  }

  // The position of the lowest bit of axis `index` in the flat word.
  constexpr int offset(int index) const {
    int bits = 0;
    for (int i = 0; i < index; ++i) bits += axes_[i].bits;
    return bits;
  }
  // The index of the axis to which flat bit `bit` belongs; 0 <= bit < bits().
  constexpr int axis_of_bit(int bit) const {
    int index = 0;
    while (bit >= axes_[index].bits) bit -= axes_[index++].bits;
    return index;
  }

  // The coordinate of axis `index` in a flat word.
  constexpr std::uint64_t coordinate(std::uint64_t flat, int index) const {
    const int bits = axes_[index].bits;
    return bits == 0 ? 0 : (flat >> offset(index)) & low_bits(bits);
  }

  // All coordinates of a flat word, in the order of the axes.
  constexpr Coordinates unpack(std::uint64_t flat) const {
    Coordinates point;
    unpack_into(point, flat);
    return point;
  }
  // The same, but replaces the contents of `point`.
  constexpr void unpack_into(Coordinates& point, std::uint64_t flat) const {
    point.resize(size());
    for (int i = 0; i < size(); ++i) {
      const Axis& axis = axes_[i];
      point[i] = {axis.name, flat & low_bits(axis.bits)};
      flat = axis.bits >= 64 ? 0 : flat >> axis.bits;
    }
  }

  // The flat word of a point. Axes that the point does not name are 0. Precondition: check()
  // accepts the axes (the axes of every layout are accepted). Errors: an unknown axis, an axis
  // named twice, a value out of range.
  constexpr Expected<std::uint64_t> pack(const Coordinates& point) const {
    const Packed packed = try_pack(point);
    if (!packed.is_valid) [[unlikely]] {
      return reason_not_packed(point);
    }
    return packed.flat;
  }

  // Like pack(), but the result is small enough for two registers and has no Error. `flat` is
  // meaningful only if `is_valid`; otherwise reason_not_packed(point) gives the error.
  struct Packed {
    std::uint64_t flat;
    bool is_valid;
  };
  constexpr Packed try_pack(const Coordinates& point) const {
    const Packed in_order = pack_in_order(point);
    return in_order.is_valid ? in_order : pack_by_name(point);
  }

  // The error for a point that pack() rejects.
  constexpr Error reason_not_packed(const Coordinates& point) const {
    for (int i = 0; i < point.size(); ++i) {
      const Coordinate& coordinate = point[i];
      const int index = find(coordinate.axis);
      if (index < 0) return unknown(coordinate.axis);
      if (point.find(coordinate.axis) != i) {
        return {ErrorCode::duplicate_axis, coordinate.axis, {}, {}};
      }
      const int bits = axes_[index].bits;
      if (coordinate.value > low_bits(bits)) {
        return {ErrorCode::value_outside_axis,
                coordinate.axis,
                {},
                {coordinate.value, static_cast<std::uint64_t>(bits)}};
      }
    }
    return {ErrorCode::too_many_axes, {}, {}, {}};
  }

  // Checks the rules for the axes of one side of a layout: at most 8 axes and 64 bits, and each
  // axis has a unique name and 0 to 64 bits. Returns the error for the first rule that is broken.
  constexpr Error check() const {
    if (axes_.is_overfull()) return {ErrorCode::too_many_axes, {}, {}, {}};
    int total = 0;
    for (int i = 0; i < size(); ++i) {
      const Axis& axis = axes_[i];
      const auto bits = static_cast<std::uint64_t>(axis.bits);
      if (axis.name.empty()) {
        return {ErrorCode::axis_without_name, {}, {}, {static_cast<std::uint64_t>(i)}};
      }
      if (bits > max_bits) return {ErrorCode::bits_out_of_range, axis.name, {}, {bits}};
      if (find(axis.name) != i) return {ErrorCode::duplicate_axis, axis.name, {}, {}};
      total += axis.bits;
    }
    if (total <= max_bits) return {};
    return {ErrorCode::too_many_bits, {}, {}, {static_cast<std::uint64_t>(total)}};
  }

  // The error for a name that no axis of this list has.
  constexpr Error unknown(const AxisName& name) const {
    return {ErrorCode::unknown_axis, name, size() > 0 ? axes_[0].name : AxisName(), {}};
  }

  friend constexpr bool operator==(const AxisList& a, const AxisList& b) {
    return a.axes_ == b.axes_;
  }

 private:
  // Packs a point that names all axes in their order, as most points do, without searching for
  // names. Not valid for other points.
  constexpr Packed pack_in_order(const Coordinates& point) const {
    if (point.size() != size() || point.is_overfull()) return {0, false};
    std::uint64_t flat = 0;
    std::uint64_t wrong = 0;
    int offset = 0;
    for (int i = 0; i < size(); ++i) {
      const Axis& axis = axes_[i];
      const std::uint64_t value = point[i].value;
      wrong |= axis.name.difference(point[i].axis) | (value & ~low_bits(axis.bits));
      flat |= value << (offset & 63);  // an axis at offset 64 has only 0
      offset += axis.bits;
    }
    return {flat, wrong == 0};
  }

  constexpr Packed pack_by_name(const Coordinates& point) const {
    std::uint64_t flat = 0;
    int offset = 0;
    int found = 0;
    for (const Axis& axis : *this) {
      if (const int index = point.find(axis.name); index >= 0) {
        if (point[index].value > low_bits(axis.bits)) return {0, false};
        flat |= point[index].value << (offset & 63);
        ++found;
      }
      offset += axis.bits;
    }
    return {flat, found == point.size() && !point.is_overfull()};
  }

  FixedList<Axis> axes_;
  int bits_ = 0;
};

}  // namespace heddle::layout
