// What the parts of the kernel builder share: the insertion point, the plan, and the few values
// that every part needs. The parts, in the order in which the kernel runs them: staging.h,
// fragments.h, result.h; kernel.cpp puts them together.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "compiler/kernel/product_frame.h"
#include "compiler/plan/matmul_plan.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace heddle::compiler {

/// Byte offset of an access that must not happen: no buffer reaches it, so hardware returns zero or
/// drops the store. Bytes up to 2^31 may be added to it without coming back into a buffer.
inline constexpr std::uint32_t outside = 0x80000000u;

/// LLVM would let every load and store of LDS wait for all copies to it, since it does not know
/// that they go to other places. The kernel waits itself: its loads and stores are said not to see
/// what copies write.
struct CopyScopes {
  explicit CopyScopes(mlir::MLIRContext* context);
  mlir::ArrayAttr copies, others;
};

/// The largest offset that a buffer instruction holds: 23 bits from gfx12 on, 12 before.
constexpr std::int64_t most_immediate(instruction::Target target) {
  const instruction::Family family = instruction::processor(target).family;
  const bool is_wide =
      family == instruction::Family::gfx12 || family == instruction::Family::gfx1250;
  return is_wide ? (1 << 23) - 1 : (1 << 12) - 1;
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

  /// Elements of A and B lie in LDS as integers: moving them must not change a bit.
  mlir::Type element() const {
    return builder.getIntegerType(static_cast<unsigned>(8 * plan.problem.element_bytes()));
  }

  /// x - y of numbers that are the same in all lanes, or 0 where y is larger. LLVM makes one
  /// subtraction of it, which saturates and is done in vector registers alone; readfirstlane brings
  /// it, and what follows from it, back to scalar ones.
  mlir::Value left(mlir::Value x, mlir::Value y) const {
    const mlir::Value least = mlir::arith::MinUIOp::create(builder, x, y);
    const mlir::Value difference = mlir::arith::SubIOp::create(builder, x, least);
    return mlir::ROCDL::ReadfirstlaneOp::create(builder, x.getType(), difference);
  }

  /// How far `number` is along `axis`, of offsets in a buffer; `is_uniform`, where it is the same
  /// in all lanes. Where places jump back, LLVM sees no constant in the number: it would put it
  /// into the instruction, and what is left of the offset may be below zero, which is outside the
  /// buffer.
  mlir::Value buffer_place(const AxisExtent& axis, mlir::Value number,
                           bool is_uniform = false) const;

  /// `number`, of which LLVM does not see how it was computed; `is_uniform`, where it is the same
  /// in all lanes.
  mlir::Value opaque(mlir::Value number, bool is_uniform = false) const;

  /// `offset` where `valid`, else an offset outside every buffer.
  mlir::Value or_outside(mlir::Value valid, mlir::Value offset) const {
    return mlir::arith::SelectOp::create(builder, valid, offset, constant(outside));
  }
};

/// Where accesses to a tile in LDS begin: registers (i32, bytes), and a constant that every access
/// adds to them.
struct TileBases {
  TileBases(std::vector<mlir::Value> of, std::int64_t bytes = 0)
      : registers(std::move(of)), further(bytes) {}

  std::vector<mlir::Value> registers;
  std::int64_t further = 0;
};

/// Buffer descriptors.
using Buffers = ProductMatrices<mlir::Value>;

/// A buffer descriptor over exactly the elements of one matrix of the batch, at the kernel argument
/// `pointer`, so that no access can leave the matrix. Where elements share bytes, it is over all
/// matrices of the batch.
mlir::Value make_buffer(const KernelContext& context, mlir::Value pointer,
                        const MatrixRecord& matrix, plan::Loop rows, plan::Loop columns);

/// The kernel argument `pointer`, moved to the first element of one matrix of the batch.
mlir::Value first_of_batch(const KernelContext& context, mlir::Value pointer,
                           const MatrixRecord& matrix);

/// Elements (i32) between the beginning of make_buffer's descriptor and the first of the matrix;
/// null for none.
mlir::Value first_in_buffer(const KernelContext& context, const MatrixRecord& matrix);

