#include "compiler/elements/number_code.h"

#include "compiler/kernel/expression_code.h"
#include "compiler/kernel/math_code.h"
#include "compiler/reader/element.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "runtime/numbers/math_functions.h"

namespace heddle::compiler {
namespace {

using mlir::Operation;
using mlir::Value;
namespace arith = mlir::arith;
namespace affine = mlir::affine;

// Builds a copy of `operation` with the kernel's `operands`. Its result has the type that the
// kernel uses for the type of the operation's result.
Value again(mlir::ImplicitLocOpBuilder& builder, Operation& operation,
            const std::vector<Value>& operands) {
  mlir::OperationState state(builder.getLoc(), operation.getName());
  state.addOperands(operands);
  mlir::Type type = mlir::getElementTypeOrSelf(operation.getResult(0).getType());
  if (!type.isIndex()) type = number_type(builder.getContext(), *element_type(type));
  state.addTypes(type);
  state.addAttributes(operation.getAttrs());
  // fastmath could allow a maximum to ignore NaN, which AMD's code generator cannot do for bf16.
  if (type.isBF16()) state.attributes.erase("fastmath");
  return builder.create(state)->getResult(0);
}

// True if an operand has a type that LLVM does not have. The kernel has the bits of such an
// operand, and must decode them.
bool is_decoded(Operation& operation) {
  return llvm::any_of(operation.getOperands(), [](Value operand) {
    return is_only_read(*element_type(mlir::getElementTypeOrSelf(operand.getType())));
  });
}

// Computes the operation with the steps of expressions (kernel/expression_code.h), as kernels of
// products do.
Value by_steps(mlir::ImplicitLocOpBuilder& builder, Operation& operation,
               const std::vector<Value>& operands) {
  Element element;
  std::vector<int> bound;
  for (const Value operand : operation.getOperands())
    bound.push_back(element.add_leaf({static_cast<int>(bound.size()), {}},
                                     *element_type(mlir::getElementTypeOrSelf(operand.getType()))));
  Diagnostics unused("");
  const auto root = evaluate(operation, bound, element, unused);
  const Element part = element.part(*root);
  std::vector<Value> inputs;
  for (const Leaf& leaf : part.leaves)
    inputs.push_back(operands[static_cast<std::size_t>(leaf.source)]);
  return emit(builder, Expression{part.nodes}, inputs);
}

}  // namespace

Value number_of(mlir::ImplicitLocOpBuilder& builder, Operation& operation,
                const std::vector<Value>& operands) {
  const mlir::Type type =
      number_type(builder.getContext(),
                  *element_type(mlir::getElementTypeOrSelf(operation.getResult(0).getType())));
  if (is_decoded(operation)) return by_steps(builder, operation, operands);
  const bool is_cast = mlir::isa<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::TruncIOp,
                                 arith::SIToFPOp, arith::FPToSIOp>(operation);
  const bool is_unsigned_cast =
      mlir::isa<arith::ExtUIOp, arith::UIToFPOp, arith::FPToUIOp>(operation);
  if (is_cast || is_unsigned_cast) return converted(builder, operands[0], type, is_unsigned_cast);
  const int function = runtime::find_math_function(operation.getName().getStringRef());
  if (function >= 0) return emit_math_function(builder, function, operands);
  return again(builder, operation, operands);
}

Value number_of_places(mlir::ImplicitLocOpBuilder& builder, Operation& operation,
                       const std::vector<Value>& operands) {
  const mlir::Location place = builder.getLoc();
  return llvm::TypeSwitch<Operation*, Value>(&operation)
      .Case([&](affine::AffineApplyOp apply) {
        return (*affine::expandAffineMap(builder, place, apply.getAffineMap(), operands))[0];
      })
      .Case<affine::AffineMinOp, affine::AffineMaxOp>([&](auto of) {
        const bool is_least = mlir::isa<affine::AffineMinOp>(operation);
        Value result;
        const auto all = affine::expandAffineMap(builder, place, of.getMap(), operands);
        for (const Value each : *all) {
          if (!result)
            result = each;
          else if (is_least)
            result = arith::MinSIOp::create(builder, result, each);
          else
            result = arith::MaxSIOp::create(builder, result, each);
        }
        return result;
      })
      .Default([&](auto*) { return again(builder, operation, operands); });
}

Value place_of_map(mlir::ImplicitLocOpBuilder& builder, mlir::AffineExpr expression,
                   const std::vector<Value>& loops) {
  if (const auto loop = mlir::dyn_cast<mlir::AffineDimExpr>(expression))
    return loops[loop.getPosition()];
  return affine::expandAffineExpr(builder, builder.getLoc(), expression, loops, {});
}

}  // namespace heddle::compiler
