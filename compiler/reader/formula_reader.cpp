#include "compiler/reader/formula_reader.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "compiler/memory_type.h"
#include "compiler/reader/factors.h"
#include "compiler/reader/reshape.h"
#include "compiler/reader/values.h"
#include "library/text/formatted.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace heddle::compiler {
namespace {

using instruction::ElementType;

// For each dimension of an operand, the number of the loop that indexes it; -1 if none does alone.
std::vector<int> loops_of(mlir::AffineMap map) {
  std::vector<int> loops;
  for (const mlir::AffineExpr expression : map.getResults()) {
    const auto loop = mlir::dyn_cast<mlir::AffineDimExpr>(expression);
    loops.push_back(loop ? static_cast<int>(loop.getPosition()) : -1);
  }
  return loops;
}

// The index of a dimension if it is a loop counter divided by a constant. Scales that several
// neighbouring elements share are indexed like this.
struct Quotient {
  std::size_t loop;
  std::int64_t divisor;
};

std::optional<Quotient> quotient_of(mlir::AffineExpr expression) {
  const auto divided = mlir::dyn_cast<mlir::AffineBinaryOpExpr>(expression);
  if (!divided || divided.getKind() != mlir::AffineExprKind::FloorDiv) return std::nullopt;
  const auto loop = mlir::dyn_cast<mlir::AffineDimExpr>(divided.getLHS());
  const auto divisor = mlir::dyn_cast<mlir::AffineConstantExpr>(divided.getRHS());
  if (!loop || !divisor || divisor.getValue() < 2) return std::nullopt;
  return Quotient{loop.getPosition(), divisor.getValue()};
}

// The number of outer parts of a loop that together count the quotient loop / divisor. The sizes of
// the other, inner parts multiply to the divisor.
std::size_t parts_of_quotient(const Parts& loop, std::int64_t divisor) {
  std::size_t count = loop.size();
  for (std::int64_t inner = 1; count > 0 && inner < divisor;) inner *= loop[--count];
  return count;
}

// The number of the first coordinate of `loop`, if the parts of all loops are numbered in order.
int first_of(const std::vector<Parts>& loops, int loop) {
  std::size_t count = 0;
  for (int i = 0; i < loop; ++i) count += loops[static_cast<std::size_t>(i)].size();
  return static_cast<int>(count);
}

std::string words(mlir::Operation* operation) { return spelling(*operation); }

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
    const auto type = computed_type(argument.getType());
    TensorFormula tensor = unwritten(argument.getType());
    if (type && (!shaped || shaped.hasRank())) {
      tensor.element = element_of(
          {static_cast<int>(argument.getArgNumber()), identity(tensor.dims.size())}, *type);
    }
    tensors_[argument.getAsOpaquePointer()] = std::move(tensor);
  }
  for (mlir::Operation& operation : function_.getBody().front())
    if (!read_operation(operation)) return std::nullopt;
  if (!has_contraction_) {
    refuse(function_.getLoc(), "the function has no linalg.matmul", accepted_body);
    return std::nullopt;
  }
  if (!read_end()) return std::nullopt;
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
  if (mlir::isa<mlir::func::ReturnOp, mlir::tensor::DimOp, mlir::cf::AssertOp>(operation))
    return true;
  if (mlir::isa<mlir::arith::ConstantOp>(operation)) {
    TensorFormula tensor = unwritten(operation.getResult(0).getType());
    add_constant(operation.getResult(0), tensor.element);
    tensors_[operation.getResult(0).getAsOpaquePointer()] = std::move(tensor);
    return true;
  }
  if (auto empty = mlir::dyn_cast<mlir::tensor::EmptyOp>(operation)) {
    TensorFormula tensor = unwritten(empty.getType());
    for (std::size_t i = 0; i < tensor.dims.size(); ++i)
      if (tensor.dims[i] == Parts{-1})
        tensor.dims[i] = {
            std::max<std::int64_t>(numbers_.constant(empty.getMixedSizes()[i]).value_or(-1), -1)};
    tensors_[empty.getResult().getAsOpaquePointer()] = std::move(tensor);
    return true;
  }
  if (auto store = mlir::dyn_cast<mlir::bufferization::MaterializeInDestinationOp>(operation);
      store && operation.getNumResults() == 1) {
    tensors_[store->getResult(0).getAsOpaquePointer()] = tensor(store.getSource());
    return true;
  }
  if (auto linalg = mlir::dyn_cast<mlir::linalg::LinalgOp>(operation)) return read_linalg(linalg);
  if (mlir::isa<mlir::scf::ForOp, mlir::scf::ForallOp>(operation) && operation.getNumResults() != 0)
    return read_loop(mlir::cast<mlir::LoopLikeOpInterface>(operation));
  if (auto insert = mlir::dyn_cast<mlir::tensor::InsertSliceOp>(operation))
    return read_insertion(insert);
  if (is_reshape(operation)) return read_reshape(operation);
  if (operation.hasTrait<mlir::OpTrait::Elementwise>() && operation.getNumResults() == 1 &&
      mlir::isa<mlir::RankedTensorType>(operation.getResult(0).getType()))
    return read_elementwise(operation);
  // Arithmetic on sizes and numbers. An element that is computed from a size is refused where it is
  // used.
  const auto is_scalar = [](mlir::Type type) { return type.isIntOrIndexOrFloat(); };
  if (operation.getNumRegions() == 0 && mlir::isMemoryEffectFree(&operation) &&
      llvm::all_of(operation.getOperandTypes(), is_scalar) &&
      llvm::all_of(operation.getResultTypes(), is_scalar)) {
    numbers_.read(operation);
    read_number(operation);
    return true;
  }
  return refuse(operation.getLoc(), "the operation " + words(&operation), accepted_body);
}

