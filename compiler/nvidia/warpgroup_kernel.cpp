// The wgmma kernel. A thread block has a producer, which copies tiles, and consumers, which are
// warpgroups that multiply. All of them go through the same tiles in the same order:
//
//   the producer's thread   waits for an empty stage, has A's and B's tile copied there
//   a consumer              waits for a full stage, multiplies, tells the producers of the cluster
//                           that it has read the stage; after the last stage, writes its rows of D
//                           through shared memory
//
// If k is split, only the thread block that finishes a tile last writes it, with the sums that the
// other blocks have left in memory.
//
// Each stage has two mbarriers, full and empty, for which producer and consumers wait
// (stage_ring.h). The phase of a barrier flips each time the ring of stages begins again.
#include <bit>
#include <optional>

#include "compiler/kernel/product_frame.h"
#include "compiler/kernel/product_kernel.h"
#include "compiler/nvidia/copies.h"
#include "compiler/nvidia/stage_ring.h"
#include "compiler/nvidia/sum_scales.h"
#include "compiler/nvidia/tile_order.h"
#include "compiler/nvidia/warpgroup_context.h"
#include "compiler/nvidia/warpgroup_frame.h"
#include "compiler/nvidia/warpgroup_product.h"
#include "compiler/nvidia/warpgroup_result.h"
#include "compiler/request/transposed.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace heddle::compiler {
namespace {

using instruction::Operand;
using mlir::Value;

// The kernel's parameters in their order.
struct Parameters {
  MappedMatrix a, b;
  ResultArguments result;
};

mlir::LLVM::LLVMFuncOp create_function(mlir::ImplicitLocOpBuilder& builder,
                                       const MatmulRequest& request,
                                       const plan::WarpgroupPlan& plan) {
  mlir::MLIRContext* context = builder.getContext();
  const unsigned maps = plan.result_is_mapped ? 3 : 2;
  std::vector<mlir::Type> others(3 - maps + (request.c ? 1 : 0) + request.extras.size() +
                                     request.further.size() + request.a_extras.size() +
                                     request.b_extras.size(),
                                 mlir::LLVM::LLVMPointerType::get(context, 1));
  others.resize(others.size() + static_cast<std::size_t>(std::popcount(plan.problem.dynamic)),
                builder.getI32Type());
  if (plan.split_k > 1) others.push_back(mlir::LLVM::LLVMPointerType::get(context, 1));
  auto function = warpgroup_function(builder, request.function, maps, others, plan.threads());
  if (plan.cluster() > 1) {
    function->setAttr(mlir::NVVM::NVVMDialect::getClusterDimAttrName(),
                      builder.getDenseI32ArrayAttr({plan.cluster(), 1, 1}));
  }
  return function;
}

class WarpgroupKernel {
 public:
  WarpgroupKernel(mlir::ImplicitLocOpBuilder& builder, const plan::WarpgroupPlan& plan,
                  mlir::gpu::GPUModuleOp module, mlir::LLVM::LLVMFuncOp function,
                  const MatmulRequest& request, const ScaledSums* scales)
      : context_(builder, plan), request_(request) {
    context_.shared = context_.named("shared", dynamic_shared_memory(builder, module));
    unsigned next = 0;
    const auto mapped = [&](Operand operand) {
      std::string unused;
      return MappedMatrix{function.getArgument(next++),
                          map_dimensions(request, plan, operand, unused).value()};
    };
    parameters_.a = mapped(Operand::a);
    parameters_.b = mapped(Operand::b);
    if (plan.result_is_mapped) {
      parameters_.result.map = mapped(Operand::d);
    } else {
      parameters_.result.d = function.getArgument(next++);
    }
    if (request.c) parameters_.result.c = function.getArgument(next++);
    for (std::size_t i = 0; i < request.extras.size(); ++i)
      parameters_.result.extras.push_back(function.getArgument(next++));
    for (std::size_t i = 0; i < request.further.size(); ++i)
      parameters_.result.further.push_back(function.getArgument(next++));
    Value of_a, of_b;
    if (!request.a_extras.empty()) of_a = function.getArgument(next++);
    if (!request.b_extras.empty()) of_b = function.getArgument(next++);
    read_sizes(context_, request, [&](plan::Loop) { return function.getArgument(next++); });
    if (plan.split_k > 1) parameters_.result.workspace = function.getArgument(next++);
    place_thread();
    if (scales != nullptr) scales_.emplace(context_, *scales, of_a, of_b);
  }

