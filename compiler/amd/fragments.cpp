#include "compiler/amd/fragments.h"

#include <numeric>
#include <utility>

#include "compiler/amd/ping_pong.h"
#include "compiler/kernel/expression_code.h"
#include "compiler/plan/fma_atom.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
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

// The outer product of the rows and columns of a lane (plan::amd_fma_atom). Element (row, k) of a
// is number 4 * row + k of the vector; element (column, k) of b is number 4 * column + k; element
// (row, column) of the sum is number columns * row + column. Adjacent elements of the sum go
// through the four k in different order, each beginning one k later. The reason: two
// multiplications issue together only if their operands lie in different ones of the four register
// banks (RDNA3 ISA, 7.6, "Dual Issue VALU").
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
  for (const Value base : addresses_.bases())
    lds_bases_.push_back(context.named(
        name("load_base"), context.multiply(base, std::int64_t{operand.tile.element_bytes})));
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

Value Fragments::load(std::uint64_t k_atom, std::uint64_t atom, const TileBases& bases,
                      int plane) const {
  const std::int64_t start = static_cast<std::int64_t>(operand_.chosen.placement.bytes) * plane;
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
    const Value base = bases.registers[place.number];
    const std::int64_t constant =
        place.constant * operand_.tile.element_bytes + start + bases.further;
    pieces.push_back(
        context_.plan.has_copies()
            ? load_copied(context_, static_cast<int>(width), base, constant, operand_.transposing)
            : load_shared(context_, static_cast<int>(width), base, constant));
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

// A fragment has the elements for `count` instructions. Returns the elements for instruction
// `number`; a single element is a scalar instead of a vector.
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

// The scales of A's and of B's fragment (i32); null if the instruction reads none.
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

// sum + a * b by one matrix instruction. If the plan says `exchanged`, the instruction takes b as
// its A and a as its B.
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
    return mlir::amdgpu::MFMAOp::create(
        builder, sum.getType(), m, n, k, 1u, a, b, sum, 0u, 0u, mlir::amdgpu::MFMAPermB::none,
        row.a_type == instruction::ElementType::xf32, false, false, false);
  const plan::Problem& problem = context.plan.problem;
  auto product = mlir::amdgpu::WMMAOp::create(builder, sum.getType(), m, n, k, a, b, sum);
  const bool a_unsigned = problem.input == instruction::ElementType::u8;
  const bool b_unsigned = problem.b_input() == instruction::ElementType::u8;
  product.setUnsignedA(exchanged ? b_unsigned : a_unsigned);
  product.setUnsignedB(exchanged ? a_unsigned : b_unsigned);
  return product;
}

// sum + the product of two fragments. The product takes several instructions, which are divided
// evenly among `passes` calls; this call makes the instructions of call number `pass`.
Value multiplied(const KernelContext& context, Value a, Value b, Value sum,
                 const AtomScales& scales, std::int64_t pass, std::int64_t passes) {
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  const plan::Problem& problem = context.plan.problem;
  if (plan::is_fma(*context.plan.instruction))
    return fma_product(builder, problem.combine, a, b, sum);
  const std::int64_t pack = context.plan.pack;
  for (std::int64_t i = pass * pack / passes; i < (pass + 1) * pack / passes; ++i)
    sum = instruction_product(context, part_of(builder, a, i, pack), part_of(builder, b, i, pack),
                              sum, scales);
  return sum;
}

void run_all(const std::vector<std::function<void()>>& tasks) {
  for (const auto& task : tasks) task();
}

// Runs the tasks of `between` that are due after product number `number` of `products`. The first
// tasks are spread evenly over the first half of the products, the second tasks over the second
// half.
void run_due(const KernelContext& context, const Between& between, std::size_t number,
             std::size_t products) {
  const std::size_t half = products / 2;
  const bool is_first = number < half;
  const auto& tasks = is_first ? between.first : between.second;
  const std::size_t of = is_first ? half : products - half;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (i * of / tasks.size() != number - (is_first ? 0 : half)) continue;
    keep_apart(context);
    tasks[i]();
    keep_apart(context);
  }
}

}  // namespace

void wait_for(const KernelContext& context, Awaited loads) {
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  keep_apart(context);
  const instruction::Family family = instruction::row(context.plan.target).family;
  if (instruction::row(family).counters == instruction::WaitCounters::stores_apart)
    mlir::ROCDL::SWaitcntOp::create(builder,
                                    static_cast<std::uint32_t>((loads.memory ? 0 : 0x3f) << 10 |
                                                               (loads.lds ? 0 : 0x3f) << 4 | 7));
  else if (loads.memory)
    mlir::ROCDL::WaitLoadcntOp::create(builder, std::uint16_t{0});
  keep_apart(context);
}

