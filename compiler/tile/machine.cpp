#include "compiler/tile/machine.h"

#include "compiler/kernel/expression_code.h"
#include "compiler/warp/conversion_code.h"
#include "heddle/instruction/numerics.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

namespace heddle::compiler {
namespace {

using mlir::Value;

Value call(const GlobalContext& context, mlir::Type type, llvm::StringRef intrinsic,
           mlir::ValueRange arguments) {
  return mlir::LLVM::CallIntrinsicOp::create(context.builder, type,
                                             context.builder.getStringAttr(intrinsic), arguments)
      .getResults();
}
Value call(const GlobalContext& context, llvm::StringRef intrinsic, Value x) {
  return call(context, x.getType(), intrinsic, x);
}

Value shuffled(const GlobalContext& context, Value x, int mask, int lanes) {
  return mlir::gpu::ShuffleOp::create(context.builder, x, context.constant(mask),
                                      context.constant(lanes), mlir::gpu::ShuffleMode::XOR)
      .getShuffleResult();
}

class MmaMachine : public Machine {
 public:
  explicit MmaMachine(const GlobalContext& context) : Machine(context) {}

  void copy(Value target, Value source, Value valid) const override {
    constexpr int bytes = 16;
    Value count;
    if (valid) count = context_.select(valid, context_.constant(bytes), context_.constant(0));
    mlir::NVVM::CpAsyncOp::create(context_.builder, target, source, bytes,
                                  mlir::NVVM::LoadCacheModifierKind::CG, count);
  }
  void commit() const override { mlir::NVVM::CpAsyncCommitGroupOp::create(context_.builder); }
  void wait(int newer) const override {
    mlir::NVVM::CpAsyncWaitGroupOp::create(context_.builder, static_cast<std::uint32_t>(newer));
  }
  void barrier() const override { mlir::NVVM::Barrier0Op::create(context_.builder); }

  Value power_of_two(Value x) const override {
    return call(context_, "llvm.nvvm.ex2.approx.ftz.f", x);
  }
  Value reciprocal(Value x) const override {
    return call(context_, "llvm.nvvm.rcp.approx.ftz.f", x);
  }
  Value bytes(const std::array<Value, 4>& x, instruction::ElementType type) const override {
    mlir::ImplicitLocOpBuilder& builder = context_.builder;
    const auto pair = [&](Value low, Value high) -> Value {
      return mlir::NVVM::ConvertF32x2ToF8x2Op::create(
          builder, builder.getI16Type(), high, low, mlir::NVVM::FPRoundingMode::RN,
          mlir::NVVM::SaturationMode::SATFINITE, false, number_type(builder.getContext(), type));
    };
    // As a vector, of which ptxas makes one register without shifts.
    const Value both = context_.vector_of({pair(x[0], x[1]), pair(x[2], x[3])});
    return mlir::LLVM::BitcastOp::create(builder, builder.getI32Type(), both);
  }
  Value any(Value x) const override {
    return call(context_, x.getType(), "llvm.nvvm.vote.any.sync", {context_.constant(-1), x});
  }
  Value of_lane(Value x, int mask) const override { return shuffled(context_, x, mask, 32); }
};

class AmdMachine : public Machine {
 public:
  AmdMachine(const GlobalContext& context, int lanes) : Machine(context), lanes_(lanes) {}

  // Its copies pass registers (SharedTile).
  void copy(Value, Value, Value) const override {}
  void commit() const override {}
  void wait(int) const override {}
  void barrier() const override { mlir::amdgpu::LDSBarrierOp::create(context_.builder); }

  Value power_of_two(Value x) const override { return call(context_, "llvm.amdgcn.exp2", x); }
  Value reciprocal(Value x) const override { return call(context_, "llvm.amdgcn.rcp", x); }
  Value bytes(const std::array<Value, 4>& x, instruction::ElementType type) const override {
    mlir::ImplicitLocOpBuilder& builder = context_.builder;
    const bool is_e5m2 = instruction::float_shape(type).fraction_bits == 2;
    Value word = context_.constant(0);
    for (const std::size_t first : {std::size_t{0}, std::size_t{2}}) {
      const Value low = x[first], high = x[first + 1];
      word = is_e5m2 ? mlir::ROCDL::CvtPkBf8F32Op::create(builder, builder.getI32Type(), low, high,
                                                          word, first != 0)
                           .getResult()
                     : mlir::ROCDL::CvtPkFp8F32Op::create(builder, builder.getI32Type(), low, high,
                                                          word, first != 0)
                           .getResult();
    }
    return word;
  }
  Value any(Value x) const override {
    const mlir::Type mask = context_.builder.getIntegerType(static_cast<unsigned>(lanes_));
    return context_.differs(call(context_, mask, "llvm.amdgcn.ballot", x), 0);
  }
  Value of_lane(Value x, int mask) const override {
    if (lanes_ != 32 || mask != 16) return shuffled(context_, x, mask, lanes_);
    return of_other_half(context_.builder, x);
  }

 private:
  int lanes_;
};

}  // namespace

Value Machine::larger(Value x, Value y) const {
  return mlir::arith::MaxNumFOp::create(context_.builder, x, y);
}

std::unique_ptr<Machine> machine_of(instruction::Target target, const GlobalContext& context) {
  if (instruction::is_nvidia(instruction::processor(target).family))
    return std::make_unique<MmaMachine>(context);
  return std::make_unique<AmdMachine>(context, instruction::default_wave(target));
}

}  // namespace heddle::compiler
