// What all kernels of products have in common: the module, parameters and matrices, the numbers of
// the thread, the part of k that the thread block computes, and loops that carry values from one
// iteration to the next.
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

/// Makes a module for `target`; `fill` builds the kernel in its gpu.module. `index_bits`: see
/// Lowering.
std::unique_ptr<KernelModule> kernel_for(
    instruction::Target target,
    llvm::function_ref<void(mlir::ImplicitLocOpBuilder&, mlir::gpu::GPUModuleOp)> fill,
    unsigned index_bits = 32);

/// The types of the kernel's parameters, in the order of `parameter_roles`: !llvm.ptr<1> for
/// matrices and i32 for sizes. If the kernel has a workspace, a pointer to it follows.
std::vector<mlir::Type> parameter_types(mlir::Builder& builder, const MatmulRequest& request,
                                        bool has_workspace);

/// All matrices of a request, each as a `Matrix`: the type with which the kernels of a processor
/// describe a matrix.
template <class Matrix>
struct ProductMatrices {
  Matrix a{}, b{}, d{};
  Matrix c{};                              // null where nothing is added
  std::vector<Matrix> a_extras, b_extras;  // further inputs of producers
  std::vector<Matrix> extras;              // further inputs of epilogues
  std::vector<Matrix> further;             // results besides D
};

/// Calls `make` for each matrix of the request, with its record and the loops of its rows and
/// columns.
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

/// Where part number `part` (i32) of k begins and how long it is, for tile number `tile` of D.
/// Precondition: the plan splits k.
BlockPart part_of_k(const SizedContext& context, const plan::ProductPlan& plan, mlir::Value part,
                    mlir::Value tile);

/// `listed` joins several lists of values to one, because a loop carries its values as one list.
/// `spread` splits such a list again; the lists already have the right lengths.
std::vector<mlir::Value> listed(std::initializer_list<const std::vector<mlir::Value>*> lists);
void spread(mlir::ValueRange all, std::initializer_list<std::vector<mlir::Value>*> lists);

/// The block's number along an axis of the grid; i32.
mlir::Value block_number(const ThreadContext& context, mlir::gpu::Dimension dimension);
/// Sets lane and warp, for warps of `lanes` lanes.
void place_thread(ThreadContext& context, int lanes);
/// The number of the thread in its thread block (i32). Warps have `lanes` lanes.
mlir::Value thread_number(const ThreadContext& context, int lanes);

/// Builds a branch: `yes` builds the code for threads in which `condition` (i1) is true, `no` the
/// code for all other threads.
void run_if(const ThreadContext& context, mlir::Value condition, llvm::function_ref<void()> yes,
            llvm::function_ref<void()> no = nullptr);

using CarryOver =
    llvm::function_ref<std::vector<mlir::Value>(mlir::Value, std::vector<mlir::Value>)>;

/// Builds a loop, and returns the values after it: for (i = from; i < to; i += step) values =
/// body(i, values). `values` are `first` before the loop. The numbers are i32.
std::vector<mlir::Value> counted_loop(const ThreadContext& context, mlir::Value from,
                                      mlir::Value to, mlir::Value step,
                                      const std::vector<mlir::Value>& first, CarryOver body);

/// The same loop with a constant step, marked so that LLVM does not unroll it. LLVM would unroll
/// short loops, but the plan has counted the registers for one iteration, and they would not
/// suffice for two at once.
std::vector<mlir::Value> rolled_loop(const ThreadContext& context, mlir::Value from, mlir::Value to,
                                     const std::vector<mlir::Value>& first, CarryOver body,
                                     std::int64_t step = 1);

}  // namespace heddle::compiler
