#include "compiler/amd/fragments.h"

#include <numeric>
#include <utility>

#include "compiler/kernel/expression_code.h"
#include "heddle/plan/fma_atom.h"
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

// The outer product of the rows and columns of a lane: element (row, k) of a is at 4 * row + k, and
// so is (column, k) of b; element (row, column) of the sum at columns * row + column
// (plan::amd_fma_atom). Neighbours take their k in turned order: two multiplications issue
// together only when their operands lie in different ones of four banks (RDNA3 ISA, 7.6, "Dual
// Issue VALU").
Value fma_product(mlir::ImplicitLocOpBuilder& builder, Step combine, Value a, Value b, Value sum) {
  constexpr std::int64_t k_count = 4;
  const auto rows = mlir::cast<mlir::VectorType>(a.getType()).getNumElements() / k_count;
  const auto columns = mlir::cast<mlir::VectorType>(b.getType()).getNumElements() / k_count;
  for (std::int64_t k = 0; k < k_count; ++k) {
    std::vector<std::int64_t> from_a, from_b;
    for (std::int64_t element = 0; element < rows * columns; ++element) {
      const std::int64_t turned = (k + element) % k_count;
      from_a.push_back(element / columns * k_count + turned);
      from_b.push_back(element % columns * k_count + turned);
    }
    const Value x = mlir::vector::ShuffleOp::create(builder, a, a, from_a);
    if (combine != Step::add) {
      sum = combined(builder, combine, x, sum);
      continue;
    }
    const Value y = mlir::vector::ShuffleOp::create(builder, b, b, from_b);
    if (mlir::isa<mlir::FloatType>(mlir::getElementTypeOrSelf(x)))
      sum = mlir::vector::FMAOp::create(builder, x, y, sum);
    else
      sum = mlir::arith::AddIOp::create(builder, mlir::arith::MulIOp::create(builder, x, y), sum);
  }
  return sum;
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
  return std::string(is_a() ? "a_" : "b_") + what;
}

mlir::Type Fragments::input() const {
  const plan::Problem& problem = context_.plan.problem;
  const auto type = problem.is_split() ? instruction::ElementType::bf16
                    : is_a()           ? problem.input
                                       : problem.b_input();
  mlir::MLIRContext* context = context_.builder.getContext();
  if (type == instruction::ElementType::fp4) return mlir::Float4E2M1FNType::get(context);
  return number_type(context, type);
}

Value Fragments::load(std::uint64_t k_atom, std::uint64_t atom, Value stage, int plane) const {
  const auto plane_elements = static_cast<std::int64_t>(operand_.chosen.placement.bytes) /
                              operand_.tile.element_bytes * plane;
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
    if (context_.plan.copied) {
      pieces.push_back(load_copied(context_, static_cast<int>(width), stage, place.base,
                                   place.constant, operand_.transposing));
      continue;
    }
    const Value base = stage ? context_.add(place.base, stage) : place.base;
    pieces.push_back(
        load_shared(context_, static_cast<int>(width), base, place.constant + plane_elements));
  }
  while (pieces.size() > 1) {
    std::vector<Value> pairs;
    for (std::size_t i = 0; i < pieces.size(); i += 2)
      pairs.push_back(joined(context_.builder, pieces[i], pieces[i + 1]));
    pieces = std::move(pairs);
  }
  const std::int64_t units = static_cast<std::int64_t>(count);
  const auto type =
      mlir::VectorType::get({units * context_.plan.problem.elements_of_unit()}, input());
  return context_.named(name("fragment"),
                        mlir::vector::BitCastOp::create(context_.builder, type, pieces[0]));
}

