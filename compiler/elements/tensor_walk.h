// Walks through the operations of a function on tensors and computes each; see tensor_reference.h.
//
// This header includes MLIR: C++20 only (see compiler/CMakeLists.txt).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/elements/tensor_value.h"
#include "compiler/request/matmul_request.h"
#include "llvm/ADT/DenseMap.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "runtime/numbers/interval.h"

namespace heddle::compiler {

/// The body of a linalg operation, which consists of operations of arith and math, as a list of
/// steps. Each value of the body has a number.
struct BodySteps {
  struct Step {
    mlir::Operation* operation = nullptr;
    std::vector<int> operands;
    int result = 0;
    Expression expression;  // of `inputs`, where it is one on numbers
    std::vector<int> inputs;
  };
  std::vector<Step> steps;
  std::vector<runtime::Interval> values;  // of arguments, constants and steps
  std::vector<int> arguments, results;
  std::vector<int> added;  // of each result: what a sum adds to it; -1: it is no sum of floats
};

class TensorWalk {
 public:
  explicit TensorWalk(std::int64_t most_steps) : steps_left_(most_steps) {}

  bool run(mlir::func::FuncOp function, std::vector<TensorValue> arguments);
  const TensorValue& value(mlir::Value of) const { return values_.find(of)->second; }
  const std::string& error() const { return error_; }

 private:
  bool refuse(const std::string& what);
  bool spend(std::int64_t steps);
  bool run_operation(mlir::Operation& operation);
  std::optional<Coordinates> shape_of(mlir::Operation& operation);
  std::optional<Coordinates> loops_of(mlir::linalg::LinalgOp operation);
  bool linalg(mlir::linalg::LinalgOp operation);
  bool elementwise(mlir::Operation& operation, const Coordinates& shape);
  bool extract(mlir::tensor::ExtractOp extract);
  bool extract_slice(mlir::tensor::ExtractSliceOp slice, const Coordinates& shape);
  bool insert_slice(mlir::tensor::InsertSliceOp insert);
  bool concat(mlir::tensor::ConcatOp concat, const Coordinates& shape);
  bool pad(mlir::tensor::PadOp pad, const Coordinates& shape);
  bool generate(mlir::tensor::GenerateOp generate, const Coordinates& shape);
  bool gather(mlir::tensor::GatherOp gather, const Coordinates& shape);

  std::optional<BodySteps> prepared(mlir::Block& block);
  bool run_body(BodySteps& body, const Coordinates& loops);
  std::optional<runtime::Interval> step(BodySteps::Step& step, const BodySteps& body,
                                        const Coordinates& loops);
  std::optional<runtime::Interval> of_places(mlir::Operation& operation,
                                             const std::vector<runtime::Interval>& operands);
  std::optional<std::int64_t> whole(const runtime::Interval& number);
  std::optional<std::int64_t> whole(mlir::OpFoldResult value);

  std::int64_t steps_left_;
  std::string error_;
  llvm::DenseMap<mlir::Value, TensorValue> values_;
};

}  // namespace heddle::compiler
