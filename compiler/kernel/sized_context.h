// The sizes of a product in its kernel: numbers that are known now, or arguments; and arithmetic on
// both that folds what is known.
#pragma once

#include <array>

#include "compiler/kernel/thread_context.h"
#include "compiler/request/matmul_request.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace heddle::compiler {

/// A number that is known now, or that the kernel computes: a size, or the distance of two rows.
struct Extent {
  std::int64_t known = -1;
  mlir::Value value;  // i32 where nothing else is said; null where known

  bool is_known() const { return !value; }
};

struct SizedContext : ThreadContext {
  Extent sizes[4];  // of each plan::Loop

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
  /// `stride` in elements.
  Extent extent(const Stride& stride) const {
    Extent result{stride.factor, {}};
    for (unsigned loop = 0; loop < 4; ++loop) {
      if ((stride.sizes >> loop & 1u) == 0) continue;
      const mlir::Value size = value_of(sizes[loop]);
      result = result.is_known() ? scaled({-1, size}, result.known)
                                 : Extent{-1, multiply(result.value, Extent{-1, size})};
    }
    return result;
  }
};

/// Fills `context.sizes` with the numbers of `request` and the arguments of `function`.
inline void read_sizes(SizedContext& context, const MatmulRequest& request,
                       mlir::gpu::GPUFuncOp function) {
  constexpr std::array<llvm::StringRef, 4> names{"m", "n", "k", "batches"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto loop = static_cast<plan::Loop>(i);
    context.sizes[i] = {request.problem.size(loop), {}};
    if (!request.problem.is_dynamic(loop)) continue;
    const auto argument = static_cast<unsigned>(size_parameter(request, loop));
    context.sizes[i] = {-1, context.named(names[i], function.getArgument(argument))};
  }
}

}  // namespace heddle::compiler
