#include "compiler/elements/tensor_walk.h"

#include <algorithm>

#include "compiler/elements/any_order_sum.h"
#include "compiler/reader/element.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace heddle::compiler {
namespace {

using mlir::Operation;
using mlir::Value;
using runtime::Interval;
using runtime::whole_number;
namespace arith = mlir::arith;
namespace tensor = mlir::tensor;

// Calls `visit` with each position in an array of this shape (the last coordinate changes fastest).
// Stops, and returns false, when `visit` returns false.
template <class Visit>
bool for_each(const Coordinates& shape, Visit visit) {
  const std::int64_t count = count_of(shape);
  Coordinates at(shape.size());
  for (std::int64_t i = 0; i < count; ++i) {
    if (!visit(at)) return false;
    for (std::size_t dim = shape.size(); dim-- > 0;) {
      if (++at[dim] < shape[dim]) break;
      at[dim] = 0;
    }
  }
  return true;
}

bool is_index(Value value) { return mlir::getElementTypeOrSelf(value.getType()).isIndex(); }

// The number that a constant of the text has; null if the constant has several different elements.
std::optional<Interval> number_of(arith::ConstantOp constant) {
  mlir::Attribute value = constant.getValue();
  if (const auto dense = mlir::dyn_cast<mlir::DenseElementsAttr>(value)) {
    if (!dense.isSplat()) return std::nullopt;
    value = dense.getSplatValue<mlir::Attribute>();
  }
  if (const auto real = mlir::dyn_cast<mlir::FloatAttr>(value)) {
    const double number = real.getValueAsDouble();
    return Interval{number, number};
  }
  const llvm::APInt whole = mlir::cast<mlir::IntegerAttr>(value).getValue();
  return whole_number(whole.getBitWidth() == 1 ? static_cast<std::int64_t>(whole.getZExtValue())
                                               : whole.getSExtValue());
}

std::int64_t floor_of(std::int64_t x, std::int64_t y) {
  return x / y - ((x % y != 0 && (x < 0) != (y < 0)) ? 1 : 0);
}

std::int64_t ceiling_of(std::int64_t x, std::int64_t y) {
  return x / y + ((x % y != 0 && (x < 0) == (y < 0)) ? 1 : 0);
}

// Operations of arith on two places.
std::optional<std::int64_t> of_two(Operation& operation, std::int64_t x, std::int64_t y) {
  const auto a = static_cast<std::uint64_t>(x), b = static_cast<std::uint64_t>(y);
  const auto back = [](std::uint64_t of) { return static_cast<std::int64_t>(of); };
  const llvm::StringRef name = operation.getName().stripDialect();
  if (name == "addi") return back(a + b);
  if (name == "subi") return back(a - b);
  if (name == "muli") return back(a * b);
  if (name == "andi") return x & y;
  if (name == "ori") return x | y;
  if (name == "xori") return x ^ y;
  if (name == "maxsi") return std::max(x, y);
  if (name == "minsi") return std::min(x, y);
  if (name == "maxui") return back(std::max(a, b));
  if (name == "minui") return back(std::min(a, b));
  if (name == "shli" && b < 64) return back(a << b);
  if (name == "shrsi" && b < 64) return x >> y;
  if (name == "shrui" && b < 64) return back(a >> b);
  if (y == 0 || (y == -1 && x == INT64_MIN)) return std::nullopt;
  if (name == "divsi") return x / y;
  if (name == "divui") return back(a / b);
  if (name == "remsi") return x % y;
  if (name == "remui") return back(a % b);
  if (name == "floordivsi") return floor_of(x, y);
  if (name == "ceildivsi") return ceiling_of(x, y);
  if (name == "ceildivui") return back(a / b + (a % b != 0));
  return std::nullopt;
}

bool holds(arith::CmpIPredicate predicate, std::int64_t x, std::int64_t y) {
  const auto a = static_cast<std::uint64_t>(x), b = static_cast<std::uint64_t>(y);
  switch (predicate) {
    case arith::CmpIPredicate::eq:
      return x == y;
    case arith::CmpIPredicate::ne:
      return x != y;
    case arith::CmpIPredicate::slt:
      return x < y;
    case arith::CmpIPredicate::sle:
      return x <= y;
    case arith::CmpIPredicate::sgt:
      return x > y;
    case arith::CmpIPredicate::sge:
      return x >= y;
    case arith::CmpIPredicate::ult:
      return a < b;
    case arith::CmpIPredicate::ule:
      return a <= b;
    case arith::CmpIPredicate::ugt:
      return a > b;
    case arith::CmpIPredicate::uge:
      return a >= b;
  }
  return false;
}

std::int64_t at_map(mlir::AffineExpr expression, const Coordinates& dims) {
  if (const auto dim = mlir::dyn_cast<mlir::AffineDimExpr>(expression))
    return dims[dim.getPosition()];
  if (const auto number = mlir::dyn_cast<mlir::AffineConstantExpr>(expression))
    return number.getValue();
  const auto both = mlir::cast<mlir::AffineBinaryOpExpr>(expression);
  const std::int64_t x = at_map(both.getLHS(), dims), y = at_map(both.getRHS(), dims);
  switch (expression.getKind()) {
    case mlir::AffineExprKind::Add:
      return x + y;
    case mlir::AffineExprKind::Mul:
      return x * y;
    case mlir::AffineExprKind::Mod:
      return x - y * floor_of(x, y);
    case mlir::AffineExprKind::CeilDiv:
      return ceiling_of(x, y);
    default:
      return floor_of(x, y);
  }
}

// The values of the results of an affine map (of affine.apply, min or max). `operands` has the
// values of the map's dimensions, then those of its symbols.
std::vector<std::int64_t> at_map(mlir::AffineMap map, const std::vector<std::int64_t>& operands) {
  std::vector<mlir::AffineExpr> symbols;
  for (unsigned i = 0; i < map.getNumSymbols(); ++i)
    symbols.push_back(mlir::getAffineDimExpr(map.getNumDims() + i, map.getContext()));
  std::vector<std::int64_t> all;
  for (const mlir::AffineExpr expression : map.getResults())
    all.push_back(at_map(expression.replaceSymbols(symbols), operands));
  return all;
}

}  // namespace