bool FormulaReader::read_reshape(mlir::Operation& operation) {
  const auto over = standing_over_.find(operation.getOperand(0).getAsOpaquePointer());
  const bool is_over = over != standing_over_.end() && mlir::isa<mlir::linalg::PackOp>(operation);
  auto result = reshaped(operation, is_over ? over->second : tensor(operation.getOperand(0)),
                         numbers_, diagnostics_);
  if (!result) return false;
  const mlir::Value value = operation.getResult(0);
  auto& known = mlir::isa<mlir::linalg::UnPackOp>(operation) && stands_over(*result, value)
                    ? standing_over_
                    : tensors_;
  known[value.getAsOpaquePointer()] = *std::move(result);
  return true;
}

// The formula of a scalar function argument that a body reads.
const Element* FormulaReader::captured(mlir::Value value) const {
  const auto known = tensors_.find(value.getAsOpaquePointer());
  const bool has = known != tensors_.end() && !mlir::isa<mlir::ShapedType>(value.getType()) &&
                   known->second.element.is_written();
  return has ? &known->second.element : nullptr;
}

// Adds to `body` the step that reads an element of `operand`, whose index is `map` of the loops.
// Returns its number; -1 if the operand was never written; null if the index is refused.
std::optional<int> FormulaReader::bind(mlir::OpOperand& operand, mlir::AffineMap map,
                                       const std::vector<Parts>& loops, Element& body) {
  TensorFormula read = tensor(operand.get());
  std::vector<Index> of_loops;
  int first = 0;
  for (const Parts& parts : loops) {
    of_loops.push_back(joined(parts, first));
    first += static_cast<int>(parts.size());
  }
  std::vector<Parts> parts = read.dims;
  std::vector<int> counting = loops_of(map);  // the loops whose parts count through a dimension
  for (std::size_t i = 0; i < counting.size(); ++i) {
    if (counting[i] >= 0) parts[i] = loops[static_cast<std::size_t>(counting[i])];
    const auto quotient = quotient_of(map.getResult(static_cast<unsigned>(i)));
    if (!quotient) continue;
    counting[i] = static_cast<int>(quotient->loop);
    parts[i] = loops[quotient->loop];
    parts[i].resize(parts_of_quotient(parts[i], quotient->divisor));
  }
  read = read.with_parts(parts);
  std::vector<Index> places;
  for (std::size_t i = 0; i < counting.size(); ++i) {
    if (counting[i] >= 0) {
      int coordinate = first_of(loops, counting[i]);
      for (std::size_t part = 0; part < parts[i].size(); ++part)
        places.push_back(Index::of(coordinate++));
      continue;
    }
    const auto index = linear(map.getResult(static_cast<unsigned>(i)), map.getNumDims(),
                              identity(map.getNumInputs()));
    if (!index || !index->is_place() || (parts[i].size() != 1 && *index != Index{})) {
      refuse(operand.getOwner()->getLoc(),
             "an operand indexed by something else than sums of multiples of loops",
             "indexing maps such as affine_map<(m, n, k) -> (m, k)>, "
             "affine_map<(y, x, r, c) -> (y * 2 + r, c)> and "
             "affine_map<(m, n, k) -> (m, k floordiv 128)>");
      return std::nullopt;
    }
    places.resize(places.size() + parts[i].size(), index->at(of_loops));
  }
  if (!read.element.is_written()) return -1;
  return body.add_all(read.element, places);
}

