#include "compiler/kernel/global_matrix.h"

#include <algorithm>
#include <bit>

#include "compiler/kernel/expression_code.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace heddle::compiler {

using mlir::Value;

bool GlobalMatrix::fits(int bits) const {
  const std::int64_t count = std::int64_t{1} << bits;
  const std::int64_t bytes = count * element_bytes();
  const auto divides = [](std::int64_t divisor, const Extent& number) {
    return number.is_known() && number.known % divisor == 0;
  };
  const auto all = [&](const AxisExtent& axis, bool with_step) {
    return (!with_step || divides(bytes, axis.step)) &&
           std::ranges::all_of(axis.jumps, [&](const AxisExtent::Jump& jump) {
             return divides(bytes, jump.elements);
           });
  };
  return !pointer ||
         (column.step.is_known() && column.step.known == element_bytes() &&
          divides(count, columns) && column.is_linear_in(count) && all(column, false) &&
          all(row, true) && all(batch, true) && offset_bytes % bytes == 0 && bytes <= 16);
}

GlobalMatrix GlobalMatrix::transposed() const {
  GlobalMatrix result = *this;
  std::swap(result.rows, result.columns);
  std::swap(result.row, result.column);
  return result;
}

GlobalMatrix GlobalContext::matrix(const MatrixRecord& record, mlir::Value argument,
                                   plan::Loop rows, plan::Loop columns, mlir::Value number) const {
  const int bytes = counted_bytes(record.element);
  GlobalMatrix matrix{further(argument, record.offset * bytes),
                      size(rows),
                      size(columns),
                      extent(record.row, bytes, /*is_wide=*/true),
                      extent(record.column, bytes, /*is_wide=*/true),
                      extent(record.batch, bytes, /*is_wide=*/true),
                      record.offset * bytes,
                      record.element,
                      {},
                      {},
                      argument};
  if (!record.padding.empty()) matrix.padding = padding(record, rows == plan::Loop::m, number);
  if (number && !record.batch.is({}))
    matrix.pointer = further(matrix.pointer, place(matrix.batch, number));
  matrix.stored = record.padding.empty() ? matrix.pointer : argument;
  return matrix;
}

Value GlobalContext::pointer(const GlobalMatrix& matrix, const MatrixPlace& at) const {
  const bool linear = matrix.row.is_linear() && matrix.column.is_linear();
  const Value row = linear ? at.row : add(at.row, at.down);
  const Value column = linear ? at.column : add(at.column, at.right);
  const Value in_row = further(matrix.pointer, place(matrix.row, row));
  const Value first = further(in_row, place(matrix.column, column));
  if (!linear) return first;
  return further(first,
                 sum(scaled(matrix.row.step, at.down), scaled(matrix.column.step, at.right)));
}

// If two elements share a byte, the distance from the argument to `pointer` is in half bytes, so
// its lowest bit says which half of a byte is the first element.
Value GlobalContext::load(const GlobalMatrix& matrix, Value pointer, int count) const {
  const mlir::Type bits = bits_type(builder.getContext(), matrix.element);
  const auto integer = [&](int width) {
    return builder.getIntegerType(static_cast<unsigned>(width));
  };
  if (!shares_bytes(matrix.element)) {
    const mlir::Type type = count == 1 ? bits : mlir::Type(mlir::VectorType::get({count}, bits));
    return mlir::LLVM::LoadOp::create(builder, type, pointer,
                                      static_cast<unsigned>(count * matrix.element_bytes()));
  }
  const auto address = [&](Value of) -> Value {
    return mlir::LLVM::PtrToIntOp::create(builder, builder.getI64Type(), of);
  };
  const Value halves =
      mlir::arith::SubIOp::create(builder, address(pointer), address(matrix.argument));
  const Value bytes = mlir::arith::ShRUIOp::create(builder, halves, wide_value_of({1, {}}));
  const int loaded_bits = std::max(4 * count, 8);
  const Value loaded =
      mlir::LLVM::LoadOp::create(builder, integer(loaded_bits), further(matrix.argument, bytes),
                                 static_cast<unsigned>(loaded_bits / 8));
  if (count > 1) return loaded;
  const Value number = mlir::arith::TruncIOp::create(builder, builder.getI32Type(), halves);
  return element_of_byte(builder, loaded, number);
}

