// Code of one thread for one element of a tensor of a function: each value is followed back to
// elements of the function's arguments, which are loaded. Nothing in between is in memory.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/request/matmul_request.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle::compiler {

using Places = std::vector<mlir::Value>;  // of the type index, one for each dimension

class ElementCode {
 public:
  /// `pointers` are those to the arguments of `function`, whose records are the first of the
  /// request's buffers.
  ElementCode(mlir::ImplicitLocOpBuilder& builder, mlir::func::FuncOp function,
              const MatmulRequest& request, mlir::ValueRange pointers);

  /// The element of `tensor` at these places, of its number type.
  mlir::Value element(mlir::Value tensor, const Places& places);

  /// A number as the bits that a buffer has of it.
  mlir::Value bits(mlir::Value number, const BufferRecord& buffer);

  mlir::Value place(std::int64_t number);
  mlir::Value sum(mlir::Value x, mlir::Value y);
  /// A number of 32 bits as a place.
  mlir::Value widened(mlir::Value number);
  /// The coordinates of element `number` of a row-major tensor of these sizes; 32-bit arithmetic.
  Places coordinates(mlir::Value number, llvm::ArrayRef<std::int64_t> sizes);
  /// The coordinates of `count` neighbours along the last dimension, which is a multiple of it, of
  /// which this is group `number`.
  std::vector<Places> neighbours(mlir::Value number, llvm::ArrayRef<std::int64_t> sizes, int count);

 private:
  using Numbers = std::map<const void*, mlir::Value>;  // of a body, by the value of the text

  mlir::Value compute(mlir::Value tensor, const Places& places);
  mlir::Value load(mlir::BlockArgument argument, const Places& places);
  mlir::Value of_linalg(mlir::linalg::LinalgOp linalg, unsigned result, const Places& places);
  std::vector<mlir::Value> of_loops(mlir::linalg::LinalgOp linalg, Places loops);
  std::vector<mlir::Value> of_body(mlir::linalg::LinalgOp linalg, const Places& loops,
                                   const std::vector<mlir::Value>& sums);
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
  mlir::Value made(mlir::Value x, mlir::Value y);
  mlir::Value is_less(mlir::Value x, mlir::Value y);

  mlir::ImplicitLocOpBuilder& builder_;
  mlir::func::FuncOp function_;
  const MatmulRequest& request_;
  std::vector<mlir::Value> pointers_;

  // What is known already where the builder stands; inner regions see what is outside of them.
  using Key = std::pair<const void*, std::vector<const void*>>;
  std::vector<std::map<Key, std::vector<mlir::Value>>> known_{1};
  std::optional<std::vector<mlir::Value>> found(const Key& key) const;
};

}  // namespace heddle::compiler
