// Elimination over F2 and its answers: rank, kernel, image, inverses and the vector width.
//
//     question                                     function              answered by
//     which outputs are reached, how many?         image, rank           the rows, their number
//     which inputs are copies of others?           free_variable_masks   the bases that gave no row
//     which changes of an input change nothing?    kernel                sums of bases that are 0
//     what would complete the tile?                complement            output bits without a row
//     which input leads to this output?            invert                solving for single bits
//     and if there are several, or none?           pseudo_inverse        solving for single bits
//     where is what this lane holds?               invert_and_compose    solving for each basis
//
// class Elimination explains rows. One elimination of a 14-bit layout takes some tens of
// nanoseconds and no memory beyond the stack.
#pragma once

#include "heddle/layout/algebra.h"

namespace heddle::layout {

// The bases of a layout, made triangular. Each basis that is not a combination of earlier ones
// becomes a row. The lowest set bit of a row is its pivot, and no two rows have the same pivot. The
// input that produces the row is stored with it. A word is solved by clearing its pivots from the
// lowest up.
//
//     layout   x: (1) (3) (2) (4) -> y: 8
//
//     input bit   basis   without the rows so far     becomes
//     x 1         001     001                         row 001 of pivot 0, made by input 0001
//     x 2         011     011 ^ 001 = 010             row 010 of pivot 1, made by input 0011
//     x 4         010     010 ^ 010 = 000             free: input 0100 ^ 0011 = 0111 goes to 0
//     x 8         100     100                         row 100 of pivot 2, made by input 1000
//
// Solving 110: pivot 1 clears 010, pivot 2 clears 100; the input is 0011 ^ 1000 = 1011. Since a
// free bit makes no row, solutions are zero in the free bits: if several inputs have the same
// output, the solution is the lowest of them.
class Elimination {
 public:
  constexpr explicit Elimination(const LinearLayout& layout) {
    for (int bit = 0; bit < layout.input_bits(); ++bit) {
      insert(layout.basis(bit), std::uint64_t{1} << bit);
    }
  }

  constexpr int rank() const { return std::popcount(pivots_); }
  constexpr std::uint64_t pivots() const { return pivots_; }     // output bits
  constexpr std::uint64_t free_inputs() const { return free_; }  // input bits
  constexpr std::uint64_t row(int pivot) const { return rows_[pivot]; }

  // Finds an input whose output is `word`, with zero in every free input bit. Afterwards `word` is
  // 0 if there is such an input. Otherwise `word` keeps the bits that no row can clear (they are no
  // pivots), and the output of the result is only the part of the old `word` that was cleared. A
  // row has no bits below its pivot, so after each step only higher pivots remain.
  constexpr std::uint64_t solve(std::uint64_t& word) const {
    std::uint64_t inputs = 0;
    for (std::uint64_t rest = word & pivots_; rest != 0; rest = word & pivots_) {
      const int pivot = std::countr_zero(rest);
      word ^= rows_[pivot];
      inputs ^= inputs_[pivot];
    }
    return inputs;
  }

 private:
  constexpr void insert(std::uint64_t row, std::uint64_t inputs) {
    const std::uint64_t input = inputs;
    inputs ^= solve(row);
    if (row == 0) {
      free_ |= input;
      return;
    }
    const int pivot = std::countr_zero(row);
    pivots_ |= std::uint64_t{1} << pivot;
    rows_[pivot] = row;
    inputs_[pivot] = inputs;
  }

