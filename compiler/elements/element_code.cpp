#include "compiler/elements/element_code.h"

#include <algorithm>
#include <functional>

#include "compiler/elements/number_code.h"
#include "compiler/elements/places.h"
#include "compiler/kernel/expression_code.h"
#include "compiler/plan/element_plan.h"
#include "compiler/reader/element.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

namespace heddle::compiler {
namespace {

using mlir::Operation;
using mlir::Value;
namespace arith = mlir::arith;
namespace tensor = mlir::tensor;

// The type that the kernel uses for a number of type `type` in the text. If LLVM has no such type,
// it is an integer of the same number of bits.
mlir::Type type_of_number(mlir::Type type) {
  type = mlir::getElementTypeOrSelf(type);
  if (type.isIndex()) return type;
  return number_type(type.getContext(), *element_type(type));
}

}  // namespace

ElementCode::ElementCode(mlir::ImplicitLocOpBuilder& builder, const MatmulRequest& request,
                         mlir::ValueRange arguments)
    : builder_(builder), request_(request), arguments_(arguments.begin(), arguments.end()) {}

ElementCode::Key ElementCode::key_of(const void* of, const Places& places) {
  std::vector<const void*> all;
  for (const Value place : places) all.push_back(place.getAsOpaquePointer());
  return {of, std::move(all)};
}

std::optional<std::vector<Value>> ElementCode::found(const Key& key) const {
  for (const auto& region : known_)
    if (const auto at = region.find(key); at != region.end()) return at->second;
  return std::nullopt;
}

Value ElementCode::constant(mlir::Type type, std::int64_t number) {
  return arith::ConstantOp::create(builder_, builder_.getIntegerAttr(type, number));
}

Value ElementCode::place(std::int64_t number) {
  const Key key{nullptr, {reinterpret_cast<const void*>(number)}};
  if (const auto known = found(key)) return known->front();
  const Value made = constant(builder_.getIndexType(), number);
  known_.back()[key] = {made};
  return made;
}

Value ElementCode::zero(mlir::Type type) {
  if (type.isIntOrIndex()) return constant(type, 0);
  return arith::ConstantOp::create(builder_, builder_.getFloatAttr(type, 0.0));
}

Value ElementCode::is_less(Value x, Value y) {
  return builder_.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt, x, y);
}

// The value of `yes` if the condition is true, otherwise the value of `no`. The code of each is in
// a region of its own, so that only one of them is executed.
Value ElementCode::either(Value condition, llvm::function_ref<Value()> yes,
                          llvm::function_ref<Value()> no) {
  if (const auto known = mlir::getConstantIntValue(condition)) return *known != 0 ? yes() : no();
  const auto fill = [&](llvm::function_ref<Value()> code) {
    return [&, code](mlir::OpBuilder& inside, mlir::Location) {
      const mlir::OpBuilder::InsertionGuard guard(builder_);
      builder_.restoreInsertionPoint(inside.saveInsertionPoint());
      known_.emplace_back();
      ++branches_;
      const Value value = code();
      --branches_;
      mlir::scf::YieldOp::create(builder_, value);
      known_.pop_back();
    };
  };
  return mlir::scf::IfOp::create(builder_, condition, fill(yes), fill(no)).getResult(0);
}

Value ElementCode::widened(Value number) {
  if (number.getType().isInteger(64))
    return arith::IndexCastOp::create(builder_, builder_.getIndexType(), number);
  return arith::IndexCastUIOp::create(builder_, builder_.getIndexType(), number);
}

Places ElementCode::coordinates(Value number, llvm::ArrayRef<std::int64_t> sizes) {
  std::vector<Value> all;
  for (const std::int64_t size : sizes) all.push_back(place(size));
  return coordinates(number, all);
}

Places ElementCode::coordinates(Value number, const std::vector<Value>& sizes) {
  Places all(sizes.size());
  const auto known = [&](std::size_t dim) { return mlir::getConstantIntValue(sizes[dim]); };
  std::size_t first = 0;  // the first dimension that is longer than 1
  while (first < sizes.size() && known(first) == 1) ++first;
  for (std::size_t dim = sizes.size(); dim-- > 0;) {
    if (known(dim) == 1) {
      all[dim] = place(0);
      continue;
    }
    if (dim == first) {
      all[dim] = widened(number);
      continue;
    }
    const Value size =
        known(dim) ? constant(number.getType(), *known(dim))
                   : arith::IndexCastOp::create(builder_, number.getType(), sizes[dim]).getResult();
    all[dim] = widened(arith::RemUIOp::create(builder_, number, size));
    number = arith::DivUIOp::create(builder_, number, size);
  }
  return all;
}

