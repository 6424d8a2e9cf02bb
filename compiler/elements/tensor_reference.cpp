#include "compiler/elements/tensor_reference.h"

#include "compiler/elements/tensor_walk.h"
#include "compiler/source_dialects.h"
#include "mlir/Parser/Parser.h"
#include "runtime/judge/product_check.h"

namespace heddle::compiler {

std::vector<std::vector<runtime::Interval>> tensor_reference(
    const MatmulRequest& request, const std::vector<std::span<const std::byte>>& before,
    std::string& error) {
  mlir::DialectRegistry registry;
  add_source_dialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceString<mlir::ModuleOp>(request.program->text, &context);
  mlir::func::FuncOp function = *module->getOps<mlir::func::FuncOp>().begin();
  std::vector<TensorValue> arguments;
  for (std::size_t i = 0; i < function.getNumArguments(); ++i) {
    const BufferRecord& buffer = request.buffers[i];
    TensorValue& value = arguments.emplace_back(TensorValue{buffer.shape, {}});
    const runtime::MatrixView view{buffer.element, before[i], {}, {}, {1}};
    std::int64_t count = 1;
    for (const std::int64_t size : buffer.shape) count *= size;
    for (std::int64_t at = 0; at < count; ++at) {
      value.elements.push_back(view.number(0, 0, at));
      runtime::Interval& number = value.elements.back();
      if (buffer.is_i1) number = runtime::whole_number(number.low != 0 ? 1 : 0);
      if (instruction::is_integer(buffer.element) &&
          buffer.element != instruction::ElementType::i64)
        number = runtime::whole_number(static_cast<std::int64_t>(number.low));
    }
  }
  TensorWalk walk(most_reference_steps);
  std::vector<std::vector<runtime::Interval>> results;
  if (!walk.run(function, std::move(arguments))) {
    error = walk.error();
    return results;
  }
  for (const mlir::Value value : function.getBody().front().getTerminator()->getOperands())
    results.push_back(walk.value(value).elements);
  return results;
}

}  // namespace heddle::compiler
