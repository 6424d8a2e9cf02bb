// Where the sums of a thread are in D, and what becomes of them there.
#pragma once

#include <vector>

#include "compiler/kernel/epilogue.h"
#include "compiler/nvidia/global_matrix.h"

namespace heddle::compiler {

class ResultElements {
 public:
  /// Of tiles of `rows` times `columns`.
  ResultElements(const GlobalContext& context, const MatmulRequest& request,
                 const GlobalMatrices& matrices, int rows, int columns)
      : context_(context),
        matrices_(matrices),
        epilogue_(context, request),
        rows_(rows),
        columns_(columns) {}

  /// i1: whether a place is inside D; null: always.
  mlir::Value is_inside(const MatrixPlace& at) const;

  /// Sums that lie beside each other along n from `at` on, with C added, as the product's type.
  std::vector<mlir::Value> rounded(llvm::ArrayRef<mlir::Value> sums, const MatrixPlace& at) const;
  /// What the epilogues make of them, for D and for each further result. `everywhere`: the place
  /// may lie outside D, where nothing of the matrices may be read.
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