// True if nothing wrote `value`: MLIR then allows any elements.
bool FormulaReader::is_any(mlir::Value value) const {
  const auto known = tensors_.find(value.getAsOpaquePointer());
  return known != tensors_.end() && !known->second.element.is_written() &&
         !mlir::isa<mlir::BlockArgument>(value) &&
         element_type(mlir::getElementTypeOrSelf(value.getType())) &&
         !value.getDefiningOp<mlir::arith::ConstantOp>();
}

// Refuses `operand`, which is read although it has no formula, and reports why it has none.
bool FormulaReader::refuse_unwritten(mlir::Value operand, bool is_product) {
  const mlir::Type type = operand.getType();
  const mlir::Type element = mlir::getElementTypeOrSelf(type);
  const bool is_argument = mlir::isa<mlir::BlockArgument>(operand);
  const auto shaped = mlir::dyn_cast<mlir::ShapedType>(type);
  if (!element_type(element))
    return refuse(place_of(operand),
                  "elements of " + printed(element) + ", in " +
                      (is_argument ? "an argument of " : "a value of ") + printed(type),
                  accepted_elements(element));
  if (is_argument && !shaped)
    return refuse(place_of(operand), "a scalar function argument of " + printed(type),
                  "tensors and memrefs, and numbers that are arith.constant");
  if (is_argument)
    return refuse(place_of(operand), "an argument of " + printed(type),
                  "tensors and memrefs with a rank");
  if (operand.getDefiningOp<mlir::arith::ConstantOp>())
    return refuse(place_of(operand), "a constant whose values the text does not have",
                  "an arith.constant with its values, and function arguments");
  if (standing_over_.contains(operand.getAsOpaquePointer()))
    return refuse(place_of(operand), "linalg.unpack of a size that its tiles do not fill",
                  "known sizes, multiples of constant tiles; or linalg.pack of the result");
  return refuse(place_of(operand),
                is_product ? "inputs that nothing wrote" : "a value that nothing wrote",
                "a function argument, or what an operation before computed");
}

// Checks that each loop has the same length in all operands that it indexes, as far as their sizes
// are known. MLIR's verifier checks this only for operations without dynamic sizes. If one
// operand's size is known and another's is dynamic, the known size is recorded for the other too.
bool FormulaReader::check_sizes(mlir::linalg::LinalgOp operation) {
  struct Known {
    std::int64_t size = -1;
    unsigned operand = 0, dimension = 0;
  };
  std::vector<Known> known(operation.getNumLoops());
  for (mlir::OpOperand& operand : operation->getOpOperands()) {
    const std::vector<int> loops = loops_of(operation.getMatchingIndexingMap(&operand));
    const TensorFormula read = tensor(operand.get());
    for (unsigned i = 0; i < loops.size(); ++i) {
      const std::int64_t size = size_of(read.dims[i]);
      if (loops[i] < 0 || size < 0) continue;
      Known& loop = known[static_cast<std::size_t>(loops[i])];
      if (loop.size < 0) loop = {size, operand.getOperandNumber(), i};
      if (loop.size == size) continue;
      const auto words_of = [](std::int64_t size, unsigned number, unsigned dimension) {
        return formatted("{} in dimension {} of operand {}", size, dimension, number);
      };
      return refuse(operation->getLoc(),
                    words(operation) + " over " +
                        words_of(loop.size, loop.operand, loop.dimension) + " and over " +
                        words_of(size, operand.getOperandNumber(), i),
                    "equal sizes where one loop runs");
    }
  }
  for (mlir::OpOperand& operand : operation->getOpOperands()) {
    const std::vector<int> loops = loops_of(operation.getMatchingIndexingMap(&operand));
    TensorFormula read = tensor(operand.get());
    for (std::size_t i = 0; i < loops.size(); ++i)
      if (loops[i] >= 0 && read.dims[i] == Parts{-1})
        read.dims[i] = {known[static_cast<std::size_t>(loops[i])].size};
    tensors_[operand.get().getAsOpaquePointer()] = std::move(read);
  }
  return true;
}

