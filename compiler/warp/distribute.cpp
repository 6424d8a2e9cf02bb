#include "compiler/dialect/dialect.h"
#include "compiler/warp/conversion_code.h"
#include "compiler/warp/multiplication_code.h"
#include "compiler/warp/pass_base.h"
#include "compiler/warp/refusal.h"
#include "compiler/warp/transfer_code.h"
#include "compiler/warp/transfer_plan.h"
#include "compiler/warp/warp_order.h"
#include "library/text/formatted.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace heddle::compiler {
namespace {

using layout::LinearLayout;
using mlir::Value;

// The limit on the elements that one thread holds of one vector: four times the registers of a
// thread. A larger vector is a mistake of the user, and would take minutes to compile.
constexpr std::int64_t most_registers = 1024;
// The limit on the elements that one thread holds of the vectors of all operations together. If
// there are more values than registers, LLVM's time grows faster than the code: this many elements
// may take half a minute.
constexpr std::int64_t most_elements = 10 * most_registers;

// Inserts the code of one thread in front of each warp-level operation. The warp-level operations
// are erased at the end.
class Distribution {
 public:
  Distribution(mlir::FunctionOpInterface function, const WarpOptions& options)
      : table_(read_layouts(function, options.lanes())),
        code_(function.getFunctionBody().front(), function.getLoc(), options),
        order_(code_),
        options_(options) {}

  mlir::LogicalResult run(mlir::Block& block) {
    llvm::SmallVector<mlir::Operation*> operations;
    for (mlir::Operation& operation : block) operations.push_back(&operation);
    for (mlir::Operation* operation : operations) {
      code_.builder.setInsertionPoint(operation);
      code_.builder.setLoc(operation->getLoc());
      if (mlir::failed(write(operation))) return mlir::failure();
    }
    return mlir::success();
  }

  void erase_old() {
    for (mlir::Operation* operation : llvm::reverse(old_)) operation->erase();
  }

 private:
  mlir::LogicalResult write(mlir::Operation* operation) {
    if (auto loop = mlir::dyn_cast<mlir::scf::ForOp>(operation)) return write_loop(loop);
    if (mlir::isa<mlir::scf::YieldOp>(operation)) return write_yield(operation);
    if (auto write = mlir::dyn_cast<mlir::vector::TransferWriteOp>(operation))
      return write_transfer(write);
    if (mlir::isa<mlir::gpu::BarrierOp>(operation)) order_.waited();
    const auto is_warp = [](Value value) { return mlir::isa<mlir::VectorType>(value.getType()); };
    const bool has_vectors = llvm::any_of(operation->getOperands(), is_warp) ||
                             llvm::any_of(operation->getResults(), is_warp);
    if (!has_vectors) return write_regions(operation);
    const mlir::FailureOr<Value> value = value_of(operation);
    if (mlir::failed(value)) return mlir::failure();
    thread_[operation->getResult(0)] = *value;
    old_.push_back(operation);
    return mlir::success();
  }

  mlir::LogicalResult write_regions(mlir::Operation* operation) {
    if (mlir::isa<mlir::FunctionOpInterface>(operation)) return mlir::success();
    for (mlir::Region& region : operation->getRegions()) {
      const WarpOrder before = order_;
      order_.enter(region);
      for (mlir::Block& block : region)
        if (mlir::failed(run(block))) return mlir::failure();
      order_.leave(region, before);
    }
    return mlir::success();
  }

  // Counts the elements that a thread holds of `vector` in the layout `map`. Refuses the operation
  // if a limit is exceeded.
  mlir::LogicalResult spend(mlir::Operation* operation, mlir::Type vector,
                            const LinearLayout& map) {
    const std::int64_t registers = registers_of(map);
    if (registers > most_registers)
      return refuse(
          operation,
          formatted("{}, of which a lane would hold {} elements", printed(vector), registers),
          formatted(
              "vectors of which a lane holds {} elements or fewer: a warp's part of a larger tile",
              most_registers));
    elements_ += registers;
    if (elements_ > most_elements)
      return refuse(
          operation,
          formatted(
              "more than {} elements that a lane reads, computes and writes in the code until here",
              most_elements),
          "smaller vectors, or a loop over parts of them");
    return mlir::success();
  }

