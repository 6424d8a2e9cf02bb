// D = A * B + C, computed by one wave with one WMMA or MFMA instruction.
//
//   sum = multiply_accumulate(a, b, sum);        // fragments; the types choose the instruction
//
//   A, B                     C, D        instruction
//   half_t                   float       v_wmma_f32_16x16x16_f16
//   bhalf_t                  float       v_wmma_f32_16x16x16_bf16
//   half_t                   half_t      v_wmma_f16_16x16x16_f16     rounds at every step
//   bhalf_t                  bhalf_t     v_wmma_bf16_16x16x16_bf16   rounds at every step
//   int8_t, uint8_t          int32_t     v_wmma_i32_16x16x16_iu8     each of A and B signed or not
//   int4_t, uint4_t          int32_t     v_wmma_i32_16x16x16_iu4, on gfx12 also 16x16x32
//   fp8_t, bf8_t (gfx12)     float       v_wmma_f32_16x16x16_fp8_fp8, …_fp8_bf8 and so on
//
// On CDNA, D is 16x16 or 32x32, and the k of the fragments chooses among
//
//   A, B                     C, D        k of 16x16, of 32x32
//   half_t, bhalf_t          float       16, 8; on gfx950 also 32, 16
//   float                    float       4, 2
//   int8_t                   int32_t     gfx90a 16, 8; from gfx942 on 32, 16; on gfx950 also 64, 32
//   fp8_t, bf8_t             float       from gfx942 on 32, 16; on gfx950 also 128, 64
//
// fp8_t and bf8_t are only bits: on gfx942 the instruction reads them in its own encodings (fnuz).
//
// On RDNA all lanes of the wave must be active: EXEC must be all ones, so no branch may have
// disabled a lane (RDNA3 and RDNA4 ISA, "Wave Matrix Multiply Accumulate (WMMA)"). i32 sums wrap
// around; they are not clamped.
//
// A product of 16 x 16 with k = 64, from rows of A and rows of B transposed:
//
//     auto sum = Accumulator<float>::zero();
//     for (int k = 0; k < 64; k += 16) {
//       FragmentA<half_t> a;
//       FragmentB<half_t> b;
//       load_matrix_sync(a, A + row * 64 + k, 64);
//       load_matrix_sync<Order::column_major>(b, B_t + column * 64 + k, 64);
//       sum = multiply_accumulate(a, b, sum);
//     }
//     store_matrix_sync(C + row * n + column, sum, n);
#pragma once

#include "heddle/device/fragment.h"

namespace heddle::device {

/// Selects one of the two accumulators of a pair.
enum class Half : bool { low, high };

/// Two 16x16 accumulators of 16-bit elements. On gfx11 they share eight registers: one takes the
/// low halves, the other the high halves (OPSEL). Two separate Accumulators would take sixteen
/// registers. On gfx12 accumulators are packed, so a pair is simply two of them.
///
///     AccumulatorPair<half_t> sums = AccumulatorPair<half_t>::zero();
///     multiply_accumulate<Half::low>(upper_rows, b, sums);     // a FragmentA, a FragmentB
///     multiply_accumulate<Half::high>(lower_rows, b, sums);    // the same B
///     store_matrix_sync(pointer, sums.get<Half::low>(), stride);
///
///     registers of a lane       gfx11    gfx12
///     two Accumulator<half_t>   16       8
///     AccumulatorPair<half_t>   8        8
template <class T, Family family = family_here>
struct AccumulatorPair {
  static_assert(element_kind<T>.bits() == 16, "only 16-bit accumulators come in pairs");
  static constexpr bool shared = Accumulator<T, family>::Traits::per_register == 1;
  static constexpr int size = Accumulator<T, family>::size;

  typename Accumulator<T, family>::Registers registers[shared ? 1 : 2];

  /// Both accumulators with all elements 0.
  HEDDLE_DEVICE static AccumulatorPair zero() { return {}; }

  /// A copy of one accumulator of the pair, to be read or stored.
  template <Half half>
  HEDDLE_DEVICE Accumulator<T, family> get() const {
    Accumulator<T, family> result;
    if constexpr (!shared) {
      result.registers = registers[static_cast<int>(half)];
    } else {
      result.registers = registers[0];
      if constexpr (half == Half::high)
        for (int i = 0; i < size; ++i) result.registers[2 * i] = registers[0][2 * i + 1];
    }
    return result;
  }

