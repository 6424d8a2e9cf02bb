// The kernel of one thread block, with mma.sync:
//
//   global memory --cp.async--> stages in shared memory --ldmatrix--> fragments --mma--> sums
//
// While the tile in one stage is multiplied, the copies of the next stages - 1 tiles (along k) are
// in flight. The fragments of the next k atom are loaded before those of the present one are
// multiplied; at the end of a tile, these are the first fragments of the next tile.
//
// There is one barrier for each tile along k. It comes after every thread has waited for its own
// copies of the next tile, and before the first fragments of the next tile are loaded. Copies that
// begin after the barrier may overwrite the stage that was read before it.
//
// A thread block computes one tile of D, or several tiles one after the other. In the latter case,
// the first copies for the next tile of D follow the last copies for the present one, so that the
// next tile does not start with a wait.
#include <algorithm>
#include <functional>
#include <optional>

#include "compiler/kernel/parts.h"
#include "compiler/kernel/product_kernel.h"
#include "compiler/nvidia/mma_fragments.h"
#include "compiler/nvidia/result_stores.h"
#include "compiler/nvidia/tile_copies.h"
#include "compiler/nvidia/tile_order.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace heddle::compiler {
namespace {

using mlir::Value;

// The name of the shared memory: the function's name with an ending, so that it differs from the
// names of all functions.
std::string shared_name(const MatmulRequest& request) { return request.function + "_shared_tiles"; }

// The kernel's state between two tiles along k.
struct Progress {
  Sums sums;
  std::vector<Value> a, b;    // fragments of the tile's first k atom
  std::vector<Value> stages;  // i32: bytes to the stage that is read, and to the one written next
  std::vector<Value> copies;  // of A and B: where the tile is that is copied next

  std::vector<Value> values() const { return listed({&sums, &a, &b, &stages, &copies}); }
  /// A copy of this state whose values are replaced by `all`, in the order of values().
  Progress with(mlir::ValueRange all) const {
    Progress result = *this;
    spread(all, {&result.sums, &result.a, &result.b, &result.stages, &result.copies});
    return result;
  }
  /// The values of the state that the next tile of D continues with.
  std::vector<Value> between_tiles() const { return listed({&a, &b, &stages}); }
  Progress with_between_tiles(mlir::ValueRange all) const {
    Progress result = *this;
    spread(all, {&result.a, &result.b, &result.stages});
    return result;
  }
  Value& read() { return stages[0]; }
  Value read() const { return stages[0]; }
  Value& write() { return stages[1]; }
  Value write() const { return stages[1]; }
};

std::uint32_t bytes_of_a(const plan::MmaPlan& plan) {
  return static_cast<std::uint32_t>((plan.a.placement.bytes + 127) / 128 * 128);
}

class Product {
 public:
  using Store = llvm::function_ref<void(const BlockTile&, const Sums&)>;

  Product(const MmaContext& context, const GlobalMatrices& matrices, const Sums& start)
      : context_(context),
        matrices_(matrices),
        start_(start),
        a_fragments_(context, context.plan.a, 0),
        b_fragments_(context, context.plan.b, bytes_of_a(context.plan)) {}

  // The block's only tile.
  void compute(const BlockTile& tile, Store store) const {
    const Copies copies = copies_of(tile);
    store(tile, multiplied(begin(copies), copies, nullptr).sums);
  }

  // Computes the tiles of D with the numbers `first`, first + step … below `count`; `place` says
  // where a tile lies in D. While the last tiles along k are multiplied for one tile of D, the
  // first copies for the next tile of D begin.
  void compute_all(Value first, Value count, Value step, llvm::function_ref<BlockTile(Value)> place,
                   Store store) const {
    const Progress begun = begin(copies_of(place(first)));
    counted_loop(context_, first, count, step, begun.between_tiles(),
                 [&](Value number, const std::vector<Value>& values) {
                   const Value following = context_.add(number, step);
                   const BlockTile tile = place(number);
                   BlockTile next = place(following);
                   next.valid = mlir::arith::CmpIOp::create(
                       context_.builder, mlir::arith::CmpIPredicate::ult, following, count);
                   const Copies copies = copies_of(tile), next_copies = copies_of(next);
                   const Progress done =
                       multiplied(begun.with_between_tiles(values), copies, &next_copies);
                   store(tile, done.sums);
                   return done.between_tiles();
                 });
  }

 private:
  using Left = std::optional<Extent>;  // columns of A left for a copy; nothing: no copy

