#include "compiler/reader/memory_values.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "compiler/reader/formula_reader.h"
#include "compiler/reader/values.h"
#include "library/text/formatted.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"

namespace heddle::compiler {
namespace {

using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

// Limits, since each use of a view becomes one operation for each view that it is a view of.
constexpr int deepest_views = 8, most_views = 4096;
constexpr std::size_t most_counters = 16;

bool is_memory(Value value) { return mlir::isa<mlir::BaseMemRefType>(value.getType()); }

bool is_view(Operation* operation) {
  return mlir::isa_and_present<mlir::memref::SubViewOp, mlir::memref::CollapseShapeOp,
                               mlir::memref::ExpandShapeOp, mlir::memref::TransposeOp,
                               mlir::memref::CastOp, mlir::memref::AssumeAlignmentOp>(operation) &&
         mlir::isa<mlir::MemRefType>(operation->getOperand(0).getType()) &&
         mlir::isa<mlir::MemRefType>(operation->getResult(0).getType());
}

// False for memrefs of elements that tensors cannot have, such as memrefs of memrefs.
bool holds_numbers(Value memory) {
  return mlir::TensorType::isValidElementType(
      mlir::cast<mlir::MemRefType>(memory.getType()).getElementType());
}

RankedTensorType tensor_type(Value memory) {
  const auto type = mlir::cast<mlir::MemRefType>(memory.getType());
  return RankedTensorType::get(type.getShape(), type.getElementType());
}

class MemoryValues {
 public:
  MemoryValues(mlir::func::FuncOp function, Diagnostics& diagnostics)
      : function_(function),
        block_(function.getBody().front()),
        builder_(function.getContext()),
        diagnostics_(diagnostics) {}

  bool rewrite() {
    if (!read_arguments() || !read_block(block_) || !return_values()) return false;
    for (Operation* operation : llvm::reverse(dead_)) operation->erase();
    change_arguments();
    return true;
  }

 private:
  // The contents of one allocation or argument.
  struct Memory {
    Value now = {};      // its elements at this point of the text
    Value initial = {};  // those of an argument before anything wrote them
    // Of the last write: the view written through, its elements, and all elements before it.
    Value view = {}, part = {}, before = {};
    bool is_written = false;
  };

  bool refuse(mlir::Location place, std::string_view found, std::string_view accepted) {
    diagnostics_.error(place, found, accepted);
    return false;
  }

  bool read_arguments() {
    builder_.setInsertionPointToStart(&block_);
    for (const mlir::BlockArgument argument : block_.getArguments()) {
      const auto type = mlir::dyn_cast<mlir::MemRefType>(argument.getType());
      if (!type || !holds_numbers(argument)) continue;
      // LLVM numbers the address spaces of GPUs; 1 is global memory.
      const auto space = mlir::dyn_cast_if_present<mlir::IntegerAttr>(type.getMemorySpace());
      if (type.getMemorySpace() && (!space || space.getValue() != 1))
        return refuse(argument.getLoc(), "the memory space of " + printed(type),
                      "global memory: the default one, or 1");
      // A placeholder for the argument's elements, until change_arguments makes it a tensor.
      auto value = mlir::bufferization::ToTensorOp::create(builder_, argument.getLoc(),
                                                           tensor_type(argument), argument);
      memories_[argument] = {.now = value, .initial = value};
      arguments_.push_back(argument);
    }
    return true;
  }

  bool read_block(mlir::Block& block) {
    for (Operation& operation : llvm::make_early_inc_range(block.without_terminator())) {
      const mlir::Location place = operation.getLoc();  // it may be gone afterwards
      if (!read(operation)) return false;
      if (views_ > most_views)
        return refuse(place,
                      formatted("views that are read and written more than {} times", most_views),
                      "fewer views");
    }
    return true;
  }

