// A lane's part of an operand of WMMA: which elements it is, and the registers that hold them.
//
//   FragmentA<half_t> a;                 // 16x16 of A; FragmentB for B, Accumulator for C and D
//   a.registers                          // what the instruction takes: half16 on gfx11
//   a[i], a.set(i, x)                    // the lane's i-th element, i < a.size
//   a.row(i), a.column(i)                // where it belongs: m and k of A; k and n of B; m, n of D
//
// The places are those of the catalogue (heddle/instruction/rdna_table.h), for f16:
//
//             gfx11 (RDNA3, 3.5)               gfx12 (RDNA4)
//   A  lane l holds row m = l % 16:            lane l holds row m = l % 16:
//        element i is k = i (16 of them,         element i is k = 8 * (l / 16) + i (8 of them)
//        lanes 16..31 repeat lanes 0..15)
//   B  the same with column n = l % 16         the same with column n = l % 16
//   D  lane l holds column n = l % 16:          lane l holds column n = l % 16:
//        element i is m = 2 * i + l / 16         element i is m = 8 * (l / 16) + i
//
// A LANE HOLDS A ROW OF A. A published note says a_frag[i] = A[i][lane % 16], a column: what is
// loaded so is A transposed, and the product A^T * B. docs/device.md tells the story.
//
// On gfx12 k is numbered so that a lane's elements are consecutive (KOrder::contiguous), which
// makes its part of a row one 16-byte load. AMD's documents number the k inside the instruction
// otherwise; the product is the same since A and B agree, and all of Heddle's device code does.
#pragma once

#include <bit>

#include "heddle/device/platform.h"
#include "heddle/device/vector_types.h"
#include "heddle/instruction/fragment.h"
#include "heddle/instruction/rdna_table.h"
#include "heddle/layout/axes.h"
#include "heddle/layout/index.h"

namespace heddle::device {

namespace detail {

/// The row of the catalogue, in waves of 32, of the dense product whose operand has elements of
/// this type, and which is k deep; nullptr without one. Rows that differ in other operands have the
/// same map for this one.
constexpr const instruction::Instruction* find_product(Family family, Operand operand,
                                                       instruction::ElementType type, int k) {
  for (const instruction::Instruction& row : instruction::rdna_instructions)
    if (row.is_of(family) && row.wave == static_cast<int>(wave_size) && !row.is_sparse() &&
        row.k == k && row.type(operand) == type)
      return &row;
  return nullptr;
}

/// (value, lane) -> the operand's two axes: value counts the elements of a lane.
constexpr layout::LinearLayout value_map(const instruction::Instruction& row, Operand operand) {
  const layout::LinearLayout map =
      instruction::fragment(row, operand, instruction::KOrder::contiguous);
  const int lane_bits = map.inputs().bits_of("lane");
  return layout::reshape_inputs(map, {{"value", map.input_bits() - lane_bits}, {"lane", lane_bits}})
      .value();
}

/// What fragments of one operand are.
template <Operand operand, class T, Family family, int k>
struct FragmentTraits {
  static_assert(is_element<T>,
                "no element of WMMA: half_t, bhalf_t, float, int32_t, int8_t, uint8_t, int4_t, "
                "uint4_t, fp8_t and bf8_t are");
  static constexpr const instruction::Instruction* found =
      find_product(family, operand, element_kind<T>.type, k);
  static_assert(found != nullptr,
                "no WMMA of this family has such an operand: A and B of half_t, bhalf_t, int8_t, "
                "uint8_t, int4_t, uint4_t, on gfx12 fp8_t and bf8_t; D of float, half_t, bhalf_t, "
                "int32_t; k is 16, of 4-bit elements on gfx12 16 or 32");
  static constexpr const instruction::Instruction& row =
      found == nullptr ? instruction::rdna_instructions[0] : *found;
  static constexpr layout::LinearLayout map = value_map(row, operand);
  static constexpr int size = instruction::elements_per_lane(row, operand);
  static constexpr int registers = row.map(operand).registers;
  /// Positions of a register that the map uses: 1 where elements stand alone in their register.
  static constexpr int per_register = size / registers;
};

template <Operand operand, class T, Family family, int k>
inline constexpr layout::LinearLayout fragment_map = FragmentTraits<operand, T, family, k>::map;

/// The vector that holds `registers` registers of elements T: 16-bit elements are two a register,
/// packed ones are 32-bit words.
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

/// One operand of one instruction. `k` is the instruction's.
template <Operand fragment_operand, class T, Family fragment_family = family_here, int k = 16>
struct Fragment {
  using Traits = detail::FragmentTraits<fragment_operand, T, fragment_family, k>;
  using Element = T;
  using Registers = typename detail::RegisterVector<T, Traits::registers>::type;

  static constexpr Operand operand = fragment_operand;
  static constexpr Family family = fragment_family;
  /// Elements of a lane, and the sides of the matrix: m x k, k x n or m x n.
  static constexpr int size = Traits::size;
  static constexpr int rows = operand == Operand::b ? k : 16;
  static constexpr int columns = operand == Operand::a ? k : 16;
  static constexpr int bits = element_kind<T>.bits();

  /// What the instruction takes: half16, float8, int32x4, … In unpacked accumulators of gfx11
  /// element i is at 2 * i.
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
  // Elements from one to the next inside `registers`.
  static constexpr int step = bits == 16 && Traits::per_register == 1 ? 2 : 1;
  static constexpr int per_word = 32 / bits;
  static constexpr std::uint32_t mask = bits == 32 ? ~0u : (1u << bits % 32) - 1;

  static constexpr std::array<unsigned, 2> place(unsigned i, unsigned lane) {
    return layout::map_index<detail::fragment_map<operand, T, family, k>>(i, lane);
  }
};

/// The operands by their letters. C and D are one.
template <class T, Family family = family_here, int k = 16>
using FragmentA = Fragment<Operand::a, T, family, k>;
template <class T, Family family = family_here, int k = 16>
using FragmentB = Fragment<Operand::b, T, family, k>;
template <class T, Family family = family_here>
using Accumulator = Fragment<Operand::d, T, family>;

}  // namespace heddle::device
