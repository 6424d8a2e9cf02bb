#include "compiler/kernel/math_code.h"

#include <array>
#include <climits>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "compiler/kernel/expression_code.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "runtime/numbers/math_functions.h"

namespace heddle::compiler {
namespace {

namespace arith = mlir::arith;
namespace math = mlir::math;
using mlir::Value;

Value number(mlir::ImplicitLocOpBuilder& builder, double value) {
  return arith::ConstantOp::create(builder, builder.getF32FloatAttr(static_cast<float>(value)));
}

constexpr double wave = 2 * std::numbers::pi;

// For large x: x minus the nearest multiple of 2 pi (a "wave"). This needs 168 bits of 1 / (2 pi)
// (Payne and Hanek, Radian Reduction for Trigonometric Functions, SIGNUM Newsletter 18, 1983). They
// are six pieces of 28 bits each, so that float64 represents the product of a piece and the 24 bits
// of x exactly. Whole waves are removed from each product before the products are added. The error
// is less than 2^-40 of a wave.
Value far_within_one_wave(mlir::ImplicitLocOpBuilder& builder, Value x) {
  constexpr std::array pieces{0x28be60dp-28,  0xb939105p-56,  0x4a7f09dp-84,
                              0x5f47d4dp-112, 0x377036dp-140, 0x8a5664fp-168};
  const mlir::Type f64 = builder.getF64Type();
  const auto wide = [&](double value) {
    return arith::ConstantOp::create(builder, builder.getF64FloatAttr(value)).getResult();
  };
  const auto fraction = [&](Value of) {
    return arith::SubFOp::create(builder, of, math::RoundEvenOp::create(builder, of)).getResult();
  };
  const Value number = arith::ExtFOp::create(builder, f64, x);
  Value sum;
  for (const double piece : pieces) {
    const Value part = fraction(arith::MulFOp::create(builder, number, wide(piece)));
    sum = sum ? arith::AddFOp::create(builder, sum, part).getResult() : part;
  }
  const Value rest = arith::MulFOp::create(builder, fraction(sum), wide(wave));
  return arith::TruncFOp::create(builder, builder.getF32Type(), rest);
}

// x minus the nearest multiple of 2 pi (a "wave"), so that the result is near 0, where MLIR's
// polynomials are accurate. 2 pi is represented by the sum of two constants, and each product with
// them is rounded once. This is accurate for x up to 2^23; larger numbers (`may_be_far`; no f16 is
// so large) need more bits of 2 pi.
Value within_one_wave(mlir::ImplicitLocOpBuilder& builder, Value x, bool may_be_far) {
  constexpr auto first = static_cast<float>(wave);
  const Value waves = math::RoundEvenOp::create(
      builder, arith::MulFOp::create(builder, x, number(builder, 1 / wave)));
  const Value near = math::FmaOp::create(builder, waves, number(builder, -first), x);
  const Value rest = math::FmaOp::create(builder, waves, number(builder, first - wave), near);
  if (!may_be_far) return rest;
  const Value is_near =
      arith::CmpFOp::create(builder, arith::CmpFPredicate::OLT, math::AbsFOp::create(builder, x),
                            number(builder, 0x1p23));
  return mlir::scf::IfOp::create(
             builder, is_near,
             [&](mlir::OpBuilder& inner, mlir::Location place) {
               mlir::scf::YieldOp::create(inner, place, rest);
             },
             [&](mlir::OpBuilder& inner, mlir::Location place) {
               mlir::ImplicitLocOpBuilder code(place, inner);
               mlir::scf::YieldOp::create(inner, place, far_within_one_wave(code, x));
             })
      .getResult(0);
}

// x to the power of y. MLIR expands it to exp(y * log(x)), which is right only for positive x. For
// other x, zeros and infinities the result is that of C (ISO/IEC 9899:2018, F.10.4.4): for an odd y
// it has the sign of x; it is NaN only if x is finite and below 0 and y is not an integer.
Value power(mlir::ImplicitLocOpBuilder& builder, Value x, Value y) {
  if (auto constant = y.getDefiningOp<arith::ConstantOp>()) {
    const double exponent = mlir::cast<mlir::FloatAttr>(constant.getValue()).getValueAsDouble();
    Value product = x;
    for (int times = 1; times <= 4; ++times) {
      if (exponent == times) return product;
      product = arith::MulFOp::create(builder, product, x);
    }
  }
  const auto is = [&](arith::CmpFPredicate predicate, Value a, Value b) {
    return arith::CmpFOp::create(builder, predicate, a, b).getResult();
  };
  const auto chosen = [&](Value condition, Value yes, Value no) {
    return arith::SelectOp::create(builder, condition, yes, no).getResult();
  };
  using enum arith::CmpFPredicate;
  const Value zero = number(builder, 0), one = number(builder, 1);
  const Value logarithm = math::LogOp::create(builder, math::AbsFOp::create(builder, x));
  const Value size = math::ExpOp::create(builder, arith::MulFOp::create(builder, y, logarithm));
  const Value half = arith::MulFOp::create(builder, y, number(builder, 0.5));
  const Value is_even = is(OEQ, math::TruncOp::create(builder, half), half);
  const Value is_whole = is(OEQ, math::TruncOp::create(builder, y), y);
  const auto both = [&](Value a, Value b) {
    return arith::AndIOp::create(builder, a, b).getResult();
  };
  const Value below = is(OLT, math::CopySignOp::create(builder, one, x), zero);
  const Value with_sign = chosen(is_even, size, arith::NegFOp::create(builder, size));
  const Value any = chosen(both(below, is_whole), with_sign, size);
  const Value infinite = number(builder, std::numeric_limits<double>::infinity());
  const Value is_finite_below =
      both(is(OLT, x, zero), is(UNE, math::AbsFOp::create(builder, x), infinite));
  const Value is_broken = is(UNE, math::TruncOp::create(builder, y), y);
  const Value none = number(builder, std::numeric_limits<double>::quiet_NaN());
  const Value result = chosen(both(is_finite_below, is_broken), none, any);
  // Also of -1 to an infinite power.
  const Value is_one =
      arith::OrIOp::create(builder, is(OEQ, x, one),
                           both(is(OEQ, math::AbsFOp::create(builder, x), one),
                                is(OEQ, math::AbsFOp::create(builder, y), infinite)));
  return chosen(arith::OrIOp::create(builder, is(OEQ, y, zero), is_one), one, result);
}

// If x is y times a power of two (a multiplication that is exact), returns y and that power.
// Otherwise returns x and 1.
std::pair<Value, double> without_power_of_two(Value x) {
  if (auto product = x.getDefiningOp<arith::MulFOp>())
    if (auto constant = product.getRhs().getDefiningOp<arith::ConstantOp>())
      if (auto factor = mlir::dyn_cast<mlir::FloatAttr>(constant.getValue());
          factor && factor.getValue().getExactLog2Abs() != INT_MIN)
        return {product.getLhs(), factor.getValueAsDouble()};
  return {x, 1};
}

// 2 / (exp(factor * x) + 1), computed as 1 / (exp(factor * x) / 2 + 1/2) by a division that is not
// rounded to nearest. Subnormal numbers do no harm: a subnormal power adds nothing to 1, and a
// subnormal result may be 0.
Value two_over_power(mlir::ImplicitLocOpBuilder& builder, Value x, double factor) {
  const auto approximate =
      arith::FastMathFlagsAttr::get(builder.getContext(), arith::FastMathFlags::afn);
  const auto [unscaled, scale] = without_power_of_two(x);
  const Value exponent = arith::MulFOp::create(
      builder, unscaled, number(builder, scale * factor * std::numbers::log2e));
  const Value power = math::Exp2Op::create(builder, exponent, approximate);
  const Value half = number(builder, 0.5);
  return arith::DivFOp::create(builder, number(builder, 1),
                               math::FmaOp::create(builder, power, half, half), approximate);
}

// The factors of a polynomial in x^2 for (tanh(x) - x) / x^3, fitted for the least relative error
// for x up to 0.55.
constexpr std::array near_tangent{0.016458701342344284, -0.05268410965800285, 0.13320940732955933,
                                  -0.33332958817481995};

// tanh(x), computed as 1 - 2 / (exp(2 x) + 1). Near 0 this difference would lose bits, so there
// tanh(x) is x plus a polynomial. Both together take half as many instructions as MLIR's
// approximation, a quotient of polynomials that is rounded to nearest.
Value hyperbolic_tangent(mlir::ImplicitLocOpBuilder& builder, Value x) {
  const Value far =
      arith::SubFOp::create(builder, number(builder, 1), two_over_power(builder, x, 2));
  const Value square = arith::MulFOp::create(builder, x, x);
  Value series = number(builder, near_tangent[0]);
  for (const double factor : llvm::ArrayRef(near_tangent).drop_front())
    series = math::FmaOp::create(builder, series, square, number(builder, factor));
  const Value near =
      math::FmaOp::create(builder, arith::MulFOp::create(builder, series, square), x, x);
  const Value is_near = arith::CmpFOp::create(
      builder, arith::CmpFPredicate::OLT, math::AbsFOp::create(builder, x), number(builder, 0.55));
  return arith::SelectOp::create(builder, is_near, near, far);
}

// erf(x). Up to 0.93 it is x plus a polynomial; beyond 0.93 it is 1 - 2^p, where p is another
// polynomial. Both are fitted for the least relative error. This takes half as many instructions as
// MLIR's approximation: a quotient of polynomials, with three sets of factors, that is rounded to
// nearest.
Value error_function(mlir::ImplicitLocOpBuilder& builder, Value x) {
  constexpr std::array near_factors{-0.0005908030443313034, 0.004976849806790876,
                                    -0.026755452767881938,  0.11281508271365898,
                                    -0.3761246439611952,    0.1283791451961393};
  constexpr std::array far_factors{
      -1.505138429691577e-05, 0.00045424018230100227, -0.0052086064736619475, 0.03418400019450424,
      -0.15315509715029457,   -0.9163970754177898,    -1.628279106210389};
  const auto series = [&](llvm::ArrayRef<double> factors, Value of) {
    Value sum = number(builder, factors.front());
    for (const double factor : factors.drop_front())
      sum = math::FmaOp::create(builder, sum, of, number(builder, factor));
    return sum;
  };
  const auto approximate =
      arith::FastMathFlagsAttr::get(builder.getContext(), arith::FastMathFlags::afn);
  const Value size = math::AbsFOp::create(builder, x);
  const Value of_square = series(near_factors, arith::MulFOp::create(builder, x, x));
  const Value near = math::FmaOp::create(builder, of_square, x, x);
  const Value exponent = arith::MulFOp::create(builder, series(far_factors, size), size);
  const Value rest = math::Exp2Op::create(builder, exponent, approximate);
  const Value far = math::CopySignOp::create(
      builder, arith::SubFOp::create(builder, number(builder, 1), rest), x);
  const Value is_far =
      arith::CmpFOp::create(builder, arith::CmpFPredicate::OGE, size, number(builder, 0.93));
  return arith::SelectOp::create(builder, is_far, far, near);
}

// Builds the operation `name`, whose result has the type of the operands. math.clampf and math.absi
// are built from several operations, because LLVM has no single intrinsic for them. (MLIR 22's own
// expansion of clampf exchanges the two limits.)
Value created(mlir::ImplicitLocOpBuilder& builder, llvm::StringRef name,
              llvm::ArrayRef<Value> operands) {
  if (name == "math.clampf") {
    const Value above = arith::MaximumFOp::create(builder, operands[0], operands[1]);
    return arith::MinimumFOp::create(builder, above, operands[2]);
  }
  if (name == "math.absi") {
    const Value zero =
        arith::ConstantOp::create(builder, builder.getIntegerAttr(operands[0].getType(), 0));
    const Value negative = arith::SubIOp::create(builder, zero, operands[0]);
    return arith::MaxSIOp::create(builder, operands[0], negative);
  }
  mlir::OperationState state(builder.getLoc(), name, operands, operands[0].getType());
  return builder.create(state)->getResult(0);
}

class MathPass : public mlir::PassWrapper<MathPass, mlir::OperationPass<>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MathPass)

