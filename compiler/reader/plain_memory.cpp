#include "compiler/reader/plain_memory.h"

#include <optional>
#include <utility>
#include <vector>

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace heddle::compiler {
namespace {

using mlir::Operation;
using mlir::Value;

// The range of bytes of an allocation that a view covers: the first byte and the one after the
// last. Null if the offset or the size is not known.
using Bytes = std::pair<std::int64_t, std::int64_t>;
std::optional<Bytes> bytes_of(mlir::memref::ViewOp view) {
  const mlir::MemRefType type = view.getType();
  const auto first = mlir::getConstantIntValue(mlir::OpFoldResult(view.getByteShift()));
  if (!first || *first < 0 || !type.hasStaticShape() || !type.getElementType().isIntOrFloat())
    return std::nullopt;
  std::int64_t end = (type.getElementTypeBitWidth() + 7) / 8;
  for (const std::int64_t size : type.getShape())
    if (__builtin_mul_overflow(end, size, &end)) return std::nullopt;
  if (__builtin_add_overflow(end, *first, &end)) return std::nullopt;
  return Bytes{*first, end};
}

// The views of `allocation`, an allocation of bytes. Empty if an operation other than a view or its
// deallocation uses it, or if two of the views overlap.
std::vector<mlir::memref::ViewOp> separate_views(Operation& allocation) {
  std::vector<mlir::memref::ViewOp> views;
  for (Operation* user : allocation.getUsers()) {
    if (mlir::isa<mlir::memref::DeallocOp>(user)) continue;
    auto view = mlir::dyn_cast<mlir::memref::ViewOp>(user);
    if (!view) return {};
    views.push_back(view);
  }
  for (std::size_t i = 0; i < views.size() && views.size() > 1; ++i) {
    const auto own = bytes_of(views[i]);
    if (!own) return {};
    for (std::size_t j = 0; j < i; ++j) {
      const auto other = bytes_of(views[j]);
      if (own->first < other->second && other->first < own->second) return {};
    }
  }
  return views;
}

void separate(Operation* allocation) {
  const std::vector<mlir::memref::ViewOp> views = separate_views(*allocation);
  if (views.empty()) return;
  for (Operation* user : llvm::make_early_inc_range(allocation->getUsers()))
    if (mlir::isa<mlir::memref::DeallocOp>(user)) user->erase();
  for (mlir::memref::ViewOp view : views) {
    mlir::OpBuilder builder(view);
    view.replaceAllUsesWith(mlir::memref::AllocOp::create(builder, view.getLoc(), view.getType(),
                                                          view.getSizes(), mlir::ValueRange())
                                .getResult());
    view.erase();
  }
  allocation->erase();
}

// Replaces a store of one scalar by a write to a subview of one element.
void replace(mlir::memref::StoreOp store) {
  const mlir::MemRefType type = store.getMemRefType();
  if (!store.getValue().getType().isIntOrFloat()) return;
  mlir::OpBuilder builder(store);
  Value part = store.getMemref();
  if (type.getRank() != 0) {
    const llvm::SmallVector<mlir::OpFoldResult> offsets =
        mlir::getAsOpFoldResult(store.getIndices());
    const llvm::SmallVector<mlir::OpFoldResult> ones(offsets.size(), builder.getIndexAttr(1));
    const auto one = mlir::cast<mlir::MemRefType>(
        mlir::memref::SubViewOp::inferRankReducedResultType({}, type, offsets, ones, ones));
    part = mlir::memref::SubViewOp::create(builder, store.getLoc(), one, part, offsets, ones, ones);
  }
  mlir::linalg::FillOp::create(builder, store.getLoc(), store.getValue(), part);
  store.erase();
}

template <class Operations>
std::vector<Operations> all_of(mlir::func::FuncOp function) {
  std::vector<Operations> all;
  function.walk([&](Operations one) { all.push_back(one); });
  return all;
}

void remove(mlir::vector::PrintOp print) {
  Operation* source = print.getSource() ? print.getSource().getDefiningOp() : nullptr;
  print.erase();
  while (source != nullptr && mlir::isOpTriviallyDead(source)) {
    Operation* made = source;
    source = nullptr;
    for (const Value operand : made->getOperands())
      if (Operation* before = operand.getDefiningOp();
          before != nullptr && mlir::isa<mlir::VectorType>(operand.getType()))
        source = before;
    made->erase();
  }
}

}  // namespace

int remove_prints(mlir::func::FuncOp function) {
  const std::vector<mlir::vector::PrintOp> prints = all_of<mlir::vector::PrintOp>(function);
  for (mlir::vector::PrintOp print : prints) remove(print);
  return static_cast<int>(prints.size());
}

void use_plain_memory(mlir::func::FuncOp function) {
  for (mlir::memref::AllocOp one : all_of<mlir::memref::AllocOp>(function)) separate(one);
  for (mlir::memref::AllocaOp one : all_of<mlir::memref::AllocaOp>(function)) separate(one);
  const std::vector<mlir::memref::StoreOp> stores = all_of<mlir::memref::StoreOp>(function);
  if (!stores.empty()) function.getContext()->loadDialect<mlir::linalg::LinalgDialect>();
  for (mlir::memref::StoreOp store : stores) replace(store);
}

}  // namespace heddle::compiler
