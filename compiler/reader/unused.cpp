#include "compiler/reader/unused.h"

#include <vector>

#include "compiler/reader/element_marks.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace heddle::compiler {
namespace {

// Each operation comes after what it uses.
void erase_dead(mlir::Block& block) {
  std::vector<mlir::Operation*> operations;
  for (mlir::Operation& operation : block.without_terminator()) operations.push_back(&operation);
  for (mlir::Operation* operation : llvm::reverse(operations))
    if (mlir::isOpTriviallyDead(operation)) operation->erase();
}

// True if some sum (is_sum) is used: by a return, by an operation with side effects, or by an
// operation that one of these needs.
bool has_live_sum(mlir::Block& block) {
  llvm::DenseSet<mlir::Operation*> live;
  for (mlir::Operation& operation : llvm::reverse(block)) {
    if (mlir::isMemoryEffectFree(&operation) &&
        !operation.hasTrait<mlir::OpTrait::IsTerminator>() && !live.contains(&operation))
      continue;
    if (is_sum(operation)) return true;
    operation.walk([&](mlir::Operation* inside) {
      for (const mlir::Value operand : inside->getOperands())
        if (mlir::Operation* source = operand.getDefiningOp()) live.insert(source);
    });
  }
  return false;
}

// True if the operands whose indexing maps are `maps` determine the length of each of the
// operation's `loops` loops.
bool name_all_loops(llvm::ArrayRef<mlir::AffineMap> maps, unsigned loops) {
  llvm::SmallDenseSet<unsigned> named;
  for (const mlir::AffineMap map : maps)
    for (const mlir::AffineExpr expression : map.getResults())
      if (const auto loop = mlir::dyn_cast<mlir::AffineDimExpr>(expression))
        named.insert(loop.getPosition());
  return named.size() == loops;
}

// Makes an operation that computes only result `number` of `generic`, from the inputs on which this
// result depends. Null if the result also depends on the initial value of another result.
mlir::linalg::GenericOp part_for(mlir::linalg::GenericOp generic, unsigned number) {
  mlir::Block& body = generic.getRegion().front();
  mlir::Operation* end = body.getTerminator();
  const auto inputs = static_cast<unsigned>(generic.getNumDpsInputs());
  // Collects the operations that the result depends on, the last one first.
  llvm::DenseSet<mlir::Value> needed{end->getOperand(number)};
  std::vector<mlir::Operation*> operations;
  for (mlir::Operation& operation : llvm::reverse(body.without_terminator())) {
    if (llvm::none_of(operation.getResults(), [&](mlir::Value v) { return needed.contains(v); }))
      continue;
    if (operation.getNumRegions() != 0) return nullptr;
    operations.push_back(&operation);
    needed.insert(operation.operand_begin(), operation.operand_end());
  }
  for (unsigned i = inputs; i < body.getNumArguments(); ++i)
    if (i != inputs + number && needed.contains(body.getArgument(i))) return nullptr;
  // Keeps only the inputs that the result needs, or all if these do not determine all loop lengths.
  const llvm::SmallVector<mlir::AffineMap> maps = generic.getIndexingMapsArray();
  std::vector<unsigned> kept;
  std::vector<mlir::AffineMap> kept_maps;
  for (const bool all : {false, true}) {
    kept.clear();
    kept_maps.clear();
    for (unsigned i = 0; i < inputs; ++i)
      if (all || needed.contains(body.getArgument(i))) kept.push_back(i);
    for (const unsigned i : kept) kept_maps.push_back(maps[i]);
    kept_maps.push_back(maps[inputs + number]);
    if (name_all_loops(kept_maps, generic.getNumLoops())) break;
  }
  std::vector<mlir::Value> read;
  for (const unsigned i : kept) read.push_back(generic->getOperand(i));
  const mlir::Value initial = generic.getDpsInits()[number];
  mlir::OpBuilder builder(generic);
  auto part = mlir::linalg::GenericOp::create(
      builder, generic.getLoc(), mlir::TypeRange(initial.getType()), read,
      mlir::ValueRange(initial), kept_maps, generic.getIteratorTypesArray());
  auto* block = new mlir::Block;
  part.getRegion().push_back(block);
  mlir::IRMapping mapping;
  kept.push_back(inputs + number);
  for (const unsigned i : kept) {
    const mlir::BlockArgument argument = body.getArgument(i);
    mapping.map(argument, block->addArgument(argument.getType(), argument.getLoc()));
  }
  mlir::OpBuilder inside = mlir::OpBuilder::atBlockEnd(block);
  for (mlir::Operation* operation : llvm::reverse(operations)) inside.clone(*operation, mapping);
  mlir::linalg::YieldOp::create(inside, end->getLoc(),
                                mapping.lookupOrDefault(end->getOperand(number)));
  return part;
}

// Splits `generic` into one operation for each result that is used. Leaves it unchanged if that is
// not possible.
void split(mlir::linalg::GenericOp generic) {
  std::vector<mlir::linalg::GenericOp> parts(generic.getNumResults());
  for (unsigned i = 0; i < parts.size(); ++i) {
    if (generic.getResult(i).use_empty()) continue;
    parts[i] = part_for(generic, i);
    if (parts[i]) continue;
    for (unsigned made = 0; made < i; ++made)
      if (parts[made]) parts[made].erase();
    return;
  }
  for (unsigned i = 0; i < parts.size(); ++i)
    if (parts[i]) generic.getResult(i).replaceAllUsesWith(parts[i].getResult(0));
  generic.erase();
}

}  // namespace

bool is_sum(mlir::Operation& operation) {
  if (has_element_kernel(operation)) return true;
  if (is_read_on_the_way(operation)) return false;
  return operation
      .walk([](mlir::linalg::LinalgOp linalg) {
        return linalg.getNumReductionLoops() != 0 ? mlir::WalkResult::interrupt()
                                                  : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

void erase_unused(mlir::func::FuncOp function) {
  mlir::Block& block = function.getBody().front();
  if (!has_live_sum(block)) return;
  erase_dead(block);
  mlir::IRRewriter rewriter(function.getContext());
  for (mlir::Operation& operation : llvm::make_early_inc_range(block)) {
    if (auto reduce = mlir::dyn_cast<mlir::linalg::ReduceOp>(operation);
        reduce && reduce.hasPureTensorSemantics() && reduce.getNumResults() > 1) {
      rewriter.setInsertionPoint(reduce);
      if (const auto made = mlir::linalg::generalizeNamedOp(rewriter, reduce);
          mlir::succeeded(made))
        split(*made);
      continue;
    }
    auto generic = mlir::dyn_cast<mlir::linalg::GenericOp>(operation);
    if (generic && generic.hasPureTensorSemantics() && generic.getNumResults() > 1) split(generic);
  }
  erase_dead(block);
}

}  // namespace heddle::compiler
