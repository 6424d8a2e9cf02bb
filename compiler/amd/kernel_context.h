// State that the parts of the kernel builder share: the insertion point, the plan, and the few
// values that every part needs. The kernel runs the parts in this order: staging.h, fragments.h,
// result.h. kernel.cpp puts them together.
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

/// Alias scopes of LDS. Without them LLVM would make every load and store of LDS wait for all
/// copies to it, since it does not know that they go to other places. The kernel waits itself.
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

  /// Elements of A and B lie in LDS as integers: moving them must not change a bit.
  mlir::Type element() const {
    return builder.getIntegerType(static_cast<unsigned>(8 * plan.problem.element_bytes()));
  }

  /// x - y of numbers that are the same in all lanes, or 0 if y is larger. LLVM makes one
  /// saturating subtraction of it, which only vector registers have; readfirstlane brings the
  /// result back to a scalar register.
  mlir::Value left(mlir::Value x, mlir::Value y) const {
    const mlir::Value least = mlir::arith::MinUIOp::create(builder, x, y);
    const mlir::Value difference = mlir::arith::SubIOp::create(builder, x, least);
    return mlir::ROCDL::ReadfirstlaneOp::create(builder, x.getType(), difference);
  }

  /// The distance of `number` along `axis`, for offsets in a buffer; `is_uniform` if it is the same
  /// in all lanes. If places jump back, the number is hidden from LLVM. LLVM would otherwise move a
  /// constant of it into the instruction, and the rest of the offset could be below zero, which is
  /// outside the buffer.
  mlir::Value buffer_place(const AxisExtent& axis, mlir::Value number,
                           bool is_uniform = false) const;

  /// `number`, with its computation hidden from LLVM; `is_uniform` if it is the same in all lanes.
  mlir::Value opaque(mlir::Value number, bool is_uniform = false) const;

  /// `offset` if `valid`, else an offset outside every buffer.
  mlir::Value or_outside(mlir::Value valid, mlir::Value offset) const {
    return mlir::arith::SelectOp::create(builder, valid, offset, constant(outside));
  }
};

/// Start of the accesses to a tile in LDS: registers (i32, bytes), and a constant that every access
/// adds to them.
struct TileBases {
  TileBases(std::vector<mlir::Value> of, std::int64_t bytes = 0)
      : registers(std::move(of)), further(bytes) {}

  std::vector<mlir::Value> registers;
  std::int64_t further = 0;
};

/// Buffer descriptors.
using Buffers = ProductMatrices<mlir::Value>;

/// A buffer descriptor over exactly the elements of one matrix of the batch at the kernel argument
/// `pointer`, so that no access can leave the matrix. If elements share bytes, it covers all
/// matrices of the batch.
mlir::Value make_buffer(const KernelContext& context, mlir::Value pointer,
                        const MatrixRecord& matrix, plan::Loop rows, plan::Loop columns);

/// The kernel argument `pointer`, moved to the first element of one matrix of the batch.
mlir::Value first_of_batch(const KernelContext& context, mlir::Value pointer,
                           const MatrixRecord& matrix);

/// The number of elements (i32) between the beginning of make_buffer's descriptor and the first of
/// the matrix; null for none.
mlir::Value first_in_buffer(const KernelContext& context, const MatrixRecord& matrix);

/// Loads or stores through a descriptor at a byte offset (i32). Outside the buffer a load gives
/// zero and a store does nothing. `scalar` (null: 0) is added to `offset` and is the same for all
/// lanes. Sources differ on whether it counts against the bounds: the manuals say so (RDNA3 ISA,
/// "Range checking"), LLVM's IntrinsicsAMDGPU.td says it is excluded. So it must not decide what is
/// inside.
mlir::Value load_buffer(const KernelContext& context, mlir::Type type, mlir::Value buffer,
                        mlir::Value offset, mlir::Value scalar = {});
void store_buffer(const KernelContext& context, mlir::Value value, mlir::Value buffer,
                  mlir::Value offset);

/// Copies 16 bytes of each lane straight into LDS. `offset` is the lane's byte offset (i32), and
/// `beyond` is one of the wave that is added. The bytes of the wave's lanes are contiguous in LDS
/// from byte `to` (i32, one of the wave) on. Outside the buffer zeros are copied.
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

/// Copies the tile straight into LDS, with zeros outside the matrix.
void copy_tile_to_shared(const KernelContext& context, const TileDescriptor& tile);

/// Copies `bytes` (4, 8 or 16) of each lane straight into LDS, from the lane's own pointer into
/// global memory to its own byte `to` (i32). EXEC has to be whole, since copies are counted.
void copy_lane_to_shared(const KernelContext& context, mlir::Value from, mlir::Value to, int bytes);

/// A pointer to 16 bytes of zeros in global memory, for a lane that lies outside the matrix.
mlir::Value pointer_to_zeros(const KernelContext& context);

/// Copies of a wave, by the hardware's counter for them.
struct CopyCount {
  int pieces = 0, tiles = 0;
  CopyCount operator+(const CopyCount& more) const {
    return {pieces + more.pieces, tiles + more.tiles};
  }
  CopyCount operator*(int times) const { return {pieces * times, tiles * times}; }
};

/// Waits until at most the last `running` of the wave's copies run and its loads from LDS have
/// arrived, and then for the other waves of the workgroup.
void await_copies(const KernelContext& context, const CopyCount& running);

/// The same without the other waves and without the wave's loads from LDS.
void await_own_copies(const KernelContext& context, const CopyCount& running);

/// Waits until the wave's loads from LDS have arrived and its stores there have been written.
void await_own_lds(const KernelContext& context);

/// Waits for the other waves of the workgroup, and for nothing else. LLVM moves no memory access
/// past this place when it optimises.
void meet_waves(const KernelContext& context);

/// Loads `count` integers of LDS from byte `base` + `constant` on, which copies wrote before the
/// last await_copies. `transposes`: by the instruction that transposes among lanes
/// (plan::OperandPlan::transposing).
mlir::Value load_copied(const KernelContext& context, int count, mlir::Value base,
                        std::int64_t constant, bool transposes);

/// Loads `count` integers of LDS from byte `base` + `constant` on, and stores them.
mlir::Value load_shared(const KernelContext& context, int count, mlir::Value base,
                        std::int64_t constant);
void store_shared(const KernelContext& context, mlir::Value vector, mlir::Value base,
                  std::int64_t constant);

/// Nothing moves past this place when LLVM schedules.
void keep_apart(const KernelContext& context);

}  // namespace heddle::compiler
