// A thread computes an element of each result. Results of one shape are computed together, so that
// what they have in common is computed once.
#include <map>
#include <numeric>

#include "compiler/elements/element_code.h"
#include "compiler/elements/element_tiles.h"
#include "compiler/elements/row_kernel.h"
#include "compiler/kernel/product_frame.h"
#include "compiler/kernel/product_kernel.h"
#include "compiler/request/actual_product.h"
#include "compiler/source_dialects.h"
#include "mlir/Parser/Parser.h"

namespace heddle::compiler {
namespace {

using mlir::Value;
namespace arith = mlir::arith;
using plan::ElementPlan;

// A thread for each element, or for neighbours.
void write_elements(const ElementFrame& frame, Value first) {
  const ThreadContext& context = frame.context;
  std::map<std::vector<std::int64_t>, std::vector<unsigned>> shapes;
  for (unsigned result = 0; result < frame.results(); ++result)
    shapes[frame.record(result).shape].push_back(result);
  const std::int64_t threads =
      frame.plan.grid()[0].value(frame.plan.problem) * frame.plan.threads();
  const int together = frame.plan.together;
  for (const auto& [shape, results] : shapes) {
    const auto compute = [&](Value number) {
      ElementCode code = frame.code();
      const std::vector<Places> places = code.neighbours(number, shape, together);
      std::vector<std::vector<Value>> values;
      for (const unsigned result : results) {
        std::vector<Value>& own = values.emplace_back();
        for (const Places& at : places)
          own.push_back(code.bits(code.element(frame.value(result), at), frame.record(result)));
      }
      for (std::size_t i = 0; i < results.size(); ++i)
        frame.store(values[i], frame.pointer(results[i]), context.multiply(number, together));
    };
    std::int64_t elements = 1;
    for (const std::int64_t size : shape) elements *= size;
    elements /= together;
    if (elements <= threads) {
      run_if(context, context.less(first, elements), [&] { compute(first); });
      continue;
    }
    counted_loop(context, first, context.constant(elements), context.constant(threads), {},
                 [&](Value number, const std::vector<Value>&) -> std::vector<Value> {
                   compute(number);
                   return {};
                 });
  }
}

// A power of two that divides the size of the array, too: LLVM makes one load of several neighbours
// and of what lies behind them where that is aligned, and may then read beyond an array whose size
// is no multiple. Neighbours in rows of whole accesses are not affected.
int alignment(const MatmulRequest& request, unsigned argument) {
  if (argument >= request.buffers.size()) return ElementPlan::access_bytes;  // the workspace
  const auto bytes = static_cast<std::int64_t>(byte_count(request.buffers[argument], {}));
  return static_cast<int>(std::gcd(std::int64_t{ElementPlan::access_bytes}, bytes));
}

}  // namespace

std::unique_ptr<KernelModule> product_kernel(const MatmulRequest& request,
                                             const ElementPlan& plan) {
  const auto fill = [&](mlir::ImplicitLocOpBuilder& builder, mlir::gpu::GPUModuleOp kernels) {
    mlir::DialectRegistry registry;
    add_source_dialects(registry);
    builder.getContext()->appendDialectRegistry(registry);
    mlir::OwningOpRef<mlir::ModuleOp> module =
        mlir::parseSourceString<mlir::ModuleOp>(request.program->text, builder.getContext());
    const mlir::func::FuncOp function = *module->getOps<mlir::func::FuncOp>().begin();
    const auto types = parameter_types(builder, request, plan.rows && plan.rows->parts > 1);
    auto kernel = mlir::gpu::GPUFuncOp::create(
        builder, request.function, mlir::FunctionType::get(builder.getContext(), types, {}));
    kernel->setAttr(mlir::gpu::GPUDialect::getKernelFuncAttrName(), builder.getUnitAttr());
    for (unsigned i = 0; i < types.size(); ++i)
      kernel.setArgAttr(i, mlir::LLVM::LLVMDialect::getAlignAttrName(),
                        builder.getI32IntegerAttr(alignment(request, i)));
    builder.setInsertionPointToStart(&kernel.getBody().front());
    const ElementFrame frame{{builder, {}, {}}, kernels, kernel, function, request, plan};
    const Value thread =
        arith::IndexCastOp::create(builder, builder.getI32Type(),
                                   mlir::gpu::ThreadIdOp::create(builder, mlir::gpu::Dimension::x));
    const Value block = block_number(frame.context, mlir::gpu::Dimension::x);
    if (plan.rows)
      RowKernel(frame, *row_function(function)).write(thread, block);
    else if (plan.has_tiles())
      ElementTiles(frame).write(thread, block);
    else
      write_elements(
          frame, frame.context.add(frame.context.multiply(block, frame.plan.threads()), thread));
    mlir::gpu::ReturnOp::create(builder);
  };
  return kernel_for(plan.target, fill, /*index_bits=*/64);
}

}  // namespace heddle::compiler
