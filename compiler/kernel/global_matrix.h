// Matrices in global memory, and arithmetic on offsets in them.
#pragma once

#include "compiler/kernel/product_frame.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace heddle::compiler {

/// A matrix in global memory. The offset of element (i, j) from the pointer is that of i along
/// `row` plus that of j along `column`.
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
  /// True if all rows begin and end at multiples of 1 << `bits` elements and their elements are
  /// contiguous. A matrix that does not exist has such rows.
  bool fits(int bits) const;
  GlobalMatrix transposed() const;
};

using GlobalMatrices = ProductMatrices<GlobalMatrix>;

/// A place in a matrix: the thread's row and column (i32), plus constants.
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

  /// The elements of a vector, or a single value as one element; and the reverse.
  std::vector<mlir::Value> elements_of(mlir::Value vector) const;
  mlir::Value vector_of(llvm::ArrayRef<mlir::Value> values) const;

  /// The matrix of `record` at the argument `pointer`: matrix `batch` (i32), or the only one if
  /// `batch` is null.
  GlobalMatrix matrix(const MatrixRecord& record, mlir::Value pointer, plan::Loop rows,
                      plan::Loop columns, mlir::Value batch) const;
  mlir::Value pointer(const GlobalMatrix& matrix, const MatrixPlace& at) const;
  /// Loads `count` elements from `pointer` on, for element_of. The offset from the beginning of the
  /// matrix is a multiple of their size.
  mlir::Value load(const GlobalMatrix& matrix, mlir::Value pointer, int count) const;
  /// Element `index` of a load of `count` elements, as an integer of its bits.
  mlir::Value element_of(const GlobalMatrix& matrix, mlir::Value loaded, int count,
                         int index) const;
  /// Loads `count` contiguous elements of a row from `at` on, as numbers
  /// (compiler/kernel/expression_code.h), by loads as wide as rows are aligned. `at` is a multiple
  /// of `count`, a power of two. If `inside` (i1; null: always) says that an element lies outside
  /// the matrix, the first element is read in its place. If the kernel also writes the matrix
  /// (`is_written`), nothing is read there: another thread may be writing the first element.
  std::vector<mlir::Value> load(const GlobalMatrix& matrix, MatrixPlace at, std::size_t count,
                                llvm::function_ref<mlir::Value(const MatrixPlace&)> inside,
                                bool is_written = false) const;
};

}  // namespace heddle::compiler
