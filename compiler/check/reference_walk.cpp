#include "compiler/check/reference_walk.h"

#include <algorithm>

#include "compiler/check/number_arithmetic.h"
#include "compiler/overlap.h"
#include "library/text/formatted.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace heddle::compiler {
namespace {

namespace vector = mlir::vector;

std::vector<std::int64_t> shape_of(mlir::Type type) {
  const auto vectors = mlir::dyn_cast<mlir::VectorType>(type);
  if (!vectors) return {};
  return {vectors.getShape().begin(), vectors.getShape().end()};
}

// The number of elements of a shape, but at most 2^62, which is more than any walk has steps.
std::size_t count_of(const std::vector<std::int64_t>& shape) {
  constexpr std::int64_t most = std::int64_t{1} << 62;
  std::int64_t count = 1;
  for (const std::int64_t size : shape)
    if (__builtin_mul_overflow(count, size, &count) || count > most) count = most;
  return static_cast<std::size_t>(count);
}

// What the walk costs, counted in products of a contraction: an operation costs `operation_steps`,
// plus `arithmetic_steps` for each element on which it does arithmetic.
constexpr std::int64_t operation_steps = 16;
constexpr std::int64_t arithmetic_steps = 32;

// The row-major index of the element at `position` in an array of this shape.
std::size_t place_in(const std::vector<std::int64_t>& shape,
                     const std::vector<std::int64_t>& position) {
  std::int64_t at = 0;
  for (std::size_t dim = 0; dim < shape.size(); ++dim) at = at * shape[dim] + position[dim];
  return static_cast<std::size_t>(at);
}

Interval number_of(mlir::Attribute attribute) {
  if (const auto real = mlir::dyn_cast<mlir::FloatAttr>(attribute))
    return Interval::point(real.getValueAsDouble());
  return Interval::point(
      static_cast<double>(mlir::cast<mlir::IntegerAttr>(attribute).getValue().getSExtValue()));
}

mlir::Type element_type(mlir::Value value) { return mlir::getElementTypeOrSelf(value.getType()); }

}  // namespace

// A transfer between a vector and a memref.
struct ReferenceWalk::Transfer {
  const MemrefView& view;
  std::vector<std::int64_t> start;  // in the memref
  mlir::AffineMap map;              // memref dimensions -> vector dimensions
  std::vector<bool> in_bounds;      // per vector dimension
  std::vector<std::int64_t> shape;  // of the vector
  bool claim_broken = false;        // outside where it says in_bounds
};

bool ReferenceWalk::refuse(mlir::Operation& operation, std::string_view found,
                           std::string_view accepted) {
  diagnostics_.error(operation.getLoc(), found, accepted);
  return false;
}

bool ReferenceWalk::spend(mlir::Operation& operation, std::int64_t steps) {
  if (steps <= options_.most_steps - steps_) {
    steps_ += steps;
    return true;
  }
  return refuse(operation,
                formatted("more than {} steps of the reference until here", options_.most_steps),
                "fewer iterations, smaller vectors, or `heddle run --limit N` with a larger N");
}

bool ReferenceWalk::run(mlir::func::FuncOp function, const std::vector<WarpArgument>& bound) {
  for (std::size_t i = 0; i < bound.size(); ++i) {
    const WarpArgument& argument = bound[i];
    const mlir::Value value = function.getArgument(static_cast<unsigned>(i));
    if (!argument.is_memref) {
      values_[value] = {{}, {Interval::point(static_cast<double>(*argument.index))}};
      continue;
    }
    MemrefView view{i, *argument.offset, {}, {}};
    for (const auto& size : argument.sizes) view.sizes.push_back(*size);
    for (const auto& stride : argument.strides) view.strides.push_back(*stride);
    views_[value] = std::move(view);
  }
  return run_block(function.getBody().front());
}

bool ReferenceWalk::run_block(mlir::Block& block) {
  return llvm::all_of(block, [&](mlir::Operation& operation) { return run_operation(operation); });
}

