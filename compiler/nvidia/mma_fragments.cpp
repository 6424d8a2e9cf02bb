#include "compiler/nvidia/mma_fragments.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "compiler/kernel/expression_code.h"
#include "compiler/plan/fma_atom.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace heddle::compiler {
namespace {

using instruction::ElementType;
using instruction::Operand;
using mlir::Value;

Value call(const MmaContext& context, mlir::Type result, llvm::StringRef intrinsic,
           mlir::ValueRange arguments) {
  return mlir::LLVM::CallIntrinsicOp::create(context.builder, result,
                                             context.builder.getStringAttr(intrinsic), arguments)
      .getResults();
}

Value extracted(const MmaContext& context, Value aggregate, std::int64_t index) {
  return mlir::LLVM::ExtractValueOp::create(context.builder, aggregate,
                                            llvm::ArrayRef<std::int64_t>{index});
}

// The bits of a register, converted to the type that LLVM's intrinsic takes: a pair of f16 becomes
// a vector, an f64 becomes f64; for all other types the intrinsic takes an i32.
Value as_operand(const MmaContext& context, Value bits, ElementType type) {
  if (type == ElementType::f16) {
    const auto pair = mlir::VectorType::get({2}, context.builder.getF16Type());
    return mlir::LLVM::BitcastOp::create(context.builder, pair, bits);
  }
  // The instruction ignores the lower 13 bits of an f32. Round first, unless cutting off is
  // allowed.
  if (type != ElementType::xf32 || context.plan.problem.cuts_tf32()) return bits;
  const Value number =
      mlir::arith::BitcastOp::create(context.builder, context.builder.getF32Type(), bits);
  return call(context, context.builder.getI32Type(), "llvm.nvvm.f2tf32.rna", number);
}

// How many registers a lane needs for the fragment of one instruction: of A, B or D.
std::size_t registers(const instruction::Instruction& mma, Operand operand) {
  return instruction::fragment(mma, operand).input_size("register");
}

// Splits each f32 (given as i32) into two bf16, and packs the bf16 into registers, two in each. The
// first half of the result has the larger bf16 of every number, the second half the smaller one.
std::vector<Value> split(const MmaContext& context, const std::vector<Value>& numbers) {
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  const auto pair = mlir::VectorType::get({2}, builder.getF32Type());
  const auto narrow = mlir::VectorType::get({2}, builder.getBF16Type());
  std::vector<Value> larger, smaller;
  const auto number = [&](Value bits) -> Value {
    return mlir::arith::BitcastOp::create(builder, builder.getF32Type(), bits);
  };
  const auto word = [&](Value two) -> Value {
    return mlir::LLVM::BitcastOp::create(builder, builder.getI32Type(), two);
  };
  for (std::size_t i = 0; i + 1 < numbers.size(); i += 2) {
    const Value both = context.vector_of({number(numbers[i]), number(numbers[i + 1])});
    const Value high = mlir::arith::TruncFOp::create(builder, narrow, both);
    const Value back = mlir::arith::ExtFOp::create(builder, pair, high);
    const Value rest = mlir::arith::SubFOp::create(builder, both, back);
    larger.push_back(word(high));
    smaller.push_back(word(mlir::arith::TruncFOp::create(builder, narrow, rest)));
  }
  larger.insert(larger.end(), smaller.begin(), smaller.end());
  return larger;
}

// One of the lane's sums: its index `at` among all sums, the atom (the tile of one instruction)
// that it belongs to, and its row and column in this atom.
struct LaneSum {
  std::size_t at;
  std::uint64_t m, n;  // in its atom
  std::size_t atom_m, atom_n;
};

// The lane's sums in the order in which multiply-adds compute them: column after column; the rows
// of the first column downwards, those of the next upwards, and so on. Each product then has a
// factor in common with the one before it. The processor keeps this factor, and reads only two
// registers. Row after row took an H100 4% longer: four sums of a row are stored as one vector, so
// ptxas gives them registers of the same banks as the four factors of B.
std::vector<LaneSum> sums_in_order(const MmaContext& context) {
  const instruction::Instruction& mma = *context.plan.instruction;
  const layout::LinearLayout map = instruction::fragment(mma, Operand::d);
  const auto atoms_m = static_cast<std::size_t>(context.plan.atoms_m());
  const auto atoms_n = static_cast<std::size_t>(context.plan.atoms_n());
  const std::size_t of_atom = registers(mma, Operand::d);
  std::vector<LaneSum> all;
  for (std::size_t i = 0; i < atoms_m * atoms_n * of_atom; ++i) {
    const layout::Coordinates place = map.apply({{"register", i % of_atom}}).value();
    const std::size_t atom = i / of_atom;
    all.push_back({i, place.at("m"), place.at("n"), atom / atoms_n, atom % atoms_n});
  }
  std::ranges::sort(
      all, {}, [](const LaneSum& sum) { return std::tuple(sum.atom_n, sum.n, sum.atom_m, sum.m); });
  const auto begins = [](const LaneSum& sum) { return std::pair(sum.atom_n, sum.n); };
  bool is_back = false;
  for (auto column = all.begin(); column != all.end(); is_back = !is_back) {
    const auto end = std::find_if(
        column, all.end(), [&](const LaneSum& sum) { return begins(sum) != begins(*column); });
    if (is_back) std::reverse(column, end);
    column = end;
  }
  return all;
}

// Multiplies by plain multiply-adds, for all atoms: D[m][n] += A[m][k] * B[k][n] for those elements
// of D that the lane has.
void add_products(const MmaContext& context, llvm::ArrayRef<Value> a, llvm::ArrayRef<Value> b,
                  Sums& sums) {
  const instruction::Instruction& mma = *context.plan.instruction;
  const auto find = [](const layout::LinearLayout& map, const layout::Coordinates& place) {
    for (std::uint64_t at = 0; at < map.input_size("register"); ++at) {
      const layout::Coordinates held = map.apply({{"register", at}}).value();
      bool same = true;
      for (const layout::Coordinate& coordinate : place)
        same = same && held.at(coordinate.axis) == coordinate.value;
      if (same) return at;
    }
    return std::uint64_t{0};  // unreachable: the maps of fma_atom.h hold every place
  };
  const layout::LinearLayout a_map = instruction::fragment(mma, Operand::a);
  const layout::LinearLayout b_map = instruction::fragment(mma, Operand::b);
  const mlir::Type type = sum_type(context);
  const auto number = [&](Value bits) -> Value {
    if (bits.getType() == type) return bits;
    return mlir::arith::BitcastOp::create(context.builder, type, bits);
  };
  const Step combine = context.plan.problem.combine;
  const std::vector<LaneSum> in_order = sums_in_order(context);
  for (std::uint64_t k = 0; k < static_cast<std::uint64_t>(mma.k); ++k) {
    for (const LaneSum& of : in_order) {
      Value& sum = sums[of.at];
      const Value x =
          number(a[of.atom_m * registers(mma, Operand::a) + find(a_map, {{"m", of.m}, {"k", k}})]);
      if (combine != Step::add) {
        sum = combined(context.builder, combine, x, sum);
        continue;
      }
      const Value y =
          number(b[of.atom_n * registers(mma, Operand::b) + find(b_map, {{"n", of.n}, {"k", k}})]);
      if (mlir::isa<mlir::FloatType>(type))
        sum = mlir::LLVM::FMAOp::create(context.builder, x, y, sum);
      else
        sum = mlir::arith::AddIOp::create(context.builder,
                                          mlir::arith::MulIOp::create(context.builder, x, y), sum);
    }
  }
}

}  // namespace

