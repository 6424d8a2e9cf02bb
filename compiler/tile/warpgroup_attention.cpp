// Attention in one kernel for sm_90a. The way of one block, top to bottom:
//
//   the producer's thread   waits for empty stages, has Q and the blocks of K and V copied there
//   a consumer              for its 64 queries, block of keys by block of keys:
//                             begins S = Q K^T of these keys, then O += P V of those before
//                             waits for S; its formula and exponentials, while P V goes on
//                             waits for O; brings it to the new maximum; P is S in 16 bits
//
// With ping-pong, consumers begin their products in turn: while one computes exponentials, another
// multiplies. Each block goes through tiles of queries, and results leave while the next arrives.
#include "compiler/decisions/score_formula.h"
#include "compiler/kernel/index_code.h"
#include "compiler/kernel/product_frame.h"
#include "compiler/kernel/product_kernel.h"
#include "compiler/nvidia/copies.h"
#include "compiler/nvidia/stage_ring.h"
#include "compiler/nvidia/tile_order.h"
#include "compiler/nvidia/warpgroup_frame.h"
#include "compiler/nvidia/warpgroup_product.h"
#include "compiler/nvidia/warpgroup_result.h"
#include "compiler/request/softmax_scores.h"
#include "compiler/tile/score_code.h"
#include "compiler/tile/verbs.h"
#include "heddle/instruction/fragment.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace heddle::compiler {
namespace {

using instruction::Operand;
using mlir::Value;
using plan::Loop;

class WarpgroupAttention {
 public:
  WarpgroupAttention(mlir::ImplicitLocOpBuilder& builder, const plan::WarpgroupAttentionPlan& plan,
                     mlir::gpu::GPUModuleOp module, mlir::LLVM::LLVMFuncOp function,
                     const MatmulRequest& request)
      : plan_(plan),
        request_(request),
        of_scores_(scores_request(request)),
        formula_(score_formula(*request.softmax, request.problem).value()),
        factor_(formula_.factor * change_of_base(*request.softmax)),
        scores_context_(builder, plan.scores),
        context_(builder, plan.values),
        machine_(machine_of(instruction::Target::sm_90a, context_)) {
    shared_ = context_.named("shared", dynamic_shared_memory(builder, module));
    scores_context_.shared = shared_;
    unsigned next = 0;
    const auto mapped = [&](const MatmulRequest& of, const plan::WarpgroupPlan& by,
                            Operand operand) {
      std::string unused;
      return MappedMatrix{function.getArgument(next++),
                          map_dimensions(of, by, operand, unused).value()};
    };
    q_ = mapped(of_scores_, plan.scores, Operand::a);
    k_ = mapped(of_scores_, plan.scores, Operand::b);
    v_ = mapped(request, plan.values, Operand::b);
    if (plan.values.result_is_mapped) {
      result_.map = mapped(request, plan.values, Operand::d);
    } else {
      result_.d = function.getArgument(next++);
    }
    for (std::size_t i = 0; i < request.extras.size(); ++i)
      result_.extras.push_back(function.getArgument(next++));
    for (std::size_t i = 0; i < request.softmax->extras.size(); ++i)
      extras_.push_back(function.getArgument(next++));
    const auto none = [](Loop) { return Value(); };
    read_sizes(scores_context_, of_scores_, none);
    read_sizes(context_, request, none);
    for (WarpgroupContext* context : {&scores_context_, &context_}) {
      if (context == &context_) {
        context->lane = scores_context_.lane;
        context->warp = scores_context_.warp;
        context->warpgroup = scores_context_.warpgroup;
      } else {
        place_warpgroup(*context);
      }
      context->rank = context->part = context->constant(0);
    }
    context_.shared = context_.add(shared_, plan.results_start());
  }

