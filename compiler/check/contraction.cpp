#include <algorithm>
#include <cmath>

#include "compiler/check/number_arithmetic.h"
#include "compiler/check/reference_walk.h"
#include "mlir/IR/BuiltinTypes.h"
#include "runtime/judge/rounding_limit.h"

namespace heddle::compiler {
namespace {

double quantum_of(const VectorValue& value) {
  std::vector<double> numbers;
  for (const Interval& element : value.elements) numbers.push_back(element.value);
  return runtime::quantum(numbers);
}

// The values that an instruction may use for an f32 operand of type tf32: 10 bits of fraction, the
// rest cut off or rounded (PTX ISA, "Alternate Floating Point Data Formats": the low bits of the
// operand are undefined).
Interval as_tf32(Interval a) {
  if (a.is_nan() || std::isinf(a.value)) return a;
  const auto cut = [](double x) {
    if (x == 0) return x;
    const double quantum = std::ldexp(1.0, std::max(std::ilogb(x), -126) - 10);
    return std::trunc(x / quantum) * quantum;
  };
  const auto next = [](double x) {
    if (x == 0) return x;
    const double quantum = std::ldexp(1.0, std::max(std::ilogb(x), -126) - 10);
    return std::trunc(x / quantum) * quantum == x
               ? x
               : (std::trunc(x / quantum) + std::copysign(1.0, x)) * quantum;
  };
  return {a.value, std::min({cut(a.low), next(a.low), a.value}),
          std::max({cut(a.high), next(a.high), a.value})};
}

// Some instructions read a number whose magnitude is below `smallest` as 0. If the interval has
// such a number, it is extended to include 0.
Interval flushed(Interval a, double smallest) {
  if (a.is_nan() || a.low >= smallest || a.high <= -smallest) return a;
  return {a.value, std::min(a.low, 0.0), std::max(a.high, 0.0)};
}

std::vector<Interval> seen(const VectorValue& value, bool tf32, double smallest) {
  std::vector<Interval> elements = value.elements;
  if (tf32) std::ranges::transform(elements, elements.begin(), as_tf32);
  if (smallest > 0)
    for (Interval& element : elements) element = flushed(element, smallest);
  return elements;
}

// The sum of one element of the result.
struct Sum {
  Interval total;
  double magnitude;
  std::int64_t terms = 0;
  bool exact;

  explicit Sum(Interval c) : total(c), magnitude(c.magnitude()), exact(c.is_point()) {}

  void add(Interval a, Interval b) {
    const Interval term = product(a, b);
    total = {total.value + term.value, total.low + term.low, total.high + term.high};
    magnitude += term.magnitude();
    exact = exact && term.is_point();
    ++terms;
  }

  // The interval of results that the accumulator may have after all terms are added.
  // warp_reference.h explains the bound of the error.
  Interval accumulated(double quantum, int bits) const {
    if (total.is_nan()) return Interval::nan();
    if (std::isinf(magnitude)) return total;
    if (exact && magnitude <= std::ldexp(quantum, bits)) return Interval::point(total.value);
    const double error = static_cast<double>(terms + 1) * std::ldexp(magnitude, 1 - bits);
    return {total.value, total.low - error, total.high + error};
  }
};

int precision_of(mlir::Type accumulator, mlir::Type input) {
  auto floats = mlir::cast<mlir::FloatType>(accumulator);
  const int bits = static_cast<int>(floats.getFPMantissaWidth());
  constexpr int of_small_inputs = 13;
  return input.getIntOrFloatBitWidth() == 8 ? std::min(bits, of_small_inputs) : bits;
}

std::int64_t place(const std::vector<std::int64_t>& position,
                   const std::vector<std::int64_t>& steps) {
  std::int64_t at = 0;
  for (std::size_t i = 0; i < position.size(); ++i) at += position[i] * steps[i];
  return at;
}

std::uint64_t bits_of(Interval number) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(number.value));
}

}  // namespace

VectorValue ContractionReference::evaluate(const VectorValue& a, const VectorValue& b,
                                           const VectorValue& c) const {
  VectorValue result = c;
  const std::vector<Interval> in_a = seen(a, tf32, smallest), in_b = seen(b, tf32, smallest);
  const bool floats = mlir::isa<mlir::FloatType>(accumulator);
  const double quantum = floats ? std::min(quantum_of(a) * quantum_of(b), quantum_of(c)) : 1;
  for_each_position(parallel, [&](const auto& outer, std::size_t) {
    const std::int64_t base[] = {place(outer, parallel_step[0]), place(outer, parallel_step[1]),
                                 place(outer, parallel_step[2])};
    Interval& element = result.elements[static_cast<std::size_t>(base[2])];
    Sum sum(element);
    std::uint64_t whole = bits_of(floats ? Interval() : element);
    for_each_position(reduction, [&](const auto& inner, std::size_t) {
      const auto at_a = static_cast<std::size_t>(base[0] + place(inner, reduction_step[0]));
      const auto at_b = static_cast<std::size_t>(base[1] + place(inner, reduction_step[1]));
      if (floats)
        sum.add(in_a[at_a], in_b[at_b]);
      else
        whole += bits_of(in_a[at_a]) * bits_of(in_b[at_b]);
      return true;
    });
    element = floats ? sum.accumulated(quantum, precision_of(accumulator, input))
                     : Interval::point(static_cast<double>(wrapped_to(accumulator, whole)));
    return true;
  });
  return result;
}

}  // namespace heddle::compiler
