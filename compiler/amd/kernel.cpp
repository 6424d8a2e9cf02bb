// The way of one workgroup, top to bottom. Tiles of A and B travel
//
//   global memory --load--> registers --store--> LDS --load--> fragments --WMMA, MFMA-->
//   accumulators
//
// and the next tile's first step overlaps with the present tile's last two. With one buffer in LDS
// a barrier separates reading a tile from overwriting it and another separates writing from
// reading; with two buffers one barrier does both. The last tile is multiplied outside the loop,
// where nothing is left to load; when k ends inside it, its loads are outside too, so that the loop
// needs no comparisons. Scales of blocks of k, where the instruction reads them, are loaded with
// their tile, into the registers that it reads them from. Where tiles go straight to LDS instead,
// copied_product.h has the loop.
#include <bit>
#include <optional>

#include "compiler/amd/copied_product.h"
#include "compiler/amd/fragments.h"
#include "compiler/amd/result.h"
#include "compiler/amd/scales.h"
#include "compiler/amd/staging.h"
#include "compiler/kernel/parts.h"
#include "compiler/kernel/product_kernel.h"
#include "compiler/request/block_scales.h"
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

// Where the kernel is between two k steps: one tile in LDS, the offsets of the next.
struct Progress {
  std::vector<Value> accumulators;
  std::vector<Value> a_offsets, b_offsets;
  std::vector<Value> stage;  // i32: LDS element at which the tile's buffer begins; none with one
  // Of the tile in LDS, and the k (i32) of the next: none where the instruction reads none.
  std::vector<Value> scales, scale_k;

  std::vector<Value> values() const {
    return listed({&accumulators, &a_offsets, &b_offsets, &stage, &scales, &scale_k});
  }
  // The same with other values, in the order of values().
  Progress with(mlir::ValueRange all) const {
    Progress result = *this;
    spread(all, {&result.accumulators, &result.a_offsets, &result.b_offsets, &result.stage,
                 &result.scales, &result.scale_k});
    return result;
  }
  // Null with one buffer.
  Value buffer() const { return stage.empty() ? Value() : stage[0]; }
};

// The product of the workgroup's rows of A and columns of B.
class Product {
 public:
  Product(const KernelContext& context, const Buffers& buffers)
      : context_(context),
        has_scales_(context.plan.problem.has_scales),
        a_staging_(context, context.plan.a, buffers.a, staged(buffers.a_extras), 0),
        b_staging_(context, context.plan.b, buffers.b, staged(buffers.b_extras),
                   context.plan.b_start()),
        a_fragments_(context, context.plan.a, 0),
        b_fragments_(context, context.plan.b, context.plan.b_start()) {
    if (!has_scales_) return;
    scales_.emplace_back(context, context.plan.a, buffers.a_extras);
    scales_.emplace_back(context, context.plan.b, buffers.b_extras);
  }

  // accumulators + A * B
  std::vector<Value> add_to(const std::vector<Value>& accumulators) {
    const Extent& k = context_.part.depth;
    Progress progress{accumulators, a_staging_.first(), b_staging_.first(), {}, {}, {}};
    if (context_.plan.tiles.stages == 2) progress.stage = {context_.constant(0)};
    const Value first_k = context_.part.first_k;
    if (has_scales_) progress.scale_k = {first_k ? first_k : context_.constant(0)};
    const Loaded loaded = load(progress, k);
    store(loaded, progress.buffer(), k);
    barrier();
    progress = past_load(progress, loaded);
    return multiply(k.is_known() ? all_but_last(progress) : all_but_last(progress, k.value));
  }

 private:
  struct Loaded {
    std::vector<Value> a, b, scales;
  };

  // What producers read beside the elements: nothing where instructions do.
  std::vector<Value> staged(const std::vector<Value>& extras) const {
    return has_scales_ ? std::vector<Value>() : extras;
  }

  using MaybeExtent = std::optional<Extent>;  // absent: at least a whole tile

