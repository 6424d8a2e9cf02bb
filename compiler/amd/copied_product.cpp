// The loop over k if A or B is copied straight to LDS. A "step" multiplies one tile. While it does,
// the copies of the next `lead` tiles are in flight, so LDS has room for lead + 1 tiles. A step is
//
//   wait until the tile has arrived, barrier, begin to copy the tile `lead` steps ahead, multiply
//
// After the barrier the copies of all waves have arrived, and all waves have read the previous
// tile, which the copies of this step overwrite. If LDS has room for one tile only, no
// multiplication hides its copies, and a second barrier separates reading from copying.
//
// Iterations of the loop:
// - An iteration has one step for each tile in LDS, so that offsets in LDS are constants in the
// instructions. With multiply-adds, whose steps are long, an iteration has one step.
// - With matrix instructions the first step stands before the loop, because its products are added
// to a constant.
// - If k ends inside the last tile, that tile is copied outside the loop, with a comparison that
// makes loads beyond k give zeros. A tile descriptor contains how many k are left and needs no
// comparison.
// - If k is not known at compile time and LDS has several tiles, the partial tile is multiplied
// first, so that all other tiles are whole.
//
// If the instruction reads scales of blocks of consecutive k, the scales of a tile are loaded into
// registers in the step in which the copy of the tile begins. gfx950 counts these loads and the
// copies with one counter, so a wait may be longer than necessary, but never shorter.
//
// In ping-pong (ping_pong.h) the only barriers are those between the turns of the two halves of the
// waves. There a step waits for the next tile at the end of its last turn of loads.
//
// If only one operand is copied straight, the other one passes through registers in two halves: it
// is loaded into registers when the copies of the first operand begin, and is stored, after the
// multiplication, to the same tile of LDS as those copies.
#include "compiler/amd/copied_product.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "compiler/amd/fragments.h"
#include "compiler/amd/operand_copies.h"
#include "compiler/amd/ping_pong.h"
#include "compiler/amd/scales.h"
#include "compiler/plan/fma_atom.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace heddle::compiler {
namespace {

using mlir::Value;

// The kernel's state between two steps.
struct CopyProgress {
  std::vector<Value> accumulators;
  std::vector<Value> k;       // i32: of the tile that is copied next, from the part's first
  std::vector<Value> scales;  // of the tiles on their way, in their order
  // Which tile of LDS is multiplied next, if that is known at compile time. Otherwise `begin` has
  // the offsets in LDS (i32, bytes) of two tiles: the one that is multiplied next, and the one that
  // is copied next.
  int stage = 0;
  std::vector<Value> begin;

  std::vector<Value> values() const { return listed({&accumulators, &k, &begin, &scales}); }
  // A copy of this state whose values are replaced by `all`, in the order of values().
  CopyProgress with(mlir::ValueRange all) const {
    CopyProgress result = *this;
    spread(all, {&result.accumulators, &result.k, &result.begin, &result.scales});
    return result;
  }
};

class CopiedProduct {
  using MaybeExtent = std::optional<Extent>;  // absent: at least a whole tile

 public:
  CopiedProduct(const KernelContext& context, const Buffers& buffers)
      : context_(context),
        stages_(context.plan.tiles.stages),
        a_copies_(context, context.plan.a, buffers.a, buffers.a_extras, 0),
        b_copies_(context, context.plan.b, buffers.b, buffers.b_extras, context.plan.b_start()),
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
  CopyCount copies_of_tile() const { return a_copies_.count() + b_copies_.count(); }
  std::ptrdiff_t scales_of_tile() const {
    std::uint64_t count = 0;
    if (!scales_.empty())
      for (const plan::OperandPlan* operand : {&context_.plan.a, &context_.plan.b})
        count +=
            operand->scales.inputs().size_of("atom") * operand->scales.inputs().size_of("k_atom");
    return static_cast<std::ptrdiff_t>(count);
  }