bool ReferenceWalk::run_operation(mlir::Operation& operation) {
  std::int64_t steps = operation_steps;
  for (const mlir::Type type : operation.getResultTypes())
    steps += static_cast<std::int64_t>(count_of(shape_of(type)));
  if (!spend(operation, steps)) return false;
  return llvm::TypeSwitch<mlir::Operation*, bool>(&operation)
      .Case<mlir::func::ReturnOp, mlir::scf::YieldOp>([](auto) { return true; })
      .Case<mlir::arith::ConstantOp>([&](auto) { return constant(operation); })
      .Case<mlir::arith::SelectOp>([&](auto) { return select(operation); })
      .Case<mlir::scf::ForOp>([&](auto) { return loop(operation); })
      .Case<vector::BroadcastOp>([&](auto) { return broadcast(operation); })
      .Case<vector::TransposeOp>([&](auto) { return transpose(operation); })
      .Case<vector::TransferReadOp>([&](auto) { return transfer_read(operation); })
      .Case<vector::TransferWriteOp>([&](auto) { return transfer_write(operation); })
      .Case<vector::ContractionOp>([&](auto) { return contract(operation); })
      .Case<mlir::memref::SubViewOp>([&](auto) { return subview(operation); })
      .Case<mlir::memref::DimOp>([&](auto) { return dimension(operation); })
      .Default([&](auto*) { return elementwise(operation); });
}

bool ReferenceWalk::constant(mlir::Operation& operation) {
  const mlir::Attribute attribute = mlir::cast<mlir::arith::ConstantOp>(operation).getValue();
  VectorValue value{shape_of(operation.getResult(0).getType()), {}};
  if (const auto dense = mlir::dyn_cast<mlir::DenseElementsAttr>(attribute)) {
    for (const mlir::Attribute element : dense.getValues<mlir::Attribute>())
      value.elements.push_back(number_of(element));
  } else if (mlir::isa<mlir::FloatAttr, mlir::IntegerAttr>(attribute)) {
    value.elements.push_back(number_of(attribute));
  } else {
    return refuse(operation, "this kind of constant", "numbers and dense<...> vectors");
  }
  values_[operation.getResult(0)] = std::move(value);
  return true;
}

bool ReferenceWalk::elementwise(mlir::Operation& operation) {
  constexpr std::string_view accepted =
      "arithmetic of arith on each element, vector.transfer_read, transfer_write, transpose, "
      "broadcast and contract, scf.for";
  const std::string name = "the operation " + operation.getName().getStringRef().str();
  if (operation.getNumResults() != 1 || operation.getNumOperands() == 0 ||
      operation.getNumOperands() > 2)
    return refuse(operation, name, accepted);
  const mlir::Value result = operation.getResult(0);
  VectorValue value{shape_of(result.getType()), {}};
  const std::size_t count = count_of(value.shape);
  if (!spend(operation, static_cast<std::int64_t>(count) * arithmetic_steps)) return false;
  for (std::size_t i = 0; i < count; ++i) {
    llvm::SmallVector<Interval, 2> operands;
    for (const mlir::Value operand : operation.getOperands()) {
      const VectorValue& from = values_[operand];
      if (from.elements.size() != count) return refuse(operation, name, accepted);
      operands.push_back(from.elements[i]);
    }
    const auto element =
        evaluate_element(operation, {operands.data(), operands.size()},
                         element_type(operation.getOperand(0)), element_type(result));
    if (!element) return refuse(operation, name, accepted);
    value.elements.push_back(*element);
  }
  values_[result] = std::move(value);
  return true;
}

bool ReferenceWalk::select(mlir::Operation& operation) {
  const VectorValue condition = values_[operation.getOperand(0)];
  const VectorValue& when_true = values_[operation.getOperand(1)];
  const VectorValue& when_false = values_[operation.getOperand(2)];
  VectorValue value = when_true;
  for (std::size_t i = 0; i < value.elements.size(); ++i) {
    const Interval choice = condition.elements[condition.elements.size() == 1 ? 0 : i];
    const Interval a = when_true.elements[i], b = when_false.elements[i];
    value.elements[i] = choice.value != 0 ? a : b;
    if (choice.is_point()) continue;
    value.elements[i].low = std::min(a.low, b.low);
    value.elements[i].high = std::max(a.high, b.high);
  }
  values_[operation.getResult(0)] = std::move(value);
  return true;
}

