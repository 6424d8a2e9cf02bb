// The places of a thread's sums in D, and the values that the epilogues make of them.
#pragma once

#include <vector>

#include "compiler/kernel/epilogue.h"
#include "compiler/kernel/global_matrix.h"

namespace heddle::compiler {

class ResultElements {
 public:
  /// For tiles of `rows` times `columns`.
  ResultElements(const GlobalContext& context, const MatmulRequest& request,
                 const GlobalMatrices& matrices, int rows, int columns)
      : context_(context),
        matrices_(matrices),
        epilogue_(context, request),
        rows_(rows),
        columns_(columns) {}

  /// i1: whether a place is inside D; null: always.
  mlir::Value is_inside(const MatrixPlace& at) const;

  /// Adds C to sums that are neighbours along n from `at` on; the result has the product's type.
  std::vector<mlir::Value> rounded(llvm::ArrayRef<mlir::Value> sums, const MatrixPlace& at) const;
  /// Applies the epilogues: the values of D and of each further result. `everywhere`: the place may
  /// lie outside D, where no matrix may be read.
  std::vector<std::vector<mlir::Value>> finished(llvm::ArrayRef<mlir::Value> values,
                                                 const MatrixPlace& at, bool everywhere) const;

 private:
  std::vector<mlir::Value> load(const GlobalMatrix& matrix, const MatrixPlace& at,
                                std::size_t count, bool everywhere) const;

  const GlobalContext& context_;
  const GlobalMatrices& matrices_;
  Epilogue epilogue_;
  int rows_, columns_;
};

}  // namespace heddle::compiler
