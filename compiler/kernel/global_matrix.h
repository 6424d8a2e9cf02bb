// Matrices in global memory, and arithmetic on offsets in them.
#pragma once

#include "compiler/kernel/product_frame.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace heddle::compiler {

/// A matrix in global memory. Element (i, j) lies behind `pointer` by the distance of i along `row`
/// plus the distance of j along `column`.
struct GlobalMatrix {
  mlir::Value pointer;  // !llvm.ptr<1>; null where the kernel has no such matrix
  Extent rows, columns;
  AxisExtent row, column, batch;  // in counted_bytes, as `pointer` is from `argument`; wide
  std::int64_t offset_bytes = 0;  // from the argument to the first matrix
  instruction::ElementType element{};
  std::vector<PaddingExtent> padding;  // of A and B
  mlir::Value stored;                  // an element in memory: `pointer`, but where that is padding
  mlir::Value argument;                // !llvm.ptr<1>

  int element_bytes() const { return counted_bytes(element); }
  /// True if the elements of a row are contiguous, all rows begin and end at multiples of 2^bits
  /// elements, and so many elements have at most 16 bytes. Also true if the kernel has no such
  /// matrix.
  bool fits(int bits) const;
  GlobalMatrix transposed() const;
};

using GlobalMatrices = ProductMatrices<GlobalMatrix>;

/// An element of a matrix: its row is `row` + `down`, its column is `column` + `right`. `row` and
/// `column` (i32) depend on the thread, the others are known at compile time.
struct MatrixPlace {
  mlir::Value row, column;
  std::int64_t down = 0, right = 0;
};

/// A tile of D that a block computes.
struct BlockTile {
  mlir::Value m, n;    // i32: its first row and column
  mlir::Value valid;   // i1: whether there is such a tile; null: yes
  mlir::Value batch;   // i32: number of its matrix; null: the block's only one
  mlir::Value number;  // i32: of the tile among those of all matrices; null where nobody asks
};

struct GlobalContext : SizedContext {
  mlir::Value select(mlir::Value condition, mlir::Value yes, mlir::Value no) const {
    return mlir::arith::SelectOp::create(builder, condition, yes, no);
  }
  /// x and y; a null operand means true.
  mlir::Value both(mlir::Value x, mlir::Value y) const {
    if (!x || !y) return x ? x : y;
    return mlir::arith::AndIOp::create(builder, x, y);
  }

  /// elements_of returns the elements of a vector; a value that is no vector counts as one element.
  /// vector_of makes a vector of values.
  std::vector<mlir::Value> elements_of(mlir::Value vector) const;
  mlir::Value vector_of(llvm::ArrayRef<mlir::Value> values) const;

  /// The matrix that `record` describes. `pointer` is the kernel's argument. `batch` (i32) is which
  /// matrix of the batch; null if there is only one.
  GlobalMatrix matrix(const MatrixRecord& record, mlir::Value pointer, plan::Loop rows,
                      plan::Loop columns, mlir::Value batch) const;
  mlir::Value pointer(const GlobalMatrix& matrix, const MatrixPlace& at) const;
  /// Loads `count` contiguous elements that begin at `pointer`. The result has all of them;
  /// element_of takes one out of it. Precondition: `pointer` is a multiple of the size of `count`
  /// elements behind the beginning of the matrix.
  mlir::Value load(const GlobalMatrix& matrix, mlir::Value pointer, int count) const;
  /// Element number `index` of `loaded`, the result of a load of `count` elements, as an integer
  /// with the element's bits.
  mlir::Value element_of(const GlobalMatrix& matrix, mlir::Value loaded, int count,
                         int index) const;
  /// Loads `count` contiguous elements of a row, the first of them at `at`, and returns them as
  /// numbers (compiler/kernel/expression_code.h). Loads are as wide as the alignment of rows
  /// allows. Precondition: `count` is a power of two, and the column of `at` is a multiple of it.
  ///
  /// `inside` tells for a place whether it is inside the matrix (i1; null: it certainly is). For an
  /// element outside, the first element of the matrix is read instead. But if the kernel also
  /// writes the matrix (`is_written`), nothing is read instead, because another thread may be
  /// writing the first element.
  std::vector<mlir::Value> load(const GlobalMatrix& matrix, MatrixPlace at, std::size_t count,
                                llvm::function_ref<mlir::Value(const MatrixPlace&)> inside,
                                bool is_written = false) const;
};

}  // namespace heddle::compiler