bool ReferenceWalk::loop(mlir::Operation& operation) {
  auto loop = mlir::cast<mlir::scf::ForOp>(operation);
  const std::int64_t step = index(loop.getStep());
  if (step <= 0) return refuse(operation, "a loop's step that is not positive", "steps from 1");
  const std::int64_t end = index(loop.getUpperBound());
  const std::int64_t begin = index(loop.getLowerBound());
  std::vector<VectorValue> carried;
  for (const mlir::Value initial : loop.getInitArgs()) carried.push_back(values_[initial]);
  for (std::int64_t i = begin; i < end; i += step) {
    if (!spend(operation, operation_steps)) return false;
    values_[loop.getInductionVar()] = {{}, {Interval::point(static_cast<double>(i))}};
    for (auto [argument, value] : llvm::zip_equal(loop.getRegionIterArgs(), carried))
      values_[argument] = value;
    if (!run_block(*loop.getBody())) return false;
    mlir::Operation* yield = loop.getBody()->getTerminator();
    for (std::size_t k = 0; k < carried.size(); ++k)
      carried[k] = values_[yield->getOperand(static_cast<unsigned>(k))];
  }
  for (auto [result, value] : llvm::zip_equal(loop.getResults(), carried)) values_[result] = value;
  return true;
}

bool ReferenceWalk::broadcast(mlir::Operation& operation) {
  const VectorValue source = values_[operation.getOperand(0)];
  VectorValue value{shape_of(operation.getResult(0).getType()), {}};
  const std::size_t missing = value.shape.size() - source.shape.size();
  for_each_position(value.shape, [&](const auto& position, std::size_t) {
    std::vector<std::int64_t> from(position.begin() + static_cast<std::ptrdiff_t>(missing),
                                   position.end());
    for (std::size_t dim = 0; dim < from.size(); ++dim)
      if (source.shape[dim] == 1) from[dim] = 0;
    value.elements.push_back(source.elements[place_in(source.shape, from)]);
    return true;
  });
  values_[operation.getResult(0)] = std::move(value);
  return true;
}

bool ReferenceWalk::transpose(mlir::Operation& operation) {
  const auto permutation = mlir::cast<vector::TransposeOp>(operation).getPermutation();
  const VectorValue source = values_[operation.getOperand(0)];
  VectorValue value{shape_of(operation.getResult(0).getType()), {}};
  for_each_position(value.shape, [&](const auto& position, std::size_t) {
    std::vector<std::int64_t> from(position.size());
    for (std::size_t dim = 0; dim < position.size(); ++dim)
      from[static_cast<std::size_t>(permutation[dim])] = position[dim];
    value.elements.push_back(source.elements[place_in(source.shape, from)]);
    return true;
  });
  values_[operation.getResult(0)] = std::move(value);
  return true;
}

// The memory that a transfer reads or writes for the element of the vector at `position`. Null if
// this element lies outside the memref. If the transfer says that the element is in bounds although
// it lies outside, `claim_broken` becomes true.
Cell* ReferenceWalk::cell_of(const Transfer& transfer, const std::vector<std::int64_t>& position,
                             bool& claim_broken) {
  std::vector<std::int64_t> at = transfer.start;
  std::vector<bool> may_be_outside(at.size(), false);
  for (std::size_t dim = 0; dim < position.size(); ++dim) {
    const auto expression =
        mlir::dyn_cast<mlir::AffineDimExpr>(transfer.map.getResult(static_cast<unsigned>(dim)));
    if (!expression) continue;  // a broadcast
    at[expression.getPosition()] += position[dim];
    may_be_outside[expression.getPosition()] = !transfer.in_bounds[dim];
  }
  std::int64_t place = transfer.view.offset;
  for (std::size_t dim = 0; dim < at.size(); ++dim) {
    if (at[dim] < 0 || at[dim] >= transfer.view.sizes[dim]) {
      if (!may_be_outside[dim]) claim_broken = true;
      return nullptr;
    }
    place += at[dim] * transfer.view.strides[dim];
  }
  return &memory_[transfer.view.argument][static_cast<std::size_t>(place)];
}

