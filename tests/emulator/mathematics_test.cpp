// The mathematics of kernels, as HIP on the emulator and as CUDA on the simulator, against MPFR:
// every function is as near to the correctly rounded number as bench/records/mathematics.md
// says, whose rows the last test prints, from more points.
#include <gtest/gtest.h>
#include <mpfr.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <random>
#include <sstream>

#include "runtime/device/device.h"

namespace heddle::emulator::testing {
namespace {

constexpr mpfr_prec_t precision = 200;

struct Number {
  mpfr_t value;
  explicit Number(double x = 0) {
    mpfr_init2(value, precision);
    mpfr_set_d(value, x, MPFR_RNDN);
  }
  Number(const Number&) = delete;
  ~Number() { mpfr_clear(value); }
  operator mpfr_ptr() { return value; }
};

using Reference = void (*)(mpfr_ptr result, mpfr_ptr x, mpfr_ptr y);

template <int (*function)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t)>
void one(mpfr_ptr result, mpfr_ptr x, mpfr_ptr) {
  function(result, x, MPFR_RNDN);
}
template <int (*function)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t)>
void two(mpfr_ptr result, mpfr_ptr x, mpfr_ptr y) {
  function(result, x, y, MPFR_RNDN);
}
template <int (*function)(mpfr_ptr, mpfr_srcptr)>
void whole(mpfr_ptr result, mpfr_ptr x, mpfr_ptr) {
  function(result, x);
}

void reciprocal(mpfr_ptr x) { mpfr_ui_div(x, 1, x, MPFR_RNDN); }

/// I_n(x) by its series, whose terms are all of one sign.
void modified_bessel(mpfr_ptr result, mpfr_ptr x, unsigned n) {
  Number term(1), quarter;
  mpfr_sqr(quarter, x, MPFR_RNDN);
  mpfr_div_ui(quarter, quarter, 4, MPFR_RNDN);
  if (n == 1) mpfr_div_ui(term, x, 2, MPFR_RNDN);
  mpfr_set(result, term, MPFR_RNDN);
  for (unsigned k = 1; k < 400; ++k) {
    mpfr_mul(term, term, quarter, MPFR_RNDN);
    mpfr_div_ui(term, term, k * (k + n), MPFR_RNDN);
    mpfr_add(result, result, term, MPFR_RNDN);
  }
}

/// The y of erfc(y) = q by Newton's steps for ln erfc, from 0 on where its slope is gentle.
void inverse_erfc(mpfr_ptr result, mpfr_ptr q) {
  if (mpfr_cmp_ui(q, 2) > 0 || mpfr_sgn(q) < 0 || mpfr_nan_p(q)) return mpfr_set_nan(result);
  if (mpfr_zero_p(q)) return mpfr_set_inf(result, 1);
  if (mpfr_cmp_ui(q, 2) == 0) return mpfr_set_inf(result, -1);
  Number size, value, wanted, step, slope;
  const bool mirrored = mpfr_cmp_ui(q, 1) > 0;
  if (mirrored)
    mpfr_ui_sub(size, 2, q, MPFR_RNDN);
  else
    mpfr_set(size, q, MPFR_RNDN);
  mpfr_log(wanted, size, MPFR_RNDN);
  mpfr_set_ui(result, 0, MPFR_RNDN);
  for (int i = 0; i < 40; ++i) {
    // d ln erfc / dy = -2 exp(-y y) / (sqrt(pi) erfc(y))
    mpfr_erfc(value, result, MPFR_RNDN);
    mpfr_sqr(slope, result, MPFR_RNDN);
    mpfr_neg(slope, slope, MPFR_RNDN);
    mpfr_exp(slope, slope, MPFR_RNDN);
    mpfr_mul_ui(slope, slope, 2, MPFR_RNDN);
    mpfr_const_pi(step, MPFR_RNDN);
    mpfr_sqrt(step, step, MPFR_RNDN);
    mpfr_div(slope, slope, step, MPFR_RNDN);
    mpfr_div(slope, slope, value, MPFR_RNDN);
    mpfr_log(step, value, MPFR_RNDN);
    mpfr_sub(step, step, wanted, MPFR_RNDN);
    mpfr_div(step, step, slope, MPFR_RNDN);
    mpfr_add(result, result, step, MPFR_RNDN);
    if (mpfr_zero_p(step.value) ||
        mpfr_get_exp(step) < (mpfr_zero_p(result) ? 0 : mpfr_get_exp(result)) - 120)
      break;
  }
  if (mirrored) mpfr_neg(result, result, MPFR_RNDN);
}

