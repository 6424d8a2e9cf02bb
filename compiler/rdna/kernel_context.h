// What the parts of the kernel builder share: the insertion point, the plan, and the few values
// that every part needs. The parts, in the order in which the kernel runs them: staging.h,
// fragments.h, result.h; kernel.cpp puts them together.
#pragma once

#include "compiler/kernel/thread_context.h"
#include "compiler/request/matmul_request.h"
#include "heddle/plan/matmul_plan.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace heddle::compiler {

/// Byte offset of an access that must not happen: no buffer reaches it, so hardware returns zero or
/// drops the store. Bytes up to 2^31 may be added to it without coming back into a buffer.
inline constexpr std::uint32_t outside = 0x80000000u;

/// A number that is known now, or that the kernel computes: a size, or the distance of two rows.
struct Extent {
  std::int64_t known = -1;
  mlir::Value value;  // i32; null where known

  bool is_known() const { return !value; }
};

struct KernelContext : ThreadContext {
  KernelContext(mlir::ImplicitLocOpBuilder& at, const MatmulRequest& the_request,
                const plan::MatmulPlan& the_plan)
      : ThreadContext{at, {}, {}}, request(the_request), plan(the_plan) {}

  const MatmulRequest& request;
  const plan::MatmulPlan& plan;
  Extent sizes[4];               // of each plan::Loop
  mlir::Value batch;             // i32: which matrix of the batch; null for the only one
  Extent depth;                  // k of this workgroup
  mlir::Value part, first_k;     // i32: which part of k it has, and where that begins; or null
  mlir::Value tile;              // i32: number of the tile of D in the grid; null without parts
  mlir::Value block_m, block_n;  // i32: first row and column of the workgroup's tile of D
  mlir::Value shared;            // memref of integers: the workgroup's LDS

  /// Elements of A and B lie in LDS as integers: moving them must not change a bit.
  mlir::Type element() const {
    return builder.getIntegerType(static_cast<unsigned>(8 * plan.problem.element_bytes()));
  }

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

  /// `offset` where `valid`, else an offset outside every buffer.
  mlir::Value or_outside(mlir::Value valid, mlir::Value offset) const {
    return mlir::arith::SelectOp::create(builder, valid, offset, constant(outside));
  }
};

/// A buffer descriptor over exactly the elements of one matrix of the batch, at the kernel argument
/// `pointer`, so that no access can leave the matrix.
mlir::Value make_buffer(const KernelContext& context, mlir::Value pointer,
                        const MatrixRecord& matrix, plan::Loop rows, plan::Loop columns);

/// The same over `bytes` bytes.
mlir::Value make_buffer(const KernelContext& context, mlir::Value pointer, std::int64_t bytes);

/// Loads or stores through a descriptor, at a byte offset (i32). Outside the buffer a load gives
/// zero and a store does nothing.
mlir::Value load_buffer(const KernelContext& context, mlir::Type type, mlir::Value buffer,
                        mlir::Value offset);
void store_buffer(const KernelContext& context, mlir::Value value, mlir::Value buffer,
                  mlir::Value offset);

/// `count` integers of LDS from element `base` + `constant`, and the reverse.
mlir::Value load_shared(const KernelContext& context, int count, mlir::Value base,
                        std::int64_t constant);
void store_shared(const KernelContext& context, mlir::Value vector, mlir::Value base,
                  std::int64_t constant);

/// Nothing moves past this place when LLVM schedules.
void keep_apart(const KernelContext& context);

}  // namespace heddle::compiler
