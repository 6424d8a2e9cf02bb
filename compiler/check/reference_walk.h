// Walks through the operations of one function and computes the value of each. What the intervals
// of these values mean is described in warp_reference.h.
//
// This header includes MLIR: C++20 only (see compiler/CMakeLists.txt).
#pragma once

#include <vector>

#include "compiler/check/warp_reference.h"
#include "compiler/diagnostics.h"
#include "compiler/warp_kernel/source.h"
#include "llvm/ADT/DenseMap.h"

namespace heddle::compiler {

/// A vector of any number of dimensions, with its elements in row-major order. A scalar has no
/// dimensions and one element.
struct VectorValue {
  std::vector<std::int64_t> shape;
  std::vector<Interval> elements;
};

/// Elements of an argument's memory.
struct MemrefView {
  std::size_t argument = 0;
  std::int64_t offset = 0;
  std::vector<std::int64_t> sizes, strides;
};

class ReferenceWalk {
 public:
  ReferenceWalk(Diagnostics& diagnostics, const ReferenceOptions& options,
                std::vector<std::vector<Cell>>& memory)
      : diagnostics_(diagnostics), options_(options), memory_(memory) {}

  bool run(mlir::func::FuncOp function, const std::vector<WarpArgument>& bound);

 private:
  struct Transfer;

  bool refuse(mlir::Operation& operation, std::string_view found, std::string_view accepted);
  bool spend(mlir::Operation& operation, std::int64_t steps);
  bool run_block(mlir::Block& block);
  bool run_operation(mlir::Operation& operation);
  bool constant(mlir::Operation& operation);
  bool elementwise(mlir::Operation& operation);
  bool select(mlir::Operation& operation);
  bool loop(mlir::Operation& operation);
  bool broadcast(mlir::Operation& operation);
  bool transpose(mlir::Operation& operation);
  bool transfer_read(mlir::Operation& operation);
  bool transfer_write(mlir::Operation& operation);
  bool contract(mlir::Operation& operation);
  bool subview(mlir::Operation& operation);
  bool dimension(mlir::Operation& operation);

  Cell* cell_of(const Transfer& transfer, const std::vector<std::int64_t>& position, bool& outside);
  std::int64_t index(mlir::Value value);
  Interval number(mlir::Value value) { return values_[value].elements[0]; }
  std::int64_t index(mlir::OpFoldResult value);

  Diagnostics& diagnostics_;
  const ReferenceOptions& options_;
  std::vector<std::vector<Cell>>& memory_;
  std::int64_t steps_ = 0;
  llvm::DenseMap<mlir::Value, VectorValue> values_;
  llvm::DenseMap<mlir::Value, MemrefView> views_;
};

/// Calls `function` with every position in an array of this shape (the last coordinate changes
/// fastest) and with its index. Stops, and returns false, when `function` returns false.
template <class Function>
bool for_each_position(const std::vector<std::int64_t>& shape, const Function& function) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  std::vector<std::int64_t> position(shape.size(), 0);
  for (std::int64_t i = 0; i < count; ++i) {
    if (!function(position, static_cast<std::size_t>(i))) return false;
    for (std::size_t dim = shape.size(); dim-- > 0;) {
      if (++position[dim] < shape[dim]) break;
      position[dim] = 0;
    }
  }
  return true;
}

/// Computes what one vector.contract does. warp_reference.h describes the intervals that its
/// results have.
struct ContractionReference {
  std::vector<std::int64_t> parallel, reduction;  // sizes
  // For A, B and C: by how much the index of an element grows for one step of each iterator.
  std::vector<std::int64_t> parallel_step[3], reduction_step[3];
  mlir::Type accumulator, input;
  bool tf32 = false;
  double smallest = 0;  // of A and B; what is smaller may be seen as 0

  VectorValue evaluate(const VectorValue& a, const VectorValue& b, const VectorValue& c) const;
};

}  // namespace heddle::compiler
