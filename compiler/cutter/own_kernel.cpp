#include "compiler/cutter/own_kernel.h"

#include "compiler/reader/element.h"
#include "compiler/reader/element_marks.h"
#include "compiler/reader/reshape.h"
#include "compiler/reader/unused.h"
#include "compiler/reader/values.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace heddle::compiler {
namespace {

using mlir::Value;

using Body = llvm::function_ref<Value(mlir::OpBuilder&, mlir::Location, mlir::ValueRange)>;

// Makes a linalg.generic that applies `body` to each element of `value`, the same element of
// `other` (of the same shape; may be null) and that of the initial value. If `summed` is not null,
// it has one dimension, which becomes one more loop, and `body` sums over this loop.
Value generic(mlir::OpBuilder& builder, Value value, Value other, Value summed, Value initial,
              Body body) {
  const auto rank =
      static_cast<unsigned>(mlir::cast<mlir::RankedTensorType>(value.getType()).getRank());
  const unsigned loops = summed ? rank + 1 : rank;
  llvm::SmallVector<mlir::AffineExpr> own;
  for (unsigned i = 0; i < rank; ++i) own.push_back(builder.getAffineDimExpr(i));
  const auto all = mlir::AffineMap::get(loops, 0, own, builder.getContext());
  llvm::SmallVector<mlir::AffineMap> maps{all};
  llvm::SmallVector<Value> inputs{value};
  llvm::SmallVector<mlir::utils::IteratorType> kinds(rank, mlir::utils::IteratorType::parallel);
  if (other) {
    inputs.push_back(other);
    maps.push_back(all);
  }
  if (summed) {
    inputs.push_back(summed);
    maps.push_back(mlir::AffineMap::get(loops, 0, builder.getAffineDimExpr(rank)));
    kinds.push_back(mlir::utils::IteratorType::reduction);
  }
  maps.push_back(all);
  const auto write = [&](mlir::OpBuilder& inside, mlir::Location place, mlir::ValueRange read) {
    mlir::linalg::YieldOp::create(inside, place, body(inside, place, read));
  };
  return mlir::linalg::GenericOp::create(builder, value.getLoc(), initial.getType(), inputs,
                                         initial, maps, kinds, write)
      .getResult(0);
}

// An empty tensor of the same sizes as `value`. Its element type is `element` or, if that is null,
// the element type of `value`.
Value empty_like(mlir::OpBuilder& builder, Value value, mlir::Type element = {}) {
  const auto type = mlir::cast<mlir::RankedTensorType>(value.getType());
  llvm::SmallVector<Value> sizes;
  for (unsigned i = 0; i < type.getRank(); ++i)
    if (type.isDynamicDim(i))
      sizes.push_back(mlir::tensor::DimOp::create(builder, value.getLoc(), value, i));
  return mlir::tensor::EmptyOp::create(builder, value.getLoc(), type.getShape(),
                                       element ? element : type.getElementType(), sizes);
}

// Makes a value with the same elements as `value`, each of which is computed as a sum over one
// element. Null if no kernel sums elements of this type.
Value summed(mlir::OpBuilder& builder, Value value) {
  const auto type = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
  const auto element = type ? element_type(type.getElementType()) : std::nullopt;
  if (!element || is_only_read(*element) || instruction::bits(*element) < 16) return nullptr;
  const mlir::Location place = value.getLoc();
  const mlir::Type narrow = type.getElementType();
  const bool is_float = mlir::isa<mlir::FloatType>(narrow);
  const mlir::Type wide = narrow.getIntOrFloatBitWidth() == 64 ? narrow
                          : is_float                           ? mlir::Type(builder.getF32Type())
                                                               : mlir::Type(builder.getI32Type());
  const auto number = [&](double of) {
    return is_float ? mlir::TypedAttr(builder.getFloatAttr(wide, of))
                    : builder.getIntegerAttr(wide, static_cast<std::int64_t>(of));
  };
  // Adding -0 changes no number.
  const Value zero = mlir::arith::ConstantOp::create(builder, place, number(-0.0));
  const Value initial =
      mlir::linalg::FillOp::create(builder, place, zero, empty_like(builder, value, wide))
          .getResult(0);
  const Value one = mlir::arith::ConstantOp::create(
      builder, place,
      mlir::DenseElementsAttr::get(mlir::RankedTensorType::get({1}, wide),
                                   mlir::Attribute(number(1))));
  const Value sum =
      generic(builder, value, nullptr, one, initial,
              [&](mlir::OpBuilder& inside, mlir::Location at, mlir::ValueRange read) -> Value {
                Value x = read[0];
                if (!is_float) {
                  if (narrow != wide) x = mlir::arith::ExtSIOp::create(inside, at, wide, x);
                  x = mlir::arith::MulIOp::create(inside, at, x, read[1]);
                  return mlir::arith::AddIOp::create(inside, at, read[2], x);
                }
                if (narrow != wide) x = mlir::arith::ExtFOp::create(inside, at, wide, x);
                x = mlir::arith::MulFOp::create(inside, at, x, read[1]);
                return mlir::arith::AddFOp::create(inside, at, read[2], x);
              });
  if (narrow == wide) return sum;
  return generic(builder, sum, nullptr, nullptr, empty_like(builder, value),
                 [&](mlir::OpBuilder& inside, mlir::Location at, mlir::ValueRange read) -> Value {
                   if (is_float) return mlir::arith::TruncFOp::create(inside, at, narrow, read[0]);
                   return mlir::arith::TruncIOp::create(inside, at, narrow, read[0]);
                 });
}

class KernelGiver {
 public:
  explicit KernelGiver(mlir::Block& block) : block_(block) {}