bool ReferenceWalk::transfer_read(mlir::Operation& operation) {
  auto read = mlir::cast<vector::TransferReadOp>(operation);
  if (read.getMask() || !views_.contains(read.getBase()))
    return refuse(operation, "a transfer with a mask or from a tensor",
                  "one of a memref, unmasked");
  Transfer transfer{
      views_[read.getBase()], {}, read.getPermutationMap(), {}, shape_of(read.getVectorType())};
  for (const mlir::Value start : read.getIndices()) transfer.start.push_back(index(start));
  transfer.in_bounds = read.getInBoundsValues().empty()
                           ? std::vector<bool>(transfer.shape.size(), false)
                           : std::vector<bool>();
  for (const bool inside : read.getInBoundsValues()) transfer.in_bounds.push_back(inside);
  const Interval padding = number(read.getPadding());
  VectorValue value{transfer.shape, {}};
  bool claim_broken = false;
  for_each_position(value.shape, [&](const auto& position, std::size_t) {
    Cell* cell = cell_of(transfer, position, claim_broken);
    if (cell != nullptr) cell->read = true;
    value.elements.push_back(cell != nullptr ? cell->number : padding);
    return !claim_broken;
  });
  if (claim_broken)
    return refuse(operation, "a read outside the memref that says in_bounds",
                  "in_bounds = [false, ...] where the tile leaves the memref");
  values_[operation.getResult(0)] = std::move(value);
  return true;
}

bool ReferenceWalk::transfer_write(mlir::Operation& operation) {
  auto write = mlir::cast<vector::TransferWriteOp>(operation);
  if (write.getMask() || !views_.contains(write.getBase()))
    return refuse(operation, "a transfer with a mask or to a tensor", "one to a memref, unmasked");
  Transfer transfer{
      views_[write.getBase()], {}, write.getPermutationMap(), {}, shape_of(write.getVectorType())};
  for (const mlir::Value start : write.getIndices()) transfer.start.push_back(index(start));
  for (const bool inside : write.getInBoundsValues()) transfer.in_bounds.push_back(inside);
  std::vector<ArrayDimension> dimensions;
  for (std::size_t i = 0; i < transfer.shape.size(); ++i)
    if (const auto dim =
            mlir::dyn_cast<mlir::AffineDimExpr>(transfer.map.getResult(static_cast<unsigned>(i))))
      dimensions.push_back({std::min(transfer.shape[i], transfer.view.sizes[dim.getPosition()]),
                            transfer.view.strides[dim.getPosition()]});
  if (may_overlap(std::move(dimensions)))
    return refuse(operation, "a write of several elements to one place", accepted_result_layout);
  const VectorValue& value = values_[write.getVector()];
  if (!spend(operation, static_cast<std::int64_t>(count_of(value.shape)))) return false;
  bool claim_broken = false;
  for_each_position(value.shape, [&](const auto& position, std::size_t i) {
    Cell* cell = cell_of(transfer, position, claim_broken);
    if (cell == nullptr) return !claim_broken;
    cell->number = value.elements[i];
    cell->written = true;
    return true;
  });
  return !claim_broken || refuse(operation, "a write outside the memref that says in_bounds",
                                 "in_bounds = [false, ...] where the tile leaves the memref");
}

