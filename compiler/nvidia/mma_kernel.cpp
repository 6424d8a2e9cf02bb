// The way of one block, top to bottom:
//
//   global memory --cp.async--> stages in shared memory --ldmatrix--> fragments --mma--> sums
//
// While the tile of one stage is multiplied, the copies of the next stages - 1 are on their way,
// and the fragments of the next k atom are fetched before the present ones are multiplied, across
// tiles too. One barrier a tile: it stands before the first fragments of the next tile are read,
// when all threads have waited for their own copies of it; and what is read before it may be
// overwritten after it, which frees the stage that the next copies go to.
#include "compiler/nvidia/mma_kernel.h"

#include <algorithm>
#include <array>

#include "compiler/kernel/kernel_module_state.h"
#include "compiler/nvidia/lowering.h"
#include "compiler/nvidia/mma_result.h"
#include "compiler/nvidia/tile_copies.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"

namespace heddle::compiler {
namespace {

using mlir::Value;

constexpr llvm::StringRef shared_name = "shared_tiles";

mlir::LLVM::LoopAnnotationAttr never_unrolled(mlir::MLIRContext* context) {
  const auto unroll = mlir::LLVM::LoopUnrollAttr::get(
      context, /*disable=*/mlir::BoolAttr::get(context, true), {}, {}, {}, {}, {}, {});
  return mlir::LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, unroll, {}, {}, {}, {}, {}, {},
                                             {}, {}, {}, {}, {});
}

// Where the kernel is between two tiles along k.
struct Progress {
  Sums sums;
  std::vector<Value> a, b;     // fragments of the tile's first k atom
  Value read, write;           // i32: bytes to the stage that is read, and to the one written next
  Value a_pointer, b_pointer;  // of the tile that is copied next

  std::vector<Value> values() const { return listed({&sums, &a, &b}, 4); }
  /// The same with other values, in the order of values().
  Progress with(mlir::ValueRange all) const {
    Progress result = *this;
    result.take({&result.sums, &result.a, &result.b}, 4, all);
    return result;
  }
  /// What is left of it between two tiles of D.
  std::vector<Value> between_tiles() const { return listed({&a, &b}, 2); }
  Progress with_between_tiles(mlir::ValueRange all) const {
    Progress result = *this;
    result.take({&result.a, &result.b}, 2, all);
    return result;
  }

 private:
  std::vector<Value> listed(std::initializer_list<const std::vector<Value>*> parts,
                            std::size_t places) const {
    std::vector<Value> all;
    for (const std::vector<Value>* part : parts) all.insert(all.end(), part->begin(), part->end());
    const std::array rest{read, write, a_pointer, b_pointer};
    all.insert(all.end(), rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(places));
    return all;
  }
  void take(std::initializer_list<std::vector<Value>*> parts, std::size_t places,
            mlir::ValueRange all) {
    std::size_t at = 0;
    for (std::vector<Value>* part : parts)
      for (Value& value : *part) value = all[at++];
    const std::array rest{&read, &write, &a_pointer, &b_pointer};
    for (std::size_t i = 0; i < places; ++i) *rest[i] = all[at++];
  }
};

std::uint32_t bytes_of_a(const plan::MmaPlan& plan) {
  return static_cast<std::uint32_t>((plan.a.placement.bytes + 127) / 128 * 128);
}

class Product {
 public:
  using Store = llvm::function_ref<void(const BlockTile&, const Sums&)>;

  Product(const MmaContext& context, const GlobalMatrix& a, const GlobalMatrix& b,
          const Sums& start)
      : context_(context),
        a_(a),
        b_(b),
        start_(start),
        a_fragments_(context, context.plan.a, 0),
        b_fragments_(context, context.plan.b, bytes_of_a(context.plan)) {}

  // The block's only tile.
  void compute(const BlockTile& tile, Store store) const {
    advance_tile(begin(tile), tile, nullptr, store);
  }

  // The tiles `first`, first + step … below `count`, of which `place` says where they are. The
  // copies of the next tile begin while the last tiles along k of the one before are multiplied.
  void compute_all(Value first, Value count, Value step,
                   llvm::function_ref<BlockTile(Value)> place, Store store) const {
    mlir::ImplicitLocOpBuilder& builder = context_.builder;
    const Progress begun = begin(place(first));
    auto loop = mlir::scf::ForOp::create(builder, first, count, step, begun.between_tiles());
    const mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    const Value number = loop.getInductionVar();
    const Value following = context_.add(number, step);
    BlockTile next = place(following);
    next.valid = mlir::arith::CmpIOp::create(builder, mlir::arith::CmpIPredicate::ult, following,
                                             count);
    const Progress done = advance_tile(begun.with_between_tiles(loop.getRegionIterArgs()),
                                       place(number), &next, store);
    mlir::scf::YieldOp::create(builder, done.between_tiles());
  }

