// What the three passes have in common: their options, and the selection of the functions that they
// change.
#pragma once

#include "compiler/warp/layouts.h"
#include "compiler/warp/passes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace heddle::compiler {

/// The layout in which an operation needs `operand`. It follows from the operation and from the
/// layouts of its results. If the operation accepts any layout, it is the layout that the operand
/// has. Null if the operand is not a vector of a warp.
std::optional<layout::LinearLayout> operand_layout(mlir::OpOperand& operand,
                                                   const LayoutTable& table,
                                                   const WarpOptions& options);

/// True if each element of the result is computed only from the operands' elements with the same
/// indices.
bool is_elementwise(mlir::Operation* operation);

/// True if the function works on vectors of a warp: it has a vector.contract, or a vector.transfer
/// to or from memory.
bool has_warp_vectors(mlir::FunctionOpInterface function);

/// Makes WarpOptions from the option values of a pass. If the target is unsupported, that is
/// reported as an error at the operation `where`.
mlir::FailureOr<WarpOptions> warp_options(mlir::Operation* where, llvm::StringRef target,
                                          bool tf32);

/// If show_layouts is set: prints the layouts of the function's values and its conversions between
/// layouts. `after` is the name of the pass that ran.
void print_layouts(mlir::FunctionOpInterface function, llvm::StringRef after,
                   const WarpOptions& options);

template <typename Derived>
class WarpPass : public mlir::OperationPass<> {
  friend Derived;
  WarpPass(llvm::StringRef processor, bool rounds_to_tf32)
      : mlir::OperationPass<>(mlir::TypeID::get<Derived>()) {
    target = processor.str();
    tf32 = rounds_to_tf32;
  }
  WarpPass(const WarpPass& other) : mlir::OperationPass<>(other) {
    target = other.target;
    tf32 = other.tf32;
  }

 public:
  virtual mlir::LogicalResult run_on(mlir::FunctionOpInterface function,
                                     const WarpOptions& options) = 0;

  void runOnOperation() final {
    mlir::Operation* root = getOperation();
    const mlir::FailureOr<WarpOptions> options = warp_options(root, target, tf32);
    if (mlir::failed(options)) return signalPassFailure();
    const mlir::WalkResult result =
        root->walk<mlir::WalkOrder::PreOrder>([&](mlir::FunctionOpInterface function) {
          if (function.isExternal() || !has_warp_vectors(function)) return mlir::WalkResult::skip();
          if (mlir::failed(run_on(function, *options))) return mlir::WalkResult::interrupt();
          print_layouts(function, getArgument(), *options);
          return mlir::WalkResult::skip();
        });
    if (result.wasInterrupted()) signalPassFailure();
  }

  void getDependentDialects(mlir::DialectRegistry& registry) const final {
    register_warp_dialects(registry);
  }

 protected:
  std::unique_ptr<mlir::Pass> clonePass() const final {
    return std::make_unique<Derived>(*static_cast<const Derived*>(this));
  }
  llvm::StringRef getName() const final { return llvm::getTypeName<Derived>(); }

  Option<std::string> target{*this, "target",
                             llvm::cl::desc("the processor: sm_80, gfx1151, MI300X, ..."),
                             llvm::cl::init("sm_80")};
  Option<bool> tf32{*this, "tf32", llvm::cl::desc("round f32 operands to tf32 (NVIDIA)"),
                    llvm::cl::init(false)};
};

}  // namespace heddle::compiler
