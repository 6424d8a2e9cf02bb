#include "compiler/warp/warp_order.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace heddle::compiler {
namespace {

bool is_write(mlir::VectorTransferOpInterface transfer) {
  return mlir::isa<mlir::vector::TransferWriteOp>(transfer.getOperation());
}

mlir::Attribute space_of(mlir::VectorTransferOpInterface transfer) {
  const auto type = mlir::dyn_cast<mlir::MemRefType>(transfer.getShapedType());
  return type ? type.getMemorySpace() : mlir::Attribute();
}

bool is_allocation(mlir::Value base) {
  return mlir::isa_and_nonnull<mlir::memref::AllocOp, mlir::memref::AllocaOp>(base.getDefiningOp());
}

}  // namespace

bool WarpOrder::may_meet(const Access& earlier, const Access& later) {
  auto first = earlier.transfer;
  auto second = later.transfer;
  if (!is_write(first) && !is_write(second)) return false;
  const mlir::Value x = first.getBase(), y = second.getBase();
  if (space_of(first) != space_of(second)) return false;
  if (x != y) return !(is_allocation(x) && is_allocation(y));
  // If the two transfers access the same elements by the same lanes, a lane meets only its own
  // access.
  const bool is_same = earlier.map && later.map && *earlier.map == *later.map &&
                       first.getIndices() == second.getIndices() &&
                       first.getPermutationMap() == second.getPermutationMap() &&
                       first.getVectorType() == second.getVectorType();
  return !is_same;
}

void WarpOrder::before(mlir::VectorTransferOpInterface transfer, const layout::LinearLayout& map) {
  const Access access{transfer, map};
  if (std::any_of(accesses_.begin(), accesses_.end(),
                  [&](const Access& earlier) { return may_meet(earlier, access); })) {
    mlir::ImplicitLocOpBuilder& builder = code_->builder;
    if (instruction::is_nvidia(instruction::processor(code_->options.target).family)) {
      const mlir::Value all =
          mlir::arith::ConstantOp::create(builder, builder.getI32IntegerAttr(-1));
      mlir::NVVM::SyncWarpOp::create(builder, all);
    } else {
      mlir::LLVM::FenceOp::create(builder, mlir::LLVM::AtomicOrdering::acq_rel, "wavefront");
    }
    accesses_.clear();
  }
  accesses_.push_back(access);
}

void WarpOrder::remember(mlir::Region& region) {
  region.walk([&](mlir::VectorTransferOpInterface transfer) {
    accesses_.push_back({transfer, std::nullopt});
  });
}

void WarpOrder::enter(mlir::Region& region) { remember(region); }
void WarpOrder::leave(mlir::Region& region, const WarpOrder& before) {
  accesses_.insert(accesses_.end(), before.accesses_.begin(), before.accesses_.end());
  remember(region);
}

}  // namespace heddle::compiler