 private:
  using Left = std::optional<std::int64_t>;  // columns of A left for a copy; nothing: no copy

  struct Copies {
    TileCopies a, b;
  };
  Copies copies_of(const BlockTile& tile) const {
    const plan::MmaPlan& plan = context_.plan;
    return {TileCopies(context_, plan.a, a_, tile, 0),
            TileCopies(context_, plan.b, b_, tile, bytes_of_a(plan))};
  }
  std::int64_t ahead() const { return context_.plan.tiles.stages - 1; }

  // The first copies, and the first fragments.
  Progress begin(const BlockTile& tile) const {
    const std::int64_t tile_k = context_.plan.tiles.k;
    const Copies copies = copies_of(tile);
    Progress progress;
    progress.a_pointer = copies.a.first();
    progress.b_pointer = copies.b.first();
    progress.read = progress.write = context_.constant(0);
    for (std::int64_t at = 0; at < ahead(); ++at) {
      if (at < context_.plan.k_steps()) {
        const std::int64_t k_left = context_.plan.problem.k - at * tile_k;
        copy_part(copies, progress, k_left, 0, 1);
        progress = past_copy(copies, progress);
      }
      commit();
    }
    wait();
    fetch(0, progress.read, progress.a, progress.b);
    return progress;
  }

  // Computes a tile whose first copies have begun, and begins those of the next, if there is one.
  Progress advance_tile(Progress progress, const BlockTile& tile, const BlockTile* next,
                        Store store) const {
    const std::int64_t k = context_.plan.problem.k, tile_k = context_.plan.tiles.k;
    const std::int64_t tiles = context_.plan.k_steps();
    const std::int64_t whole = std::max<std::int64_t>(k / tile_k - ahead(), 0);
    const bool partial = k % tile_k != 0 && tiles > ahead();
    const std::int64_t last = tiles - whole - (partial ? 1 : 0);
    const Copies copies = copies_of(tile);
    progress.sums = start_;
    progress.a_pointer = copies.a.first(ahead());
    progress.b_pointer = copies.b.first(ahead());
    if (whole > 0) progress = loop(progress, whole, copies, tile_k);
    if (partial) progress = advance(progress, copies, k % tile_k);
    if (next != nullptr) {
      const Copies following = copies_of(*next);
      progress.a_pointer = following.a.first();
      progress.b_pointer = following.b.first();
      progress = loop(progress, last, following, tile_k);
    } else {
      progress = loop(progress, last, copies, std::nullopt);
    }
    // After the block's last tile the fragments were fetched for nothing.
    store(tile, progress.sums);
    return progress;
  }

  void commit() const { mlir::NVVM::CpAsyncCommitGroupOp::create(context_.builder); }
  // Until the tile after the present one is in shared memory, for all threads.
  void wait() const {
    mlir::NVVM::CpAsyncWaitGroupOp::create(
        context_.builder, static_cast<std::uint32_t>(context_.plan.tiles.stages - 2));
    mlir::NVVM::Barrier0Op::create(context_.builder);
  }
  void fetch(std::uint64_t k_atom, Value stage, std::vector<Value>& a,
             std::vector<Value>& b) const {
    a = a_fragments_.load(k_atom, stage);
    b = b_fragments_.load(k_atom, stage);
  }

  Value next_stage(Value stage) const {
    const std::int64_t bytes = context_.plan.stage_bytes;
    const std::int64_t last = bytes * (context_.plan.tiles.stages - 1);
    const Value at_last = mlir::arith::CmpIOp::create(
        context_.builder, mlir::arith::CmpIPredicate::eq, stage, context_.constant(last));
    return context_.select(at_last, context_.constant(0), context_.add(stage, bytes));
  }

  // Copies [part, part + 1) of `parts` of the next tile along k.
  void copy_part(const Copies& copies, const Progress& at, std::int64_t k_left, std::size_t part,
                 std::size_t parts) const {
    const auto share = [&](const TileCopies& operand, Value pointer) {
      operand.copy(operand.count() * part / parts, operand.count() * (part + 1) / parts, pointer,
                   at.write, k_left);
    };
    share(copies.a, at.a_pointer);
    share(copies.b, at.b_pointer);
  }
  Progress past_copy(const Copies& copies, const Progress& at) const {
    Progress next = at;
    next.a_pointer = copies.a.next(at.a_pointer);
    next.b_pointer = copies.b.next(at.b_pointer);
    next.write = next_stage(at.write);
    return next;
  }