std::vector<Places> ElementCode::neighbours(Value number, llvm::ArrayRef<std::int64_t> sizes,
                                            int count) {
  std::vector<Value> all;
  for (const std::int64_t size : sizes) all.push_back(place(size));
  return neighbours(number, all, count);
}

std::vector<Places> ElementCode::neighbours(Value number, std::vector<Value> sizes, int count) {
  if (count == 1) return {coordinates(number, sizes)};
  sizes.back() = place(*mlir::getConstantIntValue(sizes.back()) / count);
  Places first = coordinates(number, sizes);
  first.back() = made<arith::MulIOp>(first.back(), place(count));
  std::vector<Places> all(static_cast<std::size_t>(count), first);
  const std::vector<Value> last = together(first.back(), count);
  for (std::size_t i = 0; i < all.size(); ++i) all[i].back() = last[i];
  return all;
}

std::vector<Value> ElementCode::together(Value first, int count) {
  std::vector<Value> all;
  for (int i = 0; i < count; ++i) {
    all.push_back(made<arith::AddIOp>(first, place(i)));
    if (count > 1) neighbours_[all.back().getAsOpaquePointer()] = {first, i, count};
  }
  return all;
}

Value ElementCode::element(Value value, const Places& places) {
  const auto key = key_of(value.getAsOpaquePointer(), places);
  if (const auto known = found(key)) return known->front();
  const Value computed = compute(value, places);
  known_.back()[key] = {computed};
  return computed;
}

Value ElementCode::compute(Value value, const Places& places) {
  if (const auto argument = mlir::dyn_cast<mlir::BlockArgument>(value))
    return load(argument, places);
  Operation* made = value.getDefiningOp();
  const mlir::Type type = type_of_number(value.getType());
  return llvm::TypeSwitch<Operation*, Value>(made)
      .Case([&](mlir::linalg::LinalgOp linalg) {
        return of_linalg(linalg, mlir::cast<mlir::OpResult>(value).getResultNumber(), places);
      })
      .Case([&](arith::ConstantOp) {
        Element constant_of;
        add_constant(value, constant_of);
        if (type.isIndex()) return place(plan::integer_of(constant_of.root().constant));
        return emit(builder_, Expression{constant_of.nodes}, {});
      })
      .Case<tensor::EmptyOp, mlir::bufferization::AllocTensorOp, mlir::ub::PoisonOp>(
          [&](auto) { return zero(type); })
      .Case([&](tensor::ExtractSliceOp slice) { return of_slice(slice, places); })
      .Case([&](tensor::InsertSliceOp insert) { return of_insertion(insert, places); })
      .Case([&](tensor::ConcatOp concat) { return of_concat(concat, places); })
      .Case([&](tensor::PadOp pad) { return of_pad(pad, places); })
      .Case([&](tensor::GatherOp gather) { return of_gather(gather, places); })
      .Case(
          [&](tensor::GenerateOp generate) { return of_block(generate.getBody().front(), places); })
      .Case([&](tensor::CastOp cast) { return element(cast.getSource(), places); })
      .Case([&](tensor::ExpandShapeOp expand) {
        return element(expand.getSrc(), expanded(expand, places));
      })
      .Case([&](tensor::CollapseShapeOp collapse) {
        return element(collapse.getSrc(), collapsed(collapse, places));
      })
      .Case([&](tensor::SplatOp splat) {
        Numbers numbers;
        return scalar(splat.getInput(), numbers);
      })
      .Default([&](Operation* operation) {  // on whole tensors
        std::vector<Value> operands;
        Numbers numbers;
        for (const Value operand : operation->getOperands())
          operands.push_back(mlir::isa<mlir::ShapedType>(operand.getType())
                                 ? element(operand, places)
                                 : scalar(operand, numbers));
        return operation_on(*operation, operands);
      });
}