  bool read(Operation& operation) {
    builder_.setInsertionPoint(&operation);
    const mlir::Location place = operation.getLoc();
    if (auto stand_in = mlir::dyn_cast<mlir::bufferization::ToTensorOp>(operation);
        stand_in && known(stand_in.getBuffer())) {
      if (memory(stand_in.getBuffer()).initial == stand_in.getResult()) return true;
      stand_in.getResult().replaceAllUsesWith(elements(stand_in.getBuffer()));
    } else if (mlir::isa<mlir::memref::AllocOp, mlir::memref::AllocaOp>(operation) &&
               holds_numbers(operation.getResult(0))) {
      const Value allocated = operation.getResult(0);
      const RankedTensorType type = tensor_type(allocated);
      memories_[allocated] = {
          .now = mlir::tensor::EmptyOp::create(
              builder_, place, type.getShape(), type.getElementType(),
              operation.getOperands().take_front(static_cast<unsigned>(type.getNumDynamicDims())))};
    } else if (auto global = mlir::dyn_cast<mlir::memref::GetGlobalOp>(operation);
               global && constant_of(global)) {
      memories_[global.getResult()] = {
          .now = mlir::arith::ConstantOp::create(builder_, place, constant_of(global))};
    } else if (auto buffer = mlir::dyn_cast<mlir::bufferization::ToBufferOp>(operation);
               buffer && mlir::isa<mlir::MemRefType>(buffer.getType())) {
      memories_[buffer.getResult()] = {.now = buffer.getTensor()};
    } else if (is_view(&operation) && known(operation.getOperand(0))) {
      // The operation that makes a view stays: reads and writes through the view follow it.
      if (depth(operation.getResult(0)) > deepest_views)
        return refuse(place, formatted("a view of more than {} views", deepest_views),
                      "views of arguments and allocations");
    } else if (auto dimension = mlir::dyn_cast<mlir::memref::DimOp>(operation);
               dimension && known(dimension.getSource())) {
      dimension.getResult().replaceAllUsesWith(mlir::tensor::DimOp::create(
          builder_, place, elements(dimension.getSource()), dimension.getIndex()));
    } else if (auto copy = mlir::dyn_cast<mlir::memref::CopyOp>(operation);
               copy && known(copy.getSource()) && known(copy.getTarget())) {
      if (root(copy.getTarget()) == root(copy.getSource())) return refuse_overlap(place);
      if (!write(copy.getTarget(), elements(copy.getSource()), place)) return false;
    } else if (auto store =
                   mlir::dyn_cast<mlir::bufferization::MaterializeInDestinationOp>(operation);
               store && known(store.getDest())) {
      if (!write(store.getDest(), store.getSource(), place)) return false;
    } else if (auto writer = mlir::dyn_cast<mlir::DestinationStyleOpInterface>(operation);
               writer && mlir::isa<mlir::linalg::LinalgDialect>(operation.getDialect()) &&
               has_only_known(operation)) {
      return !llvm::any_of(operation.getOperands(), is_memory) || compute(writer);
    } else if (auto loop = mlir::dyn_cast<mlir::scf::ForOp>(operation);
               loop && loop.getNumResults() == 0) {
      return read_loop(loop);
    } else if (mlir::isa<mlir::scf::ForallOp, mlir::scf::ParallelOp>(operation) &&
               operation.getNumResults() == 0) {
      auto loops = mlir::cast<mlir::LoopLikeOpInterface>(operation);
      const std::size_t counters = loops.getLoopInductionVars()->size();
      if (counters == 0 || counters > most_counters)
        return refuse(place, formatted("a loop over {} counters", counters),
                      formatted("1 to {}", most_counters));
      return read(*nest(loops));
    } else if (!mlir::isa<mlir::memref::DeallocOp>(operation)) {
      bool has_memory = false;
      operation.walk([&](Operation* inside) {
        has_memory = has_memory || llvm::any_of(inside->getOperands(), is_memory) ||
                     llvm::any_of(inside->getResults(), is_memory);
      });
      return !has_memory ||
             refuse(place, "the operation " + spelling(operation) + " on memory", accepted_body);
    }
    dead_.push_back(&operation);
    return true;
  }