  void give() {
    mlir::Operation* end = block_.getTerminator();
    for (mlir::Operation& operation : llvm::make_early_inc_range(block_.without_terminator())) {
      mlir::Operation* last = is_sum(operation) ? &operation : nullptr;
      if (last == nullptr) {
        for (const Value source : sources(operation))
          if (mlir::Operation* sum = sum_of(source); sum != nullptr && is_behind(sum, last))
            last = sum;
      }
      sums_[&operation] = last;
      if (last != &operation) separate(operation);
    }
    // A value that is written into an argument counts as a result, as a returned value does.
    std::vector<mlir::OpOperand*> ends;
    for (mlir::OpOperand& operand : end->getOpOperands()) {
      auto store = operand.get().getDefiningOp<mlir::bufferization::MaterializeInDestinationOp>();
      ends.push_back(store ? &store->getOpOperand(0) : &operand);
    }
    llvm::DenseMap<mlir::Operation*, int> results;
    for (const mlir::OpOperand* operand : ends) ++results[sum_of(operand->get())];
    for (mlir::OpOperand* operand : ends) separate_padding(operand->get());
    for (mlir::OpOperand* operand : ends) {
      mlir::Operation* sum = sum_of(operand->get());
      if (sum == nullptr && write_beside(*operand, ends)) continue;
      const bool is_other = sum == nullptr ? results.size() > 1
                                           : !is_as_large(operand->get(), sum) &&
                                                 (results[sum] > 1 || repeats(operand->get()));
      mlir::OpBuilder builder(operand->getOwner());
      const Value own = is_other ? summed(builder, operand->get()) : nullptr;
      if (own) operand->set(own);
      if (is_other && !own) give_element_kernel_to(operand->get());
    }
  }

 private:
  // Marks the operation that makes `value` to become a kernel that computes each element by itself.
  // This is for types that no kernel sums: i1, and other numbers of few bits.
  static void give_element_kernel_to(Value value) {
    const auto type = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
    mlir::Operation* made = value.getDefiningOp();
    if (made == nullptr || !type) return;
    const auto element = element_type(type.getElementType());
    if (element && !is_only_read(*element) && !shares_bytes(*element)) give_element_kernel(*made);
  }