struct Function {
  const char* name;
  Reference reference;
  double least, most;  // of x, in f64; f32 and f16 take what they hold of it
  double least_y = 0, most_y = 0;
  bool is_logarithmic = false;  // x of all magnitudes alike
  // Where the value crosses 0 between numbers of the type, an error is one of this size's.
  double floor = 0;
};

#define OF_ONE(...) [](mpfr_ptr result, mpfr_ptr x, mpfr_ptr) __VA_ARGS__
#define OF_TWO(...) [](mpfr_ptr result, mpfr_ptr x, mpfr_ptr y) __VA_ARGS__

constexpr double tiny = 1e-300, huge = 1e300;
const Function functions[] = {
    {"acos", one<mpfr_acos>, -1, 1},
    {"acosh", one<mpfr_acosh>, 1, huge, 0, 0, true},
    {"asin", one<mpfr_asin>, -1, 1},
    {"asinh", one<mpfr_asinh>, tiny, huge, 0, 0, true},
    {"atan", one<mpfr_atan>, -50, 50},
    {"atan2", two<mpfr_atan2>, -9, 9, -9, 9},
    {"atanh", one<mpfr_atanh>, -1, 1},
    {"cbrt", one<mpfr_cbrt>, tiny, huge, 0, 0, true},
    {"ceil", whole<mpfr_ceil>, -1e5, 1e5},
    {"copysign", OF_TWO({ mpfr_copysign(result, x, y, MPFR_RNDN); }), -9, 9, -9, 9},
    {"cos", one<mpfr_cos>, -1e6, 1e6},
    {"cosh", one<mpfr_cosh>, -700, 700},
    {"cospi", one<mpfr_cospi>, -1e3, 1e3},
    {"cyl_bessel_i0", OF_ONE({ modified_bessel(result, x, 0); }), -80, 80},
    {"cyl_bessel_i1", OF_ONE({ modified_bessel(result, x, 1); }), -80, 80},
    {"erf", one<mpfr_erf>, -6, 6},
    {"erfc", one<mpfr_erfc>, -6, 27},
    {"erfcinv", OF_ONE({ inverse_erfc(result, x); }), 0, 2},
    {"erfcx", OF_ONE({
       Number square;
       mpfr_sqr(square, x, MPFR_RNDN);
       mpfr_exp(square, square, MPFR_RNDN);
       mpfr_erfc(result, x, MPFR_RNDN);
       mpfr_mul(result, result, square, MPFR_RNDN);
     }),
     -9, 100},
    {"erfinv", OF_ONE({
       Number rest;
       mpfr_ui_sub(rest, 1, x, MPFR_RNDN);
       inverse_erfc(result, rest);
     }),
     -1, 1},
    {"exp", one<mpfr_exp>, -745, 710},
    {"exp10", one<mpfr_exp10>, -323, 309},
    {"exp2", one<mpfr_exp2>, -1074, 1024},
    {"expm1", one<mpfr_expm1>, -40, 710},
    {"fabs", one<mpfr_abs>, -9, 9},
    {"fdim", two<mpfr_dim>, -9, 9, -9, 9},
    {"floor", whole<mpfr_floor>, -1e5, 1e5},
    {"fmax", two<mpfr_max>, -9, 9, -9, 9},
    {"fmin", two<mpfr_min>, -9, 9, -9, 9},
    {"fmod", two<mpfr_fmod>, -1e4, 1e4, -9, 9},
    {"hypot", two<mpfr_hypot>, -9, 9, -9, 9},
    {"j0", one<mpfr_j0>, -8, 8, 0, 0, false, 0.125},
    {"j1", one<mpfr_j1>, -8, 8, 0, 0, false, 0.125},
    {"lgamma", OF_ONE({
       int sign = 0;
       mpfr_lgamma(result, &sign, x, MPFR_RNDN);
     }),
     0, 1e3, 0, 0, false, 0.03125},
    {"log", one<mpfr_log>, tiny, huge, 0, 0, true},
    {"log10", one<mpfr_log10>, tiny, huge, 0, 0, true},
    {"log1p", one<mpfr_log1p>, -1, 9},
    {"log2", one<mpfr_log2>, tiny, huge, 0, 0, true},
    {"nearbyint", one<mpfr_rint_roundeven>, -1e5, 1e5},
    {"normcdf", OF_ONE({
       mpfr_set_d(result, 0.5, MPFR_RNDN);
       mpfr_sqrt(result, result, MPFR_RNDN);
       mpfr_mul(result, result, x, MPFR_RNDN);
       mpfr_neg(result, result, MPFR_RNDN);
       mpfr_erfc(result, result, MPFR_RNDN);
       mpfr_div_ui(result, result, 2, MPFR_RNDN);
     }),
     -38, 9},
    {"normcdfinv", OF_ONE({
       Number root(2), doubled;
       mpfr_sqrt(root, root, MPFR_RNDN);
       mpfr_mul_ui(doubled, x, 2, MPFR_RNDN);
       inverse_erfc(result, doubled);
       mpfr_mul(result, result, root, MPFR_RNDN);
       mpfr_neg(result, result, MPFR_RNDN);
     }),
     0, 1, 0, 0, false, 0.0625},
    {"pow", two<mpfr_pow>, 0, 60, -8, 8},
    {"rcbrt", OF_ONE({
       mpfr_cbrt(result, x, MPFR_RNDN);
       reciprocal(result);
     }),
     tiny, huge, 0, 0, true},
    {"remainder", two<mpfr_remainder>, -1e4, 1e4, -9, 9},
    {"rhypot", OF_TWO({
       mpfr_hypot(result, x, y, MPFR_RNDN);
       reciprocal(result);
     }),
     -9, 9, -9, 9},
    {"rint", one<mpfr_rint_roundeven>, -1e5, 1e5},
    {"round", whole<mpfr_round>, -1e5, 1e5},
    {"rsqrt", OF_ONE({
       mpfr_rec_sqrt(result, x, MPFR_RNDN);
       if (mpfr_zero_p(x)) mpfr_copysign(result, result, x, MPFR_RNDN);  // as IEEE 754 has it
     }),
     tiny, huge, 0, 0, true},
    {"sin", one<mpfr_sin>, -1e6, 1e6},
    {"sinh", one<mpfr_sinh>, -700, 700},
    {"sinpi", one<mpfr_sinpi>, -1e3, 1e3},
    {"sqrt", one<mpfr_sqrt>, tiny, huge, 0, 0, true},
    {"tan", one<mpfr_tan>, -1e6, 1e6},
    {"tanh", one<mpfr_tanh>, -12, 12},
    {"tgamma", one<mpfr_gamma>, -20, 171},
    {"trunc", whole<mpfr_trunc>, -1e5, 1e5},
    {"y0", one<mpfr_y0>, 0, 8, 0, 0, false, 0.125},
    {"y1", one<mpfr_y1>, 0, 8, 0, 0, false, 0.125},
    {"whole_pow", OF_TWO({
       mpfr_rint_roundeven(x, x, MPFR_RNDN);
       mpfr_rint_roundeven(y, y, MPFR_RNDN);
       mpfr_pow(result, x, y, MPFR_RNDN);
     }),
     -30, 30, 0, 4.4},
};