/// Loads or stores through a descriptor, at a byte offset (i32). Outside the buffer a load gives
/// zero and a store does nothing. `scalar`, the same for all lanes, or null for 0, is added to
/// `offset`; it counts against the bounds by the manuals (RDNA3 ISA, "Range checking"), while
/// LLVM's IntrinsicsAMDGPU.td calls it excluded: what is inside must not depend on it.
mlir::Value load_buffer(const KernelContext& context, mlir::Type type, mlir::Value buffer,
                        mlir::Value offset, mlir::Value scalar = {});
void store_buffer(const KernelContext& context, mlir::Value value, mlir::Value buffer,
                  mlir::Value offset);

/// Copies 16 bytes of each lane at byte offsets (i32) `offset`, its own, and `beyond`, one of the
/// wave, straight into LDS, where the lanes of the wave lie side by side from byte `to` (i32) on,
/// which is one of the wave. Outside the buffer zeros are copied.
void copy_to_shared(const KernelContext& context, mlir::Value buffer, mlir::Value offset,
                    mlir::Value beyond, mlir::Value to);

/// A tile of a matrix and its place in LDS, as the descriptor of tensor_load_to_lds has them.
/// Numbers are the same for all lanes of a wave. An inner number counts elements that lie beside
/// each other in memory.
struct TileDescriptor {
  mlir::Value address;                  // i64: of its first element
  mlir::Value to;                       // i32: the byte of LDS
  Extent inner, outer;                  // of the tile that are in the matrix
  std::int64_t tile_inner, tile_outer;  // of the tile
  Extent distance;                      // of two outer numbers, in elements
  int bytes;                            // of an element
  memory::PaddingList padding;          // of LDS: one or none
};

/// Copies the tile straight into LDS, with zeros where it is outside of the matrix.
void copy_tile_to_shared(const KernelContext& context, const TileDescriptor& tile);

/// Copies `bytes` of each lane, 4, 8 or 16, from a pointer into global memory of its own straight
/// into LDS, to a byte `to` (i32) of its own. EXEC has to be whole: copies are counted.
void copy_lane_to_shared(const KernelContext& context, mlir::Value from, mlir::Value to, int bytes);

/// A pointer to 16 bytes of zeros in global memory, which a lane copies where the matrix has
/// nothing.
mlir::Value pointer_to_zeros(const KernelContext& context);

/// Copies of a wave, by the counters that hardware has for them.
struct CopyCount {
  int pieces = 0, tiles = 0;
  CopyCount operator+(const CopyCount& more) const {
    return {pieces + more.pieces, tiles + more.tiles};
  }
  CopyCount operator*(int times) const { return {pieces * times, tiles * times}; }
};

/// Waits until at most the last `running` of the wave's copies run and it has read all that it
/// loads from LDS, and then for the other waves of the workgroup.
void await_copies(const KernelContext& context, const CopyCount& running);

/// The same without the other waves, and without what the wave loads from LDS.
void await_own_copies(const KernelContext& context, const CopyCount& running);

/// Waits until the wave has read all that it loads from LDS, and written all that it stores there.
void await_own_lds(const KernelContext& context);

/// Waits for the other waves of the workgroup, and for nothing else: no access to memory moves past
/// this place when LLVM optimises.
void meet_waves(const KernelContext& context);

/// `count` integers of LDS from byte `base` + `constant` on, which copies wrote before the last
/// await_copies. `transposes`: by the instruction that transposes among lanes
/// (plan::OperandPlan::transposing).
mlir::Value load_copied(const KernelContext& context, int count, mlir::Value base,
                        std::int64_t constant, bool transposes);

/// `count` integers of LDS from byte `base` + `constant`, and the reverse.
mlir::Value load_shared(const KernelContext& context, int count, mlir::Value base,
                        std::int64_t constant);
void store_shared(const KernelContext& context, mlir::Value vector, mlir::Value base,
                  std::int64_t constant);

/// Nothing moves past this place when LLVM schedules.
void keep_apart(const KernelContext& context);

}  // namespace heddle::compiler
