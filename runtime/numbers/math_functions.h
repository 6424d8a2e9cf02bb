// The operations on elements that are one row of a table: which operation of MLIR each is, what it
// gives in float64, and how far from that a kernel may be.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "heddle/instruction/element_type.h"
#include "runtime/numbers/interval.h"

namespace heddle::runtime {

/// How a function runs when its operands are intervals.
enum class Shape : std::uint8_t {
  plain,  // between zeros and `critical` it rises or falls with each operand
  power,  // the same, but where operand 0 is negative only at one exponent
  sign,   // the same, but the sign of a NaN as operand 1 is not known
  wave,   // no step is longer than that of the operand
};

/// What operands of integers are read as.
enum class Reading : std::uint8_t { floats, signed_integers, unsigned_integers };

/// One operation. Of integers `whole` gives the result, of as many `bits` as the operands, which
/// continue by their sign or by zeros to 64; nothing where that is poison (a shift by as many bits)
/// or not defined at all (a division by 0), so that no result is wrong. Of floats `value` does, and
/// `error` is the distance in absolute numbers that a kernel may have from `value` = `value(x, y,
/// z)`, before the rounding to a narrower type; null: none, the result is rounded to nearest.
///
/// Sources: `exp2` on NVIDIA's processors is ex2.approx.f32 with a relative error of 2^-22 (PTX ISA
/// 9.0, "ex2"); AMD's exp, exp2, log and log2 are LLVM's expansions around V_EXP_F32 and V_LOG_F32,
/// of 1 ulp (RDNA3 ISA). tanh is made of these and a quotient of 2 ulp
/// (compiler/kernel/math_code.cpp). The others are MLIR 22's polynomials, for which no bound is
/// published: it is chosen, above what tests/compiler/math_test.cpp sees of numbers of any bits. An
/// operand that is no normal number may count as 0, or as the smallest that is.
struct MathFunction {
  std::string_view name;  // of MLIR's operation
  int operands = 1;
  Reading reading = Reading::floats;
  double (*value)(double x, double y, double z) = nullptr;
  double (*error)(double x, double y, double value) = nullptr;
  Shape shape = Shape::plain;
  std::optional<std::int64_t> (*whole)(std::int64_t x, std::int64_t y, int bits) = nullptr;
  double critical = 0;  // of operand 0, besides 0: where the function begins, or leaps
};

/// Whether the result is that in infinite precision, rounded once. Only such functions take f64.
bool is_exact(const MathFunction& function);

std::span<const MathFunction> math_functions();

/// Position in the table; -1: there is no such operation.
int find_math_function(std::string_view name);

/// All values that a kernel may compute when the operands lie in these intervals. The operands and
/// the result are numbers of `type`.
Interval evaluate(const MathFunction& function, instruction::ElementType type,
                  std::span<const Interval> operands);

}  // namespace heddle::runtime
