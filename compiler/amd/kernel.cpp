// The kernel of one workgroup. Tiles of A and B travel
//
//   global memory --load--> registers --store--> LDS --load--> fragments --WMMA, MFMA-->
//   accumulators
//
// (If A or B is copied straight to LDS instead, copied_product.h has the loop.) The next tile is
// loaded from global memory while the present tile is loaded from LDS and multiplied; that is a
// step.
//
// Barriers: with one buffer in LDS, one barrier separates reading a tile from overwriting it, and
// another separates writing a tile from reading it. With two buffers, one barrier does both. In
// ping-pong (ping_pong.h), after the first tile, there are only the barriers between turns.
//
// The loop over k:
// - An iteration has two steps, so that the buffer of each step is known at compile time. With
// multiply-adds and split f32, whose steps are long, an iteration has one step.
// - If k is known at compile time, and always on CDNA, the first step stands before the loop.
// Otherwise a step stands before the loop if the number of steps is odd.
// - The last tile is multiplied outside the loop, because no tile is left to load. If k ends inside
// the last tile, this tile is loaded outside the loop, too, so that the loop needs no comparisons.
// - If the instruction reads scales of blocks of consecutive k, they are loaded together with their
// tile, into the registers from which the instruction reads them.
#include <algorithm>
#include <bit>
#include <optional>

#include "compiler/amd/copied_product.h"
#include "compiler/amd/direct_copies.h"
#include "compiler/amd/fragments.h"
#include "compiler/amd/ping_pong.h"
#include "compiler/amd/result.h"
#include "compiler/amd/scales.h"
#include "compiler/amd/staging.h"
#include "compiler/decisions/block_scales.h"
#include "compiler/kernel/parts.h"
#include "compiler/kernel/product_kernel.h"
#include "compiler/plan/fma_atom.h"
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

// The kernel's state between two k steps. One tile lies in LDS; the offsets are those of the next
// tile in global memory.
struct Progress {
  std::vector<Value> accumulators;
  std::vector<Value> a_offsets, b_offsets;  // B's are A's where there are none
  // The scales of the tile in LDS, and the first k (i32) of the next tile. Empty if the instruction
  // reads no scales.
  std::vector<Value> scales, scale_k;
  // Which buffer of LDS has the tile, if that is known at compile time. Otherwise `begin` has the
  // offset (i32, bytes) of this buffer.
  int stage = 0;
  std::vector<Value> begin;

  std::vector<Value> values() const {
    return listed({&accumulators, &a_offsets, &b_offsets, &scales, &scale_k, &begin});
  }
  Progress with_stage(int known) const {
    Progress result = *this;
    result.stage = known;
    result.begin.clear();
    return result;
  }
  // A copy of this state whose values are replaced by `all`, in the order of values().
  Progress with(mlir::ValueRange all) const {
    Progress result = *this;
    spread(all, {&result.accumulators, &result.a_offsets, &result.b_offsets, &result.scales,
                 &result.scale_k, &result.begin});
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
    const Value first_k = context_.part.first_k;
    if (has_scales_) progress.scale_k = {first_k ? first_k : context_.constant(0)};
    progress = k.is_known() ? all_but_last(progress, k.known) : all_but_last(progress, k);
    return multiply(progress, {.is_last_tile = true});
  }

 private:
  struct Loaded {
    std::vector<Value> a, b, scales;
  };

  // The further matrices that the producer of A or B reads while a tile is staged. None if these
  // matrices are scales, which the matrix instructions read.
  std::vector<Value> staged(const std::vector<Value>& extras) const {
    return has_scales_ ? std::vector<Value>() : extras;
  }

  using MaybeExtent = std::optional<Extent>;  // absent: at least a whole tile

