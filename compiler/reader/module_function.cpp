#include "compiler/reader/module_function.h"

#include <string>

#include "library/text/formatted.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

namespace heddle::compiler {
namespace {

using mlir::func::CallOp;
using mlir::func::FuncOp;

// The limit on the number of operations of a function after inlining. If each function of a chain
// calls the next one twice, that number grows exponentially with the length of the chain.
constexpr std::int64_t most_operations = 4096;
// The limit on nested calls, since inlining is recursive and each level takes stack.
constexpr int deepest_calls = 256;
// Functions whose names a message lists.
constexpr int most_names = 20;

class Calls {
 public:
  Calls(mlir::ModuleOp module, Diagnostics& diagnostics)
      : symbols_(module), diagnostics_(diagnostics) {}

  // The number of operations of `function` after inlining; null if it cannot be inlined.
  std::optional<std::int64_t> count(FuncOp function) {
    const auto [known, is_new] = counts_.try_emplace(function, -1);
    if (!is_new && known->second < 0)
      return refuse(function.getLoc(), "a function that calls itself", "calls of other functions");
    if (!is_new) return known->second;
    if (depth_ == deepest_calls)
      return refuse(function.getLoc(), "calls inside calls inside calls",
                    formatted("at most {} inside each other", deepest_calls));
    ++depth_;
    std::int64_t operations = 0;
    const mlir::WalkResult walked = function.walk([&](mlir::Operation* operation) {
      ++operations;
      if (auto call = mlir::dyn_cast<CallOp>(operation)) {
        const auto inside = callee(call) ? count_body(call) : std::nullopt;
        if (!inside) return mlir::WalkResult::interrupt();
        operations += *inside;
      }
      if (operations <= most_operations) return mlir::WalkResult::advance();
      refuse(operation->getLoc(), "calls of functions with more operations",
             formatted("at most {} together", most_operations));
      return mlir::WalkResult::interrupt();
    });
    --depth_;
    if (walked.wasInterrupted()) return std::nullopt;
    counts_[function] = operations;
    return operations;
  }

  // Puts the bodies in place of the calls.
  void inline_into(FuncOp function) {
    llvm::SmallVector<CallOp> calls;
    function.walk([&](CallOp call) { calls.push_back(call); });
    for (CallOp call : calls) {
      FuncOp called = callee(call);
      inline_into(called);
      mlir::OpBuilder builder(call);
      mlir::IRMapping mapping;
      mlir::Block& body = called.getBody().front();
      mapping.map(body.getArguments(), call.getOperands());
      for (mlir::Operation& operation : body.without_terminator())
        builder.clone(operation, mapping);
      llvm::SmallVector<mlir::Value> results;
      for (const mlir::Value value : body.getTerminator()->getOperands())
        results.push_back(mapping.lookupOrDefault(value));
      call->replaceAllUsesWith(results);
      call.erase();
    }
  }

 private:
  std::nullopt_t refuse(mlir::Location place, std::string_view found, std::string_view accepted) {
    diagnostics_.error(place, found, accepted);
    return std::nullopt;
  }

  FuncOp callee(CallOp call) const { return symbols_.lookup<FuncOp>(call.getCallee()); }

  std::optional<std::int64_t> count_body(CallOp call) {
    const FuncOp called = callee(call);
    if (mlir::Region& body = FuncOp(called).getBody(); !body.hasOneBlock())
      return refuse(call.getLoc(),
                    "a call of a function " +
                        std::string(body.empty() ? "without a body" : "of several blocks"),
                    "functions of the text with straight-line code");
    return count(called);
  }

  mlir::SymbolTable symbols_;
  Diagnostics& diagnostics_;
  int depth_ = 0;                                          // of the calls that are being counted
  llvm::DenseMap<mlir::Operation*, std::int64_t> counts_;  // -1: being counted
};

// Inlines all calls in `function` and returns it; null if that is refused.
FuncOp with_calls(mlir::ModuleOp module, FuncOp function, Diagnostics& diagnostics) {
  Calls calls(module, diagnostics);
  if (!calls.count(function)) return nullptr;
  calls.inline_into(function);
  return function;
}

std::string names_of_functions(mlir::ModuleOp module) {
  std::string names;
  int functions = 0;
  for (auto function : module.getOps<FuncOp>())
    if (++functions <= most_names) names += (names.empty() ? "" : ", ") + function.getName().str();
  if (functions > most_names) names += formatted(" and {} others", functions - most_names);
  return names;
}

FuncOp named_function(mlir::ModuleOp module, std::string_view name, Diagnostics& diagnostics) {
  for (auto function : module.getOps<FuncOp>())
    if (function.getName() == llvm::StringRef(name))
      return with_calls(module, function, diagnostics);
  const std::string names = names_of_functions(module);
  diagnostics.error(module.getLoc(), "no function " + std::string(name),
                    names.empty() ? "a func.func of that name" : names);
  return nullptr;
}

}  // namespace

FuncOp module_function(mlir::ModuleOp module, std::string_view name, Diagnostics& diagnostics) {
  if (!name.empty()) return named_function(module, name, diagnostics);
  constexpr std::string_view accepted = "one func.func of products, as in examples/matmul.mlir";
  llvm::DenseSet<llvm::StringRef> called;
  module.walk([&](CallOp call) { called.insert(call.getCallee()); });
  FuncOp found;
  for (mlir::Operation& operation : *module.getBody()) {
    if (mlir::isa<mlir::memref::GlobalOp>(operation)) continue;
    auto function = mlir::dyn_cast<FuncOp>(operation);
    if (function && called.contains(function.getName())) continue;
    if (function && found && function.isPrivate()) continue;
    if (function && found && found.isPrivate()) found = nullptr;
    if (!function || found) {
      const std::string kind = operation.getName().getStringRef().str();
      diagnostics.error(operation.getLoc(),
                        function ? "a second function" : "the operation " + kind,
                        function ? "one func.func and those that it calls; --function NAME chooses "
                                   "one of " +
                                       names_of_functions(module)
                                 : std::string(accepted));
      return nullptr;
    }
    found = function;
  }
  if (!found) {
    diagnostics.error(
        module.getLoc(),
        called.empty() ? "no function" : "functions that call themselves or each other", accepted);
    return nullptr;
  }
  return with_calls(module, found, diagnostics);
}

}  // namespace heddle::compiler
