#include "compiler/tile/score_code.h"

#include "compiler/decisions/key_ranges.h"
#include "compiler/kernel/expression_code.h"
#include "compiler/kernel/math_code.h"

namespace heddle::compiler {
namespace {

using mlir::Value;

// KeyRanges are computed by templates; with this class they emit i32 arithmetic into the kernel.
struct KernelArithmetic {
  using Number = Value;
  const GlobalContext& context;

  Value number(std::int64_t value) const { return context.constant(value); }
  Value keys(const ScoreFormula&) const { return context.value_of(context.size(plan::Loop::k)); }
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

ScoreCode::ScoreCode(const GlobalContext& context, const ScoreFormula& formula,
                     std::vector<GlobalMatrix> extras, Value batch, const Machine* machine)
    : context_(context),
      formula_(formula),
      extras_(std::move(extras)),
      batch_(batch),
      machine_(machine),
      all_{score_steps(formula, formula.all, extras_.size(), machine != nullptr), {}},
      kept_{score_steps(formula, formula.kept, extras_.size(), machine != nullptr), {}} {}

ScoreCode::Steps ScoreCode::steps(Value first_row, Value last_row, std::int64_t keys) const {
  const KernelArithmetic of{context_};
  const Extent& size = context_.size(plan::Loop::k);
  const Value all = context_.value_of(size);
  Steps steps{of.number(0), of.number(0), of.number(0), of.number(0)};
  if (size.is_known()) {
    steps.end = of.number((size.known + keys - 1) / keys);
    steps.end_plain = of.number(size.known / keys);
  } else {
    steps.end = of.divide(of.add(all, of.number(keys - 1)), keys);
    steps.end_plain = of.divide(all, keys);
  }
  if (!formula_.has_mask()) return steps;
  const Value batch = batch_ ? batch_ : of.number(0);
  const auto [values, are_known] = numbers();
  auto [possible, certain] =
      KeyRanges<KernelArithmetic>(of, formula_, {batch, first_row, last_row}, values).ranges();
  if (are_known) {
    possible.first = context_.select(are_known, possible.first, of.number(0));
    possible.end = context_.select(are_known, possible.end, all);
    certain.first = context_.select(are_known, certain.first, all);
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
  for (const Value row : rows) {
    std::vector<Value>& places = places_.emplace_back();
    for (const PlaceAxes& axes : formula_.places) {
      Value at = context_.add(place(axes.row, row), axes.offset);
      if (batch_) at = context_.add(at, place(axes.batch, batch_));
      places.push_back(at);
    }
    sums_.push_back(without_keys(formula_.comparisons, places));
    for (Way* way : {&all_, &kept_}) {
      std::vector<PlaceSum> of_numbers;
      for (const PlaceNumber& number : way->steps.numbers) of_numbers.push_back(number.sum);
      way->numbers.push_back(without_keys(of_numbers, places));
    }
    // A row beyond the end of the matrix reads the last row's extras: cheaper than a condition for
    // each read.
    const Value last = context_.add(context_.value_of(context_.size(plan::Loop::m)), -1);
    rows_.push_back(mlir::arith::MinSIOp::create(context_.builder, row, last));
  }
}

std::vector<Value> ScoreCode::without_keys(const std::vector<PlaceSum>& sums,
                                           const std::vector<Value>& places) const {
  std::vector<Value> all;
  for (const PlaceSum& sum : sums) {
    Value at = context_.constant(sum.constant);
    for (std::size_t i = 0; i < places.size(); ++i)
      if (sum.factors[i] != 0) at = context_.add(at, product(places[i], sum.factors[i]));
    all.push_back(at);
  }
  return all;
}

// True (i1) if the sum of indices is negative at the key `first` + `constant`. Along the keys of a
// thread, the sum changes only by constants. So it is enough to compare one value with different
// constants, unless the indices jump along keys.
Value ScoreCode::is_negative(const PlaceSum& sum, Value without_keys, Value first,
                             std::int64_t constant) const {
  std::int64_t along = 0;
  Value at = without_keys;
  for (std::size_t i = 0; i < sum.factors.size(); ++i) {
    if (sum.factors[i] == 0) continue;  // as are those of numbers of the launch
    const runtime::MatrixAxis& axis = formula_.places[i].column;
    if (axis.jumps.empty())
      along += sum.factors[i] * axis.step;
    else
      at = context_.add(at, product(place(axis, context_.add(first, constant)), sum.factors[i]));
  }
  if (along != 0) at = context_.add(at, product(first, along));
  const Value below = mlir::arith::SubIOp::create(context_.builder, context_.constant(0), at);
  return mlir::arith::CmpIOp::create(context_.builder, mlir::arith::CmpIPredicate::sgt, below,
                                     context_.constant(along * constant));
}

// The value of the formula's number `of` at the key `first` + `constant`, computed like
// is_negative() from one value and a constant. It is exact in f32.
Value ScoreCode::number(const PlaceNumber& of, Value without_keys, Value first,
                        std::int64_t constant) const {
  std::int64_t along = 0;
  for (std::size_t i = 0; i < of.sum.factors.size(); ++i)
    if (of.sum.factors[i] != 0) along += of.sum.factors[i] * formula_.places[i].column.step;
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  const auto known = [&](float value) -> Value {
    return mlir::arith::ConstantOp::create(builder, builder.getF32FloatAttr(value));
  };
  const Value at = context_.add(without_keys, product(first, along));
  Value wide = mlir::arith::SIToFPOp::create(builder, builder.getF32Type(), at);
  if (of.factor != 1) wide = mlir::arith::MulFOp::create(builder, wide, known(of.factor));
  if (along * constant == 0) return wide;
  const float added = of.factor * static_cast<float>(along * constant);
  return mlir::arith::AddFOp::create(builder, wide, known(added));
}

ScoreCode::Key ScoreCode::key_of(const Registers& registers, std::uint64_t reg) const {
  const layout::LinearLayout& map = registers.map;
  std::uint64_t of_lanes = 0;
  for (int bit = 0; bit < map.inputs().bits_of("lane"); ++bit)
    of_lanes |= map.basis("lane", bit, registers.key);
  const std::int64_t constant = constant_part(map, reg, registers.key);
  if ((of_lanes & static_cast<std::uint64_t>(constant)) == 0)
    return {registers.key_of_lane, constant};
  return {coordinate(context_, map, registers.key_of_lane, reg, registers.key), 0};
}

// The number of registers from `reg` on that hold consecutive keys of the same row. It is a power
// of two.
std::size_t ScoreCode::neighbours(const Registers& registers, std::uint64_t reg) const {
  const layout::LinearLayout& map = registers.map;
  const std::vector<std::size_t>& rows = registers.rows.of_register;
  const auto is_row = [&](std::size_t count) {
    for (std::size_t i = 1; i < count; ++i)
      if (rows[reg + i] != rows[reg] ||
          constant_part(map, reg + i, registers.key) !=
              constant_part(map, reg, registers.key) + static_cast<std::int64_t>(i))
        return false;
    return true;
  };
  std::size_t count = 1;
  const auto is_even = [&](std::size_t of) {
    std::uint64_t bits = static_cast<std::uint64_t>(constant_part(map, reg, registers.key));
    for (int bit = 0; bit < map.inputs().bits_of("lane"); ++bit)
      bits |= map.basis("lane", bit, registers.key);
    return bits % of == 0;
  };
  while (count < 4 && reg + 2 * count <= rows.size() && is_even(2 * count) && is_row(2 * count))
    count *= 2;
  return count;
}

Value ScoreCode::is_inside(const Step& step, const Key& own) const {
  if (!step.is_partial) return nullptr;
  const Value first = context_.add(step.first_key, own.lane);
  const Value left = mlir::arith::SubIOp::create(
      context_.builder, context_.value_of(context_.size(plan::Loop::k)), first);
  return mlir::arith::CmpIOp::create(context_.builder, mlir::arith::CmpIPredicate::sgt, left,
                                     context_.constant(own.constant));
}

void ScoreCode::read(const Step& step, const Registers& registers, std::size_t end,
                     Reads& reads) const {
  if (reads.empty()) reads.resize(extras_.size());
  for (std::size_t i = 0; i < extras_.size(); ++i)
    while (reads[i].size() < end) {
      const std::size_t reg = reads[i].size();
      const Key own = key_of(registers, reg);
      const MatrixPlace at{rows_[registers.rows.of_register[reg]],
                           context_.add(step.first_key, own.lane), 0, own.constant};
      const auto inside = [&](const MatrixPlace& place) {
        return is_inside(step, {own.lane, place.right});
      };
      for (const Value number : context_.load(extras_[i], at, neighbours(registers, reg), inside))
        reads[i].push_back(number);
    }
}

std::vector<Value> ScoreCode::inputs(const Step& step, Value sum, std::size_t row, const Key& own,
                                     const Reads& reads, std::size_t reg) const {
  const Value first = context_.add(step.first_key, own.lane);
  std::vector<Value> all{sum};
  for (const std::vector<Value>& extra : reads) all.push_back(extra[reg]);
  for (std::size_t i = 0; i < formula_.places.size(); ++i)
    all.push_back(context_.add(
        places_[row][i], place(formula_.places[i].column, context_.add(first, own.constant))));
  for (std::size_t i = 0; i < formula_.comparisons.size(); ++i)
    all.push_back(is_negative(formula_.comparisons[i], sums_[row][i], first, own.constant));
  const Way& formula = way(step);
  for (std::size_t i = 0; i < formula.steps.numbers.size(); ++i)
    all.push_back(number(formula.steps.numbers[i], formula.numbers[row][i], first, own.constant));
  return all;
}

// Emits a formula. LLVM may contract a product and a sum into one fused multiply-add.
Value ScoreCode::emitted(const Expression& expression, const std::vector<Value>& inputs) const {
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  mlir::Block* block = builder.getInsertionBlock();
  const mlir::Block::iterator end = builder.getInsertionPoint();
  mlir::Operation* before = end == block->begin() ? nullptr : &*std::prev(end);
  const Value result = converted(builder, emit(builder, expression, inputs), builder.getF32Type());
  const auto begin = before != nullptr ? std::next(before->getIterator()) : block->begin();
  for (mlir::Operation& made : llvm::make_range(begin, end))
    if (auto arithmetic = mlir::dyn_cast<mlir::arith::ArithFastMathInterface>(made);
        arithmetic &&
        mlir::isa<mlir::arith::AddFOp, mlir::arith::SubFOp, mlir::arith::MulFOp>(made))
      made.setAttr(arithmetic.getFastMathAttrName(),
                   mlir::arith::FastMathFlagsAttr::get(builder.getContext(),
                                                       mlir::arith::FastMathFlags::contract));
  return result;
}

std::vector<Value> ScoreCode::scores(const Step& step, llvm::ArrayRef<Value> sums,
                                     const Registers& registers, Reads reads) const {
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  const ScoreSteps& steps = way(step).steps;
  std::vector<Value> all(sums.begin(), sums.end());
  if (!steps.score.nodes.empty()) {
    read(step, registers, sums.size(), reads);
    const bool has_tanh = !steps.tanh_of.nodes.empty();
    std::vector<std::vector<Value>> of_registers;
    for (std::size_t reg = 0; reg < sums.size(); ++reg) {
      of_registers.push_back(inputs(step, sums[reg], registers.rows.of_register[reg],
                                    key_of(registers, reg), reads, reg));
      if (!has_tanh) all[reg] = emitted(steps.score, of_registers.back());
    }
    if (has_tanh) {
      std::vector<Value> arguments;
      for (const std::vector<Value>& of : of_registers)
        arguments.push_back(emitted(steps.tanh_of, of));
      const std::vector<Value> tangents =
          hyperbolic_tangents(builder, arguments, [&](Value x) { return machine_->any(x); });
      for (std::size_t reg = 0; reg < sums.size(); ++reg) {
        of_registers[reg].push_back(tangents[reg]);
        all[reg] = emitted(steps.score, of_registers[reg]);
      }
    }
  }
  if (!step.is_partial) return all;
  const Value lowest = mlir::arith::ConstantOp::create(
      builder, builder.getF32FloatAttr(-std::numeric_limits<float>::infinity()));
  for (std::size_t reg = 0; reg < sums.size(); ++reg)
    all[reg] = context_.select(is_inside(step, key_of(registers, reg)), all[reg], lowest);
  return all;
}

}  // namespace heddle::compiler
