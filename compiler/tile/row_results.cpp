#include "compiler/tile/row_results.h"

#include "compiler/kernel/expression_code.h"
#include "compiler/request/softmax_scores.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace heddle::compiler {

using mlir::Value;

std::vector<Value> sinks_of_rows(const GlobalContext& context, const SoftmaxSink& sink,
                                 const std::vector<GlobalMatrix>& matrices,
                                 const std::vector<Value>& queries, double factor) {
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  const Value inverse = mlir::arith::ConstantOp::create(
      builder, builder.getF32FloatAttr(static_cast<float>(1 / factor)));
  const Value last = context.add(context.value_of(context.size(plan::Loop::m)), -1);
  std::vector<Value> all;
  for (const Value at : queries) {
    const Value row = mlir::arith::MinSIOp::create(builder, at, last);
    std::vector<Value> inputs;
    for (const GlobalMatrix& matrix : matrices)
      inputs.push_back(context.load(matrix, {row, context.constant(0), 0, 0}, 1,
                                    [](const MatrixPlace&) { return Value(); })[0]);
    all.push_back(mlir::arith::MulFOp::create(builder, emit(builder, sink.value, inputs), inverse));
  }
  return all;
}

void store_row_results(const GlobalContext& context, const SoftmaxOperand& softmax,
                       const std::vector<GlobalMatrix>& matrices, const RowNumbers& rows,
                       Value is_first) {
  if (matrices.empty()) return;
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  const Value factor = mlir::arith::ConstantOp::create(
      builder, builder.getF32FloatAttr(static_cast<float>(rows.factor / change_of_base(softmax))));
  for (std::size_t row = 0; row < rows.queries.size(); ++row) {
    const Value at = rows.queries[row];
    run_if(context, context.both(is_first, context.less(at, context.size(plan::Loop::m))), [&] {
      const Value largest = mlir::arith::MulFOp::create(builder, rows.largest[row], factor);
      for (std::size_t i = 0; i < matrices.size(); ++i) {
        const SoftmaxResult& result = softmax.results[i];
        const Value value = emit(builder, result.value, {rows.sums[row], largest});
        mlir::LLVM::StoreOp::create(
            builder, converted(builder, value, number_type(builder.getContext(), result.d.element)),
            context.pointer(matrices[i], {at, context.constant(0), 0, 0}),
            static_cast<unsigned>(matrices[i].element_bytes()));
      }
    });
  }
}

}  // namespace heddle::compiler