  // The values of a constant memref.global; null for another.
  static mlir::DenseElementsAttr constant_of(mlir::memref::GetGlobalOp use) {
    auto global =
        mlir::SymbolTable::lookupNearestSymbolFrom<mlir::memref::GlobalOp>(use, use.getNameAttr());
    return global && global.getConstant()
               ? mlir::dyn_cast_if_present<mlir::DenseElementsAttr>(global.getInitialValueAttr())
               : nullptr;
  }

  // True if the operation itself uses only known memory, and those in its regions use none.
  bool has_only_known(Operation& operation) const {
    bool has = true;
    operation.walk([&](Operation* inside) {
      for (const Value operand : inside->getOperands())
        has = has && (!is_memory(operand) || (inside == &operation && known(operand)));
    });
    return has;
  }

  // Checks an operation that reads and writes the same memory: when it computes an element, it may
  // read from this memory only the same element.
  bool check_overlap(mlir::DestinationStyleOpInterface operation) {
    auto linalg = mlir::dyn_cast<mlir::linalg::LinalgOp>(operation.getOperation());
    for (mlir::OpOperand& init : operation.getDpsInitsMutable()) {
      if (!is_memory(init.get())) continue;
      for (mlir::OpOperand& other : operation->getOpOperands()) {
        if (&other == &init || !is_memory(other.get()) || root(other.get()) != root(init.get()))
          continue;
        const bool is_same =
            linalg && !operation.isDpsInit(&other) && other.get() == init.get() &&
            linalg.getNumReductionLoops() == 0 &&
            linalg.getMatchingIndexingMap(&other) == linalg.getMatchingIndexingMap(&init);
        if (!is_same) return refuse_overlap(operation->getLoc());
      }
    }
    return true;
  }
  bool refuse_overlap(mlir::Location place) {
    return refuse(place, "an operation that reads the memory which it writes",
                  "other memory, or each element where it is written");
  }

  // The same operation on tensors.
  bool compute(mlir::DestinationStyleOpInterface operation) {
    if (!check_overlap(operation)) return false;
    std::vector<Value> operands;
    for (const Value operand : operation->getOperands())
      operands.push_back(is_memory(operand) ? elements(operand) : operand);
    std::vector<mlir::Type> types;
    for (mlir::OpOperand& init : operation.getDpsInitsMutable())
      types.push_back(operands[init.getOperandNumber()].getType());
    Operation* made = mlir::clone(builder_, operation.getOperation(), types, operands);
    std::size_t of_tensors = 0;
    for (const auto& [init, result] :
         llvm::zip_equal(operation.getDpsInits(), made->getResults())) {
      if (!is_memory(init)) {
        operation->getResult(static_cast<unsigned>(of_tensors++)).replaceAllUsesWith(result);
      } else if (!write(init, result, operation->getLoc())) {
        return false;
      }
    }
    dead_.push_back(operation);
    return true;
  }

