// Attention in one kernel, written with the operations on tiles (tile.h). One step processes one
// block of keys:
//
//   finish K, barrier     S = Q K^T                   barrier, begin the next K
//   m = each row's maximum; rescale l and O to it; P = exp(S - m); l += sum of P
//   finish V, barrier     O += P V                    barrier, begin the next V
//
// "begin" starts a copy to shared memory, "finish" waits for it. So K arrives during the
// exponentials and the product P V, and V arrives during the product Q K^T. The scores are scaled
// so that exponentials are powers of two. l is the sum of exponentials of a row; until the end,
// each lane has a separate part of it. In the end, warps and thread blocks that share queries join
// their sums (softmax_sums.h).
#include "compiler/decisions/score_formula.h"
#include "compiler/kernel/expression_code.h"
#include "compiler/kernel/product_frame.h"
#include "compiler/kernel/product_kernel.h"
#include "compiler/request/softmax_scores.h"
#include "compiler/tile/attention_result.h"
#include "compiler/tile/row_results.h"
#include "compiler/tile/score_code.h"
#include "compiler/tile/score_parts.h"
#include "compiler/tile/shared_tile.h"
#include "compiler/tile/verbs.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace heddle::compiler {
namespace {

using instruction::Operand;
using layout::LinearLayout;
using mlir::Value;
using plan::Loop;

constexpr layout::AxisName query("query"), key("key"), depth("depth"), column("column");

// What one step hands to the next.
struct State : RowSums {
  std::vector<Value> k, v;   // copies on their way
  std::vector<Value> tiles;  // of K and V, to be copied next
  Value left;                // i32: keys from the step on
};

class AttentionKernel {
 public:
  AttentionKernel(mlir::gpu::GPUFuncOp function, const MatmulRequest& request,
                  const plan::AttentionPlan& plan, llvm::StringRef shared_name)
      : options_{plan.target, false},
        code_(function.getBody().front(), function.getLoc(), options_),
        context_{{{code_.builder, {}, {}}, {}}},
        function_(function),
        request_(request),
        softmax_(*request.softmax),
        formula_(score_formula(*request.softmax, request.problem).value()),
        plan_(plan),
        row_(*plan.instruction),
        machine_(machine_of(plan.target, context_)),
        scores_map_(plan.in_key_order(sums_map(key, plan.warp_keys() / atom_keys()), key)),
        result_map_(plan.among_column_warps(sums_map(column, power_above(plan.columns_atoms)),
                                            column, own_bits(plan.v))),
        factor_map_(factor_map(key, plan.warp_keys() / row_.k)),
        queries_map_(plan.among_column_warps(factor_map(depth, power_above(plan.depth_atoms)),
                                             depth, own_bits(plan.k))),
        rows_(groups_along(scores_map_, key)),
        result_(code_, context_, *machine_, request, plan, function,
                {scores_map_, result_map_, rows_}) {
    read_sizes(context_, request, function);
    place_thread(context_, plan.lanes);
    const auto pointer = mlir::LLVM::LLVMPointerType::get(builder().getContext(), 3);
    shared_ = mlir::LLVM::AddressOfOp::create(builder(), pointer, shared_name);
    // LLVM has no floats of 8 bits.
    element_ = is_small_float(plan.problem.input)
                   ? bits_type(builder().getContext(), plan.problem.input)
                   : number_type(builder().getContext(), plan.problem.input);
  }

