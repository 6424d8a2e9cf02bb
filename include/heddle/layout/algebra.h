// Composition, products and quotients of layouts: how small maps are combined to large ones, and
// large ones are divided.
//
//     operation                 on maps                          a use
//     compose(f, g)             first f, then g                  lane to element, element to bank
//     product(atom, tiling)     both, each on its own bits       an instruction over a tile
//     divide_left(tile, atom)   the tiling that made the tile    how often does it repeat, where?
//
// All are free functions, and none of them changes its arguments. Those that can fail return an
// Expected whose Error names the axis or the basis that is the cause.
#pragma once

#include "heddle/layout/linear_layout.h"

namespace heddle::layout {

// The first difference between two sides that must have the same axes and sizes; ErrorCode::none if
// there is none.
//     m: 4 against m: 8    "axis 'm' has size 4 in the first layout and 8 in the second; make them
//                          equal"
// Order does not matter: {m, n} and {n, m} have no difference.
constexpr Error difference_of_axes(const AxisList& first, const AxisList& second) {
  for (const Axis& axis : first) {
    const int other = second.find(axis.name);
    if (other < 0) return {ErrorCode::axis_missing_in_second, axis.name, {}, {}};
    if (second[other].bits != axis.bits) {
      const auto bits = static_cast<std::uint64_t>(axis.bits);
      const auto other_bits = static_cast<std::uint64_t>(second[other].bits);
      return {ErrorCode::sizes_differ, axis.name, {}, {bits, other_bits}};
    }
  }
  for (const Axis& axis : second) {
    if (!first.contains(axis.name)) return {ErrorCode::axis_missing_in_first, axis.name, {}, {}};
  }
  return {};
}

// Moves the coordinates of a flat word from one packing to another. Each axis that both `from` and
// `to` have moves to its position in `to`; axes that `to` lacks are dropped.
//
//     from  m: 16, n: 8      flat bits  m m m m n n n
//     to    n: 8, m: 16      flat bits  n n n m m m m      two fields: m moves by 3, n by -4
//
// Only this class converts between packings. The operations compare axes by name and ignore their
// order.
class FieldMove {
 public:
  // The coordinate goes to the lowest bits of the axis with the same name.
  constexpr FieldMove(const AxisList& from, const AxisList& to) : FieldMove(from, to, AxisList()) {}

  // The coordinate goes above the bits that the axis has in `below`, as for the high part of a
  // product.
  constexpr FieldMove(const AxisList& from, const AxisList& to, const AxisList& below) {
    int offset = 0;
    for (const Axis& axis : from) {
      const int target = to.find(axis.name);
      if (target >= 0 && axis.bits > 0) {
        add(offset, axis.bits, to.offset(target) + below.bits_of(axis.name));
      }
      offset += axis.bits;
    }
  }

  // Returns the word with its coordinates moved. A rotation by a negative distance moves down.
  constexpr std::uint64_t operator()(std::uint64_t word) const {
    std::uint64_t moved = 0;
    for (int i = 0; i < count_; ++i) {
      moved |= std::rotl(word & fields_[i].mask, fields_[i].distance);
    }
    return moved;
  }

  // The inverse: the word whose moved coordinates are those of `moved`. Dropped axes become 0.
  constexpr std::uint64_t back(std::uint64_t moved) const {
    std::uint64_t word = 0;
    for (int i = 0; i < count_; ++i) {
      word |= std::rotr(moved, fields_[i].distance) & fields_[i].mask;
    }
    return word;
  }

 private:
  struct Field {
    std::uint64_t mask;
    int distance;
  };

  // Successive axes that move by the same distance form one field, so most moves have one or two.
  constexpr void add(int offset, int bits, int target) {
    const std::uint64_t mask = low_bits(bits) << offset;
    const int distance = target - offset;
    if (count_ > 0 && fields_[count_ - 1].distance == distance) {
      fields_[count_ - 1].mask |= mask;
    } else {
      fields_[count_++] = {mask, distance};
    }
  }