  // The operation's result in the thread.
  mlir::FailureOr<Value> value_of(mlir::Operation* operation) {
    for (mlir::OpOperand& operand : operation->getOpOperands()) {
      const Value value = operand.get();
      if (!mlir::isa<mlir::VectorType>(value.getType())) continue;
      if (!thread_.contains(value))
        return refuse(operation, "an operand of type " + printed(value.getType()),
                      "vectors that the function reads from memory or computes from those");
      const auto needed = operand_layout(operand, table_, options_);
      if (!needed || *needed != table_[value])
        return refuse(operation, "an operand in another layout than the operation needs",
                      "layouts as heddle-assign-layouts gives them");
    }
    const auto layout =
        operation->getNumResults() == 1 ? table_.find(operation->getResult(0)) : table_.end();
    if (layout == table_.end()) return refuse_without_layout(operation);
    const LinearLayout& map = layout->second;
    if (mlir::failed(spend(operation, operation->getResult(0).getType(), map)))
      return mlir::failure();
    if (auto read = mlir::dyn_cast<mlir::vector::TransferReadOp>(operation)) {
      if (mlir::failed(read_space(read))) return mlir::failure();
      order_.before(read, map);
      return read_elements(code_, read, map);
    }
    if (auto contract = mlir::dyn_cast<mlir::vector::ContractionOp>(operation))
      return product(contract);
    if (auto convert = mlir::dyn_cast<dialect::ConvertLayoutOp>(operation))
      return conversion(convert, map);
    if (mlir::isa<mlir::vector::TransposeOp>(operation)) return thread_[operation->getOperand(0)];
    if (auto broadcast = mlir::dyn_cast<mlir::vector::BroadcastOp>(operation))
      return spread(broadcast, map);
    if (auto constant = mlir::dyn_cast<mlir::arith::ConstantOp>(operation))
      return splat(constant, map);
    if (is_elementwise(operation)) return elementwise(operation, map);
    return refuse_operation(operation);
  }

  // Refuses an operation whose vector has no layout. The pass heddle-assign-layouts, which runs
  // before, gives every vector of a warp a layout.
  static mlir::LogicalResult refuse_without_layout(mlir::Operation* operation) {
    const auto vector = operation->getNumResults() == 1
                            ? mlir::dyn_cast<mlir::VectorType>(operation->getResult(0).getType())
                            : mlir::VectorType();
    if (!vector || !is_warp_vector(vector) || vector.getRank() > most_dimensions)
      return refuse_operation(operation);
    return refuse(operation, printed(vector) + " without a layout",
                  "the passes heddle-assign-layouts and heddle-minimise-conversions before this");
  }

  static mlir::LogicalResult refuse_operation(mlir::Operation* operation) {
    std::string of;
    for (const Value value : operation->getResults()) of += " " + printed(value.getType());
    return refuse(operation,
                  operation->getName().getStringRef() + (of.empty() ? "" : " that makes") + of,
                  "vector.contract, vector.transfer_read and _write, vector.transpose, "
                  "vector.broadcast, constants of one value, elementwise arith and math operations "
                  "and scf.for, on vectors of fixed size");
  }

  mlir::FailureOr<Value> product(mlir::vector::ContractionOp contract) {
    const mlir::FailureOr<Multiplication> chosen = chosen_multiplication(contract, options_);
    if (mlir::failed(chosen)) return mlir::failure();
    std::array<bool, 2> is_unsigned{};
    if (const auto marks = contract->getAttrOfType<mlir::DenseBoolArrayAttr>(unsigned_attribute))
      is_unsigned = {marks[0], marks[1]};
    return multiply(code_, *chosen, thread_[contract.getLhs()], thread_[contract.getRhs()],
                    thread_[contract.getAcc()], is_unsigned);
  }

