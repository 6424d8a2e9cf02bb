// The table of elementwise operations. Each row has the operation of MLIR, its value in float64,
// and the error that a kernel may have.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "heddle/instruction/element_type.h"
#include "heddle/plan/expression.h"
#include "runtime/numbers/interval.h"

namespace heddle::runtime {

/// How a function behaves on intervals.
enum class Shape : std::uint8_t {
  plain,  // monotonic in each operand between zeros and `critical`
  power,  // as plain, but if operand 0 is negative, only for a single exponent
  sign,   // as plain, but the sign of a NaN in operand 1 is not known
  wave,   // the result never changes by more than the operand does
};

/// How the operands are read.
enum class Reading : std::uint8_t { floats, signed_integers, unsigned_integers };

/// One operation.
///
/// - For integers, `whole` gives the result, which has as many `bits` as the operands; operands are
/// extended to 64 bits by their sign or by zeros. `whole` gives nothing if the result is poison (a
/// shift by at least `bits`) or undefined (a division by 0), and then any result is right.
/// - For floats, `value` gives the result. A kernel may differ from it by the absolute `error` of
/// `value` = `value(x, y, z)` before the rounding to a narrower type. Without `error` the result is
/// rounded to nearest.
///
/// Sources:
///
/// - `exp2` on NVIDIA's processors is ex2.approx.f32 with a relative error of 2^-22 (PTX ISA 9.0,
/// "ex2").
/// - AMD's exp, exp2, log and log2 are LLVM's expansions around V_EXP_F32 and V_LOG_F32, of 1 ulp
/// (RDNA3 ISA).
/// - tanh is made of these functions and a quotient of 2 ulp (compiler/kernel/math_code.cpp).
/// - The others are MLIR 22's polynomials, which have no published bound. Their bound here is
/// chosen above every error that tests/compiler/math_test.cpp finds for any bits.
///
/// A subnormal operand may count as 0 or as the smallest normal number.
struct MathFunction {
  std::string_view name;  // the operation of MLIR
  int operands = 1;
  Reading reading = Reading::floats;
  double (*value)(double x, double y, double z) = nullptr;
  double (*error)(double x, double y, double value) = nullptr;
  Shape shape = Shape::plain;
  std::optional<std::int64_t> (*whole)(std::int64_t x, std::int64_t y, int bits) = nullptr;
  double critical = 0;  // a value of operand 0, besides 0, where the function begins or leaps
};

/// True if kernels compute the exact value and round it once. Only such functions accept f64.
bool is_exact(const MathFunction& function);

std::span<const MathFunction> math_functions();

/// The position of an operation in the table; -1 if it is not there.
int find_math_function(std::string_view name);

/// If `node` is 1 + tanh(x) of f32, as in GELU: the number of the node x. Kernels compute 1 +
/// tanh(x) without a tanh (compiler/kernel/math_code.h).
std::optional<int> operand_of_one_and_tanh(const plan::Expression& expression,
                                           const plan::Node& node);

/// All values that a kernel may compute for 1 + tanh(x) of f32. `sum` has the values that result if
/// tanh and the addition are computed one after the other.
Interval with_one_and_tanh(const Interval& sum);

/// All values that a kernel may compute when the operands lie in these intervals. The operands and
/// the result are numbers of `type`.
Interval evaluate(const MathFunction& function, instruction::ElementType type,
                  std::span<const Interval> operands);

}  // namespace heddle::runtime
