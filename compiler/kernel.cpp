// The way of one workgroup, top to bottom. Tiles of A and B travel
//
//   global memory --load--> registers --store--> LDS --load--> fragments --WMMA--> accumulators
//
// and the next tile's first step overlaps with the present tile's last two. With one buffer in LDS
// a barrier separates reading a tile from overwriting it and another separates writing from
// reading; with two buffers one barrier does both. The last tile is multiplied outside the loop,
// where nothing is left to load; when k ends inside it, its loads are outside too, so that the loop
// needs no comparisons.
#include "compiler/kernel.h"

#include <algorithm>
#include <array>

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

// A k step is large enough. LLVM would unroll short loops, and the registers that the plan counted
// would not suffice for two steps in one.
mlir::LLVM::LoopAnnotationAttr never_unrolled(mlir::MLIRContext* context) {
  const auto unroll = mlir::LLVM::LoopUnrollAttr::get(
      context, /*disable=*/mlir::BoolAttr::get(context, true), {}, {}, {}, {}, {}, {});
  return mlir::LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, unroll, {}, {}, {}, {}, {}, {},
                                             {}, {}, {}, {}, {});
}

// Where the kernel is between two k steps: one tile in LDS, the offsets of the next.
struct Progress {
  std::vector<Value> accumulators;
  std::vector<Value> a_offsets, b_offsets;
  Value stage;  // i32: LDS element at which the tile's buffer begins; null with one buffer

  std::vector<Value> values() const {
    std::vector<Value> all = accumulators;
    all.insert(all.end(), a_offsets.begin(), a_offsets.end());
    all.insert(all.end(), b_offsets.begin(), b_offsets.end());
    if (stage) all.push_back(stage);
    return all;
  }
  // The same with other values, in the order of values().
  Progress with(mlir::ValueRange all) const {
    Progress result = *this;
    std::size_t at = 0;
    for (std::vector<Value>* part : {&result.accumulators, &result.a_offsets, &result.b_offsets}) {
      for (Value& value : *part) value = all[at++];
    }
    if (result.stage) result.stage = all[at];
    return result;
  }
};

// B's tile follows A's in LDS.
std::uint32_t bytes_of_a(const KernelContext& context) {
  return static_cast<std::uint32_t>(context.plan.a.chosen.placement.bytes);
}

// The product of the workgroup's rows of A and columns of B.
class Product {
 public:
  Product(const KernelContext& context, Value a, Value b)
      : context_(context),
        a_staging_(context, context.plan.a, a, 0),
        b_staging_(context, context.plan.b, b, bytes_of_a(context)),
        a_fragments_(context, context.plan.a, 0),
        b_fragments_(context, context.plan.b, bytes_of_a(context)) {}

  // accumulators + A * B
  std::vector<Value> add_to(const std::vector<Value>& accumulators) {
    const std::int64_t k = context_.plan.problem.k;
    const std::int64_t step = context_.plan.block.k;
    const std::int64_t steps = context_.plan.block.k_steps(context_.plan.problem);
    const bool last_is_partial = k % step != 0;
    Progress progress{accumulators, a_staging_.first(), b_staging_.first(), {}};
    if (context_.plan.buffers == 2) progress.stage = context_.constant(0);
    store(load(progress, k), progress.stage);
    barrier();
    progress.a_offsets = a_staging_.next(progress.a_offsets);
    progress.b_offsets = b_staging_.next(progress.b_offsets);
    const std::int64_t whole_steps = last_is_partial ? steps - 2 : steps - 1;
    if (whole_steps > 0) progress = loop(progress, whole_steps);
    if (last_is_partial && steps > 1) progress = advance(progress, k % step);
    return multiply(progress);
  }

 private:
  struct Loaded {
    std::vector<Value> a, b;
  };

  Loaded load(const Progress& at, std::int64_t k_left) const {
    return {a_staging_.load(at.a_offsets, k_left), b_staging_.load(at.b_offsets, k_left)};
  }
  void store(const Loaded& loaded, Value stage) const {
    a_staging_.store(loaded.a, stage);
    b_staging_.store(loaded.b, stage);
  }
  std::vector<Value> multiply(const Progress& at) const {
    return multiply_tile(context_, a_fragments_, b_fragments_, at.accumulators, at.stage);
  }
  void barrier() const { mlir::amdgpu::LDSBarrierOp::create(context_.builder); }