Value ElementCode::number_of_place(mlir::BlockArgument argument, const Places& places) {
  Value at = place(0), step = place(1);
  for (std::size_t dim = places.size(); dim-- > 0;) {
    at = made<arith::AddIOp>(at, made<arith::MulIOp>(places[dim], step));
    step = made<arith::MulIOp>(step, size(argument, static_cast<unsigned>(dim)));
  }
  return arith::IndexCastOp::create(builder_, builder_.getI64Type(), at);
}

Value ElementCode::address(mlir::BlockArgument argument, const Places& places, mlir::Type stored) {
  const Value pointer = arguments_[argument.getArgNumber()];
  return mlir::LLVM::GEPOp::create(builder_, pointer.getType(), stored, pointer,
                                   mlir::ValueRange(number_of_place(argument, places)));
}

// The number that these bits stand for in memory.
Value ElementCode::number_of_bits(mlir::BlockArgument argument, Value bits) {
  const BufferRecord& buffer = request_.buffers[argument.getArgNumber()];
  const mlir::Type type = type_of_number(argument.getType());
  if (buffer.is_i1)
    return arith::CmpIOp::create(builder_, arith::CmpIPredicate::ne, bits, zero(bits.getType()));
  if (type.isIndex()) return arith::IndexCastOp::create(builder_, type, bits);
  return bits.getType() == type ? bits : arith::BitcastOp::create(builder_, type, bits).getResult();
}

// Loads the element of an argument at these places together with its neighbours in the row, by one
// access. Null if the element must be loaded alone.
Value ElementCode::load_together(mlir::BlockArgument argument, const Places& places) {
  const BufferRecord& buffer = request_.buffers[argument.getArgNumber()];
  if (places.empty() || branches_ != 0 || shares_bytes(buffer.element)) return nullptr;
  const auto known = neighbours_.find(places.back().getAsOpaquePointer());
  if (known == neighbours_.end()) return nullptr;
  const Neighbour& own = known->second;
  const int bytes = counted_bytes(buffer.element);
  const int each = std::min(own.count, plan::ElementPlan::access_bytes / bytes);
  if (each == 1 || buffer.shape.back() < 0 || buffer.shape.back() % own.count != 0) return nullptr;
  Places first = places;
  const int before = own.number / each * each;
  first.back() = made<arith::AddIOp>(own.first, place(before));
  auto key = key_of(argument.getAsOpaquePointer(), first);
  key.second.push_back(&neighbours_);
  Value all;
  if (const auto loaded = found(key)) {
    all = loaded->front();
  } else {
    const mlir::Type stored = bits_type(builder_.getContext(), buffer.element);
    all = mlir::LLVM::LoadOp::create(builder_, mlir::VectorType::get({each}, stored),
                                     address(argument, first, stored),
                                     static_cast<unsigned>(each * bytes));
    known_.back()[key] = {all};
  }
  const Value number = constant(builder_.getI32Type(), own.number - before);
  return number_of_bits(argument,
                        mlir::LLVM::ExtractElementOp::create(builder_, all, number).getResult());
}

Value ElementCode::load(mlir::BlockArgument argument, const Places& places) {
  if (const Value together = load_together(argument, places)) return together;
  const BufferRecord& buffer = request_.buffers[argument.getArgNumber()];
  if (shares_bytes(buffer.element)) {
    const Value number = number_of_place(argument, places);
    const Value pointer = arguments_[argument.getArgNumber()];
    const Value byte = arith::ShRUIOp::create(builder_, number, constant(number.getType(), 1));
    const Value half = arith::TruncIOp::create(builder_, builder_.getI32Type(), number);
    const Value from = mlir::LLVM::GEPOp::create(builder_, pointer.getType(), builder_.getI8Type(),
                                                 pointer, mlir::ValueRange(byte));
    return element_of_byte(
        builder_, mlir::LLVM::LoadOp::create(builder_, builder_.getI8Type(), from, 1), half);
  }
  const mlir::Type stored = bits_type(builder_.getContext(), buffer.element);
  return number_of_bits(
      argument, mlir::LLVM::LoadOp::create(builder_, stored, address(argument, places, stored),
                                           stored.getIntOrFloatBitWidth() / 8));
}