// The length of a loop by the operands that it counts through; -1 if none gives it. Precondition:
// check_sizes.
std::int64_t FormulaReader::length_of(mlir::linalg::LinalgOp operation, int loop) {
  for (mlir::OpOperand& operand : operation->getOpOperands()) {
    const std::vector<int> loops = loops_of(operation.getMatchingIndexingMap(&operand));
    for (std::size_t i = 0; i < loops.size(); ++i) {
      const std::int64_t size = size_of(tensor(operand.get()).dims[i]);
      if (loops[i] == loop && size >= 0) return size;
    }
  }
  return -1;
}

// Splits each loop so that it refines every dimension that it indexes; null if that is refused.
std::optional<std::vector<Parts>> FormulaReader::parts_of_loops(mlir::linalg::LinalgOp operation) {
  std::vector<Parts> parts(operation.getNumLoops(), Parts{-1});
  for (mlir::OpOperand& operand : operation->getOpOperands()) {
    const std::vector<int> loops = loops_of(operation.getMatchingIndexingMap(&operand));
    const TensorFormula read = tensor(operand.get());
    const mlir::AffineMap map = operation.getMatchingIndexingMap(&operand);
    for (std::size_t i = 0; i < loops.size(); ++i) {
      const auto quotient = quotient_of(map.getResult(static_cast<unsigned>(i)));
      if (loops[i] < 0 && !quotient) continue;
      Parts& loop = parts[quotient ? quotient->loop : static_cast<std::size_t>(loops[i])];
      Parts own = read.dims[i];
      if (quotient) {
        std::int64_t length = 0;
        if (own.size() != 1 || __builtin_mul_overflow(own[0], quotient->divisor, &length) ||
            length != length_of(operation, static_cast<int>(quotient->loop)) || length < 0) {
          const std::int64_t size = length_of(operation, static_cast<int>(quotient->loop));
          refuse(
              operation->getLoc(),
              formatted("{} over a loop{} divided by {}, in dimension {} of {}", words(operation),
                        size < 0 ? " of unknown size" : formatted(" of {}", size),
                        quotient->divisor, i, printed(operand.get().getType())),
              formatted("known sizes, of which the loop's is {} times the dimension's",
                        quotient->divisor));
          return std::nullopt;
        }
        own.push_back(quotient->divisor);
      }
      const auto common = common_parts(loop, own);
      if (!common) {
        refuse(operation->getLoc(),
               words(operation) + " over dimensions that were reshaped in different ways",
               "reshapes of which one splits what the other does");
        return std::nullopt;
      }
      loop = *common;
    }
  }
  return parts;
}

bool FormulaReader::read_linalg(mlir::linalg::LinalgOp operation) {
  const mlir::Location place = operation->getLoc();
  if (operation.getNumDpsInits() != 1)
    return refuse(place, words(operation) + " with several results", "one result");
  const bool is_product = operation.getNumReductionLoops() != 0;
  if (is_product && has_contraction_)
    return refuse(place, "a second " + words(operation), accepted_body);
  if (!check_sizes(operation)) return false;
  const std::vector<int> written =
      loops_of(operation.getMatchingIndexingMap(operation.getDpsInitOperand(0)));
  const auto loops = parts_of_loops(operation);
  if (!loops) return false;
  // In a product, loops that do not index the result are summed over, even if the text calls them
  // parallel.
  std::set<int> distinct(written.begin(), written.end());
  const bool is_once = !distinct.contains(-1) && distinct.size() == written.size();
  for (std::size_t loop = 0; loop < loops->size(); ++loop)
    if (is_product || size_of((*loops)[loop]) == 1) distinct.insert(static_cast<int>(loop));
  if (!is_once || distinct.size() != loops->size()) {
    return refuse(place, words(operation) + " that writes elements more than once",
                  "a result indexed by all parallel loops");
  }
  Element body;
  std::vector<int> bound;
  for (mlir::OpOperand& operand : operation->getOpOperands()) {
    if (is_product && operation.isDpsInit(&operand)) {
      const auto type = element_type(mlir::getElementTypeOrSelf(operand.get().getType()));
      bound.push_back(type ? body.add_leaf({Leaf::running_sum, {}}, *type) : -1);
      continue;
    }
    const auto step = bind(operand, operation.getMatchingIndexingMap(&operand), *loops, body);
    if (!step) return false;
    bound.push_back(*step);
  }
  // linalg.map has no arguments for its result.
  mlir::Block& region = operation->getRegion(0).front();
  const auto moved = mlir::dyn_cast<mlir::BlockArgument>(region.getTerminator()->getOperand(0));
  if (moved && moved.getOwner() == &region && bound[moved.getArgNumber()] < 0 &&
      is_any(operation->getOperand(moved.getArgNumber()))) {
    write(operation, result_of(operation, *loops, {}));
    return true;
  }
  while (bound.size() > region.getNumArguments()) bound.pop_back();
  for (unsigned i = 0; i < region.getNumArguments(); ++i) {
    const mlir::Value operand = operation->getOperand(i);
    if (bound[i] >= 0 || region.getArgument(i).use_empty()) continue;
    return refuse_unwritten(operand, is_product);
  }
  std::vector<Index> numbers;
  for (std::size_t loop = 0; loop < loops->size(); ++loop)
    numbers.push_back(joined((*loops)[loop], first_of(*loops, static_cast<int>(loop))));
  const auto root = evaluate(
      region, bound, numbers, body, [&](mlir::Value value) { return captured(value); },
      diagnostics_);
  if (!root) return false;
  if (is_product) return read_contraction(operation, std::move(body), *root, *loops);
  write(operation, result_of(operation, *loops, body.part(*root)));
  return true;
}

