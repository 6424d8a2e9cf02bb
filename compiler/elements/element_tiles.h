// The kernel of tiles that are computed in one order and written in another (plan::ElementPlan).
#pragma once

#include <vector>

#include "compiler/elements/element_code.h"
#include "compiler/kernel/thread_context.h"
#include "compiler/plan/element_plan.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace heddle::compiler {

/// What a kernel is made of: the program, and where its results go.
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
  /// Memory of the block, at a multiple of 16 bytes; once in a kernel.
  mlir::Value shared_memory(std::int64_t bytes) const;
  ElementCode code() const { return {context.builder, request, kernel.getArguments()}; }
  /// The address of element `place` (i32 or i64) of an array.
  mlir::Value address(mlir::Type type, mlir::Value pointer, mlir::Value place) const {
    return mlir::LLVM::GEPOp::create(
        context.builder, pointer.getType(), type, pointer,
        mlir::ValueRange(place.getType().isInteger(64) ? place : context.wide(place)));
  }
  void store(mlir::Value bits, mlir::Value pointer, mlir::Value place) const {
    mlir::LLVM::StoreOp::create(context.builder, bits, address(bits.getType(), pointer, place),
                                bits.getType().getIntOrFloatBitWidth() / 8);
  }
  /// Stores neighbours from element `place` on, of which there are a power of two, and `place` is a
  /// multiple of it.
  void store(const std::vector<mlir::Value>& bits, mlir::Value pointer, mlir::Value place) const;
};

class ElementTiles {
 public:
  explicit ElementTiles(const ElementFrame& frame)
      : frame_(frame), context_(frame.context), plan_(frame.plan) {}

  void write(mlir::Value thread, mlir::Value block);

 private:
  /// A number of a piece of a tile as places along both dimensions, in the tile; i32.
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
