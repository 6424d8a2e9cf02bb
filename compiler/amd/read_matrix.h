// Elements of matrices that a thread reads one at a time: C and what the epilogue reads beside a
// sum, and what a producer reads beside an element of A or B.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "compiler/amd/kernel_context.h"

namespace heddle::compiler {

/// The row and column of a matrix where a thread begins; i32.
struct ThreadPlace {
  mlir::Value row, column;
};

/// Byte offsets of elements of a matrix around the thread's place in it.
class ElementOffsets {
 public:
  ElementOffsets(const KernelContext& context, const MatrixRecord& matrix,
                 const ThreadPlace& thread);

  /// Of the element so many rows down and columns to the right. What is outside the matrix is read
  /// from anywhere in the buffer or as zero.
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

/// Whether every row of a matrix begins at a multiple of `count` elements, which lie beside each
/// other in it.
bool lies_in_steps(const MatmulRequest& request, const MatrixRecord& matrix, std::int64_t count);

/// `count` elements at an offset in counted_bytes, for element_of; where `count` is 1 the integer
/// of the element's bits. `scalar` is load_buffer's.
mlir::Value load_elements(const KernelContext& context, instruction::ElementType type, int count,
                          mlir::Value buffer, mlir::Value offset, mlir::Value scalar = {});

/// Zeros, as load_elements gives what lies outside the matrix.
mlir::Value no_elements(const KernelContext& context, instruction::ElementType type, int count);

/// Stores elements beside each other at an offset in bytes: integers of their bits, or one number.
void store_elements(const KernelContext& context, const std::vector<mlir::Value>& elements,
                    mlir::Value buffer, mlir::Value offset);

/// Element `index` of what load_elements gave, as an integer of its bits.
mlir::Value element_of(const KernelContext& context, instruction::ElementType type,
                       mlir::Value loaded, std::int64_t index);

/// The elements of a matrix around the thread's place in it, each read once.
class ReadMatrix {
 public:
  ReadMatrix(const KernelContext& context, const MatrixRecord& matrix, mlir::Value buffer,
             const ThreadPlace& thread)
      : context_(context), matrix_(matrix), buffer_(buffer), offsets_(context, matrix, thread) {}

  /// The element so many rows down and columns to the right, as a number
  /// (compiler/kernel/expression_code.h). Neither has a bit that the thread's place has too.
  mlir::Value at(std::int64_t down, std::int64_t right);

  /// The same of `count` elements beside each other in a row, as load_elements gives them, where
  /// `count` is more than 1.
  mlir::Value at(std::int64_t down, std::int64_t right, int count);

  /// The same as `at(down, right)` where elements beside each other in rows are wanted, which are
  /// read together as far as the matrix allows and `most` is; `right` is a multiple of it and
  /// less than that more.
  mlir::Value in_group(std::int64_t down, std::int64_t right, int most);

  /// The same of `count`, the first of which is at an offset in bytes that is known: D's, where
  /// both lie alike, which is outside of the buffer where the elements are outside of the matrix.
  mlir::Value in_group_at(std::int64_t down, std::int64_t right, int count, mlir::Value offset);

 private:
  mlir::Value load(mlir::Value offset) const;
  // Element `index` of what was loaded together, as a number.
  mlir::Value number_of(mlir::Value loaded, std::int64_t index) const;

  const KernelContext& context_;
  const MatrixRecord& matrix_;
  mlir::Value buffer_;
  ElementOffsets offsets_;
  std::map<std::pair<std::int64_t, std::int64_t>, mlir::Value> read_;
};

}  // namespace heddle::compiler
