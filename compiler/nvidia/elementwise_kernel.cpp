// The elementwise kernel. A thread loads, computes and stores adjacent elements of a row of D, as
// many as fill 16 bytes. If rows of D do not begin at multiples of 16 bytes, a thread takes single
// elements instead, and the threads of a warp take adjacent elements.
#include "compiler/kernel/epilogue.h"
#include "compiler/kernel/product_frame.h"
#include "compiler/kernel/product_kernel.h"
#include "compiler/kernel/global_matrix.h"

namespace heddle::compiler {
namespace {

using mlir::Value;
using plan::Loop;

class ElementwiseKernel {
 public:
  ElementwiseKernel(mlir::ImplicitLocOpBuilder& builder, mlir::gpu::GPUFuncOp function,
                    const MatmulRequest& request, const plan::ElementwisePlan& plan)
      : context_{{{builder, {}, {}}, {}}}, function_(function), request_(request), plan_(plan) {
    read_sizes(context_, request, function);
  }

  void write() {
    const MatrixPlace first = place();
    run_if(context_, context_.less(first.row, context_.size(Loop::m)), [&] {
      for (int step = 0; step < plan_.steps; ++step) {
        MatrixPlace at = first;
        at.column = context_.add(at.column, step * plan_.columns_of_step());
        run_if(context_, context_.less(at.column, context_.size(Loop::n)), [&] { compute(at); });
      }
    });
    mlir::gpu::ReturnOp::create(context_.builder);
  }

 private:
  // The place of the thread's first element; sets batch_.
  MatrixPlace place() {
    Value block = block_number(context_, mlir::gpu::Dimension::x);
    const Value thread = mlir::arith::IndexCastOp::create(
        context_.builder, context_.builder.getI32Type(),
        mlir::gpu::ThreadIdOp::create(context_.builder, mlir::gpu::Dimension::x));
    const std::int64_t tiles_m = tiles(Loop::m, plan_.rows());
    const std::int64_t tiles_n = tiles(Loop::n, plan_.columns());
    const Value tile_n = context_.remainder(block, tiles_n);
    block = context_.divide(block, tiles_n);
    if (plan_.problem.batch > 1) {
      batch_ = context_.divide(block, tiles_m);
      block = context_.remainder(block, tiles_m);
    }
    const Value row = context_.add(context_.multiply(block, plan_.rows()),
                                   context_.divide(thread, plan_.threads_in_row));
    const Value in_row = context_.remainder(thread, plan_.threads_in_row);
    return {row, context_.add(context_.multiply(tile_n, plan_.columns()),
                              context_.multiply(in_row, plan_.width))};
  }

  std::int64_t tiles(Loop loop, int size) const {
    return (plan_.problem.size(loop) + size - 1) / size;
  }

  GlobalMatrix matrix(const MatrixRecord& record) const {
    const Value pointer = function_.getArgument(static_cast<unsigned>(record.parameter));
    return context_.matrix(record, pointer, Loop::m, Loop::n, batch_);
  }

  void compute(const MatrixPlace& at) const {
    const auto width = static_cast<std::size_t>(plan_.width);
    const bool has_edge = plan_.problem.n % plan_.width != 0;
    const auto is_inside = [&](const MatrixPlace& place) {
      return context_.less(context_.add(place.column, place.right), context_.size(Loop::n));
    };
    const Epilogue epilogue(context_, request_);
    const Value no_sum = epilogue.rounded(epilogue.initial(epilogue.sum_type(), {}));
    std::vector<std::vector<Value>> inputs(width, {no_sum});
    for (const MatrixRecord& record : request_.extras) {
      const std::vector<Value> read = context_.load(
          matrix(record), at, width,
          [&](const MatrixPlace& place) { return has_edge ? is_inside(place) : Value(); });
      for (std::size_t i = 0; i < width; ++i) inputs[i].push_back(read[i]);
    }
    std::vector<Value> values;
    for (const std::vector<Value>& each : inputs) values.push_back(epilogue.finished(each)[0]);
    const GlobalMatrix d = matrix(request_.d);
    if (width == 1) return store(values[0], d, at);
    if (!has_edge) return store(context_.vector_of(values), d, at);
    MatrixPlace last = at;
    last.right = plan_.width - 1;
    run_if(
        context_, is_inside(last), [&] { store(context_.vector_of(values), d, at); },
        [&] {
          MatrixPlace one = at;
          for (const Value value : values) {
            run_if(context_, is_inside(one), [&] { store(value, d, one); });
            ++one.right;
          }
        });
  }

  void store(Value value, const GlobalMatrix& d, const MatrixPlace& at) const {
    const bool is_vector = mlir::isa<mlir::VectorType>(value.getType());
    const int bytes = d.element_bytes() * (is_vector ? plan_.width : 1);
    mlir::LLVM::StoreOp::create(context_.builder, value, context_.pointer(d, at),
                                static_cast<unsigned>(bytes));
  }

  GlobalContext context_;
  mutable mlir::gpu::GPUFuncOp function_;  // whose methods are not const
  const MatmulRequest& request_;
  const plan::ElementwisePlan& plan_;
  Value batch_;  // i32; null: there is one matrix
};

}  // namespace

std::unique_ptr<KernelModule> product_kernel(const MatmulRequest& request,
                                             const plan::ElementwisePlan& plan) {
  return kernel_for(plan.target, [&](mlir::ImplicitLocOpBuilder& builder, mlir::gpu::GPUModuleOp) {
    const auto types = parameter_types(builder, request, /*has_workspace=*/false);
    auto function = mlir::gpu::GPUFuncOp::create(
        builder, request.function, mlir::FunctionType::get(builder.getContext(), types, {}));
    function->setAttr(mlir::gpu::GPUDialect::getKernelFuncAttrName(), builder.getUnitAttr());
    builder.setInsertionPointToStart(&function.getBody().front());
    ElementwiseKernel(builder, function, request, plan).write();
  });
}

}  // namespace heddle::compiler