  // One tile: multiplies it, while the next is copied of which `k_left` columns are left.
  Progress advance(const Progress& at, const Copies& copies, Left k_left) const {
    const auto atoms = static_cast<std::uint64_t>(context_.plan.atoms_k());
    Progress next = at;
    for (std::uint64_t atom = 0; atom < atoms; ++atom) {
      std::vector<Value> a, b;
      if (k_left) copy_part(copies, at, *k_left, atom, atoms);
      if (atom + 1 == atoms) {
        commit();
        wait();
        next.read = next_stage(at.read);
        fetch(0, next.read, a, b);
      } else {
        fetch(atom + 1, at.read, a, b);
      }
      multiply(context_, next.a, next.b, next.sums);
      next.a = a;
      next.b = b;
    }
    if (!k_left) return next;
    const Progress past = past_copy(copies, at);
    next.a_pointer = past.a_pointer;
    next.b_pointer = past.b_pointer;
    next.write = past.write;
    return next;
  }

  Progress loop(const Progress& first, std::int64_t count, const Copies& copies,
                Left k_left) const {
    mlir::ImplicitLocOpBuilder& builder = context_.builder;
    auto loop = mlir::scf::ForOp::create(builder, context_.constant(0), context_.constant(count),
                                         context_.constant(1), first.values());
    loop->setAttr("llvm.loop_annotation", never_unrolled(builder.getContext()));
    const mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    const Progress next = advance(first.with(loop.getRegionIterArgs()), copies, k_left);
    mlir::scf::YieldOp::create(builder, next.values());
    return first.with(loop.getResults());
  }

