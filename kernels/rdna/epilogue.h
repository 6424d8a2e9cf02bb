// From the sums in registers to D = activation(alpha * A * B + beta * C + bias) in memory.
//
// A wave takes its sums through its own part of LDS, one row of tiles at a time: the lanes of an
// accumulator hold columns, while memory wants rows. What follows is a rolled loop over groups of
// four neighbouring columns, so that loads of C and stores of D are wide, and the arithmetic of the
// epilogue is there once for each row of tiles.
#pragma once

#include <type_traits>

#include "kernels/rdna/gemm_arguments.h"
#include "kernels/rdna/slab.h"

namespace heddle::kernels::rdna {

#if defined(__HIP__)

/// Four neighbours at any address an element may have.
template <class T>
using UnalignedFour = device::Unaligned<device::Vector<T, 4>, T>;

HEDDLE_DEVICE inline float sigmoid(float x) { return 1.0f / (1.0f + __builtin_expf(-x)); }

/// Takes and gives f32. The switch is over a scalar: no lane diverges.
HEDDLE_DEVICE inline float activated(Activation activation, float x) {
  switch (activation) {
    case Activation::none:
      return x;
    case Activation::relu:
      return x < 0 ? 0.0f : x;  // a NaN stays one
    case Activation::gelu:
      // (1 + tanh(u)) / 2 is sigmoid(2 u), with 2 sqrt(2 / pi) = 1.5957691...
      return x * sigmoid(x * (1.5957691216057308f + 0.07135481282553446f * x * x));
    case Activation::silu:
      return x * sigmoid(x);
    case Activation::sigmoid:
      return sigmoid(x);
  }
  return x;
}

HEDDLE_DEVICE inline std::int32_t activated(Activation activation, std::int32_t x) {
  return activation == Activation::relu && x < 0 ? 0 : x;
}

/// One block's way out. C, bias and D have elements of f32, or of `Second` if the arguments say so.
/// Arithmetic is f32; where Second is i32 it is i32, modulo 2^32, with the integer parts of alpha
/// and beta.
template <class Sum, class Second>
struct Epilogue {
  const void* c;
  const void* bias;
  void* d;
  GemmArguments arguments;

  using Sums = device::Vector<Sum, 4>;

  /// Four neighbours of a row of D from their sums. Nothing outside D is touched.
  HEDDLE_DEVICE void store(unsigned row, unsigned column, const Sums& sums) const {
    if (row >= arguments.m || column >= arguments.n) return;
    if (arguments.has_second_result)
      store_as<Second>(row, column, sums);
    else
      store_as<float>(row, column, sums);
  }

 private:
  template <class Result>
  HEDDLE_DEVICE void store_as(unsigned row, unsigned column, const Sums& sums) const {
    const auto* const from =
        static_cast<const Result*>(c) + std::uint64_t{row} * arguments.c_stride + column;
    const auto* const offsets = static_cast<const Result*>(bias) + column;
    auto* const to = static_cast<Result*>(d) + std::uint64_t{row} * arguments.d_stride + column;
    const bool adds_c = arguments.beta != 0;
    if (column + 4 <= arguments.n) {
      device::Vector<Result, 4> add{}, offset{}, result;
      if (adds_c) add = *reinterpret_cast<const UnalignedFour<Result>*>(from);
      if (arguments.has_bias) offset = *reinterpret_cast<const UnalignedFour<Result>*>(offsets);
#pragma unroll
      for (int i = 0; i < 4; ++i) result[i] = value<Result>(sums[i], add[i], offset[i]);
      *reinterpret_cast<UnalignedFour<Result>*>(to) = result;
      return;
    }
#pragma unroll
    for (unsigned i = 0; i < 3; ++i)
      if (column + i < arguments.n)
        to[i] = value<Result>(sums[i], adds_c ? from[i] : Result{},
                              arguments.has_bias ? offsets[i] : Result{});
  }

  template <class Result>
  HEDDLE_DEVICE Result value(Sum sum, Result add, Result offset) const {
    using Number = std::conditional_t<std::is_same_v<Result, std::int32_t>, std::int32_t, float>;
    const Number x = static_cast<Number>(arguments.alpha) * static_cast<Number>(sum) +
                     static_cast<Number>(arguments.beta) * static_cast<Number>(add) +
                     static_cast<Number>(offset);
    return static_cast<Result>(activated(arguments.activation, x));
  }
};

#endif  // __HIP__

}  // namespace heddle::kernels::rdna
