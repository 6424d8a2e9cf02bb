#include "runtime/matmul_check.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <thread>

#include "runtime/reference_product.h"

namespace heddle::runtime {
namespace {

using instruction::ElementType;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The largest power of two that divides every element; 1 if all are zero or one is not finite.
double quantum(const std::vector<double>& values) {
  int least = std::numeric_limits<int>::max();
  for (double value : values) {
    if (value == 0) continue;
    if (!std::isfinite(value)) return 1;
    int exponent;
    const auto fraction = static_cast<std::int64_t>(std::ldexp(std::frexp(value, &exponent), 53));
    least = std::min(least, exponent - 53 + std::countr_zero(static_cast<std::uint64_t>(fraction)));
  }
  return least == std::numeric_limits<int>::max() ? 1 : std::ldexp(1.0, least);
}

/// The 2-norms of `count` vectors: element i of vector v is values[v * stride + i * step].
std::vector<double> norms(const std::vector<double>& values, std::int64_t count, std::int64_t size,
                          std::int64_t stride, std::int64_t step) {
  std::vector<double> squares(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < size; ++i)
    for (std::int64_t v = 0; v < count; ++v) {
      const double value = values[static_cast<std::size_t>(v * stride + i * step)];
      squares[static_cast<std::size_t>(v)] += value * value;
    }
  for (double& square : squares) square = std::sqrt(square);
  return squares;
}

/// Everything about the operands that the verdict on an element needs.
struct Problem {
  std::vector<double> a, b, c, d;
  std::int64_t rows, columns, depth;
  ElementType type;
  std::vector<double> row_norms, column_norms;
  double quantum_of_sums;

  Problem(const Matrix& a_matrix, const Matrix& b_matrix, const Matrix& c_matrix,
          const Matrix& d_matrix)
      : a(a_matrix.values()),
        b(b_matrix.values()),
        c(c_matrix.values()),
        d(d_matrix.values()),
        rows(d_matrix.rows),
        columns(d_matrix.columns),
        depth(a_matrix.columns),
        type(d_matrix.type),
        row_norms(norms(a, rows, depth, depth, 1)),
        column_norms(norms(b, columns, depth, 1, columns)),
        quantum_of_sums(std::min(quantum(a) * quantum(b), quantum(c))) {}

  /// The e of MatmulCheck.
  double allowed(std::int64_t row, std::int64_t column) const {
    const double magnitude =
        std::abs(c[static_cast<std::size_t>(row * columns + column)]) +
        row_norms[static_cast<std::size_t>(row)] * column_norms[static_cast<std::size_t>(column)];
    if (magnitude <= 0x1p24 * quantum_of_sums) return 0;
    return static_cast<double>(depth + 1) * 0x1p-24 * magnitude;
  }
};

/// How far `value` is from being right: at most 1 if it is, infinite for what no limit excuses.
double share_of_limit(ElementType type, double value, double reference, double allowed) {
  if (std::isnan(reference)) return std::isnan(value) ? 0 : infinity;
  if (!std::isfinite(reference)) return value == reference ? 0 : infinity;
  if (std::isnan(value)) return infinity;
  const double low = rounded(type, reference - allowed);
  const double high = rounded(type, reference + allowed);
  if (value == rounded(type, reference)) return 0;
  if (low <= value && value <= high) {
    const double limit = std::max(high - reference, reference - low);
    return std::isfinite(limit) ? std::abs(value - reference) / limit : 1;
  }
  return std::max(2.0, std::abs(value - reference) / std::max(allowed, 0x1p-149));
}

/// The verdict on some rows, and where its worst element lies on the scale of share_of_limit.
struct Part {
  MatmulCheck verdict;
  double worst_share = -1;

  void judge(const Problem& problem, std::int64_t row, std::int64_t column, double reference) {
    const double value = problem.d[static_cast<std::size_t>(row * problem.columns + column)];
    const double allowed = problem.allowed(row, column);
    const double share = share_of_limit(problem.type, value, reference, allowed);
    const double error = std::abs(value - reference);
    ++verdict.elements;
    verdict.wrong += share > 1;
    verdict.exact += allowed == 0;
    if (std::isfinite(error)) verdict.largest_error = std::max(verdict.largest_error, error);
    if (share <= worst_share) return;
    worst_share = share;
    verdict.worst_row = row;
    verdict.worst_column = column;
    verdict.worst_value = value;
    verdict.worst_reference = reference;
    verdict.worst_allowed = allowed;
  }

  void merge(const Part& other) {
    const MatmulCheck mine = verdict;
    if (other.worst_share > worst_share) *this = other;
    verdict.elements = mine.elements + other.verdict.elements;
    verdict.wrong = mine.wrong + other.verdict.wrong;
    verdict.exact = mine.exact + other.verdict.exact;
    verdict.largest_error = std::max(mine.largest_error, other.verdict.largest_error);
  }
};

/// Rows first .. first + count of the reference, judged.
void judge_rows(const Problem& problem, std::int64_t first, std::int64_t count, Part& part) {
  const auto begin = problem.c.begin() + first * problem.columns;
  std::vector<double> sums(begin, begin + count * problem.columns);
  add_product(&problem.a[static_cast<std::size_t>(first * problem.depth)], problem.depth,
              problem.b.data(), problem.columns, sums.data(), problem.columns, count,
              problem.columns, problem.depth);
  for (std::int64_t row = 0; row < count; ++row)
    for (std::int64_t column = 0; column < problem.columns; ++column)
      part.judge(problem, first + row, column,
                 sums[static_cast<std::size_t>(row * problem.columns + column)]);
}

}  // namespace

MatmulCheck check_matmul(const Matrix& a, const Matrix& b, const Matrix& c, const Matrix& d,
                         const std::function<void(std::int64_t rows)>& progress) {
  const Problem problem(a, b, c, d);
  constexpr std::int64_t rows_at_once = 32;
  const unsigned workers = std::max(1u, std::thread::hardware_concurrency());
  std::vector<Part> parts(workers);
  std::atomic<std::int64_t> next = 0;
  const auto work = [&](unsigned worker) {
    for (;;) {
      const std::int64_t first = next.fetch_add(rows_at_once);
      if (first >= problem.rows) return;
      judge_rows(problem, first, std::min(rows_at_once, problem.rows - first), parts[worker]);
      if (worker == 0 && progress) progress(first);
    }
  };
  {
    std::vector<std::jthread> threads;
    for (unsigned worker = 1; worker < workers; ++worker) threads.emplace_back(work, worker);
    work(0);
  }
  for (unsigned worker = 1; worker < workers; ++worker) parts[0].merge(parts[worker]);
  return parts[0].verdict;
}

}  // namespace heddle::runtime