  const MmaContext& context_;
  const GlobalMatrix &a_, &b_;
  const Sums& start_;
  MmaFragments a_fragments_, b_fragments_;
};

Value as_i32(mlir::ImplicitLocOpBuilder& builder, Value index) {
  return mlir::arith::IndexCastOp::create(builder, builder.getI32Type(), index);
}

// Tiles of D are numbered so that those which are computed at the same time share rows and columns:
// down the rows of a group, then to the next column.
BlockTile tile_at(const MmaContext& context, Value number) {
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  const auto divided = [&](Value x, Value y) -> Value {
    return mlir::arith::DivUIOp::create(builder, x, y);
  };
  const auto left = [&](Value x, Value y) -> Value {
    return mlir::arith::RemUIOp::create(builder, x, y);
  };
  const std::int64_t rows = context.plan.blocks_m();
  const std::int64_t columns = context.plan.blocks_n();
  const std::int64_t group = std::min<std::int64_t>(context.plan.tiles.group, rows);
  const Value in_group = context.constant(group * columns);
  const Value first = context.multiply(divided(number, in_group), group);
  Value height = context.constant(group);
  if (rows % group != 0) {
    const Value rest = mlir::arith::SubIOp::create(builder, context.constant(rows), first);
    height = mlir::arith::MinUIOp::create(builder, rest, height);
  }
  const Value inside = left(number, in_group);
  const Value row = context.add(first, left(inside, height));
  const Value column = divided(inside, height);
  return {context.named("tile_m", context.multiply(row, context.plan.tiles.m)),
          context.named("tile_n", context.multiply(column, context.plan.tiles.n)),
          {}};
}

void place_thread(MmaContext& context) {
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  const Value thread =
      as_i32(builder, mlir::gpu::ThreadIdOp::create(builder, mlir::gpu::Dimension::x));
  context.lane =
      context.named("lane", mlir::arith::AndIOp::create(builder, thread, context.constant(31)));
  context.warp =
      context.named("warp", mlir::arith::ShRUIOp::create(builder, thread, context.constant(5)));
}

// A matrix of the batch that blockIdx.y counts.
GlobalMatrix matrix_of(const MmaContext& context, mlir::gpu::GPUFuncOp function,
                       const MatrixRecord& record, std::int64_t rows, std::int64_t columns) {
  GlobalMatrix matrix{function.getArgument(static_cast<unsigned>(record.parameter)),
                      rows,
                      columns,
                      record.row.factor,
                      record.column.factor,
                      record.element,
                      record.offset | record.batch.factor};
  const int bytes = instruction::bits(record.element) / 8;
  matrix.pointer = context.further(matrix.pointer, record.offset * bytes);
  if (context.plan.problem.batch == 1 || record.batch.factor == 0) return matrix;
  const Value index = as_i32(
      context.builder, mlir::gpu::BlockIdOp::create(context.builder, mlir::gpu::Dimension::y));
  matrix.pointer =
      context.further(matrix.pointer, context.wide(index, record.batch.factor * bytes));
  return matrix;
}

void fill_function(mlir::ImplicitLocOpBuilder& builder, mlir::gpu::GPUFuncOp function,
                   const MatmulRequest& request, const plan::MmaPlan& plan) {
  MmaContext context(builder, plan);
  const auto pointer = mlir::LLVM::LLVMPointerType::get(builder.getContext(), 3);
  context.shared = mlir::LLVM::AddressOfOp::create(builder, pointer, shared_name);
  place_thread(context);
  const plan::Problem& problem = request.problem;
  const GlobalMatrix a = matrix_of(context, function, request.a, problem.m, problem.k);
  const GlobalMatrix b = matrix_of(context, function, request.b, problem.k, problem.n);
  MmaResult result{matrix_of(context, function, request.d, problem.m, problem.n), {}, {}, request};
  if (request.c) result.c = matrix_of(context, function, *request.c, problem.m, problem.n);
  for (const MatrixRecord& extra : request.extras)
    result.extras.push_back(matrix_of(context, function, extra, problem.m, problem.n));
  const Sums start = initial_sums(context, request.constant.value_or(0));
  const Product product(context, a, b, start);
  const Value block =
      as_i32(builder, mlir::gpu::BlockIdOp::create(builder, mlir::gpu::Dimension::x));
  const auto store = [&](const BlockTile& tile, const Sums& sums) {
    store_sums(context, sums, tile, result);
  };
  if (plan.tiles.blocks == plan.blocks_m() * plan.blocks_n()) {
    product.compute(tile_at(context, block), store);
  } else {
    const Value blocks =
        as_i32(builder, mlir::gpu::GridDimOp::create(builder, mlir::gpu::Dimension::x));
    const Value tiles = context.constant(plan.blocks_m() * plan.blocks_n());
    product.compute_all(
        block, tiles, blocks, [&](Value number) { return tile_at(context, number); }, store);
  }
  mlir::gpu::ReturnOp::create(builder);
}

mlir::OwningOpRef<mlir::ModuleOp> build(mlir::MLIRContext& context, const MatmulRequest& request,
                                        const plan::MmaPlan& plan) {
  const mlir::Location location = mlir::UnknownLoc::get(&context);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(location);
  mlir::ImplicitLocOpBuilder builder(location, &context);
  builder.setInsertionPointToStart(module->getBody());
  auto gpu_module = mlir::gpu::GPUModuleOp::create(builder, "kernels");
  builder.setInsertionPointToStart(gpu_module.getBody());
  const auto bytes = mlir::LLVM::LLVMArrayType::get(builder.getI8Type(), 0);
  mlir::LLVM::GlobalOp::create(builder, bytes, /*isConstant=*/false, mlir::LLVM::Linkage::External,
                               shared_name, mlir::Attribute(),
                               /*alignment=*/128, /*addrSpace=*/3);
  const auto pointer = mlir::LLVM::LLVMPointerType::get(&context, 1);
  const std::vector<mlir::Type> arguments(parameter_roles(request).size(), pointer);
  auto function = mlir::gpu::GPUFuncOp::create(builder, request.function,
                                               mlir::FunctionType::get(&context, arguments, {}));
  function->setAttr(mlir::gpu::GPUDialect::getKernelFuncAttrName(), builder.getUnitAttr());
  builder.setInsertionPointToStart(&function.getBody().front());
  fill_function(builder, function, request, plan);
  return module;
}

struct NvidiaState final : KernelModule::State {
  void add_lowering_passes(mlir::OpPassManager& passes) const override {
    add_nvvm_lowering_passes(passes);
  }
  void add_interfaces() override { register_nvvm_interfaces(context); }
};

}  // namespace

std::unique_ptr<KernelModule> mma_kernel(const MatmulRequest& request, const plan::MmaPlan& plan) {
  auto state = std::make_unique<NvidiaState>();
  state->context
      .loadDialect<mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect, mlir::gpu::GPUDialect,
                   mlir::LLVM::LLVMDialect, mlir::NVVM::NVVMDialect, mlir::scf::SCFDialect>();
  state->module = build(state->context, request, plan);
  return std::make_unique<KernelModule>(std::move(state));
}

}  // namespace heddle::compiler
