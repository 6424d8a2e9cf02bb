// Operations of arith and math on whole tensors, and on numbers that stand for all elements.
#include "compiler/reader/element_steps.h"
#include "compiler/reader/formula_reader.h"
#include "compiler/reader/values.h"

namespace heddle::compiler {
namespace {

bool is_tensor(mlir::Value value) { return mlir::isa<mlir::ShapedType>(value.getType()); }

}  // namespace

TensorFormula FormulaReader::tensor(mlir::Value value) {
  compute(value);
  const auto known = tensors_.find(value.getAsOpaquePointer());
  return known != tensors_.end() ? known->second : unwritten(value.getType());
}

std::vector<Parts> FormulaReader::dims_of(mlir::Value value) const {
  if (const auto later = later_.find(value.getAsOpaquePointer()); later != later_.end())
    return later->second.dims;
  const auto known = tensors_.find(value.getAsOpaquePointer());
  return known != tensors_.end() ? known->second.dims : unwritten(value.getType()).dims;
}

bool FormulaReader::is_written(mlir::Value value) const {
  const auto known = tensors_.find(value.getAsOpaquePointer());
  return later_.contains(value.getAsOpaquePointer()) ||
         (known != tensors_.end() && known->second.element.is_written());
}

// Makes the formula of `value` if it was left for later: each operation on the way to it adds its
// steps once, after those of its operands.
void FormulaReader::compute(mlir::Value value) {
  const auto found = later_.find(value.getAsOpaquePointer());
  if (found == later_.end()) return;
  Element all;
  ElementSteps steps(all);
  std::map<const void*, int> roots;
  std::vector<std::pair<mlir::Value, std::size_t>> way{{value, 0}};  // and the next of its leaves
  while (!way.empty()) {
    auto& [here, next] = way.back();
    const auto later = later_.find(here.getAsOpaquePointer());
    const auto operand = [&](const Leaf& leaf) {
      return later->second.operands[static_cast<std::size_t>(leaf.source)];
    };
    int root = 0;
    if (later == later_.end()) {
      root = steps.add_all(tensors_.at(here.getAsOpaquePointer()).element);
    } else if (const auto& leaves = later->second.steps.leaves; next < leaves.size()) {
      const mlir::Value read = operand(leaves[next++]);
      if (!roots.contains(read.getAsOpaquePointer())) way.emplace_back(read, 0);
      continue;
    } else {
      root = steps.add_all(later->second.steps, [&](const Leaf& leaf, instruction::ElementType) {
        return roots.at(operand(leaf).getAsOpaquePointer());
      });
    }
    roots[here.getAsOpaquePointer()] = root;
    way.pop_back();
  }
  tensors_[value.getAsOpaquePointer()] = {all.part(roots.at(value.getAsOpaquePointer())),
                                          found->second.dims};
  later_.erase(found);
}

bool FormulaReader::read_elementwise(mlir::Operation& operation) {
  const mlir::Value written = operation.getResult(0);
  std::vector<Parts> dims = unwritten(written.getType()).dims;
  for (const mlir::Value operand : operation.getOperands()) {
    if (!is_tensor(operand)) continue;
    const std::vector<Parts> read = dims_of(operand);
    if (read.size() != dims.size())
      return refuse(place_of(operand), "a value of " + printed(operand.getType()),
                    "tensors with a rank");
    for (std::size_t dim = 0; dim < dims.size(); ++dim) {
      const auto common = common_parts(dims[dim], read[dim]);
      if (!common)
        return refuse(operation.getLoc(),
                      spelling(operation) + " over dimensions that were reshaped in different ways",
                      "reshapes of which one splits what the other does");
      dims[dim] = *common;
    }
  }
  const std::vector<mlir::Value> operands(operation.operand_begin(), operation.operand_end());
  LaterFormula later{{}, operands, dims};
  std::vector<int> bound;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (!is_written(operands[i])) return refuse_unwritten(operands[i], false);
    const Leaf leaf{static_cast<int>(i), {}};
    bound.push_back(later.steps.add_leaf(leaf, *computed_type(operands[i].getType())));
  }
  const auto root = evaluate(operation, bound, later.steps, diagnostics_);
  if (!root) return false;
  later.steps = later.steps.part(*root);
  const bool has_same_parts = llvm::all_of(operands, [&](mlir::Value operand) {
    return !is_tensor(operand) || dims_of(operand) == dims;
  });
  if (has_same_parts) {
    later_[written.getAsOpaquePointer()] = std::move(later);
    return true;
  }
  Element element;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const TensorFormula read = tensor(operands[i]);
    const Element moved = is_tensor(operands[i]) ? read.with_parts(dims).element : read.element;
    bound[i] = ElementSteps(element).add_all(moved);
  }
  const int made =
      ElementSteps(element).add_all(later.steps, [&](const Leaf& leaf, instruction::ElementType) {
        return bound[static_cast<std::size_t>(leaf.source)];
      });
  tensors_[written.getAsOpaquePointer()] = {element.part(made), dims};
  return true;
}

// A number that is computed from scalar arguments and constants is a formula without coordinates.
// In a loop it may depend on the step, which formulas of numbers do not know.
void FormulaReader::read_number(mlir::Operation& operation) {
  if (operation.getNumResults() != 1 || !counters_.empty()) return;
  Element element;
  std::vector<int> bound;
  for (const mlir::Value operand : operation.getOperands()) {
    if (!is_written(operand)) return;
    bound.push_back(ElementSteps(element).add_all(tensor(operand).element));
  }
  Diagnostics unheard("");  // of numbers that no element may need
  const auto root = evaluate(operation, bound, element, unheard);
  if (root) tensors_[operation.getResult(0).getAsOpaquePointer()] = {element.part(*root), {}};
}

}  // namespace heddle::compiler