  // Rewrites a loop so that it carries, as tensors, the memory from outside that it writes.
  bool read_loop(mlir::scf::ForOp loop) {
    std::vector<Value> roots;
    for (Value written : written_in(loop))
      if (const Value held = root(written); held && !llvm::is_contained(roots, held))
        roots.push_back(held);
    // If a loop uses a memory only through one view, it carries only the elements of that view. The
    // view then counts as separate memory until the loop ends.
    std::vector<Value> parts;
    for (Value& held : roots) {
      const Value part = common_view(loop, held);
      if (part == held) continue;
      const Value now = elements(part);
      memories_[part] = {.now = now};
      parts.push_back(held = part);
    }
    std::vector<Value> before;
    for (const Value held : roots) before.push_back(memories_.at(held).now);
    auto made = mlir::scf::ForOp::create(builder_, loop.getLoc(), loop.getLowerBound(),
                                         loop.getUpperBound(), loop.getStep(), before);
    made.setUnsignedCmp(loop.getUnsignedCmp());
    mlir::Block& body = *made.getBody();
    loop.getInductionVar().replaceAllUsesWith(made.getInductionVar());
    body.getOperations().splice(body.end(), loop.getBody()->getOperations(),
                                loop.getBody()->begin(), std::prev(loop.getBody()->end()));
    builder_.setInsertionPointToEnd(&body);
    auto end = mlir::scf::YieldOp::create(builder_, loop.getLoc(), before);
    for (const auto& [held, inside] : llvm::zip_equal(roots, made.getRegionIterArgs())) {
      Memory& memory = memories_.at(held);
      memory.view = memory.part = {};
      memory.now = inside;
    }
    ++loops_;
    const bool is_read = read_block(body);
    --loops_;
    for (std::size_t i = 0; i < roots.size() && is_read; ++i) {
      Memory& memory = memories_.at(roots[i]);
      end->setOperand(static_cast<unsigned>(i), memory.now);
      memory = {.now = made.getResult(static_cast<unsigned>(i)),
                .initial = memory.initial,
                .is_written = true};
    }
    dead_.push_back(loop);
    builder_.setInsertionPointAfter(made);
    for (const Value part : parts) {
      const Value now = memories_.at(part).now;
      memories_.erase(part);
      if (!is_read || !write(part, now, loop.getLoc())) return false;
    }
    return is_read;
  }

  // The smallest view of `held` made outside of `loop` that contains all that the loop uses of it.
  Value common_view(mlir::scf::ForOp loop, Value held) {
    const Memory& whole = memories_.at(held);
    const auto views_of = [&](Value memory) {  // those outside of the loop, the root first
      std::vector<Value> views;
      for (; memory != held; memory = memory.getDefiningOp()->getOperand(0))
        if (!loop->isAncestor(memory.getDefiningOp())) views.push_back(memory);
      views.push_back(held);
      std::ranges::reverse(views);
      return views;
    };
    std::optional<std::vector<Value>> common;
    loop.walk([&](Operation* inside) {
      if (is_view(inside)) return;
      for (const Value operand : inside->getOperands()) {
        if (!is_memory(operand) || root(operand) != held) continue;
        const std::vector<Value> views = views_of(operand);
        if (!common) common = views;
        const auto differs = std::ranges::mismatch(*common, views).in1;
        common->erase(differs, common->end());
      }
    });
    // An outermost loop carries all of an argument that was written before, instead of a view.
    const bool has_part = whole.initial && loops_ == 0 && whole.is_written;
    return common && !has_part ? common->back() : held;
  }

  // Turns a loop over several counters into nested loops.
  Operation* nest(mlir::LoopLikeOpInterface loop) {
    const mlir::Location place = loop.getLoc();
    const auto counters = *loop.getLoopInductionVars();
    const auto lower = *loop.getLoopLowerBounds(), upper = *loop.getLoopUpperBounds(),
               steps = *loop.getLoopSteps();
    const auto number = [&](mlir::OpFoldResult of) {
      return mlir::getValueOrCreateConstantIndexOp(builder_, place, of);
    };
    mlir::Block& body = loop.getLoopRegions().front()->front();
    Operation* outermost = nullptr;
    for (unsigned i = 0; i < counters.size(); ++i) {
      auto made = mlir::scf::ForOp::create(builder_, place, number(lower[i]), number(upper[i]),
                                           number(steps[i]));
      mlir::Value counter = counters[i];
      counter.replaceAllUsesWith(made.getInductionVar());
      builder_.setInsertionPoint(made.getBody()->getTerminator());
      if (outermost == nullptr) outermost = made;
      if (i + 1 == counters.size())
        made.getBody()->getOperations().splice(made.getBody()->begin(), body.getOperations(),
                                               body.begin(), std::prev(body.end()));
    }
    dead_.push_back(loop);
    return outermost;
  }

