#include "compiler/elements/request.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "compiler/elements/element_sizes.h"
#include "compiler/elements/operation_forms.h"
#include "compiler/elements/packed_tensors.h"
#include "compiler/elements/places.h"
#include "compiler/elements/read_order.h"
#include "compiler/elements/row_function.h"
#include "compiler/elements/together.h"
#include "compiler/memory_type.h"
#include "compiler/plan/launch_grid.h"
#include "compiler/reader/element.h"
#include "compiler/reader/element_marks.h"
#include "compiler/reader/formula_reader.h"
#include "compiler/reader/values.h"
#include "compiler/request/reach.h"
#include "library/text/formatted.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

namespace heddle::compiler {
namespace {

using mlir::Operation;
using mlir::Value;

constexpr std::string_view accepted_operations =
    "linalg operations, arith and math on tensors, and tensor.extract, gather, concat, "
    "extract_slice, insert_slice, pad, generate, splat, expand_shape, collapse_shape and cast";

class ElementRequest {
 public:
  ElementRequest(mlir::func::FuncOp function, Diagnostics& diagnostics)
      : function_(function), diagnostics_(diagnostics) {}

  std::optional<MatmulRequest> build() {
    request_.function = function_.getName().str();
    request_.place = line_of(place());
    unfold_packed_tensors(function_);
    drop_plain_layouts();
    drop_unread_inits();
    const bool is_accepted = llvm::all_of(block(), [&](Operation& one) { return check(one); });
    if (!is_accepted) return std::nullopt;
    sizes_.emplace(function_);
    if (const auto conflict = sizes_->conflict()) {
      refuse(conflict->first, conflict->second + " that have to be equal", "sizes that agree");
      return std::nullopt;
    }
    tell_sizes();
    if (!add_arguments() || !add_results() || !find_sizes()) return std::nullopt;
    request_.program = std::make_shared<const ElementProgram>(
        ElementProgram{.text = text(),
                       .read_dimension = read_dimension(function_),
                       .together = together(),
                       .rows = rows()});
    return request_;
  }

 private:
  bool refuse(mlir::Location where, std::string_view found, std::string_view accepted) {
    diagnostics_.error(where, found, accepted);
    return false;
  }

  mlir::Block& block() { return function_.getBody().front(); }

  // Replaces arguments that are memrefs in row-major order by tensors, and removes the casts of
  // these arguments to tensors.
  void drop_plain_layouts() {
    for (mlir::BlockArgument argument : block().getArguments()) {
      const mlir::MemRefType memory = memory_type(argument.getType());
      if (!memory || !memory.getLayout().isIdentity()) continue;
      argument.setType(mlir::RankedTensorType::get(memory.getShape(), memory.getElementType()));
      for (Operation* user : llvm::make_early_inc_range(argument.getUsers())) {
        auto cast = mlir::dyn_cast<mlir::tensor::CastOp>(user);
        if (!cast || cast.getType() != argument.getType()) continue;
        cast.replaceAllUsesWith(Value(argument));
        cast.erase();
      }
    }
    function_.setFunctionType(mlir::FunctionType::get(function_.getContext(),
                                                      block().getArgumentTypes(),
                                                      block().getTerminator()->getOperandTypes()));
  }

  // If an operation writes into an argument but does not use the argument's elements, replaces the
  // argument by an empty tensor, so that the kernel does not read it.
  void drop_unread_inits() {
    for (Operation& operation : block()) {
      auto linalg = mlir::dyn_cast<mlir::linalg::LinalgOp>(operation);
      if (!linalg) continue;
      for (mlir::OpOperand& init : linalg.getDpsInitsMutable()) {
        const auto type = mlir::dyn_cast<mlir::RankedTensorType>(init.get().getType());
        if (!type || !mlir::isa<mlir::BlockArgument>(init.get()) ||
            linalg.payloadUsesValueFromOperand(&init))
          continue;
        mlir::OpBuilder builder(&operation);
        const auto sizes = sizes_by_inputs(builder, linalg, init);
        if (sizes)
          init.set(mlir::tensor::EmptyOp::create(builder, operation.getLoc(), type, *sizes));
      }
    }
  }

