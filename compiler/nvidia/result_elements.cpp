#include "compiler/nvidia/result_elements.h"

#include <algorithm>
#include <bit>

#include "compiler/kernel/expression_code.h"

namespace heddle::compiler {
namespace {

using mlir::Value;

bool has_edge(const Extent& size, int tile) { return !size.is_known() || size.known % tile != 0; }

}  // namespace

bool ResultElements::fits(const GlobalMatrix& matrix, int bits) {
  const std::int64_t count = std::int64_t{1} << bits;
  const std::int64_t bytes = count * matrix.element_bytes();
  const auto divides = [](std::int64_t divisor, const Extent& number) {
    return number.is_known() && number.known % divisor == 0;
  };
  const auto all = [&](const AxisExtent& axis, bool with_step) {
    return (!with_step || divides(bytes, axis.step)) &&
           std::ranges::all_of(axis.jumps, [&](const AxisExtent::Jump& jump) {
             return divides(bytes, jump.elements);
           });
  };
  const Extent& step = matrix.column.step;
  return !matrix.pointer ||
         (step.is_known() && step.known == matrix.element_bytes() &&
          divides(count, matrix.columns) && matrix.column.is_linear_in(count) &&
          all(matrix.column, false) && all(matrix.row, true) && all(matrix.batch, true) &&
          matrix.offset_bytes % bytes == 0 && bytes <= 16);
}

Value ResultElements::is_inside(const ResultPlace& at) const {
  const GlobalMatrix& d = matrices_.d;
  Value valid;
  if (has_edge(d.rows, rows_)) valid = context_.less(context_.add(at.m, at.down), d.rows);
  if (has_edge(d.columns, columns_))
    valid = context_.both(valid, context_.less(context_.add(at.n, at.right), d.columns));
  return valid;
}

Value ResultElements::pointer(const GlobalMatrix& matrix, const ResultPlace& at) const {
  const bool linear = matrix.row.is_linear() && matrix.column.is_linear();
  const Value m = linear ? at.m : context_.add(at.m, at.down);
  const Value n = linear ? at.n : context_.add(at.n, at.right);
  const Value row = context_.further(matrix.pointer, context_.place(matrix.row, m));
  const Value first = context_.further(row, context_.place(matrix.column, n));
  if (!linear) return first;
  return context_.further(first, context_.plus(context_.times(matrix.row.step, at.down),
                                               context_.times(matrix.column.step, at.right)));
}

mlir::Type ResultElements::number(instruction::ElementType type) const {
  return number_type(context_.builder.getContext(), type);
}

std::vector<Value> ResultElements::elements_of(int count, Value vector) const {
  std::vector<Value> all;
  for (int i = 0; i < count; ++i)
    all.push_back(
        mlir::LLVM::ExtractElementOp::create(context_.builder, vector, context_.constant(i)));
  return all;
}

Value ResultElements::vector_of(mlir::Type type, llvm::ArrayRef<Value> values) const {
  Value all = mlir::LLVM::PoisonOp::create(context_.builder, type);
  for (std::size_t i = 0; i < values.size(); ++i)
    all = mlir::LLVM::InsertElementOp::create(context_.builder, all, values[i],
                                              context_.constant(static_cast<std::int64_t>(i)));
  return all;
}

// As wide as rows are aligned. Outside D, the first of the matrix are read for any others.
std::vector<Value> ResultElements::load(const GlobalMatrix& matrix, const ResultPlace& at,
                                        std::size_t count, bool everywhere) const {
  int bits = std::countr_zero(count);
  while (bits > 0 && !fits(matrix, bits)) --bits;
  const std::int64_t width = std::int64_t{1} << bits;
  const mlir::Type element = number(matrix.element);
  const mlir::Type type = bits == 0 ? element : mlir::VectorType::get({width}, element);
  std::vector<Value> all;
  for (ResultPlace place = at; all.size() < count; place.right += width) {
    Value from = pointer(matrix, place);
    if (const Value inside = everywhere ? is_inside(place) : Value())
      from = context_.select(inside, from, matrix.pointer);
    const auto align = static_cast<unsigned>(width * matrix.element_bytes());
    const Value loaded = mlir::LLVM::LoadOp::create(context_.builder, type, from, align);
    if (bits == 0) {
      all.push_back(loaded);
    } else {
      for (const Value value : elements_of(static_cast<int>(width), loaded)) all.push_back(value);
    }
  }
  return all;
}

std::vector<Value> ResultElements::rounded(llvm::ArrayRef<Value> sums,
                                           const ResultPlace& at) const {
  std::vector<Value> values(sums.begin(), sums.end());
  if (matrices_.c.pointer) {
    const std::vector<Value> added = load(matrices_.c, at, values.size(), true);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = epilogue_.sum(values[i], added[i]);
  }
  for (Value& value : values) value = epilogue_.rounded(value);
  return values;
}

std::vector<Value> ResultElements::finished(llvm::ArrayRef<Value> values, const ResultPlace& at,
                                            bool everywhere) const {
  std::vector<std::vector<Value>> inputs;
  for (const Value value : values) inputs.push_back({value});
  for (const GlobalMatrix& extra : matrices_.extras) {
    const std::vector<Value> read = load(extra, at, values.size(), everywhere);
    for (std::size_t i = 0; i < values.size(); ++i) inputs[i].push_back(read[i]);
  }
  std::vector<Value> results;
  for (const std::vector<Value>& each : inputs) results.push_back(epilogue_.finished(each));
  return results;
}

}  // namespace heddle::compiler
