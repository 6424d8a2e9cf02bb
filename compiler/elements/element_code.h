// Builds the code with which one thread computes one element of a tensor of a function. It goes
// from the element back to the elements of the function's arguments from which it is computed, and
// loads these. Tensors in between are never stored in memory.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/request/matmul_request.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle::compiler {

using Places = std::vector<mlir::Value>;  // of the type index, one for each dimension

class ElementCode {
 public:
  /// `arguments` are the kernel's (parameter_roles).
  ElementCode(mlir::ImplicitLocOpBuilder& builder, const MatmulRequest& request,
              mlir::ValueRange arguments);

  /// The element of `tensor` at `places` (an index for each dimension), in the type that the kernel
  /// uses for it.
  mlir::Value element(mlir::Value tensor, const Places& places);

  /// The bits with which the buffer stores a number.
  mlir::Value bits(mlir::Value number, const BufferRecord& buffer);

  /// The size of a dimension of a tensor (size), or of all its dimensions (sizes), of type index. A
  /// size that is known at compile time is a constant.
  mlir::Value size(mlir::Value tensor, unsigned dim);
  std::vector<mlir::Value> sizes(mlir::Value tensor);

  mlir::Value place(std::int64_t number);
  /// Converts a 32-bit number to the type of places, which is index.
  mlir::Value widened(mlir::Value number);
  /// The coordinates of element number `number` of a row-major tensor of these sizes, computed in
  /// 32 bits.
  Places coordinates(mlir::Value number, llvm::ArrayRef<std::int64_t> sizes);
  Places coordinates(mlir::Value number, const std::vector<mlir::Value>& sizes);
  /// The last dimension is cut into groups of `count` adjacent elements; its size must be a
  /// multiple of `count`. Returns the coordinates of each element of group number `number`.
  std::vector<Places> neighbours(mlir::Value number, llvm::ArrayRef<std::int64_t> sizes, int count);
  std::vector<Places> neighbours(mlir::Value number, std::vector<mlir::Value> sizes, int count);
  /// The places `first` to first + count - 1, where `first` is a multiple of `count`. They are
  /// marked as computed by the same thread: if the elements at these places are contiguous in
  /// memory, one access loads them.
  std::vector<mlir::Value> together(mlir::Value first, int count);

  /// One step of a reduction: the partial results `sums` combined with the element at the places
  /// `loops`, of which there is one for each loop.
  std::vector<mlir::Value> of_body(mlir::linalg::LinalgOp linalg, const Places& loops,
                                   const std::vector<mlir::Value>& sums);
  /// `initial` returns the initial values of a reduction. `of_loops` returns its results, computed
  /// by a loop of the thread. In `loops` the places of the loops that are reduced are null.
  std::vector<mlir::Value> initial(mlir::linalg::LinalgOp linalg, const Places& loops);
  std::vector<mlir::Value> of_loops(mlir::linalg::LinalgOp linalg, Places loops);
  /// Tells this object the results of a reduction at these places. Code that is built later uses
  /// them instead of computing the reduction.
  void remember(mlir::linalg::LinalgOp linalg, const Places& loops,
                const std::vector<mlir::Value>& results);
  /// Calls `code`, which builds code inside a region; the builder must point into that region.
  /// Values that are computed in the region are forgotten afterwards, since code behind the region
  /// cannot use them.
  void inside(llvm::function_ref<void()> code);

 private:
  using Numbers = std::map<const void*, mlir::Value>;  // of a body, by the value of the text
  using Key = std::pair<const void*, std::vector<const void*>>;
  static Key key_of(const void* of, const Places& places);

  mlir::Value compute(mlir::Value tensor, const Places& places);
  mlir::Value load(mlir::BlockArgument argument, const Places& places);
  mlir::Value load_together(mlir::BlockArgument argument, const Places& places);
  mlir::Value address(mlir::BlockArgument argument, const Places& places, mlir::Type stored);
  mlir::Value number_of_place(mlir::BlockArgument argument, const Places& places);
  mlir::Value number_of_bits(mlir::BlockArgument argument, mlir::Value bits);
  mlir::Value of_linalg(mlir::linalg::LinalgOp linalg, unsigned result, const Places& places);
  std::vector<mlir::Value> loop_sizes(mlir::linalg::LinalgOp linalg);
  mlir::Value computed_size(mlir::Value tensor, unsigned dim);
  static Key key_of_loops(mlir::linalg::LinalgOp linalg, const Places& loops);
  mlir::Value of_slice(mlir::tensor::ExtractSliceOp slice, const Places& places);
  mlir::Value of_insertion(mlir::tensor::InsertSliceOp insert, const Places& places);
  mlir::Value of_concat(mlir::tensor::ConcatOp concat, const Places& places);
  mlir::Value of_pad(mlir::tensor::PadOp pad, const Places& places);
  mlir::Value of_gather(mlir::tensor::GatherOp gather, const Places& places);
  mlir::Value of_block(mlir::Block& block, const Places& places);
  Places expanded(mlir::tensor::ExpandShapeOp expand, const Places& places);
  Places collapsed(mlir::tensor::CollapseShapeOp collapse, const Places& places);

  mlir::Value scalar(mlir::Value value, Numbers& numbers);
  mlir::Value number(mlir::OpFoldResult value);
  void read(mlir::Operation& operation, const Places& loops, Numbers& numbers);
  mlir::Value operation_on(mlir::Operation& operation, const std::vector<mlir::Value>& operands);
  mlir::Value of_places(mlir::Operation& operation, const std::vector<mlir::Value>& operands);

  mlir::Value either(mlir::Value condition, llvm::function_ref<mlir::Value()> yes,
                     llvm::function_ref<mlir::Value()> no);
  mlir::Value constant(mlir::Type type, std::int64_t number);
  mlir::Value zero(mlir::Type type);
  template <class Operation>
  mlir::Value made(mlir::Value x, mlir::Value y) {
    const Key key = key_of(Operation::getOperationName().data(), {x, y});
    if (const auto known = found(key)) return known->front();
    mlir::Value value = builder_.createOrFold<Operation>(x, y);
    const auto number = mlir::getConstantIntValue(value);
    if (number && value.getType().isIndex()) value = place(*number);
    known_.back()[key] = {value};
    return value;
  }
  mlir::Value is_less(mlir::Value x, mlir::Value y);

  mlir::ImplicitLocOpBuilder& builder_;
  const MatmulRequest& request_;
  std::vector<mlir::Value> arguments_;

  // The values that have been computed before the insertion point: a table for each open region,
  // the innermost last. Code in a region may use the values of all regions around it.
  std::vector<std::map<Key, std::vector<mlir::Value>>> known_{1};
  std::optional<std::vector<mlir::Value>> found(const Key& key) const;

  struct Neighbour {
    mlir::Value first;
    int number = 0, count = 1;
  };
  std::map<const void*, Neighbour> neighbours_;  // of places, by the place
  int branches_ = 0;                             // that the builder is in
};

}  // namespace heddle::compiler