  explicit MathPass(MathBackend backend) : backend_(backend) {}

  llvm::StringRef getArgument() const override { return "heddle-math"; }
  llvm::StringRef getDescription() const override {
    return "Turn operations of math into arith and LLVM's intrinsics";
  }
  void getDependentDialects(mlir::DialectRegistry& registry) const override {
    registry.insert<arith::ArithDialect, math::MathDialect, mlir::LLVM::LLVMDialect,
                    mlir::vector::VectorDialect>();
  }

  void runOnOperation() override {
    bool has_math = false;
    getOperation()->walk([&](mlir::Operation* operation) {
      has_math = has_math || mlir::isa_and_nonnull<math::MathDialect>(operation->getDialect()) ||
                 mlir::isa<arith::FloorDivSIOp, arith::CeilDivSIOp>(operation);
      if (mlir::isa<arith::MaxNumFOp>(operation))
        replace<mlir::LLVM::MaxNumOp>(operation);
      else if (mlir::isa<arith::MinNumFOp>(operation))
        replace<mlir::LLVM::MinNumOp>(operation);
    });
    if (!has_math) return;
    getOperation()->walk([this](math::Exp2Op power) {
      if (is_approximate(power)) use_flushing_power(power);
    });
    if (backend_ == MathBackend::nvptx) {
      getOperation()->walk([](arith::DivFOp quotient) {
        if (is_approximate(quotient)) use_flushing_reciprocal(quotient);
      });
      getOperation()->walk([](math::ExpOp power) {
        if (power.getType().isF32()) use_power_of_two(power);
      });
    }
    if (mlir::failed(expand())) return signalPassFailure();
    getOperation()->walk([](mlir::Operation* operation) {
      if (mlir::isa_and_nonnull<math::MathDialect>(operation->getDialect()))
        call_intrinsic(operation);
    });
  }