struct Directed {
  const char* name;
  int (*function)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);
  mpfr_rnd_t rounding;
};
int root_of_first(mpfr_ptr result, mpfr_srcptr x, mpfr_srcptr, mpfr_rnd_t rounding) {
  return mpfr_sqrt(result, x, rounding);
}
const Directed directed[] = {{"add_up", mpfr_add, MPFR_RNDU},
                             {"mul_down", mpfr_mul, MPFR_RNDD},
                             {"div_to_zero", mpfr_div, MPFR_RNDZ},
                             {"sqrt_up", root_of_first, MPFR_RNDU}};

enum class Type { f16, f32, f64 };
constexpr const char* type_names[] = {"f16", "f32", "f64"};
struct Format {
  int digits, least_exponent;  // of the smallest normal number
  double most;
};
constexpr Format formats[] = {
    {11, -14, 65504.0}, {24, -126, 0x1.fffffep127}, {53, -1022, 0x1.fffffffffffffp1023}};
const Format& format(Type type) { return formats[static_cast<int>(type)]; }

double rounded_to(Type type, double x) {
  return type == Type::f16   ? static_cast<double>(static_cast<_Float16>(x))
         : type == Type::f32 ? static_cast<double>(static_cast<float>(x))
                             : x;
}

/// The nearest number of the type; MPFR rounds once, subnormals too.
double correctly_rounded(Type type, mpfr_ptr exact) {
  if (type == Type::f64) return mpfr_get_d(exact, MPFR_RNDN);
  if (type == Type::f32) return mpfr_get_flt(exact, MPFR_RNDN);
  if (!mpfr_regular_p(exact)) return mpfr_get_d(exact, MPFR_RNDN);
  const long last = std::max<long>(mpfr_get_exp(exact) - 11, -24);  // the exponent of an ulp
  Number scaled;
  mpfr_mul_2si(scaled, exact, -last, MPFR_RNDN);
  mpfr_rint_roundeven(scaled, scaled, MPFR_RNDN);
  const double value = std::ldexp(mpfr_get_d(scaled, MPFR_RNDN), static_cast<int>(last));
  return std::fabs(value) > 65504.0 ? std::copysign(HUGE_VAL, value) : value;
}

