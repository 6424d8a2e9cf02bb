// How the lanes of a warp read or write the elements of a vector.transfer_read or _write: by
// ldmatrix if its addresses are known to be aligned, else by the widest aligned accesses.
#pragma once

#include <string>

#include "compiler/warp/contraction.h"
#include "compiler/warp/layouts.h"
#include "mlir/Interfaces/VectorInterfaces.h"

namespace heddle::compiler {

/// The memory side of a transfer. Dimension i of the vector goes along dimension memory[i] of the
/// memref, or along none (-1): then all its elements are one.
struct TransferSpace {
  mlir::MemRefType type;
  llvm::SmallVector<std::int64_t> strides;  // elements; ShapedType::kDynamic where not known
  std::int64_t offset = 0;                  // of the first element, in elements; or kDynamic
  llvm::SmallVector<int> memory;
  /// Dimensions of the vector whose elements may lie outside the memref.
  llvm::SmallVector<bool> may_leave;
};

/// These are errors at the operation: masks, tensors, other permutation maps, memrefs without
/// strides, writes of several elements to one place, and vectors that are scalable or have no
/// dimension.
mlir::FailureOr<TransferSpace> read_space(mlir::VectorTransferOpInterface transfer);

/// True if the memref lies in the shared memory of a block: memory space 3 or
/// #gpu.address_space<workgroup>.
bool is_shared_memory(mlir::MemRefType type);

struct TransferPlan {
  /// ldmatrix of the catalogue, or null.
  const instruction::Instruction* matrix = nullptr;
  bool is_transposed = false;
  /// (register, lane) -> coordinates whose address the lane gives to the matrix instruction of
  /// those registers: one register for each instruction.
  layout::LinearLayout addresses;
  std::int64_t registers_at_once = 1;  // elements of one access of a lane
  std::int64_t accesses = 0;           // instructions of a warp
  /// The reason why ldmatrix, which could read this layout, must not. Empty if it does or cannot.
  std::string why_not_matrix;
};

/// Plans a transfer in a layout. Precondition: the space is that of the transfer.
TransferPlan plan_transfer(mlir::VectorTransferOpInterface transfer, const TransferSpace& space,
                           const layout::LinearLayout& map, const WarpOptions& options);

/// The largest power of two, at most 2^32, that is known to divide the number.
std::uint64_t known_divisor(mlir::Value index);

/// The number, if it is a constant.
std::optional<std::int64_t> constant_index(mlir::Value index);

}  // namespace heddle::compiler
