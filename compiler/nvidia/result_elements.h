// Finds out where a thread's sums belong in D, and computes from the sums what the epilogues store.
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

  /// i1: true if a place is inside D; null: always.
  mlir::Value is_inside(const MatrixPlace& at) const;

  /// Adds elements of C to `sums`, which belong to adjacent elements of a row of D, the first of
  /// them at `at`. The results are rounded to the product's type.
  std::vector<mlir::Value> rounded(llvm::ArrayRef<mlir::Value> sums, const MatrixPlace& at) const;
  /// Applies the epilogues to `values`, which rounded() has returned. Returns a list with the
  /// values for D, then one for each further result. `everywhere`: the place `at` may lie outside
  /// D, so elements of matrices are read only where it lies inside.
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
