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
  std::vector<Value> a_offsets, b_offsets;  // B's are A's where there are none
  // Registers of the loads and stores of the tile in LDS; none with one buffer. B's stores have A's
  // where there are none.
  std::vector<Value> a_loads, b_loads, a_stores, b_stores;
  // Of the tile in LDS, and the k (i32) of the next: none where the instruction reads none.
  std::vector<Value> scales, scale_k;

  std::vector<Value> values() const {
    return listed({&accumulators, &a_offsets, &b_offsets, &a_loads, &b_loads, &a_stores, &b_stores,
                   &scales, &scale_k});
  }
  // The same with other values, in the order of values().
  Progress with(mlir::ValueRange all) const {
    Progress result = *this;
    spread(all,
           {&result.accumulators, &result.a_offsets, &result.b_offsets, &result.a_loads,
            &result.b_loads, &result.a_stores, &result.b_stores, &result.scales, &result.scale_k});
    return result;
  }
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
    Progress progress;
    progress.accumulators = accumulators;
    progress.a_offsets = a_staging_.first();
    if (!count_together()) progress.b_offsets = b_staging_.first();
    if (has_two_stages()) {
      progress.a_loads = a_fragments_.lds_bases();
      progress.b_loads = b_fragments_.lds_bases();
      progress.a_stores = a_staging_.lds_bases();
      if (!b_staging_.stores_like(a_staging_)) progress.b_stores = b_staging_.lds_bases();
    }
    const Value first_k = context_.part.first_k;
    if (has_scales_) progress.scale_k = {first_k ? first_k : context_.constant(0)};
    const Loaded loaded = load(progress, k);
    if (keeps_order(context_)) wait_for(context_, {.lds = false, .memory = true});
    store(loaded, progress, k);
    barrier();
    progress = past_load(progress);
    progress.scales = loaded.scales;
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

  bool has_two_stages() const { return context_.plan.tiles.stages == 2; }
  // Whether one number says how far along k A and B are.
  bool count_together() const {
    return a_staging_.counted_bytes() && a_staging_.counted_bytes() == b_staging_.counted_bytes();
  }
  const std::vector<Value>& b_offsets(const Progress& at) const {
    return count_together() ? at.a_offsets : at.b_offsets;
  }

  Loaded load(const Progress& at, const MaybeExtent& k_left) const {
    Loaded loaded{
        a_staging_.load(at.a_offsets, k_left), b_staging_.load(b_offsets(at), k_left), {}};
    load_scales(at, k_left, loaded);
    return loaded;
  }
  void load_scales(const Progress& at, const MaybeExtent& k_left, Loaded& loaded) const {
    for (const Scales& scales : scales_) {
      const std::vector<Value> more = scales.load(at.scale_k[0], k_left);
      loaded.scales.insert(loaded.scales.end(), more.begin(), more.end());
    }
  }
  // Where the next tile is, after one was loaded.
  Progress past_load(const Progress& at) const {
    Progress next = at;
    next.a_offsets = a_staging_.next(at.a_offsets);
    if (!count_together()) next.b_offsets = b_staging_.next(at.b_offsets);
    for (Value& k : next.scale_k) k = context_.add(k, context_.plan.tiles.k);
    return next;
  }
  const std::vector<Value>& a_stores(const Progress& at) const {
    return has_two_stages() ? at.a_stores : a_staging_.lds_bases();
  }
  const std::vector<Value>& b_stores(const Progress& at) const {
    if (!has_two_stages()) return b_staging_.lds_bases();
    return at.b_stores.empty() ? at.a_stores : at.b_stores;
  }
  void store(const Loaded& loaded, const Progress& to, const MaybeExtent& k_left) const {
    a_staging_.store(loaded.a, a_stores(to), k_left);
    b_staging_.store(loaded.b, b_stores(to), k_left);
  }
  std::vector<Value> multiply(const Progress& at, const Between& between = {}) const {
    return multiply_tile(context_, a_fragments_, b_fragments_, at.accumulators,
                         has_two_stages() ? at.a_loads : a_fragments_.lds_bases(),
                         has_two_stages() ? at.b_loads : b_fragments_.lds_bases(), at.scales,
                         between);
  }
  void barrier() const { mlir::amdgpu::LDSBarrierOp::create(context_.builder); }

  // The steps until the last tile lies in LDS.
  Progress all_but_last(Progress progress) const {
    const std::int64_t k = context_.part.depth.known;
    const std::int64_t step = context_.plan.tiles.k;
    const std::int64_t steps = (k + step - 1) / step;
    const bool last_is_partial = k % step != 0;
    const std::int64_t whole_steps = last_is_partial ? steps - 2 : steps - 1;
    if (whole_steps == 1) progress = advance_alone(progress, std::nullopt);
    if (whole_steps > 1) progress = loop(progress, context_.constant(whole_steps + 1));
    if (last_is_partial && steps > 1) progress = advance_alone(progress, Extent{k % step, {}});
    return progress;
  }

  // The same where only the kernel knows k.
  Progress all_but_last(Progress progress, Value k) const {
    mlir::ImplicitLocOpBuilder& builder = context_.builder;
    const auto shift = std::countr_zero(static_cast<unsigned>(context_.plan.tiles.k));
    const Value whole = mlir::arith::ShRUIOp::create(builder, k, context_.constant(shift));
    const Value rest =
        mlir::arith::AndIOp::create(builder, k, context_.constant(context_.plan.tiles.k - 1));
    progress = loop(progress, whole);
    const Value needed =  // neither is 0
        context_.differs(mlir::arith::MinUIOp::create(builder, rest, whole), 0);
    const std::vector<Value> before = progress.values();
    auto branch = mlir::scf::IfOp::create(builder, mlir::ValueRange(before).getTypes(), needed,
                                          /*addThenBlock=*/true, /*addElseBlock=*/true);
    const mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    mlir::scf::YieldOp::create(builder, advance_alone(progress, Extent{-1, rest}).values());
    builder.setInsertionPointToStart(branch.elseBlock());
    mlir::scf::YieldOp::create(builder, before);
    return progress.with(branch.getResults());
  }

  // One k step: multiplies the tile in LDS and puts the next there, of which `k_left` are left.
  Progress advance(const Progress& at, const MaybeExtent& k_left) const {
    Progress next = at;
    move_to_other_stage(next.a_stores, a_staging_.lds_bases());
    move_to_other_stage(next.b_stores, b_staging_.lds_bases());
    Loaded loaded;
    if (keeps_order(context_) && has_two_stages() && a_staging_.has_single_loads() &&
        b_staging_.has_single_loads()) {
      load_scales(at, k_left, loaded);
      next.accumulators = multiply(at, on_the_way(at, next, k_left, loaded));
    } else {
      loaded = load(at, k_left);
      next.accumulators = multiply(at);
      if (!has_two_stages()) barrier();
      store(loaded, next, k_left);
    }
    next.scales = loaded.scales;
    // Only now: what took its new value before its last use would need a second register.
    next = past_load(next);
    move_to_other_stage(next.a_loads, a_fragments_.lds_bases());
    move_to_other_stage(next.b_loads, b_fragments_.lds_bases());
    barrier();
    return next;
  }

  // The same outside the loop, where steps would be mixed, at the price of registers.
  Progress advance_alone(const Progress& at, const MaybeExtent& k_left) const {
    Progress next = advance(at, k_left);
    keep_apart(context_);
    return next;
  }

  // The loads of the next tile into `loaded` and its stores, one by one.
  Between on_the_way(const Progress& at, const Progress& next, const MaybeExtent& k_left,
                     Loaded& loaded) const {
    Between between;
    const auto add = [&](const Staging& staging, const std::vector<Value>& offsets,
                         const std::vector<Value>& bases, std::vector<Value>& values) {
      values.resize(staging.loads());
      for (std::size_t i = 0; i < staging.loads(); ++i)
        between.first.push_back([&, i] { values[i] = staging.load_one(offsets, i, k_left); });
      for (std::size_t i = 0; i < staging.stores(); ++i)
        between.second.push_back([&, i] { staging.store_one(values, bases, k_left, i); });
    };
    add(a_staging_, at.a_offsets, a_stores(next), loaded.a);
    add(b_staging_, b_offsets(at), b_stores(next), loaded.b);
    return between;
  }

  // Multiplies all but the last of `tiles` whole tiles, of which the first is in LDS.
  Progress loop(const Progress& first, Value tiles) const {
    const auto run = [&](Value from, Value to, std::int64_t step, const Progress& carried,
                         llvm::function_ref<Progress(const Progress&, Value)> with_number) {
      const auto turn = [&](Value number, const std::vector<Value>& values) {
        const Progress next = advance(with_number(carried.with(values), number), std::nullopt);
        return with_number(next, {}).values();
      };
      return carried.with(rolled_loop(context_, from, to, carried.values(), turn, step));
    };
    const bool a_counts = a_staging_.counted_bytes().has_value();
    const auto bytes = a_counts ? a_staging_.counted_bytes() : b_staging_.counted_bytes();
    if (!bytes)
      return run(context_.constant(1), tiles, 1, first,
                 [](const Progress& at, Value) { return at; });
    // Bytes along k of A or B count the turns as well.
    const auto with_number = [&](Progress at, Value number) {
      (a_counts ? at.a_offsets : at.b_offsets) =
          number ? std::vector{number} : std::vector<Value>();
      return at;
    };
    const Value end = context_.multiply(tiles, *bytes);
    return with_number(
        run(context_.constant(*bytes), end, *bytes, with_number(first, {}), with_number), end);
  }

  // The two buffers begin at byte 0 and in the middle. `first`: the registers in the first.
  void move_to_other_stage(std::vector<Value>& bases, const std::vector<Value>& first) const {
    const std::int64_t second = context_.plan.shared_bytes / 2;
    for (std::size_t i = 0; i < bases.size(); ++i) {
      if (std::has_single_bit(static_cast<std::uint64_t>(second)))
        bases[i] =
            mlir::arith::XOrIOp::create(context_.builder, bases[i], context_.constant(second));
      else
        bases[i] = mlir::arith::SubIOp::create(
            context_.builder, context_.add(context_.multiply(first[i], 2), second), bases[i]);
    }
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

Value lds_pointer(mlir::ImplicitLocOpBuilder& builder, mlir::gpu::GPUFuncOp function) {
  const Value index = mlir::memref::ExtractAlignedPointerAsIndexOp::create(
      builder, function.getWorkgroupAttributions()[0]);
  const Value address = mlir::arith::IndexCastOp::create(builder, builder.getI32Type(), index);
  const auto pointer = mlir::LLVM::LLVMPointerType::get(builder.getContext(), 3);
  return mlir::LLVM::IntToPtrOp::create(builder, pointer, address);
}

void fill_function(mlir::ImplicitLocOpBuilder& builder, mlir::gpu::GPUFuncOp function,
                   const MatmulRequest& request, const plan::MatmulPlan& plan) {
  KernelContext context(builder, request, plan);
  context.shared = context.named("lds", lds_pointer(builder, function));
  if (plan.copied) context.scopes.emplace(builder.getContext());
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
                             context.shared,
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
