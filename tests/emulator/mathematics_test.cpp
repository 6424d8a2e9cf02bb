// What stands in for ROCm's mathematics (runtime/hip_without_rocm) against the host's in float64.
#include <bit>
#include <cmath>
#include <limits>

#include "kernels.h"

namespace heddle::emulator::testing {
namespace {

using Reference = double (*)(double, double);

struct Case {
  const char* name;
  Reference reference;
  double least, most;  // of x; y lies in [-8, 8)
  double ulp;          // that mathematics.h promises
};

void PrintTo(const Case& test, std::ostream* out) { *out << test.name; }

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
    {"floorf", [](double x, double) { return std::floor(x); }, -1e5, 1e5, 0},
    {"ceilf", [](double x, double) { return std::ceil(x); }, -1e5, 1e5, 0},
    {"truncf", [](double x, double) { return std::trunc(x); }, -1e5, 1e5, 0},
    {"roundf", [](double x, double) { return std::round(x); }, -1e5, 1e5, 0},
    {"rintf", [](double x, double) { return std::nearbyint(x); }, -1e5, 1e5, 0},
    {"fabsf", [](double x, double) { return std::fabs(x); }, -all, all, 0},
    {"powf", [](double x, double y) { return std::pow(x, y); }, -3, 60, 1},
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

}  // namespace
}  // namespace heddle::emulator::testing
