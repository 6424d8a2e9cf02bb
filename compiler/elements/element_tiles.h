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
  ElementCode code() const {
    return {context.builder, function, request,
            kernel.getArguments().take_front(function.getNumArguments())};
  }
  /// The address of element `place` (i32) of an array.
  mlir::Value address(mlir::Type type, mlir::Value pointer, mlir::Value place) const {
    return mlir::LLVM::GEPOp::create(context.builder, pointer.getType(), type, pointer,
                                     mlir::ValueRange(context.wide(place)));
  }
  void store(mlir::Value bits, mlir::Value pointer, mlir::Value place) const {
    mlir::LLVM::StoreOp::create(context.builder, bits, address(bits.getType(), pointer, place),
                                bits.getType().getIntOrFloatBitWidth() / 8);
  }
};

class ElementTiles {
 public:
  explicit ElementTiles(const ElementFrame& frame)
      : frame_(frame), context_(frame.context), plan_(frame.plan) {}

  void write(mlir::Value thread, mlir::Value block);

 private:
  /// A place of a thread: along the dimension of its warp's neighbours, and along the other.
  struct Place {
    mlir::Value x, y, y_in_tile;  // i32
  };
  using Each = llvm::function_ref<void(const std::vector<Place>&)>;

  void compute(const std::vector<Place>& places);
  void exchange(const std::vector<Place>& places);
  void in_parts(int x, int y, Each each);
  mlir::Value number(const Place& place) const;
  mlir::Value remainder(mlir::Value x, std::int64_t y) const;
  mlir::Value quotient(mlir::Value x, std::int64_t y) const;
  int pitch(unsigned result) const;
  void make_shared_tiles();

  const ElementFrame& frame_;
  const ThreadContext& context_;
  const plan::ElementPlan& plan_;
  mlir::Value x_, y_;                     // of the thread in a tile
  mlir::Value first_read_, first_write_;  // of the tile along both dimensions
  std::vector<mlir::Value> others_;       // the places along other dimensions
  std::vector<mlir::Value> shared_;       // a tile of each result
};

}  // namespace heddle::compiler