  Loaded load(const Progress& at, const MaybeExtent& k_left) const {
    Loaded loaded{a_staging_.load(at.a_offsets, k_left), b_staging_.load(at.b_offsets, k_left), {}};
    for (const Scales& scales : scales_) {
      const std::vector<Value> more = scales.load(at.scale_k[0], k_left);
      loaded.scales.insert(loaded.scales.end(), more.begin(), more.end());
    }
    return loaded;
  }
  // Where the next tile is, after one was loaded.
  Progress past_load(const Progress& at, const Loaded& loaded) const {
    Progress next = at;
    next.a_offsets = a_staging_.next(at.a_offsets);
    next.b_offsets = b_staging_.next(at.b_offsets);
    next.scales = loaded.scales;
    for (Value& k : next.scale_k) k = context_.add(k, context_.plan.tiles.k);
    return next;
  }
  void store(const Loaded& loaded, Value stage, const MaybeExtent& k_left) const {
    a_staging_.store(loaded.a, stage, k_left);
    b_staging_.store(loaded.b, stage, k_left);
  }
  std::vector<Value> multiply(const Progress& at) const {
    return multiply_tile(context_, a_fragments_, b_fragments_, at.accumulators, at.buffer(),
                         at.scales);
  }
  void barrier() const { mlir::amdgpu::LDSBarrierOp::create(context_.builder); }

  // The steps until the last tile lies in LDS.
  Progress all_but_last(Progress progress) const {
    const std::int64_t k = context_.part.depth.known;
    const std::int64_t step = context_.plan.tiles.k;
    const std::int64_t steps = (k + step - 1) / step;
    const bool last_is_partial = k % step != 0;
    const std::int64_t whole_steps = last_is_partial ? steps - 2 : steps - 1;
    if (whole_steps > 0) progress = loop(progress, context_.constant(whole_steps));
    if (last_is_partial && steps > 1) progress = advance(progress, Extent{k % step, {}});
    return progress;
  }

  // The same where only the kernel knows k.
  Progress all_but_last(Progress progress, Value k) const {
    mlir::ImplicitLocOpBuilder& builder = context_.builder;
    const auto shift = std::countr_zero(static_cast<unsigned>(context_.plan.tiles.k));
    const Value whole = mlir::arith::ShRUIOp::create(builder, k, context_.constant(shift));
    const Value rest =
        mlir::arith::AndIOp::create(builder, k, context_.constant(context_.plan.tiles.k - 1));
    // The first tile is there already: the loop loads the other whole ones.
    progress = loop(progress, context_.add(whole, -1));
    const Value needed =
        mlir::arith::AndIOp::create(builder, context_.differs(rest, 0), context_.differs(whole, 0));
    const std::vector<Value> before = progress.values();
    auto branch = mlir::scf::IfOp::create(builder, mlir::ValueRange(before).getTypes(), needed,
                                          /*addThenBlock=*/true, /*addElseBlock=*/true);
    const mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    mlir::scf::YieldOp::create(builder, advance(progress, Extent{-1, rest}).values());
    builder.setInsertionPointToStart(branch.elseBlock());
    mlir::scf::YieldOp::create(builder, before);
    return progress.with(branch.getResults());
  }

  // One k step: multiplies the tile in LDS and puts the next there, of which `k_left` are left.
  Progress advance(const Progress& at, const MaybeExtent& k_left) const {
    const Loaded loaded = load(at, k_left);
    std::vector<Value> sums = multiply(at);
    Progress next = past_load(at, loaded);
    next.accumulators = std::move(sums);
    if (at.stage.empty()) {
      barrier();
    } else {
      next.stage = {other_stage(at.stage[0])};
    }
    store(loaded, next.buffer(), k_left);
    barrier();
    keep_apart(context_);  // steps outside the loop would be mixed, at the price of registers
    return next;
  }

  Progress loop(const Progress& first, Value steps) const {
    return first.with(rolled_loop(context_, context_.constant(0), steps, first.values(),
                                  [&](Value, const std::vector<Value>& values) {
                                    return advance(first.with(values), std::nullopt).values();
                                  }));
  }

