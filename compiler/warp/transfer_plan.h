// Plans how the lanes of a warp read or write the elements of a vector.transfer_read or
// vector.transfer_write: by ldmatrix if the addresses that it needs are known to be aligned, else
// by the widest accesses whose addresses are known to be aligned.
#pragma once

#include <string>

#include "compiler/warp/contraction.h"
#include "compiler/warp/layouts.h"
#include "mlir/Interfaces/VectorInterfaces.h"

namespace heddle::compiler {

/// The memory that a transfer reads or writes. Dimension i of the vector runs along dimension
/// memory[i] of the memref. If memory[i] is -1, the vector repeats along dimension i: all positions
/// are the same element in memory.
struct TransferSpace {
  mlir::MemRefType type;
  llvm::SmallVector<std::int64_t> strides;  // elements; ShapedType::kDynamic where not known
  std::int64_t offset = 0;                  // of the first element, in elements; or kDynamic
  llvm::SmallVector<int> memory;
  /// For each dimension of the vector, true if elements may be outside the memref.
  llvm::SmallVector<bool> may_leave;
};

/// Reads where a transfer accesses memory. These are reported as errors at the operation: masks,
/// tensors, other permutation maps, memrefs without strides, writes of several elements to the same
/// address, and vectors that are scalable or have no dimension.
mlir::FailureOr<TransferSpace> read_space(mlir::VectorTransferOpInterface transfer);

/// True if the memref lies in the shared memory of a thread block: its memory space is 3 or
/// #gpu.address_space<workgroup>.
bool is_shared_memory(mlir::MemRefType type);

struct TransferPlan {
  /// ldmatrix of the catalogue, or null.
  const instruction::Instruction* matrix = nullptr;
  bool is_transposed = false;
  /// If ldmatrix is used: maps (register, lane) to the coordinates whose address the lane gives to
  /// the instruction. Register i stands for instruction i.
  layout::LinearLayout addresses;
  std::int64_t registers_at_once = 1;  // elements of one access of a lane
  std::int64_t accesses = 0;           // instructions of a warp
  /// If ldmatrix could read this layout but is not used: the reason. Empty if ldmatrix is used or
  /// could not read this layout.
  std::string why_not_matrix;
};

/// Plans how `transfer` is done for a vector in the layout `map`. Precondition: `space` is
/// read_space(transfer).
TransferPlan plan_transfer(mlir::VectorTransferOpInterface transfer, const TransferSpace& space,
                           const layout::LinearLayout& map, const WarpOptions& options);

/// The largest power of two, at most 2^31, by which the number is known to be divisible.
std::uint64_t known_divisor(mlir::Value index);

/// The number, if it is a constant.
std::optional<std::int64_t> constant_index(mlir::Value index);

}  // namespace heddle::compiler