Value ElementCode::bits(Value number, const BufferRecord& buffer) {
  const mlir::Type stored = bits_type(builder_.getContext(), buffer.element);
  if (buffer.is_i1) return arith::ExtUIOp::create(builder_, stored, number);
  if (number.getType().isIndex()) return arith::IndexCastOp::create(builder_, stored, number);
  if (number.getType() == stored) return number;
  return arith::BitcastOp::create(builder_, stored, number);
}

Value ElementCode::of_linalg(mlir::linalg::LinalgOp linalg, unsigned result, const Places& places) {
  Places loops(linalg.getNumLoops());
  const mlir::AffineMap map = linalg.getMatchingIndexingMap(linalg.getDpsInitOperand(result));
  for (unsigned dim = 0; dim < map.getNumResults(); ++dim)
    if (const auto loop = mlir::dyn_cast<mlir::AffineDimExpr>(map.getResult(dim)))
      loops[loop.getPosition()] = places[dim];
  const auto kinds = linalg.getIteratorTypesArray();
  for (std::size_t loop = 0; loop < loops.size(); ++loop)
    if (!loops[loop] && kinds[loop] != mlir::utils::IteratorType::reduction) loops[loop] = place(0);
  const auto key = key_of_loops(linalg, loops);
  if (const auto known = found(key)) return (*known)[result];
  const std::vector<Value> all = of_loops(linalg, loops);
  known_.back()[key] = all;
  return all[result];
}

ElementCode::Key ElementCode::key_of_loops(mlir::linalg::LinalgOp linalg, const Places& loops) {
  Places known_loops;
  for (const Value loop : loops)
    if (loop) known_loops.push_back(loop);
  return key_of(linalg.getOperation(), known_loops);
}

void ElementCode::remember(mlir::linalg::LinalgOp linalg, const Places& loops,
                           const std::vector<Value>& results) {
  known_.back()[key_of_loops(linalg, loops)] = results;
}

void ElementCode::inside(llvm::function_ref<void()> code) {
  known_.emplace_back();
  code();
  known_.pop_back();
}

std::vector<Value> ElementCode::initial(mlir::linalg::LinalgOp linalg, const Places& loops) {
  std::vector<Value> sums;
  for (mlir::OpOperand& init : linalg.getDpsInitsMutable()) {
    Places at;
    for (const mlir::AffineExpr expression : linalg.getMatchingIndexingMap(&init).getResults()) {
      const auto loop = mlir::dyn_cast<mlir::AffineDimExpr>(expression);
      at.push_back(loop ? loops[loop.getPosition()] : place(0));
    }
    sums.push_back(element(init.get(), at));
  }
  return sums;
}

// The results of a reduction at the given places of its loops. A loop whose place is null becomes a
// loop that the thread runs.
std::vector<Value> ElementCode::of_loops(mlir::linalg::LinalgOp linalg, Places loops) {
  std::vector<unsigned> summed;
  for (unsigned loop = 0; loop < loops.size(); ++loop)
    if (!loops[loop]) summed.push_back(loop);
  if (summed.empty()) return of_body(linalg, loops, {});
  const std::vector<Value> sums = initial(linalg, loops);
  const std::vector<Value> sizes = loop_sizes(linalg);
  const std::function<std::vector<Value>(std::size_t, const std::vector<Value>&)> nest =
      [&](std::size_t depth, const std::vector<Value>& carried) -> std::vector<Value> {
    if (depth == summed.size()) return of_body(linalg, loops, carried);
    auto loop =
        mlir::scf::ForOp::create(builder_, place(0), sizes[summed[depth]], place(1), carried);
    const mlir::OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPointToStart(loop.getBody());
    known_.emplace_back();
    loops[summed[depth]] = loop.getInductionVar();
    const auto inside = loop.getRegionIterArgs();
    mlir::scf::YieldOp::create(builder_, nest(depth + 1, {inside.begin(), inside.end()}));
    known_.pop_back();
    return {loop.getResults().begin(), loop.getResults().end()};
  };
  return nest(0, sums);
}