  struct Copies {
    TileCopies a, b;
  };
  Copies copies_of(const BlockTile& tile) const {
    const plan::MmaPlan& plan = context_.plan;
    return {TileCopies(context_, plan.a, matrices_, tile, 0),
            TileCopies(context_, plan.b, matrices_, tile, bytes_of_a(plan))};
  }
  // The number of tiles along k that are copied ahead.
  std::int64_t ahead() const { return context_.plan.tiles.stages - 1; }

  // The first copies, and the first fragments.
  Progress begin(const Copies& copies) const {
    const Extent& k = context_.part.depth;
    const std::int64_t tile_k = context_.plan.tiles.k;
    Progress progress = from_copy(0, copies, {});
    progress.stages = {context_.constant(0), context_.constant(0)};
    for (std::int64_t tile = 0; k.is_known() && tile < ahead(); ++tile) {
      if (tile * tile_k < k.known)
        progress = copied(copies, progress, {k.known - tile * tile_k, {}});
      commit();
    }
    if (!k.is_known()) progress = first_copies(copies, progress);
    wait();
    fetch(0, progress.read(), progress.a, progress.b);
    return progress;
  }
  // Starts the first copies, if k is not known at compile time. Each copy is compared with k, which
  // takes much code, so the copies are in a loop.
  Progress first_copies(const Copies& copies, Progress progress) const {
    const std::vector<Value> first{progress.copies[0], progress.copies[1], progress.write()};
    const auto take = [&](const std::vector<Value>& values) {
      progress.copies = {values[0], values[1]};
      progress.write() = values[2];
    };
    take(rolled_loop(context_, context_.constant(0), context_.constant(ahead()), first,
                     [&](Value number, const std::vector<Value>& values) -> std::vector<Value> {
                       take(values);
                       const Progress next = copied_if_any(copies, progress, left_from(number));
                       commit();
                       return {next.copies[0], next.copies[1], next.write()};
                     }));
    return progress;
  }
  // The same state, but the tile that is copied next is number `number` along k.
  static Progress from_copy(std::int64_t number, const Copies& copies, Progress progress) {
    progress.copies = {copies.a.first(number), copies.b.first(number)};
    return progress;
  }

  // Multiplies the tiles along k, after their first copies have begun. If there is a `next` tile of
  // D, also begins the first copies for it, and the returned state has its first fragments.
  // Otherwise the state has no fragments.
  Progress multiplied(Progress progress, const Copies& copies, const Copies* next) const {
    progress = from_copy(ahead(), copies, std::move(progress));
    progress.sums = start_;
    const Extent& k = context_.part.depth;
    if (!k.is_known()) return multiplied_to_end(progress, copies);
    const std::int64_t tile_k = context_.plan.tiles.k;
    const std::int64_t tiles = (k.known + tile_k - 1) / tile_k;
    const std::int64_t whole = std::max<std::int64_t>(k.known / tile_k - ahead(), 0);
    const bool partial = k.known % tile_k != 0 && tiles > ahead();
    const std::int64_t last = tiles - whole - (partial ? 1 : 0);
    const auto count = [&](std::int64_t number) { return context_.constant(number); };
    if (whole > 0) progress = loop(progress, count(0), count(whole), copies, whole_tile());
    if (partial) progress = advance(progress, copies, Extent{k.known % tile_k, {}});
    if (next != nullptr)
      return loop(from_copy(0, *next, progress), count(0), count(last), *next, whole_tile());
    return last == 0 ? progress : loop(progress, count(0), count(last), copies, no_copy());
  }
  // Does the same if k is not known at compile time. For the last tiles the kernel tests whether
  // there is another tile to copy.
  Progress multiplied_to_end(Progress progress, const Copies& copies) const {
    const Value k = context_.part.depth.value;
    const std::int64_t tile_k = context_.plan.tiles.k;
    const auto divided = [&](Value x) -> Value {
      return mlir::arith::DivUIOp::create(context_.builder, x, context_.constant(tile_k));
    };
    const Value whole = mlir::arith::MaxSIOp::create(
        context_.builder, context_.add(divided(k), -ahead()), context_.constant(0));
    const Value tiles = divided(context_.add(k, tile_k - 1));
    progress = loop(progress, context_.constant(0), whole, copies, whole_tile());
    return loop(progress, whole, tiles, copies,
                [&](Value tile) -> Left { return left_from(context_.add(tile, ahead())); });
  }