  mlir::FailureOr<Value> conversion(dialect::ConvertLayoutOp convert, const LinearLayout& to) {
    const auto from = table_.find(convert.getSource());
    const auto plan =
        from == table_.end()
            ? std::nullopt
            : plan_layout_conversion(from->second, to, options_.target,
                                     static_cast<int>(convert.getType().getElementTypeBitWidth()));
    if (!plan)
      return refuse(convert, "a conversion from a layout that does not hold every element",
                    "layouts that hold all of " + printed(convert.getType()));
    return converted(code_, thread_[convert.getSource()], *plan);
  }

  mlir::FailureOr<Value> spread(mlir::vector::BroadcastOp broadcast, const LinearLayout& map) {
    const mlir::VectorType type = thread_type(broadcast.getResultVectorType(), map);
    const auto source = mlir::dyn_cast<mlir::VectorType>(broadcast.getSourceType());
    if (!source) {
      return mlir::vector::BroadcastOp::create(code_.builder, type, broadcast.getSource())
          .getResult();
    }
    if (!is_warp_vector(source)) return refuse_operation(broadcast);
    // For each register of the result, finds the register of the source with the same coordinates.
    const LinearLayout& held = table_[broadcast.getSource()];
    llvm::SmallVector<std::int64_t> order;
    const auto added =
        static_cast<std::size_t>(broadcast.getResultVectorType().getRank() - source.getRank());
    for (std::uint64_t reg = 0; reg < map.input_size("register"); ++reg) {
      const llvm::SmallVector<std::uint64_t> wanted = coordinates(map, reg);
      for (std::uint64_t from = 0; from < held.input_size("register"); ++from) {
        const llvm::SmallVector<std::uint64_t> at = coordinates(held, from);
        bool same = true;
        for (std::size_t i = 0; i < at.size(); ++i)
          same &= held.outputs()[static_cast<int>(i)].bits == 0 || at[i] == wanted[i + added];
        if (!same) continue;
        order.push_back(static_cast<std::int64_t>(from));
        break;
      }
    }
    return mlir::vector::ShuffleOp::create(code_.builder, thread_[broadcast.getSource()],
                                           thread_[broadcast.getSource()], order)
        .getResult();
  }

  mlir::FailureOr<Value> splat(mlir::arith::ConstantOp constant, const LinearLayout& map) {
    const auto value = mlir::dyn_cast<mlir::SplatElementsAttr>(constant.getValue());
    if (!value)
      return refuse(constant, "a constant vector of different values",
                    "constants of one value (dense<1.0>); others are read from memory");
    const mlir::VectorType type =
        thread_type(mlir::cast<mlir::VectorType>(constant.getType()), map);
    return mlir::arith::ConstantOp::create(
               code_.builder,
               mlir::DenseElementsAttr::get(type, value.getSplatValue<mlir::Attribute>()))
        .getResult();
  }

  mlir::FailureOr<Value> elementwise(mlir::Operation* operation, const LinearLayout& map) {
    if (const auto mode = operation->getAttrOfType<mlir::arith::RoundingModeAttr>("roundingmode");
        mode && mode.getValue() != mlir::arith::RoundingMode::to_nearest_even)
      return refuse(operation,
                    operation->getName().getStringRef() + " " +
                        mlir::arith::stringifyRoundingMode(mode.getValue()),
                    "to_nearest_even, which is what it does without a word");
    // A float remainder would be lowered to a call of a ROCm (AMD) or CUDA (NVIDIA) library
    // function.
    if (mlir::isa<mlir::arith::RemFOp>(operation)) return refuse_operation(operation);
    mlir::OperationState state(operation->getLoc(), operation->getName());
    for (const Value operand : operation->getOperands())
      state.operands.push_back(mlir::isa<mlir::VectorType>(operand.getType()) ? thread_[operand]
                                                                              : operand);
    for (const mlir::NamedAttribute attribute : operation->getAttrs())
      if (attribute.getName() != layouts_attribute) state.attributes.push_back(attribute);
    const auto type = mlir::cast<mlir::VectorType>(operation->getResult(0).getType());
    state.addTypes(thread_type(type, map));
    return code_.builder.create(state)->getResult(0);
  }