  // rows_[p] and inputs_[p] are set and read only if bit p is a pivot.
  std::uint64_t rows_[max_bits];
  std::uint64_t inputs_[max_bits];
  std::uint64_t pivots_ = 0;
  std::uint64_t free_ = 0;
};

// How many output bits the layout determines: it reaches 2^rank different outputs.
// Law: rank counts the outputs: the number of different outputs is 1 << rank(layout).
constexpr int rank(const LinearLayout& layout) { return Elimination(layout).rank(); }

// Law: is_injective says that no two inputs share an output: no basis is a sum of others.
constexpr bool is_injective(const LinearLayout& layout) {
  return rank(layout) == layout.input_bits();
}

// Law: is_surjective says that every output is reached: the rank is the number of output bits.
constexpr bool is_surjective(const LinearLayout& layout) {
  return rank(layout) == layout.output_bits();
}

// Law: is_invertible says that every output is reached once: it is injective and surjective.
//     layout                            injective    surjective    invertible
//     x: (1) (2) -> y: 4                yes          yes           yes
//     x: (1) (2) (3) -> y: 4            no: 3 = 1^2  yes           no
//     x: (1) (2) -> y: 8                yes          no: 4 to 7    no
constexpr bool is_invertible(const LinearLayout& layout) {
  return layout.input_bits() == layout.output_bits() && is_injective(layout);
}

// The free bits of the flat input. The basis of such a bit is zero or a combination of the bases of
// lower bits, so setting it only repeats outputs that are reached without it.
// Law: free bits are replication: the inputs that are zero in them reach every output of the
// layout, each exactly once.
constexpr std::uint64_t free_input_mask(const LinearLayout& layout) {
  return Elimination(layout).free_inputs();
}

// The free input bits (see free_input_mask) as one mask for each input axis. {"lane", 16} says that
// lane bit 4 is a copy, as in the A operand of gfx11's WMMA. A store skips the registers and lanes
// in which a free bit is set, since others hold the same element; a load fills these registers and
// lanes too.
constexpr Coordinates free_variable_masks(const LinearLayout& layout) {
  return layout.inputs().unpack(free_input_mask(layout));
}

// A layout with one input axis, `name`. Its bases are the first `count` of `words`.
constexpr LinearLayout from_one_axis(const AxisName& name, const AxisList& outputs,
                                     const LinearLayout::Bases& words, std::size_t count) {
  LinearLayout result;
  LayoutParts::inputs(result).push_back({name, static_cast<int>(count)});
  LayoutParts::outputs(result) = outputs;
  for (std::size_t bit = 0; bit < count; ++bit) LayoutParts::bases(result)[bit] = words[bit];
  return result;
}

// All inputs that the layout maps to output 0, as an injective layout that reaches exactly these.
//
// Law: kernel holds all that goes to zero: compose(kernel(l), l) is zero everywhere, kernel(l) is
// injective, and it has input_bits - rank bits.
//     layout   lane: (1) (2) (0) (3) -> m: 4        lane bit 2 does nothing; bit 3 is bits 0 and 1
//     kernel   kernel: (4) (11) -> lane: 16         lane 4 changes nothing, nor do 8, 2, 1 together
constexpr LinearLayout kernel(const LinearLayout& layout, const AxisName& name = "kernel") {
  const Elimination elimination(layout);
  LinearLayout::Bases words = {};
  std::size_t count = 0;
  for (std::uint64_t rest = elimination.free_inputs(); rest != 0; rest &= rest - 1) {
    std::uint64_t word = layout.basis(std::countr_zero(rest));
    words[count++] = (rest & (~rest + 1)) ^ elimination.solve(word);
  }
  return from_one_axis(name, layout.inputs(), words, count);
}

// All outputs that the layout reaches, as the outputs of an injective layout. Its bases are in
// ascending order of their lowest bit.
//
// Law: image reaches the same outputs: image(l) is injective and reaches exactly the outputs of l.
constexpr LinearLayout image(const LinearLayout& layout, const AxisName& name = "image") {
  const Elimination elimination(layout);
  LinearLayout::Bases words = {};
  std::size_t count = 0;
  for (std::uint64_t rest = elimination.pivots(); rest != 0; rest &= rest - 1) {
    words[count++] = elimination.row(std::countr_zero(rest));
  }
  return from_one_axis(name, layout.outputs(), words, count);
}

// The single output bits that span all outputs when they are added to the layout's image. They are
// the bases of the result, in ascending order. CuTe has a similar complement: an atom that is
// repeated along it fills the tile.
//
// Law: complement completes: complement(l) is injective, meets the image of l only in 0, and the
// two together reach every output.
//     layout       register: (1) (8) -> m: 16       complement   rest: (2) (4) -> m: 16
constexpr LinearLayout complement(const LinearLayout& layout, const AxisName& name = "rest") {
  const std::uint64_t pivots = Elimination(layout).pivots();
  LinearLayout::Bases words = {};
  std::size_t count = 0;
  for (int bit = 0; bit < layout.output_bits(); ++bit) {
    if ((pivots >> bit & 1) == 0) words[count++] = std::uint64_t{1} << bit;
  }
  return from_one_axis(name, layout.outputs(), words, count);
}

// A map back from outputs to inputs that always exists. It maps an output that is reached to an
// input that leads to this output and is zero in the free bits. It maps the outputs of
// complement(layout) to 0.
//
// Law: pseudo_inverse finds an input: compose(compose(l, p), l) == l and compose(compose(p, l), p)
// == p for p = pseudo_inverse(l).
constexpr LinearLayout pseudo_inverse(const LinearLayout& layout) {
  const Elimination elimination(layout);
  LinearLayout result;
  LayoutParts::inputs(result) = layout.outputs();
  LayoutParts::outputs(result) = layout.inputs();
  for (int bit = 0; bit < layout.output_bits(); ++bit) {
    std::uint64_t word = std::uint64_t{1} << bit;
    LayoutParts::bases(result)[bit] = elimination.solve(word);
  }
  return result;
}

// Why a layout has no inverse, from its elimination.
constexpr Error reason_not_invertible(const LinearLayout& layout, const Elimination& elimination) {
  if (elimination.free_inputs() != 0) {
    const int bit = std::countr_zero(elimination.free_inputs());
    return error_at_basis(ErrorCode::not_injective, layout.inputs(), bit);
  }
  Error error = error_at_basis(ErrorCode::not_surjective, layout.outputs(),
                               std::countr_one(elimination.pivots()));
  error.numbers[0] = std::uint64_t{1} << error.numbers[0];
  return error;
}

// The inverse map, from the outputs to the inputs.
// Law: invert undoes: compose(l, invert(l)) and compose(invert(l), l) are identities.
// Errors: not injective, naming the first basis at fault; not surjective, naming an output that no
// input reaches.
constexpr Expected<LinearLayout> invert(const LinearLayout& layout) {
  const Elimination elimination(layout);
  if (elimination.rank() != layout.input_bits() || elimination.rank() != layout.output_bits()) {
    return reason_not_invertible(layout, elimination);
  }
  Expected<LinearLayout> result;
  LayoutParts::inputs(*result) = layout.outputs();
  LayoutParts::outputs(*result) = layout.inputs();
  for (int bit = 0; bit < layout.output_bits(); ++bit) {
    std::uint64_t word = std::uint64_t{1} << bit;
    LayoutParts::bases(*result)[bit] = elimination.solve(word);
  }
  return result;
}

// The way from one layout to another: for each input of `from`, the input of `to` with the same
// output. If `from` is a fragment and `to` a shared-memory layout, this is the load. The outputs
// must have the same axes and sizes, in any order. If `to` has several inputs for an output, the
// result takes the one that is zero in the free bits.
// Law: invert_and_compose solves: compose(invert_and_compose(a, b), b) == a, up to the order of the
// output axes, and its outputs are zero in the free bits of b.
// Errors: outputs that differ; a basis of `from` that leads where `to` never goes.
//     from     register: (0,1); lane: (1,0) (2,0) -> m: 4, k: 2       a lane holds a row of two
//     to       offset: (1,0) (2,0) (0,1) -> m: 4, k: 2                columns one after the other
//     result   register: (4); lane: (1) (2) -> offset: 8              register 1 lies 4 further on
constexpr Expected<LinearLayout> invert_and_compose(const LinearLayout& from,
                                                    const LinearLayout& to) {
  const Error difference = difference_of_axes(from.outputs(), to.outputs());
  if (difference.code != ErrorCode::none) return difference;
  const Elimination elimination(to);
  const FieldMove move(from.outputs(), to.outputs());
  Expected<LinearLayout> result;
  LayoutParts::inputs(*result) = from.inputs();
  LayoutParts::outputs(*result) = to.inputs();
  for (int bit = 0; bit < from.input_bits(); ++bit) {
    std::uint64_t word = move(from.basis(bit));
    LayoutParts::bases(*result)[bit] = elimination.solve(word);
    if (word != 0) return error_at_basis(ErrorCode::no_solution, from.inputs(), bit);
  }
  return result;
}

// The number of contiguous bits: the largest b, at most `count`, such that for each i < b input bit
// first_in + i changes only output bit first_out + i, and no other input bit changes these b output
// bits.
constexpr int contiguous_bits(const LinearLayout& layout, int first_in, int first_out, int count) {
  int bits = 0;
  while (bits < count && layout.basis(first_in + bits) == std::uint64_t{1} << (first_out + bits)) {
    ++bits;
  }
  std::uint64_t moved_by_others = 0;
  for (int bit = 0; bit < layout.input_bits(); ++bit) {
    if (bit < first_in || bit >= first_in + bits) moved_by_others |= layout.basis(bit);
  }
  const int quiet = first_out >= max_bits ? 0 : std::countr_zero(moved_by_others >> first_out);
  return quiet < bits ? quiet : bits;
}

// How many consecutive flat inputs give consecutive flat outputs: the width of a vector access.
// Law: contiguity is the vector width: for every x that is a multiple of c = contiguity(l) and
// every i < c, apply(x + i) == apply(x) + i; and c is the largest power of two for which this
// holds. (2^63 for a layout of 64 such bits.)
//     register: (1) (2); lane: (4) -> offset: 8     8: eight neighbours
//     register: (1) (4); lane: (2) -> offset: 8     2: registers 0 and 1 are neighbours, 1 and 2
//                                                   are not
//     register: (1) (2); lane: (1) -> offset: 4     1: lane 1 begins inside of what lane 0 moves
constexpr std::uint64_t contiguity(const LinearLayout& layout) {
  const int bits =
      layout.input_bits() < layout.output_bits() ? layout.input_bits() : layout.output_bits();
  const int found = contiguous_bits(layout, 0, 0, bits);
  return std::uint64_t{1} << (found < max_bits ? found : max_bits - 1);
}

// The contiguity along one input axis and one output axis: the number of consecutive coordinates of
// `in` that give consecutive coordinates of `out` and change no other output. 1 if the layout lacks
// one of the axes.
constexpr std::uint64_t contiguity(const LinearLayout& layout, const AxisName& in,
                                   const AxisName& out) {
  const int from = layout.inputs().find(in);
  const int to = layout.outputs().find(out);
  if (from < 0 || to < 0) return 1;
  const int in_bits = layout.inputs()[from].bits;
  const int out_bits = layout.outputs()[to].bits;
  const int found =
      contiguous_bits(layout, layout.inputs().offset(from), layout.outputs().offset(to),
                      in_bits < out_bits ? in_bits : out_bits);
  return std::uint64_t{1} << (found < max_bits ? found : max_bits - 1);
}

}  // namespace heddle::layout