  // The number of k (columns of A) from the first k of tile number `tile` along k to the end.
  Extent left_from(Value tile) const {
    const Value first = context_.multiply(tile, context_.plan.tiles.k);
    const Value rest = mlir::arith::SubIOp::create(context_.builder,
                                                   context_.value_of(context_.part.depth), first);
    return {-1, mlir::arith::MaxSIOp::create(context_.builder, rest, context_.constant(0))};
  }
  // A function that returns, while tile number n along k is multiplied, how many k are left from
  // the beginning of the tile that is copied meanwhile; nothing: no tile is copied.
  using LeftOfTile = std::function<Left(Value)>;
  LeftOfTile whole_tile() const {
    return [this](Value) -> Left { return Extent{context_.plan.tiles.k, {}}; };
  }
  static LeftOfTile no_copy() {
    return [](Value) -> Left { return std::nullopt; };
  }

  void commit() const { mlir::NVVM::CpAsyncCommitGroupOp::create(context_.builder); }
  // Waits until the tile that is multiplied next has arrived in shared memory, with the copies of
  // all threads.
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
    return context_.select(context_.equal(stage, last), context_.constant(0),
                           context_.add(stage, bytes));
  }

  // The copies of the next tile along k are divided into `parts` parts, as evenly as possible.
  // Starts those of part number `part`.
  void copy_part(const Copies& copies, const Progress& at, const Extent& k_left, std::size_t part,
                 std::size_t parts) const {
    const auto share = [&](const TileCopies& operand, Value pointer) {
      operand.copy(operand.count() * part / parts, operand.count() * (part + 1) / parts, pointer,
                   at.write(), k_left);
    };
    share(copies.a, at.copies[0]);
    share(copies.b, at.copies[1]);
  }
  Progress past_copy(const Copies& copies, const Progress& at) const {
    Progress next = at;
    next.copies = {copies.a.next(at.copies[0]), copies.b.next(at.copies[1])};
    next.write() = next_stage(at.write());
    return next;
  }
  Progress copied(const Copies& copies, const Progress& at, const Extent& k_left) const {
    copy_part(copies, at, k_left, 0, 1);
    return past_copy(copies, at);
  }
  // Copies a tile as copied() does, for a k that may be 0. If k is 0, no element of the matrices
  // may be read. So if copies of A or B may go through registers, all copies are skipped.
  Progress copied_if_any(const Copies& copies, const Progress& at, const Extent& k_left) const {
    if (!context_.plan.a.by_registers && !context_.plan.a.checks_alignment &&
        !context_.plan.b.by_registers && !context_.plan.b.checks_alignment)
      return copied(copies, at, k_left);
    const Value any = context_.differs(context_.part.depth.value, 0);
    run_if(context_, any, [&] { copy_part(copies, at, k_left, 0, 1); });
    return past_copy(copies, at);
  }

  // Multiplies one tile along k, while another tile is copied. `k_left` is the number of k from the
  // beginning of that other tile to the end; without a value no tile is copied.
  Progress advance(const Progress& at, const Copies& copies, Left k_left) const {
    const auto atoms = static_cast<std::uint64_t>(context_.plan.atoms_k());
    Progress next = at;
    for (std::uint64_t atom = 0; atom < atoms; ++atom) {
      std::vector<Value> a, b;
      if (k_left) copy_part(copies, at, *k_left, atom, atoms);
      if (atom + 1 == atoms) {
        commit();
        wait();
        next.read() = next_stage(at.read());
        fetch(0, next.read(), a, b);
      } else {
        fetch(atom + 1, at.read(), a, b);
      }
      multiply(context_, next.a, next.b, next.sums);
      next.a = a;
      next.b = b;
    }
    if (!k_left) return next;
    const Progress past = past_copy(copies, at);
    next.copies = past.copies;
    next.write() = past.write();
    return next;
  }

  // The tiles [from, to) along k.
  Progress loop(const Progress& first, Value from, Value to, const Copies& copies,
                const LeftOfTile& k_left) const {
    return first.with(rolled_loop(
        context_, from, to, first.values(), [&](Value tile, const std::vector<Value>& values) {
          return advance(first.with(values), copies, k_left(tile)).values();
        }));
  }

  const MmaContext& context_;
  const GlobalMatrices& matrices_;
  const Sums& start_;
  MmaFragments a_fragments_, b_fragments_;
};

BlockTile tile_at(const MmaContext& context, Value number) {
  const plan::Tiling& tiles = context.plan.tiles;
  const auto [row, column] =
      tile_place(context, number, pieces(context, context.size(plan::Loop::m), tiles.m),
                 pieces(context, context.size(plan::Loop::n), tiles.n), tiles.group);
  BlockTile tile;
  tile.m = context.named("tile_m", context.multiply(row, tiles.m));
  tile.n = context.named("tile_n", context.multiply(column, tiles.n));
  return tile;
}

