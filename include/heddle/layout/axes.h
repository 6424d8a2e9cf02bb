// Renaming, reordering, regrouping, joining and selecting the axes of a layout.
//
//     layout                      register: (2,0) (4,0); lane: (0,1) (1,0) -> m: 8, n: 2
//     rename_input lane, thread   register: (2,0) (4,0); thread: (0,1) (1,0) -> m: 8, n: 2
//     transpose_outputs {n, m}    register: (0,2) (0,4); lane: (1,0) (0,1) -> n: 2, m: 8
//     reshape_outputs {all: 16}   register: (2) (4); lane: (8) (1) -> all: 16
//     sublayout {lane}, {m}       lane: (0) (1) -> m: 8
//     resize_output m, 4 bits     register: (2,0) (4,0); lane: (0,1) (1,0) -> m: 16, n: 2
//
// WHICH FUNCTION FOR WHICH PURPOSE
//
//     call the lanes of a wave threads                     rename_input
//     count all elements of a tile with one number         reshape_outputs to one axis
//     split a workgroup's threads into lanes and waves     reshape_inputs, lanes first
//     print n before m, or let n be the fastest            transpose_outputs
//     look at one warp, or at the rows alone               sublayout
//     place a tile into a larger matrix                    resize_output
//     add warps to what one warp holds                     concatenate_inputs
//     keep address and bank of a lane together             concatenate_outputs
//
// Each of them returns an Error if it is impossible, for example 16 elements as 32:
//
//     reshape_outputs(layout, {{"all", 5}}).error().message()      of the layout above
//         "the new axes have 5 bits together and the old ones 4;
//          a reshape keeps the number of bits"
//
// Operations match the axes of two layouts by name. The order of axes matters only for flat words,
// in which the first axis is in the low bits.
#pragma once

#include "heddle/layout/algebra.h"