  bool has_two_stages() const { return context_.plan.tiles.stages == 2; }
  bool takes_turns() const { return context_.plan.ping_pong; }
  // True if one value serves as the offset along k of both A and B, because it grows by the same
  // number of bytes for A and B in each step.
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
  // The position of the next tile, after one was loaded.
  Progress past_load(const Progress& at) const {
    Progress next = at;
    next.a_offsets = a_staging_.next(at.a_offsets);
    if (!count_together()) next.b_offsets = b_staging_.next(at.b_offsets);
    for (Value& k : next.scale_k) k = context_.add(k, context_.plan.tiles.k);
    return next;
  }
  void store(const Loaded& loaded, const Progress& to, const MaybeExtent& k_left) const {
    a_staging_.store(loaded.a, in_stage(a_staging_.lds_bases(), to), k_left);
    b_staging_.store(loaded.b, in_stage(b_staging_.lds_bases(), to), k_left);
  }
  std::int64_t stage_bytes() const { return context_.plan.shared_bytes / 2; }
  // The offset in LDS of the tile of `at`, as Progress::begin has it: a list of one value, or an
  // empty list if LDS has only one buffer.
  std::vector<Value> begin_of(const Progress& at) const {
    if (!has_two_stages()) return {};
    return {context_.constant(at.stage * stage_bytes())};
  }
  // `bases` are addresses in the first buffer of LDS. Returns the same places in the buffer that
  // has the tile of `at`.
  TileBases in_stage(std::vector<Value> bases, const Progress& at) const {
    for (Value& base : bases)
      if (!at.begin.empty()) base = context_.add(base, at.begin[0]);
    return {std::move(bases), at.stage * stage_bytes()};
  }
  // Makes `at` name the other buffer of LDS, into which the next tile goes.
  void change_stage(Progress& at) const {
    if (!has_two_stages()) return;
    if (at.begin.empty())
      at.stage = 1 - at.stage;
    else
      at.begin[0] = mlir::arith::SubIOp::create(context_.builder, context_.constant(stage_bytes()),
                                                at.begin[0]);
  }
  std::vector<Value> multiply(const Progress& at, const Between& between = {}) const {
    return multiply_tile(context_, a_fragments_, b_fragments_, at.accumulators,
                         in_stage(a_fragments_.lds_bases(), at),
                         in_stage(b_fragments_.lds_bases(), at), at.scales, between);
  }
  void barrier() const { mlir::amdgpu::LDSBarrierOp::create(context_.builder); }

  // Loads the first tile of A and B and stores it in the buffer that `at` names. `k` is the number
  // of k (columns of A) that there are.
  Progress first_tile(const Progress& at, const Extent& k) const {
    const Loaded loaded = load(at, k);
    if (keeps_order(context_)) wait_for(context_, {.lds = false, .memory = true});
    store(loaded, at, k);
    barrier();
    if (takes_turns()) begin_turns(context_);
    Progress next = past_load(at);
    next.scales = loaded.scales;
    return next;
  }

  // True if the code of a step is short enough to stand in the kernel twice. Steps of multiply-adds
  // and of split f32 have hundreds of instructions, and are not.
  bool has_short_steps() const {
    return !plan::is_fma(*context_.plan.instruction) && !context_.plan.problem.is_split();
  }
  // The number of steps in an iteration of the loop. With two, the buffer of each step is known at
  // compile time, and no register has to hold it. On CDNA an iteration has one step if k is not
  // known at compile time: there two steps take more instructions and a quarter more registers
  // (bench/records/compiler_figures.md).
  int steps_in_turn() const {
    const bool is_cdna = context_.plan.instruction->wave == 64;
    const bool knows_k = context_.size(plan::Loop::k).is_known();
    return has_short_steps() && (knows_k || !is_cdna) ? 2 : 1;
  }