// Sets the block's part of k, whose number is blockIdx.z.
void place_part(MmaContext& context) {
  const plan::MmaPlan& plan = context.plan;
  context.part.depth = context.size(plan::Loop::k);
  if (plan.tiles.split_k == 1) return;
  const auto block = [&](mlir::gpu::Dimension dimension) {
    return block_number(context, dimension);
  };
  const Value part = block(mlir::gpu::Dimension::z);
  const Value tile = context.add(
      context.multiply(block(mlir::gpu::Dimension::y), plan.blocks_m() * plan.blocks_n()),
      block(mlir::gpu::Dimension::x));
  context.part = part_of_k(context, plan, part, tile);
}

void fill_function(mlir::ImplicitLocOpBuilder& builder, mlir::gpu::GPUFuncOp function,
                   const MatmulRequest& request, const plan::MmaPlan& plan) {
  MmaContext context(builder, request, plan);
  const auto pointer = mlir::LLVM::LLVMPointerType::get(builder.getContext(), 3);
  context.shared = mlir::LLVM::AddressOfOp::create(builder, pointer, shared_name(request));
  read_sizes(context, request, function);
  place_thread(context, plan.tiles.lanes);
  place_part(context);
  const Extent& batches = context.size(plan::Loop::batch);
  Value batch;
  if (!batches.is_known() || batches.known != 1)
    batch = block_number(context, mlir::gpu::Dimension::y);
  const auto matrices = product_matrices<GlobalMatrix>(
      request, [&](const MatrixRecord& record, plan::Loop rows, plan::Loop columns) {
        const Value pointer = function.getArgument(static_cast<unsigned>(record.parameter));
        return context.matrix(record, pointer, rows, columns, batch);
      });
  const HeldSums held{plan.result, plan.atoms_m(), plan.atoms_n(), plan.tiles.m, plan.tiles.n};
  const Sums start(
      static_cast<std::size_t>(held.atoms_m * held.atoms_n) * plan.result.input_size("register"),
      Epilogue(context, request).initial(sum_type(context), context.part.part));
  const Product product(context, matrices, start);
  const Value block = block_number(context, mlir::gpu::Dimension::x);
  const auto store = [&](const BlockTile& tile, const Sums& sums) {
    const auto store_all = [&](const Sums& all) {
      store_sums(context, held, all, tile, request, matrices);
    };
    if (plan.tiles.split_k == 1) return store_all(sums);
    const Value workspace = function.getArgument(function.getNumArguments() - 1);
    const auto barrier = [&] {
      // The stages are used for something else now, so first wait for copies that may still write
      // there.
      mlir::NVVM::CpAsyncWaitGroupOp::create(builder, 0);
      mlir::NVVM::Barrier0Op::create(builder);
    };
    const PartsMemory memory{plan.split_memory(),
                             workspace,
                             context.shared,
                             "device",
                             thread_number(context, plan.tiles.lanes),
                             barrier};
    add_parts(context, memory, context.part.tile, context.part.part, plan.problem.combine, sums,
              [&](ReadSums all) { store_all(all(0, sums.size())); });
  };
  if (plan.has_one_tile_each()) {
    product.compute(tile_at(context, block), store);
  } else {
    const Value blocks = mlir::arith::IndexCastOp::create(
        builder, builder.getI32Type(),
        mlir::gpu::GridDimOp::create(builder, mlir::gpu::Dimension::x));
    const Value tiles = context.constant(plan.blocks_m() * plan.blocks_n());
    product.compute_all(
        block, tiles, blocks, [&](Value number) { return tile_at(context, number); }, store);
  }
  mlir::gpu::ReturnOp::create(builder);
}

}  // namespace

std::unique_ptr<KernelModule> product_kernel(const MatmulRequest& request,
                                             const plan::MmaPlan& plan) {
  return kernel_for(plan.target, [&](mlir::ImplicitLocOpBuilder& builder, mlir::gpu::GPUModuleOp) {
    const auto bytes = mlir::LLVM::LLVMArrayType::get(builder.getI8Type(), 0);
    mlir::LLVM::GlobalOp::create(builder, bytes, /*isConstant=*/false,
                                 mlir::LLVM::Linkage::External, shared_name(request),
                                 mlir::Attribute(), /*alignment=*/128, /*addrSpace=*/3);
    const auto types = parameter_types(builder, request, plan.tiles.split_k > 1);
    auto function = mlir::gpu::GPUFuncOp::create(
        builder, request.function, mlir::FunctionType::get(builder.getContext(), types, {}));
    function->setAttr(mlir::gpu::GPUDialect::getKernelFuncAttrName(), builder.getUnitAttr());
    builder.setInsertionPointToStart(&function.getBody().front());
    fill_function(builder, function, request, plan);
  });
}

}  // namespace heddle::compiler
