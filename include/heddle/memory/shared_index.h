// The place of an element of a shared-memory tile as index arithmetic that a kernel computes, with
// the layout known at compile time.
//
//   inline constexpr SharedLayout tile = ...;                  // padded, swizzled, transposed, ...
//   unsigned place = place_index<tile>(row, column);           // elements after the tile's start
//
// The bits of the unpadded offset are cut into fields. A field is a run of neighbouring bits of the
// offset. Each of these bits is the xor of bits of the same coordinates, and no interval of padding
// begins inside the field. The weight of a field is the place of its lowest bit, so
//
//   place = sum over fields of (xor of the coordinates' bits) * place(lowest bit)
//
// For a padded tile this is row * pitch + column. For a swizzled tile it also has an xor in the
// swizzled bits. This is the code that one writes by hand.
//
// For a tile of 16 x 32 elements whose rows are padded by 8, and for one whose row r has its groups
// of 8 columns at places g ^ (r & 3):
//
//     layout                  fields                              what place_index computes
//     padded by 8             column bits 0-4, weight 1           column + row * 40
//                             row bits 0-3, weight 40
//     swizzled                column bits 0-2, weight 1           (column & 7)
//                             column bits 3-4 ^ row bits 0-1,       + ((column >> 3 ^ row) & 3) * 8
//                               weight 8                            + row * 32
//                             row bits 0-3, weight 32
//
// The weight of a field is the place of its lowest bit, padding before it included.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <utility>

#include "heddle/layout/solve.h"
#include "heddle/memory/shared_layout.h"

namespace heddle::memory {

/// A run of bits of coordinate `axis` that a field uses. It begins at bit `from` and has as many
/// bits as the field (OffsetField::count).
struct FieldSource {
  int axis = 0;
  int from = 0;
  bool reaches_top = false;  // of the coordinate: nothing to mask off
};

/// A run of `count` neighbouring bits of the offset. Bit i of the run is the xor of bit i of every
/// source.
struct OffsetField {
  static constexpr int most_sources = 8;
  int count = 0;
  int sources = 0;
  std::array<FieldSource, most_sources> source{};
  std::uint64_t weight = 0;  // the place of its lowest bit
};

struct OffsetFields {
  static constexpr int most = 64;
  int count = 0;
  std::array<OffsetField, most> field{};
};

namespace detail {

/// A field of one bit, for offset bit `bit`. Its sources are the coordinate bits whose xor is this
/// bit.
constexpr OffsetField field_of_bit(const layout::LinearLayout& inverse, int bit) {
  OffsetField field;
  field.count = 1;
  for (int axis = 0; axis < inverse.inputs().size(); ++axis) {
    const int bits = inverse.inputs()[axis].bits;
    const int first = inverse.inputs().offset(axis);
    for (int from = 0; from < bits; ++from)
      if ((inverse.basis(first + from) >> bit & 1) != 0 &&
          field.sources < OffsetField::most_sources)
        field.source[static_cast<std::size_t>(field.sources++)] = {axis, from, from + 1 == bits};
  }
  return field;
}

/// True if `next`, the field of the offset bit above `field`, can be joined to `field`: each source
/// of `next` is the bit above the bits of the same source of `field`.
constexpr bool goes_on(const OffsetField& field, const OffsetField& next) {
  if (next.sources != field.sources) return false;
  for (int i = 0; i < field.sources; ++i) {
    const FieldSource& low = field.source[static_cast<std::size_t>(i)];
    const FieldSource& high = next.source[static_cast<std::size_t>(i)];
    if (high.axis != low.axis || high.from != low.from + field.count) return false;
  }
  return true;
}

}  // namespace detail

/// The fields of the layout of a tile that lies in the memory of one thread block. Precondition:
/// the map is invertible, and each bit of an element's offset is the xor of at most 8 coordinate
/// bits.
constexpr OffsetFields offset_fields(const SharedLayout& shared) {
  const layout::LinearLayout inverse = layout::invert(shared.map).value();
  const auto begins_padding = [&](int bit) {
    for (const Padding& pad : shared.padding)
      if (pad.interval == std::uint64_t{1} << bit) return true;
    return false;
  };
  OffsetFields fields;
  for (int bit = 0; bit < inverse.output_bits(); ++bit) {
    OffsetField next = detail::field_of_bit(inverse, bit);
    if (fields.count > 0 && !begins_padding(bit)) {
      OffsetField& last = fields.field[static_cast<std::size_t>(fields.count - 1)];
      if (detail::goes_on(last, next)) {
        ++last.count;
        for (int i = 0; i < last.sources; ++i)
          last.source[static_cast<std::size_t>(i)].reaches_top =
              next.source[static_cast<std::size_t>(i)].reaches_top;
        continue;
      }
    }
    next.weight = shared.place(std::uint64_t{1} << bit);
    fields.field[static_cast<std::size_t>(fields.count++)] = next;
  }
  return fields;
}

template <const SharedLayout& shared>
inline constexpr OffsetFields fields_of_shared = offset_fields(shared);
template <const SharedLayout& shared, int number>
inline constexpr OffsetField field_of_shared = fields_of_shared<shared>.field[number];
template <const SharedLayout& shared, int number, int source>
inline constexpr FieldSource source_of_shared = field_of_shared<shared, number>.source[source];

namespace detail {

template <const SharedLayout& shared, int number, int source, class Index, std::size_t axes>
constexpr Index source_bits(const std::array<Index, axes>& point) {
  constexpr Index mask =
      static_cast<Index>((std::uint64_t{1} << field_of_shared<shared, number>.count) - 1);
  const Index bits = point[source_of_shared<shared, number, source>.axis] >>
                     source_of_shared<shared, number, source>.from;
  return source_of_shared<shared, number, source>.reaches_top ? bits : bits & mask;
}

template <const SharedLayout& shared, int number, class Index, std::size_t axes>
constexpr Index field_place(const std::array<Index, axes>& point) {
  return [&]<int... source>(std::integer_sequence<int, source...>) {
    return (Index{0} ^ ... ^ source_bits<shared, number, source>(point));
  }(std::make_integer_sequence<int, field_of_shared<shared, number>.sources>()) *
         static_cast<Index>(field_of_shared<shared, number>.weight);
}

}  // namespace detail

/// The number of elements before the element at these coordinates. The coordinates are in the order
/// of the map's outputs. Index is an unsigned integer. `shared` is a constexpr variable of
/// namespace scope, or a static one.
///
/// Law: place_index(x) == shared.place(inverse(map)(x)) for every element x of the tile. A
/// coordinate may exceed the size of its axis. Its bits beyond the axis then continue the field
/// that has the highest bits of the axis.
template <const SharedLayout& shared, class Index, std::same_as<Index>... Indices>
constexpr Index place_index(Index first, Indices... rest) {
  static_assert(shared.map.outputs().size() == 1 + sizeof...(rest),
                "place_index takes one index for each dimension of the tile, in their order");
  const std::array<Index, 1 + sizeof...(rest)> point{first, rest...};
  return [&]<int... number>(std::integer_sequence<int, number...>) {
    return (Index{0} + ... + detail::field_place<shared, number>(point));
  }(std::make_integer_sequence<int, fields_of_shared<shared>.count>());
}

}  // namespace heddle::memory
