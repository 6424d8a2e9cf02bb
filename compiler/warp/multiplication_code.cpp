#include "compiler/warp/multiplication_code.h"

#include "compiler/kernel/tf32_rounding.h"
#include "heddle/instruction/fragment.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace heddle::compiler {
namespace {

using instruction::ElementType;
using instruction::Instruction;
using instruction::Operand;
using mlir::Value;

// The order of a thread's registers of an operand: the registers of one instruction; then its
// repetitions along k (for A and B) or n (for D); then its repetitions along m (for A and D) or n
// (for B).
struct Tiles {
  std::int64_t registers = 1;  // of one instruction
  std::int64_t inner = 1;      // repetitions of the first kind

  std::int64_t first(std::int64_t outer_tile, std::int64_t inner_tile) const {
    return (outer_tile * inner + inner_tile) * registers;
  }
};

Tiles tiles_of(const Instruction& row, Operand operand, const layout::LinearLayout& map,
               int inner_axis, int inner_size) {
  Tiles tiles;
  tiles.registers = instruction::elements_per_lane(row, operand);
  tiles.inner = static_cast<std::int64_t>(map.outputs()[inner_axis].size()) / inner_size;
  return tiles;
}

// Replaces the elements whose k is beyond the end of the vectors by zeros. Their registers may hold
// any value, even infinity.
Value without_padding(ThreadCode& code, Value operand, const layout::LinearLayout& map, int k_axis,
                      std::int64_t k) {
  if (map.outputs()[k_axis].size() == static_cast<std::uint64_t>(k)) return operand;
  llvm::SmallVector<Value> elements = code.elements(operand);
  const Value zero = code.zero(elements[0].getType());
  for (std::size_t reg = 0; reg < elements.size(); ++reg) {
    bool never = false;
    const Value condition = code.is_below(map, reg, k_axis, k, never);
    if (never) elements[reg] = zero;
    if (condition)
      elements[reg] = mlir::arith::SelectOp::create(code.builder, condition, elements[reg], zero);
  }
  return code.vector_of(elements);
}

// Rounds f32 to the nearest number with 10 bits of mantissa. Without this the instruction would cut
// off the other bits.
Value rounded_to_tf32(ThreadCode& code, Value operand) {
  if (!instruction::is_nvidia(instruction::processor(code.options.target).family))
    return rounded_before_cut(code.builder, operand);
  llvm::SmallVector<Value> elements = code.elements(operand);
  mlir::ImplicitLocOpBuilder& builder = code.builder;
  for (Value& element : elements) {
    const Value bits = mlir::NVVM::ConvertFloatToTF32Op::create(
        builder, builder.getI32Type(), element, mlir::NVVM::FPRoundingMode::RNA,
        mlir::NVVM::SaturationMode::NONE, false);
    element = mlir::arith::BitcastOp::create(builder, builder.getF32Type(), bits);
  }
  return code.vector_of(elements);
}

// True if nvgpu.mma.sync supports the instruction, and its lowering computes what vector.contract
// means. False for these, which use the intrinsic instead:
// - integers, since nvgpu.mma.sync saturates them;
// - bf16, fp8 and the f64 of sm_90, which nvgpu.mma.sync lacks;
// - operands of one register, vector<1x2xf16>: canonicalisation turns them into broadcasts that
// cannot be lowered to LLVM.
bool is_in_nvgpu(const Instruction& row) {
  return (row.a_type == ElementType::f16 || row.a_type == ElementType::xf32) && row.b.registers > 1;
}

Value by_nvgpu(ThreadCode& code, const Instruction& row, Value a, Value b, Value c) {
  mlir::ImplicitLocOpBuilder& builder = code.builder;
  const int in_word = std::max(1, 32 / row.a.bits);
  return code.flat(mlir::nvgpu::MmaSyncOp::create(
      builder, code.rows(a, in_word), code.rows(b, in_word), code.rows(c, 2),
      llvm::ArrayRef<std::int64_t>{row.m, row.n, row.k}, row.a_type == ElementType::xf32));
}

// The type of an operand's registers in LLVM's intrinsics: pairs of f16, single f32 or f64, and
// 32-bit integers for everything else.
struct WordType {
  mlir::Type type;
  std::int64_t elements;
};
WordType word_type(mlir::MLIRContext* context, ElementType type) {
  const auto half = mlir::Float16Type::get(context);
  if (type == ElementType::f16) return {mlir::VectorType::get({2}, half), 2};
  if (type == ElementType::f32) return {mlir::Float32Type::get(context), 1};
  if (type == ElementType::f64) return {mlir::Float64Type::get(context), 1};
  return {mlir::IntegerType::get(context, 32), std::max(1, 32 / instruction::bits(type))};
}

void append_words(ThreadCode& code, Value vector, ElementType type,
                  llvm::SmallVectorImpl<Value>& words) {
  mlir::ImplicitLocOpBuilder& builder = code.builder;
  const WordType word = word_type(builder.getContext(), type);
  const std::int64_t count = mlir::cast<mlir::VectorType>(vector.getType()).getNumElements();
  for (std::int64_t first = 0; first < count; first += word.elements) {
    if (word.elements == 1) {
      const Value number = mlir::vector::ExtractOp::create(builder, vector, first);
      words.push_back(number.getType() == word.type
                          ? number
                          : mlir::arith::BitcastOp::create(builder, word.type, number));
      continue;
    }
    Value piece = code.slice(vector, first, word.elements);
    if (!mlir::isa<mlir::VectorType>(word.type)) {
      const auto single = mlir::VectorType::get({1}, word.type);
      piece = mlir::vector::BitCastOp::create(builder, single, piece);
      piece = mlir::vector::ExtractOp::create(builder, piece, 0);
    }
    words.push_back(piece);
  }
}

Value by_intrinsic(ThreadCode& code, const Instruction& row, Value a, Value b, Value c) {
  mlir::ImplicitLocOpBuilder& builder = code.builder;
  llvm::SmallVector<Value> words;
  append_words(code, a, row.a_type, words);
  append_words(code, b, row.b_type, words);
  append_words(code, c, row.d_type, words);
  const WordType word = word_type(builder.getContext(), row.d_type);
  const auto type = mlir::cast<mlir::VectorType>(c.getType());
  const std::int64_t count = type.getNumElements() / word.elements;
  const auto results = mlir::LLVM::LLVMStructType::getLiteral(
      builder.getContext(),
      llvm::SmallVector<mlir::Type>(static_cast<std::size_t>(count), word.type));
  const auto call = mlir::LLVM::CallIntrinsicOp::create(
      builder, results,
      builder.getStringAttr(llvm::StringRef(row.intrinsic.data(), row.intrinsic.size())), words);
  llvm::SmallVector<Value> pieces;
  for (std::int64_t i = 0; i < count; ++i)
    pieces.push_back(mlir::LLVM::ExtractValueOp::create(builder, call->getResult(0), i));
  if (word.elements == 1) return code.vector_of(pieces);
  return code.joined(pieces);
}

// A vector of one element as that.
Value number_if_single(ThreadCode& code, Value vector) {
  const bool is_single = mlir::cast<mlir::VectorType>(vector.getType()).getNumElements() == 1;
  return is_single ? mlir::vector::ExtractOp::create(code.builder, vector, 0).getResult() : vector;
}

Value by_amdgpu(ThreadCode& code, const Instruction& row, Value a, Value b, Value c,
                std::array<bool, 2> is_unsigned) {
  const auto m = static_cast<std::uint32_t>(row.m), n = static_cast<std::uint32_t>(row.n),
             k = static_cast<std::uint32_t>(row.k);
  if (instruction::is_cdna(row.family()))
    return mlir::amdgpu::MFMAOp::create(code.builder, c.getType(), m, n, k, 1u,
                                        number_if_single(code, a), number_if_single(code, b), c, 0u,
                                        0u, mlir::amdgpu::MFMAPermB::none,
                                        row.a_type == ElementType::xf32, false, false, false);
  auto product = mlir::amdgpu::WMMAOp::create(code.builder, c.getType(), m, n, k, a, b, c);
  product.setUnsignedA(is_unsigned[0]);
  product.setUnsignedB(is_unsigned[1]);
  return product;
}

// Converts the floats of the vector to the float type `element`; returns the vector unchanged if
// they already have this type.
Value in_type(ThreadCode& code, Value vector, mlir::Type element) {
  const auto type = mlir::cast<mlir::VectorType>(vector.getType());
  if (type.getElementType() == element) return vector;
  const auto other = mlir::VectorType::get(type.getShape(), element);
  if (element.getIntOrFloatBitWidth() > type.getElementTypeBitWidth())
    return mlir::arith::ExtFOp::create(code.builder, other, vector);
  return mlir::arith::TruncFOp::create(code.builder, other, vector);
}

std::int64_t count(std::int64_t size, int step) { return (size + step - 1) / step; }

}  // namespace

