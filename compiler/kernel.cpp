// The way of one workgroup, top to bottom. Tiles of A and B travel
//
//   global memory --load--> registers --store--> LDS --load--> fragments --WMMA--> accumulators
//
// and the next tile's first step overlaps with the present tile's last two. With one buffer in LDS a
// barrier separates reading a tile from overwriting it and another separates writing from reading;
// with two buffers one barrier does both. The last tile is outside the loop, where nothing is left
// to load: a loop that loaded it would read past the matrices.
#include "compiler/kernel.h"

#include <algorithm>

#include "compiler/fragments.h"
#include "compiler/result.h"
#include "compiler/staging.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace heddle::compiler {
namespace {

using mlir::Value;

// The loop over k and what it works on.
class Product {
 public:
  Product(const KernelContext& context, Value a, Value b)
      : context_(context),
        stage_bytes_(context.plan.lds_bytes / static_cast<std::uint32_t>(context.plan.buffers)),
        a_staging_(context, context.plan.a, a, 0),
        b_staging_(context, context.plan.b, b, context.plan.a.chosen.shared.bytes()),
        a_fragments_(context, context.plan.a, 0),
        b_fragments_(context, context.plan.b, context.plan.a.chosen.shared.bytes()) {}

  // accumulators + A * B
  std::vector<Value> add_to(std::vector<Value> accumulators) {
    const plan::BlockTile& block = context_.plan.block;
    const std::int64_t steps = block.k_steps(context_.plan.problem);
    store(load(context_.constant(0)), nullptr);
    barrier();
    Value stage;  // null: the first buffer
    if (steps > 1) std::tie(accumulators, stage) = loop(accumulators, (steps - 1) * block.k);
    return multiply_tile(context_, a_fragments_, b_fragments_, accumulators, stage);
  }

 private:
  struct Loaded {
    std::vector<Value> a, b;
  };

  Loaded load(Value k) const { return {a_staging_.load(k), b_staging_.load(k)}; }
  void store(const Loaded& loaded, Value stage) const {
    a_staging_.store(loaded.a, stage);
    b_staging_.store(loaded.b, stage);
  }
  void barrier() const { mlir::amdgpu::LDSBarrierOp::create(context_.builder); }

