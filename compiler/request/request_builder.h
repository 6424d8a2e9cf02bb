// From the formula of a function to the record that compilers of kernels take: which operand is A,
// which loop is m, where each matrix lies, and what types are multiplied.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "compiler/request/formula_reader.h"
#include "compiler/request/matmul_request.h"

namespace heddle::compiler {

class RequestBuilder {
 public:
  RequestBuilder(mlir::func::FuncOp function, const Formula& formula, Diagnostics& diagnostics)
      : function_(function), formula_(formula), diagnostics_(diagnostics) {}

  std::optional<MatmulRequest> build();

 private:
  bool refuse(mlir::Location place, std::string_view found, std::string_view accepted);
  mlir::Location place() const { return formula_.contraction.operation->getLoc(); }

  bool find_result_loops();
  bool find_leaves();
  int innermost(const Leaf& leaf) const;
  std::size_t lone_batch(const Leaf& leaf, const std::vector<int>& loops) const;
  bool name_loops();
  bool find_types();
  bool find_initial();
  void find_epilogue();
  bool find_buffers();
  bool find_sizes();
  bool find_matrices();
  bool find_form(const MatrixRecord& matrix, const Leaf& leaf, int row, plan::OperandForm& form);
  bool check_result_places();
  bool check_writes();
  bool check_size(const MatrixRecord& matrix, plan::Loop rows, plan::Loop columns);

  std::optional<plan::Loop> name_of(int loop) const;
  MatrixRecord matrix(const Leaf& leaf, plan::Loop rows, plan::Loop columns) const;
  Stride stride(const BufferRecord& buffer, std::size_t dimension) const;

  mlir::func::FuncOp function_;
  const Formula& formula_;
  Diagnostics& diagnostics_;

  std::vector<int> result_loops_;            // of the contraction, for each dimension of D
  int row_ = -1, column_ = -1, batch_ = -1;  // loops of the contraction
  int a_side_ = 0;                           // which factor is A
  Element factors_[2];                       // of A and of B, without the last widening cast
  Leaf leaves_[2];
  Element result_;              // with the initial value, where that is a formula
  std::optional<Leaf> c_leaf_;  // over loops
  MatmulRequest request_;
};

}  // namespace heddle::compiler
