// With `lead` tiles on their way while one is multiplied, LDS has lead + 1 of them, and a step is
//
//   wait until the tile is there, barrier, begin to copy the tile `lead` steps further, multiply
//
// The barrier says two things at once: that the copies of all waves are there, and that all waves
// have read the tile before, whose place the next copies take. With one tile in LDS, whose copies
// nothing hides, a second barrier stands between reading and copying. Where k ends inside the last
// tile, or only the kernel knows where, loads of what is beyond give zeros by a comparison, outside
// the loop of whole tiles; a descriptor says how many k are left. Scales of blocks of k, where the
// instruction reads them, are loaded into registers in the step in which the copy of their tile
// begins. gfx950 counts both together, which makes a wait longer than it has to be, never shorter.
#include "compiler/amd/copied_product.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "compiler/amd/direct_copies.h"
#include "compiler/amd/fragments.h"
#include "compiler/amd/scales.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace heddle::compiler {
namespace {

using mlir::Value;

// Where the kernel is between two steps.
struct CopyProgress {
  std::vector<Value> accumulators;
  std::vector<Value> k;       // i32: of the tile that is copied next, from the part's first
  std::vector<Value> stages;  // i32: LDS bytes at which the tile begins that is multiplied next,
                              // and the one that is copied next; none with one tile in LDS
  std::vector<Value> scales;  // of the tiles on their way, in their order

  std::vector<Value> values() const { return listed({&accumulators, &k, &stages, &scales}); }
  // The same with other values, in the order of values().
  CopyProgress with(mlir::ValueRange all) const {
    CopyProgress result = *this;
    spread(all, {&result.accumulators, &result.k, &result.stages, &result.scales});
    return result;
  }
};

class CopiedProduct {
  using MaybeExtent = std::optional<Extent>;  // absent: at least a whole tile

 public:
  CopiedProduct(const KernelContext& context, const Buffers& buffers)
      : context_(context),
        stages_(context.plan.tiles.stages),
        a_copies_(context, context.plan.a, buffers.a, 0),
        b_copies_(context, context.plan.b, buffers.b, context.plan.b_start()),
        a_fragments_(context, context.plan.a, 0),
        b_fragments_(context, context.plan.b, context.plan.b_start()) {
    if (!context.plan.problem.has_scales) return;
    scales_.emplace_back(context, context.plan.a, buffers.a_extras);
    scales_.emplace_back(context, context.plan.b, buffers.b_extras);
  }

  std::vector<Value> add_to(const std::vector<Value>& accumulators) const {
    const Extent& k = context_.part.depth;
    return k.is_known() ? add_to(accumulators, k.known) : add_to(accumulators, k.value);
  }

 private:
  int lead() const { return stages_ - 1; }
  int step() const { return context_.plan.tiles.k; }
  std::int64_t tile_bytes() const {
    return context_.plan.shared_bytes / static_cast<unsigned>(stages_);
  }
  int copies_of_tile() const { return a_copies_.count() + b_copies_.count(); }
  std::ptrdiff_t scales_of_tile() const {
    std::uint64_t count = 0;
    if (!scales_.empty())
      for (const plan::OperandPlan* operand : {&context_.plan.a, &context_.plan.b})
        count +=
            operand->scales.inputs().size_of("atom") * operand->scales.inputs().size_of("k_atom");
    return static_cast<std::ptrdiff_t>(count);
  }

  std::vector<Value> add_to(const std::vector<Value>& accumulators, std::int64_t k) const {
    const std::int64_t steps = (k + step() - 1) / step();
    const std::int64_t ahead = std::min<std::int64_t>(lead(), steps);
    const auto left = [&](std::int64_t tile) { return Extent{k - tile * step(), {}}; };
    CopyProgress progress = first(accumulators, ahead);
    for (std::int64_t tile = 0; tile < ahead; ++tile)
      append(progress.scales, copy(context_.constant(tile * step()), stage(tile), left(tile)));
    const bool last_is_partial = k % step() != 0 && steps > ahead;
    const std::int64_t whole = steps - ahead - (last_is_partial ? 1 : 0);
    if (whole > 0)
      progress = loop(progress, context_.constant(whole),
                      [&](const CopyProgress& at) { return advance(at, at.k[0], std::nullopt); });
    if (last_is_partial) progress = advance(progress, progress.k[0], left(steps - 1));
    for (std::int64_t waiting = ahead; waiting > 0; --waiting) {
      await(waiting - 1);
      progress = multiply(progress);
    }
    return progress.accumulators;
  }