  void write() {
    if (plan_.problem.batch > 1 || plan_.problem.is_dynamic(Loop::batch))
      batch_ = block_number(context_, mlir::gpu::Dimension::y);
    const Value block = block_number(context_, mlir::gpu::Dimension::x);
    const Value first_of_block = context_.multiply(block, plan_.block_queries());
    const Value last_of_block = mlir::arith::MinSIOp::create(
        builder(), context_.add(first_of_block, plan_.block_queries() - 1), last_query());
    sharing_warp_ = context_.remainder(context_.warp, plan_.sharing_warps());
    first_query_ = context_.add(
        first_of_block, context_.multiply(context_.divide(context_.warp, plan_.sharing_warps()),
                                          std::int64_t{plan_.queries}));
    const Value of_lane = thread_coordinate(context_, scores_map_, query);
    for (const std::uint64_t reg : rows_.first)
      queries_.push_back(
          context_.add(first_query_, coordinate(context_, scores_map_, of_lane, reg, query)));
    key_of_lane_ = thread_coordinate(context_, scores_map_, key);
    if (plan_.key_warps > 1)
      key_of_lane_ = context_.add(
          key_of_lane_, context_.multiply(sharing_warp_, std::int64_t{plan_.warp_keys()}));
    const SharedTile k(code_, context_, *machine_, plan_.k, shared_, element_,
                       lines(softmax_.keys, plan_.depth));
    const SharedTile v(code_, context_, *machine_, plan_.v, shared_, element_,
                       lines(request_.b, plan_.problem.n));
    std::optional<SharedTile> q;
    if (plan_.q) {
      q.emplace(code_, context_, *machine_, *plan_.q, shared_, element_, lines_of_queries());
      q->begin(q->first(), rows_left_);
    } else {
      load_queries();
    }
    q_tile_ = q ? &*q : nullptr;
    factor_ = formula_.factor * change_of_base(softmax_);
    most_rise_ = softmax_.needs_largest || plan_.share_exponent() != 0 ? 0 : 8 / factor_;
    std::vector<GlobalMatrix> extras;
    for (const MatrixRecord& extra : softmax_.extras)
      extras.push_back(matrix(extra, Loop::m, Loop::k));
    scores_.emplace(context_, formula_, std::move(extras), batch_);
    scores_->begin(queries_);
    steps_ = scores_->steps(first_of_block, last_of_block, plan_.keys);
    if (plan_.parts > 1) take_part();
    State state = start(k, v);
    const std::vector<Value> first = values(state);
    state = with(state, rolled_loop(context_, steps_.first, steps_.end, first,
                                    [&](Value number, const std::vector<Value>& all) {
                                      return values(step(k, v, with(state, all), number));
                                    }));
    machine_->wait(0);
    without_share_exponent(state);
    result_.join_and_store(state,
                           {block, batch_, part_, sharing_warp_, queries_, shared_, factor_});
    mlir::gpu::ReturnOp::create(builder());
  }