 private:
  template <class Intrinsic>
  static void replace(mlir::Operation* operation) {
    mlir::OpBuilder builder(operation);
    const auto made = Intrinsic::create(builder, operation->getLoc(), operation->getOperand(0),
                                        operation->getOperand(1));
    operation->replaceAllUsesWith(made);
    operation->erase();
  }

  template <class Operation>
  static bool is_approximate(Operation operation) {
    return operation.getType().isF32() &&
           bitEnumContainsAll(operation.getFastmath(), arith::FastMathFlags::afn);
  }

  // Calls an intrinsic that treats subnormal numbers as 0, so that it is one instruction of the
  // processor: ex2.approx.ftz or V_EXP_F32. With subnormal numbers it would be three to six
  // instructions, which scale such numbers up before and the result back.
  static Value flushing(mlir::ImplicitLocOpBuilder& builder, const char* intrinsic, Value operand) {
    return mlir::LLVM::CallIntrinsicOp::create(builder, operand.getType(),
                                               builder.getStringAttr(intrinsic),
                                               mlir::ValueRange(operand))
        ->getResult(0);
  }

  void use_flushing_power(math::Exp2Op power) const {
    mlir::ImplicitLocOpBuilder builder(power.getLoc(), power);
    const char* intrinsic =
        backend_ == MathBackend::nvptx ? "llvm.nvvm.ex2.approx.ftz" : "llvm.amdgcn.exp2";
    power.replaceAllUsesWith(flushing(builder, intrinsic, power.getOperand()));
    power.erase();
  }