  // The dynamic sizes of an operation's initial value, each expressed as a size of one of the
  // operation's inputs. Null if no input has one of these sizes.
  static std::optional<llvm::SmallVector<Value>> sizes_by_inputs(mlir::OpBuilder& builder,
                                                                 mlir::linalg::LinalgOp linalg,
                                                                 mlir::OpOperand& init) {
    llvm::SmallVector<Value> sizes;
    const auto type = mlir::cast<mlir::RankedTensorType>(init.get().getType());
    const mlir::AffineMap written = linalg.getMatchingIndexingMap(&init);
    for (unsigned dim = 0; dim < type.getRank(); ++dim) {
      if (!type.isDynamicDim(dim)) continue;
      Value found;
      for (mlir::OpOperand* input : linalg.getDpsInputOperands()) {
        if (!mlir::isa<mlir::RankedTensorType>(input->get().getType())) continue;
        const mlir::AffineMap read = linalg.getMatchingIndexingMap(input);
        for (unsigned own = 0; own < read.getNumResults() && !found; ++own)
          if (read.getResult(own) == written.getResult(dim) &&
              mlir::isa<mlir::AffineDimExpr>(read.getResult(own)))
            found = mlir::tensor::DimOp::create(builder, linalg.getLoc(), input->get(), own);
      }
      if (!found) return std::nullopt;
      sizes.push_back(found);
    }
    return sizes;
  }

  mlir::Location place() {
    for (Operation& operation : block())
      if (has_element_kernel(operation)) return operation.getLoc();
    return function_.getLoc();
  }

  // Refuses the operation if kernels do not have the form in which it is used.
  bool check_form(Operation& operation) {
    const auto form = unsupported_form(operation);
    return !form || refuse(operation.getLoc(), formatted("{}{}", spelling(operation), form->found),
                           form->accepted);
  }

  bool check(Operation& operation) {
    if (!check_form(operation)) return false;
    if (auto linalg = mlir::dyn_cast<mlir::linalg::LinalgOp>(operation)) return check(linalg);
    if (mlir::isa<mlir::func::ReturnOp, mlir::bufferization::MaterializeInDestinationOp,
                  mlir::arith::ConstantOp, mlir::tensor::EmptyOp, mlir::tensor::ExtractOp,
                  mlir::tensor::ExtractSliceOp, mlir::tensor::InsertSliceOp, mlir::tensor::ConcatOp,
                  mlir::tensor::GatherOp, mlir::tensor::ExpandShapeOp,
                  mlir::tensor::CollapseShapeOp, mlir::tensor::CastOp, mlir::tensor::SplatOp,
                  mlir::tensor::DimOp, mlir::bufferization::AllocTensorOp, mlir::ub::PoisonOp>(
            operation))
      return true;
    if (mlir::isa<mlir::tensor::PadOp, mlir::tensor::GenerateOp>(operation))
      return check(operation.getRegion(0).front());
    if (operation.getNumRegions() == 0 && mlir::isMemoryEffectFree(&operation) &&
        operation.getNumResults() == 1 &&
        (operation.hasTrait<mlir::OpTrait::Elementwise>() || is_of_places(operation)))
      return check_number(operation);
    return refuse(operation.getLoc(), "the operation " + spelling(operation), accepted_operations);
  }

