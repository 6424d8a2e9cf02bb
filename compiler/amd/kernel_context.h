// What the parts of the kernel builder share: the insertion point of the code, the plan, and the
// few values that every part needs. kernel.cpp calls the parts. The code that they build runs in
// this order: staging.h (tiles to LDS), fragments.h (multiplications), result.h (sums to D).
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "compiler/kernel/product_frame.h"
#include "compiler/plan/matmul_plan.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace heddle::compiler {

/// Byte offset of an access that must not happen. It lies outside every buffer, so hardware returns
/// zero or drops the store. Adding up to 2^31 bytes to it does not wrap back into a buffer.
inline constexpr std::uint32_t outside = 0x80000000u;

/// Alias scopes: marks on accesses to LDS that tell LLVM that the copies to LDS and the other
/// accesses go to different places. Without them LLVM would make every load and store of LDS wait
/// for all copies. The kernel contains the waits that are needed.
struct CopyScopes {
  explicit CopyScopes(mlir::MLIRContext* context);
  mlir::ArrayAttr copies, others;
};

/// The largest offset that a buffer instruction holds.
constexpr std::int64_t most_immediate(instruction::Target target) {
  const instruction::Family family = instruction::processor(target).family;
  return (1 << instruction::row(family).buffer_offset_bits) - 1;
}

struct KernelContext : SizedContext {
  KernelContext(mlir::ImplicitLocOpBuilder& at, const MatmulRequest& the_request,
                const plan::MatmulPlan& the_plan)
      : SizedContext{{at, {}, {}}, {}}, request(the_request), plan(the_plan) {}

  const MatmulRequest& request;
  const plan::MatmulPlan& plan;
  mlir::Value batch;                 // i32: which matrix of the batch; null for the only one
  BlockPart part;                    // of k
  mlir::Value block_m, block_n;      // i32: first row and column of the workgroup's tile of D
  mlir::Value shared;                // !llvm.ptr<3>: the workgroup's LDS
  std::optional<CopyScopes> scopes;  // where tiles are copied to LDS

  /// The type in which elements of A and B lie in LDS: integers, so that moving an element cannot
  /// change its bits.
  mlir::Type element() const {
    return builder.getIntegerType(static_cast<unsigned>(8 * plan.problem.element_bytes()));
  }

  /// x - y, or 0 if y is larger, for numbers that are the same in all lanes. LLVM compiles it to
  /// one saturating subtraction, an instruction that only vector registers have; readfirstlane
  /// brings the result back to a scalar register.
  mlir::Value left(mlir::Value x, mlir::Value y) const {
    const mlir::Value least = mlir::arith::MinUIOp::create(builder, x, y);
    const mlir::Value difference = mlir::arith::SubIOp::create(builder, x, least);
    return mlir::ROCDL::ReadfirstlaneOp::create(builder, x.getType(), difference);
  }

  /// The distance of index `number` along `axis`, for an offset in a buffer. `is_uniform`: `number`
  /// is the same in all lanes. If a larger index may have a smaller offset, the index is hidden
  /// from LLVM (opaque). Otherwise LLVM would move a constant part of it into the instruction, and
  /// what remains of the offset could be below zero, which is outside the buffer.
  mlir::Value buffer_place(const AxisExtent& axis, mlir::Value number,
                           bool is_uniform = false) const;

  /// `number`, with its computation hidden from LLVM; `is_uniform` if it is the same in all lanes.
  mlir::Value opaque(mlir::Value number, bool is_uniform = false) const;

  /// `offset` if `valid`, else an offset outside every buffer.
  mlir::Value or_outside(mlir::Value valid, mlir::Value offset) const {
    return mlir::arith::SelectOp::create(builder, valid, offset, constant(outside));
  }
};

/// Where the accesses to a tile in LDS begin. An access adds one of `registers` (i32, bytes), the
/// constant `further`, and its own constant.
struct TileBases {
  TileBases(std::vector<mlir::Value> of, std::int64_t bytes = 0)
      : registers(std::move(of)), further(bytes) {}

  std::vector<mlir::Value> registers;
  std::int64_t further = 0;
};

/// Buffer descriptors.
using Buffers = ProductMatrices<mlir::Value>;

/// Makes a buffer descriptor for a matrix whose memory begins at the kernel argument `pointer`. The
/// descriptor covers exactly the elements of the workgroup's matrix of the batch, so that no access
/// can leave this matrix. If several elements share a byte, it covers all matrices of the batch.
mlir::Value make_buffer(const KernelContext& context, mlir::Value pointer,
                        const MatrixRecord& matrix, plan::Loop rows, plan::Loop columns);

/// The kernel argument `pointer`, moved to the first element of the matrix of the batch that this
/// workgroup computes with.
mlir::Value first_of_batch(const KernelContext& context, mlir::Value pointer,
                           const MatrixRecord& matrix);

