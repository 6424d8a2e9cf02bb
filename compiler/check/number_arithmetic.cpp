#include "compiler/check/number_arithmetic.h"

#include <cmath>

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"

namespace heddle::compiler {
namespace {

namespace arith = mlir::arith;

std::uint64_t bits_of(double value) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
}

unsigned width(mlir::Type type) { return type.isIndex() ? 64 : type.getIntOrFloatBitWidth(); }

// The number as its type's unsigned reading.
std::uint64_t as_unsigned(mlir::Type type, double value) {
  const unsigned bits = width(type);
  const std::uint64_t all = bits_of(value);
  return bits >= 64 ? all : all & ((std::uint64_t{1} << bits) - 1);
}

// The operands and types of one operation on elements, with functions that compute results, so that
// the code for each operation is short.
struct Element {
  std::span<const Interval> operands;
  mlir::Type operand, result;

  // The result of a float operation, rounded to the result's type. `function` must rise in every
  // operand.
  template <class Function>
  Interval floats(const Function& function) const {
    const auto round = [&](auto... x) { return rounded_to(result, function(x...)); };
    if (operands.size() == 1) {
      if constexpr (std::is_invocable_v<Function, double>) return rising(round, operands[0]);
    } else if constexpr (std::is_invocable_v<Function, double, double>) {
      return rising(round, operands[0], operands[1]);
    }
    return Interval::nan();
  }