  // Of all sums on which a value depends, the one that is last in the text.
  mlir::Operation* sum_of(Value value) const { return sums_.lookup(value.getDefiningOp()); }

  static bool is_behind(mlir::Operation* sum, mlir::Operation* other) {
    return other == nullptr || other->isBeforeInBlock(sum);
  }

  static bool is_as_large(Value value, mlir::Operation* sum) {
    llvm::SmallVector<std::int64_t> sizes[2];
    const Value values[2] = {value, sum->getResult(0)};
    for (int i = 0; i < 2; ++i) {
      const auto type = mlir::dyn_cast<mlir::RankedTensorType>(values[i].getType());
      if (!type) return true;
      for (const std::int64_t size : type.getShape())
        if (size != 1) sizes[i].push_back(size);
      llvm::sort(sizes[i]);
    }
    return sizes[0] == sizes[1];
  }

  // The sums from which `value` is computed without another sum in between.
  llvm::SetVector<mlir::Operation*> sums_before(Value value) const {
    llvm::SetVector<mlir::Operation*> sums;
    llvm::SetVector<Value> way;
    way.insert(value);
    for (std::size_t i = 0; i < way.size(); ++i) {
      if (sum_of(way[i]) == nullptr) continue;
      mlir::Operation* operation = way[i].getDefiningOp();
      if (is_sum(*operation)) {
        sums.insert(operation);
        continue;
      }
      for (const Value source : sources(*operation))
        if (!is_size(source)) way.insert(source);
    }
    return sums;
  }

  // True if `sum` is computed from `other`.
  bool follows(mlir::Operation* sum, mlir::Operation* other) const {
    llvm::SetVector<mlir::Operation*> all;
    all.insert(sum);
    for (std::size_t i = 0; i < all.size(); ++i)
      for (const Value source : sources(*all[i]))
        if (!is_size(source)) all.insert_range(sums_before(source));
    return sum != other && all.contains(other);
  }

  // True if the last of the sums from which `value` is computed has fewer elements than `value`. If
  // `value` were in the epilogue of this sum, the sum would be computed again for each element of
  // `value`.
  bool repeats(Value value) const {
    for (mlir::Operation* made = value.getDefiningOp();
         made != nullptr && is_reshape(*made) && !has_element_kernel(*made);
         made = value.getDefiningOp())
      value = made->getOperand(0);
    const ElementCount count = element_count(value);
    const llvm::SetVector<mlir::Operation*> sums = sums_before(value);
    return llvm::none_of(sums, [&](mlir::Operation* sum) {
      return element_count(sum->getResult(0)) >= count &&
             llvm::none_of(sums, [&](mlir::Operation* other) { return follows(other, sum); });
    });
  }

  // `own` is a sum, with some operations around it, that was put behind `source`. Records in
  // `sums_` that the values from `source` (exclusive) to `own` depend on this sum.
  void track(Value own, Value source) {
    mlir::Operation* sum = nullptr;
    for (Value value = own; value != source; value = sum->getOperand(0))
      sum = value.getDefiningOp();
    for (Value value = own; value != source; value = value.getDefiningOp()->getOperand(0))
      sums_[value.getDefiningOp()] = sum;
  }

  // `result` is a result of the function that depends on no product. Lets the kernel of another
  // result write it, too: one that has the same type, depends on a product, and is computed before
  // `result` is used. The epilogue of that product gets a select that always takes `result`.
  bool write_beside(mlir::OpOperand& result, const std::vector<mlir::OpOperand*>& ends) {
    for (const mlir::OpOperand* operand : ends) {
      const Value other = operand->get();
      if (sum_of(other) == nullptr || other.getType() != result.get().getType() ||
          result.getOwner()->isBeforeInBlock(other.getDefiningOp()))
        continue;
      mlir::OpBuilder builder(result.getOwner());
      const Value both = generic(
          builder, other, result.get(), nullptr, empty_like(builder, other),
          [](mlir::OpBuilder& inside, mlir::Location place, mlir::ValueRange read) -> Value {
            const Value no = mlir::arith::ConstantIntOp::create(inside, place, 0, 1);
            return mlir::arith::SelectOp::create(inside, place, no, read[0], read[1]);
          });
      result.set(both);
      return true;
    }
    return false;
  }

