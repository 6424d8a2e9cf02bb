// Products of complex numbers on every kind of kernel, against std::complex.
#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "product_run.h"

namespace heddle::compiler {
namespace complex_test {

using instruction::Target;
using Numbers = std::vector<std::complex<double>>;

constexpr std::array targets{Target::gfx1151, Target::gfx942, Target::gfx1250, Target::sm_80,
                             Target::sm_90a};
constexpr std::size_t m = 20, n = 24, k = 17;

Numbers numbers(const std::vector<double>& parts) {
  Numbers all;
  for (std::size_t i = 0; i + 1 < parts.size(); i += 2) all.emplace_back(parts[i], parts[i + 1]);
  return all;
}

std::vector<double> parts(const Numbers& all) {
  std::vector<double> result;
  for (const std::complex<double>& number : all) {
    result.push_back(number.real());
    result.push_back(number.imag());
  }
  return result;
}

// The product of m x k numbers a(i, x) and k x n numbers b(x, j).
template <class A, class B>
Numbers product(A a, B b) {
  Numbers d(m * n);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t x = 0; x < k; ++x) d[i * n + j] += a(i, x) * b(x, j);
  return d;
}

// T stands for the type of elements, P for that of their parts.
std::string with_type(std::string text, const std::string& part) {
  for (const auto& [name, type] : {std::pair{'T', "complex<" + part + ">"}, {'P', part}})
    for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos;)
      text.replace(at, 1, type);
  return text;
}

// The text's result on every target and for each type, which `expected` makes of the arguments.
template <class Expected>
void check(const std::string& text, Expected expected) {
  for (const Target target : targets) {
    for (const std::string part : {"f32", "f64"}) {
      const Outcome done =
          run(with_type(text, part), {.target = target}, Operands::exact, 3,
              [](const Compilation& kernel) {
                plan::Problem problem = kernel.problem;
                for (const plan::Loop rows : {plan::Loop::m, plan::Loop::n})
                  if (problem.is_dynamic(rows))
                    problem.size(rows) =
                        std::int64_t{m} * kernel.request.multiples[static_cast<std::size_t>(rows)];
                return problem;
              });
      ASSERT_EQ(done.error, "") << instruction::name(target) << " " << part;
      std::vector<Numbers> given;
      for (const std::vector<double>& argument : arguments(done))
        given.push_back(numbers(argument));
      EXPECT_EQ(difference(done, parts(expected(given))), "")
          << instruction::name(target) << " " << part;
      EXPECT_TRUE(judged(done).right()) << instruction::name(target) << " " << part;
    }
  }
}

TEST(Complex, AreMultipliedAndAdded) {
  check(
      "func.func @product(%a: tensor<20x17xT>, %b: tensor<17x24xT>, %c: tensor<20x24xT>)\n"
      "    -> tensor<20x24xT> {\n"
      "  %d = linalg.matmul ins(%a, %b : tensor<20x17xT>, tensor<17x24xT>)\n"
      "    outs(%c : tensor<20x24xT>) -> tensor<20x24xT>\n"
      "  return %d : tensor<20x24xT>\n}\n",
      [](const std::vector<Numbers>& in) {
        Numbers d = product([&](auto i, auto x) { return in[0][i * k + x]; },
                            [&](auto x, auto j) { return in[1][x * n + j]; });
        for (std::size_t i = 0; i < m * n; ++i) d[i] += in[2][i];
        return d;
      });
}

// The conjugate transpose of A times B, from which a bias is subtracted.
TEST(Complex, ConjugatesAndDifferences) {
  const std::string each = "iterator_types = [\"parallel\", \"parallel\"]";
  check(
      "func.func @product(%a: tensor<17x20xT>, %b: tensor<17x24xT>, %bias: tensor<24xT>)\n"
      "    -> tensor<20x24xT> {\n"
      "  %zero = complex.constant [0.0 : P, 0.0 : P] : T\n"
      "  %e = tensor.empty() : tensor<20x24xT>\n"
      "  %z = linalg.fill ins(%zero : T) outs(%e : tensor<20x24xT>) -> tensor<20x24xT>\n"
      "  %ea = tensor.empty() : tensor<17x20xT>\n"
      "  %conj = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,\n"
      "      affine_map<(i, j) -> (i, j)>], " +
          each +
          "} ins(%a : tensor<17x20xT>)\n"
          "      outs(%ea : tensor<17x20xT>) {\n"
          "  ^bb0(%x: T, %o: T):\n"
          "    %y = complex.conj %x : T\n"
          "    linalg.yield %y : T\n"
          "  } -> tensor<17x20xT>\n"
          "  %et = tensor.empty() : tensor<20x17xT>\n"
          "  %t = linalg.transpose ins(%conj : tensor<17x20xT>) outs(%et : tensor<20x17xT>)\n"
          "    permutation = [1, 0]\n"
          "  %p = linalg.matmul ins(%t, %b : tensor<20x17xT>, tensor<17x24xT>)\n"
          "    outs(%z : tensor<20x24xT>) -> tensor<20x24xT>\n"
          "  %d = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,\n"
          "      affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], " +
          each +
          "}\n"
          "      ins(%p, %bias : tensor<20x24xT>, tensor<24xT>) outs(%e : tensor<20x24xT>) {\n"
          "  ^bb0(%x: T, %y: T, %o: T):\n"
          "    %s = complex.sub %x, %y : T\n"
          "    %r = complex.neg %s : T\n"
          "    linalg.yield %r : T\n"
          "  } -> tensor<20x24xT>\n"
          "  return %d : tensor<20x24xT>\n}\n",
      [](const std::vector<Numbers>& in) {
        Numbers d = product([&](auto i, auto x) { return std::conj(in[0][x * m + i]); },
                            [&](auto x, auto j) { return in[1][x * n + j]; });
        for (std::size_t i = 0; i < m * n; ++i) d[i] = in[2][i % n] - d[i];
        return d;
      });
}

// Memory with rows that have gaps, of a number that only the launch knows, and factors the other
// way round.
TEST(Complex, InMemoryWithGaps) {
  check(
      "func.func @product(%a: memref<?x17xT, strided<[19, 1]>>, %b: memref<17x24xT>,\n"
      "    %d: memref<?x24xT>) {\n"
      "  %zero = complex.constant [0.0 : P, 0.0 : P] : T\n"
      "  linalg.fill ins(%zero : T) outs(%d : memref<?x24xT>)\n"
      "  linalg.generic {indexing_maps = [affine_map<(i, j, x) -> (i, x)>,\n"
      "      affine_map<(i, j, x) -> (x, j)>, affine_map<(i, j, x) -> (i, j)>],\n"
      "      iterator_types = [\"parallel\", \"parallel\", \"reduction\"]}\n"
      "      ins(%a, %b : memref<?x17xT, strided<[19, 1]>>, memref<17x24xT>)\n"
      "      outs(%d : memref<?x24xT>) {\n"
      "  ^bb0(%x: T, %y: T, %o: T):\n"
      "    %p = complex.mul %y, %x : T\n"
      "    %s = complex.add %p, %o : T\n"
      "    linalg.yield %s : T\n"
      "  }\n"
      "  return\n}\n",
      [](const std::vector<Numbers>& in) {
        return product([&](auto i, auto x) { return in[0][i * 19 + x]; },
                       [&](auto x, auto j) { return in[1][x * n + j]; });
      });
}

}  // namespace complex_test
}  // namespace heddle::compiler
