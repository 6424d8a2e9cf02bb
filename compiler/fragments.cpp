#include "compiler/fragments.h"

#include <numeric>

#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace heddle::compiler {
namespace {

using mlir::Value;

Value joined(mlir::ImplicitLocOpBuilder& builder, Value low, Value high) {
  const auto count = mlir::cast<mlir::VectorType>(low.getType()).getNumElements();
  std::vector<std::int64_t> order(static_cast<std::size_t>(2 * count));
  std::iota(order.begin(), order.end(), 0);
  return mlir::vector::ShuffleOp::create(builder, low, high, order);
}

}  // namespace

Fragments::Fragments(const KernelContext& context, const plan::OperandPlan& operand,
                     std::uint32_t start)
    : context_(context),
      operand_(operand),
      addresses_(context, operand.chosen.shared(), operand.chosen.loads, start) {
  addresses_.name_bases(name("load_base"));
}

std::string Fragments::name(const char* what) const {
  return std::string(operand_.tile.k_contiguous ? "a_" : "b_") + what;
}

Value Fragments::load(std::uint64_t k_atom, std::uint64_t atom, Value stage) const {
  const layout::AxisList& axes = operand_.fragment.inputs();
  const auto elements = axes.size_of("element");
  const auto count = elements * axes.size_of("register");
  const auto width = static_cast<std::uint64_t>(operand_.chosen.load_elements());
  std::vector<Value> pieces;
  for (std::uint64_t first = 0; first < count; first += width) {
    const SharedAddresses::Place place = addresses_.at({{"element", first % elements},
                                                        {"register", first / elements},
                                                        {"k_atom", k_atom},
                                                        {"atom", atom}});
    const Value base = stage ? context_.add(place.base, stage) : place.base;
    pieces.push_back(load_shared(context_, static_cast<int>(width), base, place.constant));
  }
  while (pieces.size() > 1) {
    std::vector<Value> pairs;
    for (std::size_t i = 0; i < pieces.size(); i += 2)
      pairs.push_back(joined(context_.builder, pieces[i], pieces[i + 1]));
    pieces = std::move(pairs);
  }
  const auto type = mlir::VectorType::get({static_cast<std::int64_t>(count)}, context_.input());
  return context_.named(name("fragment"),
                        mlir::vector::BitCastOp::create(context_.builder, type, pieces[0]));
}

std::vector<Value> multiply_tile(const KernelContext& context, const Fragments& a,
                                 const Fragments& b, std::vector<Value> accumulators, Value stage) {
  for (std::uint64_t k_atom = 0; k_atom < a.k_atoms(); ++k_atom) {
    // The scheduler would fetch the fragments of the next k atom as early as it can, and spill
    // where the plan found no room for two sets.
    if (k_atom > 0 && !context.plan.fragments_ahead) keep_apart(context);
    std::vector<Value> columns;
    columns.reserve(b.atoms());
    for (std::uint64_t atom = 0; atom < b.atoms(); ++atom)
      columns.push_back(b.load(k_atom, atom, stage));
    for (std::uint64_t atom = 0; atom < a.atoms(); ++atom) {
      const Value row = a.load(k_atom, atom, stage);
      for (std::size_t n = 0; n < columns.size(); ++n) {
        Value& sum = accumulators[atom * columns.size() + n];
        const Value next =
            mlir::amdgpu::WMMAOp::create(context.builder, sum.getType(), plan::atom, plan::atom,
                                         plan::atom, row, columns[n], sum);
        sum = context.named("sum", next);
      }
    }
  }
  return accumulators;
}

}  // namespace heddle::compiler
