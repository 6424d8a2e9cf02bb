// While one tile is multiplied, `lead` tiles are in flight: LDS has lead + 1 tiles. A step is
//
//   wait until the tile is there, barrier, begin to copy the tile `lead` steps further, multiply
//
// The barrier says two things at once. The copies of all waves are there; and all waves have read
// the tile before, whose place the next copies take. With one tile in LDS nothing hides its copies,
// and a second barrier stands between reading and copying.
//
// A turn of the loop has a step for each tile of LDS, so that offsets in LDS are immediate. With
// multiply-adds, whose steps are long, a turn has one step. With matrix instructions the first step
// stands before the loop, since its products are added to a constant. If k ends inside the last
// tile, a comparison outside the loop makes loads beyond it give zeros. If only the kernel knows k
// and LDS has several tiles, the partial tile comes first, so that all others are whole. A
// descriptor says how many k are left. If the instruction reads scales of blocks of k, they are
// loaded into registers in the step in which the copy of their tile begins. gfx950 has one counter
// for these loads and the copies, so a wait may be longer than necessary, but never shorter.
//
// In ping-pong (ping_pong.h) the barriers are those of turns, and a step waits for the next tile at
// the end of its last turn to load.
//
// An operand that passes registers is copied in two halves. Its loads begin with the copies of the
// other operand. Its stores go to the place that those copies write, and stand behind the
// multiplication.
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
  // The tile of LDS that is multiplied next. If only the kernel knows it, the values below are the
  // beginnings of that tile and of the tile that is copied next (i32, bytes).
  int stage = 0;
  std::vector<Value> begin;

  std::vector<Value> values() const { return listed({&accumulators, &k, &begin, &scales}); }
  // The same with other values, in the order of values().
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
  // The number of steps in a turn of the loop.
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

  // Multiplies if only the kernel knows k. Tiles that do not exist are copied as zeros, which are
  // not read from memory. The first step adds to a constant, so no condition guards it. On CDNA no
  // condition guards the last step either: if there is only one tile, it multiplies zeros. A
  // condition would make LLVM move the sums of two blocks out of the accumulation registers.
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
    // If the last of the copies does not exist, those of the next tile are the last in flight.
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

  // The start of tile `stage` in LDS (i32, bytes); null for 0.
  Value begin_of(int stage) const {
    return stage == 0 ? Value() : context_.constant(stage * tile_bytes());
  }
  int after(int stage, int steps = 1) const { return (stage + steps) % stages_; }

  // The state with the place in LDS as a value of the kernel, and as a number of the compiler.
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

  // Steps of whole tiles, whose number only the kernel knows. Steps that do not fill a turn come
  // after the loop.
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

  // Turns of whole tiles. With one step in each, the kernel counts the tiles of LDS.
  CopyProgress loop(CopyProgress first, Value turns) const {
    if (steps_in_turn() == 1) first = with_begin(first);
    const auto turn = [&](Value, const std::vector<Value>& values) {
      CopyProgress at = first.with(values);
      for (int i = 0; i < steps_in_turn(); ++i) at = advance(at, std::nullopt);
      return at.values();
    };
    return first.with(rolled_loop(context_, context_.constant(0), turns, first.values(), turn));
  }

  // One step, which begins to copy the tile at `k`.
  CopyProgress advance(const CopyProgress& at, const MaybeExtent& k_left) const {
    const Value to = at.begin.empty() ? begin_of(after(at.stage, lead())) : at.begin[1];
    CopyProgress next =
        with_copy(at, [&] { return begin(at.k[0], to, k_left); }, std::max(lead() - 1, 0));
    next.k = {context_.add(at.k[0], std::int64_t{step()})};
    return next;
  }

  // A tile whose loads and copies have all begun. Its part in registers reaches LDS when end() has
  // run.
  struct BegunTile {
    std::vector<Value> scales, a, b;
    Value stage;
    MaybeExtent k_left;
    bool has_ended = false;

    static BegunTile ended(std::vector<Value> scales) {
      return {std::move(scales), {}, {}, {}, {}, true};
    }
  };

  // Runs before the first tile is multiplied, with `ahead` tiles in flight. A step waits for its
  // tile before it multiplies it. In ping-pong it waits for the next tile, since the other half of
  // the waves reads that before this half has another turn to wait.
  void first_turns(std::int64_t ahead) const {
    if (!takes_turns()) return;
    await(ahead - 1);
    begin_turns(context_);
  }

  // One step: begins the copies of a tile, and waits for all but the last `running` tiles. Without
  // turns it waits at its beginning.
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

  // One of the last steps, with the tiles of `waiting` still to multiply.
  CopyProgress without_copy(const CopyProgress& at, std::int64_t waiting) const {
    Between between{.is_last_tile = waiting == 1};
    if (!takes_turns())
      await(waiting - 1);
    else if (waiting > 1)
      between.second.push_back([&] { await_own(waiting - 2); });
    return multiply(at, between);
  }

  // Waits until all but the last so many tiles are there, for all waves.
  void await(std::int64_t tiles) const {
    await_copies(context_, copies_of_tile() * static_cast<int>(tiles));
  }
  // The same for this wave's copies alone.
  void await_own(std::int64_t tiles) const {
    await_own_copies(context_, copies_of_tile() * static_cast<int>(tiles));
  }

  // The operand that passes registers comes first: on gfx950 a wait for it also waits for all
  // copies before it.
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

  // Stores what begin() loaded into registers; returns the scales of the tile. The direct copies
  // may still be under way.
  std::vector<Value> end(const BegunTile& begun) const {
    if (begun.has_ended) return begun.scales;
    a_copies_.store(begun.a, begun.stage, begun.k_left);
    b_copies_.store(begun.b, begun.stage, begun.k_left);
    return begun.scales;
  }
  std::vector<Value> copy(Value k, Value stage, const MaybeExtent& k_left) const {
    return end(begin(k, stage, k_left));
  }

  // Copies a whole tile under a condition. If it does not hold, the scales are zeros.
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

  // Afterwards the scales of the tile are the last in the list.
  CopyProgress multiply(const CopyProgress& at, const Between& between = {}) const {
    CopyProgress next = at;
    // Otherwise fragments are loaded among the copies, and more registers hold them.
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

  // Advances after a tile was multiplied, whose place another takes.
  CopyProgress without_first_scales(CopyProgress at) const {
    at.scales.resize(at.scales.size() - static_cast<std::size_t>(scales_of_tile()));
    return at;
  }

  // Addresses of the loads from the tile that is multiplied next.
  TileBases bases(const Fragments& fragments, const CopyProgress& at) const {
    constexpr std::int64_t reach = 1 << 16;  // of an immediate offset
    std::vector<Value> all = fragments.lds_bases();
    const std::int64_t further = at.stage * tile_bytes();
    if (at.begin.empty() && (at.stage == 0 || further + tile_bytes() <= reach))
      return {std::move(all), further};
    const Value begin = at.begin.empty() ? begin_of(at.stage) : at.begin[0];
    for (Value& base : all) {
      base = context_.add(base, begin);
      // LLVM would add the constant of every load to that of the tile. The sum does not fit into a
      // load, so each load would need a register. With this base, a part of the tile is in reach of
      // the immediates, and few loads need a register.
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
