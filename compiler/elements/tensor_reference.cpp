#include "compiler/elements/tensor_reference.h"

#include "compiler/elements/tensor_walk.h"
#include "compiler/source_dialects.h"
#include "mlir/Parser/Parser.h"

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
    TensorValue& value = arguments.emplace_back();
    value.shape = buffer.shape;
    value.stored = {{buffer.element, before[i], {}, {}, {1}}, buffer.is_i1};
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
