#include "compiler/warp_kernel/kernel_module.h"

#include "compiler/kernel/lowering.h"
#include "compiler/warp/passes.h"
#include "compiler/warp_kernel/wrapper.h"
#include "library/text/formatted.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace heddle::compiler {
namespace {

bool is_nvidia(instruction::Target target) {
  return instruction::is_nvidia(instruction::processor(target).family);
}

// The most static shared memory that a kernel may have: 48 KiB in PTX (CUDA Programming Guide,
// "Compute Capabilities"); on AMD all that a workgroup may have.
std::int64_t most_shared_bytes(instruction::Target target) {
  return is_nvidia(target) ? 48 << 10 : instruction::row(target).shared_bytes;
}

// The number of bits of an index. It is 64 for NVIDIA, since convert-nvgpu-to-nvvm (MLIR 22) makes
// memref descriptors with 64-bit indices.
unsigned index_bits(bool nvidia) { return nvidia ? 64 : 32; }

// If kernels of the target have 32-bit indices: refuses index constants that do not fit 32 bits.
bool check_indices(const WarpSource& source, instruction::Target target, Diagnostics& diagnostics) {
  if (index_bits(is_nvidia(target)) == 64) return true;
  const auto check = [&](mlir::arith::ConstantOp constant) {
    const auto number = mlir::dyn_cast<mlir::IntegerAttr>(constant.getValue());
    if (!number || !number.getType().isIndex() || number.getValue().isSignedIntN(32))
      return mlir::WalkResult::advance();
    diagnostics.error(
        constant.getLoc(), formatted("the index {}", number.getInt()),
        "indices from -2147483648 to 2147483647 on " + std::string(instruction::name(target)));
    return mlir::WalkResult::interrupt();
  };
  return !mlir::func::FuncOp(source.function).walk(check).wasInterrupted();
}

void load_thread_dialects(mlir::MLIRContext& context, instruction::Target target) {
  context.loadDialect<mlir::cf::ControlFlowDialect, mlir::LLVM::LLVMDialect>();
  if (is_nvidia(target))
    context.loadDialect<mlir::nvgpu::NVGPUDialect, mlir::NVVM::NVVMDialect>();
  else
    context.loadDialect<mlir::amdgpu::AMDGPUDialect, mlir::ROCDL::ROCDLDialect>();
}

}  // namespace

struct WarpKernelModule::State {
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  WarpKernelOptions options;
  std::string file_name, name, remarks;
  std::optional<WarpSource> source;
};

WarpKernelModule::WarpKernelModule(std::unique_ptr<State> state) : state_(std::move(state)) {}
WarpKernelModule::~WarpKernelModule() = default;

std::unique_ptr<WarpKernelModule> WarpKernelModule::read(std::string_view text,
                                                         std::string_view file_name,
                                                         const WarpKernelOptions& options,
                                                         std::string& errors) {
  auto state = std::make_unique<State>();
  load_warp_source_dialects(state->context);
  load_thread_dialects(state->context, options.target);
  state->options = options;
  state->file_name = file_name;
  Diagnostics diagnostics(file_name);
  const auto handler = diagnostics.attach(state->context);
  state->source = read_warp_source(state->context, text, file_name, diagnostics);
  if (!state->source || !check_indices(*state->source, options.target, diagnostics) ||
      !check_wrappable(*state->source, most_shared_bytes(options.target), diagnostics)) {
    errors = diagnostics.text();
    return nullptr;
  }
  state->name = state->source->function.getName().str();
  return std::unique_ptr<WarpKernelModule>(new WarpKernelModule(std::move(state)));
}

const std::string& WarpKernelModule::name() const { return state_->name; }
const std::string& WarpKernelModule::remarks() const { return state_->remarks; }

const std::vector<WarpArgument>& WarpKernelModule::arguments() const {
  return state_->source->arguments;
}

bool WarpKernelModule::lower_to_threads(std::string& errors) {
  Diagnostics diagnostics(state_->file_name);
  const auto handler = diagnostics.attach(state_->context);
  mlir::PassManager passes(&state_->context);
  add_matrix_passes(passes, {state_->options.target, state_->options.tf32});
  if (mlir::failed(passes.run(*state_->source->module))) {
    errors = diagnostics.text();
    return false;
  }
  state_->remarks = diagnostics.remarks();
  wrap_as_kernel(*state_->source, index_bits(is_nvidia(state_->options.target)),
                 state_->options.threads());
  return true;
}

std::string WarpKernelModule::text() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  state_->source->module->print(stream);
  return text;
}

std::unique_ptr<llvm::Module> WarpKernelModule::lower(llvm::LLVMContext& llvm_context,
                                                      std::string& errors) {
  const instruction::Target target = state_->options.target;
  return lowered(*state_->source->module,
                 {.target = target,
                  .index_bits = index_bits(is_nvidia(target)),
                  .file_name = state_->file_name,
                  .verifies = true},
                 llvm_context, errors);
}

}  // namespace heddle::compiler
