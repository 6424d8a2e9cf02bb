// The kernel of a plan::ElementPlan. If the plan has no rows (row_kernel.h) and no tiles
// (element_tiles.h), each thread computes elements of each result by itself. Results of the same
// shape are then computed together, so that what they have in common is computed once.
#include <algorithm>
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

// How many threads the grid has; i32.
Value thread_count(const ElementFrame& frame) {
  const plan::LaunchNumber blocks = frame.plan.grid()[0];
  const ThreadContext& context = frame.context;
  if (frame.request.problem.dynamic == 0)
    return context.constant(blocks.value(frame.plan.problem) * frame.plan.threads());
  SizedContext sized{context, {}};
  read_sizes(sized, frame.request, frame.kernel);
  Value all = context.constant(1);
  for (const auto& [loop, size] : blocks.tiles)
    if (size != 0)
      all = sized.multiply(
          all,
          Extent{-1, sized.divide(context.add(sized.value_of(sized.size(loop)), size - 1), size)});
  all = arith::MinUIOp::create(context.builder, all, context.constant(blocks.most));
  return context.multiply(all, blocks.times * frame.plan.threads());
}

Value as_wide(const ThreadContext& context, Value number) {
  return number.getType().isInteger(64) ? number : context.wide(number);
}

// Each thread computes one element, or several adjacent ones.
void write_elements(const ElementFrame& frame, Value first) {
  const ThreadContext& context = frame.context;
  std::map<std::vector<std::int64_t>, std::vector<unsigned>> shapes;
  for (unsigned result = 0; result < frame.results(); ++result) {
    std::vector<std::int64_t> shape = frame.record(result).shape;
    const bool is_known = std::ranges::none_of(shape, [](std::int64_t size) { return size < 0; });
    if (!is_known) shape = {-1, static_cast<std::int64_t>(result)};  // by itself
    shapes[shape].push_back(result);
  }
  const Value threads = thread_count(frame);
  const int together = frame.plan.together;
  for (const auto& [shape, results] : shapes) {
    const std::vector<Value> sizes = frame.code().sizes(frame.value(results[0]));
    std::int64_t known = 1;
    for (const Value size : sizes) known *= mlir::getConstantIntValue(size).value_or(1);
    const auto compute = [&](Value number) {
      ElementCode code = frame.code();
      const std::vector<Places> places = code.neighbours(number, sizes, together);
      std::vector<std::vector<Value>> values;
      for (const unsigned result : results) {
        std::vector<Value>& own = values.emplace_back();
        for (const Places& at : places)
          own.push_back(code.bits(code.element(frame.value(result), at), frame.record(result)));
      }
      const Value place =
          context.multiply(known > INT32_MAX ? as_wide(context, number) : number, together);
      for (std::size_t i = 0; i < results.size(); ++i)
        frame.store(values[i], frame.pointer(results[i]), place);
    };
    Value elements = context.constant(1);
    for (const Value size : sizes) {
      if (mlir::getConstantIntValue(size)) continue;
      elements = arith::MulIOp::create(
          context.builder, elements,
          arith::IndexCastOp::create(context.builder, context.builder.getI32Type(), size));
    }
    const bool is_known = shape.empty() || shape[0] >= 0;
    if (is_known && known / together <= frame.plan.grid()[0].value(frame.plan.problem) *
                                            std::int64_t{frame.plan.threads()}) {
      run_if(context, context.less(first, known / together), [&] { compute(first); });
      continue;
    }
    // A thread's counter ends beyond the last number, and must not wrap around there.
    const bool is_far = known / together > INT32_MAX - ElementPlan::most_loop_threads;
    const auto counted = [&](Value number) { return is_far ? as_wide(context, number) : number; };
    counted_loop(context, counted(first), context.multiply(counted(elements), known / together),
                 counted(threads), {},
                 [&](Value number, const std::vector<Value>&) -> std::vector<Value> {
                   compute(number);
                   return {};
                 });
  }
}

// The alignment of an argument's array that LLVM is told. It must divide the size of the array.
// Otherwise LLVM may join loads of neighbours and of what lies behind them to one aligned load,
// which could read beyond the end of an array whose size is no multiple of that alignment. The
// accesses to neighbours in rows of whole accesses do not depend on this alignment.
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
      if (mlir::isa<mlir::LLVM::LLVMPointerType>(types[i]))
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