bool TensorWalk::refuse(const std::string& what) {
  if (error_.empty()) error_ = what;
  return false;
}

bool TensorWalk::spend(std::int64_t steps) {
  if (steps > steps_left_) return refuse("the reference takes too many steps");
  steps_left_ -= steps;
  return true;
}

bool TensorWalk::run(mlir::func::FuncOp function, std::vector<TensorValue> arguments) {
  for (auto [argument, value] : llvm::zip_equal(function.getArguments(), arguments))
    values_[argument] = std::move(value);
  return llvm::all_of(function.getBody().front().without_terminator(),
                      [&](Operation& operation) { return run_operation(operation); });
}

bool TensorWalk::run_operation(Operation& operation) {
  if (auto one = mlir::dyn_cast<mlir::linalg::LinalgOp>(operation)) return linalg(one);
  const Value result = operation.getResult(0);
  const auto known = shape_of(operation);
  if (!known)
    return refuse("the size of what " + operation.getName().getStringRef().str() + " makes");
  const Coordinates& shape = *known;
  if (!spend(count_of(shape))) return false;
  const auto filled = [&](const Interval& number) {
    values_[result] = {shape, std::vector(static_cast<std::size_t>(count_of(shape)), number)};
    return true;
  };
  return llvm::TypeSwitch<Operation*, bool>(&operation)
      .Case([&](arith::ConstantOp constant) { return filled(number_of(constant).value()); })
      .Case<tensor::EmptyOp, mlir::ub::PoisonOp>([&](auto) { return filled(runtime::poison()); })
      .Case([&](mlir::bufferization::AllocTensorOp) { return filled(runtime::poison()); })
      .Case([&](tensor::ExtractOp one) { return extract(one); })
      .Case([&](tensor::ExtractSliceOp one) { return extract_slice(one, shape); })
      .Case([&](tensor::InsertSliceOp one) { return insert_slice(one); })
      .Case([&](tensor::ConcatOp one) { return concat(one, shape); })
      .Case([&](tensor::PadOp one) { return pad(one, shape); })
      .Case([&](tensor::GenerateOp one) { return generate(one, shape); })
      .Case([&](tensor::GatherOp one) { return gather(one, shape); })
      .Case([&](tensor::SplatOp one) { return filled(value(one.getInput()).element(0)); })
      .Case([&](tensor::DimOp one) {
        const auto dim = static_cast<std::size_t>(*one.getConstantIndex());
        return filled(whole_number(value(one.getSource()).shape[dim]));
      })
      .Case<tensor::CastOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>([&](auto) {
        TensorValue same = value(operation.getOperand(0));
        if (count_of(same.shape) != count_of(shape)) return refuse("a reshape to other sizes");
        same.shape = shape;
        values_[result] = std::move(same);
        return true;
      })
      .Default([&](Operation*) { return elementwise(operation, shape); });
}

