#include "compiler/kernel/expression_code.h"

#include <optional>

#include "compiler/kernel/math_code.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "runtime/numbers/math_functions.h"

namespace heddle::compiler {
namespace {

using instruction::ElementType;
using mlir::Value;
namespace arith = mlir::arith;

template <class Float, class Integer>
Value either(mlir::ImplicitLocOpBuilder& builder, Value x, Value y) {
  if (mlir::getElementTypeOrSelf(x.getType()).isIntOrIndex()) return Integer::create(builder, x, y);
  return Float::create(builder, x, y);
}

Value compared(mlir::ImplicitLocOpBuilder& builder, Step step, Value x, Value y) {
  if (x.getType().isIntOrIndex()) {
    const auto predicate = step == Step::less         ? arith::CmpIPredicate::slt
                           : step == Step::less_equal ? arith::CmpIPredicate::sle
                           : step == Step::equal      ? arith::CmpIPredicate::eq
                                                      : arith::CmpIPredicate::ne;
    return arith::CmpIOp::create(builder, predicate, x, y);
  }
  const auto predicate = step == Step::less         ? arith::CmpFPredicate::OLT
                         : step == Step::less_equal ? arith::CmpFPredicate::OLE
                         : step == Step::equal      ? arith::CmpFPredicate::OEQ
                                                    : arith::CmpFPredicate::UNE;
  return arith::CmpFOp::create(builder, predicate, x, y);
}

Value negated(mlir::ImplicitLocOpBuilder& builder, Value x) {
  return arith::NegFOp::create(builder, x);
}

Value constant(mlir::ImplicitLocOpBuilder& builder, const Node& node) {
  const mlir::Type type = number_type(builder.getContext(), node.type);
  if (type.isIntOrIndex()) {
    return arith::ConstantOp::create(builder,
                                     builder.getIntegerAttr(type, plan::integer_of(node.constant)));
  }
  return arith::ConstantOp::create(builder, builder.getFloatAttr(type, node.constant));
}

Value constant(mlir::ImplicitLocOpBuilder& builder, mlir::Type type, std::int64_t value) {
  return arith::ConstantOp::create(builder, builder.getIntegerAttr(type, value));
}

// `then` where `found` is the number `is`.
Value chosen_where(mlir::ImplicitLocOpBuilder& builder, Value found, std::int64_t is,
                   std::int64_t then, Value otherwise) {
  const mlir::Type type = found.getType();
  const Value same =
      arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, found, constant(builder, type, is));
  return arith::SelectOp::create(builder, same, constant(builder, type, then), otherwise);
}

// Decodes numbers of the OCP Microscaling Formats Specification 1.0, sections 5.3.3 (E2M1) and
// 5.4.1 (E8M0), to f32.
Value decoded_scaled(mlir::ImplicitLocOpBuilder& builder, ElementType from, Value x) {
  const mlir::Type word = builder.getI32Type();
  const auto number = [&](std::int64_t value) { return constant(builder, word, value); };
  x = arith::ExtUIOp::create(builder, word, x);
  Value bits;
  if (from == ElementType::e8m0) {  // 2^(x - 127); 2^-127 has no exponent in f32; 255 is NaN
    bits = arith::ShLIOp::create(builder, x, number(23));
    bits = chosen_where(builder, x, 0, 0x00400000, bits);
    bits = chosen_where(builder, x, 255, 0x7fc00000, bits);
  } else {  // exponents of f32 are 126 larger; 0 and 1/2 have none here
    const Value size = arith::AndIOp::create(builder, x, number(7));
    bits = arith::AddIOp::create(builder, arith::ShLIOp::create(builder, size, number(22)),
                                 number(0x3f000000));
    bits = chosen_where(builder, size, 0, 0, bits);
    bits = chosen_where(builder, size, 1, 0x3f000000, bits);
    const Value sign = arith::AndIOp::create(builder, x, number(8));
    bits = arith::OrIOp::create(builder, bits, arith::ShLIOp::create(builder, sign, number(28)));
  }
  return arith::BitcastOp::create(builder, builder.getF32Type(), bits);
}

// The f8E4M3FN with the same value as an f4E2M1FN. Exponents are larger by 6 there. 0 and 1/2 need
// separate treatment, because in four bits they are subnormal and have no exponent.
Value fp4_as_fp8(mlir::ImplicitLocOpBuilder& builder, Value x) {
  const mlir::Type byte = builder.getI8Type();
  const auto number = [&](std::int64_t value) { return constant(builder, byte, value); };
  x = arith::ExtUIOp::create(builder, byte, x);
  const Value size = arith::AndIOp::create(builder, x, number(7));
  Value bits =
      arith::AddIOp::create(builder, arith::ShLIOp::create(builder, size, number(2)), number(0x30));
  bits = chosen_where(builder, size, 0, 0, bits);
  bits = chosen_where(builder, size, 1, 0x30, bits);
  const Value sign = arith::AndIOp::create(builder, x, number(8));
  bits = arith::OrIOp::create(builder, bits, arith::ShLIOp::create(builder, sign, number(4)));
  return arith::BitcastOp::create(builder, number_type(builder.getContext(), ElementType::fp8),
                                  bits);
}

// Converts floats of 8 bits exactly to f16 (E5M2 of FNUZ to f32). Shifts move the bits to their
// places in the wider type. A multiplication then corrects the difference of the exponent biases
// (OCP 8-bit Floating Point Specification 1.0, section 5.1; FNUZ: LLVM's APFloat.h). A subnormal
// number becomes a subnormal number of the wider type, which represents it exactly.
Value decoded_byte(mlir::ImplicitLocOpBuilder& builder, ElementType from, Value x) {
  const bool is_wide = from == ElementType::bf8_fnuz;
  const mlir::Type word = is_wide ? builder.getI32Type() : builder.getI16Type();
  const mlir::FloatType real = is_wide ? builder.getF32Type() : builder.getF16Type();
  const auto number = [&](std::int64_t value) { return constant(builder, word, value); };
  const Value byte = arith::BitcastOp::create(builder, builder.getI8Type(), x);
  x = arith::ExtUIOp::create(builder, word, byte);
  if (from == ElementType::bf8)  // the upper half of an f16
    return arith::BitcastOp::create(builder, real, arith::ShLIOp::create(builder, x, number(8)));
  const Value size = arith::AndIOp::create(builder, x, number(0x7f));
  const Value sign = arith::AndIOp::create(builder, x, number(0x80));
  Value bits =
      arith::OrIOp::create(builder, arith::ShLIOp::create(builder, size, number(is_wide ? 21 : 7)),
                           arith::ShLIOp::create(builder, sign, number(is_wide ? 24 : 8)));
  if (from == ElementType::fp8) {
    bits = chosen_where(builder, x, 0x7f, 0x7e00, bits);
    bits = chosen_where(builder, x, 0xff, 0x7e00, bits);
  } else {
    bits = chosen_where(builder, x, 0x80, is_wide ? 0x7fc00000 : 0x7e00, bits);
  }
  const double factor = is_wide ? 0x1p111 : from == ElementType::fp8 ? 0x1p8 : 0x1p7;
  return arith::MulFOp::create(
      builder, arith::BitcastOp::create(builder, real, bits),
      arith::ConstantOp::create(builder, builder.getFloatAttr(real, factor)));
}

// Rounds `x` to a float of 8 bits, to nearest, ties to even. A number beyond the largest becomes
// NaN (in f8E5M2 infinity), as in LLVM's APFloat and MLIR's arith.truncf. (NVIDIA's cvt gives the
// largest number instead.)
Value encoded_byte(mlir::ImplicitLocOpBuilder& builder, ElementType to, Value x) {
  const bool is_fnuz = to == ElementType::fp8_fnuz || to == ElementType::bf8_fnuz;
  const bool is_e5m2 = to == ElementType::bf8 || to == ElementType::bf8_fnuz;
  const int fractions = is_e5m2 ? 2 : 3, bias = (is_e5m2 ? 15 : 7) + (is_fnuz ? 1 : 0);
  const int shift = 23 - fractions;
  const mlir::Type word = builder.getI32Type(), real = builder.getF32Type();
  const auto number = [&](std::int64_t value) { return constant(builder, word, value); };
  const auto add = [&](Value a, Value b) -> Value { return arith::AddIOp::create(builder, a, b); };
  const auto right = [&](Value a, int by) -> Value {
    return arith::ShRUIOp::create(builder, a, number(by));
  };
  const auto both = [&](Value a, std::int64_t mask) -> Value {
    return arith::AndIOp::create(builder, a, number(mask));
  };
  const auto is = [&](arith::CmpIPredicate predicate, Value a, std::int64_t b) -> Value {
    return arith::CmpIOp::create(builder, predicate, a, number(b));
  };
  const Value bits = arith::BitcastOp::create(builder, word, x);
  const Value size = both(bits, 0x7fffffff), sign = both(right(bits, 24), 0x80);
  // Corrects the bias of the exponent and rounds to nearest: adds half of the last remaining bit,
  // or a little less if that bit is 0, so that a tie goes to the even number.
  const std::int64_t moved = (std::int64_t{1} << (shift - 1)) - 1 - ((127 - bias) << 23);
  const Value normal = right(add(add(size, number(moved)), both(right(size, shift), 1)), shift);
  // Subnormal results: adds a float whose last bit has the same value as the last bit of the
  // result. The addition in f32 then rounds at this bit.
  const std::int64_t beside = (127 + 24 - bias - fractions) << 23;
  const Value sum = arith::AddFOp::create(builder, arith::BitcastOp::create(builder, real, size),
                                          arith::BitcastOp::create(builder, real, number(beside)));
  const Value subnormal = add(arith::BitcastOp::create(builder, word, sum), number(-beside));
  Value byte = arith::SelectOp::create(
      builder, is(arith::CmpIPredicate::ult, size, (128 - bias) << 23), subnormal, normal);
  const std::int64_t beyond = is_fnuz ? 0x80 : is_e5m2 ? 0x7c : 0x7f;
  byte = arith::MinUIOp::create(builder, byte, number(beyond));
  if (to == ElementType::bf8)
    byte = arith::SelectOp::create(builder, is(arith::CmpIPredicate::ugt, size, 0x7f800000),
                                   number(0x7f), byte);
  Value signed_byte = arith::OrIOp::create(builder, byte, sign);
  if (is_fnuz) signed_byte = chosen_where(builder, byte, 0, 0, signed_byte);  // there is no -0
  return arith::BitcastOp::create(
      builder, number_type(builder.getContext(), to),
      arith::TruncIOp::create(builder, builder.getI8Type(), signed_byte));
}

std::optional<ElementType> small_float(mlir::Type type) {
  for (const ElementType each :
       {ElementType::fp8, ElementType::bf8, ElementType::fp8_fnuz, ElementType::bf8_fnuz})
    if (type == number_type(type.getContext(), each)) return each;
  return std::nullopt;
}

Value computed(mlir::ImplicitLocOpBuilder& builder, const Node& node, Value x, Value y, Value z) {
  switch (node.step) {
    case Step::convert:
    case Step::convert_unsigned:
      return converted(builder, x, number_type(builder.getContext(), node.type),
                       node.step == Step::convert_unsigned);
    case Step::add:
      return either<arith::AddFOp, arith::AddIOp>(builder, x, y);
    case Step::subtract:
      return either<arith::SubFOp, arith::SubIOp>(builder, x, y);
    case Step::multiply:
      return either<arith::MulFOp, arith::MulIOp>(builder, x, y);
    case Step::divide:
      return arith::DivFOp::create(builder, x, y);
    case Step::maximum:
      return arith::MaximumFOp::create(builder, x, y);
    case Step::minimum:
      return arith::MinimumFOp::create(builder, x, y);
    case Step::maximum_number:
      return either<arith::MaxNumFOp, arith::MaxSIOp>(builder, x, y);
    case Step::minimum_number:
      return either<arith::MinNumFOp, arith::MinSIOp>(builder, x, y);
    case Step::maximum_unsigned:
      return arith::MaxUIOp::create(builder, x, y);
    case Step::minimum_unsigned:
      return arith::MinUIOp::create(builder, x, y);
    case Step::negate:
      return negated(builder, x);
    case Step::select:
      return arith::SelectOp::create(builder, x, y, z);
    case Step::function1:
      return emit_math_function(builder, node.index, {x});
    case Step::function2:
      return emit_math_function(builder, node.index, {x, y});
    case Step::function3:
      return emit_math_function(builder, node.index, {x, y, z});
    default:
      return compared(builder, node.step, x, y);
  }
}

}  // namespace

