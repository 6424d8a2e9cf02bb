// The kernel whose thread blocks compute tiles in the order in which operands lie in memory and
// write them in the order of the result (plan::ElementPlan).
#pragma once

#include <vector>

#include "compiler/elements/element_code.h"
#include "compiler/kernel/thread_context.h"
#include "compiler/plan/element_plan.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace heddle::compiler {

/// What the parts of an element kernel have in common: the kernel that is built, the function that
/// it computes, the request and the plan.
struct ElementFrame {
  ThreadContext context;
  mlir::gpu::GPUModuleOp kernels;
  mutable mlir::gpu::GPUFuncOp kernel;  // their methods are not const
  mutable mlir::func::FuncOp function;
  const MatmulRequest& request;
  const plan::ElementPlan& plan;

  unsigned results() const { return function.getFunctionType().getNumResults(); }
  mlir::Value value(unsigned result) const {
    return function.getBody().front().getTerminator()->getOperand(result);
  }
  const BufferRecord& record(unsigned result) const {
    return request.buffers[function.getNumArguments() + result];
  }
  mlir::Value pointer(unsigned result) const {
    return kernel.getArgument(function.getNumArguments() + result);
  }
  /// Declares `bytes` of shared memory for the thread block, at a multiple of 16 bytes, and returns
  /// its address. May be called only once for a kernel.
  mlir::Value shared_memory(std::int64_t bytes) const;
  ElementCode code() const { return {context.builder, request, kernel.getArguments()}; }
  /// The address of element number `place` (i32 or i64) of an array of `type` that begins at
  /// `pointer`.
  mlir::Value address(mlir::Type type, mlir::Value pointer, mlir::Value place) const {
    return mlir::LLVM::GEPOp::create(
        context.builder, pointer.getType(), type, pointer,
        mlir::ValueRange(place.getType().isInteger(64) ? place : context.wide(place)));
  }
  void store(mlir::Value bits, mlir::Value pointer, mlir::Value place) const {
    mlir::LLVM::StoreOp::create(context.builder, bits, address(bits.getType(), pointer, place),
                                bits.getType().getIntOrFloatBitWidth() / 8);
  }
  /// Stores adjacent elements of an array, the first of them at number `place`. Precondition: there
  /// are 2^n of them, and `place` is a multiple of 2^n.
  void store(const std::vector<mlir::Value>& bits, mlir::Value pointer, mlir::Value place) const;
};

class ElementTiles {
 public:
  explicit ElementTiles(const ElementFrame& frame)
      : frame_(frame), context_(frame.context), plan_(frame.plan) {}

  void write(mlir::Value thread, mlir::Value block);

 private:
  /// The elements that a thread computes, or writes, at once. `read` and `write` (i32) are where
  /// they begin in the tile: along the dimension along which reads are contiguous, and along the
  /// one along which writes are contiguous.
  struct Piece {
    mlir::Value read, write;
  };
  using Each = llvm::function_ref<void(const std::vector<Piece>&)>;

  void compute(unsigned result, const std::vector<Piece>& pieces);
  std::vector<std::vector<mlir::Value>> elements(ElementCode& code, unsigned result,
                                                 const Piece& piece);
  void exchange(unsigned result, const std::vector<Piece>& pieces);
  void in_parts(std::int64_t count, const std::vector<Piece>& pieces, Each each);
  std::vector<Piece> pieces_to_compute() const;
  std::vector<Piece> pieces_to_write() const;
  mlir::Value number(const Piece& piece) const;
  mlir::Value place_in_shared(mlir::Value read, mlir::Value key, mlir::Value write) const;
  mlir::Value key(mlir::Value read) const;
  mlir::Value remainder(mlir::Value x, std::int64_t y) const;
  mlir::Value quotient(mlir::Value x, std::int64_t y) const;

  const ElementFrame& frame_;
  const ThreadContext& context_;
  const plan::ElementPlan& plan_;
  mlir::Value thread_;
  mlir::Value first_read_, first_write_;  // of the tile along both dimensions
  mlir::Value matrix_;                    // its number among all that the other dimensions count
  mlir::Value shared_;
};

}  // namespace heddle::compiler