bool TensorWalk::linalg(mlir::linalg::LinalgOp operation) {
  if (!spend(count_of(value(operation.getDpsInits()[0]).shape))) return false;
  auto body = prepared(*operation.getBlock());
  if (!body) return false;
  const auto maps = operation.getIndexingMapsArray();
  const auto sizes = loops_of(operation);
  if (!sizes) return false;
  const Coordinates& loops = *sizes;
  const auto inputs = static_cast<std::size_t>(operation.getNumDpsInputs());
  std::vector<TensorValue> operands;
  for (const Value operand : operation->getOperands()) operands.push_back(value(operand));
  for (std::size_t i = inputs; i < operands.size(); ++i) operands[i].read_all();
  const auto cost = static_cast<std::int64_t>(body->steps.size() + operands.size());
  if (count_of(loops) > INT64_MAX / cost || !spend(count_of(loops) * cost)) return false;
  std::vector<std::size_t> places(operands.size());
  std::vector<std::vector<AnyOrderSum>> sums(operands.size());
  for (std::size_t i = inputs; i < operands.size(); ++i)
    if (operation.getNumReductionLoops() != 0 && body->added[i - inputs] >= 0)
      for (const Interval& initial : operands[i].elements) {
        sums[i].emplace_back();
        sums[i].back().add(initial);
      }
  const bool done = for_each(loops, [&](const Coordinates& at) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      Coordinates of_operand;
      for (const mlir::AffineExpr expression : maps[i].getResults())
        of_operand.push_back(at_map(expression, at));
      const auto place = operands[i].position(of_operand);
      if (!place) return refuse("an operand of linalg that is read outside");
      places[i] = *place;
      if (i < body->arguments.size())
        body->values[static_cast<std::size_t>(body->arguments[i])] = operands[i].element(*place);
    }
    if (!run_body(*body, at)) return false;
    for (std::size_t i = inputs; i < operands.size(); ++i) {
      if (!sums[i].empty())
        sums[i][places[i]].add(body->values[static_cast<std::size_t>(body->added[i - inputs])]);
      else
        operands[i].elements[places[i]] =
            body->values[static_cast<std::size_t>(body->results[i - inputs])];
    }
    return true;
  });
  for (std::size_t i = inputs; i < operands.size(); ++i)
    for (std::size_t at = 0; at < sums[i].size(); ++at)
      operands[i].elements[at] = sums[i][at].result(*element_type(
          mlir::getElementTypeOrSelf(operation->getOperand(static_cast<unsigned>(i)).getType())));
  for (std::size_t i = inputs; i < operands.size(); ++i)
    values_[operation->getResult(static_cast<unsigned>(i - inputs))] = std::move(operands[i]);
  return done;
}

bool TensorWalk::elementwise(Operation& operation, const Coordinates& shape) {
  const Value result = operation.getResult(0);
  TensorValue made{shape, {}};
  std::vector<const TensorValue*> operands;
  for (const Value operand : operation.getOperands()) operands.push_back(&value(operand));
  BodySteps body;
  BodySteps::Step one{&operation, {}, 0, {}, {}};
  for (std::size_t i = 0; i < operands.size(); ++i) one.operands.push_back(static_cast<int>(i));
  body.values.resize(operands.size());
  const auto count = static_cast<std::size_t>(count_of(made.shape));
  for (std::size_t at = 0; at < count; ++at) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const bool is_number = operands[i]->shape.empty();
      if (!is_number && operands[i]->shape != shape) return refuse("operands of different sizes");
      body.values[i] = operands[i]->element(is_number ? 0 : at);
    }
    const auto number = step(one, body, {});
    if (!number) return refuse("the operation " + operation.getName().getStringRef().str());
    made.elements.push_back(*number);
  }
  values_[result] = std::move(made);
  return true;
}

bool TensorWalk::extract(tensor::ExtractOp extract) {
  Coordinates at;
  for (const Value place : extract.getIndices()) {
    const auto known = whole(place);
    if (!known) return false;
    at.push_back(*known);
  }
  const TensorValue& source = value(extract.getTensor());
  const auto place = source.position(at);
  if (!place) return refuse("a tensor.extract outside of its tensor");
  const Interval number = source.element(*place);
  values_[extract.getResult()] = {{}, {number}};
  return true;
}

