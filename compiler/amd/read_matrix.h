// Elements of matrices that a thread reads one at a time: C, the further inputs of the epilogue,
// and the further inputs of a producer of A or B.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "compiler/amd/kernel_context.h"

namespace heddle::compiler {

/// The row and column of a matrix at which a thread begins; i32.
struct ThreadPlace {
  mlir::Value row, column;
};

/// Byte offsets of elements of a matrix around the thread's place in it.
class ElementOffsets {
 public:
  ElementOffsets(const KernelContext& context, const MatrixRecord& matrix,
                 const ThreadPlace& thread);

  /// The offset of the element `down` rows down and `right` columns to the right. An element
  /// outside the matrix may read as zero or as any element of the buffer.
  mlir::Value at(std::int64_t down, std::int64_t right) const;

 protected:
  const KernelContext& context_;
  std::int64_t bytes_;
  AxisExtent row_axis_, column_axis_;
  ThreadPlace thread_;

 private:
  mlir::Value offset(mlir::Value row, mlir::Value column) const;

  mlir::Value begin_;  // elements before the matrix, or null
  mlir::Value first_;  // of the thread's place
};

/// True if every row of a matrix begins at a multiple of `count` elements, and elements of a row
/// are contiguous.
bool lies_in_steps(const MatmulRequest& request, const MatrixRecord& matrix, std::int64_t count);

/// Loads `count` elements at an offset in counted_bytes, for element_of; one element is an integer
/// of its bits. `scalar` is load_buffer's.
mlir::Value load_elements(const KernelContext& context, instruction::ElementType type, int count,
                          mlir::Value buffer, mlir::Value offset, mlir::Value scalar = {});

/// Zeros, as load_elements gives them outside the matrix.
mlir::Value no_elements(const KernelContext& context, instruction::ElementType type, int count);

/// Stores contiguous elements at an offset in bytes: integers of their bits, or one number.
void store_elements(const KernelContext& context, const std::vector<mlir::Value>& elements,
                    mlir::Value buffer, mlir::Value offset);

/// Element `index` of the result of load_elements, as an integer of its bits.
mlir::Value element_of(const KernelContext& context, instruction::ElementType type,
                       mlir::Value loaded, std::int64_t index);

/// The elements of a matrix around the thread's place in it, each read once.
class ReadMatrix {
 public:
  ReadMatrix(const KernelContext& context, const MatrixRecord& matrix, mlir::Value buffer,
             const ThreadPlace& thread)
      : context_(context), matrix_(matrix), buffer_(buffer), offsets_(context, matrix, thread) {}

  /// The element `down` rows down and `right` columns to the right, as a number
  /// (compiler/kernel/expression_code.h). Neither distance shares a bit with the thread's place.
  mlir::Value at(std::int64_t down, std::int64_t right);

  /// The same for `count` > 1 contiguous elements of a row, as load_elements gives them.
  mlir::Value at(std::int64_t down, std::int64_t right, int count);

  /// The same as `at(down, right)` for callers that want contiguous elements of a row. They are
  /// read together, as many as the matrix and `most` allow. The group of `right` begins at a
  /// multiple of that number.
  mlir::Value in_group(std::int64_t down, std::int64_t right, int most);

  /// The same for `count` elements whose offset in bytes the caller has computed. A matrix that
  /// lies as D does is read at D's offset. For elements outside the matrix that offset is outside
  /// the buffer, so they read as zero.
  mlir::Value in_group_at(std::int64_t down, std::int64_t right, int count, mlir::Value offset);

 private:
  mlir::Value load(mlir::Value offset) const;
  // Element `index` of elements that were loaded together, as a number.
  mlir::Value number_of(mlir::Value loaded, std::int64_t index) const;

  const KernelContext& context_;
  const MatrixRecord& matrix_;
  mlir::Value buffer_;
  ElementOffsets offsets_;
  std::map<std::pair<std::int64_t, std::int64_t>, mlir::Value> read_;
};

}  // namespace heddle::compiler