  void write() {
    const Value thread = thread_in_warpgroup();
    const Value index = context_.add(thread, context_.multiply(context_.warpgroup, 128));
    run_if(context_, context_.equal(index, 0), [&] {
      for (const StageRing& ring : {queries_ring(), keys_ring(), values_ring()}) ring.initialise(0);
      for (const Value map : {q_.map, k_.map, v_.map, result_.map.map})
        if (map) prefetch_map(context_, map);
    });
    context_.synchronise_warp();
    mlir::NVVM::BarrierOp::create(context_.builder);
    run_if(context_, context_.equal(context_.warpgroup, 0), [&] { produce(); }, [&] { consume(); });
    mlir::LLVM::ReturnOp::create(context_.builder, mlir::ValueRange());
  }

 private:
  // What one step hands to the next.
  struct State {
    Value o;                           // the struct of sums
    std::vector<Value> largest, sums;  // of each row that the thread has: m, and its part of l
    std::vector<Value> shares;         // P, pairs of 16 bits as i32
    std::vector<Value> k, v;           // positions in the rings: of these keys, of those before
  };

  mlir::ImplicitLocOpBuilder& builder() { return context_.builder; }
  Value thread_in_warpgroup() const {
    return context_.add(context_.multiply(context_.warp, 32), context_.lane);
  }
  Value number(double value) {
    return mlir::arith::ConstantOp::create(builder(),
                                           builder().getF32FloatAttr(static_cast<float>(value)));
  }

  StageRing ring(int stages, int stage_bytes, int start, int barriers_before) const {
    return StageRing(scores_context_,
                     {.stages = stages,
                      .stage_bytes = stage_bytes,
                      .start = start,
                      .barriers_start = plan_.barriers_start() + plan_.ring_bytes(barriers_before),
                      .readers = plan::warps_of_warpgroup * plan_.consumers()});
  }
  StageRing queries_ring() const { return ring(1, plan_.scores.a_bytes(), 0, 0); }
  StageRing keys_ring() const {
    return ring(plan_.stages(), plan_.scores.b_bytes(), plan_.keys_start(), 1);
  }
  StageRing values_ring() const {
    return ring(plan_.stages(), plan_.values.b_bytes(), plan_.values_start(), 1 + plan_.stages());
  }

  Value less(Value x, Value y) {
    return mlir::arith::CmpIOp::create(builder(), mlir::arith::CmpIPredicate::slt, x, y);
  }
  Value minus(Value x, Value y) { return mlir::arith::SubIOp::create(builder(), x, y); }
  Value least(Value x, Value y) { return mlir::arith::MinSIOp::create(builder(), x, y); }
  Value largest(Value x, Value y) { return mlir::arith::MaxSIOp::create(builder(), x, y); }

  // The block's tiles. If they are not all as long, the longest of some heads come first, and of
  // those taken at the same time the first block has the longest in one round, the last one in the
  // next.
  std::vector<Value> for_each_tile_of_block(
      const std::vector<Value>& first,
      llvm::function_ref<std::vector<Value>(const BlockTile&, const std::vector<Value>&)> body) {
    if (plan_.heads_together == 0) return for_each_tile(context_, first, body);
    const std::int64_t rows = plan_.scores.tiles_m(), heads = plan_.problem.batch;
    const std::int64_t tiles = rows * heads,
                       blocks = std::min<std::int64_t>(tiles, plan_.scores.blocks);
    const std::int64_t rounds = tiles / blocks, rest = tiles % blocks;
    const Value block = mlir::NVVM::BlockIdXOp::create(builder(), builder().getI32Type());
    const Value reversed = minus(context_.constant(blocks - 1), block);
    const Value has_rest = context_.less(rounds % 2 == 0 ? block : reversed, rest);
    const Value count =
        context_.select(has_rest, context_.constant(rounds + 1), context_.constant(rounds));
    return counted_loop(context_, context_.constant(0), count, context_.constant(1), first,
                        [&](Value round, const std::vector<Value>& values) {
                          const Value is_even = context_.equal(context_.remainder(round, 2), 0);
                          const Value number =
                              context_.add(context_.multiply(round, blocks),
                                           context_.select(is_even, block, reversed));
                          return body(by_length(number, rows, heads), values);
                        });
  }
  BlockTile by_length(Value number, std::int64_t rows, std::int64_t heads) {
    const std::int64_t together = plan_.heads_together;
    const Value first_head = context_.multiply(context_.divide(number, together * rows), together);
    const Value inside = context_.remainder(number, together * rows);
    const Value count =
        least(minus(context_.constant(heads), first_head), context_.constant(together));
    Value row = mlir::arith::DivUIOp::create(builder(), inside, count);
    if (plan_.is_longest_last()) row = minus(context_.constant(rows - 1), row);
    BlockTile tile;
    tile.m = context_.multiply(row, plan_.scores.block_m);
    tile.n = context_.constant(0);
    if (heads > 1)
      tile.batch = context_.add(first_head,
                                mlir::arith::RemUIOp::create(builder(), inside, count).getResult());
    return tile;
  }