  bool takes_turns() const { return context_.plan.ping_pong; }
  bool has_short_steps() const { return !plan::is_fma(*context_.plan.instruction); }
  // The number of steps in an iteration of the loop.
  int steps_in_turn() const { return has_short_steps() ? stages_ : 1; }

  std::vector<Value> add_to(const std::vector<Value>& accumulators, std::int64_t k) const {
    const std::int64_t steps = (k + step() - 1) / step();
    const std::int64_t ahead = std::min<std::int64_t>(lead(), steps);
    const auto left = [&](std::int64_t tile) { return Extent{k - tile * step(), {}}; };
    CopyProgress progress{accumulators, {context_.constant(ahead * step())}, {}, 0, {}};
    std::vector<BegunTile> begun;
    for (int tile = 0; tile < ahead; ++tile)
      begun.push_back(begin(context_.constant(tile * step()), begin_of(tile), left(tile)));
    for (const BegunTile& tile : begun) append(progress.scales, end(tile));
    first_turns(ahead);
    const bool last_is_partial = k % step() != 0 && steps > ahead;
    std::int64_t whole = steps - ahead - (last_is_partial ? 1 : 0);
    if (whole > 0 && has_short_steps()) {
      progress = advance(progress, std::nullopt);
      --whole;
    }
    if (const std::int64_t turns = whole / steps_in_turn(); turns > 1) {
      progress = loop(progress, context_.constant(turns));
      whole %= steps_in_turn();
    }
    for (; whole > 0; --whole) progress = advance(progress, std::nullopt);
    if (last_is_partial) progress = advance(progress, left(steps - 1));
    for (std::int64_t waiting = ahead; waiting > 0; --waiting)
      progress = without_copy(progress, waiting);
    return progress.accumulators;
  }