MmaFragments::MmaFragments(const MmaContext& context, const plan::MmaOperandPlan& operand,
                           std::uint32_t start)
    : context_(context),
      operand_(operand),
      addresses_(context, operand.shared(), operand.loads, 0),
      start_(start) {}

Value MmaFragments::address(std::uint64_t fetch, std::uint64_t k_atom, Value stage) const {
  const int bytes = operand_.element_bits() / 8;
  const SharedAddresses::Place place = addresses_.at({{"fetch", fetch}, {"k_atom", k_atom}});
  const Value offset = context_.add(context_.multiply(place.base, bytes), stage);
  return context_.further(context_.further(context_.shared, offset),
                          place.constant * bytes + start_);
}

void MmaFragments::load_matrices(Value address, std::vector<Value>& registers) const {
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  const mlir::Type word = builder.getI32Type();
  const auto count = static_cast<std::size_t>(operand_.fetched_registers);
  mlir::Type type = word;
  if (count > 1)
    type = mlir::LLVM::LLVMStructType::getLiteral(builder.getContext(),
                                                  std::vector<mlir::Type>(count, word));
  const auto shape = mlir::NVVM::LdStMatrixShapeAttr::get(builder.getContext(), 8, 8);
  const Value loaded = mlir::NVVM::LdMatrixOp::create(
      builder, type, address, static_cast<std::uint32_t>(count),
      plan::is_transposed(operand_.move) ? mlir::NVVM::MMALayout::col : mlir::NVVM::MMALayout::row,
      shape, mlir::NVVM::LdStMatrixEltType::B16);
  if (count == 1) {
    registers.push_back(loaded);
    return;
  }
  for (std::size_t i = 0; i < count; ++i)
    registers.push_back(extracted(context_, loaded, static_cast<std::int64_t>(i)));
}

// Makes one load, and appends what it loads to `pieces`. A piece has 32 bits, or the bits of the
// whole load if these are fewer; elements of 64 bits are one piece each, of their own type. Other
// pieces are integers.
void MmaFragments::load_elements(Value address, std::vector<Value>& pieces) const {
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  const int bits = operand_.load_elements * operand_.element_bits();
  const mlir::Type piece = operand_.element_bits() == 64
                               ? number_type(builder.getContext(), operand_.element)
                               : context_.integer(std::min(bits, 32));
  const int count = bits / static_cast<int>(piece.getIntOrFloatBitWidth());
  const mlir::Type type = count == 1 ? piece : mlir::VectorType::get({count}, piece);
  const Value loaded =
      mlir::LLVM::LoadOp::create(builder, type, address, static_cast<unsigned>(bits / 8));
  for (const Value element : context_.elements_of(loaded)) pieces.push_back(element);
}