  static void use_flushing_reciprocal(arith::DivFOp quotient) {
    mlir::ImplicitLocOpBuilder builder(quotient.getLoc(), quotient);
    const Value inverse = flushing(builder, "llvm.nvvm.rcp.approx.ftz.f", quotient.getRhs());
    quotient.replaceAllUsesWith(
        arith::MulFOp::create(builder, quotient.getLhs(), inverse).getResult());
    quotient.erase();
  }

  // exp(x) as 2^j 2^f, where j is the integer nearest to x log2(e), limited to the exponents of a
  // float, and f = x log2(e) - j. log2(e) is the sum of two constants there. A large number is
  // added to x log2(e), so that the last bits of the sum are j. If x is far beyond the limits of j,
  // f is so far from 0 that the result is 0 or infinite. This takes ten instructions; MLIR's
  // polynomial takes 27.
  static void use_power_of_two(math::ExpOp power) {
    mlir::ImplicitLocOpBuilder builder(power.getLoc(), power);
    const Value x = power.getOperand();
    constexpr double most = 126, whole = 0x1.8p23 + 127;
    constexpr auto log2_e = static_cast<float>(std::numbers::log2e);
    const Value exponent = arith::MulFOp::create(builder, x, number(builder, log2_e));
    const Value capped = mlir::LLVM::MaxNumOp::create(
        builder, mlir::LLVM::MinNumOp::create(builder, exponent, number(builder, most)),
        number(builder, -most));
    const Value nearest = arith::AddFOp::create(builder, capped, number(builder, whole));
    const Value less = arith::SubFOp::create(builder, number(builder, whole), nearest);
    const Value near = math::FmaOp::create(builder, x, number(builder, log2_e), less);
    const Value rest =
        math::FmaOp::create(builder, x, number(builder, std::numbers::log2e - log2_e), near);
    const mlir::Type i32 = builder.getI32Type();
    const Value bits = arith::ShLIOp::create(
        builder, arith::BitcastOp::create(builder, i32, nearest),
        arith::ConstantOp::create(builder, builder.getI32IntegerAttr(23)).getResult());
    const Value scale = arith::BitcastOp::create(builder, builder.getF32Type(), bits);
    power.replaceAllUsesWith(
        arith::MulFOp::create(builder, flushing(builder, "llvm.nvvm.ex2.approx.ftz", rest), scale)
            .getResult());
    power.erase();
  }

