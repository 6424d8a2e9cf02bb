// A layout as index arithmetic: shifts and masks on integers in a kernel, or on any other type that
// can represent an index, such as a Formula (formula.h), which prints the computation.
//
//   inline constexpr LinearLayout fragment = parse("...").value();
//   auto [m, n] = map_index<fragment>(register_, lane);
//
// The layout is known at compile time. So a kernel executes only one shift and at most one mask for
// each field, that is, for each group of bits that move together, as in code written by hand.
//
// WHAT IS COMPUTED. The accumulator of gfx11's WMMA, rows 2 * register + lane / 16, columns lane %
// 16:
//
//     register: (2,0) (4,0) (8,0); lane: (0,1) (0,2) (0,4) (0,8) (1,0) -> m: 16, n: 16
//
//     output   field                                                   as code
//     m        register bits 0 to 2 -> bits 1 to 3, reaches the top    register << 1
//              lane bit 4           -> bit 0,       reaches the top    lane >> 4
//     n        lane bits 0 to 3     -> bits 0 to 3                     lane & 15
//
// Fields of one output are joined by | if they have no bit in common, otherwise by ^. So a plain
// layout becomes shifts, masks and ors, and a swizzle has one xor for each field that is mixed in.
#pragma once

#include <array>
#include <concepts>
#include <utility>

#include "heddle/layout/linear_layout.h"

namespace heddle::layout {

// A field: consecutive bits that move together. Bits from .. from + count - 1 of the coordinate of
// input axis `input` go to bits to .. to + count - 1 of an output coordinate. `input` is the index
// of the input axis. The output axis is the one for which the field was found.
struct BitField {
  std::size_t input = 0;
  int from = 0;
  int count = 0;
  int to = 0;
  bool reaches_top = false;  // no bit of the input axis lies above it: nothing to mask off
};

// True if bit `from` of input axis `input` changes bit `to` of output axis `output`.
constexpr bool moves(const LinearLayout& layout, int input, int from, int output, int to) {
  if (from < 0 || to < 0 || from >= layout.inputs()[input].bits) return false;
  const std::uint64_t word = layout.basis(layout.inputs().offset(input) + from);
  return (layout.outputs().coordinate(word, output) >> to & 1) != 0;
}

// Calls visit(field) for the fields of output axis `output`, beginning with those that go to the
// highest bits. Law: the output coordinate is the xor of its fields.
constexpr void for_each_field(const LinearLayout& layout, int output, auto&& visit) {
  for (int to = layout.outputs()[output].bits - 1; to >= 0; --to) {
    for (int input = 0; input < layout.inputs().size(); ++input) {
      const int bits = layout.inputs()[input].bits;
      for (int from = 0; from < bits; ++from) {
        // A field is found at its lowest bit.
        if (!moves(layout, input, from, output, to)) continue;
        if (moves(layout, input, from - 1, output, to - 1)) continue;
        int count = 1;
        while (to + count < layout.outputs()[output].bits &&
               moves(layout, input, from + count, output, to + count)) {
          ++count;
        }
        visit(BitField{static_cast<std::size_t>(input), from, count, to, from + count == bits});
      }
    }
  }
}

// The number of fields of the output axis: the number of terms that are joined to its coordinate; 0
// if no input moves the axis.
constexpr int count_fields(const LinearLayout& layout, int output) {
  int count = 0;
  for_each_field(layout, output, [&](const BitField&) { ++count; });
  return count;
}

// True if no two fields of an output axis have a bit in common, so that they may be added.
constexpr bool fields_are_disjoint(const LinearLayout& layout, int output) {
  std::uint64_t seen = 0;
  bool disjoint = true;
  for_each_field(layout, output, [&](const BitField& field) {
    const std::uint64_t bits = low_bits(field.count) << field.to;
    disjoint = disjoint && (seen & bits) == 0;
    seen |= bits;
  });
  return disjoint;
}

// The operations of map_index on an index. Specialise this template for types that are not
// integers. A specialisation needs three static functions, zero(), field(x, field) and join(a, b,
// disjoint), as below. Formula (formula.h) has a specialisation that writes text, and a compiler
// may have one that emits instructions.
template <class Index>
struct IndexOperations {
  static_assert(std::integral<Index>,
                "map_index takes integers, or a type with its own IndexOperations (see formula.h)");

  static constexpr Index zero() { return 0; }

  // Moves the bits of a field from the input coordinate x to their position in the output; 0 <= x <
  // size of the axis.
  static constexpr Index field(Index x, const BitField& field) {
    Index bits = x >> field.from;
    if (!field.reaches_top) bits = bits & static_cast<Index>(low_bits(field.count));
    return static_cast<Index>(bits << field.to);
  }

  // Joins two fields. `disjoint`: they have no bit in common.
  static constexpr Index join(Index a, Index b, bool disjoint) { return disjoint ? a | b : a ^ b; }
};

// The fields of an output axis, as a constant array.
template <const LinearLayout& layout, int output>
inline constexpr auto fields_of = [] {
  std::array<BitField, static_cast<std::size_t>(count_fields(layout, output))> fields{};
  std::size_t next = 0;
  for_each_field(layout, output, [&](const BitField& field) { fields[next++] = field; });
  return fields;
}();

// True if the fields of the output axis may be added. This is a variable because a constant within
// a function is computed again for every constant that calls the function.
template <const LinearLayout& layout, int output>
inline constexpr bool disjoint_fields_of = fields_are_disjoint(layout, output);

template <const LinearLayout& layout, int output, class Index, std::size_t inputs,
          std::size_t... rest>
constexpr Index sum_of_fields(const std::array<Index, inputs>& point,
                              std::index_sequence<rest...>) {
  using Operations = IndexOperations<Index>;
  constexpr auto fields =
      fields_of<layout, output>;  // a copy: kernels cannot refer to host constants
  Index sum = Operations::field(point[fields[0].input], fields[0]);
  ((sum = Operations::join(sum, Operations::field(point[fields[rest + 1].input], fields[rest + 1]),
                           disjoint_fields_of<layout, output>)),
   ...);
  return sum;
}

template <const LinearLayout& layout, int output, class Index, std::size_t inputs>
constexpr Index map_index_to(const std::array<Index, inputs>& point) {
  constexpr std::size_t count = fields_of<layout, output>.size();
  if constexpr (count == 0) {
    return IndexOperations<Index>::zero();
  } else {
    return sum_of_fields<layout, output>(point, std::make_index_sequence<count - 1>());
  }
}

// Returns the output coordinates for these input coordinates, both in the order of their axes.
// `layout` must be a constexpr variable of namespace scope, or a static one. Each index must be in
// the range of its axis: 0 <= index < size. Law: map_index is apply, for every input.
//     inline constexpr LinearLayout d = parse("register: … -> m: 16, n: 16").value();
//     auto [m, n] = map_index<d>(r, lane);          both unsigned, or both int
template <const LinearLayout& layout, class Index, std::same_as<Index>... Indices>
constexpr auto map_index(Index first, Indices... rest) {
  constexpr int inputs = layout.inputs().size();
  static_assert(inputs == 1 + sizeof...(rest),
                "map_index takes one index for each input axis of the layout, in their order");
  const std::array<Index, 1 + sizeof...(rest)> point{first, rest...};
  return [&]<int... output>(std::integer_sequence<int, output...>) {
    return std::array<Index, sizeof...(output)>{map_index_to<layout, output>(point)...};
  }(std::make_integer_sequence<int, layout.outputs().size()>());
}

}  // namespace heddle::layout