  mlir::LogicalResult write_transfer(mlir::vector::TransferWriteOp write) {
    const Value vector = write.getVector();
    const auto map = table_.find(vector);
    if (map == table_.end() || !thread_.contains(vector)) return refuse_operation(write);
    if (mlir::failed(read_space(write)) ||
        mlir::failed(spend(write, vector.getType(), map->second)))
      return mlir::failure();
    order_.before(write, map->second);
    old_.push_back(write);
    return write_elements(code_, write, thread_[vector], map->second);
  }

  // Makes a loop that carries the thread's registers instead of the warp's vectors. The body is
  // moved into the new loop; its operations are then distributed like all others.
  mlir::LogicalResult write_loop(mlir::scf::ForOp loop) {
    llvm::SmallVector<Value> first;
    for (const Value value : loop.getInitArgs()) {
      if (mlir::isa<mlir::VectorType>(value.getType()) && !thread_.contains(value))
        return refuse(loop, "an argument of type " + printed(value.getType()),
                      "vectors of one to eight dimensions of fixed size");
      first.push_back(mlir::isa<mlir::VectorType>(value.getType()) ? thread_[value] : value);
    }
    auto threads = mlir::scf::ForOp::create(code_.builder, loop.getLowerBound(),
                                            loop.getUpperBound(), loop.getStep(), first);
    mlir::Block& body = *threads.getBody();
    if (!body.empty()) body.getTerminator()->erase();
    loop.getInductionVar().replaceAllUsesWith(threads.getInductionVar());
    for (auto [old, now, result, new_result] :
         llvm::zip(loop.getRegionIterArgs(), threads.getRegionIterArgs(), loop.getResults(),
                   threads.getResults())) {
      if (mlir::isa<mlir::VectorType>(old.getType())) {
        thread_[old] = now;
        thread_[result] = new_result;
      } else {
        old.replaceAllUsesWith(now);
        result.replaceAllUsesWith(new_result);
      }
    }
    body.getOperations().splice(body.end(), loop.getBody()->getOperations());
    old_.push_back(loop);
    const WarpOrder before = order_;
    order_.enter(threads.getRegion());
    if (mlir::failed(run(body))) return mlir::failure();
    order_.leave(threads.getRegion(), before);
    return mlir::success();
  }

  mlir::LogicalResult write_yield(mlir::Operation* yield) {
    for (mlir::OpOperand& operand : yield->getOpOperands()) {
      if (!mlir::isa<mlir::VectorType>(operand.get().getType())) continue;
      if (!mlir::isa<mlir::scf::ForOp>(yield->getParentOp()) || !thread_.contains(operand.get()))
        return refuse_operation(yield->getParentOp());
      operand.set(thread_[operand.get()]);
    }
    return mlir::success();
  }

  LayoutTable table_;
  ThreadCode code_;
  WarpOrder order_;
  const WarpOptions& options_;
  llvm::DenseMap<Value, Value> thread_;
  llvm::SmallVector<mlir::Operation*> old_;
  std::int64_t elements_ = 0;  // that code is written for
};

class Distribute : public WarpPass<Distribute> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Distribute)
  Distribute(llvm::StringRef processor, bool rounds_to_tf32)
      : WarpPass(processor, rounds_to_tf32) {}

  llvm::StringRef getArgument() const override { return "heddle-distribute"; }
  llvm::StringRef getDescription() const override {
    return "Write the code of one thread for the vectors of a warp";
  }

  mlir::LogicalResult run_on(mlir::FunctionOpInterface function,
                             const WarpOptions& options) override {
    for (const mlir::Type type : function.getArgumentTypes())
      if (mlir::isa<mlir::VectorType>(type))
        return refuse(function, "a parameter of type " + printed(type), "memrefs and scalars");
    Distribution distribution(function, options);
    for (mlir::Block& block : function.getFunctionBody())
      if (mlir::failed(distribution.run(block))) return mlir::failure();
    distribution.erase_old();
    return mlir::success();
  }
};

}  // namespace

std::unique_ptr<mlir::Pass> create_distribute_pass(llvm::StringRef target, bool tf32) {
  return std::make_unique<Distribute>(target, tf32);
}

}  // namespace heddle::compiler