bool TensorWalk::extract_slice(tensor::ExtractSliceOp slice, const Coordinates& shape) {
  const TensorValue& source = value(slice.getSource());
  const auto dropped = slice.getDroppedDims();
  TensorValue made{shape, {}};
  const bool done = for_each(made.shape, [&](const Coordinates& at) {
    Coordinates from;
    std::size_t next = 0;
    for (unsigned dim = 0; dim < source.shape.size(); ++dim) {
      const auto offset = whole(slice.getMixedOffsets()[dim]);
      const auto step = whole(slice.getMixedStrides()[dim]);
      if (!offset || !step) return false;
      from.push_back(*offset + (dropped[dim] ? 0 : at[next++] * *step));
    }
    const auto place = source.position(from);
    if (!place) return refuse("a tensor.extract_slice outside of its tensor");
    made.elements.push_back(source.element(*place));
    return true;
  });
  values_[slice.getResult()] = std::move(made);
  return done;
}

bool TensorWalk::insert_slice(tensor::InsertSliceOp insert) {
  const TensorValue& source = value(insert.getSource());
  TensorValue made = value(insert.getDest());
  made.read_all();
  const auto dropped = insert.getDroppedDims();
  std::size_t number = 0;
  const bool done = for_each(source.shape, [&](const Coordinates& at) {
    Coordinates to;
    std::size_t next = 0;
    for (unsigned dim = 0; dim < made.shape.size(); ++dim) {
      const auto offset = whole(insert.getMixedOffsets()[dim]);
      const auto step = whole(insert.getMixedStrides()[dim]);
      if (!offset || !step) return false;
      to.push_back(*offset + (dropped[dim] ? 0 : at[next++] * *step));
    }
    const auto place = made.position(to);
    if (!place) return refuse("a tensor.insert_slice outside of its tensor");
    made.elements[*place] = source.element(number++);
    return true;
  });
  values_[insert.getResult()] = std::move(made);
  return done;
}

bool TensorWalk::concat(tensor::ConcatOp concat, const Coordinates& shape) {
  const auto dim = static_cast<std::size_t>(concat.getDim());
  TensorValue made{shape, {}};
  made.elements.resize(static_cast<std::size_t>(count_of(made.shape)));
  std::int64_t begin = 0;
  for (const Value input : concat.getInputs()) {
    const TensorValue& part = value(input);
    std::size_t number = 0;
    for_each(part.shape, [&](Coordinates at) {
      at[dim] += begin;
      made.elements[*made.position(at)] = part.element(number++);
      return true;
    });
    begin += part.shape[dim];
  }
  values_[concat.getResult()] = std::move(made);
  return true;
}

bool TensorWalk::pad(tensor::PadOp pad, const Coordinates& shape) {
  auto body = prepared(pad.getRegion().front());
  if (!body) return false;
  const TensorValue& source = value(pad.getSource());
  TensorValue made{shape, {}};
  const bool done = for_each(made.shape, [&](const Coordinates& at) {
    Coordinates from = at;
    for (unsigned dim = 0; dim < from.size(); ++dim) {
      const auto low = whole(pad.getMixedLowPad()[dim]);
      if (!low) return false;
      from[dim] -= *low;
    }
    if (const auto place = source.position(from)) {
      made.elements.push_back(source.element(*place));
      return true;
    }
    for (std::size_t dim = 0; dim < at.size(); ++dim)
      body->values[static_cast<std::size_t>(body->arguments[dim])] = whole_number(at[dim]);
    if (!run_body(*body, at)) return false;
    made.elements.push_back(body->values[static_cast<std::size_t>(body->results[0])]);
    return true;
  });
  values_[pad.getResult()] = std::move(made);
  return done;
}

bool TensorWalk::generate(tensor::GenerateOp generate, const Coordinates& shape) {
  auto body = prepared(generate.getBody().front());
  if (!body) return false;
  TensorValue made{shape, {}};
  const bool done = for_each(made.shape, [&](const Coordinates& at) {
    for (std::size_t dim = 0; dim < at.size(); ++dim)
      body->values[static_cast<std::size_t>(body->arguments[dim])] = whole_number(at[dim]);
    if (!run_body(*body, at)) return false;
    made.elements.push_back(body->values[static_cast<std::size_t>(body->results[0])]);
    return true;
  });
  values_[generate.getResult()] = std::move(made);
  return done;
}