namespace {

// The part of a fragment that instruction `number` of `count` multiplies; a number where that is
// one.
Value part_of(mlir::ImplicitLocOpBuilder& builder, Value fragment, std::int64_t number,
              std::int64_t count) {
  const auto all = mlir::cast<mlir::VectorType>(fragment.getType()).getNumElements();
  const std::int64_t elements = all / count;
  if (elements == 1) return mlir::vector::ExtractOp::create(builder, fragment, number);
  if (count == 1) return fragment;
  std::vector<std::int64_t> order(static_cast<std::size_t>(elements));
  std::iota(order.begin(), order.end(), number * elements);
  return mlir::vector::ShuffleOp::create(builder, fragment, fragment, order);
}

// The scales of A's and of B's fragment: i32 each, null where the instruction reads none.
struct AtomScales {
  Value a, b;
};

Value scaled_product(const KernelContext& context, Value a, Value b, Value sum,
                     const AtomScales& scales) {
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  const instruction::Instruction& row = *context.plan.instruction;
  const auto m = static_cast<std::uint32_t>(row.m), n = static_cast<std::uint32_t>(row.n),
             k = static_cast<std::uint32_t>(row.k);
  const auto four = [&](Value word) -> Value {
    const mlir::Type one = mlir::VectorType::get({1}, builder.getI32Type());
    const auto type =
        mlir::VectorType::get({4}, mlir::Float8E8M0FNUType::get(builder.getContext()));
    return mlir::vector::BitCastOp::create(
        builder, type, mlir::vector::FromElementsOp::create(builder, one, word));
  };
  if (instruction::is_cdna(row.family()))
    return mlir::amdgpu::ScaledMFMAOp::create(builder, sum.getType(), m, n, k, a, b, sum,
                                              four(scales.a), four(scales.b), 0u, 0u);
  return mlir::amdgpu::ScaledWMMAOp::create(builder, sum.getType(), m, n, k, a, b, sum,
                                            four(scales.a), 0u, four(scales.b), 0u);
}

// sum + a * b by one matrix instruction, in which they may have changed places.
Value instruction_product(const KernelContext& context, Value a, Value b, Value sum,
                          AtomScales scales) {
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  const instruction::Instruction& row = *context.plan.instruction;
  const auto m = static_cast<std::uint32_t>(row.m), n = static_cast<std::uint32_t>(row.n),
             k = static_cast<std::uint32_t>(row.k);
  const bool exchanged = context.plan.exchanged;
  if (exchanged) {
    std::swap(a, b);
    std::swap(scales.a, scales.b);
  }
  if (scales.a) return scaled_product(context, a, b, sum, scales);
  if (instruction::is_cdna(row.family()))
    return mlir::amdgpu::MFMAOp::create(builder, sum.getType(), m, n, k, 1u, a, b, sum, 0u, 0u,
                                        mlir::amdgpu::MFMAPermB::none, false, false, false, false);
  const plan::Problem& problem = context.plan.problem;
  auto product = mlir::amdgpu::WMMAOp::create(builder, sum.getType(), m, n, k, a, b, sum);
  const bool a_unsigned = problem.input == instruction::ElementType::u8;
  const bool b_unsigned = problem.b_input() == instruction::ElementType::u8;
  product.setUnsignedA(exchanged ? b_unsigned : a_unsigned);
  product.setUnsignedB(exchanged ? a_unsigned : b_unsigned);
  return product;
}

// sum + the product of two fragments.
Value multiplied(const KernelContext& context, Value a, Value b, Value sum,
                 const AtomScales& scales) {
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  const plan::Problem& problem = context.plan.problem;
  if (plan::is_fma(*context.plan.instruction))
    return fma_product(builder, problem.combine, a, b, sum);
  for (std::int64_t i = 0; i < context.plan.pack; ++i)
    sum = instruction_product(context, part_of(builder, a, i, context.plan.pack),
                              part_of(builder, b, i, context.plan.pack), sum, scales);
  return sum;
}

}  // namespace

std::vector<Value> multiply_tile(const KernelContext& context, const Fragments& a,
                                 const Fragments& b, std::vector<Value> accumulators, Value stage,
                                 llvm::ArrayRef<Value> scales) {
  const int planes = plan::planes(context.plan.problem);
  for (std::uint64_t k_atom = 0; k_atom < a.k_atoms(); ++k_atom) {
    // The scheduler would fetch the fragments of the next k atom as early as it can, and spill
    // where the plan found no room for two sets.
    if (k_atom > 0 && !context.plan.fragments_ahead) keep_apart(context);
    std::vector<Value> columns;  // plane after plane
    for (int plane = 0; plane < planes; ++plane) {
      for (std::uint64_t atom = 0; atom < b.atoms(); ++atom)
        columns.push_back(b.load(k_atom, atom, stage, plane));
    }
    for (std::uint64_t atom = 0; atom < a.atoms(); ++atom) {
      // Of the four products of high and low parts the one of low parts is left out.
      for (int plane = 0; plane < planes; ++plane) {
        const Value row = a.load(k_atom, atom, stage, plane);
        const std::size_t count = columns.size() / static_cast<std::size_t>(plane + 1);
        for (std::size_t column = 0; column < count; ++column) {
          const std::size_t n = column % b.atoms();
          Value& sum = accumulators[atom * b.atoms() + n];
          AtomScales of_atom;
          if (!scales.empty())
            of_atom = {scales[atom * a.k_atoms() + k_atom],
                       scales[(a.atoms() + n) * a.k_atoms() + k_atom]};
          sum = context.named("sum", multiplied(context, row, columns[column], sum, of_atom));
        }
      }
    }
  }
  return accumulators;
}

}  // namespace heddle::compiler
