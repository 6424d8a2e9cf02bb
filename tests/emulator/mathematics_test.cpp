// What stands in for ROCm's mathematics (runtime/hip_without_rocm) against the host's in float64.
#include <bit>
#include <cmath>
#include <limits>

#include "kernels.h"

namespace heddle::emulator::testing {
namespace mathematics_test {

using Reference = double (*)(double, double);

struct Case {
  const char* name;
  Reference reference;
  double least, most;  // of x; y lies in [-8, 8)
  double ulp;          // that mathematics.h promises
};

void PrintTo(const Case& test, std::ostream* out) { *out << test.name; }

/// The x between `least` and `most` where a rising function has this value: 200 halvings.
double solution(double value, double least, double most, double (*function)(double)) {
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (least + most);
    (function(middle) < value ? least : most) = middle;
  }
  return 0.5 * (least + most);
}

/// By halving, in long double where the tails need it: -erfc rises.
double inverse_of_erfc(double q) {
  if (!(q >= 0 && q <= 2)) return std::nan("");
  if (q == 0 || q == 2) return q == 0 ? HUGE_VAL : -HUGE_VAL;
  if (q > 0.5 && q < 1.5) return solution(1 - q, -1, 1, [](double y) { return std::erf(y); });
  if (q > 1) return -inverse_of_erfc(2 - q);
  return solution(-q, 0, 15, [](double y) { return -std::erfc(y); });
}

double inverse_of_erf(double x) {
  if (std::fabs(x) > 0.5 || std::isnan(x)) return inverse_of_erfc(1 - x);
  return std::fabs(x) < 1e-9 ? x * 0.88622692545275801365
                             : solution(x, -1, 1, [](double y) { return std::erf(y); });
}

constexpr double all = 1e30;
const Case cases[] = {
    {"expf", [](double x, double) { return std::exp(x); }, -106, 90, 2},
    {"exp2f", [](double x, double) { return std::exp2(x); }, -152, 130, 2},
    {"exp10f", [](double x, double) { return std::pow(10.0, x); }, -46, 39, 1},
    {"expm1f", [](double x, double) { return std::expm1(x); }, -20, 89, 1},
    {"logf", [](double x, double) { return std::log(x); }, 0, 8, 1},
    {"log2f", [](double x, double) { return std::log2(x); }, 0, 8, 1},
    {"log10f", [](double x, double) { return std::log10(x); }, 0, all, 1},
    {"log1pf", [](double x, double) { return std::log1p(x); }, -0.99, 8, 1},
    {"sqrtf", [](double x, double) { return std::sqrt(x); }, 0, all, 0.5},
    {"rsqrtf", [](double x, double) { return 1 / std::sqrt(x); }, 0, all, 2},
    {"sinf", [](double x, double) { return std::sin(x); }, -1e6, 1e6, 1},
    {"cosf", [](double x, double) { return std::cos(x); }, -1e6, 1e6, 1},
    {"tanf", [](double x, double) { return std::tan(x); }, -100, 100, 1},
    {"sinhf", [](double x, double) { return std::sinh(x); }, -90, 90, 1},
    {"coshf", [](double x, double) { return std::cosh(x); }, -90, 90, 1},
    {"tanhf", [](double x, double) { return std::tanh(x); }, -12, 12, 1},
    {"erff", [](double x, double) { return std::erf(x); }, -5, 5, 1},
    {"erfcf", [](double x, double) { return std::erfc(x); }, -5, 11, 1},
    {"erfinvf", [](double x, double) { return inverse_of_erf(x); }, -1, 1, 1},
    {"erfcinvf", [](double x, double) { return inverse_of_erfc(x); }, 0, 2, 1},
    {"normcdff", [](double x, double) { return 0.5 * std::erfc(-x * std::sqrt(0.5)); }, -15, 9, 1},
    {"normcdfinvf", [](double x, double) { return -std::sqrt(2.0) * inverse_of_erfc(2 * x); }, 0, 1,
     1},
    {"cbrtf", [](double x, double) { return std::cbrt(x); }, -all, all, 1},
    {"rcbrtf", [](double x, double) { return 1 / std::cbrt(x); }, -all, all, 1},
    {"lgammaf", [](double x, double) { return std::lgamma(x); }, -20, 60, 2},
    {"tgammaf", [](double x, double) { return std::tgamma(x); }, -20, 36, 1},
    {"asinf", [](double x, double) { return std::asin(x); }, -1, 1, 1},
    {"acosf", [](double x, double) { return std::acos(x); }, -1, 1, 1},
    {"atanf", [](double x, double) { return std::atan(x); }, -30, 30, 1},
    {"asinhf", [](double x, double) { return std::asinh(x); }, -1e3, 1e3, 1},
    {"acoshf", [](double x, double) { return std::acosh(x); }, 1, 1e3, 1},
    {"atanhf", [](double x, double) { return std::atanh(x); }, -1, 1, 1},
    {"floorf", [](double x, double) { return std::floor(x); }, -1e5, 1e5, 0},
    {"ceilf", [](double x, double) { return std::ceil(x); }, -1e5, 1e5, 0},
    {"truncf", [](double x, double) { return std::trunc(x); }, -1e5, 1e5, 0},
    {"roundf", [](double x, double) { return std::round(x); }, -1e5, 1e5, 0},
    {"rintf", [](double x, double) { return std::nearbyint(x); }, -1e5, 1e5, 0},
    {"fabsf", [](double x, double) { return std::fabs(x); }, -all, all, 0},
    {"powf", [](double x, double y) { return std::pow(x, y); }, -3, 60, 1},
    {"hypotf", [](double x, double y) { return std::hypot(x, y); }, -9, 9, 1},
    {"atan2f", [](double x, double y) { return std::atan2(x, y); }, -9, 9, 1},
    {"fminf", [](double x, double y) { return std::fmin(x, y); }, -9, 9, 0},
    {"fmaxf", [](double x, double y) { return std::fmax(x, y); }, -9, 9, 0},
    {"fmodf", [](double x, double y) { return std::fmod(x, y); }, -1e4, 1e4, 0},
    {"copysignf", [](double x, double y) { return std::copysign(x, y); }, -9, 9, 0},
};

// The distance of two f32 neighbours at `value`, that of the subnormals below the smallest normal.
double spacing(double value) {
  int exponent = 0;
  std::frexp(value, &exponent);
  return std::ldexp(1.0, std::max(exponent, -125) - 24);
}

class Mathematics : public ::testing::TestWithParam<Case> {};

TEST_P(Mathematics, IsAsNearAsPromised) {
  const Case test = GetParam();
  std::vector<float> x, y;
  const float infinity = std::numeric_limits<float>::infinity();
  const float special[] = {0.0f,   -0.0f,   1.0f,   -1.0f,    2.0f,      -2.0f, 3.0f,      0.5f,
                           1e-40f, -1e-40f, 1e-45f, infinity, -infinity, NAN,   0x1p-126f, 3.4e38f};
  const bool wave = test.name == std::string("sinf") || test.name == std::string("cosf") ||
                    test.name == std::string("tanf");
  for (const float a : special)
    for (const float b : special)
      if (!(wave && std::fabs(a) > 1e6f) && test.name != std::string("fmodf")) {
        x.push_back(a);
        y.push_back(b);
      }
  Random random(7);
  while (x.size() < 16384) {
    const double part = 0.5 + 0.5 * random.uniform();
    const double value = test.least + (test.most - test.least) * part;
    // Every fourth small, of all magnitudes, on both sides where the domain has them.
    const double small = std::ldexp(random.uniform(), -static_cast<int>(x.size() % 120));
    x.push_back(static_cast<float>(x.size() % 4 == 0 && small > test.least ? small : value));
    y.push_back(static_cast<float>(x.size() % 3 == 0 ? std::rint(8 * random.uniform())
                                                     : 8 * random.uniform()));
    if (y.back() == 0.0f) y.back() = 1.0f;
  }
  for (const char* target : {"gfx1151", "gfx1201"}) {
    std::vector<float> out(x.size(), -12345.0f);
    Launch launch;
    launch.kernel = "of_" + std::string(test.name);
    launch.arguments = {buffer(std::span(x), "x"), buffer(std::span(y), "y"),
                        buffer(std::span(out), "out")};
    launch.workgroup = {64, 1, 1};
    launch.grid = {static_cast<std::uint32_t>(x.size() / 64), 1, 1};
    const auto report = run(load_example("mathematics", target), launch);
    ASSERT_TRUE(report) << report.error().text();
    double worst = 0;
    std::size_t at = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double expected = test.reference(x[i], y[i]);
      const float nearest = static_cast<float>(expected);
      double error = 0;
      if (std::isnan(expected))
        error = std::isnan(out[i]) ? 0 : infinity;
      else if (std::isinf(nearest) || std::isinf(out[i]) || std::isnan(out[i]))
        // Beside the largest number either may come.
        error = out[i] == nearest || std::fabs(expected) > 0x1.fffff8p127 ? 0 : infinity;
      else
        error = std::fabs(out[i] - expected) / spacing(expected);
      if (error > worst) worst = error, at = i;
    }
    RecordProperty(std::string("ulp_") + target, std::to_string(worst));
    EXPECT_LE(worst, test.ulp) << test.name << "(" << x[at] << ", " << y[at] << ") gives "
                               << out[at] << " and should give " << test.reference(x[at], y[at])
                               << " on " << target;
  }
}

INSTANTIATE_TEST_SUITE_P(Functions, Mathematics, ::testing::ValuesIn(cases),
                         [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace mathematics_test
}  // namespace heddle::emulator::testing