  template <class Function>
  Interval integers(const Function& function) const {
    const std::uint64_t a = bits_of(operands[0].value);
    const std::uint64_t b = operands.size() > 1 ? bits_of(operands[1].value) : 0;
    return Interval::point(static_cast<double>(wrapped_to(result, function(a, b))));
  }
};

Interval product_rounded(const Element& element) {
  const Interval exact = product(element.operands[0], element.operands[1]);
  return rising([&](double x) { return rounded_to(element.result, x); }, exact);
}

Interval quotient(const Element& element) {
  const Interval divisor = element.operands[1];
  if (!divisor.is_point()) return Interval::nan();
  const Interval dividend = divisor.value < 0 ? negative(element.operands[0]) : element.operands[0];
  const double by = std::abs(divisor.value);
  return rising([&](double x) { return rounded_to(element.result, x / by); }, dividend);
}

// maxnum and minnum prefer numbers to NaN.
template <class Function>
Interval number_or_other(const Element& element, const Function& function) {
  if (element.operands[0].is_nan()) return element.operands[1];
  if (element.operands[1].is_nan()) return element.operands[0];
  return element.floats(function);
}

double larger(double a, double b) { return std::max(a, b); }
double smaller(double a, double b) { return std::min(a, b); }

// The result of a comparison as an interval: 0 or 1; from 0 to 1 if the intervals a and b overlap,
// so that either may hold.
Interval comparison(Interval a, Interval b, bool or_equal) {
  const auto holds = [&](double x, double y) { return or_equal ? x >= y : x > y; };
  const auto number = [](bool truth) { return truth ? 1.0 : 0.0; };
  return {number(holds(a.value, b.value)), number(holds(a.low, b.high)),
          number(holds(a.high, b.low))};
}

std::optional<Interval> float_comparison(arith::CmpFOp compare, const Element& element) {
  using Predicate = arith::CmpFPredicate;
  const Interval a = element.operands[0], b = element.operands[1];
  const bool unordered = a.is_nan() || b.is_nan();
  switch (compare.getPredicate()) {
    case Predicate::OGT:
      return unordered ? Interval::point(0) : comparison(a, b, false);
    case Predicate::OGE:
      return unordered ? Interval::point(0) : comparison(a, b, true);
    case Predicate::OLT:
      return unordered ? Interval::point(0) : comparison(b, a, false);
    case Predicate::OLE:
      return unordered ? Interval::point(0) : comparison(b, a, true);
    case Predicate::UGT:
      return unordered ? Interval::point(1) : comparison(a, b, false);
    case Predicate::UGE:
      return unordered ? Interval::point(1) : comparison(a, b, true);
    case Predicate::ULT:
      return unordered ? Interval::point(1) : comparison(b, a, false);
    case Predicate::ULE:
      return unordered ? Interval::point(1) : comparison(b, a, true);
    default:
      return std::nullopt;
  }
}

std::optional<Interval> integer_comparison(arith::CmpIOp compare, const Element& element) {
  using Predicate = arith::CmpIPredicate;
  const double a = element.operands[0].value, b = element.operands[1].value;
  const std::uint64_t ua = as_unsigned(element.operand, a), ub = as_unsigned(element.operand, b);
  switch (compare.getPredicate()) {
    case Predicate::eq:
      return Interval::point(a == b);
    case Predicate::ne:
      return Interval::point(a != b);
    case Predicate::slt:
      return Interval::point(a < b);
    case Predicate::sle:
      return Interval::point(a <= b);
    case Predicate::sgt:
      return Interval::point(a > b);
    case Predicate::sge:
      return Interval::point(a >= b);
    case Predicate::ult:
      return Interval::point(ua < ub);
    case Predicate::ule:
      return Interval::point(ua <= ub);
    case Predicate::ugt:
      return Interval::point(ua > ub);
    case Predicate::uge:
      return Interval::point(ua >= ub);
  }
  return std::nullopt;
}

std::optional<Interval> float_operation(mlir::Operation& operation, const Element& element) {
  using Answer = std::optional<Interval>;
  const auto same = [](double x) { return x; };
  return llvm::TypeSwitch<mlir::Operation*, Answer>(&operation)
      .Case([&](arith::AddFOp) { return element.floats([](double a, double b) { return a + b; }); })
      .Case([&](arith::SubFOp) {
        const Interval operands[] = {element.operands[0], negative(element.operands[1])};
        return Element{operands, element.operand, element.result}.floats(
            [](double a, double b) { return a + b; });
      })
      .Case([&](arith::MulFOp) { return product_rounded(element); })
      .Case([&](arith::DivFOp) { return quotient(element); })
      .Case([&](arith::NegFOp) { return negative(element.operands[0]); })
      .Case([&](arith::MaximumFOp) { return element.floats(larger); })
      .Case([&](arith::MinimumFOp) { return element.floats(smaller); })
      .Case([&](arith::MaxNumFOp) { return number_or_other(element, larger); })
      .Case([&](arith::MinNumFOp) { return number_or_other(element, smaller); })
      .Case<arith::ExtFOp, arith::TruncFOp>([&](auto) { return element.floats(same); })
      .Case<arith::SIToFPOp>([&](auto) { return element.floats(same); })
      .Case<arith::UIToFPOp>([&](auto) {
        return Interval::point(rounded_to(
            element.result,
            static_cast<double>(as_unsigned(element.operand, element.operands[0].value))));
      })
      .Case([&](arith::CmpFOp compare) { return float_comparison(compare, element); })
      .Default([](auto*) { return std::nullopt; });
}

std::optional<Interval> integer_operation(mlir::Operation& operation, const Element& element) {
  using Answer = std::optional<Interval>;
  using Bits = std::uint64_t;
  const auto choose = [&](auto better) {
    const bool first = better(element.operands[0].value, element.operands[1].value);
    return element.operands[first ? 0 : 1];
  };
  const auto read = [&](double x) { return as_unsigned(element.operand, x); };
  return llvm::TypeSwitch<mlir::Operation*, Answer>(&operation)
      .Case([&](arith::AddIOp) { return element.integers([](Bits a, Bits b) { return a + b; }); })
      .Case([&](arith::SubIOp) { return element.integers([](Bits a, Bits b) { return a - b; }); })
      .Case([&](arith::MulIOp) { return element.integers([](Bits a, Bits b) { return a * b; }); })
      .Case<arith::ExtSIOp, arith::TruncIOp, arith::IndexCastOp>(
          [&](auto) { return element.integers([](Bits a, Bits) { return a; }); })
      .Case<arith::ExtUIOp, arith::IndexCastUIOp>([&](auto) {
        return Interval::point(static_cast<double>(read(element.operands[0].value)));
      })
      .Case([&](arith::MaxSIOp) { return choose([](double a, double b) { return a > b; }); })
      .Case([&](arith::MinSIOp) { return choose([](double a, double b) { return a < b; }); })
      .Case([&](arith::MaxUIOp) {
        return choose([&](double a, double b) { return read(a) > read(b); });
      })
      .Case([&](arith::MinUIOp) {
        return choose([&](double a, double b) { return read(a) < read(b); });
      })
      .Case([&](arith::CmpIOp compare) { return integer_comparison(compare, element); })
      .Default([](auto*) { return std::nullopt; });
}

}  // namespace

double rounded_to(mlir::Type type, double value) {
  const auto floats = mlir::dyn_cast<mlir::FloatType>(type);
  if (!floats || type.isF64() || std::isnan(value)) return value;
  llvm::APFloat number(value);
  bool loses = false;
  number.convert(floats.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &loses);
  number.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &loses);
  return number.convertToDouble();
}

std::int64_t wrapped_to(mlir::Type type, std::uint64_t value) {
  const unsigned bits = width(type);
  if (bits >= 64) return static_cast<std::int64_t>(value);
  const unsigned unused = 64 - bits;
  return static_cast<std::int64_t>(value << unused) >> unused;
}

std::optional<Interval> evaluate_element(mlir::Operation& operation,
                                         std::span<const Interval> operands, mlir::Type operand,
                                         mlir::Type result) {
  const Element element{operands, operand, result};
  if (mlir::isa<mlir::FloatType>(operand) || mlir::isa<mlir::FloatType>(result))
    return float_operation(operation, element);
  return integer_operation(operation, element);
}

}  // namespace heddle::compiler