 private:
  mlir::ImplicitLocOpBuilder& builder() { return code_.builder; }
  int atom_queries() const { return plan_.keys_are_rows ? row_.n : row_.m; }
  int atom_keys() const { return plan_.keys_are_rows ? row_.m : row_.n; }
  static int power_above(std::int64_t count) {
    return static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>(count)));
  }

  // The map of the sums D of a product. One axis of D is the queries, the other is `other`; `atoms`
  // is the number of instruction tiles along `other`.
  LinearLayout sums_map(const layout::AxisName& other, int atoms) const {
    const TileAxis of_query{plan_.keys_are_rows ? layout::AxisName("n") : layout::AxisName("m"),
                            query, plan_.queries / atom_queries()};
    const TileAxis of_other{plan_.keys_are_rows ? layout::AxisName("m") : layout::AxisName("n"),
                            other, atoms};
    // In registers, the atoms along n are the inner ones.
    return plan_.keys_are_rows ? tile_map(row_, Operand::d, plan_.order, of_other, of_query)
                               : tile_map(row_, Operand::d, plan_.order, of_query, of_other);
  }
  // The map of the operand whose axes are the queries and `k`. It is B if keys are rows of the
  // product, else A.
  LinearLayout factor_map(const layout::AxisName& k, int atoms) const {
    const TileAxis of_query{plan_.keys_are_rows ? layout::AxisName("n") : layout::AxisName("m"),
                            query, plan_.queries / atom_queries()};
    return tile_map(row_, plan_.keys_are_rows ? Operand::b : Operand::a, plan_.order, of_query,
                    {layout::AxisName("k"), k, atoms});
  }
  std::size_t factor_elements() const {
    const LinearLayout atom =
        instruction::fragment(row_, plan_.keys_are_rows ? Operand::b : Operand::a, plan_.order);
    return std::size_t{1} << (atom.inputs().bits_of("element") + atom.inputs().bits_of("register"));
  }
  // Bits of the places in a tile's line that a column warp has.
  int own_bits(const plan::SharedOperand& operand) const {
    return std::countr_zero(static_cast<unsigned>(operand.line_elements() / plan_.column_warps));
  }
  std::size_t sum_elements() const {
    return instruction::fragment(row_, Operand::d).input_size("register");
  }

  Value last_query() const {
    const Extent queries = context_.sum(context_.size(Loop::m), {-1, {}});
    return context_.value_of(queries);
  }

  GlobalMatrix matrix(const MatrixRecord& record, Loop rows, Loop columns) {
    const Value pointer = function_.getArgument(static_cast<unsigned>(record.parameter));
    return context_.matrix(record, pointer, rows, columns, batch_);
  }
  Lines lines(const MatrixRecord& record, std::int64_t length) {
    const GlobalMatrix all = matrix(record, Loop::k, Loop::n);
    return {all.pointer, all.row, {}, length, plan_.has_whole(Loop::k, plan_.keys)};
  }
  // Those of the block; sets rows_left_.
  Lines lines_of_queries() {
    const GlobalMatrix all = matrix(request_.a, Loop::m, Loop::k);
    const Value first =
        context_.multiply(block_number(context_, mlir::gpu::Dimension::x), plan_.block_queries());
    rows_left_ =
        mlir::arith::SubIOp::create(builder(), context_.value_of(context_.size(Loop::m)), first);
    return {all.pointer, all.row, first, plan_.depth,
            plan_.has_whole(Loop::m, plan_.block_queries())};
  }

  Value number(double value) {
    return mlir::arith::ConstantOp::create(builder(),
                                           builder().getF32FloatAttr(static_cast<float>(value)));
  }

  // Loads Q as an operand of the first product. Elements beyond the depth, and rows beyond the end
  // of Q, are zeros.
  void load_queries() {
    const GlobalMatrix q = matrix(request_.a, Loop::m, Loop::k);
    const LinearLayout& map = queries_map_;
    const Value row_of_lane = thread_coordinate(context_, map, query);
    const Value depth_of_lane = thread_coordinate(context_, map, depth);
    const std::size_t each = factor_elements();
    std::uint64_t run = 1;  // neighbours along the depth in a lane's registers, up to 16 bytes
    const std::uint64_t bytes = element_.getIntOrFloatBitWidth() / 8;
    while (run < each && run * bytes < 16 &&
           constant_part(map, run, depth) == static_cast<std::int64_t>(run))
      run *= 2;
    const auto type = mlir::VectorType::get({static_cast<std::int64_t>(run)}, element_);
    const auto atoms = static_cast<std::uint64_t>(plan_.queries / atom_queries());
    for (std::uint64_t row_atom = 0; row_atom < atoms; ++row_atom) {
      for (std::uint64_t atom = 0; atom < static_cast<std::uint64_t>(plan_.depth_atoms); ++atom) {
        const std::uint64_t first =
            (row_atom * static_cast<std::uint64_t>(power_above(plan_.depth_atoms)) + atom) * each;
        std::vector<Value> registers;
        for (std::uint64_t reg = first; reg < first + each; reg += run) {
          const Value row =
              context_.add(first_query_, coordinate(context_, map, row_of_lane, reg, query));
          const Value at = coordinate(context_, map, depth_of_lane, reg, depth);
          Value inside = context_.less(row, context_.size(Loop::m));
          if (plan_.depth != plan_.depth_atoms * row_.k * plan_.column_warps)
            inside = context_.both(inside, context_.less(at, plan_.depth));
          const Value from =
              context_.select(inside, context_.pointer(q, {row, at, 0, 0}), q.pointer);
          const Value loaded =
              mlir::LLVM::LoadOp::create(builder(), type, from, static_cast<unsigned>(bytes * run));
          for (const Value element :
               code_.elements(context_.select(inside, loaded, code_.zero(type))))
            registers.push_back(element);
        }
        q_.push_back(code_.vector_of(registers));
      }
    }
  }
  // The registers of Q for the instructions at position `atom` along the depth, for all positions
  // along the queries.
  Pieces queries_of(std::size_t atom) const {
    Pieces pieces;
    for (std::size_t at = atom; at < q_.size(); at += static_cast<std::size_t>(plan_.depth_atoms))
      pieces.push_back(q_[at]);
    return pieces;
  }

  // The steps that its queries need are divided among plan_.parts thread blocks. Sets steps_ to
  // those of this thread block; there may be none.
  void take_part() {
    const auto least = [&](Value x, Value y) -> Value {
      return mlir::arith::MinSIOp::create(builder(), x, y);
    };
    part_ = block_number(context_, mlir::gpu::Dimension::z);
    const Value count = mlir::arith::MaxSIOp::create(
        builder(), mlir::arith::SubIOp::create(builder(), steps_.end, steps_.first),
        context_.constant(0));
    const Value each = context_.divide(context_.add(count, plan_.parts - 1), plan_.parts);
    const Value first = least(mlir::arith::MulIOp::create(builder(), part_, each), count);
    const Value end = least(context_.add(first, each), count);
    steps_.end = context_.add(steps_.first, end);
    steps_.first = context_.add(steps_.first, first);
  }

  Value zero_sums() {
    return code_.zero(
        mlir::VectorType::get({static_cast<std::int64_t>(sum_elements())}, builder().getF32Type()));
  }

  State start(const SharedTile& k, const SharedTile& v) {
    State state;
    const std::size_t atoms = static_cast<std::size_t>(plan_.queries / atom_queries()) *
                              static_cast<std::size_t>(plan_.columns_atoms);
    state.o.assign(atoms, zero_sums());
    state.largest.assign(rows_.count(), number(-std::numeric_limits<double>::infinity()));
    state.sums.assign(rows_.count(), number(0));
    if (softmax_.sink) begin_with_sink(state);
    state.left =
        mlir::arith::SubIOp::create(builder(), context_.value_of(context_.size(Loop::k)),
                                    context_.multiply(steps_.first, std::int64_t{plan_.keys}));
    if (plan_.parts > 1)
      state.left = mlir::arith::MaxSIOp::create(builder(), state.left, context_.constant(0));
    const Value first_k = k.tile(steps_.first), first_v = v.tile(steps_.first);
    state.k = k.begin(first_k, state.left);
    state.v = v.begin(first_v, state.left);
    state.tiles = {k.next(first_k), v.next(first_v)};
    return state;
  }

  // Begins with the sink as the only score so far: it is the maximum, and its exponential is 1.
  // This 1 is divided equally among the sums of all lanes, warps and thread blocks that have keys
  // of the row.
  void begin_with_sink(State& state) {
    int lane_bits = 0;
    for (int bit = 0; bit < scores_map_.inputs().bits_of("lane"); ++bit)
      lane_bits += scores_map_.basis("lane", bit, key) != 0 ? 1 : 0;
    const double part =
        std::ldexp(1.0, plan_.share_exponent() - lane_bits) / (plan_.key_warps * plan_.parts);
    std::vector<GlobalMatrix> matrices;
    for (const MatrixRecord& extra : softmax_.sink->extras)
      matrices.push_back(matrix(extra, Loop::m, Loop::k));
    const std::vector<Value> sinks =
        sinks_of_rows(context_, *softmax_.sink, matrices, queries_, formula_.factor);
    for (std::size_t row = 0; row < rows_.count(); ++row) {
      const Value sink = sinks[row];
      const Value is_some =
          mlir::arith::CmpFOp::create(builder(), mlir::arith::CmpFPredicate::ONE, sink,
                                      number(-std::numeric_limits<double>::infinity()));
      state.largest[row] = sink;
      state.sums[row] = context_.select(is_some, number(part), number(0));
    }
  }

  static std::vector<Value> values(const State& state) {
    std::vector<Value> all(state.o.begin(), state.o.end());
    for (const auto* list : {&state.largest, &state.sums, &state.k, &state.v, &state.tiles})
      all.insert(all.end(), list->begin(), list->end());
    all.push_back(state.left);
    return all;
  }
  static State with(State state, const std::vector<Value>& all) {
    std::size_t at = 0;
    for (Value& value : state.o) value = all[at++];
    for (auto* list : {&state.largest, &state.sums, &state.k, &state.v, &state.tiles})
      for (Value& value : *list) value = all[at++];
    state.left = all[at];
    return state;
  }

  // Emits one step, for the block of keys with number `number`. The last block of keys may be
  // partial.
  State step(const SharedTile& k, const SharedTile& v, State state, Value number) {
    const Value next = mlir::arith::MaxSIOp::create(
        builder(), context_.add(state.left, -std::int64_t{plan_.keys}), context_.constant(0));
    const ScoreParts parts_of_sums(code_, context_, plan_, shared_);
    k.finish(state.k, 1);
    machine_->barrier();
    Tile scores{scores_map_, products(k)};
    if (plan_.column_warps > 1) parts_of_sums.put(scores);
    machine_->barrier();
    state.k = k.begin(state.tiles[0], next);
    if (plan_.column_warps > 1) scores = parts_of_sums.sum(scores);
    const Tile shares = exponentials(scores, state, number);
    v.finish(state.v, 1);
    machine_->barrier();
    multiply_shares(v, shares, state);
    machine_->barrier();
    state.v = v.begin(state.tiles[1], next);
    state.tiles = {k.next(state.tiles[0]), v.next(state.tiles[1])};
    state.left = next;
    return state;
  }

  // S, or S^T.
  Pieces products(const SharedTile& k) {
    const auto key_atoms = static_cast<std::size_t>(plan_.warp_keys() / atom_keys());
    const auto query_atoms = static_cast<std::size_t>(plan_.queries / atom_queries());
    Pieces sums(key_atoms * query_atoms, zero_sums());
    for (std::size_t atom = 0; atom < static_cast<std::size_t>(plan_.depth_atoms); ++atom) {
      const Pieces queries = q_tile_ != nullptr ? q_tile_->fragments(atom) : queries_of(atom);
      const std::uint64_t of_tile = k.atoms();
      const Pieces keys = k.fragments(atom % of_tile, static_cast<int>(atom / of_tile));
      if (plan_.keys_are_rows) {
        multiply(code_, row_, {key_atoms, query_atoms}, keys, queries, sums);
      } else {
        multiply(code_, row_, {query_atoms, key_atoms}, queries, keys, sums);
      }
    }
    return sums;
  }

  // The scores, one for each register, before they are multiplied by the factor of the exponents.
  // If no key of this block of keys is masked, the kernel branches to shorter code that computes
  // them.
  std::vector<Value> scores_of(const Tile& tile, Value number) {
    const std::vector<Value> sums = registers_of(code_, tile);
    const bool has_partial = !plan_.has_whole(Loop::k, plan_.keys);
    ScoreCode::Step step{.first_key = context_.multiply(number, std::int64_t{plan_.keys})};
    const auto scores = [&](bool is_kept) {
      step.is_kept = is_kept;
      step.is_partial = has_partial && !is_kept;
      return scores_->scores(step, sums, {scores_map_, key, key_of_lane_, rows_});
    };
    if (!formula_.has_mask() && !has_partial) return scores(true);
    const auto compared = [&](mlir::arith::CmpIPredicate predicate, Value with) -> Value {
      return mlir::arith::CmpIOp::create(builder(), predicate, number, with);
    };
    const Value is_plain =
        context_.both(compared(mlir::arith::CmpIPredicate::sge, steps_.first_plain),
                      compared(mlir::arith::CmpIPredicate::slt, steps_.end_plain));
    auto branch = mlir::scf::IfOp::create(builder(), mlir::ValueRange(sums).getTypes(), is_plain,
                                          /*withElseRegion=*/true);
    const mlir::OpBuilder::InsertionGuard guard(builder());
    builder().setInsertionPointToStart(branch.thenBlock());
    mlir::scf::YieldOp::create(builder(), scores(true));
    builder().setInsertionPointToStart(branch.elseBlock());
    mlir::scf::YieldOp::create(builder(), scores(false));
    return {branch.getResults().begin(), branch.getResults().end()};
  }

  Value fused(Value x, Value y, Value z) { return mlir::LLVM::FMAOp::create(builder(), x, y, z); }
  Value times(Value x, Value y) { return mlir::arith::MulFOp::create(builder(), x, y); }
  Value plus(Value x, Value y) { return mlir::arith::AddFOp::create(builder(), x, y); }

  // state.largest is subtracted from a row's scores; `largest` is the row's largest score in this
  // step. Where exponentials would exceed 2^8, `largest` replaces state.largest; smaller rises are
  // ignored. The sums are rescaled if a row of the warp changes, which is seldom. Every rise counts
  // if the largest score is a result, or if exponentials have 8 bits.
  void raise(const std::vector<Value>& largest, State& state) {
    std::vector<Value> raised, factors;
    Value some;
    for (std::size_t row = 0; row < largest.size(); ++row) {
      const Value old = state.largest[row];
      const Value rise = mlir::arith::SubFOp::create(builder(), largest[row], old);
      const Value needs = mlir::arith::CmpFOp::create(builder(), mlir::arith::CmpFPredicate::OGT,
                                                      rise, number(most_rise_));
      raised.push_back(context_.select(needs, largest[row], old));
      some = some ? mlir::arith::OrIOp::create(builder(), some, needs).getResult() : needs;
    }
    std::vector<Value> sums(state.o.begin(), state.o.end());
    sums.insert(sums.end(), state.sums.begin(), state.sums.end());
    auto branch = mlir::scf::IfOp::create(builder(), mlir::ValueRange(sums).getTypes(),
                                          machine_->any(some), /*withElseRegion=*/true);
    const mlir::OpBuilder::InsertionGuard guard(builder());
    builder().setInsertionPointToStart(branch.elseBlock());
    mlir::scf::YieldOp::create(builder(), sums);
    builder().setInsertionPointToStart(branch.thenBlock());
    for (std::size_t row = 0; row < largest.size(); ++row) {
      const Value fall = mlir::arith::SubFOp::create(builder(), state.largest[row], raised[row]);
      const Value is_same = mlir::arith::CmpFOp::create(builder(), mlir::arith::CmpFPredicate::OEQ,
                                                        state.largest[row], raised[row]);
      const Value power = machine_->power_of_two(times(fall, number(factor_)));
      factors.push_back(context_.select(is_same, number(1), power));
    }
    Pieces scaled = state.o;
    result_.scale(scaled, factors);
    std::vector<Value> results(scaled.begin(), scaled.end());
    for (std::size_t row = 0; row < factors.size(); ++row)
      results.push_back(times(state.sums[row], factors[row]));
    mlir::scf::YieldOp::create(builder(), results);
    for (std::size_t i = 0; i < sums.size(); ++i)
      (i < state.o.size() ? state.o[i] : state.sums[i - state.o.size()]) =
          branch.getResult(static_cast<unsigned>(i));
    state.largest = raised;
  }

  // All exponentials contain a factor 2^share_exponent. Removes it from the sums l and O. O / l
  // does not change.
  void without_share_exponent(State& state) {
    if (plan_.share_exponent() == 0) return;
    const Value factor = number(std::ldexp(1.0, -plan_.share_exponent()));
    for (Value& sum : state.sums) sum = times(sum, factor);
    result_.scale(state.o, std::vector<Value>(rows_.count(), factor));
  }

  // Computes P = exp(S - m) from the scores S, `tile`, and returns it as an operand of the product
  // with V. Rescales the sums in `state` to the new maximum m and adds the exponentials to them.
  Tile exponentials(const Tile& tile, State& state, Value number_of_step) {
    const std::vector<Value> scores = scores_of(tile, number_of_step);
    const auto larger = [&](Value x, Value y) { return machine_->larger(x, y); };
    const Value factor = number(factor_);
    const Value infinite = number(-std::numeric_limits<double>::infinity());
    std::vector<Value> largest =
        reduce_lanes(*machine_, scores_map_, key, reduce_registers(scores, rows_, larger), larger);
    raise(largest, state);
    const Value exponent = number(plan_.share_exponent());
    std::vector<Value> subtracted;  // times the factor, or as it is for large scores
    for (const Value row : state.largest) {
      // If all scores of the row are -infinity so far, 0 is subtracted: the exponentials are 0, not
      // NaN.
      const Value is_empty =
          mlir::arith::CmpFOp::create(builder(), mlir::arith::CmpFPredicate::OEQ, row, infinite);
      const Value finite = context_.select(is_empty, number(0), row);
      const double negative = -static_cast<double>(static_cast<float>(factor_));
      subtracted.push_back(formula_.has_large_scores ? finite
                           : plan_.share_exponent() == 0
                               ? times(finite, number(negative))
                               : fused(finite, number(negative), exponent));
    }
    std::vector<Value> shares;
    for (std::size_t reg = 0; reg < scores.size(); ++reg) {
      const Value less = subtracted[rows_.of_register[reg]];
      if (!formula_.has_large_scores) {
        shares.push_back(machine_->power_of_two(fused(scores[reg], factor, less)));
        continue;
      }
      const Value difference = mlir::arith::SubFOp::create(builder(), scores[reg], less);
      shares.push_back(machine_->power_of_two(plan_.share_exponent() == 0
                                                  ? times(difference, factor)
                                                  : fused(difference, factor, exponent)));
    }
    const std::vector<Value> sums =
        reduce_registers(shares, rows_, [&](Value x, Value y) { return plus(x, y); });
    for (std::size_t row = 0; row < sums.size(); ++row)
      state.sums[row] = plus(state.sums[row], sums[row]);
    Tile narrow{scores_map_, {}};
    for (std::size_t first = 0; first < shares.size(); first += sum_elements())
      narrow.pieces.push_back(narrowed(llvm::ArrayRef(shares).slice(first, sum_elements())));
    return convert(code_, narrow, factor_map_, factor_elements());
  }

  Value narrowed(llvm::ArrayRef<Value> shares) {
    const auto type = mlir::VectorType::get({static_cast<std::int64_t>(shares.size())}, element_);
    if (!is_small_float(plan_.problem.input))
      return mlir::arith::TruncFOp::create(builder(), type, code_.vector_of(shares));
    std::vector<Value> words;
    for (std::size_t at = 0; at < shares.size(); at += 4)
      words.push_back(machine_->bytes({shares[at], shares[at + 1], shares[at + 2], shares[at + 3]},
                                      plan_.problem.input));
    return mlir::vector::BitCastOp::create(builder(), type, code_.vector_of(words));
  }

  // Emits O += P V. If keys are rows of the product, this is O^T += V^T P^T.
  void multiply_shares(const SharedTile& v, const Tile& shares, State& state) {
    const auto query_atoms = static_cast<std::size_t>(plan_.queries / atom_queries());
    const auto columns = static_cast<std::size_t>(plan_.columns_atoms);
    const auto key_atoms = static_cast<std::size_t>(plan_.warp_keys() / row_.k);
    for (std::size_t atom = 0; atom < key_atoms; ++atom) {
      Pieces of_keys = v.fragments(atom), of_queries;
      for (int tile = 1; tile < plan_.v.tiles; ++tile) of_keys.append(v.fragments(atom, tile));
      of_keys.truncate(columns);
      for (std::size_t at = atom; at < shares.pieces.size(); at += key_atoms)
        of_queries.push_back(shares.pieces[at]);
      if (plan_.keys_are_rows) {
        multiply(code_, row_, {columns, query_atoms}, of_keys, of_queries, state.o);
      } else {
        multiply(code_, row_, {query_atoms, columns}, of_queries, of_keys, state.o);
      }
    }
  }

  WarpOptions options_;
  ThreadCode code_;
  GlobalContext context_;
  mlir::gpu::GPUFuncOp function_;
  const MatmulRequest& request_;
  const SoftmaxOperand& softmax_;
  const ScoreFormula formula_;
  const plan::AttentionPlan& plan_;
  const instruction::Instruction& row_;
  std::unique_ptr<Machine> machine_;
  LinearLayout scores_map_, result_map_, factor_map_, queries_map_;
  Groups rows_;  // of the scores' registers, and the thread's rows
  AttentionResult result_;
  Value shared_, batch_, first_query_, key_of_lane_;
  Value sharing_warp_, part_;   // i32; null: the block has all keys
  std::vector<Value> queries_;  // i32: the number of each of the thread's rows
  mlir::Type element_;
  Pieces q_;                            // where Q stays in registers
  const SharedTile* q_tile_ = nullptr;  // or where it is
  Value rows_left_;                     // i32: of Q, from the block's first on
  double factor_ = 1, most_rise_ = 8;
  std::optional<ScoreCode> scores_;
  ScoreCode::Steps steps_;
};

