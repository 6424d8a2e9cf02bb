#include "compiler/cutter/product_cutter.h"

#include <string>

#include "compiler/cutter/own_kernel.h"
#include "compiler/elements/row_function.h"
#include "compiler/reader/element_marks.h"
#include "compiler/reader/formula_reader.h"
#include "compiler/reader/reshape.h"
#include "compiler/reader/unused.h"
#include "compiler/reader/values.h"
#include "library/text/formatted.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace heddle::compiler {
namespace {

using mlir::Operation;
using mlir::Value;

bool is_constant(Value value) {
  Operation* source = value.getDefiningOp();
  return source != nullptr && source->hasTrait<mlir::OpTrait::ConstantLike>();
}

// If the operation that makes `value` only moves the elements of another value to another order or
// shape, returns that other value; otherwise null.
Value moved_by(Value value) {
  Operation* operation = value.getDefiningOp();
  if (operation == nullptr) return nullptr;
  if (is_reshape(*operation)) return operation->getOperand(0);
  auto linalg = mlir::dyn_cast<mlir::linalg::LinalgOp>(operation);
  if (!linalg || linalg.getNumReductionLoops() != 0 || linalg.getNumDpsInits() != 1) return nullptr;
  mlir::Block* body = linalg.getBlock();
  const auto yielded = mlir::dyn_cast<mlir::BlockArgument>(body->getTerminator()->getOperand(0));
  if (!yielded || yielded.getOwner() != body ||
      yielded.getArgNumber() >= static_cast<unsigned>(linalg.getNumDpsInputs()))
    return nullptr;
  const Value source = linalg.getDpsInputs()[yielded.getArgNumber()];
  return mlir::isa<mlir::ShapedType>(source.getType()) ? source : nullptr;
}

class ProductCutter {
 public:
  ProductCutter(mlir::func::FuncOp function, Diagnostics& diagnostics)
      : function_(function), block_(function.getBody().front()), diagnostics_(diagnostics) {}

  std::optional<std::vector<CutPart>> cut() {
    std::vector<Operation*> sums;
    for (Operation& operation : block_)
      if (is_sum(operation)) sums.push_back(&operation);
    const mlir::OperandRange returned = block_.getTerminator()->getOperands();
    if (sums.empty() || (sums.size() == 1 && returned.size() <= 1))
      return std::vector<CutPart>{{function_,
                                   {block_.args_begin(), block_.args_end()},
                                   {returned.begin(), returned.end()}}};
    if (sums.size() > most_products) {
      refuse(sums[most_products]->getLoc(), formatted("a function with {} products", sums.size()),
             formatted("at most {}", most_products));
      return std::nullopt;
    }
    if (!check_operations()) return std::nullopt;
    order(sums);
    find_last();
    if (!find_results()) return std::nullopt;
    choose_buffers();
    std::vector<CutPart> parts;
    for (std::size_t i = 0; i < sums_.size(); ++i)
      if (!written_[i].empty()) parts.push_back(part(static_cast<int>(i), parts.size()));
    if (parts.empty()) {
      refuse(sums_[0]->getLoc(), "a result that is neither returned nor a function argument",
             "values computed from the products', returned or in memref arguments");
      return std::nullopt;
    }
    return parts;
  }

 private:
  bool refuse(mlir::Location place, std::string_view found, std::string_view accepted) {
    diagnostics_.error(place, found, accepted);
    return false;
  }

  // Refuses operations that read or write memory: such an operation must keep its order among the
  // others even if no value connects it with them, which a cut does not ensure.
  bool check_operations() {
    for (Operation& operation : block_.without_terminator()) {
      if (mlir::isMemoryEffectFree(&operation) || mlir::isa<mlir::cf::AssertOp>(operation))
        continue;
      return refuse(operation.getLoc(),
                    operation.getName().getStringRef().str() +
                        " on memory, in a function with several products or results",
                    "operations on tensors, which return what they compute");
    }
    return true;
  }