  // The memory that operations inside of `loop` write.
  static std::vector<Value> written_in(mlir::scf::ForOp loop) {
    std::vector<Value> written;
    loop.walk([&](Operation* inside) {
      if (auto copy = mlir::dyn_cast<mlir::memref::CopyOp>(inside))
        written.push_back(copy.getTarget());
      if (auto writer = mlir::dyn_cast<mlir::DestinationStyleOpInterface>(inside))
        for (const Value init : writer.getDpsInits())
          if (is_memory(init)) written.push_back(init);
    });
    return written;
  }

  // The allocation or argument of which `memory` is a view; null if that is not known.
  Value root(Value memory) const {
    while (!memories_.contains(memory)) {
      Operation* view = memory.getDefiningOp();
      if (!is_view(view)) return nullptr;
      memory = view->getOperand(0);
    }
    return memory;
  }
  bool known(Value memory) const { return static_cast<bool>(root(memory)); }
  Memory& memory(Value memory) { return memories_.at(root(memory)); }

  // The number of views between a memref and its root.
  int depth(Value memory) const {
    int views = 0;
    for (; !memories_.contains(memory); memory = memory.getDefiningOp()->getOperand(0)) ++views;
    return views;
  }

  // True if the view shows all elements of its memory: no memref.subview is on the way to it.
  bool is_whole(Value memory) const {
    for (; !memories_.contains(memory); memory = memory.getDefiningOp()->getOperand(0))
      if (memory.getDefiningOp<mlir::memref::SubViewOp>()) return false;
    return true;
  }

  Value elements(Value of) {
    const Memory& held = memory(of);
    return held.view == of ? held.part : seen(of, held.now);
  }

  // The elements that `view` shows, if `held` are the elements of the memory that it is a view of.
  Value seen(Value view, Value held) {
    if (memories_.contains(view)) return held;
    ++views_;
    const Value base = seen(view.getDefiningOp()->getOperand(0), held);
    return spelled_as(view, elements_of_view(view, base), base);
  }

  // `value` replaces `view`. If an operation made `value` from `from`, that operation gets an
  // attribute with the name that the view's operation has in the text, for messages.
  Value spelled_as(Value view, Value value, Value from) {
    if (value != from)
      value.getDefiningOp()->setAttr(
          spelling_attribute,
          builder_.getStringAttr(view.getDefiningOp()->getName().getStringRef()));
    return value;
  }

  Value elements_of_view(Value view, Value base) {
    Operation* operation = view.getDefiningOp();
    const mlir::Location place = operation->getLoc();
    const RankedTensorType type = tensor_type(view);
    if (auto slice = mlir::dyn_cast<mlir::memref::SubViewOp>(operation))
      return mlir::tensor::ExtractSliceOp::create(builder_, place, type, base,
                                                  slice.getMixedOffsets(), slice.getMixedSizes(),
                                                  slice.getMixedStrides());
    if (auto collapse = mlir::dyn_cast<mlir::memref::CollapseShapeOp>(operation))
      return mlir::tensor::CollapseShapeOp::create(builder_, place, type, base,
                                                   collapse.getReassociationIndices());
    if (auto expand = mlir::dyn_cast<mlir::memref::ExpandShapeOp>(operation))
      return mlir::tensor::ExpandShapeOp::create(
          builder_, place, type, base, expand.getReassociationIndices(),
          mlir::getMixedValues(expand.getStaticOutputShape(), expand.getOutputShape(), builder_));
    if (auto transpose = mlir::dyn_cast<mlir::memref::TransposeOp>(operation))
      return transposed(base, transpose.getPermutation(), type, place);
    return cast(base, type, place);
  }