  /// Replaces one accumulator of the pair; the other does not change.
  template <Half half>
  HEDDLE_DEVICE void set(const Accumulator<T, family>& from) {
    if constexpr (!shared) {
      registers[static_cast<int>(half)] = from.registers;
    } else {
      for (int i = 0; i < size; ++i)
        registers[0][2 * i + static_cast<int>(half)] = from.registers[2 * i];
    }
  }
};

#if defined(__HIP__)

namespace detail {

template <class To, class From>
HEDDLE_DEVICE To bits_as(const From& from) {
  return __builtin_bit_cast(To, from);
}

}  // namespace detail

/// Returns a * b + c. The types, k and side choose the instruction, as the tables at the top of
/// this file say. Other combinations do not compile, and the error message refers to the tables.
/// `c` does not change. Assigning the result to the variable that was passed as `c` costs no
/// register.
template <class TA, class TB, class TD, int k, int side>
HEDDLE_DEVICE Accumulator<TD, family_here, side> multiply_accumulate(
    const FragmentA<TA, family_here, k, side>& a, const FragmentB<TB, family_here, k, side>& b,
    const Accumulator<TD, family_here, side>& c) {
  using enum instruction::ElementType;
  constexpr ElementKind of_a = element_kind<TA>, of_b = element_kind<TB>, of_d = element_kind<TD>;
  using Registers [[maybe_unused]] = typename Accumulator<TD, family_here, side>::Registers;
  [[maybe_unused]] constexpr bool sa = of_a.is_signed, sb = of_b.is_signed;
  // The builtins take bf16 elements as vectors of short.
  using Shorts = Vector<short, static_cast<int>(sizeof a.registers) / 2>;
  using SumShorts [[maybe_unused]] = Vector<short, static_cast<int>(sizeof c.registers) / 2>;
  [[maybe_unused]] const auto shorts = [](const auto& from) {
    return detail::bits_as<Shorts>(from);
  };
  constexpr auto is = [](instruction::ElementType x, instruction::ElementType y,
                         instruction::ElementType d) {
    return of_a.type == x && of_b.type == y && of_d.type == d;
  };
  Accumulator<TD, family_here, side> d;
#if defined(__GFX9__)
  // The zeros at the end say that no block is broadcast and no lanes are permuted.
  constexpr auto shape = [](int rows, int depth) { return side == rows && k == depth; };
  [[maybe_unused]] const auto word = [](const auto& from) {
    return detail::bits_as<std::int32_t>(from);
  };
  [[maybe_unused]] const auto words = [](const auto& from) { return detail::bits_as<long>(from); };
#define HEDDLE_MFMA(builtin, x, y) d.registers = builtin(x, y, c.registers, 0, 0, 0)
  if constexpr (is(f16, f16, f32) && shape(16, 16)) {
    HEDDLE_MFMA(__builtin_amdgcn_mfma_f32_16x16x16f16, a.registers, b.registers);
  } else if constexpr (is(f16, f16, f32) && shape(32, 8)) {
    HEDDLE_MFMA(__builtin_amdgcn_mfma_f32_32x32x8f16, a.registers, b.registers);
  } else if constexpr (is(bf16, bf16, f32) && shape(16, 16)) {
    HEDDLE_MFMA(__builtin_amdgcn_mfma_f32_16x16x16bf16_1k, shorts(a.registers),
                shorts(b.registers));
  } else if constexpr (is(bf16, bf16, f32) && shape(32, 8)) {
    HEDDLE_MFMA(__builtin_amdgcn_mfma_f32_32x32x8bf16_1k, shorts(a.registers), shorts(b.registers));
  } else if constexpr (is(f32, f32, f32) && shape(16, 4)) {
    HEDDLE_MFMA(__builtin_amdgcn_mfma_f32_16x16x4f32, a.registers[0], b.registers[0]);
  } else if constexpr (is(f32, f32, f32) && shape(32, 2)) {
    HEDDLE_MFMA(__builtin_amdgcn_mfma_f32_32x32x2f32, a.registers[0], b.registers[0]);
  } else
#if defined(__gfx90a__)
      if constexpr (is(iu8, iu8, i32) && sa && sb && shape(16, 16)) {
    HEDDLE_MFMA(__builtin_amdgcn_mfma_i32_16x16x16i8, word(a.registers), word(b.registers));
  } else if constexpr (is(iu8, iu8, i32) && sa && sb && shape(32, 8)) {
    HEDDLE_MFMA(__builtin_amdgcn_mfma_i32_32x32x8i8, word(a.registers), word(b.registers));
  }
#else
#if defined(__gfx950__)
      if constexpr (is(f16, f16, f32) && shape(16, 32)) {
    HEDDLE_MFMA(__builtin_amdgcn_mfma_f32_16x16x32_f16, a.registers, b.registers);
  } else if constexpr (is(f16, f16, f32) && shape(32, 16)) {
    HEDDLE_MFMA(__builtin_amdgcn_mfma_f32_32x32x16_f16, a.registers, b.registers);
  } else if constexpr (is(bf16, bf16, f32) && shape(16, 32)) {
    HEDDLE_MFMA(__builtin_amdgcn_mfma_f32_16x16x32_bf16, a.registers, b.registers);
  } else if constexpr (is(bf16, bf16, f32) && shape(32, 16)) {
    HEDDLE_MFMA(__builtin_amdgcn_mfma_f32_32x32x16_bf16, a.registers, b.registers);
  } else if constexpr (is(iu8, iu8, i32) && sa && sb && shape(16, 64)) {
    HEDDLE_MFMA(__builtin_amdgcn_mfma_i32_16x16x64_i8, a.registers, b.registers);
  } else if constexpr (is(iu8, iu8, i32) && sa && sb && shape(32, 32)) {
    HEDDLE_MFMA(__builtin_amdgcn_mfma_i32_32x32x32_i8, a.registers, b.registers);
  } else if constexpr (of_d.type == f32 && of_a.bits() == 8 && of_b.bits() == 8 && shape(16, 128)) {
    // Format 0 is E4M3 and format 1 is E5M2. The last zeros say that there are no scales.
    d.registers = __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(
        a.registers, b.registers, c.registers, of_a.type == bf8, of_b.type == bf8, 0, 0, 0, 0);
  } else if constexpr (of_d.type == f32 && of_a.bits() == 8 && of_b.bits() == 8 && shape(32, 64)) {
    d.registers = __builtin_amdgcn_mfma_scale_f32_32x32x64_f8f6f4(
        a.registers, b.registers, c.registers, of_a.type == bf8, of_b.type == bf8, 0, 0, 0, 0);
  } else
#endif
      if constexpr (is(iu8, iu8, i32) && sa && sb && shape(16, 32)) {
    HEDDLE_MFMA(__builtin_amdgcn_mfma_i32_16x16x32_i8, words(a.registers), words(b.registers));
  } else if constexpr (is(iu8, iu8, i32) && sa && sb && shape(32, 16)) {
    HEDDLE_MFMA(__builtin_amdgcn_mfma_i32_32x32x16_i8, words(a.registers), words(b.registers));
  } else if constexpr (is(fp8, fp8, f32) && shape(16, 32)) {
    HEDDLE_MFMA(__builtin_amdgcn_mfma_f32_16x16x32_fp8_fp8, words(a.registers), words(b.registers));
  } else if constexpr (is(fp8, bf8, f32) && shape(16, 32)) {
    HEDDLE_MFMA(__builtin_amdgcn_mfma_f32_16x16x32_fp8_bf8, words(a.registers), words(b.registers));
  } else if constexpr (is(bf8, fp8, f32) && shape(16, 32)) {
    HEDDLE_MFMA(__builtin_amdgcn_mfma_f32_16x16x32_bf8_fp8, words(a.registers), words(b.registers));
  } else if constexpr (is(bf8, bf8, f32) && shape(16, 32)) {
    HEDDLE_MFMA(__builtin_amdgcn_mfma_f32_16x16x32_bf8_bf8, words(a.registers), words(b.registers));
  } else if constexpr (is(fp8, fp8, f32) && shape(32, 16)) {
    HEDDLE_MFMA(__builtin_amdgcn_mfma_f32_32x32x16_fp8_fp8, words(a.registers), words(b.registers));
  } else if constexpr (is(fp8, bf8, f32) && shape(32, 16)) {
    HEDDLE_MFMA(__builtin_amdgcn_mfma_f32_32x32x16_fp8_bf8, words(a.registers), words(b.registers));
  } else if constexpr (is(bf8, fp8, f32) && shape(32, 16)) {
    HEDDLE_MFMA(__builtin_amdgcn_mfma_f32_32x32x16_bf8_fp8, words(a.registers), words(b.registers));
  } else if constexpr (is(bf8, bf8, f32) && shape(32, 16)) {
    HEDDLE_MFMA(__builtin_amdgcn_mfma_f32_32x32x16_bf8_bf8, words(a.registers), words(b.registers));
  }
#endif
#undef HEDDLE_MFMA
#elif defined(__GFX12__)
  if constexpr (is(f16, f16, f32)) {
    d.registers =
        __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a.registers, b.registers, c.registers);
  } else if constexpr (is(bf16, bf16, f32)) {
    d.registers = __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32_gfx12(
        shorts(a.registers), shorts(b.registers), c.registers);
  } else if constexpr (is(f16, f16, f16)) {
    d.registers =
        __builtin_amdgcn_wmma_f16_16x16x16_f16_w32_gfx12(a.registers, b.registers, c.registers);
  } else if constexpr (is(bf16, bf16, bf16)) {
    d.registers = detail::bits_as<Registers>(__builtin_amdgcn_wmma_bf16_16x16x16_bf16_w32_gfx12(
        shorts(a.registers), shorts(b.registers), detail::bits_as<SumShorts>(c.registers)));
  } else if constexpr (is(iu8, iu8, i32)) {
    d.registers = __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32_gfx12(sa, a.registers, sb, b.registers,
                                                                   c.registers, false);
  } else if constexpr (is(iu4, iu4, i32) && k == 16) {
    d.registers = __builtin_amdgcn_wmma_i32_16x16x16_iu4_w32_gfx12(
        sa, a.registers[0], sb, b.registers[0], c.registers, false);
  } else if constexpr (is(iu4, iu4, i32) && k == 32) {
    d.registers = __builtin_amdgcn_wmma_i32_16x16x32_iu4_w32_gfx12(sa, a.registers, sb, b.registers,
                                                                   c.registers, false);
  } else if constexpr (is(fp8, fp8, f32)) {
    d.registers =
        __builtin_amdgcn_wmma_f32_16x16x16_fp8_fp8_w32_gfx12(a.registers, b.registers, c.registers);
  } else if constexpr (is(fp8, bf8, f32)) {
    d.registers =
        __builtin_amdgcn_wmma_f32_16x16x16_fp8_bf8_w32_gfx12(a.registers, b.registers, c.registers);
  } else if constexpr (is(bf8, fp8, f32)) {
    d.registers =
        __builtin_amdgcn_wmma_f32_16x16x16_bf8_fp8_w32_gfx12(a.registers, b.registers, c.registers);
  } else if constexpr (is(bf8, bf8, f32)) {
    d.registers =
        __builtin_amdgcn_wmma_f32_16x16x16_bf8_bf8_w32_gfx12(a.registers, b.registers, c.registers);
  }
#else
  if constexpr (is(f16, f16, f32)) {
    d.registers = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a.registers, b.registers, c.registers);
  } else if constexpr (is(bf16, bf16, f32)) {
    d.registers = __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(shorts(a.registers),
                                                              shorts(b.registers), c.registers);
  } else if constexpr (is(f16, f16, f16)) {
    d.registers =
        __builtin_amdgcn_wmma_f16_16x16x16_f16_w32(a.registers, b.registers, c.registers, false);
  } else if constexpr (is(bf16, bf16, bf16)) {
    d.registers = detail::bits_as<Registers>(__builtin_amdgcn_wmma_bf16_16x16x16_bf16_w32(
        shorts(a.registers), shorts(b.registers), detail::bits_as<SumShorts>(c.registers), false));
  } else if constexpr (is(iu8, iu8, i32)) {
    d.registers = __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32(sa, a.registers, sb, b.registers,
                                                             c.registers, false);
  } else if constexpr (is(iu4, iu4, i32)) {
    d.registers = __builtin_amdgcn_wmma_i32_16x16x16_iu4_w32(sa, a.registers, sb, b.registers,
                                                             c.registers, false);
  }