  // Runs all steps until the last tile lies in LDS, for a k known at compile time. If steps are
  // short, the first step stands before the loop, because its products are added to a constant. If
  // there are two buffers, the tile of this step then lies in the second.
  Progress all_but_last(Progress progress, std::int64_t k) const {
    const std::int64_t step = context_.plan.tiles.k;
    const bool last_is_partial = k % step != 0 && k > step;
    std::int64_t whole_steps = k <= step ? 0 : (k + step - 1) / step - (last_is_partial ? 2 : 1);
    const bool begins_before = whole_steps > 0 && has_short_steps();
    if (begins_before) change_stage(progress);
    progress = first_tile(progress, {k, {}});
    if (begins_before) {
      progress = advance_alone(progress, std::nullopt);
      --whole_steps;
    }
    const std::int64_t turns = whole_steps / steps_in_turn();
    if (turns > 1) {
      progress = loop(progress, context_.constant(turns));
      whole_steps %= steps_in_turn();
    }
    for (; whole_steps > 0; --whole_steps) progress = advance_alone(progress, std::nullopt);
    if (last_is_partial) progress = advance_alone(progress, Extent{k % step, {}});
    return progress;
  }

  // Runs all steps until the last tile lies in LDS, for a k not known at compile time. If an
  // iteration has two steps and the number of steps is odd, one step stands before the loop.
  Progress all_but_last(Progress progress, const Extent& k) const {
    mlir::ImplicitLocOpBuilder& builder = context_.builder;
    const auto shift = std::countr_zero(static_cast<unsigned>(context_.plan.tiles.k));
    const auto minimum = [&](Value x, Value y) -> Value {
      return mlir::arith::MinUIOp::create(builder, x, y);
    };
    const Value whole = mlir::arith::ShRUIOp::create(builder, k.value, context_.constant(shift));
    const Value rest =
        mlir::arith::AndIOp::create(builder, k.value, context_.constant(context_.plan.tiles.k - 1));
    const Value one = context_.constant(1);
    Value turns = mlir::arith::SubIOp::create(builder, whole, minimum(whole, one));
    if (steps_in_turn() == 2) {
      const Value odd = mlir::arith::AndIOp::create(builder, turns, one);
      Progress first = progress;
      if (has_two_stages()) first.begin = {context_.multiply(odd, stage_bytes())};
      progress = first_tile(first, k).with_stage(0);
      progress = only_if(context_.differs(odd, 0), progress, [&](const Progress& at) {
        return advance_alone(at.with_stage(has_two_stages() ? 1 : 0), std::nullopt);
      });
      turns = mlir::arith::ShRUIOp::create(builder, turns, one);
    } else {
      progress = first_tile(progress, k);
    }
    Value behind = whole;  // whole tiles; not 0 if the rest is still to be loaded
    if (steps_in_turn() == 1 && has_short_steps()) {
      progress = second_tile(progress, k.value);
      turns = mlir::arith::SubIOp::create(builder, turns, minimum(turns, one));
      behind = mlir::arith::ShRUIOp::create(builder, whole, one);
    }
    progress = loop(progress, turns);
    if (progress.begin.empty()) progress.begin = begin_of(progress);
    const Value needed = context_.differs(minimum(rest, behind), 0);  // neither is 0
    return only_if(needed, progress,
                   [&](const Progress& at) { return advance_alone(at, Extent{-1, rest}); });
  }

  // Multiplies the first tile, whose products are added to a constant, and puts the second tile
  // into LDS, or zeros if `k` (the k of the product) has no second tile. The scalar offset of a
  // load must not leave the matrix, so for a tile that does not exist the load has the scalar
  // offset 0.
  Progress second_tile(Progress at, Value k) const {
    const Value left = context_.left(k, context_.constant(context_.plan.tiles.k));
    const auto keep_inside = [&](const Staging& staging, std::vector<Value>& offsets) {
      if (!staging.counts_bytes() || offsets.empty()) return;
      offsets[0] = mlir::arith::SelectOp::create(context_.builder, context_.differs(left, 0),
                                                 offsets[0], context_.constant(0));
    };
    keep_inside(a_staging_, at.a_offsets);
    keep_inside(b_staging_, at.b_offsets);
    return advance_alone(at, Extent{-1, left});
  }

