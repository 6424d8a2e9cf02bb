// Composition, sums and parts of layouts. All are free functions; those that can be refused return
// an Expected whose Error names the axis or basis at fault.
#pragma once

#include "heddle/layout/linear_layout.h"

namespace heddle::layout {

// Why two sides that must have the same axes and sizes do not; ErrorCode::none when they do.
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

// Moves the coordinates of a flat word from one packing to another: each axis of `from` that `to`
// has too goes to its place there; axes that `to` lacks are dropped.
class FieldMove {
 public:
  // Fields start at the low end of the axis of the same name.
  constexpr FieldMove(const AxisList& from, const AxisList& to) : FieldMove(from, to, AxisList()) {}

  // Fields start above the bits that `below` has of the axis.
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

  constexpr std::uint64_t operator()(std::uint64_t word) const {
    std::uint64_t moved = 0;
    for (int i = 0; i < count_; ++i) {
      moved |= std::rotl(word & fields_[i].mask, fields_[i].distance);
    }
    return moved;
  }

  // The way back: the word that the move takes to `moved`, of what lies in the moved fields.
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

  // Neighbours that move equally far are one field; most moves then have one or two.
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

// layout.apply(word) by walking the set bits. A basis has one or two of them, so this is faster
// than apply, which looks at every bit but has no branch that depends on the index.
constexpr std::uint64_t apply_sparse(const LinearLayout& layout, std::uint64_t word) {
  std::uint64_t output = 0;
  for (; word != 0; word &= word - 1) output ^= layout.basis(std::countr_zero(word));
  return output;
}

// First `inner`, then `outer`. The outputs of `inner` and the inputs of `outer` must have the same
// axes and sizes, in any order.
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

// The axes of both, those of `low` first; an axis that both have gets the bits of both.
constexpr AxisList sum_of_axes(const AxisList& low, const AxisList& high) {
  AxisList sum;
  for (const Axis& axis : low) sum.push_back({axis.name, axis.bits + high.bits_of(axis.name)});
  for (const Axis& axis : high) {
    if (!low.contains(axis.name)) sum.push_back(axis);
  }
  return sum;
}

// The direct sum: `low` and `high` side by side, each on its own bits. Axes of the same name are
// joined, with the bits of `low` below those of `high`; so product(atom, tiling) repeats an atom.
// Law: product keeps its parts apart: an input that is x on the low bits and y on the high bits of
// each axis goes to low(x) on the low bits and high(y) on the high bits.
// Law: product is associative: product(product(f, g), h) == product(f, product(g, h)).
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

// What is left of the axes of `whole` above the bits that `part` takes, or why `part` is no part.
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

// The first output axis of `part` on which a basis of `whole` moves inside the part.
constexpr AxisName axis_met_by(std::uint64_t word, const AxisList& whole, const AxisList& part) {
  for (int i = 0; i < whole.size(); ++i) {
    const std::uint64_t inside = low_bits(part.bits_of(whole[i].name));
    if ((whole.coordinate(word, i) & inside) != 0) return whole[i].name;
  }
  return {};
}

// The quotient: what `whole` does beyond `part`, that is, how an atom is tiled. It keeps all axes
// of `whole`, in their order; one that the part uses up has size 1.
// Law: divide_left undoes product: divide_left(product(a, b), a) is b with axes of size 1 added,
// and product(part, divide_left(whole, part)) is whole up to the order of axes.
// Errors: an axis of the part that the whole lacks or has smaller, a basis that differs, a basis
// beyond the part that moves inside the part's outputs.
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
      if (bit < part_bits) {
        if (place_part(part.basis(part_first + bit)) == word) continue;
        return error_at_basis(ErrorCode::part_basis_differs, whole.inputs(), flat_bit);
      }
      *next = place_rest.back(word);
      if (place_rest(*next++) == word) continue;
      Error error = error_at_basis(ErrorCode::rest_basis_meets_part, whole.inputs(), flat_bit);
      error.other = axis_met_by(word, whole.outputs(), part.outputs());
      return error;
    }
  }
  return result;
}

}  // namespace heddle::layout
