// Attention in one kernel for sm_90a. What the threads of a thread block do, in order:
//
//   the producer's thread   waits for empty stages, has Q and the blocks of K and V copied there
//   a consumer              for its 64 queries, block of keys by block of keys:
//                             begins S = Q K^T of these keys, then O += P V of the keys before
//                             waits for S; its formula and exponentials, while P V goes on
//                             waits for O; rescales it to the new maximum; rounds P
//
// With ping-pong, consumers take turns: while one computes exponentials, another multiplies. A
// thread block computes several tiles; results are stored while Q of the next tile arrives.
#include "compiler/decisions/score_formula.h"
#include "compiler/kernel/index_code.h"
#include "compiler/kernel/product_frame.h"
#include "compiler/kernel/product_kernel.h"
#include "compiler/nvidia/consumer_turns.h"
#include "compiler/nvidia/warpgroup_frame.h"
#include "compiler/nvidia/warpgroup_product.h"
#include "compiler/nvidia/warpgroup_result.h"
#include "compiler/request/softmax_scores.h"
#include "compiler/tile/attention_copies.h"
#include "compiler/tile/attention_tiles.h"
#include "compiler/tile/row_results.h"
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
        machine_(machine_of(instruction::Target::sm_90a, context_)),
        tiles_(context_, plan_, formula_),
        rings_(scores_context_, plan_),
        turns_(context_, plan_.consumers(), plan_.ping_pong) {
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
    v_ = mapped(request, plan.copied, Operand::b);
    if (plan.values.result_is_mapped) {
      result_.map = mapped(request, plan.values, Operand::d);
    } else {
      result_.d = function.getArgument(next++);
    }
    const auto take = [&](std::vector<Value>& list, std::size_t count) {
      for (; count != 0; --count) list.push_back(function.getArgument(next++));
    };
    take(result_.extras, request.extras.size());
    take(extras_, request.softmax->extras.size());
    take(of_rows_, request.softmax->results.size());
    take(of_sink_, function.getNumArguments() - next);
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
      rings_.initialise();
      for (const Value map : {q_.map, k_.map, v_.map, result_.map.map})
        if (map) prefetch_map(context_, map);
    });
    context_.synchronise_warp();
    mlir::NVVM::BarrierOp::create(context_.builder);
    const auto scores = [&](const BlockTile& tile) { return scores_of(tile); };
    const AttentionProducer producer(scores_context_, context_, plan_, tiles_, scores);
    run_if(
        context_, context_.equal(context_.warpgroup, 0), [&] { producer.produce({q_, k_, v_}); },
        [&] { consume(); });
    mlir::LLVM::ReturnOp::create(context_.builder, mlir::ValueRange());
  }

 private:
  // What one step hands to the next.
  struct State {
    Value o;                           // the struct of sums
    std::vector<Value> largest, sums;  // of each row that the thread has: m, and its part of l
    std::vector<Value> shares;         // P, as i32
    std::vector<Value> factors;        // of each row: O is to be multiplied by it; none: by 1
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

  ScoreCode scores_of(const BlockTile& tile) {
    std::vector<GlobalMatrix> extras;
    for (std::size_t i = 0; i < extras_.size(); ++i)
      extras.push_back(
          context_.matrix(request_.softmax->extras[i], extras_[i], Loop::m, Loop::k, tile.batch));
    return ScoreCode(context_, formula_, std::move(extras), tile.batch, machine_.get());
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
    const StageRing &q = rings_.q, &k = rings_.k, &v = rings_.v;
    WarpgroupResult result(context_, request_, result_);
    turns_.begin();
    std::vector<Value> at = q.first();
    State state = nothing(k, v);
    Before before{context_.constant(0), context_.constant(0), {}};
    if (plan_.problem.batch > 1) before.batch = {context_.constant(0)};
    const auto all_values = [&] {
      std::vector<Value> all = values(state);
      all.insert(all.end(), {before.exists, before.m});
      return listed({&all, &before.batch, &at});
    };
    const auto take = [&](const std::vector<Value>& all) {
      std::vector<Value> of_state = values(state), of_tile(2);
      spread(all, {&of_state, &of_tile, &before.batch, &at});
      state = with(state, of_state);
      before.exists = of_tile[0];
      before.m = of_tile[1];
    };
    take(tiles_.for_each(all_values(), [&](const BlockTile& tile, const std::vector<Value>& all) {
      take(all);
      ScoreCode scores = scores_of(tile);
      scores.begin(queries_of(tile));
      const AttentionTiles::KeySteps steps = tiles_.steps(tile, scores);
      const Value last = context_.add(steps.end, -1);
      q.wait_full(at);
      if (overlaps_tiles())
        state = with_last_product(
            before, state, result, [&](const StageRing* values_before, State& next) {
              return begin_tile(q.stage(at), k, values_before, scores, last, next);
            });
      else
        begin_tile(q.stage(at), k, nullptr, scores, last, state);
      std::vector<Value> carried = values(state);
      const auto loop = [&](Value from, Value to, bool is_kept) {
        carried = tiles_.for_blocks(
            from, to, carried, [&](Value block, const std::vector<Value>& of_step) {
              State next = with(state, of_step);
              step(q.stage(at), k, v, scores, {first_key(block), is_kept}, next);
              return values(next);
            });
      };
      if (plan_.blocks.masks_after) loop(steps.end_plain, last, false);
      if (plan_.blocks.has_plain) loop(steps.first_plain, steps.end_plain, true);
      if (plan_.blocks.masks_before) loop(steps.first, steps.first_plain, false);
      state = with(state, carried);
      q.release(at);
      at = q.next(at);
      if (!overlaps_tiles()) {
        finish_tile(v, tile, state, result);
        State next = nothing(k, v);
        next.k = state.k;
        next.v = state.v;
        state = next;
        return all_values();
      }
      before.exists = context_.constant(1);
      before.m = tile.m;
      if (tile.batch) before.batch = {tile.batch};
      return all_values();
    }));
    // A block has at least one tile.
    if (overlaps_tiles()) finish_tile(v, before.tile(context_), state, result);
    result.finish();
  }

  // True if a tile begins before the last P V of the previous tile: its Q needs a second stage.
  bool overlaps_tiles() const { return plan_.query_stages > 1; }

  void finish_tile(const StageRing& v, const BlockTile& tile, State& state,
                   WarpgroupResult& result) {
    v.wait_full(state.v);
    const Value sums = with_values(begun_values(state), state);
    v.release(state.v);
    state.v = v.next(state.v);
    store(result, tile, sums, state);
  }

  // The tile before the current one, if its last P V is not computed and its result not stored yet.
  struct Before {
    Value exists, m;           // i32
    std::vector<Value> batch;  // none for the only matrix

    BlockTile tile(const WarpgroupContext& context) const {
      BlockTile tile;
      tile.m = m;
      tile.n = context.constant(0);
      if (!batch.empty()) tile.batch = batch[0];
      return tile;
    }
  };

  State nothing(const StageRing& k, const StageRing& v) {
    State state;
    state.o = values_->zero();
    state.largest.assign(rows_.count(), number(0));
    state.sums = state.largest;
    state.shares.assign(static_cast<std::size_t>(plan_.share_words()), context_.constant(0));
    if (promotes()) state.factors.assign(rows_.count(), number(1));
    state.k = k.first();
    state.v = v.first();
    return state;
  }

  // Begins a tile by calling `begin`. If the last P V of the previous tile is not computed yet,
  // `begin` gets the ring of V, computes this P V and returns its sums, which are then stored.
  State with_last_product(const Before& before, const State& state, WarpgroupResult& result,
                          llvm::function_ref<Value(const StageRing*, State&)> begin) {
    const StageRing& v = rings_.v;
    auto branch = mlir::scf::IfOp::create(builder(), mlir::ValueRange(values(state)).getTypes(),
                                          context_.differs(before.exists, 0),
                                          /*withElseRegion=*/true);
    const mlir::OpBuilder::InsertionGuard guard(builder());
    State next = state;
    builder().setInsertionPointToStart(branch.thenBlock());
    const Value sums = begin(&v, next);
    store(result, before.tile(context_), sums, state);
    mlir::scf::YieldOp::create(builder(), values(next));
    next = state;
    builder().setInsertionPointToStart(branch.elseBlock());
    begin(nullptr, next);
    mlir::scf::YieldOp::create(builder(), values(next));
    return with(state, {branch.getResults().begin(), branch.getResults().end()});
  }

  static std::vector<Value> values(const State& state) {
    std::vector<Value> all{state.o};
    for (const auto* list :
         {&state.largest, &state.sums, &state.shares, &state.factors, &state.k, &state.v})
      all.insert(all.end(), list->begin(), list->end());
    return all;
  }
  static State with(State state, const std::vector<Value>& all) {
    state.o = all[0];
    std::size_t at = 1;
    for (auto* list :
         {&state.largest, &state.sums, &state.shares, &state.factors, &state.k, &state.v})
      for (Value& value : *list) value = all[at++];
    return state;
  }

  // Computes S and P of a tile's first block of keys, which may be partial. If `v` is not null,
  // also computes the last P V of the previous tile, and returns its sums.
  Value begin_tile(Value q, const StageRing& k, const StageRing* v, const ScoreCode& formula,
                   Value block, State& state) {
    k.wait_full(state.k);
    turns_.wait();
    const Value begun = scores_->add(context_.constant(0), q, k.stage(state.k), scores_->nothing());
    Value multiplied;
    if (v != nullptr) {
      v->wait_full(state.v);
      multiplied = begun_values(state);
    }
    turns_.give();
    const ScoreCode::Step keys{.first_key = first_key(block),
                               .is_kept = !formula_.has_mask(),
                               .is_partial = plan_.problem.k % plan_.keys() != 0};
    ScoreCode::Reads reads = reads_early(formula, keys);
    std::vector<Value> scores =
        elements_of(builder(), scores_->finished(begun, v != nullptr ? 1 : 0));
    k.release(state.k);
    state.k = k.next(state.k);
    scores = formula.scores(keys, scores, registers(), std::move(reads));
    state.largest = largest_of(scores);
    state.sums = exponentials(scores, state.largest);
    if (v != nullptr) {
      multiplied = with_values(multiplied, state);
      v->release(state.v);
      state.v = v->next(state.v);
    }
    state.shares = shares_of(scores);
    state.o = values_->zero();
    for (Value& factor : state.factors) factor = number(1);
    return multiplied;
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

  // Reads elements of the extras while the product runs: as many as fit in the free registers.
  ScoreCode::Reads reads_early(const ScoreCode& formula, const ScoreCode::Step& keys) const {
    ScoreCode::Reads reads;
    if (extras_.empty()) return reads;
    const auto left = static_cast<std::size_t>(std::max(0, plan_.registers_left()));
    const std::size_t each = left / extras_.size() / 2 * 2;
    formula.read(keys, registers(), std::min(each, rows_.of_register.size()), reads);
    return reads;
  }

  void step(Value q, const StageRing& k, const StageRing& v, const ScoreCode& formula,
            const ScoreCode::Step& keys, State& state) {
    k.wait_full(state.k);
    turns_.wait();
    const Value begun = scores_->add(context_.constant(0), q, k.stage(state.k), scores_->nothing());
    v.wait_full(state.v);
    const Value multiplied = begun_values(state);
    turns_.give();
    ScoreCode::Reads reads = reads_early(formula, keys);
    std::vector<Value> scores = elements_of(builder(), scores_->finished(begun, 1));
    k.release(state.k);
    state.k = k.next(state.k);
    scores = formula.scores(keys, scores, registers(), std::move(reads));
    const std::vector<Value> old = state.largest;
    Value rises;
    raise(largest_of(scores), state.largest, rises);
    const std::vector<Value> sums = exponentials(scores, state.largest);
    state.o = with_values(multiplied, state);
    v.release(state.v);
    state.v = v.next(state.v);
    if (promotes()) {
      for (std::size_t row = 0; row < sums.size(); ++row) {
        state.factors[row] = lowered(old[row], state.largest[row]);
        state.sums[row] = fused(state.sums[row], state.factors[row], sums[row]);
      }
    } else {
      rescale(state, old, rises);
      for (std::size_t row = 0; row < sums.size(); ++row)
        state.sums[row] = plus(state.sums[row], sums[row]);
    }
    state.shares = shares_of(scores);
  }

  // True if P V of a step is a sum of its own, to which O is added in f32, times the factors.
  bool promotes() const { return plan_.values.promotes(); }
  Value begun_values(const State& state) {
    const Value stage = rings_.v.stage(state.v);
    return promotes() ? values_->add(context_.constant(0), state.shares, stage, values_->nothing())
                      : values_->add(context_.constant(1), state.shares, stage, state.o);
  }
  // O, with the P V that begun_values() began.
  Value with_values(Value begun, const State& state) {
    const Value sums = values_->finished(begun);
    if (!promotes()) return sums;
    std::vector<Value> factors;
    for (int i = 0; i < values_->registers(); ++i)
      factors.push_back(state.factors[result_rows_.of_register[static_cast<std::size_t>(i)]]);
    return values_->scaled_sum(sums, state.o, factors);
  }

  // P as the words of operand A.
  std::vector<Value> shares_of(const std::vector<Value>& exponentials) {
    std::vector<Value> ordered;
    for (const int reg : plan_.share_order)
      ordered.push_back(exponentials[static_cast<std::size_t>(reg)]);
    if (!plan_.transposes_values()) return narrowed_words(context_, ordered, plan_.problem.input);
    std::vector<Value> words;
    for (std::size_t i = 0; i < ordered.size(); i += 4)
      words.push_back(machine_->bytes({ordered[i], ordered[i + 1], ordered[i + 2], ordered[i + 3]},
                                      plan_.problem.input));
    return words;
  }

  Value fused(Value x, Value y, Value z) { return mlir::LLVM::FMAOp::create(builder(), x, y, z); }
  Value times(Value x, Value y) { return mlir::arith::MulFOp::create(builder(), x, y); }
  Value same(Value x, Value y) {
    return mlir::arith::CmpFOp::create(builder(), mlir::arith::CmpFPredicate::OEQ, x, y);
  }
  Value plus(Value x, Value y) { return mlir::arith::AddFOp::create(builder(), x, y); }

  std::vector<Value> largest_of(const std::vector<Value>& scores) {
    const auto larger = [&](Value x, Value y) { return machine_->larger(x, y); };
    return reduce_lanes(*machine_, scores_map_, "n", reduce_registers(scores, rows_, larger),
                        larger);
  }

  // `largest` is subtracted from a row's scores; `found` is the row's largest score in this step.
  // Where exponentials would exceed 2^8, `found` replaces `largest`; smaller rises are ignored, so
  // sums are seldom rescaled. `rises` (i1) becomes true if any of the thread's rows changes.
  void raise(const std::vector<Value>& found, std::vector<Value>& largest, Value& rises) {
    // Exponentials of 8 bits have no room for larger ones.
    const bool is_exact = request_.softmax->needs_largest || plan_.share_exponent() != 0;
    const double most_rise = is_exact ? 0 : 8 / factor_;
    for (std::size_t row = 0; row < found.size(); ++row) {
      const Value rise = mlir::arith::SubFOp::create(builder(), found[row], largest[row]);
      const Value needs = mlir::arith::CmpFOp::create(builder(), mlir::arith::CmpFPredicate::OGT,
                                                      rise, number(most_rise));
      largest[row] = context_.select(needs, found[row], largest[row]);
      rises = rises ? mlir::arith::OrIOp::create(builder(), rises, needs).getResult() : needs;
    }
  }

  // Replaces scores by their exponentials P, not yet rounded. Returns the thread's sum of each row.
  std::vector<Value> exponentials(std::vector<Value>& scores, const std::vector<Value>& largest) {
    const Value factor = number(factor_);
    const Value infinite = number(-std::numeric_limits<double>::infinity());
    std::vector<Value> subtracted;
    for (const Value row : largest) {
      // If all scores so far are -infinity, 0 is subtracted: exponentials are 0, not NaN.
      const Value finite = context_.select(same(row, infinite), number(0), row);
      const double negative = -static_cast<double>(static_cast<float>(factor_));
      subtracted.push_back(formula_.has_large_scores ? finite
                           : plan_.share_exponent() == 0
                               ? times(finite, number(negative))
                               : fused(finite, number(negative), number(plan_.share_exponent())));
    }
    for (std::size_t reg = 0; reg < scores.size(); ++reg) {
      const Value less = subtracted[rows_.of_register[reg]];
      scores[reg] = formula_.has_large_scores
                        ? over(scores[reg], less, plan_.share_exponent())
                        : machine_->power_of_two(fused(scores[reg], factor, less));
    }
    return reduce_registers(scores, rows_, [&](Value x, Value y) { return plus(x, y); });
  }

  // Multiplies each element of O, `sums`, by the number in `by` that belongs to the element's row.
  Value scaled(Value sums, const std::vector<Value>& by) {
    std::vector<Value> all = elements_of(builder(), sums);
    for (std::size_t i = 0; i < all.size(); ++i)
      sums = mlir::LLVM::InsertValueOp::create(builder(), sums,
                                               times(all[i], by[result_rows_.of_register[i]]),
                                               static_cast<std::int64_t>(i));
    return sums;
  }

  // The exponential of `from` over that of `to`, times 2^exponent.
  Value over(Value from, Value to, int exponent = 0) {
    const Value fall = mlir::arith::SubFOp::create(builder(), from, to);
    return machine_->power_of_two(exponent == 0 ? times(fall, number(factor_))
                                                : fused(fall, number(factor_), number(exponent)));
  }
  // The same, but 1 if both are the same infinity.
  Value lowered(Value from, Value to) {
    return context_.select(same(from, to), number(1), over(from, to));
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
    for (std::size_t row = 0; row < old.size(); ++row)
      factors.push_back(lowered(old[row], state.largest[row]));
    std::vector<Value> results{scaled(state.o, factors)};
    for (std::size_t row = 0; row < factors.size(); ++row)
      results.push_back(times(state.sums[row], factors[row]));
    mlir::scf::YieldOp::create(builder(), results);
    state.o = branch.getResult(0);
    for (std::size_t row = 0; row < factors.size(); ++row)
      state.sums[row] = branch.getResult(static_cast<unsigned>(row) + 1);
  }

  void store(WarpgroupResult& result, const BlockTile& tile, Value sums, const State& state) {
    std::vector<Value> whole = reduce_lanes(*machine_, scores_map_, "n", state.sums,
                                            [&](Value x, Value y) { return plus(x, y); });
    // Exponentials are summed times that, as O is.
    const double share = std::ldexp(1.0, -plan_.share_exponent());
    if (share != 1)
      for (Value& sum : whole) sum = times(sum, number(share));
    const std::vector<Value> queries = queries_of(tile);
    std::vector<Value> largest = state.largest, factors(whole.size());
    if (request_.softmax->sink) factors = join_sinks(tile, queries, whole, largest);
    std::vector<GlobalMatrix> matrices;
    for (std::size_t i = 0; i < of_rows_.size(); ++i)
      matrices.push_back(context_.matrix(request_.softmax->results[i].d, of_rows_[i], Loop::m,
                                         Loop::n, tile.batch));
    store_row_results(context_, *request_.softmax, matrices, {queries, whole, largest, factor_},
                      context_.equal(key_of_lane_, 0));
    std::vector<Value> inverse;
    for (std::size_t row = 0; row < whole.size(); ++row) {
      inverse.push_back(machine_->reciprocal(whole[row]));
      if (share != 1) inverse[row] = times(inverse[row], number(share));
      if (factors[row]) inverse[row] = times(inverse[row], factors[row]);
    }
    result.store(tile, scaled(sums, inverse));
  }

  // Adds the sink of each row to its sum of exponentials, as one more score. Returns the factors by
  // which the sums of P V must be multiplied, one for each row.
  std::vector<Value> join_sinks(const BlockTile& tile, const std::vector<Value>& queries,
                                std::vector<Value>& sums, std::vector<Value>& largest) {
    const SoftmaxSink& sink = *request_.softmax->sink;
    std::vector<GlobalMatrix> matrices;
    for (std::size_t i = 0; i < of_sink_.size(); ++i)
      matrices.push_back(
          context_.matrix(sink.extras[i], of_sink_[i], Loop::m, Loop::k, tile.batch));
    const std::vector<Value> sinks =
        sinks_of_rows(context_, sink, matrices, queries, formula_.factor);
    std::vector<Value> factors;
    for (std::size_t row = 0; row < sums.size(); ++row) {
      const Value larger = machine_->larger(largest[row], sinks[row]);
      factors.push_back(lowered(largest[row], larger));
      sums[row] = fused(sums[row], factors[row], over(sinks[row], larger));
      largest[row] = larger;
    }
    return factors;
  }

  const plan::WarpgroupAttentionPlan& plan_;
  const MatmulRequest& request_;
  MatmulRequest of_scores_;
  ScoreFormula formula_;
  double factor_;
  WarpgroupContext scores_context_, context_;  // of the two products
  std::unique_ptr<Machine> machine_;
  AttentionTiles tiles_;
  AttentionRings rings_;
  ConsumerTurns turns_;
  Value shared_;
  MappedMatrix q_, k_, v_;
  ResultArguments result_;
  std::vector<Value> extras_, of_rows_, of_sink_;  // of scores, rows' results, the sink
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
    const SoftmaxOperand& softmax = *request.softmax;
    const std::size_t others = 4 - maps + request.extras.size() + softmax.extras.size() +
                               softmax.results.size() +
                               (softmax.sink ? softmax.sink->extras.size() : 0);
    const auto pointer = mlir::LLVM::LLVMPointerType::get(builder.getContext(), 1);
    auto function = warpgroup_function(builder, request.function, maps,
                                       std::vector<mlir::Type>(others, pointer), plan.threads());
    builder.setInsertionPointToStart(function.addEntryBlock(builder));
    WarpgroupAttention(builder, plan, kernels, function, request).write();
  });
}

}  // namespace heddle::compiler