  void write() {
    prepare();
    run_if(context_, context_.equal(context_.warpgroup, 0), [&] { produce(); }, [&] { consume(); });
    // A thread block must not end while another one of its cluster still signals its barriers or
    // copies to its shared memory.
    if (context_.plan.cluster() > 1) synchronise();
    mlir::LLVM::ReturnOp::create(context_.builder, mlir::ValueRange());
  }

 private:
  void place_thread() {
    place_warpgroup(context_);
    const plan::WarpgroupPlan& plan = context_.plan;
    context_.rank = context_.constant(0);
    if (plan.cluster() > 1)
      context_.rank =
          mlir::NVVM::ClusterId::create(context_.builder, context_.builder.getI32Type());
    context_.part = cluster_place(context_).part;
  }

  void prepare() {
    const Value thread = context_.add(context_.multiply(context_.warp, 32), context_.lane);
    const Value index = context_.add(thread, context_.multiply(context_.warpgroup, 128));
    run_if(context_, context_.equal(index, 0), [&] {
      StageRing(context_).initialise(scales_ ? scales_->arrivals() : 0);
      for (const Value map : {parameters_.a.map, parameters_.b.map, parameters_.result.map.map})
        if (map) prefetch_map(context_, map);
    });
    synchronise();
  }

  // Makes all threads of the cluster (or, without a cluster, of the thread block) wait for each
  // other. The warps are synchronised first: an aligned barrier needs all threads of a warp at
  // once, but the first thread may still be in code that it runs alone.
  void synchronise() {
    mlir::ImplicitLocOpBuilder& builder = context_.builder;
    context_.synchronise_warp();
    if (context_.plan.cluster() > 1) {
      mlir::NVVM::ClusterArriveOp::create(builder, builder.getUnitAttr());
      mlir::NVVM::ClusterWaitOp::create(builder, builder.getUnitAttr());
    } else {
      mlir::NVVM::BarrierOp::create(builder);
    }
  }

  void produce() {
    give_registers(context_, context_.plan.producer_registers);
    const Value thread = context_.add(context_.multiply(context_.warp, 32), context_.lane);
    const StageRing ring(context_);
    run_if(context_, context_.equal(thread, 0), [&] {
      const Copies copies(context_, parameters_.a, parameters_.b);
      for_each_empty_stage(
          ring, [&](const BlockTile& tile, Value step, const std::vector<Value>& position) {
            ring.expect(position, context_.constant(context_.plan.copied_bytes()));
            copies.start(tile, step, ring.stage(position), ring.full(position));
          });
    });
    if (!scales_) return;
    run_if(context_, context_.equal(context_.warp, 1), [&] {
      for_each_empty_stage(
          ring, [&](const BlockTile& tile, Value step, const std::vector<Value>& position) {
            scales_->copy(tile, step, ring, position);
          });
    });
  }

  // Builds a loop over all tiles of the thread block, in order, and over the steps along k of each
  // tile. For each step it waits until the next stage of the ring is empty, and then runs `fill`.
  void for_each_empty_stage(
      const StageRing& ring,
      llvm::function_ref<void(const BlockTile&, Value step, const std::vector<Value>& position)>
          fill) {
    for_each_tile(context_, ring.first(), [&](const BlockTile& tile, const std::vector<Value>& at) {
      return for_each_step(at, [&](Value step, const std::vector<Value>& position) {
        ring.wait_empty(position);
        fill(tile, context_.add(step, first_step()), position);
        return ring.next(position);
      });
    });
  }

  void consume() {
    take_registers(context_, context_.plan.consumer_registers);
    const StageRing ring(context_);
    const WarpgroupProduct product(context_);
    WarpgroupResult result(context_, request_, parameters_.result);
    for_each_tile(context_, ring.first(), [&](const BlockTile& tile, std::vector<Value> at) {
      if (context_.plan.promotes()) {
        const Value sums = promoted(ring, product, at);
        result.store(tile, sums);
        return at;
      }
      std::vector<Value> carried = at;
      carried.push_back(product.nothing());
      carried = for_each_step(carried, [&](Value step, std::vector<Value> values) {
        const std::vector<Value> position(values.begin(), values.end() - 1);
        ring.wait_full(position);
        const Value sums = product.add(step, ring.stage(position), values.back());
        product.wait(context_.plan.in_flight);
        if (context_.plan.in_flight == 0) {
          ring.release(position);
        } else {
          // wgmma has now read the stage of the step before.
          run_if(context_, context_.differs(step, 0),
                 [&] { ring.release(ring.previous(position)); });
        }
        std::vector<Value> next = ring.next(position);
        next.push_back(sums);
        return next;
      });
      const Value sums = product.finished(carried.back());
      carried.pop_back();
      if (context_.plan.in_flight > 0) if_any_step([&] { ring.release(ring.previous(carried)); });
      result.store(tile, sums);
      return carried;
    });
    result.finish();
  }

