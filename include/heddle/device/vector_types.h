// The types of matrix elements and the vectors that matrix instructions take.
//
//   half16, half8      f16; on gfx11 a fragment of A or B is a half16, on gfx12 a half8
//   bhalf16, bhalf8    bf16, likewise
//   int32x1 … int32x8  packed 8-bit and 4-bit elements, and accumulators of i32
//   float8             accumulators of f32
//
// They are clang's ext_vector_type: v[i] reads and writes an element, and arithmetic is element by
// element.
//
//     half8 v = {};                     zeros
//     v[3] = half_t(1.5f);              an element
//     half8 w = v * v + v;              each element by itself
//     sizeof(half8)                     16 bytes; a Vector<T, 3> takes the room of four elements
#pragma once

#include <cstdint>

#include "heddle/instruction/element_type.h"
#include "heddle/layout/needs_cxx20.h"

namespace heddle::device {

using half_t = _Float16;
using bhalf_t = __bf16;

/// OCP 8-bit floats as bits: fp8_t is E4M3, bf8_t is E5M2. On RDNA only gfx12 multiplies them.
enum class fp8_t : std::uint8_t {};
enum class bf8_t : std::uint8_t {};

/// 4-bit integers, in two's complement or unsigned. As types they specify the elements of a
/// fragment. In memory a byte holds two of them, the one with the even index in its low half. A
/// variable of this type holds one number, in the low half of its byte.
enum class int4_t : std::uint8_t {};
enum class uint4_t : std::uint8_t {};

/// The compiler's vector of `size` elements of type T; size may be 1.
template <class T, int size>
using Vector = T __attribute__((ext_vector_type(size)));

/// The vector V with the alignment of T only. V's elements have the size of T.
template <class V, class T>
struct UnalignedVector {
  using type __attribute__((aligned(alignof(T)))) = V;
};
template <class V, class T>
using Unaligned = typename UnalignedVector<V, T>::type;

using half2 = Vector<half_t, 2>;
using half4 = Vector<half_t, 4>;
using half8 = Vector<half_t, 8>;
using half16 = Vector<half_t, 16>;
using bhalf2 = Vector<bhalf_t, 2>;
using bhalf4 = Vector<bhalf_t, 4>;
using bhalf8 = Vector<bhalf_t, 8>;
using bhalf16 = Vector<bhalf_t, 16>;
using float8 = Vector<float, 8>;
using int32x1 = Vector<std::int32_t, 1>;
using int32x2 = Vector<std::int32_t, 2>;
using int32x4 = Vector<std::int32_t, 4>;
using int32x8 = Vector<std::int32_t, 8>;

/// The catalogue's kind of a C++ element type. Use its numbers only in constant expressions: at run
/// time a kernel would read them from tables in memory.
struct ElementKind {
  instruction::ElementType type;
  bool is_signed = true;
  /// Bits of an element in registers and in memory.
  consteval int bits() const { return instruction::bits(type); }
  /// The number of elements that share an address: 2 if they have 4 bits, else 1.
  consteval int per_address() const { return bits() < 8 ? 8 / bits() : 1; }
};

/// True if T can be an element of WMMA or MFMA. Such types have specialisations below.
template <class T>
inline constexpr bool is_element = false;
template <class T>
inline constexpr ElementKind element_kind{};

#define HEDDLE_ELEMENT(T, ...)                \
  template <>                                 \
  inline constexpr bool is_element<T> = true; \
  template <>                                 \
  inline constexpr ElementKind element_kind<T>{__VA_ARGS__};
HEDDLE_ELEMENT(half_t, instruction::ElementType::f16)
HEDDLE_ELEMENT(bhalf_t, instruction::ElementType::bf16)
HEDDLE_ELEMENT(float, instruction::ElementType::f32)
HEDDLE_ELEMENT(std::int32_t, instruction::ElementType::i32)
HEDDLE_ELEMENT(std::int8_t, instruction::ElementType::iu8, true)
HEDDLE_ELEMENT(std::uint8_t, instruction::ElementType::iu8, false)
HEDDLE_ELEMENT(int4_t, instruction::ElementType::iu4, true)
HEDDLE_ELEMENT(uint4_t, instruction::ElementType::iu4, false)
HEDDLE_ELEMENT(fp8_t, instruction::ElementType::fp8)
HEDDLE_ELEMENT(bf8_t, instruction::ElementType::bf8)
#undef HEDDLE_ELEMENT

}  // namespace heddle::device
