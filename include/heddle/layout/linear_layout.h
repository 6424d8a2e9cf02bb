// LinearLayout: a map between named power-of-two axes that is linear over F2.
#pragma once

#include "heddle/layout/axis_list.h"

namespace heddle::layout {

// One input axis and its bases for LinearLayout::from_bases: {"register", {{0, 1}, {8, 0}}}. Each
// basis lists one coordinate for each output axis, in the order of the output axes.
struct InputBases {
  AxisName name;
  std::initializer_list<std::initializer_list<std::uint64_t>> bases;
};

// WHAT A LINEAR LAYOUT IS
//
// Where does each lane of a wave keep its part of a tile? Where does the element at row 3, column 5
// lie in shared memory? Both are maps from coordinates to coordinates, and for power-of-two shapes
// nearly all that hardware and compilers use share one property:
//
//     L(x ^ y) == L(x) ^ L(y)        for all inputs x and y, with ^ on the bits of each coordinate
//
// So L is known everywhere once it is known on the inputs that are a single bit: 1, 2, 4, 8, ...
// Those values are its bases. A layout of a thousand points is ten words.
//
// Example 1, rows of a matrix. A wave of 32 lanes holds a 16x16 tile, 8 values a lane: lane l holds
// column l % 16 and, in register r, row 2 * r + l / 16 (the accumulator of gfx11's WMMA).
//
//     input bit        is the input      goes to (m, n)
//     register bit 0   register 1        (2, 0)
//     register bit 1   register 2        (4, 0)
//     register bit 2   register 4        (8, 0)
//     lane bit 0       lane 1            (0, 1)
//     lane bit 1       lane 2            (0, 2)
//     lane bit 2       lane 4            (0, 4)
//     lane bit 3       lane 8            (0, 8)
//     lane bit 4       lane 16           (1, 0)
//
// as text:  register: (2,0) (4,0) (8,0); lane: (0,1) (0,2) (0,4) (0,8) (1,0) -> m: 16, n: 16
//
// Where is register 5 of lane 19? 5 = 4 ^ 1 and 19 = 16 ^ 2 ^ 1, so
//     (8,0) ^ (2,0) ^ (1,0) ^ (0,2) ^ (0,1) = (11, 3);
//     check: 2 * 5 + 19 / 16 = 11 and 19 % 16 = 3.
//
// Example 2, a swizzle. Eight rows of eight 16-byte groups in shared memory; row r keeps its group
// g at place g ^ r, so that a column of groups touches every bank once. As a map from (group, row)
// to the offset in groups, g ^ r + 8 * r:
//
//     group: (1) (2) (4); row: (9) (18) (36) -> offset: 64
//
// Row bit 0 moves by 8 for the row and by 1 for the swizzle: 9. A xor is linear over F2, although
// it is no stride; that is why bases, and not strides, describe layouts here.
//
// Example 3, copies. gfx11 wants the A operand twice, in lanes 0-15 and again in lanes 16-31:
//
//     element: (0,1) (0,2) (0,4) (0,8); lane: (1,0) (2,0) (4,0) (8,0) (0,0) -> m: 16, k: 16
//
// Lane bit 4 has the basis (0,0): it changes nothing. A zero basis is a broadcast.
//
// Elimination on a few words answers these questions from the bases alone: is every output reached
// (surjective)? only once (injective)? which inputs give a wanted output (invert, pseudo_inverse)?
// which load moves a fragment out of a shared memory (invert_and_compose)? Those are free functions
// in algebra.h and solve.h; text.h has the text form and axes.h renames and regroups.
//
// FORM
// Up to 8 input and 8 output axes, at most 64 bits on each side. A point is also one flat word with
// the first axis in the low bits (see AxisList); basis i is the flat output word of the flat input
// 1 << i. All of it is constexpr, trivially copyable and without heap: the same object serves in a
// static_assert, on the host, in a kernel and in wasm.
class LinearLayout {
 public:
  using Bases = std::array<std::uint64_t, max_bits>;

  // The layout of a single point: no axes on either side.
  constexpr LinearLayout() = default;

