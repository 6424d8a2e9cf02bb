// The frame of every kernel of a product: its module, parameters and matrices, the thread's
// numbers, the block's part of k, and loops that hand values from one step to the next.
#pragma once

#include <memory>
#include <vector>

#include "compiler/kernel/kernel_module.h"
#include "compiler/kernel/sized_context.h"
#include "compiler/plan/product_plan.h"
#include "compiler/request/matmul_request.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace heddle::compiler {

/// A kernel for `target`, which `fill` writes into its gpu.module. `index_bits`: Lowering's.
std::unique_ptr<KernelModule> kernel_for(
    instruction::Target target,
    llvm::function_ref<void(mlir::ImplicitLocOpBuilder&, mlir::gpu::GPUModuleOp)> fill,
    unsigned index_bits = 32);

/// The types of `parameter_roles`, then that of a workspace: !llvm.ptr<1>, and i32 for sizes.
std::vector<mlir::Type> parameter_types(mlir::Builder& builder, const MatmulRequest& request,
                                        bool has_workspace);

/// The matrices of a request in the form that a machine uses.
template <class Matrix>
struct ProductMatrices {
  Matrix a{}, b{}, d{};
  Matrix c{};                              // null where nothing is added
  std::vector<Matrix> a_extras, b_extras;  // further inputs of producers
  std::vector<Matrix> extras;              // further inputs of epilogues
  std::vector<Matrix> further;             // results besides D
};

/// Makes each matrix by `make`, from a record and the loops of its rows and columns.
template <class Matrix, class Make>
ProductMatrices<Matrix> product_matrices(const MatmulRequest& request, Make make) {
  using plan::Loop;
  ProductMatrices<Matrix> all;
  all.a = make(request.a, Loop::m, Loop::k);
  all.b = make(request.b, Loop::k, Loop::n);
  for (const MatrixRecord& extra : request.a_extras)
    all.a_extras.push_back(make(extra, Loop::m, Loop::k));
  for (const MatrixRecord& extra : request.b_extras)
    all.b_extras.push_back(make(extra, Loop::k, Loop::n));
  all.d = make(request.d, Loop::m, Loop::n);
  for (const FurtherResult& further : request.further)
    all.further.push_back(make(further.d, Loop::m, Loop::n));
  if (request.c) all.c = make(*request.c, Loop::m, Loop::n);
  for (const MatrixRecord& extra : request.extras)
    all.extras.push_back(make(extra, Loop::m, Loop::n));
  return all;
}

/// The block's part of k.
struct BlockPart {
  Extent depth;               // k of the block
  mlir::Value part, first_k;  // i32: which part of k it is, and where that begins; null: all of k
  mlir::Value tile;           // i32: number of the tile of D among all; null without parts
};

/// Part `part` (i32) of k for tile number `tile`; `plan` has several parts.
BlockPart part_of_k(const SizedContext& context, const plan::ProductPlan& plan, mlir::Value part,
                    mlir::Value tile);

/// Joins lists of values into one, and splits it again: the values that a loop hands on.
std::vector<mlir::Value> listed(std::initializer_list<const std::vector<mlir::Value>*> lists);
void spread(mlir::ValueRange all, std::initializer_list<std::vector<mlir::Value>*> lists);

/// The block's number along an axis of the grid; i32.
mlir::Value block_number(const ThreadContext& context, mlir::gpu::Dimension dimension);
/// Sets lane and warp, for warps of so many lanes.
void place_thread(ThreadContext& context, int lanes);
/// The thread's number in its block, whose warps have so many lanes; i32.
mlir::Value thread_number(const ThreadContext& context, int lanes);

/// Code for threads for which `condition` (i1) is true, and code for the others.
void run_if(const ThreadContext& context, mlir::Value condition, llvm::function_ref<void()> yes,
            llvm::function_ref<void()> no = nullptr);

using CarryOver =
    llvm::function_ref<std::vector<mlir::Value>(mlir::Value, std::vector<mlir::Value>)>;

/// for (i = from; i < to; i += step) values = body(i, values), of i32.
std::vector<mlir::Value> counted_loop(const ThreadContext& context, mlir::Value from,
                                      mlir::Value to, mlir::Value step,
                                      const std::vector<mlir::Value>& first, CarryOver body);

/// The same with a known step. LLVM would unroll short loops, and the registers that the plan
/// counted would not suffice for two steps in one.
std::vector<mlir::Value> rolled_loop(const ThreadContext& context, mlir::Value from, mlir::Value to,
                                     const std::vector<mlir::Value>& first, CarryOver body,
                                     std::int64_t step = 1);

}  // namespace heddle::compiler
