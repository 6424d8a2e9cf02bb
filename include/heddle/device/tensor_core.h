// The matrix instruction of a buffer, with the names of Mojo's attention (TiledTensorCore): types,
// shape, how many steps of k a tile has, and whether A and B are exchanged.
//
//     using Core = TensorCore<float, half_t>;            // f16 into f32, 16x16x16, transposed
//     TensorCore<float, half_t, 2>                       // a tile of a buffer is 32 deep
//     TensorCore<std::int32_t, std::int8_t>              // bytes into i32
//
// The meaning of the members for a product of attention, S = Q K^T, computed transposed (swap_a_b):
//
//     M, N, K          16, 16, 16      keys, queries and depths of one instruction
//     group_size       2               32 depths in one tile of a buffer, two instructions
//     operands         K is A, Q is B, S^T is D: a lane has one query, and 8 of its 16 keys
//
// Types that no instruction has are rejected at compile time: TensorCore<float, double> does not
// compile, and the message lists the possible pairs.
#pragma once

#include "heddle/device/fragment.h"
#include "heddle/device/shared_move.h"

namespace heddle::device {

namespace detail {

/// True if WMMA of some family multiplies elements of type In and sums them in type Out.
template <class Out, class In>
constexpr bool has_product() {
  if constexpr (is_element<Out> && is_element<In>)
    for (const instruction::Instruction& row : instruction::rdna_instructions)
      if (row.type(Operand::a) == element_kind<In>.type &&
          row.type(Operand::d) == element_kind<Out>.type)
        return true;
  return false;
}

}  // namespace detail

/// The instruction D = A * B + C with elements InType and sums OutType. On RDNA the shape is
/// 16x16x16 for all types (RDNA3 and RDNA4 ISA, "Wave Matrix Multiply Accumulate").
///
///   group_size  the number of steps of k in one tile of a buffer: a power of two
///   swap_a_b    the product is computed transposed: A and B are exchanged. Then K and V are A, and
///               Q and P are B. A lane has one query, and softmax needs only one other lane
template <class OutType_, class InType_, int group_size_ = 1, bool swap_a_b_ = true>
struct TensorCore {
  using OutType = OutType_;
  using InType = InType_;
  static constexpr int M = 16;
  static constexpr int N = 16;
  static constexpr int K = 16;
  static constexpr int group_size = group_size_;
  static constexpr bool swap_a_b = swap_a_b_;
  static_assert(std::has_single_bit(static_cast<unsigned>(group_size)),
                "group_size is the number of 16-deep steps of a tile: 1, 2, 4, …");
  static_assert(
      detail::has_product<OutType, InType>(),
      "no WMMA: a tensor core has OutType float or InType for half_t and bhalf_t, int32_t "
      "for int8_t and uint8_t, float for fp8_t and bf8_t (__half of HIP is half_t here)");
};

namespace detail {

template <class T>
inline constexpr bool is_tensor_core = false;
template <class Out, class In, int group_size, bool swap_a_b>
inline constexpr bool is_tensor_core<TensorCore<Out, In, group_size, swap_a_b>> = true;

template <class T, class Core>
inline constexpr bool multiplies = false;
template <class Out, class T, int group_size, bool swap_a_b>
inline constexpr bool multiplies<T, TensorCore<Out, T, group_size, swap_a_b>> = true;

/// The types of a buffer, checked.
template <class T, class Core>
struct BufferTypes {
  static constexpr bool holds_elements = [] {
    if constexpr (is_element<T>)
      return element_kind<T>.bits() == 8 || element_kind<T>.bits() == 16;
    else
      return false;
  }();
  static constexpr bool are_right = holds_elements && multiplies<T, Core>;
  static_assert(holds_elements,
                "a buffer holds half_t, bhalf_t, int8_t, uint8_t, fp8_t or bf8_t, which type comes "
                "before its TensorCore; pointers to HIP's __half are cast to half_t");
  static_assert(is_tensor_core<Core>,
                "the type after that of a buffer's elements is its TensorCore, or TiledTensorCore");
  static_assert(multiplies<T, Core>,
                "the tensor core multiplies elements of another type (InType) than the buffer's");
};

}  // namespace detail

/// The map (position, lane) -> (outer, inner) of the elements of an operand that a lane holds, in
/// the order of Fragment: `position` numbers the lane's elements. For A and B, inner is k and outer
/// is the other axis. For D, inner is m and outer is n.
template <Operand operand, class T, Family family = family_here>
constexpr layout::LinearLayout operand_map(const layout::AxisName& outer,
                                           const layout::AxisName& inner) {
  const layout::LinearLayout& map = detail::fragment_map<operand, T, family, 16, 16>;
  layout::AxisList outputs;
  for (const layout::Axis& axis : map.outputs()) {
    const layout::AxisName name = operand == Operand::d ? "m" : "k";
    outputs.push_back({axis.name == name ? inner : outer, axis.bits});
  }
  return layout::with_axes(
      map, {{"position", map.inputs()[0].bits}, {"lane", map.inputs()[1].bits}}, outputs);
}

}  // namespace heddle::device