  // All elements of a memory, `held`, after the tensor `value` is written to its view `view`.
  Value placed(Value view, Value value, Value held) {
    if (memories_.contains(view))
      return cast(value, mlir::cast<RankedTensorType>(held.getType()), view.getLoc());
    ++views_;
    Operation* operation = view.getDefiningOp();
    const Value base = operation->getOperand(0);
    const mlir::Location place = operation->getLoc();
    const RankedTensorType type = tensor_type(base);
    const Value of_view = value;
    const auto sizes = [&] {
      const Value before = seen(base, held);
      llvm::SmallVector<mlir::OpFoldResult> all;
      for (std::int64_t i = 0; i < type.getRank(); ++i)
        all.push_back(mlir::tensor::getMixedSize(builder_, place, before, i));
      return all;
    };
    if (auto slice = mlir::dyn_cast<mlir::memref::SubViewOp>(operation)) {
      value = mlir::tensor::InsertSliceOp::create(builder_, place, value, seen(base, held),
                                                  slice.getMixedOffsets(), slice.getMixedSizes(),
                                                  slice.getMixedStrides());
    } else if (auto collapse = mlir::dyn_cast<mlir::memref::CollapseShapeOp>(operation)) {
      value = mlir::tensor::ExpandShapeOp::create(builder_, place, type, value,
                                                  collapse.getReassociationIndices(), sizes());
    } else if (auto expand = mlir::dyn_cast<mlir::memref::ExpandShapeOp>(operation)) {
      value = mlir::tensor::CollapseShapeOp::create(builder_, place, type, value,
                                                    expand.getReassociationIndices());
    } else if (auto transpose = mlir::dyn_cast<mlir::memref::TransposeOp>(operation)) {
      value = transposed(value, mlir::inversePermutation(transpose.getPermutation()), type, place);
    } else {
      value = cast(value, type, place);
    }
    return placed(base, spelled_as(view, value, of_view), held);
  }

  Value cast(Value value, RankedTensorType type, mlir::Location place) {
    return value.getType() == type ? value
                                   : mlir::tensor::CastOp::create(builder_, place, type, value);
  }

  Value transposed(Value value, mlir::AffineMap permutation, RankedTensorType type,
                   mlir::Location place) {
    llvm::SmallVector<std::int64_t> dimensions;
    llvm::SmallVector<mlir::OpFoldResult> sizes;
    for (unsigned i = 0; i < permutation.getNumResults(); ++i) {
      dimensions.push_back(permutation.getDimPosition(i));
      sizes.push_back(mlir::tensor::getMixedSize(builder_, place, value, dimensions.back()));
    }
    const Value empty =
        mlir::tensor::EmptyOp::create(builder_, place, sizes, type.getElementType());
    return mlir::linalg::TransposeOp::create(builder_, place, value, empty, dimensions)
        ->getResult(0);
  }

  bool write(Value view, Value value, mlir::Location place) {
    Memory& held = memory(view);
    if (root(view).getDefiningOp<mlir::memref::GetGlobalOp>())
      return refuse(place, "a constant that is written", "memref.alloc, and arguments");
    const bool whole = is_whole(view);
    const bool is_argument = held.initial && loops_ == 0;
    if (is_argument && !whole && held.is_written && held.view != view)
      return refuse(place, "a second part that is written of an argument",
                    "arguments that are written as a whole, or through one memref.subview");
    if (held.view != view) held.before = held.now;
    held.now = placed(view, value, held.before);
    held.view = whole ? Value() : view;
    held.part = whole ? Value() : value;
    held.is_written = true;
    return true;
  }

  bool return_values() {
    Operation* end = block_.getTerminator();
    builder_.setInsertionPoint(end);
    std::vector<Value> results;
    for (const Value value : end->getOperands()) {
      // An argument that the text returns is not made a result: it is updated in place.
      if (is_memory(value) && known(value) && memory(value).initial) continue;
      if (is_memory(value) && !is_row_major(mlir::cast<mlir::BaseMemRefType>(value.getType())))
        return refuse(end->getLoc(), "a result of " + printed(value.getType()),
                      "row-major memory, or tensors");
      results.push_back(is_memory(value) && known(value) ? elements(value) : value);
    }
    for (const Value argument : arguments_)
      if (const Memory& held = memories_.at(argument); held.is_written)
        results.push_back(stored(argument, held));
    end->setOperands(results);
    return true;
  }