std::vector<Value> ElementCode::of_body(mlir::linalg::LinalgOp linalg, const Places& loops,
                                        const std::vector<Value>& sums) {
  mlir::Block& body = *linalg.getBlock();
  Numbers numbers;
  for (mlir::OpOperand& operand : linalg->getOpOperands()) {
    if (operand.getOperandNumber() >= body.getNumArguments()) break;  // linalg.map
    const mlir::BlockArgument argument = body.getArgument(operand.getOperandNumber());
    if (argument.use_empty()) continue;
    Value& number = numbers[argument.getAsOpaquePointer()];
    if (linalg.isDpsInit(&operand) && !sums.empty()) {
      number = sums[operand.getOperandNumber() - static_cast<unsigned>(linalg.getNumDpsInputs())];
      continue;
    }
    if (!mlir::isa<mlir::ShapedType>(operand.get().getType())) {
      number = scalar(operand.get(), numbers);
      continue;
    }
    Places at;
    for (const mlir::AffineExpr expression : linalg.getMatchingIndexingMap(&operand).getResults())
      at.push_back(place_of_map(builder_, expression, loops));
    number = element(operand.get(), at);
  }
  for (Operation& operation : body.without_terminator()) read(operation, loops, numbers);
  std::vector<Value> results;
  for (const Value value : body.getTerminator()->getOperands())
    results.push_back(scalar(value, numbers));
  return results;
}

// The number that a block of tensor.pad or tensor.generate yields.
Value ElementCode::of_block(mlir::Block& block, const Places& places) {
  Numbers numbers;
  for (const mlir::BlockArgument argument : block.getArguments())
    numbers[argument.getAsOpaquePointer()] = places[argument.getArgNumber()];
  for (Operation& operation : block.without_terminator()) read(operation, places, numbers);
  return scalar(block.getTerminator()->getOperand(0), numbers);
}

void ElementCode::read(Operation& operation, const Places& loops, Numbers& numbers) {
  Value& result = numbers[operation.getResult(0).getAsOpaquePointer()];
  if (auto index = mlir::dyn_cast<mlir::linalg::IndexOp>(operation)) {
    result = loops[index.getDim()];
    return;
  }
  if (auto extract = mlir::dyn_cast<tensor::ExtractOp>(operation)) {
    Places at;
    for (const Value place : extract.getIndices()) at.push_back(scalar(place, numbers));
    result = element(extract.getTensor(), at);
    return;
  }
  if (mlir::isa<arith::ConstantOp, mlir::ub::PoisonOp>(operation)) {
    numbers.erase(operation.getResult(0).getAsOpaquePointer());
    return;
  }
  std::vector<Value> operands;
  for (const Value operand : operation.getOperands()) operands.push_back(scalar(operand, numbers));
  numbers[operation.getResult(0).getAsOpaquePointer()] = operation_on(operation, operands);
}

// The number `value` of the text: one that a step of the body computes, or one that the function
// computes outside of the body.
Value ElementCode::scalar(Value value, Numbers& numbers) {
  const auto at = numbers.find(value.getAsOpaquePointer());
  if (at != numbers.end()) return at->second;
  if (const auto argument = mlir::dyn_cast<mlir::BlockArgument>(value)) return load(argument, {});
  Operation* made = value.getDefiningOp();
  const auto key = key_of(value.getAsOpaquePointer(), {});
  if (const auto known = found(key)) return known->front();
  Value number;
  if (auto number_of = mlir::dyn_cast<arith::ConstantOp>(made);
      number_of && value.getType().isIndex()) {
    number = place(mlir::cast<mlir::IntegerAttr>(number_of.getValue()).getInt());
  } else if (number_of) {
    Element constant_of;
    add_constant(value, constant_of);
    number = emit(builder_, Expression{constant_of.nodes}, {});
  } else if (mlir::isa<mlir::ub::PoisonOp>(made)) {
    number = zero(type_of_number(value.getType()));
  } else if (auto dim = mlir::dyn_cast<tensor::DimOp>(made)) {
    number = size(dim.getSource(), static_cast<unsigned>(*dim.getConstantIndex()));
  } else {
    Numbers own;
    read(*made, {}, own);
    number = own.at(value.getAsOpaquePointer());
  }
  known_.back()[key] = {number};
  return number;
}

Value ElementCode::number(mlir::OpFoldResult value) {
  if (const auto known = mlir::getConstantIntValue(value)) return place(*known);
  Numbers none;
  return scalar(mlir::cast<Value>(value), none);
}

Value ElementCode::operation_on(Operation& operation, const std::vector<Value>& operands) {
  if (is_of_places(operation)) return number_of_places(builder_, operation, operands);
  return number_of(builder_, operation, operands);
}

}  // namespace heddle::compiler
