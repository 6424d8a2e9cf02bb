#include <deque>

#include "compiler/dialect/dialect.h"
#include "compiler/warp/layouts.h"
#include "compiler/warp/pass_base.h"
#include "compiler/warp/refusal.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace heddle::compiler {

using layout::LinearLayout;
using mlir::Value;

bool is_elementwise(mlir::Operation* operation) {
  return mlir::OpTrait::hasElementwiseMappableTraits(operation) && operation->getNumResults() == 1;
}

std::optional<LinearLayout> operand_layout(mlir::OpOperand& operand, const LayoutTable& table,
                                           const WarpOptions& options) {
  mlir::Operation* operation = operand.getOwner();
  const auto of_result = [&](unsigned number) -> std::optional<LinearLayout> {
    const auto found = table.find(operation->getResult(number));
    if (found == table.end()) return std::nullopt;
    return found->second;
  };
  if (auto contract = mlir::dyn_cast<mlir::vector::ContractionOp>(operation)) {
    const mlir::FailureOr<Multiplication> chosen = chosen_multiplication(contract, options);
    if (mlir::failed(chosen)) return std::nullopt;
    return std::array{chosen->a, chosen->b, chosen->d}[operand.getOperandNumber()];
  }
  if (auto transpose = mlir::dyn_cast<mlir::vector::TransposeOp>(operation)) {
    const auto result = of_result(0);
    if (!result) return std::nullopt;
    return transposed(*result, inverse(transpose.getPermutation()));
  }
  if (auto broadcast = mlir::dyn_cast<mlir::vector::BroadcastOp>(operation)) {
    const auto result = of_result(0);
    if (!result) return std::nullopt;
    return broadcast_source(*result, mlir::cast<mlir::VectorType>(operand.get().getType()),
                            broadcast.getResultVectorType());
  }
  if (auto loop = mlir::dyn_cast<mlir::scf::ForOp>(operation))
    return of_result(loop.getTiedLoopResult(&operand).getResultNumber());
  if (mlir::isa<mlir::scf::YieldOp>(operation)) {
    mlir::Operation* parent = operation->getParentOp();
    const auto found = table.find(parent->getResult(operand.getOperandNumber()));
    if (found == table.end()) return std::nullopt;
    return found->second;
  }
  if (is_elementwise(operation)) return of_result(0);
  // A write accepts any layout, so it needs the one that its operand has. If the operand has no
  // layout, that is refused when code is generated.
  const auto found = table.find(operand.get());
  if (found == table.end()) return std::nullopt;
  return found->second;
}

namespace {

// Gives layouts to the values of a function: the operands and results of matrix instructions have
// given layouts, which are propagated to the values from which these are computed and that are
// computed from them. A value keeps the first layout that reaches it.
class Assignment {
 public:
  explicit Assignment(const WarpOptions& options) : options_(options) {}

  /// Gives `value` the layout `map`, unless it has a layout already, and propagates it to related
  /// values.
  void assign(Value value, const LinearLayout& map) {
    pending_.push_back({value, map});
    while (!pending_.empty()) {
      const auto [next, layout] = pending_.front();
      pending_.pop_front();
      if (!is_warp_vector(next.getType()) || !table.try_emplace(next, layout).second) continue;
      follow_back(next, layout);
      follow_on(next, layout);
    }
  }

  LayoutTable table;

 private:
  void want(Value value, const LinearLayout& map) { pending_.push_back({value, map}); }

  // Proposes layouts to the values from which `value`, which has the layout `map`, is computed.
  void follow_back(Value value, const LinearLayout& map) {
    if (const auto argument = mlir::dyn_cast<mlir::BlockArgument>(value)) {
      auto loop = mlir::dyn_cast_or_null<mlir::scf::ForOp>(argument.getOwner()->getParentOp());
      if (loop) follow_loop(loop, argument.getArgNumber() - 1, map);
      return;
    }
    mlir::Operation* made = value.getDefiningOp();
    const auto number = mlir::cast<mlir::OpResult>(value).getResultNumber();
    if (auto loop = mlir::dyn_cast<mlir::scf::ForOp>(made)) return follow_loop(loop, number, map);
    if (auto choice = mlir::dyn_cast<mlir::scf::IfOp>(made)) {
      for (mlir::Region* region : {&choice.getThenRegion(), &choice.getElseRegion()})
        if (!region->empty()) want(region->front().getTerminator()->getOperand(number), map);
      return;
    }
    if (!is_elementwise(made) &&
        !mlir::isa<mlir::vector::TransposeOp, mlir::vector::BroadcastOp>(made))
      return;
    for (mlir::OpOperand& operand : made->getOpOperands()) {
      if (!is_warp_vector(operand.get().getType())) continue;
      if (const auto needed = operand_layout(operand, table, options_))
        want(operand.get(), *needed);
    }
  }

  void follow_loop(mlir::scf::ForOp loop, unsigned number, const LinearLayout& map) {
    want(loop.getResult(number), map);
    want(loop.getRegionIterArg(number), map);
    want(loop.getInitArgs()[number], map);
    want(loop.getYieldedValues()[number], map);
  }

  // Proposes layouts to the values that are computed from `value`, which has the layout `map`.
  void follow_on(Value value, const LinearLayout& map) {
    for (mlir::OpOperand& use : value.getUses()) {
      mlir::Operation* user = use.getOwner();
      if (auto loop = mlir::dyn_cast<mlir::scf::ForOp>(user)) {
        want(loop.getTiedLoopResult(&use), map);
      } else if (mlir::isa<mlir::scf::YieldOp>(user)) {
        if (mlir::isa<mlir::scf::ForOp, mlir::scf::IfOp>(user->getParentOp()))
          want(user->getParentOp()->getResult(use.getOperandNumber()), map);
      } else if (auto transpose = mlir::dyn_cast<mlir::vector::TransposeOp>(user)) {
        want(user->getResult(0), transposed(map, transpose.getPermutation()));
      } else if (is_elementwise(user)) {
        want(user->getResult(0), map);
      }
    }
  }