  // The result of `then` for `progress` if `needed`; otherwise `progress`. If accumulators are
  // constants, keep_apart makes LLVM put them into registers in the branch that needs them;
  // otherwise it would do so before the branch.
  Progress only_if(Value needed, const Progress& progress,
                   llvm::function_ref<Progress(const Progress&)> then) const {
    mlir::ImplicitLocOpBuilder& builder = context_.builder;
    const std::vector<Value> before = progress.values();
    auto branch = mlir::scf::IfOp::create(builder, mlir::ValueRange(before).getTypes(), needed,
                                          /*addThenBlock=*/true, /*addElseBlock=*/true);
    const mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    mlir::scf::YieldOp::create(builder, then(progress).values());
    builder.setInsertionPointToStart(branch.elseBlock());
    const auto is_constant = [](Value value) {
      return value.getDefiningOp<mlir::arith::ConstantOp>() != nullptr;
    };
    if (std::ranges::any_of(progress.accumulators, is_constant)) keep_apart(context_);
    mlir::scf::YieldOp::create(builder, before);
    return progress.with(branch.getResults());
  }

  // One k step: multiplies the tile in LDS, and brings the next tile to LDS. `k_left` is the number
  // of k (columns of A, rows of B) from the beginning of the next tile on; absent: at least a
  // tile's.
  Progress advance(const Progress& at, const MaybeExtent& k_left) const {
    Progress next = at;
    change_stage(next);
    Loaded loaded;
    if (takes_turns()) {
      Between between;
      between.first.push_back([&] { loaded = load(at, k_left); });
      between.second.push_back([&] { store(loaded, next, k_left); });
      next.accumulators = multiply(at, between);
    } else if (keeps_order(context_) && has_two_stages() && a_staging_.has_single_loads() &&
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
    // The offsets advance only here. If they advanced before they are used, they would need more
    // registers.
    next = past_load(next);
    if (!takes_turns()) barrier();
    return next;
  }

  // advance() for a step outside the loop. LLVM would mix the instructions of such a step with
  // those of other steps, which takes more registers, so keep_apart follows.
  Progress advance_alone(const Progress& at, const MaybeExtent& k_left) const {
    Progress next = advance(at, k_left);
    keep_apart(context_);
    return next;
  }

  // The loads of the next tile, which put their values into `loaded`, and the stores of these
  // values. Each load and each store is a task that runs among the multiplications.
  Between on_the_way(const Progress& at, const Progress& next, const MaybeExtent& k_left,
                     Loaded& loaded) const {
    Between between;
    const auto add = [&](const Staging& staging, const std::vector<Value>& offsets,
                         const TileBases& to, std::vector<Value>& values) {
      values.resize(staging.loads());
      for (std::size_t i = 0; i < staging.loads(); ++i)
        between.first.push_back([&, i] { values[i] = staging.load_one(offsets, i, k_left); });
      for (std::size_t i = 0; i < staging.stores(); ++i)
        between.second.push_back([&, to, i] { staging.store_one(values, to, k_left, i); });
    };
    add(a_staging_, at.a_offsets, in_stage(a_staging_.lds_bases(), next), loaded.a);
    add(b_staging_, b_offsets(at), in_stage(b_staging_.lds_bases(), next), loaded.b);
    return between;
  }

  Progress loop(Progress first, Value turns) const {
    const int steps = steps_in_turn();
    if (steps == 1) {
      first.begin = begin_of(first);
      first.stage = 0;
    }
    const auto run = [&](Value from, Value to, std::int64_t step, const Progress& carried,
                         llvm::function_ref<Progress(const Progress&, Value)> with_number) {
      const auto turn = [&](Value number, const std::vector<Value>& values) {
        Progress at = with_number(carried.with(values), number);
        if (steps == 2) at = advance_alone(at, std::nullopt);
        return with_number(advance(at, std::nullopt), {}).values();
      };
      return carried.with(rolled_loop(context_, from, to, carried.values(), turn, step));
    };
    const bool a_counts = a_staging_.counted_bytes().has_value();
    const auto bytes = a_counts ? a_staging_.counted_bytes() : b_staging_.counted_bytes();
    if (!bytes)
      return run(context_.constant(0), turns, 1, first,
                 [](const Progress& at, Value) { return at; });
    // The loop has no separate counter: it counts with the byte offset along k of A or of B.
    const auto with_number = [&](Progress at, Value number) {
      (a_counts ? at.a_offsets : at.b_offsets) =
          number ? std::vector{number} : std::vector<Value>();
      return at;
    };
    const Value begin = a_counts ? first.a_offsets[0] : first.b_offsets[0];
    const Value end = context_.add(begin, context_.multiply(turns, steps * *bytes));
    return with_number(run(begin, end, steps * *bytes, with_number(first, {}), with_number), end);
  }

  const KernelContext& context_;
  bool has_scales_;
  Staging a_staging_, b_staging_;
  Fragments a_fragments_, b_fragments_;
  std::vector<Scales> scales_;  // of A and of B
};

// True if a kernel of CDNA is compiled without AGPRs. LLVM would otherwise make half of a wave's
// registers AGPRs, and would move sums from AGPRs to VGPRs before it stores them. At most 256
// registers of a wave can be VGPRs. That is enough if two waves share a SIMD (512 threads), since
// each has only 256 registers, or if the plan estimates that a wave needs no more.
bool does_without_agprs(const plan::MatmulPlan& plan) {
  constexpr int named = 256;
  if (!instruction::is_cdna(instruction::row(plan.target).family)) return false;
  const int ahead = plan.fragments_ahead ? plan.registers.fragments : 0;
  return plan.tiles.threads() >= 512 || plan.registers.total() + ahead <= named;
}

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
  if (does_without_agprs(plan))
    function->setAttr("passthrough",
                      builder.getArrayAttr({builder.getStrArrayAttr({"amdgpu-agpr-alloc", "0"})}));
  function.setKnownBlockSizeAttr(builder.getDenseI32ArrayAttr({plan.tiles.threads(), 1, 1}));
  return function;
}