  // All k steps but the last; returns the accumulators and the buffer that holds the last tile.
  std::pair<std::vector<Value>, Value> loop(const std::vector<Value>& accumulators,
                                            std::int64_t end) {
    mlir::ImplicitLocOpBuilder& builder = context_.builder;
    const bool two_buffers = context_.plan.buffers == 2;
    std::vector<Value> carried = accumulators;
    if (two_buffers) carried.push_back(context_.constant(0));
    const auto step = context_.plan.block.k;
    auto loop = mlir::scf::ForOp::create(builder, context_.constant(0), context_.constant(end),
                                         context_.constant(step), carried);
    const mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    std::vector<Value> inside(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
    const Value stage = two_buffers ? inside.back() : Value();
    if (two_buffers) inside.pop_back();
    const Loaded next = load(context_.add(loop.getInductionVar(), step));
    inside = multiply_tile(context_, a_fragments_, b_fragments_, inside, stage);
    if (two_buffers) {
      inside.push_back(other_stage(stage));
    } else {
      barrier();
    }
    store(next, two_buffers ? inside.back() : Value());
    barrier();
    mlir::scf::YieldOp::create(builder, inside);
    std::vector<Value> results(loop.getResults().begin(), loop.getResults().end());
    const Value last = two_buffers ? results.back() : Value();
    if (two_buffers) results.pop_back();
    return {results, last};
  }

  // The buffers begin at element 0 and at stage_bytes_ / 2.
  Value other_stage(Value stage) const {
    const Value second = context_.constant(stage_bytes_ / plan::element_bytes);
    return mlir::arith::SubIOp::create(context_.builder, second, stage);
  }

  const KernelContext& context_;
  std::uint32_t stage_bytes_;
  Staging a_staging_, b_staging_;
  Fragments a_fragments_, b_fragments_;
};

mlir::gpu::GPUFuncOp create_function(mlir::ImplicitLocOpBuilder& builder,
                                     const MatmulRequest& request, const plan::MatmulPlan& plan) {
  mlir::MLIRContext* context = builder.getContext();
  const auto pointer = mlir::LLVM::LLVMPointerType::get(context, 1);
  const std::vector<mlir::Type> arguments(parameter_roles(request).size(), pointer);
  const auto space = mlir::gpu::AddressSpaceAttr::get(context, mlir::gpu::AddressSpace::Workgroup);
  const auto shared = mlir::MemRefType::get({plan.lds_bytes / plan::element_bytes},
                                            builder.getI16Type(), mlir::AffineMap(), space);
  const auto type = mlir::FunctionType::get(context, arguments, {});
  auto function = mlir::gpu::GPUFuncOp::create(builder, request.function, type,
                                               mlir::TypeRange{shared});
  function->setAttr(mlir::gpu::GPUDialect::getKernelFuncAttrName(), builder.getUnitAttr());
  function.setKnownBlockSizeAttr(builder.getDenseI32ArrayAttr({plan.block.threads(), 1, 1}));
  return function;
}

Value as_i32(mlir::ImplicitLocOpBuilder& builder, Value index) {
  return mlir::arith::IndexCastOp::create(builder, builder.getI32Type(), index);
}

void place_thread(KernelContext& context) {
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  const plan::BlockTile& block = context.plan.block;
  const Value thread =
      as_i32(builder, mlir::gpu::ThreadIdOp::create(builder, mlir::gpu::Dimension::x));
  context.lane = mlir::arith::AndIOp::create(builder, thread, context.constant(31));
  context.warp = mlir::arith::ShRUIOp::create(builder, thread, context.constant(5));
  const Value column =
      as_i32(builder, mlir::gpu::BlockIdOp::create(builder, mlir::gpu::Dimension::x));
  const Value row =
      as_i32(builder, mlir::gpu::BlockIdOp::create(builder, mlir::gpu::Dimension::y));
  context.block_m = context.multiply(row, block.m);
  context.block_n = context.multiply(column, block.n);
}

void fill_function(mlir::ImplicitLocOpBuilder& builder, mlir::gpu::GPUFuncOp function,
                   const MatmulRequest& request, const plan::MatmulPlan& plan) {
  KernelContext context{builder, plan, {}, {}, {}, {}, function.getWorkgroupAttributions()[0]};
  const plan::Problem& problem = plan.problem;
  const std::vector<Role> roles = parameter_roles(request);
  const auto buffer = [&](Role role, std::int64_t elements, instruction::ElementType type) {
    const auto at = std::find(roles.begin(), roles.end(), role);
    if (at == roles.end()) return Value();
    return make_buffer(context, function.getArgument(static_cast<unsigned>(at - roles.begin())),
                       elements * instruction::bits(type) / 8);
  };
  const Value a = buffer(Role::a, problem.m * problem.k, problem.input);
  const Value b = buffer(Role::b, problem.k * problem.n, problem.input);
  const Value c = buffer(Role::c, problem.m * problem.n, problem.result);
  const Value d = buffer(Role::d, problem.m * problem.n, problem.result);
  place_thread(context);
  const std::vector<Value> initial = initial_accumulators(context, request.constant, c);
  const std::vector<Value> sums = Product(context, a, b).add_to(initial);
  store_result(context, sums, d ? d : c);
  mlir::gpu::ReturnOp::create(builder);
}

}  // namespace

void load_kernel_dialects(mlir::MLIRContext& context) {
  context.loadDialect<mlir::amdgpu::AMDGPUDialect, mlir::arith::ArithDialect,
                      mlir::cf::ControlFlowDialect, mlir::gpu::GPUDialect,
                      mlir::LLVM::LLVMDialect, mlir::memref::MemRefDialect,
                      mlir::ROCDL::ROCDLDialect, mlir::scf::SCFDialect,
                      mlir::vector::VectorDialect>();
}

mlir::OwningOpRef<mlir::ModuleOp> build_kernel(mlir::MLIRContext& context,
                                               const MatmulRequest& request,
                                               const plan::MatmulPlan& plan) {
  const mlir::Location location = mlir::UnknownLoc::get(&context);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(location);
  mlir::ImplicitLocOpBuilder builder(location, &context);
  builder.setInsertionPointToStart(module->getBody());
  auto gpu_module = mlir::gpu::GPUModuleOp::create(builder, "kernels");
  builder.setInsertionPointToStart(gpu_module.getBody());
  const mlir::gpu::GPUFuncOp function = create_function(builder, request, plan);
  builder.setInsertionPointToStart(&mlir::gpu::GPUFuncOp(function).getBody().front());
  fill_function(builder, function, request, plan);
  return module;
}

}  // namespace heddle::compiler