// The result of `operation`, from a formula over its loops.
TensorFormula FormulaReader::result_of(mlir::linalg::LinalgOp operation,
                                       const std::vector<Parts>& loops,
                                       const Element& over_loops) const {
  TensorFormula result;
  std::size_t coordinates = 0;
  for (const Parts& parts : loops) coordinates += parts.size();
  std::vector<Index> places(coordinates);
  int next = 0;
  for (const int loop :
       loops_of(operation.getMatchingIndexingMap(operation.getDpsInitOperand(0)))) {
    const Parts& parts = loops[static_cast<std::size_t>(loop)];
    result.dims.push_back(parts);
    const auto first = static_cast<std::size_t>(first_of(loops, loop));
    for (std::size_t part = 0; part < parts.size(); ++part)
      places[first + part] = Index::of(next++);
  }
  result.element = over_loops.at(places);
  return result;
}

void FormulaReader::write(mlir::linalg::LinalgOp operation, TensorFormula tensor) {
  tensors_[operation->getResult(0).getAsOpaquePointer()] = std::move(tensor);
}

bool FormulaReader::read_contraction(mlir::linalg::LinalgOp operation, Element body, int root,
                                     const std::vector<Parts>& loops) {
  constexpr std::string_view accepted =
      "a sum over loops: the result, unscaled, plus a product of two operands, each perhaps with "
      "casts and constants; or the largest or smallest of the result and of elements";
  const mlir::Location place = operation->getLoc();
  const auto node = [&](int at) -> const Node& { return body.nodes[static_cast<std::size_t>(at)]; };
  const auto is_sum = [&](int at) {
    return node(at).step == Step::input &&
           body.leaves[static_cast<std::size_t>(node(at).index)].source == Leaf::running_sum;
  };
  const auto refused = [&] {
    return refuse(place, words(operation) + " that is no matmul", accepted);
  };
  if (!plan::reduces(node(root).step)) return refused();
  const auto [x, y, unused] = node(root).operands;
  int product = is_sum(x) ? y : x;
  if (is_sum(x) == is_sum(y)) return refused();
  ContractionFormula& contraction = formula_.contraction;
  contraction.operation = operation;
  contraction.type = node(root).type;
  contraction.combine = node(root).step;
  // If the summed term is not a multiplication, it counts as the product of one factor with 1.
  const bool is_product = contraction.combine == Step::add && node(product).step == Step::multiply;
  if (is_product && !instruction::is_integer(node(product).type))
    product = in_two_factors(body, product);
  for (int side = 0; side < 2; ++side) {
    Element factor;
    if (is_product || side == 0) {
      factor =
          body.part(is_product ? node(product).operands[static_cast<std::size_t>(side)] : product);
    } else {
      Node one{Step::constant, contraction.type};
      one.constant = 1;
      factor.add(one);
    }
    if (factor.reads(Leaf::running_sum)) return refused();
    contraction.factors[side] = std::move(factor);
    contraction.operands[side] =
        operation->getOperand(is_product ? static_cast<unsigned>(side) : 0);
  }
  const mlir::AffineMap map = operation.getMatchingIndexingMap(operation.getDpsInitOperand(0));
  const std::vector<int> written = loops_of(map);
  for (std::size_t loop = 0; loop < loops.size(); ++loop)
    for (const std::int64_t size : loops[loop])
      contraction.loops.push_back({size, std::ranges::count(written, static_cast<int>(loop)) == 0});
  for (const int loop : written)
    for (std::size_t part = 0; part < loops[static_cast<std::size_t>(loop)].size(); ++part)
      contraction.result.push_back(first_of(loops, loop) + static_cast<int>(part));
  TensorFormula result = result_of(operation, loops, {});
  const mlir::Value initial = operation.getDpsInits()[0];
  contraction.initial = tensor(initial).with_parts(result.dims).element;
  if (!contraction.initial.is_written()) {
    if (mlir::isa<mlir::BlockArgument>(initial)) return refuse_unwritten(initial, true);
    // If nothing wrote the initial value, any constant is correct.
    contraction.initial_is_any = true;
    contraction.initial.add({Step::constant, contraction.type});
  }
  has_contraction_ = true;
  Leaf sum{Leaf::product, identity(contraction.result.size())};
  for (const int counter : counters_) {  // loops around it are loops of it
    const auto loop = static_cast<int>(contraction.loops.size());
    contraction.loops.push_back({numbers_.count(counter), false, counter});
    for (Element& factor : contraction.factors) factor = factor.with(counter, Index::of(loop));
    contraction.result.push_back(loop);
    sum.dims.push_back(Index::of(counter));
  }
  contraction.without_counters();
  result.element.add_leaf(sum, contraction.type);
  write(operation, std::move(result));
  return true;
}