  // True if the memref is row-major. Strides and offsets that are dynamic are assumed to fit.
  static bool is_row_major(mlir::BaseMemRefType type) {
    const auto memref = mlir::dyn_cast<mlir::MemRefType>(type);
    llvm::SmallVector<std::int64_t> strides;
    std::int64_t offset = 0, step = 1;
    if (!memref || mlir::failed(memref.getStridesAndOffset(strides, offset))) return false;
    bool is_plain = offset == 0 || mlir::ShapedType::isDynamic(offset);
    for (std::size_t i = strides.size(); i-- > 0;) {
      const std::int64_t size = memref.getDimSize(static_cast<unsigned>(i));
      is_plain = is_plain && (mlir::ShapedType::isDynamic(strides[i]) || strides[i] == step);
      step = mlir::ShapedType::isDynamic(size) || step < 0 ? -1 : step * size;
    }
    return is_plain || memref.getLayout().isIdentity();
  }

  // Stores the final value to an argument. Later operations that read this value then read it from
  // the argument, unless the argument's layout differs from a row-major one.
  Value stored(Value argument, const Memory& held) {
    const mlir::OpBuilder::InsertionGuard guard(builder_);
    Value value = held.view ? held.part : held.now;
    Operation* source = value.getDefiningOp();
    const bool is_plain =
        !held.view && mlir::cast<mlir::MemRefType>(argument.getType()).getLayout().isIdentity();
    const bool is_read_there =
        is_plain && !value.use_empty() && mlir::isa_and_present<mlir::linalg::LinalgOp>(source);
    if (is_read_there) builder_.setInsertionPointAfter(source);
    const Value place = held.view ? seen(held.view, held.initial) : held.initial;
    auto store = mlir::bufferization::MaterializeInDestinationOp::create(builder_, value.getLoc(),
                                                                         value, place);
    if (is_read_there) value.replaceAllUsesExcept(store->getResult(0), store.getOperation());
    return store->getResult(0);
  }

  // Changes memref arguments to tensors whose encoding is the memref's layout.
  void change_arguments() {
    for (const Value argument : arguments_) {
      const auto type = mlir::cast<mlir::MemRefType>(argument.getType());
      Value stand_in = memories_.at(argument).initial;
      builder_.setInsertionPointAfterValue(stand_in);
      const Value plain =
          mlir::tensor::CastOp::create(builder_, argument.getLoc(), stand_in.getType(), argument);
      stand_in.replaceAllUsesWith(plain);
      stand_in.getDefiningOp()->erase();
      mlir::Value changed = argument;
      changed.setType(
          RankedTensorType::get(type.getShape(), type.getElementType(), type.getLayout()));
    }
    function_.setFunctionType(builder_.getFunctionType(block_.getArgumentTypes(),
                                                       block_.getTerminator()->getOperandTypes()));
  }

  mlir::func::FuncOp function_;
  mlir::Block& block_;
  mlir::OpBuilder builder_;
  Diagnostics& diagnostics_;
  llvm::DenseMap<Value, Memory> memories_;  // of each root
  std::vector<Value> arguments_;
  std::vector<Operation*> dead_;
  int views_ = 0;  // operations that stand for views so far
  int loops_ = 0;  // how many are around what is read
};

}  // namespace

bool make_values_of_memory(mlir::func::FuncOp function, Diagnostics& diagnostics) {
  bool has_memory = false;
  function.walk([&](Operation* operation) {
    has_memory = has_memory || llvm::any_of(operation->getResults(), is_memory);
  });
  for (const Value argument : function.getArguments())
    has_memory = has_memory || is_memory(argument);
  if (!has_memory || !function.getBody().hasOneBlock()) return true;
  // Loads the dialects of the operations made here; the user's text may not use these dialects.
  function.getContext()
      ->loadDialect<mlir::arith::ArithDialect, mlir::bufferization::BufferizationDialect,
                    mlir::linalg::LinalgDialect, mlir::tensor::TensorDialect>();
  return MemoryValues(function, diagnostics).rewrite();
}

}  // namespace heddle::compiler