  // Orders the sums such that each sum comes after those on which it depends. Of sums that do not
  // depend on each other, the one with fewer elements comes first. So an operation on a vector and
  // a matrix, which goes to the later part, is in the part of the matrix, where it may be an
  // epilogue.
  void order(std::vector<Operation*> sums) {
    llvm::DenseMap<Operation*, std::uint64_t> before;  // a bit for each sum, also for itself
    std::vector<std::uint64_t> needs;
    for (Operation& operation : block_) {
      std::uint64_t all = 0;
      for (const Value source : sources(operation))
        if (!is_size(source) && source.getDefiningOp() != nullptr)
          all |= before.lookup(source.getDefiningOp());
      if (needs.size() < sums.size() && sums[needs.size()] == &operation) {
        needs.push_back(all);
        all |= std::uint64_t{1} << (needs.size() - 1);
      }
      before[&operation] = all;
    }
    std::uint64_t done = 0;
    while (sums_.size() < sums.size()) {
      std::optional<std::size_t> next;
      for (std::size_t i = 0; i < sums.size(); ++i) {
        if ((done >> i & 1u) != 0 || (needs[i] & ~done) != 0) continue;
        if (!next || elements(sums[i]) < elements(sums[*next])) next = i;
      }
      done |= std::uint64_t{1} << *next;
      sums_.push_back(sums[*next]);
    }
  }

  static ElementCount elements(Operation* sum) { return element_count(sum->getResult(0)); }

  // Finds for each operation which of the sums that it depends on is last in sums_; -1: it depends
  // on none.
  void find_last() {
    for (Operation& operation : block_) {
      int last = -1;
      for (const Value source : sources(operation))
        if (!is_size(source)) last = std::max(last, last_of(source));
      const auto sum = llvm::find(sums_, &operation);
      last_[&operation] = sum == sums_.end() ? last : static_cast<int>(sum - sums_.begin());
    }
    needed_.resize(sums_.size());
    written_.resize(sums_.size());
  }

  int last_of(Value value) const {
    Operation* source = value.getDefiningOp();
    return source == nullptr ? -1 : last_.lookup(source);
  }

  bool find_results() {
    for (const Value value : block_.getTerminator()->getOperands()) {
      const int last = last_of(value);
      if (last < 0)
        return refuse(place_of(value), "a result that is computed without a product",
                      "results that depend on a product");
      needed_[static_cast<std::size_t>(last)].insert(value);
      results_.insert(value);
    }
    return true;
  }

  // A part reads `value`. Marks what earlier parts must compute for it: `value` itself or, if the
  // part that reads computes `value` by itself, the inputs of `value`.
  void need(Value value) {
    llvm::SetVector<Value> all;
    all.insert(value);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const int last = last_of(all[i]);
      if (last < 0) continue;
      if (results_.contains(all[i]) || !is_for_reader(all[i])) {
        needed_[static_cast<std::size_t>(last)].insert(all[i]);
        continue;
      }
      for (const Value source : sources(*all[i].getDefiningOp()))
        if (!is_size(source)) all.insert(source);
    }
  }

  // True if the part that reads `value` must compute it. That is so if `value` is computed from a
  // sum but cannot be in the sum's epilogue, because its operation only moves elements, or has more
  // or fewer elements than the sum.
  bool is_for_reader(Value value) const {
    Operation* sum = sums_[static_cast<std::size_t>(last_of(value))];
    if (value.getDefiningOp() == sum) return false;
    return moved_by(value) || is_read_on_the_way(*value.getDefiningOp()) ||
           element_count(value) != elements(sum);
  }