#endif
  else {
    static_assert(
        of_a.bits() == 0,
        "no WMMA or MFMA multiplies these types into that accumulator: see the table at the top of "
        "heddle/device/multiply_accumulate.h");
  }
  return d;
}

/// Anything else is a mistake.
template <class A, class B, class C>
HEDDLE_DEVICE C multiply_accumulate(const A&, const B&, const C& c) {
  static_assert(sizeof(A) == 0,
                "multiply_accumulate(a, b, sum) takes a FragmentA, a FragmentB and an Accumulator, "
                "in this order and of one k; bare vectors are for the compiler's builtins");
  return c;
}

/// Adds a * b to one accumulator of a pair; the other does not change.
template <Half half, class T>
HEDDLE_DEVICE void multiply_accumulate([[maybe_unused]] const FragmentA<T>& a,
                                       [[maybe_unused]] const FragmentB<T>& b,
                                       [[maybe_unused]] AccumulatorPair<T>& c) {
#if defined(__GFX9__)
  static_assert(sizeof(T) == 0, "CDNA has no 16-bit accumulators");
#elif defined(__GFX12__)
  Accumulator<T> sum;
  sum.registers = c.registers[static_cast<int>(half)];
  c.registers[static_cast<int>(half)] = multiply_accumulate(a, b, sum).registers;
#else
  constexpr bool high = half == Half::high;
  if constexpr (element_kind<T>.type == instruction::ElementType::f16) {
    c.registers[0] = __builtin_amdgcn_wmma_f16_16x16x16_f16_tied_w32(a.registers, b.registers,
                                                                     c.registers[0], high);
  } else {
    using Shorts = Vector<short, 16>;
    c.registers[0] = detail::bits_as<bhalf16>(__builtin_amdgcn_wmma_bf16_16x16x16_bf16_tied_w32(
        detail::bits_as<Shorts>(a.registers), detail::bits_as<Shorts>(b.registers),
        detail::bits_as<Shorts>(c.registers[0]), high));
  }
#endif
}

#endif  // __HIP__

}  // namespace heddle::device
