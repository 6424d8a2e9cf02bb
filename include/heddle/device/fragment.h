// A lane's part of an operand of WMMA or MFMA: which elements it holds, and in which registers.
//
//   FragmentA<half_t> a;                 // 16x16 of A; FragmentB for B, Accumulator for C and D
//   a.registers                          // what the instruction takes: half16 on gfx11
//   a[i], a.set(i, x)                    // the lane's i-th element, i < a.size
//   a.row(i), a.column(i)                // its position: m and k of A; k and n of B; m, n of D
//
// On CDNA there are products of 16x16 and of 32x32, and k is given if it is not 16:
//
//   FragmentA<half_t, family_here, 8, 32> a;          // 32x8 of A
//   Accumulator<float, family_here, 32> d;            // 32x32
//   FragmentA<fp8_t, family_here, 32> a;              // 16x32 of fp8, as the processor encodes it
//
// The positions are those of the catalogue (heddle/instruction/rdna_table.h, cdna_table.h), for
// f16:
//
//             gfx11 (RDNA3, 3.5)               gfx12 (RDNA4)
//   A  lane l holds row m = l % 16:            lane l holds row m = l % 16:
//        element i is k = i (16 of them,         element i is k = 8 * (l / 16) + i (8 of them)
//        lanes 16..31 repeat lanes 0..15)
//   B  the same with column n = l % 16         the same with column n = l % 16
//   D  lane l holds column n = l % 16:          lane l holds column n = l % 16:
//        element i is m = 2 * i + l / 16         element i is m = 8 * (l / 16) + i
//
//             CDNA, 16x16x16                   CDNA, 32x32x8
//   A  lane l holds row m = l % 16:            lane l holds row m = l % 32:
//        element i is k = 4 * (l / 16) + i       element i is k = 4 * (l / 32) + i
//   D  lane l holds column n = l % 16:         lane l holds column n = l % 32:
//        element i is m = 4 * (l / 16) + i       element i is
//                                                m = 8 * (i / 4) + 4 * (l / 32) + i % 4
//
// A LANE HOLDS A ROW OF A. A published note says a_frag[i] = A[i][lane % 16], which is a column.
// Such a load gives A transposed, and the product is A^T * B. docs/device.md tells the story.
//
// On gfx12 k is numbered so that a lane's elements are consecutive (KOrder::contiguous). So a
// lane's part of a row is one 16-byte load. AMD's documents number k within the instruction
// differently. The product is the same as long as A and B are numbered alike, which is so in all
// device code of Heddle.
//
// HOW MANY ELEMENTS A LANE HOLDS
//
//     operand       f16, bf16      8 bits     4 bits      f32 or i32
//     gfx11, A, B   16             16         16          -   (lanes 16..31 repeat 0..15)
//     gfx12, A, B   8              8          8, k = 16   -
//     D of 16x16    8 on RDNA, 4 on CDNA; of 32x32 16
#pragma once

#include <bit>

#include "heddle/device/platform.h"
#include "heddle/device/vector_types.h"
#include "heddle/instruction/cdna_table.h"
#include "heddle/instruction/fragment.h"
#include "heddle/instruction/rdna_table.h"
#include "heddle/layout/axes.h"
#include "heddle/layout/index.h"