bool TensorWalk::gather(tensor::GatherOp gather, const Coordinates& shape) {
  const TensorValue& source = value(gather.getSource());
  const TensorValue& indices = value(gather.getIndices());
  const auto gathered = gather.getGatherDims();
  const std::size_t batch = indices.shape.size() - 1, rank = source.shape.size();
  TensorValue made{shape, {}};
  const bool keeps_all = made.shape.size() == batch + rank;
  const bool done = for_each(made.shape, [&](const Coordinates& at) {
    Coordinates from(rank), where(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(batch));
    where.push_back(0);
    for (std::size_t dim = 0, next = batch; dim < rank; ++dim) {
      const auto found = llvm::find(gathered, static_cast<std::int64_t>(dim));
      if (found == gathered.end()) {
        from[dim] = at[next++];
        continue;
      }
      if (keeps_all) ++next;
      where.back() = found - gathered.begin();
      const auto known = whole(indices.element(*indices.position(where)));
      if (!known) return false;
      from[dim] = *known;
    }
    const auto place = source.position(from);
    if (!place) return refuse("a tensor.gather outside of its tensor");
    made.elements.push_back(source.element(*place));
    return true;
  });
  values_[gather.getResult()] = std::move(made);
  return done;
}

std::optional<BodySteps> TensorWalk::prepared(mlir::Block& block) {
  BodySteps body;
  llvm::DenseMap<Value, int> numbers;
  const auto add = [&](Value of, const Interval& number) {
    numbers[of] = static_cast<int>(body.values.size());
    body.values.push_back(number);
    return numbers[of];
  };
  for (const mlir::BlockArgument argument : block.getArguments())
    body.arguments.push_back(add(argument, {}));
  const auto number = [&](Value of) {
    const auto known = numbers.find(of);
    if (known != numbers.end()) return known->second;
    return add(of, value(of).element(0));
  };
  for (Operation& operation : block.without_terminator()) {
    if (auto constant = mlir::dyn_cast<arith::ConstantOp>(operation)) {
      add(constant.getResult(), number_of(constant).value());
      continue;
    }
    if (mlir::isa<mlir::ub::PoisonOp>(operation)) {
      add(operation.getResult(0), runtime::poison());
      continue;
    }
    BodySteps::Step one{&operation, {}, 0, {}, {}};
    const bool is_extract = mlir::isa<tensor::ExtractOp>(operation);
    for (const Value operand : llvm::drop_begin(operation.getOperands(), is_extract ? 1 : 0))
      one.operands.push_back(number(operand));
    one.result = add(operation.getResult(0), {});
    body.steps.push_back(std::move(one));
  }
  mlir::Operation* end = block.getTerminator();
  for (unsigned i = 0; i < end->getNumOperands(); ++i) {
    const Value result = end->getOperand(i);
    body.results.push_back(number(result));
    body.added.push_back(-1);
    auto sum = result.getDefiningOp<arith::AddFOp>();
    if (!sum || sum->getBlock() != &block || block.getNumArguments() < end->getNumOperands())
      continue;
    const Value so_far = block.getArgument(block.getNumArguments() - end->getNumOperands() + i);
    // Only if nothing else reads the partial sum may the terms be added in any order.
    if (so_far.hasOneUse() && sum->hasOneUse() && llvm::is_contained(sum->getOperands(), so_far))
      body.added.back() = number(sum->getOperand(sum.getLhs() == so_far ? 1 : 0));
  }
  return body;
}

bool TensorWalk::run_body(BodySteps& body, const Coordinates& loops) {
  for (BodySteps::Step& one : body.steps) {
    const auto number = step(one, body, loops);
    if (!number) return refuse("the operation " + one.operation->getName().getStringRef().str());
    body.values[static_cast<std::size_t>(one.result)] = *number;
  }
  return true;
}