  // The values that are met on the ways back from `value`, which is among them. A way back ends at
  // one of `ends`, or at a value that does not depend on the part's sum, such as a value of an
  // earlier part. Null if `ends` is not empty and a way back reaches the part's sum.
  std::optional<llvm::SetVector<Value>> way(Value value, const llvm::SetVector<Value>& ends) const {
    const int own = last_of(value);
    llvm::SetVector<Value> all;
    all.insert(value);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (ends.contains(all[i]) || last_of(all[i]) != own) continue;
      Operation* operation = all[i].getDefiningOp();
      if (!ends.empty() && operation == sums_[static_cast<std::size_t>(own)]) return std::nullopt;
      for (const Value source : sources(*operation))
        if (!is_size(source)) all.insert(source);
    }
    return all;
  }

  // Chooses the values that each part writes to memory, from the last part to the first:
  // - values that the function returns,
  // - values from which later parts can compute everything else that they need of this part.
  void choose_buffers() {
    for (std::size_t i = sums_.size(); i-- > 0;) {
      const llvm::SetVector<Value> needed = needed_[i];
      llvm::SetVector<Value>& written = written_[i];
      if (needed.empty()) continue;
      for (const Value value : needed)
        if (results_.contains(value)) written.insert(value);
      if (written.empty()) written.insert(one_for(needed, sums_[i]->getResult(0)));
      for (const Value value : needed)
        if (!way(value, written)) written.insert(value);
      for (const Value value : needed) need_sources(*way(value, written), static_cast<int>(i));
      for (const Value value : written) need_sources(*way(value, {}), static_cast<int>(i));
    }
  }

  // The first of the needed values from which all the other needed values can be computed. If there
  // is none, `sum`, the result of the part's sum.
  Value one_for(const llvm::SetVector<Value>& needed, Value sum) const {
    for (const Value candidate : needed) {
      llvm::SetVector<Value> ends;
      ends.insert(candidate);
      if (llvm::all_of(needed, [&](Value value) { return way(value, ends).has_value(); }))
        return candidate;
    }
    return sum;
  }

  // Marks those of `values` as needed (see need()) that a part before part `own` computes.
  void need_sources(const llvm::SetVector<Value>& values, int own) {
    for (const Value value : values)
      if (last_of(value) >= 0 && last_of(value) < own) need(value);
  }

  CutPart part(int number, std::size_t count) {
    const llvm::SetVector<Value>& results = written_[static_cast<std::size_t>(number)];
    const auto is_of_another = [&](Value value) {
      return llvm::any_of(written_, [&](const llvm::SetVector<Value>& written) {
        return &written != &results && written.contains(value);
      });
    };
    const bool has_program = has_element_kernel(*sums_[static_cast<std::size_t>(number)]);
    llvm::SetVector<Value> values = results, inputs;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Value value = values[i];
      const bool is_given = mlir::isa<mlir::BlockArgument>(value) || is_of_another(value) ||
                            (is_size(value) && !is_constant(value) && !has_program);
      if (is_given) {
        inputs.insert(value);
      } else {
        values.insert_range(sources(*value.getDefiningOp()));
      }
    }
    CutPart part;
    for (const mlir::BlockArgument argument : block_.getArguments())
      if (inputs.contains(argument)) part.arguments.push_back(argument);
    for (const Value input : inputs)
      if (!mlir::isa<mlir::BlockArgument>(input)) part.arguments.push_back(input);
    part.results.assign(results.begin(), results.end());
    part.function = outlined(part, values, inputs, count);
    return part;
  }

  mlir::func::FuncOp outlined(const CutPart& part, const llvm::SetVector<Value>& values,
                              const llvm::SetVector<Value>& inputs, std::size_t count) {
    mlir::OpBuilder builder(function_);
    const auto type = builder.getFunctionType(mlir::ValueRange(part.arguments).getTypes(),
                                              mlir::ValueRange(part.results).getTypes());
    auto made = mlir::func::FuncOp::create(
        builder, function_.getLoc(), (function_.getName() + "_" + llvm::Twine(count)).str(), type);
    mlir::Block* body = made.addEntryBlock();
    builder.setInsertionPointToEnd(body);
    mlir::IRMapping mapping;
    for (const auto& [value, argument] : llvm::zip_equal(part.arguments, body->getArguments())) {
      argument.setLoc(place_of(value));
      mapping.map(value, argument);
    }
    llvm::DenseSet<Operation*> operations;
    for (const Value value : values)
      if (!inputs.contains(value)) operations.insert(value.getDefiningOp());
    for (Operation& operation : block_)
      if (operations.contains(&operation)) builder.clone(operation, mapping);
    std::vector<Value> results;
    for (const Value result : part.results) results.push_back(mapping.lookup(result));
    mlir::func::ReturnOp::create(builder, block_.getTerminator()->getLoc(), results);
    return made;
  }

  mlir::func::FuncOp function_;
  mlir::Block& block_;
  Diagnostics& diagnostics_;
  std::vector<Operation*> sums_;
  llvm::DenseMap<Operation*, int> last_;         // sum that an operation depends on; -1: none
  llvm::DenseSet<Value> results_;                // what the function returns of them
  std::vector<llvm::SetVector<Value>> needed_;   // of each sum's part, by others and the function
  std::vector<llvm::SetVector<Value>> written_;  // by each sum's part; empty: nothing needs it
};

}  // namespace

std::optional<std::vector<CutPart>> cut_products(mlir::func::FuncOp function, Formulas formulas,
                                                 Diagnostics& diagnostics) {
  if (!function.getBody().hasOneBlock()) {  // which formula_reader.cpp refuses
    mlir::func::FuncOp whole = function;
    const auto arguments = whole.getArguments();
    return std::vector<CutPart>{{whole, {arguments.begin(), arguments.end()}, {}}};
  }
  if (is_row_function(function)) mark_row_function(function);
  mark_element_kernels(function, formulas);
  erase_unused(function);
  mark_element_kernels(function,
                       formulas);  // also what was split off operations with several results
  mark_coupled_results(function);
  give_own_kernels(function);
  return ProductCutter(function, diagnostics).cut();
}

}  // namespace heddle::compiler