  // If the result of a product is padded, and a result of the function is computed from the padded
  // value, gives the padded value a separate kernel.
  void separate_padding(Value value) {
    llvm::SetVector<Value> way;
    way.insert(value);
    for (std::size_t i = 0; i < way.size(); ++i) {
      mlir::Operation* operation = way[i].getDefiningOp();
      mlir::Operation* sum = sum_of(way[i]);
      if (sum == nullptr || sum == operation) continue;
      auto pack = mlir::dyn_cast<mlir::linalg::PackOp>(operation);
      if (mlir::isa<mlir::tensor::PadOp, mlir::tensor::InsertSliceOp>(operation) ||
          (pack && pack.getPaddingValue())) {
        mlir::OpBuilder builder(operation->getContext());
        builder.setInsertionPointAfter(operation);
        const llvm::SmallPtrSet<mlir::Operation*, 8> users(way[i].user_begin(), way[i].user_end());
        Value padded = way[i];
        const Value own = summed(builder, padded);
        if (!own) continue;
        track(own, padded);
        padded.replaceUsesWithIf(
            own, [&](mlir::OpOperand& use) { return users.contains(use.getOwner()); });
        continue;
      }
      way.insert(operation->operand_begin(), operation->operand_end());
    }
  }

  // If an elementwise operation reads a value in two orders (`M + transposed(M)`) and the value
  // depends on a sum: splits them into two kernels. The first kernel computes the value, and the
  // second one begins with reading it in the first order.
  void separate(mlir::Operation& operation) {
    auto linalg = mlir::dyn_cast<mlir::linalg::LinalgOp>(operation);
    if (!linalg || !linalg.hasPureTensorSemantics()) return;
    for (mlir::OpOperand* x : linalg.getDpsInputOperands()) {
      for (mlir::OpOperand* y : linalg.getDpsInputOperands()) {
        if (x->get() != y->get() || sum_of(x->get()) == nullptr ||
            linalg.getMatchingIndexingMap(x) == linalg.getMatchingIndexingMap(y))
          continue;
        if (!mlir::cast<mlir::ShapedType>(x->get().getType()).hasStaticShape()) {
          // With dynamic sizes only an element kernel can know that a dimension has one size in
          // both orders.
          give_element_kernel(operation);
          sums_[&operation] = &operation;
          return;
        }
        mlir::OpBuilder builder(&operation);
        const Value own = summed(builder, x->get());
        if (!own) continue;
        track(own, x->get());
        sums_[&operation] = sum_of(own);
        return x->set(own);
      }
    }
  }

  mlir::Block& block_;
  llvm::DenseMap<mlir::Operation*, mlir::Operation*> sums_;
};

}  // namespace

void give_own_kernels(mlir::func::FuncOp function) {
  mlir::Block& block = function.getBody().front();
  if (llvm::any_of(block, [](mlir::Operation& operation) { return is_sum(operation); }))
    KernelGiver(block).give();
}

void join_blocks(mlir::func::FuncOp function) {
  if (function.isExternal()) return;
  mlir::IRRewriter rewriter(function.getContext());
  mlir::Block* block = &function.getBody().front();
  while (auto branch = mlir::dyn_cast<mlir::cf::BranchOp>(block->getTerminator())) {
    mlir::Block* next = branch.getDest();
    if (next == block || next->isEntryBlock() || next->getSinglePredecessor() != block) return;
    const llvm::SmallVector<Value> operands(branch.getDestOperands());
    rewriter.eraseOp(branch);
    rewriter.mergeBlocks(next, block, operands);
  }
}

}  // namespace heddle::compiler