namespace heddle::device {

namespace detail {

/// The catalogue's type for an element type of C++ in a family: integers of CDNA's instructions are
/// signed, and CDNA3 has its own encodings of 8-bit floats.
constexpr instruction::ElementType type_in(Family family, ElementKind kind) {
  using enum instruction::ElementType;
  if (!instruction::is_cdna(family)) return kind.type;
  if (kind.type == iu8 && kind.is_signed) return i8;
  if (instruction::row(family).small_floats != instruction::SmallFloats::fnuz) return kind.type;
  return kind.type == fp8 ? fp8_fnuz : kind.type == bf8 ? bf8_fnuz : kind.type;
}

/// The catalogue's row of a dense product of one matrix A and one matrix B: with `side` rows and
/// columns and depth k, and with elements of this type in the operand `operand`. Waves have 32
/// lanes, on CDNA 64. For accumulators of CDNA, k does not matter. nullptr if there is no such row.
///
/// If several rows differ only in the types of other operands, any of them may be returned: their
/// maps of `operand` are the same.
constexpr const instruction::Instruction* find_product(Family family, Operand operand,
                                                       ElementKind kind, int k, int side) {
  const bool cdna = instruction::is_cdna(family);
  const instruction::ElementType type = type_in(family, kind);
  // CDNA4 has one row, of type fp8, for several formats; bf8 has the same map.
  const auto is_8_bit_float = [](instruction::ElementType t) {
    return t == instruction::ElementType::fp8 || t == instruction::ElementType::bf8;
  };
  const auto has_8_bit_formats = [](const instruction::Instruction& row, Operand o) {
    return !row.formats.empty() && (o == Operand::a || o == Operand::b);
  };
  const auto fits = [&](const instruction::Instruction& row) {
    return row.is_of(family) && row.wave == static_cast<int>(wave_size_of(family)) &&
           !row.is_sparse() && row.blocks == 1 && row.m == side && row.n == side &&
           (row.k == k || (cdna && operand == Operand::d)) &&
           (row.type(operand) == type || (has_8_bit_formats(row, operand) && is_8_bit_float(type)));
  };
  if (cdna) {
    for (const instruction::Instruction& row : instruction::cdna_instructions)
      if (fits(row)) return &row;
    return nullptr;
  }
  for (const instruction::Instruction& row : instruction::rdna_instructions)
    if (fits(row)) return &row;
  return nullptr;
}

/// The map (value, lane) -> (the operand's two axes), in which `value` numbers the elements of a
/// lane.
constexpr layout::LinearLayout value_map(const instruction::Instruction& row, Operand operand) {
  const layout::LinearLayout map =
      instruction::fragment(row, operand, instruction::KOrder::contiguous);
  const int lane_bits = map.inputs().bits_of("lane");
  return layout::reshape_inputs(map, {{"value", map.input_bits() - lane_bits}, {"lane", lane_bits}})
      .value();
}

/// The properties of fragments of one operand.
template <Operand operand, class T, Family family, int k, int side>
struct FragmentTraits {
  static_assert(
      is_element<T>,
      "no element of WMMA or MFMA: half_t, bhalf_t, float, int32_t, int8_t, uint8_t, int4_t, "
      "uint4_t, fp8_t and bf8_t are");
  static constexpr const instruction::Instruction* found =
      find_product(family, operand, element_kind<T>, k, side);
  static_assert(found != nullptr,
                "no WMMA of this family has such an operand: A and B of half_t, bhalf_t, int8_t, "
                "uint8_t, int4_t, uint4_t, on gfx12 fp8_t and bf8_t; D of float, half_t, bhalf_t, "
                "int32_t; k is 16, of 4-bit elements on gfx12 16 or 32. MFMA has half_t, bhalf_t, "
                "int8_t, float, from gfx942 on fp8_t and bf8_t, and D of float and int32_t; "
                "`heddle list --target gfx942` has the k of each shape");
  static constexpr const instruction::Instruction& row =
      found == nullptr ? instruction::rdna_instructions[0] : *found;
  static constexpr layout::LinearLayout map = value_map(row, operand);
  static constexpr int size = instruction::elements_per_lane(row, operand);
  static constexpr int registers = row.map(operand).registers;
  /// Elements in each register: 1 if an element has a register of its own.
  static constexpr int per_register = size / registers;
};

template <Operand operand, class T, Family family, int k, int side>
inline constexpr layout::LinearLayout fragment_map =
    FragmentTraits<operand, T, family, k, side>::map;

/// The vector type of `registers` registers with elements T. A register holds two 16-bit elements.
/// Smaller elements are packed into 32-bit words.
template <class T, int registers>
struct RegisterVector {
  using type = Vector<T, registers * 4 / static_cast<int>(sizeof(T))>;
};
template <class T, int registers>
  requires(sizeof(T) == 1)
struct RegisterVector<T, registers> {
  using type = Vector<std::int32_t, registers>;
};

}  // namespace detail

/// A lane's part of one operand of one instruction. `k` is the depth of the instruction, `side` its
/// number of rows of A and of columns of B.
template <Operand fragment_operand, class T, Family fragment_family = family_here, int k = 16,
          int side = 16>
struct Fragment {
  using Traits = detail::FragmentTraits<fragment_operand, T, fragment_family, k, side>;
  using Element = T;
  using Registers = typename detail::RegisterVector<T, Traits::registers>::type;

