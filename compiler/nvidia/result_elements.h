// Where the sums of a thread are in D, and what becomes of them there.
#pragma once

#include <vector>

#include "compiler/kernel/epilogue.h"
#include "compiler/nvidia/global_matrix.h"

namespace heddle::compiler {

/// What the end of a kernel reads and writes.
struct ResultMatrices {
  const MatmulRequest& request;
  GlobalMatrix d;
  GlobalMatrix c;                    // added first; its pointer is null where there is none
  std::vector<GlobalMatrix> extras;  // further inputs of the epilogue
};

/// A place in D: of the thread (i32), and further by constants.
struct ResultPlace {
  mlir::Value m, n;
  std::int64_t down = 0, right = 0;
};

class ResultElements {
 public:
  /// Of tiles of `rows` times `columns`.
  ResultElements(const GlobalContext& context, const ResultMatrices& matrices, int rows,
                 int columns)
      : context_(context),
        matrices_(matrices),
        epilogue_(context, matrices.request),
        rows_(rows),
        columns_(columns) {}

  /// Whether all rows of a matrix begin at multiples of 1 << `bits` elements and none ends within
  /// so many, which lie beside each other. A matrix that is not there has such rows.
  static bool fits(const GlobalMatrix& matrix, int bits);

  /// i1: whether a place is inside D; null: always.
  mlir::Value is_inside(const ResultPlace& at) const;
  mlir::Value pointer(const GlobalMatrix& matrix, const ResultPlace& at) const;

  /// Sums that lie beside each other along n from `at` on, with C added, as the product's type.
  std::vector<mlir::Value> rounded(llvm::ArrayRef<mlir::Value> sums, const ResultPlace& at) const;
  /// What the epilogue makes of them. `everywhere`: the place may lie outside D, where nothing of
  /// the matrices may be read.
  std::vector<mlir::Value> finished(llvm::ArrayRef<mlir::Value> values, const ResultPlace& at,
                                    bool everywhere) const;

  std::vector<mlir::Value> elements_of(int count, mlir::Value vector) const;
  mlir::Value vector_of(mlir::Type type, llvm::ArrayRef<mlir::Value> values) const;
  mlir::Type number(instruction::ElementType type) const;

 private:
  std::vector<mlir::Value> load(const GlobalMatrix& matrix, const ResultPlace& at,
                                std::size_t count, bool everywhere) const;

  const GlobalContext& context_;
  const ResultMatrices& matrices_;
  Epilogue epilogue_;
  int rows_, columns_;
};

}  // namespace heddle::compiler
