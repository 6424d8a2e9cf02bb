#include "runtime/matmul_check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>

namespace heddle::runtime {
namespace {

using instruction::ElementType;

/// Half a unit in the last place of `type` at `reference`: what one correct rounding may add.
double rounding(ElementType type, double reference) {
  if (type == ElementType::f32) return 0;
  const int fraction_bits = type == ElementType::f16 ? 10 : 7;
  const int smallest_exponent = type == ElementType::f16 ? -14 : -126;
  const int exponent =
      reference == 0 ? smallest_exponent : std::max(std::ilogb(reference), smallest_exponent);
  return std::ldexp(0.5, exponent - fraction_bits);
}

struct Operands {
  std::vector<double> a, b, c, d;
  std::int64_t columns, depth;
  ElementType type;
};

/// The reference and the magnitude sum of one row of D, side by side.
struct Row {
  std::vector<double> value, magnitude;

  Row(const Operands& operands, std::int64_t row) {
    const double* c = &operands.c[static_cast<std::size_t>(row * operands.columns)];
    value.assign(c, c + operands.columns);
    magnitude.resize(value.size());
    std::transform(value.begin(), value.end(), magnitude.begin(),
                   [](double x) { return std::abs(x); });
    for (std::int64_t k = 0; k < operands.depth; ++k) {
      const double a = operands.a[static_cast<std::size_t>(row * operands.depth + k)];
      const double* b = &operands.b[static_cast<std::size_t>(k * operands.columns)];
      for (std::size_t column = 0; column < value.size(); ++column) {
        value[column] += a * b[column];
        magnitude[column] += std::abs(a * b[column]);
      }
    }
  }
};

void check_row(const Operands& operands, std::int64_t row, MatmulCheck& verdict) {
  const Row reference(operands, row);
  for (std::size_t column = 0; column < reference.value.size(); ++column) {
    const double d = operands.d[static_cast<std::size_t>(row) * reference.value.size() + column];
    const double expected = reference.value[column];
    const double error =
        std::isnan(d) ? std::numeric_limits<double>::infinity() : std::abs(d - expected);
    const double allowed =
        static_cast<double>(operands.depth + 1) * 0x1p-24 * reference.magnitude[column] +
        rounding(operands.type, expected) + 0x1p-149;
    const double share = error / allowed;
    ++verdict.elements;
    verdict.wrong += share > 1;
    verdict.largest_error = std::max(verdict.largest_error, error);
    if (share <= verdict.largest_share) continue;
    verdict.largest_share = share;
    verdict.worst_row = row;
    verdict.worst_column = static_cast<std::int64_t>(column);
    verdict.worst_value = d;
    verdict.worst_reference = expected;
  }
}

void merge(MatmulCheck& total, const MatmulCheck& part) {
  const MatmulCheck before = total;
  if (part.largest_share > total.largest_share) total = part;
  total.elements = before.elements + part.elements;
  total.wrong = before.wrong + part.wrong;
  total.largest_error = std::max(before.largest_error, part.largest_error);
}

}  // namespace

MatmulCheck check_matmul(const Matrix& a, const Matrix& b, const Matrix& c, const Matrix& d) {
  const Operands operands{a.values(), b.values(), c.values(), d.values(),
                          b.columns,  a.columns,  d.type};
  const unsigned workers = std::max(1u, std::thread::hardware_concurrency());
  std::vector<MatmulCheck> parts(workers);
  {
    std::vector<std::jthread> threads;
    for (unsigned worker = 0; worker < workers; ++worker)
      threads.emplace_back([&, worker] {
        for (std::int64_t row = worker; row < d.rows; row += workers)
          check_row(operands, row, parts[worker]);
      });
  }
  MatmulCheck verdict;
  for (const MatmulCheck& part : parts) merge(verdict, part);
  return verdict;
}

}  // namespace heddle::runtime