Value matrix_instruction(ThreadCode& code, const Instruction& row, Value a, Value b, Value c,
                         std::array<bool, 2> is_unsigned) {
  if (!instruction::is_nvidia(row.family())) return by_amdgpu(code, row, a, b, c, is_unsigned);
  return is_in_nvgpu(row) ? by_nvgpu(code, row, a, b, c) : by_intrinsic(code, row, a, b, c);
}

Value multiply(ThreadCode& code, const Multiplication& multiplication, Value a, Value b, Value c,
               std::array<bool, 2> is_unsigned) {
  const Instruction& row = *multiplication.instruction;
  const Contraction& shape = multiplication.contraction;
  const mlir::Type result_type = mlir::cast<mlir::VectorType>(c.getType()).getElementType();
  a = without_padding(code, a, multiplication.a, 1 - shape.a_m, shape.k);
  b = without_padding(code, b, multiplication.b, 1 - shape.b_n, shape.k);
  if (row.a_type == ElementType::xf32) {
    a = rounded_to_tf32(code, a);
    b = rounded_to_tf32(code, b);
  }
  Value d = in_type(code, c, accumulator_type(code.builder.getContext(), row));
  const Tiles a_tiles = tiles_of(row, Operand::a, multiplication.a, 1 - shape.a_m, row.k);
  const Tiles b_tiles = tiles_of(row, Operand::b, multiplication.b, 1 - shape.b_n, row.k);
  const Tiles d_tiles = tiles_of(row, Operand::d, multiplication.d, 1 - shape.c_m, row.n);
  llvm::SmallVector<Value> sums;
  for (std::int64_t first = 0; first < registers_of(multiplication.d); first += d_tiles.registers)
    sums.push_back(code.slice(d, first, d_tiles.registers));
  for (std::int64_t m = 0; m < count(shape.m, row.m); ++m) {
    for (std::int64_t n = 0; n < count(shape.n, row.n); ++n) {
      Value& sum = sums[static_cast<std::size_t>(d_tiles.first(m, n) / d_tiles.registers)];
      for (std::int64_t k = 0; k < count(shape.k, row.k); ++k)
        sum = matrix_instruction(code, row, code.slice(a, a_tiles.first(m, k), a_tiles.registers),
                                 code.slice(b, b_tiles.first(n, k), b_tiles.registers), sum,
                                 is_unsigned);
    }
  }
  d = code.joined(sums);
  return in_type(code, d, result_type);
}

}  // namespace heddle::compiler