bool keeps_order(const KernelContext& context) {
  const plan::MatmulPlan& plan = context.plan;
  const instruction::Family family = instruction::row(plan.target).family;
  return instruction::is_rdna(family) && !plan::is_fma(*plan.instruction) &&
         !plan.problem.is_split() && plan.atoms_m() * plan.atoms_n() >= 8 &&
         plan::access_of(plan.a.tile, plan.a.patch) > 1 &&
         plan::access_of(plan.b.tile, plan.b.patch) > 1;
}

std::vector<Value> multiply_tile(const KernelContext& context, const Fragments& a,
                                 const Fragments& b, std::vector<Value> accumulators,
                                 const TileBases& a_bases, const TileBases& b_bases,
                                 llvm::ArrayRef<Value> scales, const Between& between) {
  const auto planes = static_cast<std::size_t>(plan::planes(context.plan.problem));
  const bool is_ordered = keeps_order(context), takes_turns = context.plan.ping_pong;
  const bool has_all_fragments = is_ordered || takes_turns;
  // If all fragments of a k atom are loaded, passes keep instructions apart that add to the same
  // sum.
  const std::int64_t passes = has_all_fragments ? context.plan.pack : 1;
  // A split f32 has a high and a low part, so a product would be four; low times low is omitted.
  const std::size_t of_k_atom =
      a.atoms() * b.atoms() * (planes == 2 ? 3 : 1) * static_cast<std::size_t>(passes);
  const std::size_t products = a.k_atoms() * of_k_atom;
  // In ping-pong the second tasks usually run in the turn of loads before the last k atom. They get
  // a separate turn, among the products of the last k atom, if they would overwrite the tile that
  // is still being read, or would follow immediately after the first tasks.
  const bool has_own_turn = takes_turns && !between.second.empty() &&
                            (context.plan.tiles.stages == 1 || a.k_atoms() == 1);
  const std::size_t before_own_turn = products - of_k_atom / 2;
  std::size_t number = 0;
  for (std::uint64_t k_atom = 0; k_atom < a.k_atoms(); ++k_atom) {
    // keep_apart stops the scheduler from fetching the fragments of the next k atom as early as it
    // can. Without registers for two sets of fragments (!fragments_ahead), that would make it
    // spill.
    if (k_atom > 0 && !context.plan.fragments_ahead && !takes_turns) keep_apart(context);
    std::vector<Value> columns, rows;  // plane after plane; atom after atom
    for (std::size_t plane = 0; plane < planes; ++plane)
      for (std::uint64_t atom = 0; atom < b.atoms(); ++atom)
        columns.push_back(b.load(k_atom, atom, b_bases, static_cast<int>(plane)));
    const auto load_row = [&](std::uint64_t atom, std::size_t plane) {
      rows.push_back(a.load(k_atom, atom, a_bases, static_cast<int>(plane)));
    };
    if (has_all_fragments)
      for (std::uint64_t atom = 0; atom < a.atoms(); ++atom)
        for (std::size_t plane = 0; plane < planes; ++plane) load_row(atom, plane);
    if (is_ordered)
      wait_for(context, {.lds = true, .memory = number == products / 2 && !between.second.empty()});
    if (takes_turns) {
      if (k_atom == 0) run_all(between.first);
      if (k_atom + 1 == a.k_atoms() && !has_own_turn) run_all(between.second);
      begin_multiplying(context);
    }
    const auto multiply_row = [&](std::uint64_t atom, std::size_t plane, std::int64_t pass) {
      const Value row = rows[atom * planes + plane];
      const std::size_t count = columns.size() / (plane + 1);
      for (std::size_t column = 0; column < count; ++column) {
        const std::size_t n = column % b.atoms();
        Value& sum = accumulators[atom * b.atoms() + n];
        AtomScales of_atom;
        if (!scales.empty())
          of_atom = {scales[atom * a.k_atoms() + k_atom],
                     scales[(a.atoms() + n) * a.k_atoms() + k_atom]};
        sum = context.named("sum",
                            multiplied(context, row, columns[column], sum, of_atom, pass, passes));
        if (is_ordered && number == products / 2 && number % of_k_atom != 0 &&
            !between.second.empty())
          wait_for(context, {.lds = false, .memory = true});
        if (is_ordered) run_due(context, between, number, products);
        if (++number == before_own_turn && has_own_turn) {
          end_multiplying(context);
          run_all(between.second);
          begin_multiplying(context);
        }
      }
    };
    for (std::int64_t pass = 0; pass < passes; ++pass)
      for (std::uint64_t atom = 0; atom < a.atoms(); ++atom)
        for (std::size_t plane = 0; plane < planes; ++plane) {
          if (!has_all_fragments) load_row(atom, plane);
          multiply_row(atom, plane, pass);
        }
    if (!takes_turns) continue;
    if (between.is_last_tile && k_atom + 1 == a.k_atoms())
      end_turns(context);
    else
      end_multiplying(context);
  }
  return accumulators;
}

}  // namespace heddle::compiler