  // A layout from flat words: bases[i] is the flat output of the flat input 1 << i, for i <
  // inputs.bits().
  //
  // Errors: axes that break a rule of AxisList::check, a basis outside the outputs.
  static constexpr Expected<LinearLayout> from_words(const AxisList& inputs,
                                                     const AxisList& outputs, const Bases& bases);

  // A layout from one list of bases per input axis; each basis has one coordinate per output axis:
  //   from_bases({{"register", {{0, 1}, {8, 0}}}, {"lane", {{1, 0}, {0, 0}}}},
  //              {{"m", 4}, {"n", 3}})
  // An input axis has as many bits as bases. The output axes give their bits: m has size 16, n has
  // size 8.
  // Errors: as from_words, a basis with too few or too many coordinates, a coordinate not below
  // the size of its axis.
  static constexpr Expected<LinearLayout> from_bases(std::initializer_list<InputBases> inputs,
                                                     const AxisList& outputs);

  // The identity map: coordinate x of `in` goes to coordinate x of `out`. The axes `in` and `out`
  // have the size `size`.
  //
  // Errors: size not a power of two.
  static constexpr Expected<LinearLayout> identity(std::uint64_t size, const AxisName& in,
                                                   const AxisName& out) {
    return strided(size, 1, in, out);
  }

  // Multiplication by a stride: coordinate x of `in`, which has size `size`, goes to coordinate x *
  // stride of `out`, which has size `size * stride`. Errors: size or stride not a power of two,
  // more than 64 bits.
  static constexpr Expected<LinearLayout> strided(std::uint64_t size, std::uint64_t stride,
                                                  const AxisName& in, const AxisName& out);

  // A broadcast: every coordinate of `in` goes to coordinate 0 of `out`, which has size `out_size`.
  // Errors: size or out_size not a power of two.
  static constexpr Expected<LinearLayout> zeros(std::uint64_t size, const AxisName& in,
                                                const AxisName& out, std::uint64_t out_size = 1);

  // The input axes and the output axes. An AxisList gives the size of an axis by its name, and
  // packs coordinates into a flat word and unpacks them.
  constexpr const AxisList& inputs() const { return inputs_; }
  constexpr const AxisList& outputs() const { return outputs_; }
  constexpr int input_bits() const { return inputs_.bits(); }
  constexpr int output_bits() const { return outputs_.bits(); }

  // The size of an axis by name; 1 for an axis that the layout does not have. It is 0 for an axis
  // of 64 bits, whose size does not fit into 64 bits; inputs().bits_of(name) is right for every
  // axis.
  constexpr std::uint64_t input_size(const AxisName& name) const { return inputs_.size_of(name); }
  constexpr std::uint64_t output_size(const AxisName& name) const { return outputs_.size_of(name); }

  // The flat output of the flat input 1 << bit; 0 <= bit < input_bits().
  constexpr std::uint64_t basis(int bit) const { return bases_[static_cast<std::size_t>(bit)]; }

  // The coordinate on axis `out` to which bit `bit` of axis `in` goes. It is 0 if the layout has no
  // such bit or no such output axis.
  constexpr std::uint64_t basis(const AxisName& in, int bit, const AxisName& out) const {
    const int from = inputs_.find(in);
    const int to = outputs_.find(out);
    if (from < 0 || to < 0 || bit < 0 || bit >= inputs_[from].bits) return 0;
    return outputs_.coordinate(basis(inputs_.offset(from) + bit), to);
  }

  // The flat output of a flat input. Bits of `index` beyond input_bits() are ignored.
  // Law: apply is linear: apply(x ^ y) == apply(x) ^ apply(y).
  constexpr std::uint64_t apply(std::uint64_t index) const {
#if defined(__SSE2__) || defined(__ARM_NEON)
    if (!__builtin_is_constant_evaluated()) return apply_in_pairs(index);
#endif
    std::uint64_t output = 0;
    for (int bit = 0; bit < input_bits(); ++bit) {
      output ^= basis(bit) & (std::uint64_t{0} - (index >> bit & 1));
    }
    return output;
  }

