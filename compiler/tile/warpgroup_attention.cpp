// Attention in one kernel for sm_90a. The way of one block, top to bottom:
//
//   the producer's thread   waits for empty stages, has Q and the blocks of K and V copied there
//   a consumer              for its 64 queries, block of keys by block of keys:
//                             begins S = Q K^T of these keys, then O += P V of those before
//                             waits for S; exponentials of S, while P V goes on
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
        factor_(score_formula(*request.softmax, request.problem).value().factor *
                change_of_base(*request.softmax)),
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

  // Runs `body` for the blocks of keys but the first, with the first key of each.
  std::vector<Value> for_further_keys(
      const std::vector<Value>& first,
      llvm::function_ref<std::vector<Value>(Value, const std::vector<Value>&)> body) {
    return rolled_loop(context_, context_.constant(0), context_.constant(plan_.steps() - 1), first,
                       [&](Value step, const std::vector<Value>& values) {
                         const Value block = mlir::arith::SubIOp::create(
                             builder(), context_.constant(plan_.steps() - 2), step);
                         return body(context_.multiply(block, plan_.keys()), values);
                       });
  }
  Value first_keys() const { return context_.constant((plan_.steps() - 1) * plan_.keys()); }

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
      for_each_tile(
          context_, listed({&at, &of_k, &of_v}),
          [&](const BlockTile& tile, const std::vector<Value>& all) {
            spread(all, {&at, &of_k, &of_v});
            const Value zero = context_.constant(0);
            const auto copy_keys = [&](Value first) {
              copy(k, of_k, scores_context_, Operand::b, {tile.m, first, zero, tile.batch});
              of_k = k.next(of_k);
            };
            const auto copy_values = [&](Value first) {
              copy(v, of_v, context_, Operand::b, {tile.m, zero, first, tile.batch});
              of_v = v.next(of_v);
            };
            copy(q, at, scores_context_, Operand::a, {tile.m, zero, zero, tile.batch});
            at = q.next(at);
            copy_keys(first_keys());
            std::vector<Value> positions = listed({&of_k, &of_v});
            positions =
                for_further_keys(positions, [&](Value first, const std::vector<Value>& values) {
                  spread(values, {&of_k, &of_v});
                  copy_keys(first);
                  copy_values(context_.add(first, plan_.keys()));
                  return listed({&of_k, &of_v});
                });
            spread(positions, {&of_k, &of_v});
            copy_values(zero);
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
    for_each_tile(context_, first, [&](const BlockTile& tile, const std::vector<Value>& all) {
      spread(all, {&at, &state.k, &state.v});
      q.wait_full(at);
      begin_tile(q.stage(at), k, state);
      std::vector<Value> carried = values(state);
      carried = for_further_keys(carried, [&](Value, const std::vector<Value>& of_step) {
        State next = with(state, of_step);
        step(q.stage(at), k, v, next);
        return values(next);
      });
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
  void begin_tile(Value q, const StageRing& k, State& state) {
    k.wait_full(state.k);
    wait_for_turn();
    const Value begun = scores_->add(context_.constant(0), q, k.stage(state.k), scores_->nothing());
    give_turn();
    std::vector<Value> scores = elements(scores_->finished(begun));
    k.release(state.k);
    state.k = k.next(state.k);
    const std::int64_t left = plan_.problem.k - (plan_.steps() - 1) * plan_.keys();
    if (left != plan_.keys()) {
      const Value key_of_lane = thread_coordinate(context_, scores_map_, "n");
      for (std::uint64_t reg = 0; reg < scores.size(); ++reg) {
        const Value number_of_key = coordinate(context_, scores_map_, key_of_lane, reg, "n");
        scores[reg] = context_.select(context_.less(number_of_key, left), scores[reg], infinite());
      }
    }
    state.largest = largest_of(scores);
    state.sums = exponentials(scores, state.largest);
    state.shares = narrowed(scores);
    state.o = values_->zero();
  }

  void step(Value q, const StageRing& k, const StageRing& v, State& state) {
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
      subtracted.push_back(times(context_.select(is_empty, number(0), row),
                                 number(-static_cast<double>(static_cast<float>(factor_)))));
    }
    for (std::size_t reg = 0; reg < scores.size(); ++reg)
      scores[reg] =
          machine_->power_of_two(fused(scores[reg], factor, subtracted[rows_.of_register[reg]]));
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
  double factor_;
  WarpgroupContext scores_context_, context_;  // of the two products
  std::unique_ptr<Machine> machine_;
  Value shared_;
  MappedMatrix q_, k_, v_;
  ResultArguments result_;
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
    const std::vector<mlir::Type> others(4 - maps + request.extras.size(),
                                         mlir::LLVM::LLVMPointerType::get(builder.getContext(), 1));
    auto function = warpgroup_function(builder, request.function, maps, others, plan.threads());
    builder.setInsertionPointToStart(function.addEntryBlock(builder));
    WarpgroupAttention(builder, plan, kernels, function, request).write();
  });
}

}  // namespace heddle::compiler