namespace heddle::layout {

// The layout with other axes and the same bases. The caller must check the axes.
constexpr LinearLayout with_axes(const LinearLayout& layout, const AxisList& inputs,
                                 const AxisList& outputs) {
  LinearLayout result = layout;
  LayoutParts::inputs(result) = inputs;
  LayoutParts::outputs(result) = outputs;
  return result;
}

// The list of axes with one name changed, or the error.
constexpr Expected<AxisList> renamed(const AxisList& axes, const AxisName& from,
                                     const AxisName& to) {
  if (!axes.contains(from)) return axes.unknown(from);
  AxisList result;
  for (const Axis& axis : axes) result.push_back({axis.name == from ? to : axis.name, axis.bits});
  if (const Error error = result.check(); error.code != ErrorCode::none) return error;
  return result;
}

// The layout with another name for one axis, as when a row of a tile becomes the k of a product.
// Law: rename changes a name only: sizes, order and bases stay, and renaming back restores.
// Errors: no such axis, a name that another axis of the side has.
constexpr Expected<LinearLayout> rename_input(const LinearLayout& layout, const AxisName& from,
                                              const AxisName& to) {
  const Expected<AxisList> inputs = renamed(layout.inputs(), from, to);
  if (!inputs) return inputs.error();
  return with_axes(layout, *inputs, layout.outputs());
}

// The same for an output axis.
constexpr Expected<LinearLayout> rename_output(const LinearLayout& layout, const AxisName& from,
                                               const AxisName& to) {
  const Expected<AxisList> outputs = renamed(layout.outputs(), from, to);
  if (!outputs) return outputs.error();
  return with_axes(layout, layout.inputs(), *outputs);
}

// The axes with these names, in the order of the names, or the error.
constexpr Expected<AxisList> selected(const AxisList& axes, const NameList& names) {
  if (names.is_overfull()) return Error{ErrorCode::too_many_axes, {}, {}, {}};
  AxisList result;
  for (const AxisName& name : names) {
    const int index = axes.find(name);
    if (index < 0) return axes.unknown(name);
    result.push_back(axes[index]);
  }
  if (const Error error = result.check(); error.code != ErrorCode::none) return error;
  return result;
}

// The layout restricted to some of its axes, in the given order: for example what one warp holds,
// or only the rows.
//
// Law: sublayout selects axes: other inputs are fixed at 0, other outputs forgotten.
//
// Errors: an axis that the layout lacks, an axis that is named twice.
constexpr Expected<LinearLayout> sublayout(const LinearLayout& layout, const NameList& inputs,
                                           const NameList& outputs) {
  const Expected<AxisList> new_inputs = selected(layout.inputs(), inputs);
  if (!new_inputs) return new_inputs.error();
  const Expected<AxisList> new_outputs = selected(layout.outputs(), outputs);
  if (!new_outputs) return new_outputs.error();
  Expected<LinearLayout> result;
  LayoutParts::inputs(*result) = *new_inputs;
  LayoutParts::outputs(*result) = *new_outputs;
  std::uint64_t* next = LayoutParts::bases(*result);
  const FieldMove move(layout.outputs(), *new_outputs);
  for (const AxisName& name : inputs) {
    const int first = layout.inputs().offset(layout.inputs().find(name));
    for (int bit = 0; bit < layout.inputs().bits_of(name); ++bit) {
      *next++ = move(layout.basis(first + bit));
    }
  }
  return result;
}

// The names of the axes, in their order.
constexpr NameList names_of(const AxisList& axes) {
  NameList names;
  for (const Axis& axis : axes) names.push_back(axis.name);
  return names;
}

// The error if `order` does not name each axis once; ErrorCode::none if it does.
constexpr Error check_order(const AxisList& axes, const NameList& order) {
  const auto count = static_cast<std::uint64_t>(axes.size());
  for (const Axis& axis : axes) {
    int times = 0;
    for (const AxisName& name : order) times += name == axis.name;
    if (times != 1) return {ErrorCode::order_is_not_a_permutation, axis.name, {}, {count}};
  }
  for (const AxisName& name : order) {
    if (!axes.contains(name)) return axes.unknown(name);
  }
  return {};
}

// The layout with the axes of one side in another order.
// Law: transpose reorders axes: by name, every point goes where it went before; only the flat words
// and the order in the text change.
// Errors: an order that does not name each axis once.
constexpr Expected<LinearLayout> transpose_inputs(const LinearLayout& layout,
                                                  const NameList& order) {
  const Error error = check_order(layout.inputs(), order);
  if (error.code != ErrorCode::none) return error;
  return sublayout(layout, order, names_of(layout.outputs()));
}

// The layout with its output axes in another order. This alone does not make the layout of A
// transposed: that also needs rename_output, because dimensions are identified by name, not by
// their order.
constexpr Expected<LinearLayout> transpose_outputs(const LinearLayout& layout,
                                                   const NameList& order) {
  const Error error = check_order(layout.outputs(), order);
  if (error.code != ErrorCode::none) return error;
  return sublayout(layout, names_of(layout.inputs()), order);
}

// The error if `axes` cannot replace `old_axes`; ErrorCode::none if they can.
constexpr Error check_reshape(const AxisList& old_axes, const AxisList& axes) {
  if (const Error error = axes.check(); error.code != ErrorCode::none) return error;
  if (axes.bits() == old_axes.bits()) return {};
  return {ErrorCode::reshape_changes_bits,
          {},
          {},
          {static_cast<std::uint64_t>(axes.bits()), static_cast<std::uint64_t>(old_axes.bits())}};
}

// The layout with other axes over the same flat words: splits an axis, merges neighbouring axes, or
// both.
//
// Law: reshape regroups bits: the flat words stay, and only their division into axes changes.
//
// Errors: axes that break a rule of AxisList::check, another number of bits.
constexpr Expected<LinearLayout> reshape_inputs(const LinearLayout& layout, const AxisList& axes) {
  const Error error = check_reshape(layout.inputs(), axes);
  if (error.code != ErrorCode::none) return error;
  return with_axes(layout, axes, layout.outputs());
}

// The layout with other output axes over the same flat words. For example, {{"all", 4}} in place of
// m: 8, n: 2 numbers all elements, with m fastest.
constexpr Expected<LinearLayout> reshape_outputs(const LinearLayout& layout, const AxisList& axes) {
  const Error error = check_reshape(layout.outputs(), axes);
  if (error.code != ErrorCode::none) return error;
  return with_axes(layout, layout.inputs(), axes);
}

// The axes of both lists. Errors: an axis that both have, too many axes.
constexpr Expected<AxisList> joined(const AxisList& first, const AxisList& second) {
  AxisList result = first;
  for (const Axis& axis : second) {
    if (first.contains(axis.name)) return Error{ErrorCode::axis_in_both, axis.name, {}, {}};
    result.push_back(axis);
  }
  if (const Error error = result.check(); error.code != ErrorCode::none) return error;
  return result;
}

// Joins two layouts with the same outputs: the inputs are those of `first`, then those of `second`.
// With complement(first) as the second layout, the result reaches every output.
//
// Law: concatenate_inputs adds: its output is that of `first` xor that of `second`.
//
// Errors: outputs that differ in axes or sizes, an input axis that both have.
//     first    register: (2) (4) -> m: 8      second   lane: (1) -> m: 8
//     result   register: (2) (4); lane: (1) -> m: 8
constexpr Expected<LinearLayout> concatenate_inputs(const LinearLayout& first,
                                                    const LinearLayout& second) {
  const Error difference = difference_of_axes(first.outputs(), second.outputs());
  if (difference.code != ErrorCode::none) return difference;
  const Expected<AxisList> inputs = joined(first.inputs(), second.inputs());
  if (!inputs) return inputs.error();
  Expected<LinearLayout> result = with_axes(first, *inputs, first.outputs());
  const FieldMove move(second.outputs(), first.outputs());
  for (int bit = 0; bit < second.input_bits(); ++bit) {
    LayoutParts::bases(*result)[first.input_bits() + bit] = move(second.basis(bit));
  }
  return result;
}

// Joins two layouts with the same inputs: the outputs are those of `first`, then those of `second`.
// An example is an address and a bank for each lane.
//
// Law: concatenate_outputs pairs: its outputs are those of `first` and those of `second`.
//
// Errors: inputs that differ in axes or sizes, an output axis that both have.
//     first    lane: (1) (2) -> row: 4        second   lane: (2) (1) -> column: 4
//     result   lane: (1,2) (2,1) -> row: 4, column: 4
constexpr Expected<LinearLayout> concatenate_outputs(const LinearLayout& first,
                                                     const LinearLayout& second) {
  const Error difference = difference_of_axes(first.inputs(), second.inputs());
  if (difference.code != ErrorCode::none) return difference;
  const Expected<AxisList> outputs = joined(first.outputs(), second.outputs());
  if (!outputs) return outputs.error();
  Expected<LinearLayout> result = with_axes(first, first.inputs(), *outputs);
  const FieldMove input(first.inputs(), second.inputs());
  const FieldMove output(second.outputs(), *outputs);
  for (int bit = 0; bit < first.input_bits(); ++bit) {
    const std::uint64_t other = second.apply(input(std::uint64_t{1} << bit));
    LayoutParts::bases(*result)[bit] |= output(other);
  }
  return result;
}

// The layout with a larger or smaller output axis of size 1 << bits, for example to place a tile
// into the corner of a larger one.
// Law: resize_output keeps every point: all coordinates stay, and only the size of the axis
// changes.
// Errors: no such axis, more than 64 bits, a basis that the smaller axis would cut.
constexpr Expected<LinearLayout> resize_output(const LinearLayout& layout, const AxisName& name,
                                               int bits) {
  const AxisList& old_outputs = layout.outputs();
  const int index = old_outputs.find(name);
  if (index < 0) return old_outputs.unknown(name);
  AxisList outputs;
  for (const Axis& axis : old_outputs) {
    outputs.push_back({axis.name, axis.name == name ? bits : axis.bits});
  }
  if (const Error error = outputs.check(); error.code != ErrorCode::none) return error;
  for (int bit = 0; bit < layout.input_bits(); ++bit) {
    if (old_outputs.coordinate(layout.basis(bit), index) <= low_bits(bits)) continue;
    Error error = error_at_basis(ErrorCode::resize_cuts_basis, layout.inputs(), bit);
    error.other = error.axis;
    error.axis = name;
    error.numbers = {static_cast<std::uint64_t>(bits), error.numbers[0]};
    return error;
  }
  Expected<LinearLayout> result = with_axes(layout, layout.inputs(), outputs);
  for (int bit = 0; bit < layout.input_bits(); ++bit) {
    std::uint64_t word = 0;
    for (int axis = 0; axis < outputs.size(); ++axis) {
      const std::uint64_t coordinate = old_outputs.coordinate(layout.basis(bit), axis);
      if (coordinate != 0) word |= coordinate << outputs.offset(axis);
    }
    LayoutParts::bases(*result)[bit] = word;
  }
  return result;
}

}  // namespace heddle::layout
