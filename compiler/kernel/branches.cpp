#include "compiler/kernel/branches.h"

#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "mlir/Rewrite/PatternApplicator.h"

namespace heddle::compiler {
namespace {

class Branches : public mlir::PassWrapper<Branches, mlir::OperationPass<>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Branches)

  llvm::StringRef getArgument() const override { return "heddle-branches"; }
  llvm::StringRef getDescription() const override {
    return "Turn loops and conditions into blocks and branches";
  }
  void getDependentDialects(mlir::DialectRegistry& registry) const override {
    registry.insert<mlir::cf::ControlFlowDialect>();
  }

  void runOnOperation() override {
    mlir::MLIRContext& context = getContext();
    mlir::RewritePatternSet all(&context);
    mlir::populateSCFToControlFlowConversionPatterns(all);
    const mlir::FrozenRewritePatternSet patterns(std::move(all));
    mlir::PatternApplicator applicator(patterns);
    applicator.applyDefaultCostModel();
    llvm::SmallVector<mlir::Operation*> operations;
    getOperation()->walk([&](mlir::Operation* operation) {
      if (mlir::isa<mlir::scf::ForOp, mlir::scf::IfOp, mlir::scf::WhileOp>(operation))
        operations.push_back(operation);
    });
    // Rewrites the last branch first: a rewriting moves only what follows it, up to the next
    // branch. The patterns only move operations, so the code stays valid throughout.
    mlir::PatternRewriter rewriter(&context);
    for (mlir::Operation* operation : llvm::reverse(operations)) {
      rewriter.setInsertionPoint(operation);
      if (mlir::failed(applicator.matchAndRewrite(operation, rewriter))) return signalPassFailure();
    }
  }
};

}  // namespace

std::unique_ptr<mlir::Pass> create_branches_pass() { return std::make_unique<Branches>(); }

}  // namespace heddle::compiler