mlir::Type number_type(mlir::MLIRContext* context, ElementType type) {
  switch (type) {
    case ElementType::f64:
      return mlir::Float64Type::get(context);
    case ElementType::f32:
      return mlir::Float32Type::get(context);
    case ElementType::f16:
      return mlir::Float16Type::get(context);
    case ElementType::bf16:
      return mlir::BFloat16Type::get(context);
    case ElementType::fp8:
      return mlir::Float8E4M3FNType::get(context);
    case ElementType::bf8:
      return mlir::Float8E5M2Type::get(context);
    case ElementType::fp8_fnuz:
      return mlir::Float8E4M3FNUZType::get(context);
    case ElementType::bf8_fnuz:
      return mlir::Float8E5M2FNUZType::get(context);
    default:
      return bits_type(context, type);
  }
}

mlir::Type bits_type(mlir::MLIRContext* context, ElementType type) {
  return mlir::IntegerType::get(context, static_cast<unsigned>(instruction::bits(type)));
}

Value combined(mlir::ImplicitLocOpBuilder& builder, Step step, Value x, Value y) {
  return computed(builder, {step}, x, y, {});
}

Value converted(mlir::ImplicitLocOpBuilder& builder, Value value, mlir::Type type,
                bool is_unsigned) {
  const mlir::Type from = value.getType();
  if (from == type) return value;
  if (const auto small = small_float(from))
    return converted(builder, decoded_byte(builder, *small, value), type);
  if (const auto small = small_float(type)) {  // of f64: why_not.cpp
    value = converted(builder, value, builder.getF32Type(), is_unsigned);
    return encoded_byte(builder, *small, value);
  }
  const unsigned bits = type.getIntOrFloatBitWidth();
  const bool widens = bits > from.getIntOrFloatBitWidth();
  if (from.isIntOrIndex() && type.isIntOrIndex()) {
    if (!widens) return arith::TruncIOp::create(builder, type, value);
    if (is_unsigned) return arith::ExtUIOp::create(builder, type, value);
    return arith::ExtSIOp::create(builder, type, value);
  }
  if (from.isIntOrIndex()) {
    if (is_unsigned) return arith::UIToFPOp::create(builder, type, value);
    return arith::SIToFPOp::create(builder, type, value);
  }
  if (type.isIntOrIndex()) {
    if (is_unsigned) return arith::FPToUIOp::create(builder, type, value);
    return arith::FPToSIOp::create(builder, type, value);
  }
  if (widens) return arith::ExtFOp::create(builder, type, value);
  if (bits == from.getIntOrFloatBitWidth())  // f16 and bf16
    value = arith::ExtFOp::create(builder, builder.getF32Type(), value);
  return arith::TruncFOp::create(builder, type, value);
}