  // Computes the sums of a tile, beginning at position `at` of the ring; moves `at` behind the
  // tile's stages. wgmma only adds the products of one step along k; then the sums of the step are
  // added to those of the earlier steps in f32. While this consumer adds, the other consumers keep
  // the tensor cores busy.
  Value promoted(const StageRing& ring, const WarpgroupProduct& product, std::vector<Value>& at) {
    at.push_back(product.zero());
    at = for_each_step(at, [&](Value, const std::vector<Value>& values) {
      const std::vector<Value> position(values.begin(), values.end() - 1);
      ring.wait_full(position);
      const Value begun =
          product.add(context_.constant(0), ring.stage(position), product.nothing());
      std::vector<Value> factors;
      if (scales_) factors = scales_->factors(position);
      const Value of_step = product.finished(begun);
      if (scales_) context_.synchronise_warp();  // all lanes have read theirs
      ring.release(position);
      std::vector<Value> next = ring.next(position);
      next.push_back(scales_ ? product.scaled_sum(values.back(), of_step, factors)
                             : product.sum(values.back(), of_step));
      return next;
    });
    const Value sums = at.back();
    at.pop_back();
    return sums;
  }

  // Runs `release` if there is a stage to release. There is none if k is 0, which is possible if k
  // is not known at compile time.
  void if_any_step(llvm::function_ref<void()> release) {
    const Extent& k = context_.size(plan::Loop::k);
    if (k.is_known()) return release();
    run_if(context_, context_.differs(k.value, 0), release);
  }

  // The first k step of the block's part.
  Value first_step() const {
    const plan::WarpgroupPlan& plan = context_.plan;
    if (plan.split_k == 1) return context_.constant(0);
    return context_.divide(context_.multiply(context_.part, plan.k_steps()), plan.split_k);
  }

  // Builds a loop over the steps along k that the thread block computes for a tile. The values are
  // `first` before the first step; afterwards they are what `step` returned for the step before.
  std::vector<Value> for_each_step(
      const std::vector<Value>& first,
      llvm::function_ref<std::vector<Value>(Value, std::vector<Value>)> step) {
    const Extent steps = pieces(context_, context_.size(plan::Loop::k), context_.plan.block_k);
    Value count = context_.value_of(steps);
    if (context_.plan.split_k > 1) {
      const Value end = context_.multiply(context_.add(context_.part, 1), context_.plan.k_steps());
      count = mlir::arith::SubIOp::create(
          context_.builder, context_.divide(end, context_.plan.split_k), first_step());
    }
    return counted_loop(context_, context_.constant(0), count, context_.constant(1), first, step);
  }

  WarpgroupContext context_;
  const MatmulRequest& request_;
  Parameters parameters_;
  std::optional<SumScales> scales_;
};

}  // namespace

std::unique_ptr<KernelModule> product_kernel(const MatmulRequest& given,
                                             const plan::WarpgroupPlan& plan) {
  std::optional<ScaledSums> scales;
  if (plan.problem.scaled_columns != 0) scales = scaled_sums(given);
  const MatmulRequest& as_read = scales ? scales->request : given;
  const MatmulRequest request = plan.is_transposed ? transposed(as_read) : as_read;
  return kernel_for(instruction::Target::sm_90a, [&](mlir::ImplicitLocOpBuilder& builder,
                                                     mlir::gpu::GPUModuleOp kernels) {
    mlir::LLVM::LLVMFuncOp function = create_function(builder, request, plan);
    builder.setInsertionPointToStart(function.addEntryBlock(builder));
    WarpgroupKernel(builder, plan, kernels, function, request, scales ? &*scales : nullptr).write();
  });
}

}  // namespace heddle::compiler
