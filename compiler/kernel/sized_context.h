// The sizes of a product in its kernel. A size is a number known at compile time, or an argument of
// the kernel. Arithmetic on sizes builds code only for those that are not known.
#pragma once

#include <algorithm>
#include <array>

#include "compiler/kernel/thread_context.h"
#include "compiler/request/matmul_request.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace heddle::compiler {

/// A size, or a distance in memory. It is known at compile time (`known`), or is a value that the
/// kernel has (`value`).
struct Extent {
  std::int64_t known = -1;
  mlir::Value value;          // null where known
  std::int64_t multiple = 1;  // what `value` is known to be a multiple of

  bool is_known() const { return !value; }
};

/// An Axis with the numbers that the kernel has: how far one step moves, and how much further each
/// jump moves. In elements, unless stated otherwise.
struct AxisExtent {
  struct Jump {
    std::int64_t every = 1;  // times `times`
    Extent elements;
    Extent times{1, {}};
  };
  Extent step;
  std::vector<Jump> jumps;
  bool is_wide = false;

  bool is_linear() const { return jumps.empty(); }
  /// True if no jump lies inside a group of `count` consecutive indices that begins at a multiple
  /// of `count`.
  bool is_linear_in(std::int64_t count) const {
    return std::ranges::all_of(jumps, [&](const Jump& jump) { return jump.every % count == 0; });
  }
};

/// A PaddedDimension of A or B with the numbers (i32) that the kernel has. `first` is the position
/// along the dimension of row 0 at k = 0.
struct PaddingExtent {
  AxisExtent row, k;
  mlir::Value first;
  Extent size;
  std::int64_t every = 1;
};

struct SizedContext : ThreadContext {
  Extent sizes[plan::size_count];  // of each plan::Loop, and further ones

  const Extent& size(plan::Loop loop) const { return sizes[static_cast<std::size_t>(loop)]; }