  // Where only the kernel knows k. Tiles beyond it are zeros, and not read from memory.
  std::vector<Value> add_to(const std::vector<Value>& accumulators, Value k) const {
    mlir::ImplicitLocOpBuilder& builder = context_.builder;
    const auto left = [&](Value at) -> Value {
      return mlir::arith::SubIOp::create(builder, k, mlir::arith::MinUIOp::create(builder, at, k));
    };
    // The scalar offset of a load must not leave the matrix: a tile beyond has that of the first.
    const auto inside = [&](Value at) -> Value {
      const Value is_inside =
          mlir::arith::CmpIOp::create(builder, mlir::arith::CmpIPredicate::ult, at, k);
      return mlir::arith::SelectOp::create(builder, is_inside, at, context_.constant(0));
    };
    CopyProgress progress = first(accumulators, lead());
    for (std::int64_t tile = 0; tile < lead(); ++tile) {
      const Value at = context_.constant(tile * step());
      append(progress.scales, copy(inside(at), stage(tile), Extent{-1, left(at)}));
    }
    const auto shift = std::countr_zero(static_cast<unsigned>(step()));
    const Value steps = mlir::arith::ShRUIOp::create(
        builder, context_.add(k, std::int64_t{step() - 1}), context_.constant(shift));
    const Value whole = mlir::arith::ShRUIOp::create(builder, k, context_.constant(shift));
    const Value ahead = context_.constant(lead());
    const Value in_loop = context_.left(whole, ahead);
    progress = loop(progress, in_loop,
                    [&](const CopyProgress& at) { return advance(at, at.k[0], std::nullopt); });
    // What is left of k behind whole tiles, where it is not on its way already.
    const Value rest = left(progress.k[0]);
    progress = where(context_.differs(rest, 0), progress, [&](const CopyProgress& at) {
      return advance(at, at.k[0], Extent{-1, rest});
    });
    for (std::int64_t waiting = lead(); waiting > 0; --waiting) {
      const auto last = [&](const CopyProgress& at) {
        await(waiting - 1);
        return multiply(at);
      };
      if (waiting == 1) return last(progress).accumulators;  // of one tile at least
      progress = where(mlir::arith::CmpIOp::create(builder, mlir::arith::CmpIPredicate::uge, steps,
                                                   context_.constant(waiting)),
                       progress, last);
    }
    return progress.accumulators;
  }

  CopyProgress where(Value condition, const CopyProgress& at,
                     llvm::function_ref<CopyProgress(const CopyProgress&)> body) const {
    mlir::ImplicitLocOpBuilder& builder = context_.builder;
    const std::vector<Value> before = at.values();
    auto branch = mlir::scf::IfOp::create(builder, mlir::ValueRange(before).getTypes(), condition,
                                          /*addThenBlock=*/true, /*addElseBlock=*/true);
    const mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    mlir::scf::YieldOp::create(builder, body(at).values());
    builder.setInsertionPointToStart(branch.elseBlock());
    mlir::scf::YieldOp::create(builder, before);
    return at.with(branch.getResults());
  }

  static void append(std::vector<Value>& all, const std::vector<Value>& more) {
    all.insert(all.end(), more.begin(), more.end());
  }

  Value stage(std::int64_t tile) const {
    return tile == 0 ? Value() : context_.constant(tile * tile_bytes());
  }