  static constexpr Operand operand = fragment_operand;
  static constexpr Family family = fragment_family;
  /// The number of elements of a lane, and the shape of the whole operand: m x k, k x n or m x n.
  static constexpr int size = Traits::size;
  static constexpr int rows = operand == Operand::b ? k : side;
  static constexpr int columns = operand == Operand::a ? k : side;
  static constexpr int bits = element_kind<T>.bits();

  /// The vector that the instruction takes: half16, float8, int32x4, … In accumulators of 16-bit
  /// elements on gfx11, which are not packed, element i is at index 2 * i.
  Registers registers;

  /// A fragment with this in every element.
  HEDDLE_DEVICE static Fragment filled(T x) {
    Fragment result;
    result.registers = Registers{};
    for (int i = 0; i < size; ++i) result.set(i, x);
    return result;
  }

  /// The lane's element i, 0 <= i < size.
  HEDDLE_DEVICE T operator[](int i) const {
    if constexpr (bits >= 16) {
      return registers[i * step];
    } else {
      const auto word = static_cast<std::uint32_t>(registers[i / per_word]);
      return static_cast<T>(word >> i % per_word * bits & mask);
    }
  }

  HEDDLE_DEVICE void set(int i, T x) {
    if constexpr (bits >= 16) {
      registers[i * step] = x;
    } else {
      const int shift = i % per_word * bits;
      const auto word = static_cast<std::uint32_t>(registers[i / per_word]);
      registers[i / per_word] = static_cast<std::int32_t>(
          (word & ~(mask << shift)) | (static_cast<std::uint32_t>(x) & mask) << shift);
    }
  }

  /// Row and column of the lane's element i in the operand's matrix.
  HEDDLE_DEVICE static constexpr unsigned row(int i, unsigned lane = lane_index()) {
    return place(static_cast<unsigned>(i), lane)[0];
  }
  HEDDLE_DEVICE static constexpr unsigned column(int i, unsigned lane = lane_index()) {
    return place(static_cast<unsigned>(i), lane)[1];
  }

 private:
  // The distance from one element to the next in `registers`.
  static constexpr int step = bits == 16 && Traits::per_register == 1 ? 2 : 1;
  static constexpr int per_word = 32 / bits;
  static constexpr std::uint32_t mask = bits == 32 ? ~0u : (1u << bits % 32) - 1;

  static constexpr std::array<unsigned, 2> place(unsigned i, unsigned lane) {
    return layout::map_index<detail::fragment_map<operand, T, family, k, side>>(i, lane);
  }
};

/// Fragments of the operands A and B. C and D share the type Accumulator.
template <class T, Family family = family_here, int k = 16, int side = 16>
using FragmentA = Fragment<Operand::a, T, family, k, side>;
template <class T, Family family = family_here, int k = 16, int side = 16>
using FragmentB = Fragment<Operand::b, T, family, k, side>;
template <class T, Family family = family_here, int side = 16>
using Accumulator = Fragment<Operand::d, T, family, 16, side>;

}  // namespace heddle::device
