#include "compiler/nvidia/global_matrix.h"

namespace heddle::compiler {

GlobalMatrix GlobalContext::matrix(const MatrixRecord& record, mlir::Value argument,
                                   plan::Loop rows, plan::Loop columns, mlir::Value number) const {
  const int bytes = instruction::bits(record.element) / 8;
  GlobalMatrix matrix{further(argument, record.offset * bytes),
                      size(rows),
                      size(columns),
                      bytes_of(record.row, bytes),
                      bytes_of(record.column, bytes),
                      bytes_of(record.batch, bytes),
                      record.offset * bytes,
                      record.element,
                      {},
                      {}};
  if (!record.padding.empty()) matrix.padding = padding(record, rows == plan::Loop::m, number);
  if (number && !record.batch.is({}))
    matrix.pointer = further(matrix.pointer, place(matrix.batch, number));
  matrix.stored = record.padding.empty() ? matrix.pointer : argument;
  return matrix;
}

}  // namespace heddle::compiler
