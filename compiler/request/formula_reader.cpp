#include "compiler/request/formula_reader.h"

#include <algorithm>

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace heddle::compiler {
namespace {

using instruction::ElementType;

// The loop of each dimension of an operand; nothing when a dimension is no loop of its own.
std::optional<std::vector<int>> loops_of(mlir::AffineMap map) {
  std::vector<int> loops;
  for (const mlir::AffineExpr expression : map.getResults()) {
    const auto loop = mlir::dyn_cast<mlir::AffineDimExpr>(expression);
    if (!loop || std::ranges::count(loops, static_cast<int>(loop.getPosition())) != 0)
      return std::nullopt;
    loops.push_back(static_cast<int>(loop.getPosition()));
  }
  return loops;
}

std::vector<int> counted(std::size_t count) {
  std::vector<int> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<int>(i);
  return numbers;
}

bool reads(const Element& element, int source) {
  return std::ranges::any_of(element.leaves,
                             [&](const Leaf& leaf) { return leaf.source == source; });
}

std::string words(mlir::Operation* operation) { return operation->getName().getStringRef().str(); }

}  // namespace

mlir::Location place_of(mlir::Value value) {
  if (mlir::isa<mlir::BlockArgument>(value)) return value.getLoc();
  return value.getDefiningOp()->getLoc();
}

bool FormulaReader::refuse(mlir::Location place, std::string_view found,
                           std::string_view accepted) {
  diagnostics_.error(place, found, accepted);
  return false;
}

std::optional<Formula> FormulaReader::read() {
  if (!check_body()) return std::nullopt;
  for (mlir::BlockArgument argument : function_.getArguments()) {
    const auto shaped = mlir::dyn_cast<mlir::ShapedType>(argument.getType());
    const auto type = element_type(mlir::getElementTypeOrSelf(argument.getType()));
    Element element;
    if (shaped && shaped.hasRank() && type) {
      element = element_of({static_cast<int>(argument.getArgNumber()),
                            counted(static_cast<std::size_t>(shaped.getRank()))},
                           *type);
    }
    elements_[argument.getAsOpaquePointer()] = std::move(element);
  }
  for (mlir::Operation& operation : function_.getBody().front())
    if (!read_operation(operation)) return std::nullopt;
  if (!has_contraction_) {
    refuse(function_.getLoc(), "the function has no linalg.matmul", accepted_body);
    return std::nullopt;
  }
  if (!read_end() || !check_unused()) return std::nullopt;
  return std::move(formula_);
}

bool FormulaReader::check_body() {
  if (function_.isExternal())
    return refuse(function_.getLoc(), "the function has no body", accepted_body);
  if (function_.getBody().hasOneBlock()) return true;
  return refuse(function_.getLoc(), "the function has several blocks",
                "straight-line code: " + std::string(accepted_body));
}

bool FormulaReader::read_operation(mlir::Operation& operation) {
  if (mlir::isa<mlir::func::ReturnOp, mlir::tensor::DimOp, mlir::memref::DimOp,
                mlir::memref::DeallocOp>(operation))
    return true;
  if (mlir::isa<mlir::arith::ConstantOp>(operation)) {
    add_constant(operation.getResult(0), elements_[operation.getResult(0).getAsOpaquePointer()]);
    return true;
  }
  if (mlir::isa<mlir::tensor::EmptyOp, mlir::memref::AllocOp, mlir::memref::AllocaOp>(operation)) {
    elements_[operation.getResult(0).getAsOpaquePointer()] = {};
    return true;
  }
  if (auto linalg = mlir::dyn_cast<mlir::linalg::LinalgOp>(operation)) return read_linalg(linalg);
  return refuse(operation.getLoc(), "the operation " + words(&operation), accepted_body);
}

// The step of an operand's element at the loops' place. -1 for one that nothing wrote.
std::optional<int> FormulaReader::bind(mlir::OpOperand& operand, mlir::AffineMap map,
                                       Element& body) {
  const auto loops = loops_of(map);
  if (!loops) {
    refuse(operand.getOwner()->getLoc(),
           "an operand indexed by something else than loops of its own",
           "indexing maps such as affine_map<(m, n, k) -> (m, k)>");
    return std::nullopt;
  }
  const auto known = elements_.find(operand.get().getAsOpaquePointer());
  if (known == elements_.end() || !known->second.is_written()) return -1;
  return body.add_all(known->second, *loops);
}

// Why `operand`, which is read, has no formula.
bool FormulaReader::refuse_unwritten(mlir::Value operand, bool is_product) {
  const mlir::Type type = operand.getType();
  const mlir::Type element = mlir::getElementTypeOrSelf(type);
  const bool is_argument = mlir::isa<mlir::BlockArgument>(operand);
  const auto shaped = mlir::dyn_cast<mlir::ShapedType>(type);
  if (!element_type(element))
    return refuse(place_of(operand),
                  "elements of " + printed(element) + ", in " +
                      (is_argument ? "an argument of " : "a value of ") + printed(type),
                  "elements of " + std::string(accepted_element_types));
  if (is_argument && !shaped)
    return refuse(place_of(operand), "a scalar function argument of " + printed(type),
                  "tensors and memrefs, and numbers that are arith.constant");
  if (is_argument)
    return refuse(place_of(operand), "an argument of " + printed(type),
                  "tensors and memrefs with a rank");
  if (operand.getDefiningOp<mlir::arith::ConstantOp>())
    return refuse(place_of(operand), "a constant of several values",
                  "an arith.constant of one value, and function arguments");
  return refuse(place_of(operand),
                is_product ? "inputs that nothing wrote" : "a value that nothing wrote",
                "a function argument, or what an operation before computed");
}

std::vector<std::int64_t> FormulaReader::sizes_of(mlir::Value value) const {
  if (const auto known = sizes_.find(value.getAsOpaquePointer()); known != sizes_.end())
    return known->second;
  const auto shaped = mlir::dyn_cast<mlir::ShapedType>(value.getType());
  if (!shaped || !shaped.hasRank()) return {};
  std::vector<std::int64_t> sizes(shaped.getShape().begin(), shaped.getShape().end());
  for (std::int64_t& size : sizes)
    if (mlir::ShapedType::isDynamic(size)) size = -1;
  return sizes;
}

// Whether each loop is as long wherever it runs, as far as that is known: MLIR's verifier looks at
// operations alone that have no dynamic size. What one operand tells is then known of the others.
bool FormulaReader::check_sizes(mlir::linalg::LinalgOp operation) {
  struct Known {
    std::int64_t size = -1;
    unsigned operand = 0, dimension = 0;
  };
  std::vector<Known> known(operation.getNumLoops());
  for (mlir::OpOperand& operand : operation->getOpOperands()) {
    const auto loops = loops_of(operation.getMatchingIndexingMap(&operand));
    if (!loops) continue;  // refused where it is bound
    const std::vector<std::int64_t> sizes = sizes_of(operand.get());
    for (unsigned i = 0; i < sizes.size() && i < loops->size(); ++i) {
      Known& loop = known[static_cast<std::size_t>((*loops)[i])];
      if (sizes[i] < 0) continue;
      if (loop.size < 0) loop = {sizes[i], operand.getOperandNumber(), i};
      if (loop.size == sizes[i]) continue;
      const auto words_of = [](std::int64_t size, unsigned number, unsigned dimension) {
        return std::to_string(size) + " in dimension " + std::to_string(dimension) +
               " of operand " + std::to_string(number);
      };
      return refuse(operation->getLoc(),
                    words(operation) + " over " +
                        words_of(loop.size, loop.operand, loop.dimension) + " and over " +
                        words_of(sizes[i], operand.getOperandNumber(), i),
                    "equal sizes where one loop runs");
    }
  }
  const auto tell = [&](mlir::Value value, mlir::AffineMap map) {
    std::vector<std::int64_t> sizes;
    if (const auto loops = loops_of(map))
      for (const int loop : *loops) sizes.push_back(known[static_cast<std::size_t>(loop)].size);
    sizes_[value.getAsOpaquePointer()] = std::move(sizes);
  };
  for (mlir::OpOperand& operand : operation->getOpOperands())
    tell(operand.get(), operation.getMatchingIndexingMap(&operand));
  for (const mlir::Value result : operation->getResults())
    tell(result, operation.getMatchingIndexingMap(operation.getDpsInitOperand(0)));
  return true;
}

bool FormulaReader::read_linalg(mlir::linalg::LinalgOp operation) {
  const mlir::Location place = operation->getLoc();
  if (operation.getNumDpsInits() != 1)
    return refuse(place, words(operation) + " with several results", "one result");
  const bool is_product = operation.getNumReductionLoops() != 0;
  if (is_product && has_contraction_)
    return refuse(place, "a second " + words(operation), accepted_body);
  if (!check_sizes(operation)) return false;
  Element body;
  std::vector<int> bound;
  for (mlir::OpOperand& operand : operation->getOpOperands()) {
    if (is_product && operation.isDpsInit(&operand)) {
      const auto type = element_type(mlir::getElementTypeOrSelf(operand.get().getType()));
      bound.push_back(type ? body.add_leaf({Leaf::running_sum, {}}, *type) : -1);
      continue;
    }
    const auto step = bind(operand, operation.getMatchingIndexingMap(&operand), body);
    if (!step) return false;
    bound.push_back(*step);
  }
  const mlir::OpOperand* result = operation.getDpsInitOperand(0);
  const auto loops = loops_of(operation.getMatchingIndexingMap(operation.getDpsInitOperand(0)));
  if (!loops || loops->size() + operation.getNumReductionLoops() != operation.getNumLoops()) {
    return refuse(place, words(operation) + " that writes elements more than once",
                  "a result indexed by all parallel loops");
  }
  // linalg.map has no arguments for its result.
  mlir::Block& region = operation->getRegion(0).front();
  while (bound.size() > region.getNumArguments()) bound.pop_back();
  for (unsigned i = 0; i < region.getNumArguments(); ++i) {
    const mlir::Value operand = operation->getOperand(i);
    if (bound[i] >= 0 || region.getArgument(i).use_empty()) continue;
    return refuse_unwritten(operand, is_product);
  }
  const auto root = evaluate(region, bound, body, diagnostics_);
  if (!root) return false;
  if (is_product) return read_contraction(operation, body, *root, *loops);
  // From loops to the dimensions of the result.
  std::vector<int> dims(loops->size());
  for (std::size_t i = 0; i < dims.size(); ++i)
    dims[static_cast<std::size_t>((*loops)[i])] = static_cast<int>(i);
  Element element;
  element.add_all(body.part(*root), dims);
  (void)result;
  return write(operation, std::move(element));
}

bool FormulaReader::write(mlir::linalg::LinalgOp operation, Element element) {
  const mlir::Value target = operation.getDpsInits()[0];
  if (operation->getNumResults() == 1) {
    elements_[operation->getResult(0).getAsOpaquePointer()] = std::move(element);
    return true;
  }
  elements_[target.getAsOpaquePointer()] = std::move(element);
  if (mlir::isa<mlir::BlockArgument>(target) && std::ranges::count(written_, target) == 0)
    written_.push_back(target);
  return true;
}

bool FormulaReader::read_contraction(mlir::linalg::LinalgOp operation, const Element& body,
                                     int root, const std::vector<int>& loops) {
  constexpr std::string_view accepted =
      "a sum over one loop: the result, unscaled, plus a product of two operands, each perhaps "
      "with casts and "
      "constants";
  const mlir::Location place = operation->getLoc();
  const auto node = [&](int at) -> const Node& { return body.nodes[static_cast<std::size_t>(at)]; };
  const auto is_sum = [&](int at) {
    return node(at).step == Step::input &&
           body.leaves[static_cast<std::size_t>(node(at).index)].source == Leaf::running_sum;
  };
  const auto refused = [&] {
    return refuse(place, words(operation) + " that is no matmul", accepted);
  };
  if (operation.getNumReductionLoops() != 1 || node(root).step != Step::add) return refused();
  const auto [x, y, unused] = node(root).operands;
  const int product = is_sum(x) ? y : x;
  if (is_sum(x) == is_sum(y) || node(product).step != Step::multiply) return refused();
  ContractionFormula& contraction = formula_.contraction;
  contraction.operation = operation;
  contraction.type = node(root).type;
  contraction.loops = loops;
  for (int side = 0; side < 2; ++side) {
    Element factor = body.part(node(product).operands[static_cast<std::size_t>(side)]);
    if (reads(factor, Leaf::running_sum)) return refused();
    contraction.factors[side] = std::move(factor);
    contraction.operands[side] = operation->getOperand(static_cast<unsigned>(side));
  }
  const auto kinds = operation.getIteratorTypesArray();
  contraction.reduction = static_cast<int>(
      std::ranges::find(kinds, mlir::utils::IteratorType::reduction) - kinds.begin());
  const mlir::Value initial = operation.getDpsInits()[0];
  contraction.initial = elements_[initial.getAsOpaquePointer()];
  if (!contraction.initial.is_written()) {
    if (mlir::isa<mlir::BlockArgument>(initial)) return refuse_unwritten(initial, true);
    return refuse(place_of(initial), "an initial value that nothing wrote",
                  "a function argument, or a linalg.fill with a constant");
  }
  has_contraction_ = true;
  Element sum;
  sum.add_leaf({Leaf::product, counted(loops.size())}, contraction.type);
  return write(operation, std::move(sum));
}

// The formula of what is returned, or of the memref argument that was written.
bool FormulaReader::read_end() {
  mlir::Operation* end = function_.getBody().front().getTerminator();
  mlir::Value result;
  if (formula_.contraction.operation->getNumResults() == 1) {
    if (!written_.empty()) {
      return refuse(formula_.contraction.operation->getLoc(), "a mixture of tensors and memrefs",
                    "all operands tensors, or all memrefs");
    }
    if (end->getNumOperands() != 1)
      return refuse(end->getLoc(), "a return of something else",
                    "one value computed from the matmul's");
    result = end->getOperand(0);
  } else {
    if (end->getNumOperands() != 0) {
      return refuse(end->getLoc(), "a returned value",
                    "a return without values: memrefs are updated in place");
    }
    if (written_.empty()) {
      return refuse(formula_.contraction.operation->getLoc(),
                    "a result that is not a function argument", "a memref argument as the result");
    }
    if (written_.size() > 1) {
      return refuse(formula_.contraction.operation->getLoc(),
                    "several memref arguments that are written",
                    "one result, with memref.alloc for what is in between");
    }
    result = written_[0];
    formula_.written = static_cast<int>(mlir::cast<mlir::BlockArgument>(result).getArgNumber());
  }
  formula_.place = result;
  formula_.type = mlir::dyn_cast<mlir::ShapedType>(result.getType());
  formula_.result = elements_[result.getAsOpaquePointer()];
  if (formula_.type && reads(formula_.result, Leaf::product)) {
    Element& element = formula_.result;
    if (element.root().type == ElementType::b1)
      element.add({Step::convert_unsigned,
                   stored_type(ElementType::b1),
                   {static_cast<int>(element.nodes.size()) - 1}});
    return true;
  }
  return refuse(end->getLoc(), "a return of something else",
                "one value computed from the matmul's");
}

// What is computed and not used was a mistake. Memrefs that are written are not followed so far.
bool FormulaReader::check_unused() {
  for (mlir::Operation& operation : function_.getBody().front()) {
    if (!mlir::isa<mlir::linalg::LinalgOp>(operation) || operation.getNumResults() != 1 ||
        !operation.getResult(0).use_empty())
      continue;
    return refuse(operation.getLoc(), words(&operation) + " whose result is not used",
                  accepted_body);
  }
  return true;
}

}  // namespace heddle::compiler