  // Blocks of keys (i32): a tile needs those from `first` to `end`, of which a consumer's queries
  // see all keys from `first_plain` to `end_plain`.
  struct KeySteps {
    Value first, first_plain, end_plain, end;
  };
  KeySteps steps_of(const BlockTile& tile, const ScoreCode& scores) {
    const auto among = [&](Value first, int count) {
      const Value end = context_.constant(plan_.problem.m - 1);
      return scores.steps(least(first, end), least(context_.add(first, count - 1), end),
                          plan_.keys());
    };
    const ScoreCode::Steps of_tile = among(tile.m, plan_.scores.block_m);
    KeySteps steps{of_tile.first, of_tile.first_plain, of_tile.end_plain, of_tile.end};
    if (plan_.blocks.has_empty) {
      const Value is_empty = mlir::arith::CmpIOp::create(builder(), mlir::arith::CmpIPredicate::sle,
                                                         steps.end, steps.first);
      steps.first = context_.select(is_empty, context_.constant(0), steps.first);
      steps.end = context_.select(is_empty, context_.constant(1), steps.end);
    }
    if (!formula_.has_mask()) return steps;
    const Value of_consumer =
        context_.multiply(context_.add(context_.warpgroup, -1), plan::wgmma_rows);
    const ScoreCode::Steps own = among(context_.add(tile.m, of_consumer), plan::wgmma_rows);
    const Value last = context_.add(steps.end, -1);
    const Value first_plain = largest(own.first_plain, steps.first);
    const Value end_plain = least(own.end_plain, last);
    const Value is_plain = less(first_plain, end_plain);
    steps.first_plain = plan_.blocks.masks_before
                            ? context_.select(is_plain, first_plain, steps.first)
                            : steps.first;
    steps.end_plain =
        plan_.blocks.masks_after ? context_.select(is_plain, end_plain, steps.first) : last;
    return steps;
  }
  ScoreCode scores_of(const BlockTile& tile) {
    std::vector<GlobalMatrix> extras;
    for (std::size_t i = 0; i < extras_.size(); ++i)
      extras.push_back(
          context_.matrix(request_.softmax->extras[i], extras_[i], Loop::m, Loop::k, tile.batch));
    return ScoreCode(context_, formula_, std::move(extras), tile.batch);
  }

  // Runs `body` for blocks of keys from the one before `end` to `first`.
  std::vector<Value> for_blocks(
      Value first, Value end, const std::vector<Value>& carried,
      llvm::function_ref<std::vector<Value>(Value, const std::vector<Value>&)> body) {
    const Value last = context_.add(end, -1);
    return rolled_loop(context_, context_.constant(0), minus(end, first), carried,
                       [&](Value step, const std::vector<Value>& values) {
                         return body(minus(last, step), values);
                       });
  }

  void copy(const StageRing& ring, const std::vector<Value>& position,
            const WarpgroupContext& context, Operand operand, const LoopNumbers& numbers) {
    const Copies copies(context, q_, context.plan.b_major == instruction::Major::k ? k_ : v_);
    const int bytes = operand == Operand::a ? context.plan.a_bytes() : context.plan.b_bytes();
    ring.wait_empty(position);
    ring.expect(position, context_.constant(bytes));
    copies.operand(operand, numbers, ring.stage(position), ring.full(position));
  }