  bool check(mlir::linalg::LinalgOp linalg) {
    const mlir::Location where = linalg->getLoc();
    if (!linalg.hasPureTensorSemantics())
      return refuse(where, spelling(*linalg) + " on memory", "tensors");
    if (linalg->getRegion(0).empty() || !linalg.getShapesToLoopsMap())
      return refuse(where, spelling(*linalg) + " whose loops have no known length",
                    "operands that each loop runs over");
    for (const mlir::AffineMap map : linalg.getIndexingMapsArray())
      if (map.getNumSymbols() != 0)
        return refuse(where, spelling(*linalg) + " with symbols in a map", "maps of loops");
    for (mlir::OpOperand& init : linalg.getDpsInitsMutable()) {
      llvm::SmallDenseSet<unsigned> written;
      bool is_place = true;
      for (const mlir::AffineExpr expression : linalg.getMatchingIndexingMap(&init).getResults()) {
        if (const auto loop = mlir::dyn_cast<mlir::AffineDimExpr>(expression))
          is_place = written.insert(loop.getPosition()).second && is_place;
        else
          is_place = is_place && mlir::isa<mlir::AffineConstantExpr>(expression);
      }
      const auto sizes = linalg.getStaticLoopRanges();
      const auto kinds = linalg.getIteratorTypesArray();
      for (unsigned loop = 0; loop < sizes.size(); ++loop)
        is_place = is_place && (written.contains(loop) || sizes[loop] == 1 ||
                                kinds[loop] == mlir::utils::IteratorType::reduction);
      if (!is_place)
        return refuse(where, spelling(*linalg) + " that writes elements more than once",
                      "a result indexed by all parallel loops");
    }
    return check(*linalg.getBlock());
  }

  bool check(mlir::Block& body) {
    return llvm::all_of(body.without_terminator(), [&](Operation& operation) {
      if (!check_form(operation)) return false;
      if (mlir::isa<mlir::linalg::IndexOp, mlir::tensor::ExtractOp, mlir::arith::ConstantOp,
                    mlir::ub::PoisonOp>(operation))
        return true;
      return check_number(operation);
    });
  }

  // Checks an operation that computes with numbers, or with tensors element by element.
  bool check_number(Operation& operation) {
    if (operation.getNumRegions() != 0)
      return refuse(operation.getLoc(), "the operation " + spelling(operation),
                    "arith and math, after scf-to-control-flow or if-conversion");
    if (is_of_places(operation)) {
      if (is_accepted_on_places(operation)) return true;
      return refuse(operation.getLoc(), spelling(operation) + " on index", accepted_on_places);
    }
    const auto is_small = [](Value value) {
      const auto type = element_type(mlir::getElementTypeOrSelf(value.getType()));
      return type && (is_small_float(*type) || is_only_read(*type));
    };
    const bool is_cast = operation.getNumOperands() == 1;
    if (!is_cast && !mlir::isa<mlir::arith::SelectOp>(operation) &&
        llvm::any_of(operation.getOperands(), is_small))
      return refuse(operation.getLoc(), spelling(operation) + " on floats of 8 or 4 bits",
                    "arith.extf before it, and arith.truncf after it");
    Element element;
    std::vector<int> bound;
    for (const Value operand : operation.getOperands()) {
      const auto type = element_type(mlir::getElementTypeOrSelf(operand.getType()));
      const Leaf leaf{static_cast<int>(bound.size()), {}};
      bound.push_back(element.add_leaf(leaf, type.value_or(instruction::ElementType::f32)));
    }
    return evaluate(operation, bound, element, diagnostics_).has_value();
  }

  // A result of the function: a value that it returns, or a value that it stores to an argument
  // (`place`).
  struct Result {
    Value value;
    mlir::BlockArgument place;  // null: a value that is returned
  };
  Result result(Value returned) {
    auto store = returned.getDefiningOp<mlir::bufferization::MaterializeInDestinationOp>();
    if (!store) return {returned, {}};
    return {store.getSource(), mlir::dyn_cast<mlir::BlockArgument>(store.getDest())};
  }
  bool is_read(mlir::BlockArgument argument) {
    return llvm::any_of(argument.getUsers(), [](Operation* user) {
      return !mlir::isa<mlir::bufferization::MaterializeInDestinationOp>(user);
    });
  }

  bool add_arguments() {
    for (const mlir::BlockArgument argument : block().getArguments()) {
      if (!is_read(argument)) continue;
      if (!add_buffer(argument, argument.getType())) return false;
      BufferRecord& buffer = request_.buffers.back();
      buffer.argument = static_cast<int>(argument.getArgNumber());
      buffer.index_end = index_end(argument);
      // The end of the numbers that a trial run draws: for a size that only results have, or a
      // place.
      if (argument.getType().isIndex() && sizes_->of_argument(argument)) buffer.index_end = 1;
      if (argument.getType().isIndex() && buffer.index_end == 0) buffer.index_end = 4;
      request_.extras.push_back(matrix());
    }
    if (!request_.buffers.empty()) request_.problem.input = request_.buffers[0].element;
    return true;
  }