  // One k step: multiplies the tile in LDS and puts the next there, of which `k_left` are left.
  Progress advance(const Progress& at, std::int64_t k_left) const {
    const Loaded loaded = load(at, k_left);
    Progress next{multiply(at), a_staging_.next(at.a_offsets), b_staging_.next(at.b_offsets), {}};
    if (at.stage) {
      next.stage = other_stage(at.stage);
    } else {
      barrier();
    }
    store(loaded, next.stage);
    barrier();
    keep_apart(context_);  // steps outside the loop would be mixed, at the price of registers
    return next;
  }

  Progress loop(const Progress& first, std::int64_t steps) const {
    mlir::ImplicitLocOpBuilder& builder = context_.builder;
    auto loop = mlir::scf::ForOp::create(builder, context_.constant(0), context_.constant(steps),
                                         context_.constant(1), first.values());
    loop->setAttr("llvm.loop_annotation", never_unrolled(builder.getContext()));
    const mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    const Progress next = advance(first.with(loop.getRegionIterArgs()), context_.plan.block.k);
    mlir::scf::YieldOp::create(builder, next.values());
    return first.with(loop.getResults());
  }

  // The two buffers begin at element 0 and in the middle.
  Value other_stage(Value stage) const {
    const Value second = context_.constant(context_.plan.lds_bytes / 2 / plan::element_bytes);
    return mlir::arith::SubIOp::create(context_.builder, second, stage);
  }

  const KernelContext& context_;
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
  auto function =
      mlir::gpu::GPUFuncOp::create(builder, request.function, type, mlir::TypeRange{shared});
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
  context.lane =
      context.named("lane", mlir::arith::AndIOp::create(builder, thread, context.constant(31)));
  context.warp =
      context.named("warp", mlir::arith::ShRUIOp::create(builder, thread, context.constant(5)));
  const Value x = as_i32(builder, mlir::gpu::BlockIdOp::create(builder, mlir::gpu::Dimension::x));
  const Value y = as_i32(builder, mlir::gpu::BlockIdOp::create(builder, mlir::gpu::Dimension::y));
  const bool rows_on_x = block.rows_on_x(context.plan.problem);
  const Value row = rows_on_x ? x : y;
  const Value column = rows_on_x ? y : x;
  context.block_m = context.named("block_m", context.multiply(row, block.m));
  context.block_n = context.named("block_n", context.multiply(column, block.n));
}

// The descriptor of the matrix in `role`, or null when the kernel has no such argument.
Value buffer_of(const KernelContext& context, mlir::gpu::GPUFuncOp function,
                const MatmulRequest& request, Role role) {
  constexpr std::array<llvm::StringRef, 4> names{"a", "b", "c", "d"};
  const std::vector<Role> roles = parameter_roles(request);
  const auto at = std::find(roles.begin(), roles.end(), role);
  if (at == roles.end()) return {};
  const plan::Problem& problem = context.plan.problem;
  const bool input = role == Role::a || role == Role::b;
  const std::int64_t rows = role == Role::b ? problem.k : problem.m;
  const std::int64_t columns = role == Role::a ? problem.k : problem.n;
  const int bits = instruction::bits(input ? problem.input : problem.result);
  const llvm::StringRef name = names[static_cast<std::size_t>(role)];
  const Value pointer =
      context.named(name, function.getArgument(static_cast<unsigned>(at - roles.begin())));
  return context.named((name + "_buffer").str(),
                       make_buffer(context, pointer, rows * columns * bits / 8));
}

void fill_function(mlir::ImplicitLocOpBuilder& builder, mlir::gpu::GPUFuncOp function,
                   const MatmulRequest& request, const plan::MatmulPlan& plan) {
  KernelContext context{builder, plan, {}, {}, {}, {}, function.getWorkgroupAttributions()[0]};
  context.named("lds", context.shared);
  const Value a = buffer_of(context, function, request, Role::a);
  const Value b = buffer_of(context, function, request, Role::b);
  const Value c = buffer_of(context, function, request, Role::c);
  const Value d = buffer_of(context, function, request, Role::d);
  place_thread(context);
  const std::vector<Value> initial = initial_accumulators(context, request.constant.value_or(0.0));
  const std::vector<Value> sums = Product(context, a, b).add_to(initial);
  store_result(context, sums, c, d ? d : c);
  mlir::gpu::ReturnOp::create(builder);
}

}  // namespace

void load_kernel_dialects(mlir::MLIRContext& context) {
  context.loadDialect<mlir::amdgpu::AMDGPUDialect, mlir::arith::ArithDialect,
                      mlir::cf::ControlFlowDialect, mlir::gpu::GPUDialect, mlir::LLVM::LLVMDialect,
                      mlir::memref::MemRefDialect, mlir::ROCDL::ROCDLDialect, mlir::scf::SCFDialect,
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