double ulp(Type type, double value) {
  int exponent = 0;
  std::frexp(value, &exponent);
  return std::ldexp(1.0,
                    std::max(exponent - 1, format(type).least_exponent) - format(type).digits + 1);
}

struct Points {
  std::vector<double> x, y;
};

Points points_of(const Function& function, Type type, int count) {
  Points points;
  const auto add = [&](double x, double y) {
    points.x.push_back(rounded_to(type, x));
    points.y.push_back(rounded_to(type, y));
  };
  const bool has_two = function.least_y != function.most_y;
  const double infinity = HUGE_VAL, nan = std::nan("");
  const double special[] = {0.0,      -0.0,      1.0, -1.0,  2.0,     0.5,    3.0,
                            infinity, -infinity, nan, 1e-40, -1e-310, 5e-324, 1e30};
  // Signs of NaN, and what Bessel's and gamma functions are beyond numbers, differ among libraries.
  const std::string name = function.name;
  const bool is_plain = name[0] != 'j' && name[0] != 'y' && !name.contains("bessel") &&
                        !name.contains("gamma") && name != "erfcx" && name != "whole_pow";
  if (is_plain)
    for (const double a : special)
      for (const double b : special)
        if (has_two || b == 0.0) add(a, b);
  std::mt19937_64 random(7);
  const auto between = [&](double least, double most) {
    return least + (most - least) * (static_cast<double>(random() >> 11) * 0x1p-53);
  };
  while (static_cast<int>(points.x.size()) < count) {
    double x;
    if (function.is_logarithmic) {
      const double most = std::min(std::log2(function.most), std::log2(format(type).most) - 1);
      const double least = std::max(std::log2(function.least), format(type).least_exponent + 1.0);
      x = std::exp2(between(least, most));
    } else if (points.x.size() % 4 == 0 && function.least <= 0) {
      x = std::ldexp(between(function.least < 0 ? -1 : 0, 1), -static_cast<int>(random() % 40));
      x = std::min(std::max(x, function.least), function.most);
    } else {
      x = between(function.least, function.most);
    }
    add(x, between(function.least_y, function.most_y));
  }
  while (points.x.size() % 64 != 0) add(1, 1);
  return points;
}

std::vector<std::byte> bytes_of(Type type, const std::vector<double>& values) {
  std::vector<std::byte> bytes;
  const auto put = [&](auto value) {
    const auto* first = reinterpret_cast<const std::byte*>(&value);
    bytes.insert(bytes.end(), first, first + sizeof value);
  };
  for (const double value : values) {
    if (type == Type::f16) put(static_cast<_Float16>(value));
    if (type == Type::f32) put(static_cast<float>(value));
    if (type == Type::f64) put(value);
  }
  return bytes;
}

double value_at(Type type, const std::vector<std::byte>& bytes, std::size_t i) {
  const auto get = [&](auto value) {
    std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
    return static_cast<double>(value);
  };
  return type == Type::f16 ? get(_Float16()) : type == Type::f32 ? get(float()) : get(double());
}

