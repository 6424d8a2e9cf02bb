#include "compiler/warp/thread_code.h"

#include <bit>
#include <numeric>

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace heddle::compiler {

using layout::LinearLayout;
using mlir::Value;

ThreadCode::ThreadCode(mlir::Block& body, mlir::Location where, const WarpOptions& options)
    : builder(where, body.getParentOp()->getContext()), options(options), body_(body) {
  builder.setInsertionPointToStart(&body);
}

// Code that every later place can use.
template <typename Make>
Value ThreadCode::at_beginning(Make make) {
  const mlir::OpBuilder::InsertionGuard guard(builder);
  if (last_ != nullptr)
    builder.setInsertionPointAfter(last_);
  else
    builder.setInsertionPointToStart(&body_);
  const Value value = make();
  last_ = value.getDefiningOp();
  return value;
}

Value ThreadCode::lane() {
  if (!lane_)
    lane_ = at_beginning([&]() -> Value {
      return mlir::gpu::LaneIdOp::create(builder, builder.getIndexAttr(options.lanes()));
    });
  return lane_;
}

Value ThreadCode::index(std::int64_t number) {
  return mlir::arith::ConstantIndexOp::create(builder, number);
}

Value ThreadCode::add(Value x, Value y) {
  if (!x) return y;
  return y ? mlir::arith::AddIOp::create(builder, x, y).getResult() : x;
}

Value ThreadCode::both(Value x, Value y) {
  if (!x) return y;
  return y ? mlir::arith::AndIOp::create(builder, x, y).getResult() : x;
}

Value ThreadCode::lane_coordinate(const LinearLayout& map, int axis) {
  Moves moves;
  const layout::AxisName& out = map.outputs()[axis].name;
  for (int bit = 0; bit < map.inputs().bits_of("lane"); ++bit)
    for (std::uint64_t word = map.basis("lane", bit, out); word != 0; word &= word - 1)
      moves[std::countr_zero(word) - bit] |= 1u << bit;
  if (moves.empty()) return {};
  if (const auto found = known_.find(moves); found != known_.end()) return found->second;
  const Value number = lane();
  const Value sum = at_beginning([&] {
    Value sum;
    for (const auto& [shift, mask] : moves) {
      Value part = mlir::arith::AndIOp::create(builder, number, index(mask));
      if (shift > 0) part = mlir::arith::ShLIOp::create(builder, part, index(shift));
      if (shift < 0) part = mlir::arith::ShRUIOp::create(builder, part, index(-shift));
      sum = sum ? mlir::arith::XOrIOp::create(builder, sum, part).getResult() : part;
    }
    return sum;
  });
  known_[moves] = sum;
  return sum;
}

namespace {

// The bits of coordinate `axis` that lanes change.
std::uint64_t moved_by_lanes(const LinearLayout& map, int axis) {
  std::uint64_t bits = 0;
  for (int bit = 0; bit < map.inputs().bits_of("lane"); ++bit)
    bits |= map.basis("lane", bit, map.outputs()[axis].name);
  return bits;
}

}  // namespace

Value ThreadCode::coordinate(const LinearLayout& map, std::uint64_t reg, int axis) {
  const std::uint64_t constant = coordinates(map, reg)[static_cast<std::size_t>(axis)];
  const Value lane_part = lane_coordinate(map, axis);
  if (!lane_part) return index(static_cast<std::int64_t>(constant));
  if (constant == 0) return lane_part;
  const Value number = index(static_cast<std::int64_t>(constant));
  if ((constant & moved_by_lanes(map, axis)) == 0) return add(lane_part, number);
  return mlir::arith::XOrIOp::create(builder, lane_part, number);
}

Value ThreadCode::is_below(const LinearLayout& map, std::uint64_t reg, int axis, std::int64_t limit,
                           bool& never) {
  const std::uint64_t constant = coordinates(map, reg)[static_cast<std::size_t>(axis)];
  const std::uint64_t moved = moved_by_lanes(map, axis);
  const auto end = static_cast<std::uint64_t>(limit);
  never = (constant & ~moved) >= end;  // the least that any lane has, from below
  if (never || (constant | moved) < end) return {};
  return mlir::arith::CmpIOp::create(builder, mlir::arith::CmpIPredicate::ult,
                                     coordinate(map, reg, axis), index(limit));
}

llvm::SmallVector<Value> ThreadCode::elements(Value vector) {
  llvm::SmallVector<Value> result;
  const std::int64_t count = mlir::cast<mlir::VectorType>(vector.getType()).getNumElements();
  for (std::int64_t i = 0; i < count; ++i)
    result.push_back(mlir::vector::ExtractOp::create(builder, vector, i));
  return result;
}

Value ThreadCode::vector_of(llvm::ArrayRef<Value> elements) {
  const auto type = mlir::VectorType::get({static_cast<std::int64_t>(elements.size())},
                                          elements.front().getType());
  return mlir::vector::FromElementsOp::create(builder, type, elements);
}

Value ThreadCode::slice(Value vector, std::int64_t first, std::int64_t count) {
  if (mlir::cast<mlir::VectorType>(vector.getType()).getNumElements() == count) return vector;
  llvm::SmallVector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), first);
  return mlir::vector::ShuffleOp::create(builder, vector, vector, order);
}

Value ThreadCode::joined(llvm::SmallVector<Value> pieces) {
  if (pieces.size() > 1 &&
      mlir::cast<mlir::VectorType>(pieces.front().getType()).getNumElements() == 1) {
    for (Value& piece : pieces) piece = elements(piece).front();
    return vector_of(pieces);
  }
  while (pieces.size() > 1) {
    const auto type = mlir::cast<mlir::VectorType>(pieces.front().getType());
    llvm::SmallVector<std::int64_t> order(static_cast<std::size_t>(2 * type.getNumElements()));
    std::iota(order.begin(), order.end(), 0);
    llvm::SmallVector<Value> pairs;
    for (std::size_t i = 0; i < pieces.size(); i += 2)
      pairs.push_back(mlir::vector::ShuffleOp::create(builder, pieces[i], pieces[i + 1], order));
    pieces = std::move(pairs);
  }
  return pieces.front();
}

Value ThreadCode::rows(Value vector, std::int64_t columns) {
  const auto type = mlir::cast<mlir::VectorType>(vector.getType());
  if (const auto known = rows_.find(vector); known != rows_.end()) {
    const auto shape = mlir::cast<mlir::VectorType>(known->second.getType()).getShape();
    if (shape.back() == columns) return known->second;
  }
  const std::int64_t count = type.getNumElements() / columns;
  Value result = zero(mlir::VectorType::get({count, columns}, type.getElementType()));
  for (std::int64_t row = 0; row < count; ++row)
    result =
        mlir::vector::InsertOp::create(builder, slice(vector, row * columns, columns), result, row);
  return result;
}

Value ThreadCode::flat(Value rows) {
  llvm::SmallVector<Value> pieces;
  const std::int64_t count = mlir::cast<mlir::VectorType>(rows.getType()).getDimSize(0);
  for (std::int64_t row = 0; row < count; ++row)
    pieces.push_back(mlir::vector::ExtractOp::create(builder, rows, row));
  const Value vector = joined(pieces);
  rows_[vector] = rows;
  return vector;
}

Value ThreadCode::zero(mlir::Type type) {
  return mlir::arith::ConstantOp::create(builder,
                                         mlir::cast<mlir::TypedAttr>(builder.getZeroAttr(type)));
}

}  // namespace heddle::compiler