Value emit(mlir::ImplicitLocOpBuilder& builder, const Expression& expression,
           const std::vector<Value>& inputs) {
  if (expression.nodes.empty()) return inputs[0];
  std::vector<Value> values;
  const auto operand = [&](const Node& node, std::size_t i) {
    return operand_count(node.step) > static_cast<int>(i)
               ? values[static_cast<std::size_t>(node.operands[i])]
               : Value();
  };
  for (const Node& node : expression.nodes) {
    if (node.step == Step::input) {
      values.push_back(inputs[static_cast<std::size_t>(node.index)]);
    } else if (node.step == Step::constant) {
      values.push_back(constant(builder, node));
    } else {
      Value x = operand(node, 0);
      const ElementType from = expression.nodes[static_cast<std::size_t>(node.operands[0])].type;
      if (from == ElementType::fp4 && node.type == ElementType::fp8) {
        values.push_back(fp4_as_fp8(builder, x));
        continue;
      }
      if (is_only_read(from)) x = decoded_scaled(builder, from, x);
      if (const auto of = runtime::operand_of_one_and_tanh(expression, node)) {
        values.push_back(one_and_tanh(builder, values[static_cast<std::size_t>(*of)]));
        continue;
      }
      values.push_back(computed(builder, node, x, operand(node, 1), operand(node, 2)));
    }
  }
  return values.back();
}