std::optional<Interval> TensorWalk::step(BodySteps::Step& step, const BodySteps& body,
                                         const Coordinates& loops) {
  Operation& operation = *step.operation;
  std::vector<Interval> operands;
  for (const int operand : step.operands)
    operands.push_back(body.values[static_cast<std::size_t>(operand)]);
  if (auto index = mlir::dyn_cast<mlir::linalg::IndexOp>(operation))
    return whole_number(loops[index.getDim()]);
  if (auto extract = mlir::dyn_cast<tensor::ExtractOp>(operation)) {
    Coordinates at;
    for (const Interval& place : operands) {
      const auto known = whole(place);
      if (!known) return std::nullopt;
      at.push_back(*known);
    }
    const TensorValue& source = value(extract.getTensor());
    const auto place = source.position(at);
    if (place) return source.element(*place);
    refuse("a tensor.extract outside of its tensor");
    return std::nullopt;
  }
  if (llvm::any_of(operation.getOperands(), is_index) || is_index(operation.getResult(0)))
    return of_places(operation, operands);
  if (step.expression.nodes.empty()) {
    Element element;
    std::vector<int> bound;
    for (const Value operand : operation.getOperands())
      bound.push_back(
          element.add_leaf({static_cast<int>(bound.size()), {}},
                           *element_type(mlir::getElementTypeOrSelf(operand.getType()))));
    Diagnostics unused("");
    const auto root = evaluate(operation, bound, element, unused);
    if (!root) return std::nullopt;
    const Element part = element.part(*root);
    for (const Leaf& leaf : part.leaves) step.inputs.push_back(leaf.source);
    step.expression.nodes = part.nodes;
  }
  std::vector<Interval> inputs;
  for (const int input : step.inputs) inputs.push_back(operands[static_cast<std::size_t>(input)]);
  return runtime::evaluate(step.expression, inputs);
}

std::optional<std::int64_t> TensorWalk::whole(const Interval& number) {
  if (number.is_point() && number.low == static_cast<double>(number.integer)) return number.integer;
  if (number.is_point()) return static_cast<std::int64_t>(number.low);
  refuse("a place that depends on how a number is rounded, or on one that nothing wrote");
  return std::nullopt;
}

std::optional<std::int64_t> TensorWalk::whole(mlir::OpFoldResult value_of) {
  if (const auto known = mlir::getConstantIntValue(value_of)) return known;
  return whole(value(mlir::cast<Value>(value_of)).element(0));
}

std::optional<Interval> TensorWalk::of_places(Operation& operation,
                                              const std::vector<Interval>& operands) {
  if (mlir::isa<arith::SelectOp>(operation)) {
    const auto choice = whole(operands[0]);
    if (!choice) return std::nullopt;
    return operands[*choice != 0 ? 1 : 2];
  }
  std::vector<std::int64_t> numbers;
  for (const Interval& operand : operands) {
    const auto known = whole(operand);
    if (!known) return std::nullopt;
    numbers.push_back(*known);
  }
  if (auto compare = mlir::dyn_cast<arith::CmpIOp>(operation))
    return whole_number(holds(compare.getPredicate(), numbers[0], numbers[1]) ? 1 : 0);
  if (auto apply = mlir::dyn_cast<mlir::affine::AffineApplyOp>(operation))
    return whole_number(at_map(apply.getAffineMap(), numbers)[0]);
  if (auto least = mlir::dyn_cast<mlir::affine::AffineMinOp>(operation))
    return whole_number(std::ranges::min(at_map(least.getAffineMap(), numbers)));
  if (auto most = mlir::dyn_cast<mlir::affine::AffineMaxOp>(operation))
    return whole_number(std::ranges::max(at_map(most.getAffineMap(), numbers)));
  if (mlir::isa<arith::IndexCastOp, arith::IndexCastUIOp>(operation)) {
    const bool is_unsigned = mlir::isa<arith::IndexCastUIOp>(operation);
    const mlir::Type from = mlir::getElementTypeOrSelf(operation.getOperand(0).getType()),
                     to = mlir::getElementTypeOrSelf(operation.getResult(0).getType());
    const mlir::Type narrow = from.isIndex() ? to : from;
    if (narrow.isIndex()) return operands[0];
    const unsigned unused = 64 - narrow.getIntOrFloatBitWidth();
    const auto high = static_cast<std::uint64_t>(numbers[0]) << unused;
    const bool is_bit = narrow.isInteger(1);  // whose numbers are 0 and 1
    if ((is_unsigned && !from.isIndex()) || (is_bit && from.isIndex()))
      return whole_number(static_cast<std::int64_t>(high >> unused));
    return whole_number(static_cast<std::int64_t>(high) >> unused);
  }
  if (numbers.size() != 2) return std::nullopt;
  const auto made = of_two(operation, numbers[0], numbers[1]);
  return made ? whole_number(*made) : runtime::poison();
}

}  // namespace heddle::compiler
