// Matrices in global memory, and arithmetic on offsets there, as the kernels of NVIDIA have them.
#pragma once

#include "compiler/kernel/product_frame.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace heddle::compiler {

/// A matrix in global memory: element (i, j) is as far from the pointer as i is along `row` and j
/// along `column`.
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
  /// Whether all rows begin at multiples of 1 << `bits` elements and none ends within so many,
  /// which lie beside each other. A matrix that is not there has such rows.
  bool fits(int bits) const;
  GlobalMatrix transposed() const;
};

using GlobalMatrices = ProductMatrices<GlobalMatrix>;

/// A place in a matrix: of the thread (i32), and further by constants.
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
  /// Both; either may be null, which means true.
  mlir::Value both(mlir::Value x, mlir::Value y) const {
    if (!x || !y) return x ? x : y;
    return mlir::arith::AndIOp::create(builder, x, y);
  }

  /// The elements of a vector, or a value that is none; and the reverse.
  std::vector<mlir::Value> elements_of(mlir::Value vector) const;
  mlir::Value vector_of(llvm::ArrayRef<mlir::Value> values) const;

  /// The matrix of `record` at the argument `pointer`: number `batch` (i32), or the only one where
  /// that is null.
  GlobalMatrix matrix(const MatrixRecord& record, mlir::Value pointer, plan::Loop rows,
                      plan::Loop columns, mlir::Value batch) const;
  mlir::Value pointer(const GlobalMatrix& matrix, const MatrixPlace& at) const;
  /// `count` elements from `pointer` on, for element_of; a multiple of their own bytes from the
  /// matrix's beginning.
  mlir::Value load(const GlobalMatrix& matrix, mlir::Value pointer, int count) const;
  /// Element `index` of what that gave for `count`, as an integer of its bits.
  mlir::Value element_of(const GlobalMatrix& matrix, mlir::Value loaded, int count,
                         int index) const;
  /// `count` elements beside each other in a row from `at` on, as numbers
  /// (compiler/kernel/expression_code.h), by loads as wide as rows are aligned. `at` is a multiple
  /// of `count`, which is a power of two. Where `inside` (i1; null: always) says that an
  /// element is not in the matrix, the matrix's first is read in its place; where the kernel writes
  /// the matrix (`is_written`) nothing is, since another thread may be writing the first.
  std::vector<mlir::Value> load(const GlobalMatrix& matrix, MatrixPlace at, std::size_t count,
                                llvm::function_ref<mlir::Value(const MatrixPlace&)> inside,
                                bool is_written = false) const;
};

}  // namespace heddle::compiler