  bool add_results() {
    for (const Value returned : block().getTerminator()->getOperands()) {
      const auto [value, place] = result(returned);
      const bool is_stored = value != returned;
      if (is_stored && (!place || is_read(place)))
        return refuse(returned.getLoc(),
                      "a result in a part of an argument, or in one that is read",
                      "an argument that is written as a whole, or functions on tensors");
      if (!mlir::isa<mlir::RankedTensorType>(value.getType()) || value.getDefiningOp() == nullptr)
        return refuse(block().getTerminator()->getLoc(), "a return of something else",
                      "tensors that the function computes");
      if (!add_buffer(is_stored ? Value(place) : value, returned.getType())) return false;
      BufferRecord& buffer = request_.buffers.back();
      if (is_stored) buffer.argument = static_cast<int>(place.getArgNumber());
      if (shares_bytes(buffer.element) || is_only_read(buffer.element))
        return refuse(value.getLoc(), "a result of " + printed(value.getType()),
                      "results of whole bytes");
      buffer.role = Role::d;
      const bool is_first = request_.d.parameter < 0;
      if (is_first) {
        request_.in_place = is_stored;
        request_.d = matrix();
        plan::Problem& problem = request_.problem;
        problem.result = buffer.element;
        if (std::ranges::find(buffer.shape, -1) == buffer.shape.end()) {
          problem.n = buffer.shape.empty() ? 1 : buffer.shape.back();
          for (const std::int64_t size : buffer.shape) problem.m *= size;
          problem.m /= problem.n;
        }
      } else {
        request_.further.push_back({matrix(), {}});
      }
    }
    if (request_.d.parameter >= 0) return true;
    return refuse(function_.getLoc(), "a function without a result",
                  "values that it computes, returned");
  }

  bool add_buffer(Value value, mlir::Type type) {
    const auto shaped = mlir::dyn_cast<mlir::RankedTensorType>(type);
    const mlir::Type element = mlir::getElementTypeOrSelf(type);
    BufferRecord buffer;
    const auto known = element.isIndex() ? instruction::ElementType::i64 : element_type(element);
    if (!known)
      return refuse(place_of(value), "elements of " + printed(element), accepted_elements(element));
    buffer.element = stored_type(*known);
    buffer.is_i1 = element.isSignlessInteger(1);
    buffer.place = line_of(place_of(value));
    std::vector<ElementSize>& dynamic = dynamic_.emplace_back();
    for (unsigned dim = 0; shaped && dim < shaped.getRank(); ++dim) {
      dynamic.push_back(sizes_->of(value, dim));
      const bool is_known = dynamic.back().is_known();
      buffer.shape.push_back(is_known ? dynamic.back().times : -1);
    }
    const mlir::MemRefType memory = memory_type(type);
    const bool has_layout =
        shaped && shaped.getEncoding() && !(memory && memory.getLayout().isIdentity());
    if (has_layout || (!shaped && mlir::isa<mlir::ShapedType>(type)) ||
        std::ranges::find(buffer.shape, 0) != buffer.shape.end())
      return refuse(place_of(value), "a value of " + printed(type),
                    "tensors of sizes from 1, in row-major order");
    std::int64_t elements = most_bytes_of(buffer) / counted_bytes(buffer.element);
    for (const ElementSize& dimension : dynamic) {
      const std::int64_t size = dimension.times;
      if (size > std::min(elements, most_length))
        return refuse(place_of(value), "the size of " + printed(type), accepted_size(buffer));
      elements /= size;
    }
    buffer.dynamic_sizes.resize(buffer.shape.size());
    buffer.strides.assign(buffer.shape.size(), -1);
    request_.buffers.push_back(std::move(buffer));
    return true;
  }

  // The last buffer as a matrix of rows.
  MatrixRecord matrix() const {
    const BufferRecord& buffer = request_.buffers.back();
    MatrixRecord matrix;
    matrix.element = buffer.element;
    matrix.parameter = static_cast<int>(request_.buffers.size()) - 1;
    matrix.row.step = {buffer.shape.empty() ? 1 : std::max<std::int64_t>(buffer.shape.back(), 1),
                       0};
    matrix.column.step = {1, 0};
    matrix.place = buffer.place;
    return matrix;
  }

