#include "compiler/elements/tensor_reference.h"

#include "compiler/elements/tensor_walk.h"
#include "compiler/request/actual_product.h"
#include "compiler/source_dialects.h"
#include "mlir/Parser/Parser.h"

namespace heddle::compiler {

std::vector<std::vector<runtime::Interval>> tensor_reference(
    const MatmulRequest& request, const plan::Problem& problem,
    const std::vector<std::span<const std::byte>>& before, std::string& error) {
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
    value.shape = shape(buffer, problem);
    value.stored = {{buffer.element, before[i], {}, {}, {1}}, buffer.is_i1};
  }
  TensorWalk walk(most_reference_steps);
  std::vector<std::vector<runtime::Interval>> results;
  if (!walk.run(function, std::move(arguments))) {
    error = walk.error();
    return results;
  }
  for (const mlir::Value value : function.getBody().front().getTerminator()->getOperands()) {
    TensorValue result = walk.value(value);
    result.read_all();  // of a result that is an argument in another shape
    results.push_back(std::move(result.elements));
  }
  // Memory has the sizes that the launch gave.
  const std::vector<const MatrixRecord*> written = written_matrices(request);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto& buffer = request.buffers[static_cast<std::size_t>(written[i]->parameter)];
    if (static_cast<std::int64_t>(results[i].size()) == count_of(shape(buffer, problem))) continue;
    error = "the sizes of the launch are not those of what the function computes";
    return {};
  }
  return results;
}

}  // namespace heddle::compiler