  // The two buffers begin at element 0 and in the middle.
  Value other_stage(Value stage) const {
    const Value second = context_.constant(context_.plan.lds_elements() / 2);
    return mlir::arith::SubIOp::create(context_.builder, second, stage);
  }

  const KernelContext& context_;
  bool has_scales_;
  Staging a_staging_, b_staging_;
  Fragments a_fragments_, b_fragments_;
  std::vector<Scales> scales_;  // of A and of B
};

mlir::gpu::GPUFuncOp create_function(mlir::ImplicitLocOpBuilder& builder,
                                     const MatmulRequest& request, const plan::MatmulPlan& plan) {
  mlir::MLIRContext* context = builder.getContext();
  const auto space = mlir::gpu::AddressSpaceAttr::get(context, mlir::gpu::AddressSpace::Workgroup);
  const unsigned bits = static_cast<unsigned>(8 * plan.problem.element_bytes());
  const auto shared = mlir::MemRefType::get({plan.lds_elements()}, builder.getIntegerType(bits),
                                            mlir::AffineMap(), space);
  const auto type = mlir::FunctionType::get(
      context, parameter_types(builder, request, plan.tiles.split_k > 1), {});
  auto function =
      mlir::gpu::GPUFuncOp::create(builder, request.function, type, mlir::TypeRange{shared});
  function->setAttr(mlir::gpu::GPUDialect::getKernelFuncAttrName(), builder.getUnitAttr());
  function.setKnownBlockSizeAttr(builder.getDenseI32ArrayAttr({plan.tiles.threads(), 1, 1}));
  return function;
}

// The workgroup's numbers along x and y of the grid in the order in which the dies of the GPU are
// to have tiles (plan::tile_on_dies).
std::pair<Value, Value> dealt_out(const KernelContext& context, Value x, Value y) {
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  const plan::MatmulPlan& plan = context.plan;
  const std::int64_t dies = plan.dies, count = plan.blocks_m() * plan.blocks_n();
  if (dies == 1) return {x, y};
  const std::int64_t width =
      plan::rows_on_x(plan.tiles, plan.problem) ? plan.blocks_m() : plan.blocks_n();
  const auto rest_of = [&](Value number, std::int64_t by) -> Value {
    return mlir::arith::RemUIOp::create(builder, number, context.constant(by));
  };
  const Value number = context.add(context.multiply(y, width), x);
  const Value die = rest_of(number, dies);
  Value tile = context.add(context.multiply(die, count / dies), context.divide(number, dies));
  if (count % dies != 0)
    tile = context.add(tile,
                       mlir::arith::MinUIOp::create(builder, die, context.constant(count % dies)));
  return {rest_of(tile, width), context.divide(tile, width)};
}

// Which tile of D, of which matrix, and which part of k the workgroup has.
void place_workgroup(KernelContext& context) {
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  const plan::Tiling& block = context.plan.tiles;
  const auto [x, y] = dealt_out(context, block_number(context, mlir::gpu::Dimension::x),
                                block_number(context, mlir::gpu::Dimension::y));
  const bool rows_on_x = plan::rows_on_x(block, context.plan.problem);
  const Value row = rows_on_x ? x : y;
  const Value column = rows_on_x ? y : x;
  context.block_m = context.named("block_m", context.multiply(row, std::int64_t{block.m}));
  context.block_n = context.named("block_n", context.multiply(column, std::int64_t{block.n}));
  const plan::Problem& problem = context.plan.problem;
  const bool has_batch = problem.batch != 1 || problem.is_dynamic(plan::Loop::batch);
  const int splits = context.plan.tiles.split_k;
  context.part.depth = context.size(plan::Loop::k);
  if (!has_batch && splits == 1) return;
  const Value z = block_number(context, mlir::gpu::Dimension::z);
  const auto split_bits = std::countr_zero(static_cast<unsigned>(splits));
  if (has_batch)
    context.batch = context.named(
        "batch", mlir::arith::ShRUIOp::create(builder, z, context.constant(split_bits)));
  if (splits == 1) return;
  Value tile = context.add(context.multiply(row, block.blocks_n(problem)), column);
  if (has_batch) {
    const std::int64_t tiles = block.blocks_m(problem) * block.blocks_n(problem);
    tile = context.add(tile, context.multiply(context.batch, tiles));
  }
  const Value part = mlir::arith::AndIOp::create(builder, z, context.constant(splits - 1));
  context.part = part_of_k(context, context.plan, part, tile);
}

