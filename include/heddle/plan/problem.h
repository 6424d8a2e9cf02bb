// A product of matrices in the view of a planner: sizes, element types, and the layout of A and B
// in memory.
//
//     const Problem problem{.m = 4096, .n = 4096, .k = 1024,
//                           .input = ElementType::bf16, .result = ElementType::bf16};
//     problem.sum_type()                f32
//     problem.a_row(), problem.b_row()  1024 and 4096 elements: both are row-major
//     problem.element_bytes()           2
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "heddle/instruction/element_type.h"
#include "heddle/instruction/sum_error.h"
#include "heddle/layout/needs_cxx20.h"
#include "heddle/plan/expression.h"

namespace heddle::plan {

/// The loops of a batched product: D[batch, m, n] += A[batch, m, k] * B[batch, k, n].
enum class Loop : std::uint8_t { m, n, k, batch };

/// The sizes that a kernel may learn at run time, by number. 0 to 3 are the sizes of the four
/// loops, in the order of Loop. From `loop_count` on there are further sizes, of a part of one of
/// these loops or of a dimension of a matrix.
inline constexpr unsigned loop_count = 4, size_count = 16;
inline constexpr std::array<const char*, size_count> size_names{
    "m",  "n",  "k",  "batch", "s0", "s1", "s2",  "s3",
    "s4", "s5", "s6", "s7",    "s8", "s9", "s10", "s11"};

/// The layout of A or B in memory.
struct OperandForm {
  bool transposed = false;  // A is k x m, B is n x k, row-major
  /// The type of the elements in memory, if it is not the type that is multiplied: the kernel then
  /// converts the elements, or computes the factors from them. Empty if the types are the same.
  std::optional<instruction::ElementType> stored = {};
  /// The most elements that one access may move. It divides the length of a row, the distance of
  /// two rows, and the distance of two matrices of a batch. 0: the length of a row is the limit.
  std::int64_t divisor = 0;
  /// True if the elements have to go through registers on their way to shared memory, because the
  /// kernel computes the factors from them.
  bool passes_registers = false;
  /// True if the address of an element is not row * pitch + column, because a row is not
  /// contiguous, addresses jump, or there is padding. Then no descriptor can describe the operand.
  bool is_irregular = false;
  friend constexpr bool operator==(const OperandForm&, const OperandForm&) = default;
};

/// How f32 inputs are multiplied.
///
/// - `exact`: products and sums in f32, as f32 FMA does.
/// - `bf16x3`: each input is the sum of two bf16, a large and a small one. Of the four products of
/// these bf16, the three largest are summed in f32; this drops at most 2^-15 of each |a b|.
/// - `tf32`: inputs are rounded to 11 bits.
/// - `tf32_cut`: the bits of inputs beyond 11 are cut off, as instructions for tf32 do with an f32
/// (docs/nvidia.md).
enum class F32Path : std::uint8_t { exact, bf16x3, tf32, tf32_cut };

/// How products of 8-bit floats are summed, if there is an instruction that keeps fewer bits of a
/// sum than f32 has, as wgmma does.
///
/// - `exact`: other instructions are used, which keep the bits of f32.
/// - `promoted`: that instruction sums promoted_depth products at a time, and the kernel adds these
/// sums in f32.
/// - `fast`: that instruction adds all products.
enum class F8Sums : std::uint8_t { exact, promoted, fast };

/// The number of products of 8-bit floats that wgmma sums before the kernel adds their sum in f32.
/// It is a choice: the k of one stage of shared memory, 128 bytes.
inline constexpr int promoted_depth = 128;

/// The value of Problem::scaled_columns if all columns have the same scales. It is more than any
/// number of columns.
inline constexpr std::int64_t all_columns = std::int64_t{1} << 30;

/// The number of elements along k that share one scale, a power of two of type E8M0 that an
/// instruction reads with A or B. Source: "OCP Microscaling Formats (MX) Specification" 1.0, table
/// 1.
inline constexpr int scale_block = 32;

/// The type of the sums of products of `type`: i32 for integers, i64 for i64, f64 for f64, and f32
/// for other floats.
constexpr instruction::ElementType sum_type_of(instruction::ElementType type) {
  using enum instruction::ElementType;
  if (type == i64 || type == f64) return type;
  return instruction::is_integer(type) ? i32 : f32;
}

/// D = A * B (+ C), row-major: A is m x k and B is k x n, D is m x n of `result`, for each of
/// `batch` matrices. Sizes are at least 1.
///
/// Inputs are f16, bf16, f32, f64, fp8, bf8, i8, u8, i32 or i64, with scales also fp4; sums are of
/// sum_type_of(input). For fp4, `k` counts pairs of elements; a pair is a byte. `result` is the
/// type of D in memory.
struct Problem {
  std::int64_t m = 1;
  std::int64_t n = 1;
  std::int64_t k = 1;
  instruction::ElementType input = instruction::ElementType::f16;
  instruction::ElementType result = instruction::ElementType::f32;
  std::int64_t batch = 1;
  std::optional<instruction::ElementType> input_b = {};  // where B's is another than A's
  OperandForm a = {}, b = {};
  F32Path f32 = F32Path::exact;
  F8Sums f8 = F8Sums::exact;
  /// The error of a kernel's sums: the error of its matrix instruction and the error of the
  /// kernel's own additions. Nothing if nobody knows how the instruction adds, or if no kernel is
  /// chosen yet.
  std::optional<instruction::SumError> sums = {};
  /// True if the instruction multiplies A, or B, or A and B by scales. Each scale belongs to
  /// scale_block elements along k.
  bool has_scales = false;
  /// For 8-bit floats whose sums are promoted: the number of neighbouring columns of D that share
  /// the scales of promoted_depth products. It is a power of two, and the columns begin at a
  /// multiple of it. 0: no scales.
  std::int64_t scaled_columns = 0;
  /// With scaled_columns: true if A has no scales of its rows, or if these scales are contiguous
  /// and every four of them begin at a multiple of 16 bytes.
  bool a_scales_contiguous = false;
  /// True if the instruction takes subnormal inputs as 0: f16 and bf16 of CDNA2.
  bool flushes_subnormals = false;
  /// How the elements of a row of A become an element of D. `add`: they are multiplied by those of
  /// a column of B and summed. Otherwise D is the largest or smallest of A's elements, which have
  /// the type of sums, and B is not multiplied.
  Step combine = Step::add;
  /// True if two thread blocks may compute the same row of D. This requires that there is no C and
  /// no further input with elements for each row: a launch may place such an input where D is.
  bool may_repeat_rows = false;
  /// A bit for each Loop whose size the kernel learns at run time. The member for that size (m, n,
  /// k or batch) is then the size that the plan is optimised for; the kernel is correct for any
  /// other.
  unsigned dynamic = 0;
  std::array<std::int64_t, size_count - loop_count> further = {};  // sizes; 0: there is none
  /// The upper limits of the dynamic sizes of m, n, k and the batch in the launches that the plan
  /// is made for. 0: no limit.
  std::array<std::int64_t, loop_count> most = {};