  const WarpOptions& options_;
  std::deque<std::pair<Value, LinearLayout>> pending_;
};

// If `operand` is the result of an extension to a wider type: the value that is extended; otherwise
// null. Sets `is_unsigned`: whether the extension is unsigned.
Value before_extension(Value operand, bool& is_unsigned) {
  mlir::Operation* made = operand.getDefiningOp();
  is_unsigned = made != nullptr && mlir::isa<mlir::arith::ExtUIOp>(made);
  if (made == nullptr ||
      !mlir::isa<mlir::arith::ExtFOp, mlir::arith::ExtSIOp, mlir::arith::ExtUIOp>(made))
    return {};
  return made->getOperand(0);
}

// If both operands of a contraction are extended to a wider type, and an instruction multiplies the
// narrow type, removes the extensions: the instruction extends the operands itself. The result is
// exactly the same, since products are not rounded.
void fuse_extensions(mlir::vector::ContractionOp contract, const WarpOptions& options) {
  bool a_unsigned = false, b_unsigned = false;
  const Value a = before_extension(contract.getLhs(), a_unsigned);
  const Value b = before_extension(contract.getRhs(), b_unsigned);
  const auto element = [](Value value) { return mlir::getElementTypeOrSelf(value.getType()); };
  if (!a || !b || element(a) != element(b)) return;
  const Value old_a = contract.getLhs(), old_b = contract.getRhs();
  contract.getLhsMutable().assign(a);
  contract.getRhsMutable().assign(b);
  if (a_unsigned || b_unsigned)
    contract->setAttr(unsigned_attribute, mlir::DenseBoolArrayAttr::get(contract.getContext(),
                                                                        {a_unsigned, b_unsigned}));
  const mlir::ScopedDiagnosticHandler quiet(contract.getContext(),
                                            [](mlir::Diagnostic&) { return mlir::success(); });
  if (mlir::succeeded(choose_multiplication(contract, options))) return;
  contract->removeAttr(unsigned_attribute);
  contract.getLhsMutable().assign(old_a);
  contract.getRhsMutable().assign(old_b);
}

mlir::LogicalResult assign_contraction(mlir::vector::ContractionOp contract,
                                       const WarpOptions& options, Assignment& assignment) {
  fuse_extensions(contract, options);
  const mlir::FailureOr<Multiplication> chosen = choose_multiplication(contract, options);
  if (mlir::failed(chosen)) return mlir::failure();
  const std::string_view name = chosen->instruction->name;
  contract->setAttr(
      instruction_attribute,
      mlir::StringAttr::get(contract.getContext(), llvm::StringRef(name.data(), name.size())));
  assignment.assign(contract.getResult(), chosen->d);
  assignment.assign(contract.getAcc(), chosen->d);
  assignment.assign(contract.getLhs(), chosen->a);
  assignment.assign(contract.getRhs(), chosen->b);
  return mlir::success();
}

void insert_conversions(mlir::Operation* function, LayoutTable& table, const WarpOptions& options) {
  llvm::SmallVector<mlir::OpOperand*> operands;
  function->walk([&](mlir::Operation* operation) {
    for (mlir::OpOperand& operand : operation->getOpOperands())
      if (table.contains(operand.get())) operands.push_back(&operand);
  });
  for (mlir::OpOperand* operand : operands) {
    const auto needed = operand_layout(*operand, table, options);
    if (!needed || *needed == table.at(operand->get())) continue;
    mlir::OpBuilder builder(operand->getOwner());
    const Value conversion = dialect::ConvertLayoutOp::create(
        builder, operand->get().getLoc(), operand->get().getType(), operand->get());
    operand->set(conversion);
    table[conversion] = *needed;
  }
}

class AssignLayouts : public WarpPass<AssignLayouts> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AssignLayouts)
  AssignLayouts(llvm::StringRef processor, bool rounds_to_tf32)
      : WarpPass(processor, rounds_to_tf32) {}

  llvm::StringRef getArgument() const override { return "heddle-assign-layouts"; }
  llvm::StringRef getDescription() const override {
    return "Say of every vector of a warp which lane holds what";
  }

  mlir::LogicalResult run_on(mlir::FunctionOpInterface function,
                             const WarpOptions& options) override {
    Assignment assignment(options);
    mlir::LogicalResult result = mlir::success();
    function->walk([&](mlir::vector::ContractionOp contract) {
      if (mlir::failed(assign_contraction(contract, options, assignment))) result = mlir::failure();
    });
    if (mlir::failed(result)) return result;
    // Handles the vectors that no contraction reaches.
    function->walk([&](mlir::Operation* operation) {
      for (const Value value : operation->getResults())
        if (is_warp_vector(value.getType()) && !assignment.table.contains(value) &&
            mlir::cast<mlir::VectorType>(value.getType()).getRank() <= most_dimensions)
          assignment.assign(
              value, plain_layout(mlir::cast<mlir::VectorType>(value.getType()), options.lanes()));
    });
    insert_conversions(function, assignment.table, options);
    write_layouts(function, assignment.table);
    return mlir::success();
  }
};

}  // namespace

std::unique_ptr<mlir::Pass> create_assign_layouts_pass(llvm::StringRef target, bool tf32) {
  return std::make_unique<AssignLayouts>(target, tf32);
}

}  // namespace heddle::compiler