  void produce() {
    give_registers(context_, plan_.scores.producer_registers);
    run_if(context_, context_.equal(thread_in_warpgroup(), 0), [&] {
      const StageRing q = queries_ring(), k = keys_ring(), v = values_ring();
      std::vector<Value> at = q.first(), of_k = k.first(), of_v = v.first();
      for_each_tile_of_block(
          listed({&at, &of_k, &of_v}), [&](const BlockTile& tile, const std::vector<Value>& all) {
            spread(all, {&at, &of_k, &of_v});
            const Value zero = context_.constant(0);
            const KeySteps steps = steps_of(tile, scores_of(tile));
            const auto copy_keys = [&](Value block) {
              const Value first = context_.multiply(block, plan_.keys());
              copy(k, of_k, scores_context_, Operand::b, {tile.m, first, zero, tile.batch});
              of_k = k.next(of_k);
            };
            const auto copy_values = [&](Value block) {
              const Value first = context_.multiply(block, plan_.keys());
              copy(v, of_v, context_, Operand::b, {tile.m, zero, first, tile.batch});
              of_v = v.next(of_v);
            };
            copy(q, at, scores_context_, Operand::a, {tile.m, zero, zero, tile.batch});
            at = q.next(at);
            const Value last = context_.add(steps.end, -1);
            copy_keys(last);
            std::vector<Value> positions = listed({&of_k, &of_v});
            positions = for_blocks(steps.first, last, positions,
                                   [&](Value block, const std::vector<Value>& values) {
                                     spread(values, {&of_k, &of_v});
                                     copy_keys(block);
                                     copy_values(context_.add(block, 1));
                                     return listed({&of_k, &of_v});
                                   });
            spread(positions, {&of_k, &of_v});
            copy_values(steps.first);
            return listed({&at, &of_k, &of_v});
          });
    });
  }

  void consume() {
    take_registers(context_, plan_.scores.consumer_registers);
    scores_.emplace(scores_context_);
    values_.emplace(context_);
    scores_map_ = instruction::fragment(plan::wgmma_of(plan_.scores), Operand::d);
    rows_ = groups_along(scores_map_, "n");
    key_of_lane_ = thread_coordinate(context_, scores_map_, "n");
    row_of_lane_ = thread_coordinate(context_, scores_map_, "m");
    result_rows_ =
        groups_along(instruction::fragment(plan::wgmma_of(plan_.values), Operand::d), "n");
    const StageRing q = queries_ring(), k = keys_ring(), v = values_ring();
    WarpgroupResult result(context_, request_, result_);
    if (plan_.ping_pong) {  // the first consumer begins
      run_if(context_, context_.equal(context_.warpgroup, plan_.consumers()), [&] { arrive(1); });
    }
    std::vector<Value> at = q.first();
    State state;
    state.k = k.first();
    state.v = v.first();
    const std::vector<Value> first = listed({&at, &state.k, &state.v});
    for_each_tile_of_block(first, [&](const BlockTile& tile, const std::vector<Value>& all) {
      spread(all, {&at, &state.k, &state.v});
      ScoreCode scores = scores_of(tile);
      scores.begin(queries_of(tile));
      const KeySteps steps = steps_of(tile, scores);
      const Value last = context_.add(steps.end, -1);
      q.wait_full(at);
      begin_tile(q.stage(at), k, scores, last, state);
      std::vector<Value> carried = values(state);
      const auto loop = [&](Value from, Value to, bool is_kept) {
        carried =
            for_blocks(from, to, carried, [&](Value block, const std::vector<Value>& of_step) {
              State next = with(state, of_step);
              step(q.stage(at), k, v, scores, {first_key(block), is_kept}, next);
              return values(next);
            });
      };
      if (plan_.blocks.masks_after) loop(steps.end_plain, last, false);
      if (plan_.blocks.has_plain)
        loop(steps.first_plain, formula_.has_mask() ? steps.end_plain : last, true);
      if (plan_.blocks.masks_before) loop(steps.first, steps.first_plain, false);
      state = with(state, carried);
      q.release(at);
      v.wait_full(state.v);
      const Value sums = values_->finished(
          values_->add(context_.constant(1), state.shares, v.stage(state.v), state.o));
      v.release(state.v);
      state.v = v.next(state.v);
      result.store(tile, normalised(sums, state));
      at = q.next(at);
      return listed({&at, &state.k, &state.v});
    });
    result.finish();
  }

