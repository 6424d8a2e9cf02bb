#include "compiler/tile/score_code.h"

#include "compiler/decisions/key_ranges.h"
#include "compiler/kernel/expression_code.h"

namespace heddle::compiler {
namespace {

using mlir::Value;

// Numbers of i32 that the kernel computes (KeyRanges).
struct KernelArithmetic {
  using Number = Value;
  const GlobalContext& context;

  Value number(std::int64_t value) const { return context.constant(value); }
  Value add(Value x, Value y) const { return context.add(x, y); }
  Value multiply(Value x, std::int64_t by) const { return context.multiply(x, by); }
  Value divide(Value x, std::int64_t by) const { return context.divide(x, by); }
  Value least(Value x, Value y) const {
    return mlir::arith::MinSIOp::create(context.builder, x, y);
  }
  Value largest(Value x, Value y) const {
    return mlir::arith::MaxSIOp::create(context.builder, x, y);
  }
  Value if_less(Value x, Value y, Value yes, Value no) const {
    return context.select(
        mlir::arith::CmpIOp::create(context.builder, mlir::arith::CmpIPredicate::slt, x, y), yes,
        no);
  }
};

}  // namespace

ScoreCode::Steps ScoreCode::steps(Value first_row, Value last_row, std::int64_t keys) const {
  const KernelArithmetic of{context_};
  const std::int64_t all = formula_.keys, count = (all + keys - 1) / keys;
  Steps steps{of.number(0), of.number(count), of.number(0), of.number(all / keys)};
  if (!formula_.has_mask()) return steps;
  const Value batch = batch_ ? batch_ : of.number(0);
  const auto [values, are_known] = numbers();
  auto [possible, certain] =
      KeyRanges<KernelArithmetic>(of, formula_, {batch, first_row, last_row}, values).ranges();
  if (are_known) {
    possible.first = context_.select(are_known, possible.first, of.number(0));
    possible.end = context_.select(are_known, possible.end, of.number(all));
    certain.first = context_.select(are_known, certain.first, of.number(all));
    certain.end = context_.select(are_known, certain.end, of.number(0));
  }
  const auto above = [&](Value number) {
    return of.divide(of.add(number, of.number(keys - 1)), keys);
  };
  if (formula_.may_skip) {
    steps.first = of.divide(possible.first, keys);
    steps.end = above(possible.end);
  }
  steps.first_plain = above(certain.first);
  steps.end_plain = of.divide(certain.end, keys);
  return steps;
}

std::pair<std::vector<Value>, Value> ScoreCode::numbers() const {
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  std::vector<Value> all;
  Value are_known;
  const Value zero = context_.constant(0);
  for (const int number : formula_.numbers) {
    const GlobalMatrix& extra = extras_[static_cast<std::size_t>(number)];
    const Value read =
        context_.load(extra, {zero, zero, 0, 0}, 1, [](const MatrixPlace&) { return Value(); })[0];
    const Value most = mlir::arith::ConstantOp::create(
        builder, builder.getIntegerAttr(read.getType(), most_number));
    const Value least = mlir::arith::ConstantOp::create(
        builder, builder.getIntegerAttr(read.getType(), -most_number));
    using enum mlir::arith::CmpIPredicate;
    are_known = context_.both(
        context_.both(mlir::arith::CmpIOp::create(builder, sge, read, least), are_known),
        mlir::arith::CmpIOp::create(builder, sle, read, most));
    all.push_back(converted(builder, read, builder.getI32Type()));
  }
  return {all, are_known};
}

Value ScoreCode::place(const runtime::MatrixAxis& axis, Value at) const {
  Value sum = product(at, axis.step);
  for (const auto& jump : axis.jumps)
    sum = context_.add(sum, product(context_.divide(at, jump.every), jump.elements));
  return sum;
}

Value ScoreCode::product(Value x, std::int64_t factor) const {
  return factor == 0 ? context_.constant(0) : context_.multiply(x, factor);
}

void ScoreCode::begin(const std::vector<Value>& rows) {
  rows_ = rows;
  for (const Value row : rows) {
    std::vector<Value>& places = places_.emplace_back();
    for (const PlaceAxes& axes : formula_.places) {
      Value at = context_.add(place(axes.row, row), axes.offset);
      if (batch_) at = context_.add(at, place(axes.batch, batch_));
      places.push_back(at);
    }
    std::vector<Value>& sums = sums_.emplace_back();
    for (const PlaceSum& sum : formula_.comparisons) {
      Value at = context_.constant(sum.constant);
      for (std::size_t i = 0; i < places.size(); ++i)
        if (sum.factors[i] != 0) at = context_.add(at, product(places[i], sum.factors[i]));
      sums.push_back(at);
    }
  }
}

// Keys differ by constants, and so do the sums: a comparison of each with the same number is
// enough, unless places jump along keys.
Value ScoreCode::is_negative(const PlaceSum& sum, std::size_t row, Value lane_key,
                             std::int64_t constant) const {
  const auto number = static_cast<std::size_t>(&sum - formula_.comparisons.data());
  std::int64_t along = 0;
  Value at = sums_[row][number];
  for (std::size_t i = 0; i < sum.factors.size(); ++i) {
    const runtime::MatrixAxis& axis = formula_.places[i].column;
    if (sum.factors[i] == 0) continue;
    if (axis.jumps.empty())
      along += sum.factors[i] * axis.step;
    else
      at = context_.add(at, product(place(axis, context_.add(lane_key, constant)), sum.factors[i]));
  }
  if (along != 0) at = context_.add(at, product(lane_key, along));
  const Value below = mlir::arith::SubIOp::create(context_.builder, context_.constant(0), at);
  return mlir::arith::CmpIOp::create(context_.builder, mlir::arith::CmpIPredicate::sgt, below,
                                     context_.constant(along * constant));
}

std::vector<Value> ScoreCode::scores(const Step& step, llvm::ArrayRef<Value> sums,
                                     const Registers& registers) const {
  const layout::LinearLayout& map = registers.map;
  const layout::AxisName& of_key = registers.key;
  std::uint64_t of_lanes = 0;
  for (int bit = 0; bit < map.inputs().bits_of("lane"); ++bit)
    of_lanes |= map.basis("lane", bit, of_key);
  std::vector<Value> all;
  for (std::uint64_t reg = 0; reg < sums.size(); ++reg) {
    const std::int64_t constant = constant_part(map, reg, of_key);
    const bool adds = (of_lanes & static_cast<std::uint64_t>(constant)) == 0;
    const Value at = adds ? registers.key_of_lane
                          : coordinate(context_, map, registers.key_of_lane, reg, of_key);
    all.push_back(score(step, sums[reg], registers.rows.of_register[reg], at, adds ? constant : 0));
  }
  return all;
}

Value ScoreCode::score(const Step& step, Value sum, std::size_t row, Value lane_key,
                       std::int64_t constant) const {
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  const Value first = context_.add(step.first_key, lane_key);
  Value inside;
  if (step.is_partial) {
    const Value left =
        mlir::arith::SubIOp::create(builder, context_.constant(formula_.keys), first);
    inside = mlir::arith::CmpIOp::create(builder, mlir::arith::CmpIPredicate::sgt, left,
                                         context_.constant(constant));
  }
  const Expression& formula = step.is_kept ? formula_.kept : formula_.all;
  if (!formula.nodes.empty()) {
    std::vector<Value> inputs{sum};
    Value read;
    if (!extras_.empty())
      read = context_.both(context_.less(rows_[row], context_.size(plan::Loop::m)), inside);
    const Value at = context_.add(first, constant);
    for (const GlobalMatrix& extra : extras_)
      inputs.push_back(context_.load(extra, {rows_[row], at, 0, 0}, 1,
                                     [&](const MatrixPlace&) { return read; })[0]);
    for (std::size_t i = 0; i < formula_.places.size(); ++i)
      inputs.push_back(context_.add(places_[row][i], place(formula_.places[i].column, at)));
    for (const PlaceSum& one : formula_.comparisons)
      inputs.push_back(is_negative(one, row, first, constant));
    sum = converted(builder, emit(builder, formula, inputs), builder.getF32Type());
  }
  if (!inside) return sum;
  const Value lowest = mlir::arith::ConstantOp::create(
      builder, builder.getF32FloatAttr(-std::numeric_limits<float>::infinity()));
  return context_.select(inside, sum, lowest);
}

}  // namespace heddle::compiler