// The numbers of the workgroup along x and y of the grid, renumbered so that the workgroups on one
// die of the GPU compute adjacent tiles (plan::tile_on_dies).
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

// Determines which tile of D, which matrix of the batch and which part of k the workgroup computes.
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
  if (plan.has_copies()) context.scopes.emplace(builder.getContext());
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
    if ((&matrix == &request.a && DirectCopies::takes_pointer(plan, plan.a)) ||
        (&matrix == &request.b && DirectCopies::takes_pointer(plan, plan.b)))
      return first_of_batch(context, pointer, matrix);
    return context.named(name + "_buffer", make_buffer(context, pointer, matrix, rows, columns));
  });
  const std::vector<Value> product =
      plan.has_copies() ? copied_product(context, buffers, initial_accumulators(context))
                        : Product(context, buffers).add_to(initial_accumulators(context));
  if (plan.tiles.split_k == 1) {
    store_result(
        context, [&](std::size_t number) { return sum_of(context, product, number); }, buffers);
  } else {
    const std::vector<Value> sums = sums_of(context, product);
    const Value workspace = function.getArgument(function.getNumArguments() - 1);
    const PartsMemory memory{plan.split_memory(),
                             workspace,
                             context.shared,
                             "agent",
                             thread_number(context, plan.tiles.lanes),
                             [&] { mlir::amdgpu::LDSBarrierOp::create(builder); }};
    add_parts(context, memory, context.part.tile, context.part.part, plan.problem.combine, sums,
              [&](ReadSums read) {
                const std::vector<Value> all = read(0, sums.size());
                store_result(context, [&](std::size_t number) { return all[number]; }, buffers);
              });
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
