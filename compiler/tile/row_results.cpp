#include "compiler/tile/row_results.h"

#include "compiler/kernel/expression_code.h"
#include "compiler/request/softmax_scores.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace heddle::compiler {

using mlir::Value;

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