// Finds the formulas of the values that the function returns, or stores in its arguments.
bool FormulaReader::read_end() {
  mlir::Operation* end = function_.getBody().front().getTerminator();
  if (end->getNumOperands() == 0)
    return refuse(formula_.contraction.operation->getLoc(),
                  "a result that is neither returned nor a function argument",
                  "one value computed from the matmul's, returned or in a memref argument");
  for (const mlir::Value value : end->getOperands()) {
    formula_.results.push_back({{}, value, {}});
    if (!read_result(end, formula_.results.back())) return false;
  }
  return true;
}

// Computes the formula of a value that is returned or stored, converted to its type in memory.
bool FormulaReader::read_result(mlir::Operation* end, ResultFormula& result) {
  TensorFormula& value = result.value;
  value = tensor(result.place);
  if (!mlir::isa<mlir::ShapedType>(result.place.getType()) || !value.element.reads(Leaf::product))
    return refuse(end->getLoc(), "a return of something else",
                  "one value computed from the matmul's");
  Element& element = value.element;
  if (element.root().type == ElementType::b1)
    element.add({Step::convert_unsigned,
                 stored_type(ElementType::b1),
                 {static_cast<int>(element.nodes.size()) - 1}});
  auto store = result.place.getDefiningOp<mlir::bufferization::MaterializeInDestinationOp>();
  if (!store) return true;
  TensorFormula destination = tensor(store.getDest());
  std::vector<Parts> parts;
  // The formula of a destination of i1 also has a step that tests bytes. If the destination is not
  // in a memref argument, such as a value that the text computed, the result is returned.
  const Element& held = destination.element;
  if (held.leaves.size() != 1 || held.leaves[0].source < 0 ||
      (held.only_leaf() == nullptr && held.root().type != ElementType::b1) ||
      !memory_type(function_.getArgument(static_cast<unsigned>(held.leaves[0].source)).getType()))
    return true;
  bool is_place = held.leaves[0].bounds.empty();
  for (std::size_t dim = 0; dim < value.dims.size() && is_place; ++dim) {
    const auto common = common_parts(value.dims[dim], destination.dims[dim]);
    is_place = common.has_value();
    if (is_place) parts.push_back(*common);
  }
  if (!is_place)
    return refuse(place_of(store.getDest()),
                  "a result in something else than its place in an argument",
                  "a memref argument, or a view of one that was reshaped as the result was");
  value = value.with_parts(parts);
  result.written = destination.with_parts(parts).element.leaves[0];
  result.place = function_.getArgument(static_cast<unsigned>(result.written->source));
  return true;
}

}  // namespace heddle::compiler