  // Named barriers of ping-pong: a consumer waits at its own until the one before has begun its
  // products.
  Value barrier_of(Value consumer) const {
    return context_.add(consumer, static_cast<int>(NamedBarrier::own) + 3);
  }
  void wait_for_turn() const {
    if (plan_.ping_pong) context_.synchronise(barrier_of(context_.warpgroup), pair_of_consumers);
  }
  void arrive(Value warpgroup) {
    mlir::NVVM::BarrierArriveOp::create(builder(), barrier_of(warpgroup),
                                        context_.constant(pair_of_consumers));
  }
  void arrive(int warpgroup) { arrive(context_.constant(warpgroup)); }
  void give_turn() {
    if (!plan_.ping_pong) return;
    const Value last = context_.equal(context_.warpgroup, plan_.consumers());
    arrive(context_.select(last, context_.constant(1), context_.add(context_.warpgroup, 1)));
  }

  static std::vector<Value> values(const State& state) {
    std::vector<Value> all{state.o};
    for (const auto* list : {&state.largest, &state.sums, &state.shares, &state.k, &state.v})
      all.insert(all.end(), list->begin(), list->end());
    return all;
  }
  static State with(State state, const std::vector<Value>& all) {
    state.o = all[0];
    std::size_t at = 1;
    for (auto* list : {&state.largest, &state.sums, &state.shares, &state.k, &state.v})
      for (Value& value : *list) value = all[at++];
    return state;
  }

  // S of the first block of keys, which may be partial, and its P.
  void begin_tile(Value q, const StageRing& k, const ScoreCode& formula, Value block,
                  State& state) {
    k.wait_full(state.k);
    wait_for_turn();
    const Value begun = scores_->add(context_.constant(0), q, k.stage(state.k), scores_->nothing());
    give_turn();
    std::vector<Value> scores = elements(scores_->finished(begun));
    k.release(state.k);
    state.k = k.next(state.k);
    scores = formula.scores({.first_key = first_key(block),
                             .is_kept = !formula_.has_mask(),
                             .is_partial = plan_.problem.k % plan_.keys() != 0},
                            scores, registers());
    state.largest = largest_of(scores);
    state.sums = exponentials(scores, state.largest);
    state.shares = narrowed(scores);
    state.o = values_->zero();
  }

  Value first_key(Value block) const { return context_.multiply(block, plan_.keys()); }
  ScoreCode::Registers registers() const { return {scores_map_, "n", key_of_lane_, rows_}; }
  // The numbers (i32) of the thread's rows.
  std::vector<Value> queries_of(const BlockTile& tile) {
    const Value consumer = context_.add(context_.warpgroup, -1);
    const Value first =
        context_.add(context_.add(tile.m, context_.multiply(consumer, plan::wgmma_rows)),
                     context_.multiply(context_.warp, plan::warp_rows));
    std::vector<Value> rows;
    for (const std::uint64_t reg : rows_.first)
      rows.push_back(
          context_.add(first, coordinate(context_, scores_map_, row_of_lane_, reg, "m")));
    return rows;
  }

  void step(Value q, const StageRing& k, const StageRing& v, const ScoreCode& formula,
            const ScoreCode::Step& keys, State& state) {
    k.wait_full(state.k);
    wait_for_turn();
    const Value begun = scores_->add(context_.constant(0), q, k.stage(state.k), scores_->nothing());
    v.wait_full(state.v);
    const Value multiplied =
        values_->add(context_.constant(1), state.shares, v.stage(state.v), state.o);
    give_turn();
    std::vector<Value> scores = elements(scores_->finished(begun, 1));
    k.release(state.k);
    state.k = k.next(state.k);
    scores = formula.scores(keys, scores, registers());
    const std::vector<Value> old = state.largest;
    Value rises;
    raise(largest_of(scores), state.largest, rises);
    const std::vector<Value> sums = exponentials(scores, state.largest);
    state.o = values_->finished(multiplied);
    v.release(state.v);
    state.v = v.next(state.v);
    rescale(state, old, rises);
    for (std::size_t row = 0; row < sums.size(); ++row)
      state.sums[row] = plus(state.sums[row], sums[row]);
    state.shares = narrowed(scores);
  }

