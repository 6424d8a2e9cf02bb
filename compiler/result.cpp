#include "compiler/result.h"

#include "compiler/index_code.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace heddle::compiler {
namespace {

using mlir::Value;

// Byte offsets of the thread's elements of C or D.
class ResultOffsets {
 public:
  explicit ResultOffsets(const KernelContext& context) : context_(context) {
    const plan::MatmulPlan& plan = context.plan;
    bytes_ = instruction::bits(plan.problem.result) / 8;
    m_ = context.add(context.block_m, thread_coordinate(context, plan.result, "m"));
    n_ = context.add(context.block_n, thread_coordinate(context, plan.result, "n"));
    thread_ = context.multiply(context.add(context.multiply(m_, plan.problem.n), n_), bytes_);
  }

  // Rows past the last lie outside the buffer, which hardware checks, unless offsets can wrap.
  Value at(std::uint64_t atom_m, std::uint64_t atom_n, std::uint64_t element) const {
    const plan::Problem& problem = context_.plan.problem;
    const plan::BlockTile& block = context_.plan.block;
    const layout::Coordinates place =
        context_.plan.result.apply({{"register", element}, {"atom_m", atom_m}, {"atom_n", atom_n}})
            .value();
    const auto m = static_cast<std::int64_t>(place.at("m"));
    const auto n = static_cast<std::int64_t>(place.at("n"));
    Value offset = context_.add(thread_, (m * problem.n + n) * bytes_);
    if (problem.n % block.n != 0)
      offset = context_.or_outside(context_.less(context_.add(n_, n), problem.n), offset);
    const bool wraps = (problem.m + block.m) * problem.n * bytes_ >= std::int64_t{1} << 32;
    if (problem.m % block.m != 0 && wraps)
      offset = context_.or_outside(context_.less(context_.add(m_, m), problem.m), offset);
    return offset;
  }

 private:
  const KernelContext& context_;
  std::int64_t bytes_;
  Value m_, n_, thread_;
};

std::uint64_t registers(const plan::MatmulPlan& plan) { return plan.result.input_size("register"); }

mlir::VectorType accumulator_type(const KernelContext& context) {
  return mlir::VectorType::get({static_cast<std::int64_t>(registers(context.plan))},
                               context.builder.getF32Type());
}

bool is_f32(const KernelContext& context) {
  return context.plan.problem.result == instruction::ElementType::f32;
}

Value loaded(const KernelContext& context, Value buffer, Value offset) {
  if (is_f32(context)) return load_buffer(context, context.builder.getF32Type(), buffer, offset);
  const Value bits = load_buffer(context, context.element(), buffer, offset);
  const Value narrow = mlir::arith::BitcastOp::create(context.builder, context.input(), bits);
  return mlir::arith::ExtFOp::create(context.builder, context.builder.getF32Type(), narrow);
}

Value rounded(const KernelContext& context, Value sum) {
  if (is_f32(context)) return sum;
  const Value narrow = mlir::arith::TruncFOp::create(context.builder, context.input(), sum);
  return mlir::arith::BitcastOp::create(context.builder, context.element(), narrow);
}

}  // namespace

std::vector<Value> initial_accumulators(const KernelContext& context, double constant) {
  const plan::BlockTile& block = context.plan.block;
  const auto value = context.builder.getF32FloatAttr(static_cast<float>(constant));
  const Value filled = mlir::arith::ConstantOp::create(
      context.builder, mlir::DenseElementsAttr::get(accumulator_type(context), value));
  return std::vector<Value>(static_cast<std::size_t>(block.atoms_m() * block.atoms_n()), filled);
}

void store_result(const KernelContext& context, const std::vector<Value>& accumulators,
                  Value addend, Value result) {
  const ResultOffsets offsets(context);
  const auto atoms_n = static_cast<std::uint64_t>(context.plan.block.atoms_n());
  for (std::uint64_t atom = 0; atom < accumulators.size(); ++atom) {
    for (std::uint64_t element = 0; element < registers(context.plan); ++element) {
      const Value offset = offsets.at(atom / atoms_n, atom % atoms_n, element);
      Value sum = mlir::vector::ExtractOp::create(context.builder, accumulators[atom],
                                                  static_cast<std::int64_t>(element));
      if (addend) {
        const Value c = loaded(context, addend, offset);
        sum = mlir::arith::AddFOp::create(context.builder, sum, c);
      }
      store_buffer(context, rounded(context, sum), result, offset);
    }
  }
}

}  // namespace heddle::compiler
