#include "compiler/nvidia/result_elements.h"

#include <algorithm>

#include "compiler/kernel/expression_code.h"

namespace heddle::compiler {
namespace {

using mlir::Value;

bool has_edge(const Extent& size, int tile) { return !size.is_known() || size.known % tile != 0; }

}  // namespace

Value ResultElements::is_inside(const MatrixPlace& at) const {
  const GlobalMatrix& d = matrices_.d;
  Value valid;
  if (has_edge(d.rows, rows_)) valid = context_.less(context_.add(at.row, at.down), d.rows);
  if (has_edge(d.columns, columns_))
    valid = context_.both(valid, context_.less(context_.add(at.column, at.right), d.columns));
  return valid;
}

std::vector<Value> ResultElements::load(const GlobalMatrix& matrix, const MatrixPlace& at,
                                        std::size_t count, bool everywhere) const {
  const auto inside = [&](const MatrixPlace& place) {
    return everywhere ? is_inside(place) : Value();
  };
  const auto is_in_place = [&](const GlobalMatrix& result) {
    return result.argument == matrix.argument;
  };
  return context_.load(
      matrix, at, count, inside,
      is_in_place(matrices_.d) || std::ranges::any_of(matrices_.further, is_in_place));
}

std::vector<Value> ResultElements::rounded(llvm::ArrayRef<Value> sums,
                                           const MatrixPlace& at) const {
  std::vector<Value> values(sums.begin(), sums.end());
  if (matrices_.c.pointer) {
    const std::vector<Value> added = load(matrices_.c, at, values.size(), true);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = epilogue_.sum(values[i], added[i]);
  }
  for (Value& value : values) value = epilogue_.rounded(value);
  return values;
}

std::vector<std::vector<Value>> ResultElements::finished(llvm::ArrayRef<Value> values,
                                                         const MatrixPlace& at,
                                                         bool everywhere) const {
  std::vector<std::vector<Value>> inputs;
  for (const Value value : values) inputs.push_back({value});
  for (const GlobalMatrix& extra : matrices_.extras) {
    const std::vector<Value> read = load(extra, at, values.size(), everywhere);
    for (std::size_t i = 0; i < values.size(); ++i) inputs[i].push_back(read[i]);
  }
  std::vector<std::vector<Value>> results(1 + matrices_.further.size());
  for (const std::vector<Value>& each : inputs) {
    const std::vector<Value> of_each = epilogue_.finished(each);
    for (std::size_t i = 0; i < results.size(); ++i) results[i].push_back(of_each[i]);
  }
  return results;
}

}  // namespace heddle::compiler