std::vector<Value> GlobalContext::elements_of(Value vector) const {
  const auto type = mlir::dyn_cast<mlir::VectorType>(vector.getType());
  if (!type) return {vector};
  std::vector<Value> all;
  for (std::int64_t i = 0; i < type.getNumElements(); ++i)
    all.push_back(mlir::LLVM::ExtractElementOp::create(builder, vector, constant(i)));
  return all;
}

Value GlobalContext::vector_of(llvm::ArrayRef<Value> values) const {
  const auto count = static_cast<std::int64_t>(values.size());
  Value all = mlir::LLVM::PoisonOp::create(
      builder, mlir::VectorType::get({count}, values.front().getType()));
  for (std::int64_t i = 0; i < count; ++i)
    all = mlir::LLVM::InsertElementOp::create(builder, all, values[static_cast<std::size_t>(i)],
                                              constant(i));
  return all;
}

Value GlobalContext::element_of(const GlobalMatrix& matrix, Value loaded, int count,
                                int index) const {
  if (count == 1) return loaded;
  if (!shares_bytes(matrix.element))
    return mlir::LLVM::ExtractElementOp::create(builder, loaded, constant(index));
  return element_of_word(builder, loaded, index);
}

std::vector<Value> GlobalContext::load(const GlobalMatrix& matrix, MatrixPlace at,
                                       std::size_t count,
                                       llvm::function_ref<Value(const MatrixPlace&)> inside,
                                       bool is_written) const {
  int bits = std::countr_zero(count);
  while (bits > 0 && !matrix.fits(bits)) --bits;
  // With a step of 0, all elements up to the next jump are the same one; LLVM would load it
  // repeatedly.
  const Extent& step = matrix.column.step;
  const bool repeats = !matrix.column.is_linear() && step.is_known() && step.known == 0 &&
                       matrix.column.is_linear_in(static_cast<std::int64_t>(count));
  const std::int64_t width = std::int64_t{1} << bits;
  const mlir::Type number = number_type(builder.getContext(), matrix.element);
  // LLVM has no 8-bit floats: they are loaded as bits.
  const mlir::Type element =
      is_small_float(matrix.element) ? bits_type(builder.getContext(), matrix.element) : number;
  const mlir::Type type = bits == 0 ? element : mlir::VectorType::get({width}, element);
  const auto number_of = [&](Value value) -> Value {
    return element == number ? value : mlir::arith::BitcastOp::create(builder, number, value);
  };
  std::vector<Value> all;
  for (; all.size() < count; at.right += width) {
    Value from = pointer(matrix, at);
    const Value valid = inside(at);
    if (valid && (!is_written || shares_bytes(matrix.element)))
      from = select(valid, from, matrix.pointer);
    Value loaded;
    if (shares_bytes(matrix.element)) {
      loaded = load(matrix, from, static_cast<int>(width));
      for (int i = 0; i < width; ++i)
        all.push_back(element_of(matrix, loaded, static_cast<int>(width), i));
      if (repeats) return std::vector<Value>(count, all[0]);
      continue;
    }
    const auto align = static_cast<unsigned>(width * matrix.element_bytes());
    const auto load_vector = [&](mlir::OpBuilder& inner, mlir::Location location) -> Value {
      return mlir::LLVM::LoadOp::create(inner, location, type, from, align);
    };
    if (valid && is_written) {
      loaded = mlir::scf::IfOp::create(
                   builder, valid,
                   [&](mlir::OpBuilder& inner, mlir::Location place) {
                     mlir::scf::YieldOp::create(inner, place, load_vector(inner, place));
                   },
                   [&](mlir::OpBuilder& inner, mlir::Location place) {
                     const Value zero = mlir::LLVM::ZeroOp::create(inner, place, type);
                     mlir::scf::YieldOp::create(inner, place, zero);
                   })
                   .getResult(0);
    } else {
      loaded = load_vector(builder, builder.getLoc());
    }
    if (repeats) return std::vector<Value>(count, number_of(loaded));
    for (const Value value : elements_of(loaded)) all.push_back(number_of(value));
  }
  return all;
}

}  // namespace heddle::compiler