// Function attributes for LLVM of a kernel for AMD. In IEEE mode LLVM would compute max(x, x) of
// each score before each maximum, to quieten NaNs. That is not needed: exponentials of NaN are NaN
// anyway.
mlir::ArrayAttr attributes_of(mlir::ImplicitLocOpBuilder& builder,
                              const plan::AttentionPlan& plan) {
  std::vector<mlir::Attribute> all{builder.getStrArrayAttr({"amdgpu-ieee", "false"})};
  if (instruction::is_cdna(plan.instruction->family()))
    all.push_back(builder.getStrArrayAttr({"amdgpu-agpr-alloc", "0"}));
  return builder.getArrayAttr(all);
}

}  // namespace

std::unique_ptr<KernelModule> product_kernel(const MatmulRequest& request,
                                             const plan::AttentionPlan& plan) {
  return kernel_for(plan.target, [&](mlir::ImplicitLocOpBuilder& builder, mlir::gpu::GPUModuleOp) {
    mlir::MLIRContext& context = *builder.getContext();
    const bool nvidia = instruction::is_nvidia(plan.instruction->family());
    context.loadDialect<mlir::vector::VectorDialect>();
    if (nvidia) context.loadDialect<mlir::nvgpu::NVGPUDialect>();
    const std::string shared_name = request.function + "_shared_tiles";
    const auto bytes =
        mlir::LLVM::LLVMArrayType::get(builder.getI8Type(), nvidia ? 0 : plan.shared_bytes);
    mlir::LLVM::GlobalOp::create(
        builder, bytes, /*isConstant=*/false,
        nvidia ? mlir::LLVM::Linkage::External : mlir::LLVM::Linkage::Internal, shared_name,
        mlir::Attribute(), /*alignment=*/128, /*addrSpace=*/3);
    const auto types = parameter_types(builder, request, /*has_workspace=*/plan.parts > 1);
    auto function = mlir::gpu::GPUFuncOp::create(builder, request.function,
                                                 mlir::FunctionType::get(&context, types, {}));
    function->setAttr(mlir::gpu::GPUDialect::getKernelFuncAttrName(), builder.getUnitAttr());
    function.setKnownBlockSizeAttr(builder.getDenseI32ArrayAttr({plan.threads(), 1, 1}));
    if (!nvidia) function->setAttr("passthrough", attributes_of(builder, plan));
    builder.setInsertionPointToStart(&function.getBody().front());
    AttentionKernel(function, request, plan, shared_name).write();
  });
}

}  // namespace heddle::compiler