bool ReferenceWalk::contract(mlir::Operation& operation) {
  auto contract = mlir::cast<vector::ContractionOp>(operation);
  if (contract.getKind() != vector::CombiningKind::ADD)
    return refuse(operation, "a contraction that does not add", "kind = #vector.kind<add>");
  const VectorValue &a = values_[contract.getLhs()], &b = values_[contract.getRhs()],
                    &c = values_[contract.getAcc()];
  const auto maps = contract.getIndexingMapsArray();
  const auto iterators = contract.getIteratorTypesArray();
  const VectorValue* operands[] = {&a, &b, &c};
  ContractionReference contraction;
  contraction.accumulator = element_type(contract.getAcc());
  contraction.input = element_type(contract.getLhs());
  contraction.tf32 = options_.tf32 && contraction.input.isF32();
  // Instructions may extend their operands themselves.
  auto extended = contract.getLhs().getDefiningOp<mlir::arith::ExtFOp>();
  const mlir::Type read = extended ? element_type(extended.getIn()) : contraction.input;
  if (options_.flushes && read.isF16()) contraction.smallest = 0x1p-14;
  if (options_.flushes && read.isBF16()) contraction.smallest = 0x1p-126;
  for (unsigned iterator = 0; iterator < iterators.size(); ++iterator) {
    const bool reduces = iterators[iterator] == vector::IteratorType::reduction;
    std::int64_t size = 1;
    for (std::size_t i = 0; i < 3; ++i) {
      std::int64_t step = 0, pitch = 1;
      for (std::size_t dim = operands[i]->shape.size(); dim-- > 0;) {
        if (maps[i].getDimPosition(static_cast<unsigned>(dim)) == iterator) {
          step = pitch;
          size = operands[i]->shape[dim];
        }
        pitch *= operands[i]->shape[dim];
      }
      (reduces ? contraction.reduction_step : contraction.parallel_step)[i].push_back(step);
    }
    (reduces ? contraction.reduction : contraction.parallel).push_back(size);
  }
  const std::size_t products = count_of(contraction.parallel) * count_of(contraction.reduction);
  if (!spend(operation, static_cast<std::int64_t>(products))) return false;
  values_[operation.getResult(0)] = contraction.evaluate(a, b, c);
  return true;
}

std::int64_t ReferenceWalk::index(mlir::Value value) {
  constexpr double most = std::int64_t{1} << 53;  // beyond, a double is not every number
  return static_cast<std::int64_t>(std::clamp(number(value).value, -most, most));
}

std::int64_t ReferenceWalk::index(mlir::OpFoldResult value) {
  if (const auto attribute = mlir::dyn_cast<mlir::Attribute>(value))
    return mlir::cast<mlir::IntegerAttr>(attribute).getInt();
  return index(mlir::cast<mlir::Value>(value));
}

bool ReferenceWalk::subview(mlir::Operation& operation) {
  auto view = mlir::cast<mlir::memref::SubViewOp>(operation);
  const MemrefView source = views_[view.getSource()];
  MemrefView result{source.argument, source.offset, {}, {}};
  const auto dropped = view.getDroppedDims();
  for (unsigned dim = 0; dim < source.sizes.size(); ++dim) {
    const std::int64_t offset = index(view.getMixedOffsets()[dim]);
    const std::int64_t size = index(view.getMixedSizes()[dim]);
    const std::int64_t stride = index(view.getMixedStrides()[dim]);
    const __int128 last = offset + static_cast<__int128>(size - 1) * stride;
    if (offset < 0 || size < 0 || (size > 0 && (last < 0 || last >= source.sizes[dim])))
      return refuse(operation, "a subview beyond its source", "a subview inside");
    result.offset += offset * source.strides[dim];
    if (dropped.test(dim)) continue;
    result.sizes.push_back(size);
    result.strides.push_back(stride * source.strides[dim]);
  }
  views_[operation.getResult(0)] = std::move(result);
  return true;
}

bool ReferenceWalk::dimension(mlir::Operation& operation) {
  const MemrefView& view = views_[operation.getOperand(0)];
  const std::int64_t dim = index(operation.getOperand(1));
  if (dim < 0 || dim >= static_cast<std::int64_t>(view.sizes.size()))
    return refuse(operation, "a dimension that the memref does not have", "one of its dimensions");
  values_[operation.getResult(0)] = {
      {}, {Interval::point(static_cast<double>(view.sizes[static_cast<std::size_t>(dim)]))}};
  return true;
}

}  // namespace heddle::compiler
