#include "compiler/kernel/epilogue.h"

#include "compiler/kernel/expression_code.h"

namespace heddle::compiler {

using mlir::Value;

mlir::Type Epilogue::sum_type() const {
  return number_type(context_.builder.getContext(), request_.problem.sum_type());
}

Value Epilogue::initial(mlir::Type type, Value part) const {
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  const Step combine = request_.problem.combine;
  const double constant =
      request_.constant.value_or(plan::neutral(combine, request_.problem.sum_type()));
  const mlir::Type number = sum_type();
  mlir::TypedAttr filled =
      number.isIntOrIndex()
          ? mlir::TypedAttr(builder.getIntegerAttr(number, plan::integer_of(constant)))
          : builder.getFloatAttr(number, constant);
  if (const auto vector = mlir::dyn_cast<mlir::VectorType>(type))
    filled = mlir::DenseElementsAttr::get(vector, mlir::Attribute(filled));
  const Value first = mlir::arith::ConstantOp::create(builder, filled);
  if (!part || constant == 0 || combine != Step::add) return first;
  const Value zero = mlir::arith::ConstantOp::create(builder, builder.getZeroAttr(type));
  return mlir::arith::SelectOp::create(builder, context_.less(part, 1), first, zero);
}

Value Epilogue::sum(Value x, Value y) const {
  y = converted(context_.builder, y, x.getType());
  return combined(context_.builder, request_.problem.combine, x, y);
}

Value Epilogue::rounded(Value sum) const {
  return converted(context_.builder, sum,
                   number_type(context_.builder.getContext(), request_.sum_result));
}

std::vector<Value> Epilogue::finished(const std::vector<Value>& inputs) const {
  std::vector<Value> results;
  const auto add = [&](const Expression& epilogue, const MatrixRecord& matrix) {
    mlir::MLIRContext* const types = context_.builder.getContext();
    results.push_back(converted(context_.builder, emit(context_.builder, epilogue, inputs),
                                number_type(types, matrix.element)));
    if (is_small_float(matrix.element))
      results.back() = mlir::arith::BitcastOp::create(
          context_.builder, bits_type(types, matrix.element), results.back());
  };
  add(request_.epilogue, request_.d);
  for (const FurtherResult& further : request_.further) add(further.epilogue, further.d);
  return results;
}

}  // namespace heddle::compiler