  using ThreadContext::add;
  using ThreadContext::less;
  using ThreadContext::multiply;
  mlir::Value value_of(const Extent& extent) const {
    return extent.is_known() ? constant(extent.known) : extent.value;
  }
  mlir::Value add(mlir::Value x, const Extent& y) const {
    return y.is_known() ? add(x, y.known) : add(x, y.value);
  }
  mlir::Value multiply(mlir::Value x, const Extent& y) const {
    if (y.is_known()) return multiply(x, y.known);
    return mlir::arith::MulIOp::create(builder, x, y.value);
  }
  mlir::Value less(mlir::Value x, const Extent& y) const {
    if (y.is_known()) return less(x, y.known);
    return mlir::arith::CmpIOp::create(builder, mlir::arith::CmpIPredicate::ult, x, y.value);
  }
  Extent scaled(const Extent& x, std::int64_t factor) const {
    if (x.is_known()) return {x.known * factor, {}};
    if (factor == 0) return {0, {}};
    return {-1, multiply(x.value, factor)};
  }
  Extent sum(const Extent& x, const Extent& y) const {
    if (x.is_known() && y.is_known()) return {x.known + y.known, {}};
    return x.is_known() ? Extent{-1, add(y.value, x.known)} : Extent{-1, add(x.value, y)};
  }
  using ThreadContext::wide;
  Extent wide(const Extent& number) const {
    return number.is_known() ? number : Extent{-1, wide(number.value)};
  }
  mlir::Value wide_value_of(const Extent& number) const {
    if (!number.is_known()) return number.value;
    return mlir::arith::ConstantOp::create(builder, builder.getI64IntegerAttr(number.known));
  }
  /// `stride` in elements, times `factor`.
  Extent extent(const Stride& stride, std::int64_t factor = 1, bool is_wide = false) const {
    Extent result{stride.factor * factor, {}};
    for (unsigned loop = 0; loop < plan::size_count; ++loop) {
      if ((stride.sizes >> loop & 1u) == 0) continue;
      mlir::Value size = value_of(sizes[loop]);
      if (is_wide) size = wide(size);
      result = result.is_known() ? scaled({-1, size}, result.known)
                                 : Extent{-1, multiply(result.value, Extent{-1, size})};
    }
    return result;
  }
  /// x / y of unsigned numbers.
  mlir::Value divide(mlir::Value x, std::int64_t y) const {
    return y == 1 ? x : mlir::arith::DivUIOp::create(builder, x, constant(y)).getResult();
  }
  mlir::Value remainder(mlir::Value x, std::int64_t y) const {
    return y == 1 ? constant(0) : mlir::arith::RemUIOp::create(builder, x, constant(y)).getResult();
  }
  /// How many times `jump` occurs before the index `number`.
  mlir::Value count(mlir::Value number, const AxisExtent::Jump& jump) const {
    if (jump.times.is_known()) return divide(number, jump.every);
    const mlir::Value every = multiply(jump.times.value, jump.every);
    return mlir::arith::DivUIOp::create(builder, number, every);
  }
  AxisExtent extent(const Axis& axis, std::int64_t factor = 1, bool is_wide = false) const {
    AxisExtent result{extent(axis.step, factor, is_wide), {}, is_wide};
    const auto value = [&](const Extent& number) {
      return is_wide ? wide_value_of(number) : value_of(number);
    };
    for (const Jump& jump : axis.jumps) {
      const Extent forward = extent(jump.forward, factor, is_wide);
      const Extent back = extent(jump.back, factor, is_wide);
      const bool is_known = forward.is_known() && back.is_known();
      const Extent rest =
          is_known ? Extent{forward.known - back.known, {}}
                   : Extent{-1, mlir::arith::SubIOp::create(builder, value(forward), value(back))};
      result.jumps.push_back({jump.every, rest, extent(Stride{1, jump.sizes})});
    }
    return result;
  }
  /// The distance from index 0 to index `number` along `axis`. `number` has 32 bits; the result has
  /// 64 bits if the axis is wide.
  mlir::Value place(const AxisExtent& axis, mlir::Value number) const {
    const auto as_far = [&](mlir::Value count) { return axis.is_wide ? wide(count) : count; };
    mlir::Value place = multiply(as_far(number), axis.step);
    for (const AxisExtent::Jump& jump : axis.jumps)
      place = add(place, multiply(as_far(count(number, jump)), jump.elements));
    return place;
  }
  /// The pointer moved by `bytes`.
  mlir::Value further(mlir::Value pointer, mlir::Value bytes) const {
    return mlir::LLVM::GEPOp::create(builder, pointer.getType(), builder.getI8Type(), pointer,
                                     llvm::ArrayRef<mlir::LLVM::GEPArg>{bytes});
  }
  mlir::Value further(mlir::Value pointer, std::int64_t bytes) const {
    if (bytes == 0) return pointer;
    // MLIR keeps constant indices in 29 bits (GEPConstantIndex) and cuts longer ones off, so a
    // larger distance is added as a value instead.
    constexpr std::int64_t most = std::int64_t{1} << 28;
    if (bytes < -most || bytes >= most) return further(pointer, wide_value_of({bytes, {}}));
    return mlir::LLVM::GEPOp::create(
        builder, pointer.getType(), builder.getI8Type(), pointer,
        llvm::ArrayRef<mlir::LLVM::GEPArg>{static_cast<std::int32_t>(bytes)});
  }
  mlir::Value further(mlir::Value pointer, const Extent& bytes) const {
    return bytes.is_known() ? further(pointer, bytes.known) : further(pointer, bytes.value);
  }
  /// The padding of A (`is_a`; its rows are along m) or of B. `batch` is which matrix of the batch;
  /// null if there is only one.
  std::vector<PaddingExtent> padding(const MatrixRecord& matrix, bool is_a,
                                     mlir::Value batch) const {
    std::vector<PaddingExtent> all;
    for (const PaddedDimension& padded : matrix.padding) {
      mlir::Value first = constant(-padded.before);
      if (batch) first = add(first, place(extent(padded.batch), batch));
      all.push_back({extent(is_a ? padded.row : padded.column),
                     extent(is_a ? padded.column : padded.row), first, extent(padded.size),
                     padded.every});
    }
    return all;
  }
  /// i1: true if the element at `row` and `k` (i32) lies in memory, not in padding. Precondition:
  /// `padding` is not empty.
  mlir::Value is_stored(const std::vector<PaddingExtent>& padding, mlir::Value row,
                        mlir::Value k) const {
    mlir::Value all;
    for (const PaddingExtent& padded : padding) {
      const mlir::Value at = add(padded.first, add(place(padded.row, row), place(padded.k, k)));
      mlir::Value inside = less(at, padded.size);
      if (padded.every != 1)
        inside = mlir::arith::AndIOp::create(
            builder, inside,
            equal(mlir::arith::RemUIOp::create(builder, at, constant(padded.every)), 0));
      all = all ? mlir::arith::AndIOp::create(builder, all, inside).getResult() : inside;
    }
    return all;
  }
  Extent place(const AxisExtent& axis, const Extent& number) const {
    if (!number.is_known()) return {-1, place(axis, number.value)};
    Extent sum_of_all = scaled(axis.step, number.known);
    for (const AxisExtent::Jump& jump : axis.jumps) {
      if (!jump.times.is_known()) return {-1, this->place(axis, constant(number.known))};
      sum_of_all = sum(sum_of_all, scaled(jump.elements, number.known / jump.every));
    }
    return sum_of_all;
  }
};

/// Fills `context.sizes` with the sizes of `request`. For each dynamic size, in order, calls
/// `argument`, which returns the kernel's argument with this size.
inline void read_sizes(SizedContext& context, const MatmulRequest& request,
                       llvm::function_ref<mlir::Value(plan::Loop)> argument) {
  for (std::size_t i = 0; i < plan::size_count; ++i) {
    const auto loop = static_cast<plan::Loop>(i);
    context.sizes[i] = {request.problem.size(loop), {}};
    if (request.problem.is_dynamic(loop))
      context.sizes[i] = {-1, context.named(plan::size_names[i], argument(loop)),
                          request.multiples[i]};
  }
}

/// Does the same for a kernel whose arguments are the parameters of the request.
inline void read_sizes(SizedContext& context, const MatmulRequest& request,
                       mlir::gpu::GPUFuncOp function) {
  read_sizes(context, request, [&](plan::Loop loop) {
    return function.getArgument(static_cast<unsigned>(size_parameter(request, loop)));
  });
}

}  // namespace heddle::compiler