  // If an argument of the function is the size of a dimension that another argument has, too,
  // replaces the first by tensor.dim of the second, whose sizes the launch gives.
  void tell_sizes() {
    mlir::OpBuilder builder = mlir::OpBuilder::atBlockBegin(&block());
    const auto index = [&](std::int64_t number) -> Value {
      return mlir::arith::ConstantIndexOp::create(builder, function_.getLoc(), number);
    };
    for (mlir::BlockArgument argument : block().getArguments()) {
      const auto own = argument.getType().isIndex() && is_read(argument)
                           ? sizes_->of_argument(argument)
                           : std::nullopt;
      if (!own) continue;
      if (own->is_known()) {
        argument.replaceAllUsesWith(index(own->times));
        continue;
      }
      for (const mlir::BlockArgument other : block().getArguments()) {
        const auto type = mlir::dyn_cast<mlir::RankedTensorType>(other.getType());
        for (unsigned dim = 0; type && !argument.use_empty() && dim < type.getRank(); ++dim) {
          const ElementSize size = sizes_->of(other, dim);
          if (size.number != own->number) continue;
          const mlir::Location place = function_.getLoc();
          Value told = mlir::tensor::DimOp::create(builder, place, other, dim);
          if (size.times != own->times) {
            told = mlir::arith::DivUIOp::create(builder, place, told, index(size.times));
            told = mlir::arith::MulIOp::create(builder, place, told, index(own->times));
          }
          argument.replaceAllUsesWith(told);
        }
      }
    }
  }

  // Numbers the sizes that a launch must give: first those of arguments in their order, then those
  // that only results have. Sizes without a limit take the places of m, n, k and the batch (of the
  // option --sizes) as long as these last.
  bool find_sizes() {
    constexpr unsigned most_factors = std::tuple_size_v<decltype(plan::LaunchNumber::tiles)>;
    std::vector<int> order;
    std::map<int, ElementSizes::Limit> limits;
    const auto add = [&](int number) {
      if (number != 0 && std::ranges::find(order, number) == order.end()) order.push_back(number);
    };
    for (const auto& dimensions : dynamic_) {
      if (std::ranges::count_if(dimensions, [](auto one) { return !one.is_known(); }) >
          most_factors)
        return refuse(function_.getLoc(), "a tensor of many dynamic dimensions",
                      formatted("at most {}", most_factors));
      for (const ElementSize& one : dimensions) add(one.number);
    }
    for (std::size_t i = 0; i < order.size(); ++i)
      if (const auto limit = sizes_->limit(order[i])) {
        for (const SizeSum::Term& term : limit->sum.terms) add(term.size.number);
        limits[order[i]] = *limit;
      }
    // A size with a limit has a number from plan::loop_count on, after the sizes in its limit.
    unsigned next = 0, next_further = plan::loop_count;
    const auto is_free = [&](int number) { return !limits.contains(number); };
    std::vector<int> limited;
    for (const int number : std::vector<int>(std::exchange(order, {})))
      (is_free(number) ? order : limited).push_back(number);
    order_limits(limited, limits);
    order.insert(order.end(), limited.begin(), limited.end());
    for (const int number : order) {
      unsigned& own = is_free(number) && next < plan::loop_count ? next : next_further;
      if (own == plan::size_count)
        return refuse(function_.getLoc(), formatted("{} dynamic sizes", order.size()),
                      formatted("at most {}, {} of them without a limit", plan::size_count,
                                plan::loop_count));
      numbers_[number] = static_cast<plan::Loop>(own++);
    }
    plan::Problem& problem = request_.problem;
    request_.further_sizes.resize(next_further - plan::loop_count);
    constexpr std::array<std::int64_t, plan::loop_count> planned{1024, 1024, 32, 1};
    for (const auto& [number, loop] : numbers_) {
      const auto place = static_cast<unsigned>(loop);
      problem.dynamic |= 1u << place;
      problem.size(loop) = place < plan::loop_count ? planned[place] : 32;
      if (const auto limit = limits.find(number); limit != limits.end())
        request_.further_sizes[place - plan::loop_count] = further_size(limit->second);
    }
    for (std::size_t i = 0; i < dynamic_.size(); ++i)
      for (std::size_t dim = 0; dim < dynamic_[i].size(); ++dim)
        if (const ElementSize& one = dynamic_[i][dim]; !one.is_known())
          request_.buffers[i].dynamic_sizes[dim] = {numbers_.at(one.number), one.times};
    return true;
  }

