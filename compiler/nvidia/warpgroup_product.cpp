#include "compiler/nvidia/warpgroup_product.h"

#include "compiler/kernel/expression_code.h"
#include "library/text/formatted.h"

namespace heddle::compiler {
namespace {

using instruction::Operand;
using mlir::Value;

// Those bits of a matrix descriptor that hold the address of the operand in shared memory.
constexpr std::uint64_t address_bits = 0x3fff;

std::uint64_t word(const plan::WarpgroupPlan& plan, Operand operand, int mn, int k) {
  return instruction::encode(plan.descriptor(operand, mn, k), instruction::DescriptorForm::sm_90);
}

bool is_integer(const plan::WarpgroupPlan& plan) {
  return plan.problem.sum_type() == instruction::ElementType::i32;
}

std::string dollar(int number) { return formatted("${}", number); }

}  // namespace

WarpgroupProduct::WarpgroupProduct(const WarpgroupContext& context)
    : context_(context),
      instruction_(plan::wgmma_of(context.plan)),
      band_registers_(instruction_.d.registers) {
  mlir::Builder& builder = context.builder;
  element_ = is_integer(context.plan) ? mlir::Type(builder.getI32Type())
                                      : mlir::Type(builder.getF32Type());
  sums_ = mlir::LLVM::LLVMStructType::getLiteral(
      builder.getContext(),
      std::vector<mlir::Type>(static_cast<std::size_t>(registers()), element_));
}

Value WarpgroupProduct::nothing() const {
  if (context_.size(plan::Loop::k).is_known())
    return mlir::LLVM::UndefOp::create(context_.builder, sums_);
  return zero();
}

Value WarpgroupProduct::zero() const { return mlir::LLVM::ZeroOp::create(context_.builder, sums_); }

Value WarpgroupProduct::sum(Value x, Value y) const {
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  Value sums = x;
  for (int i = 0; i < registers(); ++i) {
    const Value both = mlir::LLVM::FAddOp::create(
        builder, mlir::LLVM::ExtractValueOp::create(builder, x, i).getResult(),
        mlir::LLVM::ExtractValueOp::create(builder, y, i).getResult());
    sums = mlir::LLVM::InsertValueOp::create(builder, sums, both, i);
  }
  return sums;
}

Value WarpgroupProduct::scaled_sum(Value x, Value y, const std::vector<Value>& factors) const {
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  // Products with a common factor come one after the other, because the processor keeps the factor.
  std::vector<int> order;
  std::vector<bool> is_listed(factors.size());
  for (std::size_t first = 0; first < factors.size(); ++first) {
    for (std::size_t i = first; i < factors.size(); ++i) {
      if (is_listed[i] || factors[i] != factors[first]) continue;
      is_listed[i] = true;
      order.push_back(static_cast<int>(i));
    }
  }
  Value sums = x;
  for (const int i : order) {
    const Value both = mlir::LLVM::FMAOp::create(
        builder, mlir::LLVM::ExtractValueOp::create(builder, y, i),
        factors[static_cast<std::size_t>(i)], mlir::LLVM::ExtractValueOp::create(builder, x, i));
    sums = mlir::LLVM::InsertValueOp::create(builder, sums, both, i);
  }
  return sums;
}

Value WarpgroupProduct::descriptor(Operand operand, Value first_byte) const {
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  // The address has 18 bits; higher bits say which thread block of the cluster, and are removed.
  const Value inside = mlir::arith::AndIOp::create(builder, first_byte, context_.constant(0x3ffff));
  const Value sixteenths = mlir::arith::ShRUIOp::create(builder, inside, context_.constant(4));
  const Value wide = mlir::arith::ExtUIOp::create(builder, builder.getI64Type(), sixteenths);
  const auto constant = static_cast<std::int64_t>(word(context_.plan, operand, 0, 0));
  return mlir::arith::AddIOp::create(
      builder, wide, mlir::arith::ConstantOp::create(builder, builder.getI64IntegerAttr(constant)));
}

std::int64_t WarpgroupProduct::distance(Operand operand, int mn, int k) const {
  return static_cast<std::int64_t>((word(context_.plan, operand, mn, k) & address_bits) -
                                   (word(context_.plan, operand, 0, 0) & address_bits));
}

// The PTX for all wgmma instructions of one step along k. They are one asm statement, because LLVM
// would otherwise copy all sums from each instruction to the next. `words`: in how many registers
// of the thread A is; 0: A is in shared memory.
std::string WarpgroupProduct::code(std::size_t words) const {
  const plan::WarpgroupPlan& plan = context_.plan;
  const int count = registers(), of_a = words == 0 ? 1 : static_cast<int>(words);
  const std::string a = dollar(2 * count), b = dollar(2 * count + of_a),
                    step = dollar(2 * count + of_a + 1);
  std::string name(instruction_.name);
  name.replace(name.find("nN"), 2, formatted("n{}", plan.block_n));
  const auto major = [](instruction::Major of) {
    return std::string(of == instruction::Major::mn ? ", 1" : ", 0");
  };
  std::string majors;
  if (plan.input_bytes() == 2)
    majors = (words == 0 ? major(plan.a_major) : "") + major(plan.b_major);
  std::string text = "{\n\t.reg .pred adds;\n\t.reg .b64 a, b;\n\tsetp.ne.b32 adds, " + step +
                     ", 0;\n\twgmma.fence.sync.aligned;\n\t";
  // Beyond k, tiles hold zeros.
  const bool is_short = !plan.problem.is_dynamic(plan::Loop::k) && plan.problem.k < plan.block_k;
  const int end = is_short ? static_cast<int>(plan.problem.k) : plan.block_k;
  for (int k = 0; k < end; k += plan.atom_k()) {
    for (int band = 0; band < plan.bands(); ++band) {
      std::string of_atom = "a";
      if (words == 0) {
        text += formatted("add.s64 a, {}, {};\n\t", a,
                          distance(Operand::a, band * plan::wgmma_rows, k));
      } else {
        const int each = of_a / (plan.block_k / plan.atom_k());
        of_atom.clear();
        for (int i = 0; i < each; ++i)
          of_atom += (i == 0 ? "{" : ", ") + dollar(2 * count + k / plan.atom_k() * each + i);
        of_atom += "}";
      }
      text += formatted("add.s64 b, {}, {};\n\t{} {{", b, distance(Operand::b, 0, k), name);
      for (int i = 0; i < band_registers_; ++i)
        text += (i == 0 ? "" : ", ") + dollar(band * band_registers_ + i);
      // The first instruction of a tile overwrites the sums; all others add to them.
      text += "}, " + of_atom + ", b, " + std::string(k == 0 ? "adds" : "1") +
              (is_integer(plan) ? "" : ", 1, 1") + majors + ";\n\t";
    }
  }
  return text + "wgmma.commit_group.sync.aligned;\n\t}";
}

Value WarpgroupProduct::add(Value step, Value stage, Value sums) const {
  return add(step, stage, context_.add(stage, context_.plan.a_bytes()), sums);
}

Value WarpgroupProduct::add(Value step, Value a, Value b, Value sums) const {
  // Consumer c has the rows from c * consumer_rows() on.
  const Value consumer = context_.add(context_.warpgroup, -1);
  const auto rows = static_cast<int>(16 * distance(Operand::a, context_.plan.consumer_rows(), 0));
  const Value own = context_.add(a, context_.multiply(consumer, rows));
  return begun(step, descriptor(Operand::a, own), b, sums);
}

Value WarpgroupProduct::add(Value step, llvm::ArrayRef<Value> a, Value b, Value sums) const {
  return begun(step, a, b, sums);
}

// `a` is a descriptor or words.
Value WarpgroupProduct::begun(Value step, llvm::ArrayRef<Value> a, Value b, Value sums) const {
  const int count = registers();
  const bool is_shared = a[0].getType().isInteger(64);
  const std::string letter = is_integer(context_.plan) ? "r" : "f";
  std::string constraints;
  std::vector<Value> operands;
  for (int i = 0; i < count; ++i) constraints += (i == 0 ? "=" : ",=") + letter;
  for (int i = 0; i < count; ++i) {
    constraints += formatted(",{}", i);
    operands.push_back(mlir::LLVM::ExtractValueOp::create(context_.builder, sums, i));
  }
  for (const Value word : a) {
    constraints += is_shared ? ",l" : ",r";
    operands.push_back(word);
  }
  operands.push_back(descriptor(Operand::b, b));
  operands.push_back(step);
  return context_.ptx(sums_, code(is_shared ? 0 : a.size()), constraints + ",l,r", operands);
}

void WarpgroupProduct::wait(int steps) const {
  mlir::NVVM::WgmmaWaitGroupSyncOp::create(context_.builder, static_cast<std::uint64_t>(steps));
}

// The sums are returned as results of the wait instruction, so that LLVM cannot read them earlier.
Value WarpgroupProduct::finished(Value sums, int newer) const {
  const char* letter = is_integer(context_.plan) ? "r" : "f";
  std::string constraints;
  std::vector<Value> operands;
  for (int i = 0; i < registers(); ++i) constraints += std::string(i == 0 ? "=" : ",=") + letter;
  for (int i = 0; i < registers(); ++i) {
    constraints += formatted(",{}", i);
    operands.push_back(mlir::LLVM::ExtractValueOp::create(context_.builder, sums, i));
  }
  return context_.ptx(sums_, formatted("wgmma.wait_group.sync.aligned {};", newer), constraints,
                      operands);
}

std::vector<Value> elements_of(mlir::ImplicitLocOpBuilder& builder, Value sums) {
  const auto type = mlir::cast<mlir::LLVM::LLVMStructType>(sums.getType());
  std::vector<Value> all;
  for (std::size_t i = 0; i < type.getBody().size(); ++i)
    all.push_back(mlir::LLVM::ExtractValueOp::create(builder, sums, static_cast<std::int64_t>(i)));
  return all;
}

std::vector<Value> narrowed_words(const WarpgroupContext& context,
                                  const std::vector<Value>& numbers,
                                  instruction::ElementType type) {
  mlir::ImplicitLocOpBuilder& builder = context.builder;
  const auto pair = mlir::VectorType::get({2}, number_type(builder.getContext(), type));
  std::vector<Value> words;
  for (std::size_t i = 0; i < numbers.size(); i += 2) {
    const Value narrow = mlir::LLVM::FPTruncOp::create(
        builder, pair, context.vector_of({numbers[i], numbers[i + 1]}));
    words.push_back(mlir::LLVM::BitcastOp::create(builder, builder.getI32Type(), narrow));
  }
  return words;
}

}  // namespace heddle::compiler