  // The named outputs of named inputs: apply({{"register", 5}, {"lane", 19}}). Inputs that are not
  // named are 0. Errors: an unknown axis, one named twice, a value outside its axis.
  constexpr Expected<Coordinates> apply(const Coordinates& point) const {
    const AxisList::Packed index = inputs_.try_pack(point);
    if (!index.is_valid) [[unlikely]] {
      return inputs_.reason_not_packed(point);
    }
    Expected<Coordinates> output;
    outputs_.unpack_into(*output, apply(index.flat));
    return output;
  }

  // Two layouts are equal if their input axes and their output axes have the same names, sizes and
  // order, and if their bases are equal.
  friend constexpr bool operator==(const LinearLayout& a, const LinearLayout& b) {
    if (!(a.inputs_ == b.inputs_ && a.outputs_ == b.outputs_)) return false;
    for (int bit = 0; bit < a.input_bits(); ++bit) {
      if (a.basis(bit) != b.basis(bit)) return false;
    }
    return true;
  }

 private:
  // LayoutParts lets the functions of the algebra write the axes and bases of a layout in place.
  // They skip the checks of from_words, because their results are valid by construction.
  friend struct LayoutParts;

#if defined(__SSE2__) || defined(__ARM_NEON)
  // The same as apply, with the vector instructions of a host. A round handles eight bits of the
  // index, two bases in each vector operation, without a branch on the index. On a 14-bit layout it
  // takes a third of the time of the loop above.
  //
  // A mask decides whether a basis is added. Since SSE2 cannot compare 64 bits, the mask is made by
  // two comparisons of 32 bits. Both test the same bit of the index, so that the two halves of the
  // mask are equal. The last round may read words beyond the last basis; they are zero.
  constexpr std::uint64_t apply_in_pairs(std::uint64_t index) const {
    using Words = std::uint64_t __attribute__((vector_size(16)));
    using Halves = std::uint32_t __attribute__((vector_size(16)));
    Words output = {0, 0};
    for (int first = 0; first < input_bits(); first += 8) {
      const auto part = static_cast<std::uint32_t>(index >> first);
      const Halves parts = {part, part, part, part};
#if defined(__clang__)
#pragma clang loop unroll(full)
#elif defined(__GNUC__)
#pragma GCC unroll 4
#endif
      for (int bit = 0; bit < 8; bit += 2) {
        const std::uint32_t even = 1u << bit;
        const Halves wanted = {even, even, even << 1, even << 1};
        const auto chosen = std::bit_cast<Words>((parts & wanted) == wanted);
        output ^= Words{basis(first + bit), basis(first + bit + 1)} & chosen;
      }
    }
    return output[0] ^ output[1];
  }
#endif

