// The body of a function as one contraction and a formula of its result.
//
// Every linalg operation whose loops are all parallel is a formula for each element (element.h);
// one of them must be a contraction: a sum of products of two formulas. What the function returns,
// or leaves in a memref, is then a formula of that sum.
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "compiler/request/element.h"
#include "compiler/request/tensor_formula.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::compiler {

/// What a text may contain, for messages.
inline constexpr std::string_view accepted_body =
    "linalg.matmul or other contractions, with arith.constant, tensor.empty, linalg.fill and "
    "elementwise linalg operations before and after it";

/// One coordinate of a contraction.
struct ContractionLoop {
  std::int64_t size = -1;  // -1: not known
  bool is_summed = false;
};

/// result[coordinates] = initial[coordinates] + sum over the summed loops of
///                       factors[0] * factors[1],
/// or with another step in place of the addition, of factors[0] alone.
struct ContractionFormula {
  mlir::Operation* operation = nullptr;
  std::vector<ContractionLoop> loops;
  Element factors[2];               // over the loops
  mlir::Value operands[2];          // where each comes from, for messages
  Element initial;                  // over the coordinates of the result
  bool initial_is_any = false;      // nothing wrote it
  std::vector<int> result;          // the loop of each coordinate of the result
  instruction::ElementType type{};  // in which it multiplies and adds
  Step combine = Step::add;         // one that reduces
};

/// What a function returns besides its first result, computed from the same contraction.
struct FurtherFormula {
  TensorFormula result;  // over its own coordinates
  mlir::Value place;     // for messages
};

/// All that a function does.
struct Formula {
  ContractionFormula contraction;
  TensorFormula result;   // D, over its own coordinates
  mlir::Value place;      // of the result, for messages
  mlir::ShapedType type;  // of the result
  int written = -1;       // the memref argument that holds the result; -1: it is returned
  std::vector<FurtherFormula> further;
};

class FormulaReader {
 public:
  FormulaReader(mlir::func::FuncOp function, Diagnostics& diagnostics)
      : function_(function), diagnostics_(diagnostics) {}

  std::optional<Formula> read();

 private:
  bool refuse(mlir::Location place, std::string_view found, std::string_view accepted);
  bool check_body();
  bool refuse_unwritten(mlir::Value operand, bool is_product);
  TensorFormula tensor(mlir::Value value) const;
  bool check_sizes(mlir::linalg::LinalgOp operation);
  std::optional<std::vector<Parts>> parts_of_loops(mlir::linalg::LinalgOp operation);
  bool read_operation(mlir::Operation& operation);
  bool read_linalg(mlir::linalg::LinalgOp operation);
  bool read_elementwise(mlir::Operation& operation);
  bool read_contraction(mlir::linalg::LinalgOp operation, const Element& body, int root,
                        const std::vector<Parts>& loops);
  std::optional<int> bind(mlir::OpOperand& operand, mlir::AffineMap map,
                          const std::vector<Parts>& loops, Element& body);
  TensorFormula result_of(mlir::linalg::LinalgOp operation, const std::vector<Parts>& loops,
                          const Element& over_loops) const;
  const Element* captured(mlir::Value value) const;
  void write(mlir::linalg::LinalgOp operation, TensorFormula tensor);
  bool read_end();
  bool read_result(mlir::Operation* end, mlir::Value value, TensorFormula& result);

  mlir::func::FuncOp function_;
  Diagnostics& diagnostics_;
  std::map<const void*, TensorFormula>
      tensors_;                       // by the value, as it is at this point of the text
  std::vector<mlir::Value> written_;  // memref arguments
  bool has_contraction_ = false;
  Formula formula_;
};

/// Where to point for `value`.
mlir::Location place_of(mlir::Value value);

}  // namespace heddle::compiler
