#include "compiler/warp/passes.h"

#include "compiler/dialect/dialect.h"
#include "compiler/warp/conversion_plan.h"
#include "compiler/warp/pass_base.h"
#include "heddle/instruction/processor_name.h"
#include "heddle/layout/text.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

namespace heddle::compiler {

bool show_layouts = false;

bool has_warp_vectors(mlir::FunctionOpInterface function) {
  return function
      ->walk([](mlir::Operation* operation) {
        return mlir::isa<mlir::vector::ContractionOp, mlir::vector::TransferReadOp,
                         mlir::vector::TransferWriteOp, dialect::ConvertLayoutOp>(operation)
                   ? mlir::WalkResult::interrupt()
                   : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

mlir::FailureOr<WarpOptions> warp_options(mlir::Operation* where, llvm::StringRef target,
                                          bool tf32) {
  const instruction::ProcessorRow* row =
      instruction::find_processor_by_any_name(std::string_view(target.data(), target.size()));
  if (row != nullptr && instruction::is_compiled_for(row->target))
    return WarpOptions{row->target, tf32};
  std::string accepted;
  for (const instruction::ProcessorRow& other : instruction::processor_rows)
    if (instruction::is_compiled_for(other.target))
      accepted += (accepted.empty() ? "" : ", ") + std::string(other.name);
  // A wrong target is not the fault of an operation, so the error is reported at the start of the
  // file.
  const auto file = where->getLoc()->findInstanceOf<mlir::FileLineColLoc>();
  const mlir::Location place =
      file ? mlir::FileLineColLoc::get(file.getFilename(), 1, 1) : where->getLoc();
  return mlir::emitError(place) << "target " << target << "; accepted: " << accepted
                                << ", and products of these, as MI300X or H100";
}

void print_layouts(mlir::FunctionOpInterface function, llvm::StringRef after,
                   const WarpOptions& options) {
  if (!show_layouts) return;
  const LayoutTable table = read_layouts(function, options.lanes());
  llvm::raw_ostream& out = llvm::errs();
  out << "after " << after << ", " << function.getName() << ":\n";
  int conversions = 0;
  function->walk([&](mlir::Operation* operation) {
    for (const mlir::Value result : operation->getResults()) {
      const auto found = table.find(result);
      if (found != table.end())
        out << "  " << operation->getName() << " : " << result.getType() << "\n    "
            << layout::text(found->second).view() << "\n";
    }
    auto convert = mlir::dyn_cast<dialect::ConvertLayoutOp>(operation);
    if (!convert) return;
    ++conversions;
    const auto from = table.find(convert.getSource());
    const auto to = table.find(convert.getResult());
    if (from == table.end() || to == table.end()) return;
    const auto plan =
        plan_layout_conversion(from->second, to->second, options.target,
                               static_cast<int>(convert.getType().getElementTypeBitWidth()));
    if (plan)
      out << "    from " << layout::text(from->second).view() << "\n    by " << plan->way
          << ", cost " << plan->cost << "\n";
  });
  out << "  conversions: " << conversions << "\n";
}

void register_warp_dialects(mlir::DialectRegistry& registry) {
  registry.insert<dialect::HeddleDialect, mlir::amdgpu::AMDGPUDialect, mlir::arith::ArithDialect,
                  mlir::gpu::GPUDialect, mlir::LLVM::LLVMDialect, mlir::memref::MemRefDialect,
                  mlir::NVVM::NVVMDialect, mlir::nvgpu::NVGPUDialect, mlir::ROCDL::ROCDLDialect,
                  mlir::scf::SCFDialect, mlir::vector::VectorDialect>();
}

namespace {

void add_passes(mlir::OpPassManager& passes, llvm::StringRef target, bool tf32) {
  // Propagates layouts, starting from those that matrix instructions require.
  passes.addPass(create_assign_layouts_pass(target, tf32));
  // This pass may repeat a read in another layout; it runs before the next pass splits up each
  // read.
  passes.addPass(create_minimise_conversions_pass(target, tf32));
  passes.addPass(create_distribute_pass(target, tf32));
  // These passes simplify nested slices and constant parts of addresses, which the ones above emit
  // freely.
  passes.addPass(mlir::createCanonicalizerPass());
  passes.addPass(mlir::createCSEPass());
}

struct MatrixOptions : mlir::PassPipelineOptions<MatrixOptions> {
  Option<std::string> target{*this, "target",
                             llvm::cl::desc("the processor: sm_80, gfx1151, MI300X, ..."),
                             llvm::cl::init("sm_80")};
  Option<bool> tf32{*this, "tf32", llvm::cl::desc("round f32 operands to tf32 (NVIDIA, gfx942)"),
                    llvm::cl::init(false)};
};

}  // namespace

void add_matrix_passes(mlir::OpPassManager& passes, const WarpOptions& options) {
  const std::string_view name = instruction::name(options.target);
  add_passes(passes, llvm::StringRef(name.data(), name.size()), options.tf32);
}

void register_warp_passes() {
  constexpr llvm::StringLiteral first = "sm_80";  // without the option
  mlir::registerPass([=] { return create_assign_layouts_pass(first, false); });
  mlir::registerPass([=] { return create_minimise_conversions_pass(first, false); });
  mlir::registerPass([=] { return create_distribute_pass(first, false); });
  mlir::PassPipelineRegistration<MatrixOptions>(
      "heddle-matrix", "Vectors of a warp to matrix instructions of one thread",
      [](mlir::OpPassManager& passes, const MatrixOptions& given) {
        add_passes(passes, given.target.getValue(), given.tf32);
      });
}

}  // namespace heddle::compiler