  // Multiplies for a k that is not known at compile time. A tile beyond the last one is copied as
  // zeros, without reading memory. The first step adds to a constant, so it always runs. On CDNA
  // the last step always runs, too; if there is only one tile, it multiplies zeros. A condition on
  // it would make LLVM move the sums of two code blocks out of the accumulation registers.
  std::vector<Value> add_to(const std::vector<Value>& accumulators, Value k) const {
    mlir::ImplicitLocOpBuilder& builder = context_.builder;
    const auto shift = std::countr_zero(static_cast<unsigned>(step()));
    const Value steps = mlir::arith::ShRUIOp::create(
        builder, context_.add(k, std::int64_t{step() - 1}), context_.constant(shift));
    const auto has_tile = [&](int tile) -> Value {
      return mlir::arith::CmpIOp::create(builder, mlir::arith::CmpIPredicate::ugt, steps,
                                         context_.constant(tile));
    };
    const auto where_there = [&](int tile, std::int64_t number) -> Value {
      return mlir::arith::SelectOp::create(builder, has_tile(tile), context_.constant(number),
                                           context_.constant(0));
    };
    const Value last = context_.multiply(context_.add(steps, std::int64_t{-1}), step());
    const Extent in_last{-1, mlir::arith::SubIOp::create(builder, k, last)};
    CopyProgress progress{accumulators, {context_.constant(0)}, {}, 0, {}};
    if (stages_ == 1) {
      progress = loop(progress, context_.left(steps, context_.constant(1)));
      return advance(progress, in_last).accumulators;
    }
    std::vector<BegunTile> begun{begin(last, begin_of(0), in_last)};
    for (int tile = 1; tile < lead(); ++tile)
      begun.push_back(begin(where_there(tile, (tile - 1) * step()), begin_of(tile),
                            Extent{-1, where_there(tile, step())}));
    for (const BegunTile& tile : begun) append(progress.scales, end(tile));
    first_turns(lead());
    const auto copy_further = [&] {
      return BegunTile::ended(
          lead() == 1 ? copy(context_.constant(0), begin_of(1), Extent{-1, where_there(1, step())})
                      : copy_if(has_tile(lead()), context_.constant((lead() - 1) * step()),
                                begin_of(lead())));
    };
    // If tile number `lead` does not exist, the last copies in flight are those of the tile before
    // it.
    progress = with_copy(progress, copy_further, std::max(lead() - 2, 0));
    progress.k = {context_.constant(lead() * step())};
    progress = counted_loop(progress, context_.left(steps, context_.constant(lead() + 1)));
    const bool is_cdna = instruction::is_cdna(instruction::row(context_.plan.target).family);
    for (int waiting = lead(); waiting > 0; --waiting) {
      const auto one_step = [&](const CopyProgress& at) { return without_copy(at, waiting); };
      progress = waiting == 1 && is_cdna ? one_step(progress)
                                         : where(has_tile(waiting), progress, one_step);
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

  // The offset of tile `stage` in LDS (i32, bytes), as a value of the kernel; null for offset 0.
  Value begin_of(int stage) const {
    return stage == 0 ? Value() : context_.constant(stage * tile_bytes());
  }
  int after(int stage, int steps = 1) const { return (stage + steps) % stages_; }

  // The same state, with offsets in LDS that are values of the kernel (`begin`) instead of a tile
  // number that is known at compile time (`stage`).
  CopyProgress with_begin(CopyProgress at) const {
    if (stages_ == 1) return at;
    at.begin = {context_.constant(at.stage * tile_bytes()),
                context_.constant(after(at.stage, lead()) * tile_bytes())};
    at.stage = 0;
    return at;
  }
  CopyProgress with_stage(CopyProgress at, int stage) const {
    at.begin.clear();
    at.stage = stage;
    return at;
  }

  // Multiplies `steps` whole tiles, a number that is not known at compile time. The loop runs as
  // many whole iterations as fit; the steps that are left come after the loop, each under a
  // condition.
  CopyProgress counted_loop(const CopyProgress& first, Value steps) const {
    const int in_turn = steps_in_turn();
    if (in_turn == 1) return loop(first, steps);
    const Value turns = context_.divide(steps, in_turn);
    const Value rest = context_.remainder(steps, in_turn);
    CopyProgress progress = with_begin(loop(first, turns));
    for (int step = 0; step + 1 < in_turn; ++step) {
      const Value is_left = mlir::arith::CmpIOp::create(
          context_.builder, mlir::arith::CmpIPredicate::ugt, rest, context_.constant(step));
      progress = where(is_left, progress, [&](const CopyProgress& at) {
        return with_begin(advance(with_stage(at, after(first.stage, step)), std::nullopt));
      });
    }
    return progress;
  }

  // A loop of `turns` iterations over whole tiles. If an iteration has only one step, the tile in
  // LDS changes from iteration to iteration, so its offset is a value that the kernel computes.
  CopyProgress loop(CopyProgress first, Value turns) const {
    if (steps_in_turn() == 1) first = with_begin(first);
    const auto turn = [&](Value, const std::vector<Value>& values) {
      CopyProgress at = first.with(values);
      for (int i = 0; i < steps_in_turn(); ++i) at = advance(at, std::nullopt);
      return at.values();
    };
    return first.with(rolled_loop(context_, context_.constant(0), turns, first.values(), turn));
  }

  // One step: multiplies the next tile, and begins to copy the tile whose first k is at.k.
  CopyProgress advance(const CopyProgress& at, const MaybeExtent& k_left) const {
    const Value to = at.begin.empty() ? begin_of(after(at.stage, lead())) : at.begin[1];
    CopyProgress next =
        with_copy(at, [&] { return begin(at.k[0], to, k_left); }, std::max(lead() - 1, 0));
    next.k = {context_.add(at.k[0], std::int64_t{step()})};
    return next;
  }

  // A tile whose loads and copies have all begun. If an operand passes through registers, its part
  // of the tile reaches LDS only when end() has run.
  struct BegunTile {
    std::vector<Value> scales, a, b;
    Value stage;
    MaybeExtent k_left;
    bool has_ended = false;

    static BegunTile ended(std::vector<Value> scales) {
      return {std::move(scales), {}, {}, {}, {}, true};
    }
  };

  // In ping-pong: waits for the first tile, before the turns begin; `ahead` tiles are in flight.
  // Without ping-pong each step waits for the tile that it multiplies. In ping-pong a step waits
  // for the tile after that instead: the other half of the waves reads that tile before this half
  // has another turn in which it could wait.
  void first_turns(std::int64_t ahead) const {
    if (!takes_turns()) return;
    await(ahead - 1);
    begin_turns(context_);
  }

  // One step: begins the copies of a tile, multiplies, and in ping-pong then waits until only the
  // last `running` tiles are in flight. Without ping-pong it waits at its beginning instead.
  CopyProgress with_copy(CopyProgress at, llvm::function_ref<BegunTile()> copies,
                         std::int64_t running) const {
    BegunTile begun;
    if (!takes_turns()) {
      await(std::max(lead() - 1, 0));
      begun = copies();
      append(at.scales, begun.scales);
      if (stages_ == 1) {
        end(begun);
        await(0);
      }
      CopyProgress next = without_first_scales(multiply(at));
      if (stages_ > 1) end(begun);
      return next;
    }
    Between between;
    between.first.push_back([&] { begun = copies(); });
    between.second.push_back([&] { await_own(running); });
    CopyProgress next = without_first_scales(multiply(at, between));
    append(next.scales, begun.scales);
    return next;
  }

  // One of the last steps, which begin no copies. `waiting` is the number of tiles that are still
  // to be multiplied, including the tile of this step.
  CopyProgress without_copy(const CopyProgress& at, std::int64_t waiting) const {
    Between between{.is_last_tile = waiting == 1};
    if (!takes_turns())
      await(waiting - 1);
    else if (waiting > 1)
      between.second.push_back([&] { await_own(waiting - 2); });
    return multiply(at, between);
  }

  // Waits until, in every wave of the workgroup, the copies of at most the last `tiles` tiles are
  // still in flight.
  void await(std::int64_t tiles) const {
    await_copies(context_, copies_of_tile() * static_cast<int>(tiles));
  }
  // The same for this wave's copies alone.
  void await_own(std::int64_t tiles) const {
    await_own_copies(context_, copies_of_tile() * static_cast<int>(tiles));
  }

  // Begins the loads and copies of a tile. If one operand passes through registers, its loads come
  // first: on gfx950 a wait for these loads also waits for all copies that began before them.
  BegunTile begin(Value k, Value stage, const MaybeExtent& k_left) const {
    const Value first = context_.part.first_k;
    BegunTile begun;
    begun.stage = stage;
    begun.k_left = k_left;
    for (const Scales& scales : scales_)
      append(begun.scales, scales.load(first ? context_.add(first, k) : k, k_left));
    begun.a = a_copies_.load(k, k_left);
    begun.b = b_copies_.load(k, k_left);
    if (!begun.a.empty() || !begun.b.empty()) keep_apart(context_);
    a_copies_.copy(k, stage, k_left);
    b_copies_.copy(k, stage, k_left);
    return begun;
  }

  // Stores to LDS what begin() loaded into registers; returns the scales of the tile. The copies
  // that begin() began and that go straight to LDS may still be in flight.
  std::vector<Value> end(const BegunTile& begun) const {
    if (begun.has_ended) return begun.scales;
    a_copies_.store(begun.a, begun.stage, begun.k_left);
    b_copies_.store(begun.b, begun.stage, begun.k_left);
    return begun.scales;
  }
  std::vector<Value> copy(Value k, Value stage, const MaybeExtent& k_left) const {
    return end(begin(k, stage, k_left));
  }

  // Copies a whole tile and returns its scales if the condition holds. If it does not hold, copies
  // nothing and returns zeros as scales.
  std::vector<Value> copy_if(Value condition, Value k, Value to) const {
    mlir::ImplicitLocOpBuilder& builder = context_.builder;
    const auto count = static_cast<std::size_t>(scales_of_tile());
    const std::vector<mlir::Type> types(count, builder.getI32Type());
    auto branch = mlir::scf::IfOp::create(builder, mlir::TypeRange(types), condition,
                                          /*addThenBlock=*/true, /*addElseBlock=*/true);
    const mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    mlir::scf::YieldOp::create(builder, copy(k, to, std::nullopt));
    builder.setInsertionPointToStart(branch.elseBlock());
    mlir::scf::YieldOp::create(builder, std::vector<Value>(count, context_.constant(0)));
    return {branch.getResults().begin(), branch.getResults().end()};
  }

  // Multiplies the tile that `at` says. Its scales, the first of the list, move to the list's end.
  CopyProgress multiply(const CopyProgress& at, const Between& between = {}) const {
    CopyProgress next = at;
    // Without this, fragments would be loaded among the copies and need more registers.
    keep_apart(context_);
    const std::vector<Value> of_tile(at.scales.begin(), at.scales.begin() + scales_of_tile());
    next.accumulators =
        multiply_tile(context_, a_fragments_, b_fragments_, at.accumulators,
                      bases(a_fragments_, at), bases(b_fragments_, at), of_tile, between);
    std::ranges::rotate(next.scales,
                        next.scales.begin() + static_cast<std::ptrdiff_t>(of_tile.size()));
    if (at.begin.empty())
      next.stage = after(at.stage);
    else
      next.begin = {after(at.begin[0]), at.begin[0]};
    keep_apart(context_);
    return next;
  }

  // Drops the scales of the tile that was multiplied last, which multiply() moved to the end.
  CopyProgress without_first_scales(CopyProgress at) const {
    at.scales.resize(at.scales.size() - static_cast<std::size_t>(scales_of_tile()));
    return at;
  }

  // The addresses in LDS from which the fragments of the tile that is multiplied next are loaded.
  TileBases bases(const Fragments& fragments, const CopyProgress& at) const {
    constexpr std::int64_t reach = 1 << 16;  // of an immediate offset
    std::vector<Value> all = fragments.lds_bases();
    const std::int64_t further = at.stage * tile_bytes();
    if (at.begin.empty() && (at.stage == 0 || further + tile_bytes() <= reach))
      return {std::move(all), further};
    const Value begin = at.begin.empty() ? begin_of(at.stage) : at.begin[0];
    for (Value& base : all) {
      base = context_.add(base, begin);
      // LLVM would add the constant of every load to the tile's constant. Such a sum does not fit
      // into a load, so each load would need a register for it. opaque() hides the tile's constant
      // in the base; from there the constants of loads reach a part of the tile, and few loads need
      // a register.
      if (at.begin.empty() && further >= reach) base = context_.opaque(base);
    }
    return all;
  }

  Value after(Value begin) const {
    const Value last = context_.constant(lead() * tile_bytes());
    mlir::ImplicitLocOpBuilder& builder = context_.builder;
    if (stages_ == 2) return mlir::arith::SubIOp::create(builder, last, begin);
    const Value is_last =
        mlir::arith::CmpIOp::create(builder, mlir::arith::CmpIPredicate::eq, begin, last);
    return mlir::arith::SelectOp::create(builder, is_last, context_.constant(0),
                                         context_.add(begin, tile_bytes()));
  }

  const KernelContext& context_;
  int stages_;
  OperandCopies a_copies_, b_copies_;
  Fragments a_fragments_, b_fragments_;
  std::vector<Scales> scales_;  // of A and of B
};

}  // namespace

std::vector<Value> copied_product(const KernelContext& context, const Buffers& buffers,
                                  const std::vector<Value>& accumulators) {
  return CopiedProduct(context, buffers).add_to(accumulators);
}

}  // namespace heddle::compiler
