// vector.transfer_read and vector.transfer_write as loads and stores of one thread.
#pragma once

#include "compiler/warp/thread_code.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace heddle::compiler {

/// Emits the read of a thread's elements. An element outside the memref gets the padding value, and
/// no memory is accessed for it. If ldmatrix could be used but for the alignment of its addresses,
/// a remark says so. Failure if the transfer is refused.
mlir::FailureOr<mlir::Value> read_elements(ThreadCode& code, mlir::vector::TransferReadOp read,
                                           const layout::LinearLayout& map);

/// Emits the write of a thread's elements. Elements outside the memref are not written. If several
/// lanes hold copies of an element, one of them writes it.
mlir::LogicalResult write_elements(ThreadCode& code, mlir::vector::TransferWriteOp write,
                                   mlir::Value elements, const layout::LinearLayout& map);

}  // namespace heddle::compiler
