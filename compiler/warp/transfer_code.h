// vector.transfer_read and vector.transfer_write as loads and stores of one thread.
#pragma once

#include "compiler/warp/thread_code.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace heddle::compiler {

/// The elements of the thread. Elements outside the memref are the padding; no memory is touched
/// for them. If only the alignment prevents ldmatrix, a remark says so.
mlir::FailureOr<mlir::Value> read_elements(ThreadCode& code, mlir::vector::TransferReadOp read,
                                           const layout::LinearLayout& map);

/// Elements outside the memref are dropped; of lanes that hold copies one writes.
mlir::LogicalResult write_elements(ThreadCode& code, mlir::vector::TransferWriteOp write,
                                   mlir::Value elements, const layout::LinearLayout& map);

}  // namespace heddle::compiler