/// Kernels compiled from mathematics.hip, by target.
class Kernels {
 public:
  static Kernels& of(const std::string& target) {
    static std::map<std::string, Kernels> all;
    return all.try_emplace(target, target).first->second;
  }
  explicit Kernels(const std::string& target) {
    const bool is_ptx = target.starts_with("sm_");
    const std::string path = std::string(HEDDLE_MATHEMATICS_FOLDER) + "/mathematics." + target +
                             (is_ptx ? ".ptx" : ".O3.co");
    std::ifstream file(path, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    device_ = *runtime::Device::open(is_ptx ? "ptx" : "emulator");
    auto module = device_->load(std::as_bytes(std::span(text)));
    if (!module) ADD_FAILURE() << path << ": " << module.error().message;
    if (module) module_ = *std::move(module);
  }
  bool has(const std::string& name) const {
    for (const emulator::Kernel& kernel : module_->kernels())
      if (kernel.name == name) return true;
    return false;
  }
  std::vector<std::byte> values(const std::string& name, Type type, const Points& points) {
    std::vector<std::byte> x = bytes_of(type, points.x), y = bytes_of(type, points.y),
                           out(x.size());
    Launch launch;
    launch.kernel = name;
    launch.arguments = {buffer(std::span(x), "x"), buffer(std::span(y), "y"),
                        buffer(std::span(out), "out")};
    launch.workgroup = {64, 1, 1};
    launch.grid = {static_cast<std::uint32_t>(points.x.size() / 64), 1, 1};
    const auto report = module_->launch(launch);
    if (!report) ADD_FAILURE() << name << ": " << report.error().message;
    return out;
  }

 private:
  std::unique_ptr<runtime::Device> device_;
  std::unique_ptr<runtime::Module> module_;
};

struct Worst {
  double ulps = -1;  // none was computed
  double x = 0, y = 0, got = 0, right = 0;
};

Worst worst_of(const Function& function, Type type, const Points& points,
               const std::vector<double>& right, const std::string& target) {
  Worst worst;
  const std::string name = std::string(type_names[static_cast<int>(type)]) + "_" + function.name;
  Kernels& kernels = Kernels::of(target);
  if (!kernels.has(name)) return worst;
  worst.ulps = 0;
  const std::vector<std::byte> out = kernels.values(name, type, points);
  for (std::size_t i = 0; i < points.x.size(); ++i) {
    const double got = value_at(type, out, i), wanted = right[i];
    double error = 0;
    if (std::isnan(wanted) || std::isnan(got)) {
      error = std::isnan(wanted) == std::isnan(got) ? 0 : HUGE_VAL;
    } else if (std::isinf(wanted) || std::isinf(got)) {
      // Next to the largest number either may come.
      const double other = std::isinf(wanted) ? got : wanted;
      error = got == wanted || (std::fabs(other) > format(type).most / 2 &&
                                std::signbit(got) == std::signbit(wanted))
                  ? 0
                  : HUGE_VAL;
    } else {
      error = std::fabs(got - wanted) / ulp(type, std::max(std::fabs(wanted), function.floor));
    }
    if (error > worst.ulps) worst = {error, points.x[i], points.y[i], got, wanted};
  }
  return worst;
}

std::vector<double> right_of(const Function& function, Type type, const Points& points) {
  std::vector<double> right;
  for (std::size_t i = 0; i < points.x.size(); ++i) {
    Number x(points.x[i]), y(points.y[i]), result;
    function.reference(result, x, y);
    right.push_back(correctly_rounded(type, result));
  }
  return right;
}

/// What bench/records/mathematics.md promises of a function, by type; nothing of those that it
/// does not name.
std::map<std::string, std::array<double, 3>> promises() {
  std::map<std::string, std::array<double, 3>> all;
  std::ifstream file(HEDDLE_ROOT "/bench/records/mathematics.md");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("| `")) continue;
    std::istringstream words(line);
    std::string word, name;
    std::array<double, 3> row{-1, -1, -1};
    std::getline(words, word, '|');
    std::getline(words, name, '|');
    std::getline(words, word, '|');  // the domain
    for (double& value : row)
      if (std::getline(words, word, '|') && word.find_first_of("0123456789") != std::string::npos)
        value = std::stod(word);
    all[name.substr(2, name.rfind('`') - 2)] = row;
  }
  return all;
}

constexpr const char* targets[] = {"gfx1151", "gfx942", "sm_80"};

class Mathematics : public ::testing::TestWithParam<Function> {};

