#include "compiler/nvidia/result_elements.h"

#include <algorithm>

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

// Outside D, the first element of the matrix is read for any other.
std::vector<Value> ResultElements::load(const GlobalMatrix& matrix, const ResultPlace& at,
                                        std::size_t count, Value inside) const {
  Value from = pointer(matrix, at);
  if (inside) from = context_.select(inside, from, matrix.pointer);
  const mlir::Type element = number(matrix.element);
  const bool is_one = count == 1;
  const mlir::Type type =
      is_one ? element : mlir::VectorType::get({static_cast<std::int64_t>(count)}, element);
  const auto align = static_cast<unsigned>(count) * static_cast<unsigned>(matrix.element_bytes());
  const Value loaded = mlir::LLVM::LoadOp::create(context_.builder, type, from, align);
  if (is_one) return {loaded};
  return elements_of(static_cast<int>(count), loaded);
}

std::vector<Value> ResultElements::rounded(llvm::ArrayRef<Value> sums,
                                           const ResultPlace& at) const {
  std::vector<Value> values(sums.begin(), sums.end());
  if (matrices_.c.pointer) {
    const std::vector<Value> added = load(matrices_.c, at, values.size(), is_inside(at));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = epilogue_.sum(values[i], added[i]);
  }
  for (Value& value : values) value = epilogue_.rounded(value);
  return values;
}

std::vector<Value> ResultElements::finished(llvm::ArrayRef<Value> values, const ResultPlace& at,
                                            Value inside) const {
  std::vector<Value> results;
  for (std::size_t i = 0; i < values.size(); ++i) {
    ResultPlace place = at;
    place.right += static_cast<std::int64_t>(i);
    std::vector<Value> inputs{values[i]};
    for (const GlobalMatrix& extra : matrices_.extras)
      inputs.push_back(load(extra, place, 1, inside).front());
    results.push_back(epilogue_.finished(inputs));
  }
  return results;
}

}  // namespace heddle::compiler