  Field fields_[max_axes] = {};
  int count_ = 0;
};

// Computes layout.apply(word) by iterating over the set bits of `word`. This is faster for a basis,
// which has one or two set bits. apply looks at every bit, but has no branch that depends on the
// index.
constexpr std::uint64_t apply_sparse(const LinearLayout& layout, std::uint64_t word) {
  std::uint64_t output = 0;
  for (; word != 0; word &= word - 1) output ^= layout.basis(std::countr_zero(word));
  return output;
}

// First `inner`, then `outer`. The outputs of `inner` and the inputs of `outer` must have the same
// axes and sizes, in any order.
//
//     inner   lane: (0,1) (1,0) -> row: 2, group: 2
//     outer   row: (2); group: (1) -> offset: 4
//     result  lane: (1) (2) -> offset: 4           lane bit 0 is group bit 0, which moves by 1
//
// An inner tile smaller than the axis of `outer` first grows with resize_output (axes.h).
// Law: compose applies inner then outer: compose(f, g).apply(x) == g.apply(f.apply(x)).
// Law: compose is associative: compose(compose(f, g), h) == compose(f, compose(g, h)).
// Law: identities are the units of compose: compose(id, f) == f and compose(f, id) == f.
// Errors: an axis that only one of the two has, sizes that differ.
constexpr Expected<LinearLayout> compose(const LinearLayout& inner, const LinearLayout& outer) {
  const bool same_order = inner.outputs() == outer.inputs();
  if (!same_order) {
    const Error error = difference_of_axes(inner.outputs(), outer.inputs());
    if (error.code != ErrorCode::none) return error;
  }
  Expected<LinearLayout> result;
  LayoutParts::inputs(*result) = inner.inputs();
  LayoutParts::outputs(*result) = outer.outputs();
  std::uint64_t* bases = LayoutParts::bases(*result);
  if (same_order) {
    for (int bit = 0; bit < inner.input_bits(); ++bit) {
      bases[bit] = apply_sparse(outer, inner.basis(bit));
    }
  } else {
    const FieldMove move(inner.outputs(), outer.inputs());
    for (int bit = 0; bit < inner.input_bits(); ++bit) {
      bases[bit] = apply_sparse(outer, move(inner.basis(bit)));
    }
  }
  return result;
}

// The axes of both lists, those of `low` first. An axis that is in both gets the sum of their bits:
// {lane: 4} and {warp: 2, lane: 8} give {lane: 32, warp: 2}. The result may have more than 8 axes
// or 64 bits; the caller must check that.
constexpr AxisList sum_of_axes(const AxisList& low, const AxisList& high) {
  AxisList sum;
  for (const Axis& axis : low) sum.push_back({axis.name, axis.bits + high.bits_of(axis.name)});
  for (const Axis& axis : high) {
    if (!low.contains(axis.name)) sum.push_back(axis);
  }
  return sum;
}

// The direct sum: `low` and `high` in one layout, each on its own bits. Axes of the same name are
// joined, with the bits of `low` below those of `high`. So product(atom, tiling) repeats an atom.
//
//     low     register: (2,0) (4,0); lane: (0,1) (1,0) -> m: 8, n: 2
//     high    register: (0,1); warp: (1,0)             -> m: 2, n: 2      in units of the atom
//     result  register: (2,0) (4,0) (0,2); lane: (0,1) (1,0); warp: (8,0) -> m: 16, n: 4
//
// Warp 1 moves by one atom of 8 rows, and register bit 2 by one atom of 2 columns. The order of the
// arguments says which bits are low: product(tiling, atom) would spread the atom's elements apart.
//
// Law: product keeps its parts apart: an input that is x on the low bits and y on the high bits of
// each axis goes to low(x) on the low bits and high(y) on the high bits.
//
// Law: product is associative: product(product(f, g), h) == product(f, product(g, h)).
//
// Errors: more than 8 axes or 64 bits on one side.
constexpr Expected<LinearLayout> product(const LinearLayout& low, const LinearLayout& high) {
  const AxisList inputs = sum_of_axes(low.inputs(), high.inputs());
  const AxisList outputs = sum_of_axes(low.outputs(), high.outputs());
  for (const AxisList* side : {&inputs, &outputs}) {
    if (const Error error = side->check(); error.code != ErrorCode::none) return error;
  }
  Expected<LinearLayout> result;
  LayoutParts::inputs(*result) = inputs;
  LayoutParts::outputs(*result) = outputs;
  std::uint64_t* next = LayoutParts::bases(*result);
  const FieldMove move_low(low.outputs(), outputs);
  const FieldMove move_high(high.outputs(), outputs, low.outputs());
  for (const Axis& axis : inputs) {
    for (const auto& [part, move] : {std::pair(&low, &move_low), std::pair(&high, &move_high)}) {
      const int index = part->inputs().find(axis.name);
      if (index < 0) continue;
      const int first = part->inputs().offset(index);
      for (int bit = 0; bit < part->inputs()[index].bits; ++bit) {
        *next++ = (*move)(part->basis(first + bit));
      }
    }
  }
  return result;
}

// The axes of `whole` without the low bits that `part` takes, or the reason why `part` is not a
// part of it.
constexpr Expected<AxisList> axes_above(const AxisList& whole, const AxisList& part) {
  for (const Axis& axis : part) {
    if (!whole.contains(axis.name)) return Error{ErrorCode::part_axis_missing, axis.name, {}, {}};
    const int bits = whole.bits_of(axis.name);
    if (axis.bits > bits) {
      return Error{ErrorCode::part_axis_larger,
                   axis.name,
                   {},
                   {static_cast<std::uint64_t>(axis.bits), static_cast<std::uint64_t>(bits)}};
    }
  }
  AxisList rest;
  for (const Axis& axis : whole) rest.push_back({axis.name, axis.bits - part.bits_of(axis.name)});
  return rest;
}

// The error for a basis of `whole` that does not belong to the part but moves within the part's
// outputs. The error names the basis and the first output axis on which the basis moves within the
// part.
constexpr Error reason_basis_meets(const LinearLayout& whole, const LinearLayout& part, int bit) {
  Error error = error_at_basis(ErrorCode::rest_basis_meets_part, whole.inputs(), bit);
  const AxisList& outputs = whole.outputs();
  for (int i = outputs.size() - 1; i >= 0; --i) {
    const std::uint64_t inside = low_bits(part.outputs().bits_of(outputs[i].name));
    if ((outputs.coordinate(whole.basis(bit), i) & inside) != 0) error.other = outputs[i].name;
  }
  return error;
}

// The quotient: what remains of `whole` without `part`, which says how an atom is tiled. It keeps
// all axes of `whole`, in their order; an axis that the part uses completely has size 1. With it a
// lowering finds out whether repetitions of one instruction can compute or load a tile. With the
// layouts of the example above, divide_left(result, low) is
//
//     register: (0,1); lane:; warp: (1,0) -> m: 2, n: 2
//
// Law: divide_left undoes product: divide_left(product(a, b), a) is b with axes of size 1 added,
// and product(part, divide_left(whole, part)) is whole up to the order of axes.
//
// Errors: an axis of the part that the whole lacks or has smaller, a basis that differs, a basis
// that does not belong to the part but moves within the part's outputs.
constexpr Expected<LinearLayout> divide_left(const LinearLayout& whole, const LinearLayout& part) {
  const Expected<AxisList> inputs = axes_above(whole.inputs(), part.inputs());
  if (!inputs) return inputs.error();
  const Expected<AxisList> outputs = axes_above(whole.outputs(), part.outputs());
  if (!outputs) return outputs.error();
  Expected<LinearLayout> result;
  LayoutParts::inputs(*result) = *inputs;
  LayoutParts::outputs(*result) = *outputs;
  std::uint64_t* next = LayoutParts::bases(*result);
  const FieldMove place_part(part.outputs(), whole.outputs());
  const FieldMove place_rest(*outputs, whole.outputs(), part.outputs());
  int flat_bit = 0;
  for (const Axis& axis : whole.inputs()) {
    const int index = part.inputs().find(axis.name);
    const int part_bits = part.inputs().bits_of(axis.name);
    const int part_first = index < 0 ? 0 : part.inputs().offset(index);
    for (int bit = 0; bit < axis.bits; ++bit, ++flat_bit) {
      const std::uint64_t word = whole.basis(flat_bit);
      if (bit >= part_bits) {
        *next = place_rest.back(word);
        if (place_rest(*next++) != word) return reason_basis_meets(whole, part, flat_bit);
      } else if (place_part(part.basis(part_first + bit)) != word) {
        return error_at_basis(ErrorCode::part_basis_differs, whole.inputs(), flat_bit);
      }
    }
  }
  return result;
}

}  // namespace heddle::layout