Value produced(mlir::ImplicitLocOpBuilder& builder, const Expression& producer, ElementType stored,
               Value element, const std::vector<Value>& beside, mlir::Type bits) {
  const mlir::Type number = number_type(builder.getContext(), stored);
  std::vector<Value> inputs{arith::BitcastOp::create(builder, number, element)};
  inputs.insert(inputs.end(), beside.begin(), beside.end());
  return arith::BitcastOp::create(builder, bits, emit(builder, producer, inputs));
}

Value beyond_matrix(mlir::ImplicitLocOpBuilder& builder, const plan::Problem& problem, bool is_a,
                    mlir::Type bits) {
  if (!is_a || problem.combine == Step::add)
    return arith::ConstantOp::create(builder, builder.getIntegerAttr(bits, 0));
  const Value neutral =
      constant(builder, {.step = Step::constant,
                         .type = problem.input,
                         .constant = plan::neutral(problem.combine, problem.input)});
  return arith::BitcastOp::create(builder, bits, neutral);
}

Value element_of_word(mlir::ImplicitLocOpBuilder& builder, Value word, std::int64_t index) {
  const Value distance =
      arith::ConstantOp::create(builder, builder.getIntegerAttr(word.getType(), 4 * index));
  return arith::TruncIOp::create(builder, builder.getIntegerType(4),
                                 arith::ShRUIOp::create(builder, word, distance));
}

Value element_of_byte(mlir::ImplicitLocOpBuilder& builder, Value byte, Value number) {
  const auto word = [&](std::int64_t value) -> Value {
    return arith::ConstantOp::create(builder, builder.getI32IntegerAttr(static_cast<int>(value)));
  };
  const Value half = arith::AndIOp::create(builder, number, word(1));
  const Value wide = arith::ExtUIOp::create(builder, builder.getI32Type(), byte);
  const Value distance = arith::MulIOp::create(builder, half, word(4));
  return arith::TruncIOp::create(builder, builder.getIntegerType(4),
                                 arith::ShRUIOp::create(builder, wide, distance));
}

}  // namespace heddle::compiler