  std::vector<Value> elements(Value sums) {
    const auto type = mlir::cast<mlir::LLVM::LLVMStructType>(sums.getType());
    std::vector<Value> all;
    for (std::size_t i = 0; i < type.getBody().size(); ++i)
      all.push_back(
          mlir::LLVM::ExtractValueOp::create(builder(), sums, static_cast<std::int64_t>(i)));
    return all;
  }

  Value infinite() { return number(-std::numeric_limits<double>::infinity()); }
  Value fused(Value x, Value y, Value z) { return mlir::LLVM::FMAOp::create(builder(), x, y, z); }
  Value times(Value x, Value y) { return mlir::arith::MulFOp::create(builder(), x, y); }
  Value plus(Value x, Value y) { return mlir::arith::AddFOp::create(builder(), x, y); }

  std::vector<Value> largest_of(const std::vector<Value>& scores) {
    const auto larger = [&](Value x, Value y) { return machine_->larger(x, y); };
    return reduce_lanes(*machine_, scores_map_, "n", reduce_registers(scores, rows_, larger),
                        larger);
  }

  // Takes `found`, the largest scores of a step, as what is subtracted where they rise by more than
  // 2^8: exponentials are then no larger than that, and seldom have the sums to be multiplied.
  // `rises`: whether one of the thread's does.
  void raise(const std::vector<Value>& found, std::vector<Value>& largest, Value& rises) {
    for (std::size_t row = 0; row < found.size(); ++row) {
      const Value rise = mlir::arith::SubFOp::create(builder(), found[row], largest[row]);
      const Value needs = mlir::arith::CmpFOp::create(builder(), mlir::arith::CmpFPredicate::OGT,
                                                      rise, number(8 / factor_));
      largest[row] = context_.select(needs, found[row], largest[row]);
      rises = rises ? mlir::arith::OrIOp::create(builder(), rises, needs).getResult() : needs;
    }
  }

  // Turns scores into P, before it is rounded; returns their sums.
  std::vector<Value> exponentials(std::vector<Value>& scores, const std::vector<Value>& largest) {
    const Value factor = number(factor_);
    std::vector<Value> subtracted;
    for (const Value row : largest) {
      // With no score but -infinity so far, exponentials are 0, not those of infinity - infinity.
      const Value is_empty =
          mlir::arith::CmpFOp::create(builder(), mlir::arith::CmpFPredicate::OEQ, row, infinite());
      const Value finite = context_.select(is_empty, number(0), row);
      const double negative = -static_cast<double>(static_cast<float>(factor_));
      subtracted.push_back(formula_.has_large_scores ? finite : times(finite, number(negative)));
    }
    for (std::size_t reg = 0; reg < scores.size(); ++reg) {
      const Value less = subtracted[rows_.of_register[reg]];
      scores[reg] = machine_->power_of_two(
          formula_.has_large_scores
              ? times(mlir::arith::SubFOp::create(builder(), scores[reg], less), factor)
              : fused(scores[reg], factor, less));
    }
    return reduce_registers(scores, rows_, [&](Value x, Value y) { return plus(x, y); });
  }

  std::vector<Value> narrowed(const std::vector<Value>& shares) {
    std::vector<Value> words;
    const mlir::Type element = plan_.problem.input == instruction::ElementType::f16
                                   ? mlir::Type(builder().getF16Type())
                                   : mlir::Type(builder().getBF16Type());
    for (std::size_t i = 0; i < shares.size(); i += 2) {
      const Value narrow =
          mlir::LLVM::FPTruncOp::create(builder(), mlir::VectorType::get({2}, element),
                                        context_.vector_of({shares[i], shares[i + 1]}));
      words.push_back(mlir::LLVM::BitcastOp::create(builder(), builder().getI32Type(), narrow));
    }
    return words;
  }

