#include "compiler/dialect/dialect.h"
#include "compiler/warp/conversion_plan.h"
#include "compiler/warp/pass_base.h"
#include "compiler/warp/transfer_plan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

namespace heddle::compiler {
namespace {

using dialect::ConvertLayoutOp;
using layout::LinearLayout;
using mlir::Value;

bool is_splat(mlir::Operation* operation) {
  auto constant = mlir::dyn_cast<mlir::arith::ConstantOp>(operation);
  return constant && mlir::isa<mlir::SplatElementsAttr>(constant.getValue());
}

// Computes a value a second time, in another layout. That may cost less than converting the value
// to this layout.
class Remaking {
 public:
  Remaking(const LayoutTable& table, const WarpOptions& options)
      : table_(table), options_(options) {}

  /// The cost of computing `value` again in the layout `map`; null if it cannot be computed again.
  /// The unit is the conversion planner's: a quarter of a cycle.
  std::optional<std::uint64_t> cost(Value value, const LinearLayout& map, int depth = 0) {
    mlir::Operation* made = value.getDefiningOp();
    if (made == nullptr || depth > 8) return std::nullopt;
    if (is_splat(made)) return 0;
    if (auto read = mlir::dyn_cast<mlir::vector::TransferReadOp>(made)) return read_cost(read, map);
    if (auto convert = mlir::dyn_cast<ConvertLayoutOp>(made))
      return cost(convert.getSource(), map, depth + 1);
    const bool moves_only = mlir::isa<mlir::vector::TransposeOp, mlir::vector::BroadcastOp>(made);
    if (!moves_only && !is_elementwise(made)) return std::nullopt;
    std::uint64_t sum = moves_only ? 0 : static_cast<std::uint64_t>(registers_of(map));
    LayoutTable changed;
    changed[made->getResult(0)] = map;
    for (mlir::OpOperand& operand : made->getOpOperands()) {
      if (!is_warp_vector(operand.get().getType())) continue;
      const auto needed = operand_layout(operand, changed, options_);
      const auto part = needed ? cost(operand.get(), *needed, depth + 1) : std::nullopt;
      if (!part) return std::nullopt;
      sum += *part;
    }
    return sum;
  }

  /// Precondition: cost(value, map) is known.
  Value make(Value value, const LinearLayout& map) {
    mlir::Operation* made = value.getDefiningOp();
    if (const auto known = table_.find(value); known != table_.end() && known->second == map)
      return value;
    if (auto convert = mlir::dyn_cast<ConvertLayoutOp>(made)) return make(convert.getSource(), map);
    // The copy is inserted next to the original: further on, the memory that it reads may have
    // changed.
    mlir::OpBuilder builder(made);
    builder.setInsertionPointAfter(made);
    mlir::Operation* again = made->clone();
    LayoutTable changed;
    changed[again->getResult(0)] = map;
    for (mlir::OpOperand& operand : again->getOpOperands()) {
      if (!is_warp_vector(operand.get().getType())) continue;
      operand.set(make(operand.get(), *operand_layout(operand, changed, options_)));
    }
    builder.insert(again);
    set_layout(again, map);
    return again->getResult(0);
  }

 private:
  // The cost of a read. Every access costs one instruction, the computation of its address, and one
  // pass through memory for every 4 bytes that a lane reads. A pass costs more in global memory
  // than in shared memory.
  std::uint64_t read_cost(mlir::vector::TransferReadOp read, const LinearLayout& map) {
    const mlir::ScopedDiagnosticHandler quiet(read.getContext(),
                                              [](mlir::Diagnostic&) { return mlir::success(); });
    const mlir::FailureOr<TransferSpace> space = read_space(read);
    if (mlir::failed(space)) return 0;  // refused where code is written
    const TransferPlan plan = plan_transfer(read, *space, map, options_);
    const std::uint64_t bits = static_cast<std::uint64_t>(plan.registers_at_once) *
                               read.getVectorType().getElementTypeBitWidth();
    const std::uint64_t passes = std::max<std::uint64_t>(1, bits / 32);
    const std::uint64_t distance = is_shared_memory(space->type) ? 1 : 8;
    return static_cast<std::uint64_t>(plan.accesses) * (2 + 4 * passes * distance);
  }

  const LayoutTable& table_;
  const WarpOptions& options_;
};

class MinimiseConversions : public WarpPass<MinimiseConversions> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MinimiseConversions)
  MinimiseConversions(llvm::StringRef processor, bool rounds_to_tf32)
      : WarpPass(processor, rounds_to_tf32) {}

  llvm::StringRef getArgument() const override { return "heddle-minimise-conversions"; }
  llvm::StringRef getDescription() const override {
    return "Remove conversions of layouts that nothing, or a second read, replaces";
  }

  mlir::LogicalResult run_on(mlir::FunctionOpInterface function,
                             const WarpOptions& options) override {
    llvm::SmallVector<ConvertLayoutOp> conversions;
    function->walk([&](ConvertLayoutOp conversion) { conversions.push_back(conversion); });
    for (ConvertLayoutOp conversion : conversions) replace(conversion, function, options);
    merge(function);
    erase_unused(function);
    return mlir::success();
  }

 private:
  static void replace(ConvertLayoutOp conversion, mlir::Operation* function,
                      const WarpOptions& options) {
    const LayoutTable table = read_layouts(function, options.lanes());
    const auto from = table.find(conversion.getSource());
    const auto to = table.find(conversion.getResult());
    if (from == table.end() || to == table.end()) return;
    if (from->second == to->second) {
      conversion.getResult().replaceAllUsesWith(conversion.getSource());
      return;
    }
    Remaking remaking(table, options);
    const auto again = remaking.cost(conversion.getSource(), to->second);
    if (!again) return;
    const auto bits = static_cast<int>(conversion.getType().getElementTypeBitWidth());
    const auto plan = plan_layout_conversion(from->second, to->second, options.target, bits);
    if (plan && plan->cost <= *again) return;
    const Value made = remaking.make(conversion.getSource(), to->second);
    conversion.getResult().replaceAllUsesWith(made);
  }

  // If a value is converted to the same layout several times in one basic block, keeps only the
  // first conversion.
  static void merge(mlir::Operation* function) {
    llvm::SmallVector<ConvertLayoutOp> kept;
    function->walk([&](ConvertLayoutOp conversion) {
      for (ConvertLayoutOp earlier : kept) {
        if (earlier->getBlock() != conversion->getBlock() ||
            earlier.getSource() != conversion.getSource() ||
            earlier->getAttr(layouts_attribute) != conversion->getAttr(layouts_attribute))
          continue;
        conversion.getResult().replaceAllUsesWith(earlier.getResult());
        return;
      }
      kept.push_back(conversion);
    });
  }

  static void erase_unused(mlir::Operation* function) {
    llvm::SmallVector<mlir::Operation*> operations;
    function->walk([&](mlir::Operation* operation) { operations.push_back(operation); });
    for (mlir::Operation* operation : llvm::reverse(operations))
      if (mlir::isOpTriviallyDead(operation)) operation->erase();
  }
};

}  // namespace

std::unique_ptr<mlir::Pass> create_minimise_conversions_pass(llvm::StringRef target, bool tf32) {
  return std::make_unique<MinimiseConversions>(target, tf32);
}

}  // namespace heddle::compiler