  // Moves each number in `order` behind the numbers on which its limit depends. If limits depend on
  // each other in a circle, one of these numbers loses its limit.
  static void order_limits(std::vector<int>& order, std::map<int, ElementSizes::Limit>& limits) {
    for (auto place = order.begin(); place != order.end(); ++place) {
      const auto is_next = [&](int number) {
        return std::ranges::all_of(limits[number].sum.terms, [&](const SizeSum::Term& term) {
          return std::find(place, order.end(), term.size.number) == order.end();
        });
      };
      const auto next = std::find_if(place, order.end(), is_next);
      if (next == order.end())
        limits[*place] = {SizeSum{1, {}}, true};
      else
        std::rotate(place, next, next + 1);
    }
  }

  FurtherSize further_size(const ElementSizes::Limit& limit) const {
    FurtherSize further{.least = limit.sum.constant, .window = {}};
    for (const SizeSum::Term& term : limit.sum.terms) {
      further.least += term.factor;
      further.window.push_back({term.factor, {numbers_.at(term.size.number)}});
    }
    further.is_exact = !limit.is_least;
    return further;
  }

  std::optional<plan::ElementRows> rows() {
    mlir::OwningOpRef<Operation*> alone = program();
    const auto found = row_function(mlir::cast<mlir::func::FuncOp>(*alone));
    if (!found) return std::nullopt;
    request_.problem.k = found->shared.elements;
    return found->shared;
  }
  int together() {
    mlir::OwningOpRef<Operation*> alone = program();
    return elements_together(mlir::cast<mlir::func::FuncOp>(*alone));
  }

  // A copy of the function from which the arguments are removed that it does not read.
  mlir::OwningOpRef<Operation*> program() {
    mlir::OwningOpRef<Operation*> clone = function_->clone();
    auto function = mlir::cast<mlir::func::FuncOp>(*clone);
    llvm::BitVector unused(function.getNumArguments());
    Operation* end = function.getBody().front().getTerminator();
    for (mlir::OpOperand& operand : end->getOpOperands()) {
      auto store = operand.get().getDefiningOp<mlir::bufferization::MaterializeInDestinationOp>();
      if (!store) continue;
      operand.set(store.getSource());
      store.erase();
    }
    for (const mlir::BlockArgument argument : function.getArguments())
      if (argument.use_empty()) unused.set(argument.getArgNumber());
    function.setFunctionType(mlir::FunctionType::get(
        function.getContext(), function.getArgumentTypes(), end->getOperandTypes()));
    (void)function.eraseArguments(unused);
    function.walk(remove_marks);
    return clone;
  }
  std::string text() {
    std::string printed;
    llvm::raw_string_ostream stream(printed);
    program()->print(stream, mlir::OpPrintingFlags().useLocalScope());
    return printed;
  }

  mlir::func::FuncOp function_;
  Diagnostics& diagnostics_;
  MatmulRequest request_;
  std::optional<ElementSizes> sizes_;
  std::vector<std::vector<ElementSize>> dynamic_;  // of each buffer's dimensions
  std::map<int, plan::Loop> numbers_;              // of each unknown number: which size
};

}  // namespace

bool is_element_function(mlir::func::FuncOp function) {
  return function.getBody().hasOneBlock() &&
         llvm::any_of(function.getBody().front(), has_element_kernel);
}

std::optional<MatmulRequest> element_request(mlir::func::FuncOp function,
                                             Diagnostics& diagnostics) {
  return ElementRequest(function, diagnostics).build();
}

}  // namespace heddle::compiler