TEST_P(Mathematics, IsAsNearAsTheDocumentSays) {
  const Function function = GetParam();
  const auto promised = promises();
  const auto row = promised.find(function.name);
  ASSERT_NE(row, promised.end()) << "bench/records/mathematics.md has no row of " << function.name;
  for (const Type type : {Type::f16, Type::f32, Type::f64}) {
    const double limit = row->second[static_cast<std::size_t>(type)];
    const Points points = points_of(function, type, 512);
    std::vector<double> right;
    for (const char* target : targets) {
      if (limit < 0) continue;
      if (right.empty()) right = right_of(function, type, points);
      const Worst worst = worst_of(function, type, points, right, target);
      EXPECT_GE(worst.ulps, 0) << "there is no kernel for " << function.name;
      EXPECT_LE(worst.ulps, limit) << function.name << "(" << worst.x << ", " << worst.y << ") in "
                                   << type_names[static_cast<int>(type)] << " gives " << worst.got
                                   << " and should give " << worst.right << " on " << target;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Functions, Mathematics, ::testing::ValuesIn(functions),
                         [](const auto& instance) { return std::string(instance.param.name); });

TEST(Mathematics, RoundsAsItIsTold) {
  for (const Directed& one : directed)
    for (const Type type : {Type::f32, Type::f64}) {
      Function function{one.name, nullptr, -9, 9, -9, 9};
      const Points points = points_of(function, type, 512);
      std::vector<double> right;
      for (std::size_t i = 0; i < points.x.size(); ++i) {
        Number x(points.x[i]), y(points.y[i]);
        mpfr_t result;
        mpfr_init2(result, format(type).digits);
        const mpfr_exp_t least = mpfr_get_emin(), most = mpfr_get_emax();
        mpfr_set_emin(format(type).least_exponent - format(type).digits + 2);
        mpfr_set_emax(-format(type).least_exponent + 2);
        const int inexact = one.function(result, x, y, one.rounding);
        mpfr_subnormalize(result, inexact, one.rounding);
        right.push_back(mpfr_get_d(result, MPFR_RNDN));
        mpfr_clear(result);
        mpfr_set_emin(least);
        mpfr_set_emax(most);
      }
      for (const char* target : targets) {
        const Worst worst = worst_of(function, type, points, right, target);
        EXPECT_EQ(worst.ulps, 0) << one.name << "(" << worst.x << ", " << worst.y << ") in "
                                 << type_names[static_cast<int>(type)] << " gives " << worst.got
                                 << " and should give " << worst.right << " on " << target;
      }
    }
}

void print_rows() {
  for (const Function& function : functions) {
    std::string domain = function.is_logarithmic ? "positive" : "";
    char text[64];
    if (domain.empty()) {
      std::snprintf(text, sizeof text, "%g to %g", function.least, function.most);
      domain = text;
    }
    if (function.least_y != function.most_y) {
      std::snprintf(text, sizeof text, "; %g to %g", function.least_y, function.most_y);
      domain += text;
    }
    std::string cells;
    for (const Type type : {Type::f16, Type::f32, Type::f64}) {
      double most = -1;
      const Points points = points_of(function, type, 8192);
      const bool is_there = Kernels::of("sm_80").has(
          std::string(type_names[static_cast<int>(type)]) + "_" + function.name);
      const std::vector<double> right =
          is_there ? right_of(function, type, points) : std::vector<double>();
      for (const char* target : targets)
        if (is_there) {
          const Worst worst = worst_of(function, type, points, right, target);
          most = std::max(most, worst.ulps);
          if (worst.ulps > 8)
            std::fprintf(stderr, "%s %s %s: %g ulp at %a %a: %a, not %a\n", target, function.name,
                         type_names[static_cast<int>(type)], worst.ulps, worst.x, worst.y,
                         worst.got, worst.right);
        }
      std::snprintf(text, sizeof text, most < 0 ? " |" : " %g |", std::ceil(most));
      cells += text;
    }
    std::printf("| `%s` | %s |%s\n", function.name, domain.c_str(), cells.c_str());
    std::fflush(stdout);
  }
}

// By hand: `./dev mathematics`.
TEST(Mathematics, DISABLED_PrintRows) { print_rows(); }

}  // namespace
}  // namespace heddle::emulator::testing