  // True for functions for which LLVM's back end makes accurate code itself: V_EXP_F32 and
  // V_LOG_F32 with corrections on AMD, ex2.approx on NVIDIA.
  bool has_code(llvm::StringRef name) const {
    if (name == "math.exp2") return true;
    return backend_ == MathBackend::amdgpu &&
           llvm::is_contained({"math.exp", "math.log", "math.log2"}, name);
  }

  llvm::LogicalResult expand() {
    mlir::RewritePatternSet patterns(&getContext());
    mlir::populateMathPolynomialApproximationPatterns(
        patterns, [&](llvm::StringRef name) { return !has_code(name); });
    math::populateExpansionPatterns(patterns, {"rsqrt"});
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    return mlir::applyPatternsGreedily(getOperation(), std::move(patterns));
  }

  // Replaces the operation by a call of LLVM's intrinsic. MLIR also has operations for these
  // intrinsics, but its conversions to ROCDL and NVVM refuse them, or turn them into calls of a
  // library.
  static void call_intrinsic(mlir::Operation* operation) {
    const llvm::StringRef name = operation->getName().stripDialect();
    mlir::OpBuilder builder(operation);
    const std::string intrinsic = "llvm." + (name == "absf" ? llvm::StringRef("fabs") : name).str();
    const auto called = mlir::LLVM::CallIntrinsicOp::create(
        builder, operation->getLoc(), operation->getResult(0).getType(),
        builder.getStringAttr(intrinsic), mlir::ValueRange(operation->getOperands()));
    operation->replaceAllUsesWith(called);
    operation->erase();
  }

  MathBackend backend_;
};

}  // namespace

Value emit_math_function(mlir::ImplicitLocOpBuilder& builder, int function,
                         llvm::ArrayRef<Value> operands) {
  const runtime::MathFunction& row = runtime::math_functions()[static_cast<std::size_t>(function)];
  builder.getContext()->getOrLoadDialect<math::MathDialect>();
  builder.getContext()->getOrLoadDialect<mlir::scf::SCFDialect>();
  const mlir::Type type = operands[0].getType();
  llvm::SmallVector<Value> wide(operands);
  const bool is_float = row.reading == runtime::Reading::floats;
  if (is_float && !type.isF64())
    for (Value& operand : wide) operand = converted(builder, operand, builder.getF32Type());
  Value result;
  if (row.name == "math.powf") {
    result = power(builder, wide[0], wide[1]);
  } else if (row.name == "math.tanh") {
    result = hyperbolic_tangent(builder, wide[0]);
  } else if (row.name == "math.erf") {
    result = error_function(builder, wide[0]);
  } else {
    if (row.shape == runtime::Shape::wave)
      wide[0] = within_one_wave(builder, wide[0], !type.isF16());
    result = created(builder, row.name, wide);
  }
  return is_float ? converted(builder, result, type) : result;
}