  constexpr instruction::ElementType b_input() const { return input_b.value_or(input); }
  constexpr instruction::ElementType a_stored() const { return a.stored.value_or(input); }
  constexpr instruction::ElementType b_stored() const { return b.stored.value_or(b_input()); }
  constexpr bool is_dynamic(Loop loop) const {
    return (dynamic >> static_cast<unsigned>(loop) & 1u) != 0;
  }
  constexpr std::int64_t size(Loop loop) const {
    const auto number = static_cast<unsigned>(loop);
    if (number >= loop_count) return further[number - loop_count];
    return loop == Loop::m ? m : loop == Loop::n ? n : loop == Loop::k ? k : batch;
  }
  constexpr std::int64_t& size(Loop loop) {
    const auto number = static_cast<unsigned>(loop);
    if (number >= loop_count) return further[number - loop_count];
    return loop == Loop::m ? m : loop == Loop::n ? n : loop == Loop::k ? k : batch;
  }
  constexpr instruction::ElementType sum_type() const { return sum_type_of(input); }
  /// True if each f32 input is split into two bf16, and these are multiplied.
  constexpr bool is_split() const {
    return input == instruction::ElementType::f32 && f32 == F32Path::bf16x3;
  }
  /// is_tf32: true if f32 inputs are multiplied as tf32. cuts_tf32: true if their low bits are cut
  /// off for that. rounds_tf32: true if they are rounded.
  constexpr bool is_tf32() const {
    return input == instruction::ElementType::f32 &&
           (f32 == F32Path::tf32 || f32 == F32Path::tf32_cut);
  }
  constexpr bool cuts_tf32() const { return is_tf32() && f32 == F32Path::tf32_cut; }
  constexpr bool rounds_tf32() const { return is_tf32() && !cuts_tf32(); }
  /// True if the factors are 8-bit floats and their sums may have fewer bits than f32.
  constexpr bool has_short_sums() const {
    using enum instruction::ElementType;
    return f8 != F8Sums::exact && (input == fp8 || input == bf8);
  }
  /// True if the chosen instruction keeps fewer bits of a sum than f32 has.
  constexpr bool loses_bits_of_f32() const { return sums && sums->per_product > 0x1p-22; }
  /// The number of products that an instruction with fewer bits of a sum than f32 adds, before the
  /// kernel adds the result in f32. 0 if the chosen instruction keeps all bits of f32.
  constexpr std::int64_t short_depth() const {
    if (!loses_bits_of_f32()) return 0;
    return f8 == F8Sums::promoted && k > promoted_depth ? promoted_depth : k;
  }
  /// The bytes of a factor, and so of an element in shared memory.
  constexpr int element_bytes() const {
    return is_split() ? 2 : instruction::bits(input) * elements_of_unit() / 8;
  }
  /// The number of elements in one k.
  constexpr int elements_of_unit() const { return input == instruction::ElementType::fp4 ? 2 : 1; }
  /// The limit of the width of every access to A or B, in elements (OperandForm::divisor).
  constexpr std::int64_t a_divisor() const { return a.divisor != 0 ? a.divisor : a_row(); }
  constexpr std::int64_t b_divisor() const { return b.divisor != 0 ? b.divisor : b_row(); }
  /// The number of elements in a row of A or B as it is stored (transposed: m or k), without the
  /// distance between rows.
  constexpr std::int64_t a_row() const { return a.transposed ? m : k; }
  constexpr std::int64_t b_row() const { return b.transposed ? k : n; }
  friend constexpr bool operator==(const Problem&, const Problem&) = default;
};

}  // namespace heddle::plan
