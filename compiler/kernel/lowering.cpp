#include "compiler/kernel/lowering.h"

#include "compiler/diagnostics.h"
#include "compiler/kernel/branches.h"
#include "compiler/kernel/math_code.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "mlir/Conversion/AMDGPUToROCDL/AMDGPUToROCDL.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/GPUToROCDL/GPUToROCDLPass.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/NVGPUToNVVM/NVGPUToNVVM.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/ROCDL/ROCDLToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"

namespace heddle::compiler {
namespace {

bool is_nvidia(instruction::Target target) {
  return instruction::is_nvidia(instruction::processor(target).family);
}

void add_nvidia_passes(mlir::OpPassManager& passes, const Lowering& how) {
  // nvgpu.mma.sync, ldmatrix, device_async_copy … become nvvm operations. This comes first, because
  // it needs vectors and memrefs with their types.
  passes.addPass(mlir::createConvertNVGPUToNVVMPass());
  // Loops become blocks and branches; later passes do not change those.
  passes.addPass(create_branches_pass());
  // Lowers mathematical functions. convert-gpu-to-nvvm would turn them into calls of CUDA's
  // libdevice, which is not linked.
  passes.addPass(create_math_pass(MathBackend::nvptx));
  // Lowers all other operations. Indices have index_bits (usually 32) bits. That is enough for
  // offsets in shared memory; wider indices would only cost registers.
  mlir::ConvertGpuOpsToNVVMOpsOptions gpu;
  gpu.indexBitwidth = how.index_bits;
  passes.addPass(mlir::createConvertGpuOpsToNVVMOps(gpu));
  // nvvm operations for which LLVM has no intrinsic become inline PTX.
  passes.addPass(mlir::createConvertNVVMToLLVMPass());
}

void add_amd_passes(mlir::OpPassManager& passes, const Lowering& how) {
  // Loops become blocks and branches; later passes do not change those.
  passes.addPass(create_branches_pass());
  // Lowers mathematical functions. convert-gpu-to-rocdl would turn them into calls of ROCm's device
  // library, which is not linked.
  passes.addPass(create_math_pass(MathBackend::amdgpu));
  // amdgpu.wmma and amdgpu.lds_barrier become intrinsics of the target's instruction set.
  mlir::ConvertAMDGPUToROCDLPassOptions amdgpu;
  // The conversion knows gfx1250, but not gfx1251, which has the same intrinsics.
  const bool has_gfx1250_code =
      instruction::processor(how.target).has(instruction::Feature::gfx1250_code);
  amdgpu.chipset = has_gfx1250_code ? "gfx1250" : instruction::name(how.target);
  passes.addPass(mlir::createConvertAMDGPUToROCDLPass(amdgpu));
  // Lowers all other operations. Indices have index_bits (usually 32) bits: that is enough, because
  // addresses in LDS and offsets in buffers have 32 bits.
  mlir::ConvertGpuOpsToROCDLOpsOptions gpu;
  gpu.chipset = amdgpu.chipset;
  gpu.indexBitwidth = how.index_bits;
  gpu.runtime = mlir::gpu::amd::Runtime::HIP;
  passes.addPass(mlir::createConvertGpuOpsToROCDLOps(gpu));
}

// Registers, for each dialect, the patterns that the conversions use and the code that translates
// it to LLVM IR.
void register_interfaces(mlir::MLIRContext& context, instruction::Target target) {
  mlir::DialectRegistry registry;
  mlir::arith::registerConvertArithToLLVMInterface(registry);
  mlir::cf::registerConvertControlFlowToLLVMInterface(registry);
  mlir::registerConvertMemRefToLLVMInterface(registry);
  mlir::vector::registerConvertVectorToLLVMInterface(registry);
  mlir::ub::registerConvertUBToLLVMInterface(registry);
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerGPUDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  if (is_nvidia(target)) {
    mlir::registerConvertNVVMToLLVMInterface(registry);
    mlir::registerNVVMDialectTranslation(registry);
  } else {
    mlir::registerROCDLDialectTranslation(registry);
  }
  context.appendDialectRegistry(registry);
}

// The conversion to LLVM's dialect leaves the annotation of a loop on its branch as an attribute
// that the translation to LLVM IR does not know (MLIR 22). Sets the attribute that it knows.
void keep_loop_annotations(mlir::ModuleOp module) {
  module.walk([](mlir::LLVM::BrOp branch) {
    if (const auto annotation =
            branch->getAttrOfType<mlir::LLVM::LoopAnnotationAttr>("llvm.loop_annotation"))
      branch.setLoopAnnotationAttr(annotation);
  });
}

}  // namespace

void load_kernel_dialects(mlir::MLIRContext& context, instruction::Target target) {
  // Only the dialects that kernels need: loading them is a good part of the time of a compilation.
  context.loadDialect<mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect,
                      mlir::gpu::GPUDialect, mlir::LLVM::LLVMDialect, mlir::scf::SCFDialect>();
  if (is_nvidia(target))
    context.loadDialect<mlir::NVVM::NVVMDialect>();
  else
    context.loadDialect<mlir::amdgpu::AMDGPUDialect, mlir::memref::MemRefDialect,
                        mlir::ROCDL::ROCDLDialect, mlir::vector::VectorDialect>();
}

std::unique_ptr<llvm::Module> lowered(mlir::ModuleOp module, const Lowering& how,
                                      llvm::LLVMContext& llvm_context, std::string& errors) {
  mlir::MLIRContext& context = *module.getContext();
  register_interfaces(context, how.target);
  mlir::PassManager passes(&context);
  passes.enableVerifier(how.verifies);
  mlir::OpPassManager& kernel_passes = passes.nest<mlir::gpu::GPUModuleOp>();
  if (is_nvidia(how.target))
    add_nvidia_passes(kernel_passes, how);
  else
    add_amd_passes(kernel_passes, how);
  // Removes casts between index and i32 whose inverse follows.
  kernel_passes.addPass(mlir::createReconcileUnrealizedCastsPass());
  Diagnostics diagnostics(how.file_name);
  const auto handler = diagnostics.attach(context);
  std::unique_ptr<llvm::Module> translated;
  if (mlir::succeeded(passes.run(module))) {
    keep_loop_annotations(module);
    mlir::gpu::GPUModuleOp kernels = *module.getOps<mlir::gpu::GPUModuleOp>().begin();
    translated = mlir::translateModuleToLLVMIR(kernels, llvm_context, "kernels");
  }
  if (!translated) errors = diagnostics.text();
  return translated;
}

}  // namespace heddle::compiler