  // Before the first step, with so many tiles on their way.
  CopyProgress first(const std::vector<Value>& accumulators, std::int64_t ahead) const {
    CopyProgress progress{accumulators, {context_.constant(ahead * step())}, {}, {}};
    if (stages_ > 1)
      progress.stages = {context_.constant(0), context_.constant(lead() * tile_bytes())};
    return progress;
  }

  CopyProgress loop(const CopyProgress& first, Value steps,
                    llvm::function_ref<CopyProgress(const CopyProgress&)> body) const {
    return first.with(rolled_loop(context_, context_.constant(0), steps, first.values(),
                                  [&](Value, const std::vector<Value>& values) {
                                    return body(first.with(values)).values();
                                  }));
  }

  // One step, which copies the tile at `k`, from the part's first.
  CopyProgress advance(const CopyProgress& at, Value k, const MaybeExtent& k_left) const {
    CopyProgress with_scales = at;
    await(stages_ == 1 ? 0 : lead() - 1);
    append(with_scales.scales, copy(k, stages_ == 1 ? Value() : at.stages[1], k_left));
    if (stages_ == 1) await(0);
    CopyProgress next = multiply(with_scales);
    next.scales.resize(at.scales.size());
    next.k = {context_.add(at.k[0], std::int64_t{step()})};
    return next;
  }

  // Until all but the last so many tiles are there, of all waves.
  void await(std::int64_t tiles) const {
    await_copies(context_, static_cast<int>(tiles) * copies_of_tile());
  }

  // What it returns are the tile's scales.
  std::vector<Value> copy(Value k, Value stage, const MaybeExtent& k_left) const {
    const Value first = context_.part.first_k;
    const Value at = first ? context_.add(first, k) : k;
    std::vector<Value> loaded;
    for (const Scales& scales : scales_) append(loaded, scales.load(at, k_left));
    a_copies_.copy(at, stage, k_left);
    b_copies_.copy(at, stage, k_left);
    return loaded;
  }

  // Afterwards the scales of the tile come behind all others.
  CopyProgress multiply(const CopyProgress& at) const {
    CopyProgress next = at;
    const Value stage = at.stages.empty() ? Value() : at.stages[0];
    const std::vector<Value> of_tile(at.scales.begin(), at.scales.begin() + scales_of_tile());
    next.accumulators =
        multiply_tile(context_, a_fragments_, b_fragments_, at.accumulators,
                      bases(a_fragments_, stage), bases(b_fragments_, stage), of_tile);
    std::ranges::rotate(next.scales,
                        next.scales.begin() + static_cast<std::ptrdiff_t>(of_tile.size()));
    if (stages_ > 1) next.stages = {after(at.stages[0]), at.stages[0]};
    keep_apart(context_);
    return next;
  }

  // Of the loads from the tile `stage` bytes further than the first; null for 0.
  std::vector<Value> bases(const Fragments& fragments, Value stage) const {
    std::vector<Value> all = fragments.lds_bases();
    if (!stage) return all;
    for (Value& base : all) base = context_.add(base, stage);
    return all;
  }

  Value after(Value stage) const {
    const Value last = context_.constant(lead() * tile_bytes());
    mlir::ImplicitLocOpBuilder& builder = context_.builder;
    if (stages_ == 2) return mlir::arith::SubIOp::create(builder, last, stage);
    const Value is_last =
        mlir::arith::CmpIOp::create(builder, mlir::arith::CmpIPredicate::eq, stage, last);
    return mlir::arith::SelectOp::create(builder, is_last, context_.constant(0),
                                         context_.add(stage, tile_bytes()));
  }

  const KernelContext& context_;
  int stages_;
  DirectCopies a_copies_, b_copies_;
  Fragments a_fragments_, b_fragments_;
  std::vector<Scales> scales_;  // of A and of B
};

}  // namespace

std::vector<Value> copied_product(const KernelContext& context, const Buffers& buffers,
                                  const std::vector<Value>& accumulators) {
  return CopiedProduct(context, buffers).add_to(accumulators);
}

}  // namespace heddle::compiler
