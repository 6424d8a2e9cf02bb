#include "compiler/nvidia/warpgroup_frame.h"

namespace heddle::compiler {

using mlir::Value;

mlir::LLVM::LLVMFuncOp warpgroup_function(mlir::ImplicitLocOpBuilder& builder,
                                          const std::string& name, unsigned maps,
                                          const std::vector<mlir::Type>& others, int threads) {
  mlir::MLIRContext* context = builder.getContext();
  std::vector<mlir::Type> types(maps, mlir::LLVM::LLVMPointerType::get(context));
  types.insert(types.end(), others.begin(), others.end());
  const auto type =
      mlir::LLVM::LLVMFunctionType::get(mlir::LLVM::LLVMVoidType::get(context), types);
  auto function = mlir::LLVM::LLVMFuncOp::create(builder, name, type);
  function->setAttr(mlir::NVVM::NVVMDialect::getKernelFuncAttrName(), builder.getUnitAttr());
  function->setAttr(mlir::NVVM::NVVMDialect::getReqntidAttrName(),
                    builder.getDenseI32ArrayAttr({threads}));
  // Only one thread block runs on a multiprocessor, so ptxas may give its threads all registers.
  function->setAttr(mlir::NVVM::NVVMDialect::getMinctasmAttrName(), builder.getI32IntegerAttr(1));
  // A tensor map is passed by value: CUtensorMap, 128 bytes aligned to 64.
  const auto bytes = mlir::LLVM::LLVMArrayType::get(builder.getI8Type(), 128);
  for (unsigned i = 0; i < maps; ++i) {
    function.setArgAttr(i, mlir::LLVM::LLVMDialect::getByValAttrName(), mlir::TypeAttr::get(bytes));
    function.setArgAttr(i, mlir::LLVM::LLVMDialect::getAlignAttrName(),
                        builder.getI64IntegerAttr(64));
    function.setArgAttr(i, mlir::NVVM::NVVMDialect::getGridConstantAttrName(),
                        builder.getUnitAttr());
  }
  return function;
}

// Tiles with a 128-byte swizzle must begin at multiples of 1024, so the shared memory does, too.
Value dynamic_shared_memory(mlir::ImplicitLocOpBuilder& builder, mlir::gpu::GPUModuleOp module) {
  constexpr unsigned shared_space = 3, alignment = 1024;
  mlir::LLVM::GlobalOp global;
  std::string name;
  for (mlir::LLVM::LLVMFuncOp kernel : module.getOps<mlir::LLVM::LLVMFuncOp>())
    name += kernel.getName().str() + "_";
  {
    const mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    global = mlir::LLVM::GlobalOp::create(
        builder, mlir::LLVM::LLVMArrayType::get(builder.getI8Type(), 0), /*isConstant=*/false,
        mlir::LLVM::Linkage::External, name + "shared_memory", mlir::Attribute(), alignment,
        shared_space);
  }
  const Value pointer = mlir::LLVM::AddressOfOp::create(builder, global);
  return mlir::LLVM::PtrToIntOp::create(builder, builder.getI32Type(), pointer);
}

void place_warpgroup(WarpgroupContext& context) {
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  const mlir::Type i32 = builder.getI32Type();
  const Value thread = mlir::NVVM::ThreadIdXOp::create(builder, i32);
  context.lane = context.named("lane", context.remainder(thread, 32));
  // The number is taken from lane 0, so that ptxas knows that it is the same in all threads of a
  // warp.
  const Value uniform = mlir::NVVM::ShflOp::create(
      builder, i32, context.constant(-1), context.divide(thread, 32), context.constant(0),
      context.constant(31), mlir::NVVM::ShflKind::idx, /*return_value_and_is_valid=*/nullptr);
  context.warp = context.named("warp", context.remainder(uniform, 4));
  context.warpgroup = context.named("warpgroup", context.divide(uniform, 4));
}

void prefetch_map(const WarpgroupContext& context, Value map) {
  mlir::NVVM::PrefetchOp::create(context.builder, /*cacheLevel=*/nullptr,
                                 /*evictPriority=*/nullptr, map, /*predicate=*/Value(),
                                 /*tensormap=*/true, /*uniform=*/false,
                                 /*in_param_space=*/false);
}

void give_registers(const WarpgroupContext& context, int count) {
  mlir::NVVM::SetMaxRegisterOp::create(context.builder, static_cast<std::uint32_t>(count),
                                       mlir::NVVM::SetMaxRegisterAction::decrease);
}

void take_registers(const WarpgroupContext& context, int count) {
  mlir::NVVM::SetMaxRegisterOp::create(context.builder, static_cast<std::uint32_t>(count),
                                       mlir::NVVM::SetMaxRegisterAction::increase);
}

}  // namespace heddle::compiler
