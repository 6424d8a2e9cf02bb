// Elements of matrices that a thread reads one at a time: C, the further inputs of the epilogue,
// and the further inputs of a producer of A or B.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "compiler/amd/kernel_context.h"

namespace heddle::compiler {

/// The row and column (i32) in a matrix of the first element for which a thread is responsible.
struct ThreadPlace {
  mlir::Value row, column;
};

/// Computes byte offsets of elements of a matrix, given how far they are from the thread's first
/// element.
class ElementOffsets {
 public:
  ElementOffsets(const KernelContext& context, const MatrixRecord& matrix,
                 const ThreadPlace& thread);

  /// The byte offset (in half bytes if elements share a byte) of the element that is `down` rows
  /// below and `right` columns to the right of the thread's first element. For an element outside
  /// the matrix, the offset may be that of any element of the buffer, or outside the buffer, where
  /// reads give zero.
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

/// True if every row of the matrix begins at a multiple of `count` elements of memory, and the
/// elements of a row are contiguous.
bool lies_in_steps(const MatmulRequest& request, const MatrixRecord& matrix, std::int64_t count);

/// Loads `count` contiguous elements. `offset` counts bytes, or half bytes if elements share a byte
/// (counted_bytes); `scalar` is as for load_buffer. The result has all elements, and element_of()
/// takes one out of it. The result for a single element is an integer with the element's bits.
mlir::Value load_elements(const KernelContext& context, instruction::ElementType type, int count,
                          mlir::Value buffer, mlir::Value offset, mlir::Value scalar = {});

/// The zeros that load_elements gives outside the matrix.
mlir::Value no_elements(const KernelContext& context, instruction::ElementType type, int count);

/// Stores contiguous elements at a byte offset. If there are several, each must be an integer with
/// the element's bits; a single element may have any type.
void store_elements(const KernelContext& context, const std::vector<mlir::Value>& elements,
                    mlir::Value buffer, mlir::Value offset);

/// Element `index` of the result of load_elements, as an integer of its bits.
mlir::Value element_of(const KernelContext& context, instruction::ElementType type,
                       mlir::Value loaded, std::int64_t index);

/// Reads elements of a matrix, given how far they are from the thread's first element. An element
/// that is asked for twice is read once.
class ReadMatrix {
 public:
  ReadMatrix(const KernelContext& context, const MatrixRecord& matrix, mlir::Value buffer,
             const ThreadPlace& thread)
      : context_(context), matrix_(matrix), buffer_(buffer), offsets_(context, matrix, thread) {}

  /// The element that is `down` rows below and `right` columns to the right of the thread's first
  /// element, as a number (compiler/kernel/expression_code.h). Precondition: `down` has no bit in
  /// common with the row of the thread's first element, nor `right` with its column.
  mlir::Value at(std::int64_t down, std::int64_t right);

  /// Reads `count` > 1 contiguous elements of a row. The first of them is the element of `at(down,
  /// right)`. The result is as for load_elements.
  mlir::Value at(std::int64_t down, std::int64_t right, int count);

  /// Returns the same element as `at(down, right)`, for a caller that will ask for the elements
  /// next to it in the row, too. So the element is read together with its neighbours: as many as
  /// the matrix and `most` allow, where the first of them has a number that is a multiple of that
  /// count.
  mlir::Value in_group(std::int64_t down, std::int64_t right, int most);

  /// As in_group, but reads `count` elements at `offset` (bytes), which the caller has computed: if
  /// the matrix has the same layout as D, the offset is that of the element of D. For elements
  /// outside the matrix this offset is outside the buffer, so they read as zero.
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