std::vector<Value> MmaFragments::load(std::uint64_t k_atom, Value stage) const {
  std::vector<Value> pieces;
  for (std::uint64_t fetch = 0; fetch < operand_.loads.input_size("fetch"); ++fetch) {
    const Value from = address(fetch, k_atom, stage);
    if (plan::is_matrix(operand_.move)) {
      load_matrices(from, pieces);
    } else {
      load_elements(from, pieces);
    }
  }
  const auto width = static_cast<int>(pieces.front().getType().getIntOrFloatBitWidth());
  if (context_.plan.problem.is_split()) return split(context_, pieces);
  if (width >= 32) return pieces;
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  std::vector<Value> words;
  const auto each = static_cast<std::size_t>(32 / width);
  for (std::size_t first = 0; first < pieces.size(); first += each) {
    Value word;
    for (std::size_t i = 0; i < each; ++i) {
      Value part = mlir::arith::ExtUIOp::create(builder, builder.getI32Type(), pieces[first + i]);
      if (i > 0) {
        part = mlir::arith::ShLIOp::create(builder, part,
                                           context_.constant(static_cast<std::int64_t>(i) * width));
        part = mlir::arith::OrIOp::create(builder, word, part);
      }
      word = part;
    }
    words.push_back(word);
  }
  return words;
}

mlir::Type sum_type(const MmaContext& context) {
  return number_type(context.builder.getContext(), context.plan.instruction->d_type);
}

namespace {

// Adds the products of all atoms to `sums`. If f32 is split into two bf16, `a` and `b` each have
// the registers for one of the two.
void multiply_parts(const MmaContext& context, llvm::ArrayRef<Value> a, llvm::ArrayRef<Value> b,
                    Sums& sums) {
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  const instruction::Instruction& mma = *context.plan.instruction;
  if (plan::is_fma(mma)) return add_products(context, a, b, sums);
  const std::size_t a_count = registers(mma, Operand::a);
  const std::size_t b_count = registers(mma, Operand::b);
  const std::size_t d_count = registers(mma, Operand::d);
  const auto atoms_m = static_cast<std::size_t>(context.plan.atoms_m());
  const auto atoms_n = static_cast<std::size_t>(context.plan.atoms_n());
  const auto result = mlir::LLVM::LLVMStructType::getLiteral(
      builder.getContext(), std::vector<mlir::Type>(d_count, sum_type(context)));
  for (std::size_t m = 0; m < atoms_m; ++m) {
    for (std::size_t i = 0; i < atoms_n; ++i) {
      const std::size_t n = m % 2 == 0 ? i : atoms_n - 1 - i;  // the last of B is used again
      const std::size_t at = (m * atoms_n + n) * d_count;
      const auto a_part = a.slice(m * a_count, a_count);
      const auto b_part = b.slice(n * b_count, b_count);
      std::vector<Value> arguments(a_part.begin(), a_part.end());
      arguments.insert(arguments.end(), b_part.begin(), b_part.end());
      arguments.insert(arguments.end(), sums.begin() + static_cast<std::ptrdiff_t>(at),
                       sums.begin() + static_cast<std::ptrdiff_t>(at + d_count));
      const Value product = call(context, result, llvm::StringRef(mma.intrinsic), arguments);
      for (std::size_t d = 0; d < d_count; ++d)
        sums[at + d] = extracted(context, product, static_cast<std::int64_t>(d));
    }
  }
}

}  // namespace

void multiply(const MmaContext& context, const std::vector<Value>& a, const std::vector<Value>& b,
              Sums& sums) {
  const instruction::Instruction& mma = *context.plan.instruction;
  const auto operands = [&](const std::vector<Value>& values, ElementType type) {
    std::vector<Value> all;
    for (const Value value : values)
      all.push_back(plan::is_fma(mma) ? value : as_operand(context, value, type));
    return all;
  };
  const std::vector<Value> a_all = operands(a, mma.a_type);
  const std::vector<Value> b_all = operands(b, mma.b_type);
  if (!context.plan.problem.is_split()) {
    multiply_parts(context, a_all, b_all, sums);
    return;
  }
  const auto a_half = a_all.size() / 2;
  const auto b_half = b_all.size() / 2;
  const llvm::ArrayRef<Value> a_parts(a_all), b_parts(b_all);
  multiply_parts(context, a_parts.drop_front(a_half), b_parts.take_front(b_half), sums);
  multiply_parts(context, a_parts.take_front(a_half), b_parts.drop_front(b_half), sums);
  multiply_parts(context, a_parts.take_front(a_half), b_parts.take_front(b_half), sums);
}

}  // namespace heddle::compiler
