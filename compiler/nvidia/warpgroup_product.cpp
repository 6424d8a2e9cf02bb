#include "compiler/nvidia/warpgroup_product.h"

#include "library/text/formatted.h"

namespace heddle::compiler {
namespace {

using instruction::Operand;
using mlir::Value;

// The bits of a descriptor that hold the address of the operand.
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
  // Products with the same factor follow each other: the processor keeps the factor.
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
  // Above its 18 bits, an address holds the number of the block in its cluster.
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

// One block of PTX for a whole step: otherwise LLVM would copy all sums from each instruction to
// the next.
std::string WarpgroupProduct::code() const {
  const plan::WarpgroupPlan& plan = context_.plan;
  const int count = registers();
  const std::string a = dollar(2 * count), b = dollar(2 * count + 1), step = dollar(2 * count + 2);
  std::string name(instruction_.name);
  name.replace(name.find("nN"), 2, formatted("n{}", plan.block_n));
  const bool may_transpose = plan.input_bytes() == 2;
  const std::string majors =
      may_transpose ? std::string(", ") + (plan.a_major == instruction::Major::mn ? "1" : "0") +
                          ", " + (plan.b_major == instruction::Major::mn ? "1" : "0")
                    : "";
  std::string text = "{\n\t.reg .pred adds;\n\t.reg .b64 a, b;\n\tsetp.ne.b32 adds, " + step +
                     ", 0;\n\twgmma.fence.sync.aligned;\n\t";
  for (int k = 0; k < plan.block_k; k += plan.atom_k()) {
    for (int band = 0; band < plan.bands(); ++band) {
      text += formatted("add.s64 a, {}, {};\n\tadd.s64 b, {}, {};\n\t{} {{", a,
                        distance(Operand::a, band * plan::wgmma_rows, k), b,
                        distance(Operand::b, 0, k), name);
      for (int i = 0; i < band_registers_; ++i)
        text += (i == 0 ? "" : ", ") + dollar(band * band_registers_ + i);
      // The first instruction of a tile overwrites the sums; all others add.
      text += "}, a, b, " + std::string(k == 0 ? "adds" : "1") +
              (is_integer(plan) ? "" : ", 1, 1") + majors + ";\n\t";
    }
  }
  return text + "wgmma.commit_group.sync.aligned;\n\t}";
}

Value WarpgroupProduct::add(Value step, Value stage, Value sums) const {
  const plan::WarpgroupPlan& plan = context_.plan;
  mlir::ImplicitLocOpBuilder& builder = context_.builder;
  const int count = registers();
  // Consumer c has the rows from c * consumer_rows() on.
  const Value consumer = context_.add(context_.warpgroup, -1);
  const auto rows = static_cast<int>(16 * distance(Operand::a, plan.consumer_rows(), 0));
  const Value a = context_.add(stage, context_.multiply(consumer, rows));
  const Value b = context_.add(stage, plan.a_bytes());
  const char* letter = is_integer(plan) ? "r" : "f";
  std::string constraints;
  std::vector<Value> operands;
  for (int i = 0; i < count; ++i) constraints += std::string(i == 0 ? "=" : ",=") + letter;
  for (int i = 0; i < count; ++i) {
    constraints += formatted(",{}", i);
    operands.push_back(mlir::LLVM::ExtractValueOp::create(builder, sums, i));
  }
  operands.push_back(descriptor(Operand::a, a));
  operands.push_back(descriptor(Operand::b, b));
  operands.push_back(step);
  return context_.ptx(sums_, code(), constraints + ",l,l,r", operands);
}

void WarpgroupProduct::wait(int steps) const {
  mlir::NVVM::WgmmaWaitGroupSyncOp::create(context_.builder, static_cast<std::uint64_t>(steps));
}

// The sums pass through the wait, so that nothing reads them before it.
Value WarpgroupProduct::finished(Value sums) const {
  const char* letter = is_integer(context_.plan) ? "r" : "f";
  std::string constraints;
  std::vector<Value> operands;
  for (int i = 0; i < registers(); ++i) constraints += std::string(i == 0 ? "=" : ",=") + letter;
  for (int i = 0; i < registers(); ++i) {
    constraints += formatted(",{}", i);
    operands.push_back(mlir::LLVM::ExtractValueOp::create(context_.builder, sums, i));
  }
  return context_.ptx(sums_, "wgmma.wait_group.sync.aligned 0;", constraints, operands);
}

}  // namespace heddle::compiler