  // The sums times a number of their row.
  Value scaled(Value sums, const std::vector<Value>& by) {
    std::vector<Value> all = elements(sums);
    for (std::size_t i = 0; i < all.size(); ++i)
      sums = mlir::LLVM::InsertValueOp::create(builder(), sums,
                                               times(all[i], by[result_rows_.of_register[i]]),
                                               static_cast<std::int64_t>(i));
    return sums;
  }

  void rescale(State& state, const std::vector<Value>& old, Value rises) {
    std::vector<Value> sums{state.o};
    sums.insert(sums.end(), state.sums.begin(), state.sums.end());
    auto branch =
        mlir::scf::IfOp::create(builder(), mlir::ValueRange(sums).getTypes(), machine_->any(rises),
                                /*withElseRegion=*/true);
    const mlir::OpBuilder::InsertionGuard guard(builder());
    builder().setInsertionPointToStart(branch.elseBlock());
    mlir::scf::YieldOp::create(builder(), sums);
    builder().setInsertionPointToStart(branch.thenBlock());
    std::vector<Value> factors;
    for (std::size_t row = 0; row < old.size(); ++row) {
      const Value fall = mlir::arith::SubFOp::create(builder(), old[row], state.largest[row]);
      const Value is_same = mlir::arith::CmpFOp::create(builder(), mlir::arith::CmpFPredicate::OEQ,
                                                        old[row], state.largest[row]);
      const Value power = machine_->power_of_two(times(fall, number(factor_)));
      factors.push_back(context_.select(is_same, number(1), power));
    }
    std::vector<Value> results{scaled(state.o, factors)};
    for (std::size_t row = 0; row < factors.size(); ++row)
      results.push_back(times(state.sums[row], factors[row]));
    mlir::scf::YieldOp::create(builder(), results);
    state.o = branch.getResult(0);
    for (std::size_t row = 0; row < factors.size(); ++row)
      state.sums[row] = branch.getResult(static_cast<unsigned>(row) + 1);
  }

  Value normalised(Value sums, const State& state) {
    std::vector<Value> inverse;
    for (const Value sum : reduce_lanes(*machine_, scores_map_, "n", state.sums,
                                        [&](Value x, Value y) { return plus(x, y); }))
      inverse.push_back(machine_->reciprocal(sum));
    return scaled(sums, inverse);
  }

  static constexpr int pair_of_consumers = 2 * plan::warpgroup_lanes;

  const plan::WarpgroupAttentionPlan& plan_;
  const MatmulRequest& request_;
  MatmulRequest of_scores_;
  ScoreFormula formula_;
  double factor_;
  WarpgroupContext scores_context_, context_;  // of the two products
  std::unique_ptr<Machine> machine_;
  Value shared_;
  MappedMatrix q_, k_, v_;
  ResultArguments result_;
  std::vector<Value> extras_;  // of the scores
  Value key_of_lane_, row_of_lane_;
  std::optional<WarpgroupProduct> scores_, values_;
  layout::LinearLayout scores_map_;
  Groups rows_, result_rows_;  // of the registers of S, and of O
};

}  // namespace

std::unique_ptr<KernelModule> product_kernel(const MatmulRequest& request,
                                             const plan::WarpgroupAttentionPlan& plan) {
  return kernel_for(instruction::Target::sm_90a, [&](mlir::ImplicitLocOpBuilder& builder,
                                                     mlir::gpu::GPUModuleOp kernels) {
    const unsigned maps = plan.values.result_is_mapped ? 4 : 3;
    const std::vector<mlir::Type> others(
        4 - maps + request.extras.size() + request.softmax->extras.size(),
        mlir::LLVM::LLVMPointerType::get(builder.getContext(), 1));
    auto function = warpgroup_function(builder, request.function, maps, others, plan.threads());
    builder.setInsertionPointToStart(function.addEntryBlock(builder));
    WarpgroupAttention(builder, plan, kernels, function, request).write();
  });
}

}  // namespace heddle::compiler