Value lds_pointer(const KernelContext& context) {
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  const Value index = mlir::memref::ExtractAlignedPointerAsIndexOp::create(builder, context.shared);
  const Value address = mlir::arith::IndexCastOp::create(builder, builder.getI32Type(), index);
  const auto pointer = mlir::LLVM::LLVMPointerType::get(builder.getContext(), 3);
  return mlir::LLVM::IntToPtrOp::create(builder, pointer, address);
}

void fill_function(mlir::ImplicitLocOpBuilder& builder, mlir::gpu::GPUFuncOp function,
                   const MatmulRequest& request, const plan::MatmulPlan& plan) {
  KernelContext context(builder, request, plan);
  context.shared = function.getWorkgroupAttributions()[0];
  context.named("lds", context.shared);
  if (plan.copied) {
    context.shared_pointer = lds_pointer(context);
    context.scopes.emplace(builder.getContext());
  }
  read_sizes(context, request, function);
  Extent& k = context.sizes[static_cast<std::size_t>(plan::Loop::k)];
  if (!k.is_known()) k.value = context.divide(k.value, plan.problem.elements_of_unit());
  place_thread(context, plan.tiles.lanes);
  place_workgroup(context);
  const auto buffers = product_matrices<Value>(request, [&](const MatrixRecord& matrix,
                                                            plan::Loop rows, plan::Loop columns) {
    const auto number = static_cast<std::size_t>(matrix.parameter);
    const std::string name(1, "abcde"[static_cast<std::size_t>(request.buffers[number].role)]);
    const Value pointer = context.named(name, function.getArgument(static_cast<unsigned>(number)));
    return context.named(name + "_buffer", make_buffer(context, pointer, matrix, rows, columns));
  });
  const std::vector<Value> sums = sums_of(
      context, plan.copied ? copied_product(context, buffers, initial_accumulators(context))
                           : Product(context, buffers).add_to(initial_accumulators(context)));
  const auto store = [&](const std::vector<Value>& all) { store_result(context, all, buffers); };
  if (plan.tiles.split_k == 1) {
    store(sums);
  } else {
    const Value workspace = function.getArgument(function.getNumArguments() - 1);
    const PartsMemory memory{plan.split_memory(),
                             workspace,
                             lds_pointer(context),
                             "agent",
                             thread_number(context, plan.tiles.lanes),
                             [&] { mlir::amdgpu::LDSBarrierOp::create(builder); }};
    add_parts(context, memory, context.part.tile, context.part.part, plan.problem.combine, sums,
              [&](ReadSums all) { store(all(0, sums.size())); });
  }
  mlir::gpu::ReturnOp::create(builder);
}

}  // namespace

std::unique_ptr<KernelModule> product_kernel(const MatmulRequest& request,
                                             const plan::MatmulPlan& plan) {
  std::optional<MatmulRequest> with_scales;
  if (request.problem.has_scales) with_scales = as_multiplied(request);
  const MatmulRequest& own = with_scales ? *with_scales : request;
  return kernel_for(plan.target, [&](mlir::ImplicitLocOpBuilder& builder, mlir::gpu::GPUModuleOp) {
    mlir::gpu::GPUFuncOp function = create_function(builder, own, plan);
    builder.setInsertionPointToStart(&function.getBody().front());
    fill_function(builder, function, own, plan);
  });
}

}  // namespace heddle::compiler