Value one_and_tanh(mlir::ImplicitLocOpBuilder& builder, Value x) {
  builder.getContext()->getOrLoadDialect<math::MathDialect>();
  return two_over_power(builder, x, -2);
}

// Each number x is multiplied by 4: then x is 0.5 or more exactly if the highest bit of the
// exponent of 4 x is set. tanh(x) is 4 x times a polynomial in (4 x)^2.
std::vector<Value> hyperbolic_tangents(mlir::ImplicitLocOpBuilder& builder,
                                       llvm::ArrayRef<Value> numbers,
                                       llvm::function_ref<Value(Value)> any) {
  builder.getContext()->getOrLoadDialect<math::MathDialect>();
  constexpr double scale = 4;
  const mlir::Type i32 = builder.getI32Type();
  std::vector<Value> scaled;
  Value bits;
  for (const Value x : numbers) {
    auto product = x.getDefiningOp<arith::MulFOp>();
    auto constant = product ? product.getRhs().getDefiningOp<arith::ConstantOp>() : nullptr;
    double factor =
        constant ? mlir::cast<mlir::FloatAttr>(constant.getValue()).getValueAsDouble() : 1;
    const bool is_usual = constant && std::abs(factor) < 0x1p100;
    if (!is_usual) factor = 1;
    scaled.push_back(arith::MulFOp::create(builder, is_usual ? product.getLhs() : x,
                                           number(builder, scale * factor)));
    const Value own = arith::BitcastOp::create(builder, i32, scaled.back());
    bits = bits ? arith::OrIOp::create(builder, bits, own).getResult() : own;
  }
  const auto whole = [&](std::int32_t value) -> Value {
    return arith::ConstantOp::create(builder, builder.getI32IntegerAttr(value));
  };
  const Value is_far =
      arith::CmpIOp::create(builder, arith::CmpIPredicate::ne,
                            arith::AndIOp::create(builder, bits, whole(1 << 30)), whole(0));
  const auto yielded = [&](mlir::OpBuilder& inner, mlir::Location place, auto tangent) {
    mlir::ImplicitLocOpBuilder code(place, inner);
    std::vector<Value> all;
    for (const Value x : scaled) all.push_back(tangent(code, x));
    mlir::scf::YieldOp::create(code, all);
  };
  auto branch = mlir::scf::IfOp::create(
      builder, any(is_far),
      [&](mlir::OpBuilder& inner, mlir::Location place) {
        yielded(inner, place, [](mlir::ImplicitLocOpBuilder& code, Value x) {
          return hyperbolic_tangent(
              code, arith::MulFOp::create(code, x, number(code, 1 / scale)).getResult());
        });
      },
      [&](mlir::OpBuilder& inner, mlir::Location place) {
        yielded(inner, place, [](mlir::ImplicitLocOpBuilder& code, Value x) {
          const Value square = arith::MulFOp::create(code, x, x);
          Value series = number(code, near_tangent[0] * std::pow(scale, -9));
          double power = std::pow(scale, -7);
          for (const double factor : llvm::ArrayRef(near_tangent).drop_front()) {
            series = math::FmaOp::create(code, series, square, number(code, factor * power));
            power *= scale * scale;
          }
          series = math::FmaOp::create(code, series, square, number(code, 1 / scale));
          return arith::MulFOp::create(code, x, series).getResult();
        });
      });
  return {branch.getResults().begin(), branch.getResults().end()};
}

std::unique_ptr<mlir::Pass> create_math_pass(MathBackend backend) {
  return std::make_unique<MathPass>(backend);
}

}  // namespace heddle::compiler