/// The number of elements (i32) from where the descriptor of make_buffer begins to the first
/// element of the matrix; null if the descriptor begins at that element.
mlir::Value first_in_buffer(const KernelContext& context, const MatrixRecord& matrix);

/// Load or store through a buffer descriptor at a byte offset (i32). Outside the buffer a load
/// gives zero and a store does nothing. `scalar` (null: 0) is added to `offset` and is the same for
/// all lanes. Sources disagree on whether the bounds check includes `scalar`: the manuals say that
/// it does (RDNA3 ISA, "Range checking"), LLVM's IntrinsicsAMDGPU.td says that it does not. So
/// `scalar` must never decide whether an access is in bounds.
mlir::Value load_buffer(const KernelContext& context, mlir::Type type, mlir::Value buffer,
                        mlir::Value offset, mlir::Value scalar = {});
void store_buffer(const KernelContext& context, mlir::Value value, mlir::Value buffer,
                  mlir::Value offset);

/// Each lane copies 16 bytes straight into LDS. It reads them from the buffer at byte `offset`
/// (i32, the lane's own) + `beyond` (the same for the wave). The bytes of the wave's lanes are
/// written to LDS one after the other from byte `to` on (i32, the same for the wave). Bytes outside
/// the buffer are copied as zeros.
void copy_to_shared(const KernelContext& context, mlir::Value buffer, mlir::Value offset,
                    mlir::Value beyond, mlir::Value to);

/// A tile of a matrix and its place in LDS, for the descriptor of tensor_load_to_lds. All numbers
/// are the same for all lanes of a wave. The inner dimension is contiguous in memory.
struct TileDescriptor {
  mlir::Value address;                  // i64: of its first element
  mlir::Value to;                       // i32: the byte of LDS
  Extent inner, outer;                  // of the tile that are in the matrix
  std::int64_t tile_inner, tile_outer;  // of the tile
  Extent distance;                      // of two outer numbers, in elements
  int bytes;                            // of an element
  memory::PaddingList padding;          // of LDS: one or none
};

/// Copies the tile that the descriptor describes straight into LDS. Elements outside the matrix
/// become zeros.
void copy_tile_to_shared(const KernelContext& context, const TileDescriptor& tile);

/// Each lane copies `bytes` (4, 8 or 16) straight into LDS: from its pointer `from` into global
/// memory to its byte `to` (i32) of LDS. No lane may be masked off in EXEC, since the kernel counts
/// the copies for which it waits.
void copy_lane_to_shared(const KernelContext& context, mlir::Value from, mlir::Value to, int bytes);

/// A pointer to 16 bytes of zeros in global memory. A lane whose elements lie outside the matrix
/// copies from there.
mlir::Value pointer_to_zeros(const KernelContext& context);

/// A number of copies of a wave. The hardware counts copies by lanes (`pieces`) and copies by tile
/// descriptors (`tiles`) with separate counters.
struct CopyCount {
  int pieces = 0, tiles = 0;
  CopyCount operator+(const CopyCount& more) const {
    return {pieces + more.pieces, tiles + more.tiles};
  }
  CopyCount operator*(int times) const { return {pieces * times, tiles * times}; }
};

/// Waits until only the wave's last `running` copies may still be in flight and the wave's loads
/// from LDS have arrived. Then waits at a barrier until the other waves of the workgroup have
/// waited in the same way.
void await_copies(const KernelContext& context, const CopyCount& running);

/// Waits until only the wave's last `running` copies may still be in flight. Waits neither for the
/// wave's loads from LDS nor for other waves.
void await_own_copies(const KernelContext& context, const CopyCount& running);

/// Waits until the wave's loads from LDS have arrived and the wave's stores to LDS have been
/// written.
void await_own_lds(const KernelContext& context);

/// Waits for the other waves of the workgroup, and for nothing else. LLVM moves no memory access
/// past this barrier when it optimises.
void meet_waves(const KernelContext& context);

/// Loads `count` integers from LDS, from byte `base` + `constant` on. Copies must have written them
/// before the last await_copies. `transposes`: load with the instruction that transposes among
/// lanes (plan::OperandPlan::transposing).
mlir::Value load_copied(const KernelContext& context, int count, mlir::Value base,
                        std::int64_t constant, bool transposes);

/// load_shared loads `count` integers from LDS, from byte `base` + `constant` on. store_shared
/// stores the integers of `vector` there.
mlir::Value load_shared(const KernelContext& context, int count, mlir::Value base,
                        std::int64_t constant);
void store_shared(const KernelContext& context, mlir::Value vector, mlir::Value base,
                  std::int64_t constant);

/// LLVM's scheduler moves no instruction past this place.
void keep_apart(const KernelContext& context);

}  // namespace heddle::compiler