  AxisList inputs_;
  AxisList outputs_;
  Bases bases_ = {};  // words beyond input_bits() are zero
};

// Write access for the operations of this library; outside it, build layouts with from_words.
struct LayoutParts {
  static constexpr AxisList& inputs(LinearLayout& layout) { return layout.inputs_; }
  static constexpr AxisList& outputs(LinearLayout& layout) { return layout.outputs_; }
  static constexpr std::uint64_t* bases(LinearLayout& layout) { return layout.bases_.data(); }
};

// An error about one basis. `bit` is the flat input bit of the basis. The error names the input
// axis of this bit, and the number of the bit inside the axis.
constexpr Error error_at_basis(ErrorCode code, const AxisList& inputs, int bit) {
  const int axis = inputs.axis_of_bit(bit);
  return {code, inputs[axis].name, {}, {static_cast<std::uint64_t>(bit - inputs.offset(axis))}};
}

constexpr Expected<LinearLayout> LinearLayout::from_words(const AxisList& inputs,
                                                          const AxisList& outputs,
                                                          const Bases& bases) {
  for (const AxisList* side : {&inputs, &outputs}) {
    if (const Error error = side->check(); error.code != ErrorCode::none) return error;
  }
  Expected<LinearLayout> result;
  result->inputs_ = inputs;
  result->outputs_ = outputs;
  for (std::size_t bit = 0; bit < static_cast<std::size_t>(inputs.bits()); ++bit) {
    if (bases[bit] > low_bits(outputs.bits())) {
      Error error = error_at_basis(ErrorCode::basis_outside_outputs, inputs, static_cast<int>(bit));
      error.numbers[1] = bases[bit];
      error.numbers[2] = static_cast<std::uint64_t>(outputs.bits());
      return error;
    }
    result->bases_[bit] = bases[bit];
  }
  return result;
}

// Packs the coordinates of one basis into a flat word. It is basis number `bit` of input axis `in`,
// which an error names.
constexpr Expected<std::uint64_t> pack_basis(const AxisName& in, int bit,
                                             std::initializer_list<std::uint64_t> basis,
                                             const AxisList& outputs) {
  const auto number = static_cast<std::uint64_t>(bit);
  if (basis.size() != static_cast<std::size_t>(outputs.size())) {
    return Error{ErrorCode::wrong_coordinate_count,
                 in,
                 {},
                 {number, basis.size(), static_cast<std::uint64_t>(outputs.size())}};
  }
  std::uint64_t word = 0;
  int axis = 0;
  for (std::uint64_t coordinate : basis) {
    const int bits = outputs[axis].bits;
    if (coordinate > low_bits(bits)) {
      return Error{ErrorCode::coordinate_outside_axis,
                   in,
                   outputs[axis].name,
                   {number, coordinate, static_cast<std::uint64_t>(bits)}};
    }
    if (bits > 0) word |= coordinate << outputs.offset(axis);
    ++axis;
  }
  return word;
}

constexpr Expected<LinearLayout> LinearLayout::from_bases(std::initializer_list<InputBases> inputs,
                                                          const AxisList& outputs) {
  AxisList axes;
  for (const InputBases& input : inputs) {
    axes.push_back({input.name, static_cast<int>(input.bases.size())});
  }
  for (const AxisList* side : {&static_cast<const AxisList&>(axes), &outputs}) {
    if (const Error error = side->check(); error.code != ErrorCode::none) return error;
  }
  Expected<LinearLayout> result;
  result->inputs_ = axes;
  result->outputs_ = outputs;
  std::size_t flat_bit = 0;
  for (const InputBases& input : inputs) {
    int bit = 0;
    for (const std::initializer_list<std::uint64_t>& basis : input.bases) {
      const Expected<std::uint64_t> word = pack_basis(input.name, bit++, basis, outputs);
      if (!word) return word.error();
      result->bases_[flat_bit++] = *word;
    }
  }
  return result;
}

// The number of bits of a size (its log2). If the size is no power of two: an error with `code`
// that names `axis`.
constexpr Expected<int> bits_of_size(std::uint64_t size, const AxisName& axis, ErrorCode code) {
  if (std::has_single_bit(size)) return std::countr_zero(size);
  return Error{code, axis, {}, {size, static_cast<std::uint64_t>(std::bit_width(size))}};
}

constexpr Expected<LinearLayout> LinearLayout::strided(std::uint64_t size, std::uint64_t stride,
                                                       const AxisName& in, const AxisName& out) {
  const auto in_bits = bits_of_size(size, in, ErrorCode::size_not_a_power_of_two);
  const auto stride_bits = bits_of_size(stride, in, ErrorCode::stride_not_a_power_of_two);
  if (!in_bits) return in_bits.error();
  if (!stride_bits) return stride_bits.error();
  Bases bases = {};
  for (int bit = 0; bit < *in_bits && bit + *stride_bits < max_bits; ++bit) {
    bases[static_cast<std::size_t>(bit)] = stride << bit;
  }
  return from_words({{in, *in_bits}}, {{out, *in_bits + *stride_bits}}, bases);
}

constexpr Expected<LinearLayout> LinearLayout::zeros(std::uint64_t size, const AxisName& in,
                                                     const AxisName& out, std::uint64_t out_size) {
  const auto in_bits = bits_of_size(size, in, ErrorCode::size_not_a_power_of_two);
  const auto out_bits = bits_of_size(out_size, out, ErrorCode::size_not_a_power_of_two);
  if (!in_bits) return in_bits.error();
  if (!out_bits) return out_bits.error();
  return from_words({{in, *in_bits}}, {{out, *out_bits}}, Bases{});
}

}  // namespace heddle::layout
