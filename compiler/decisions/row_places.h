// Where the rows of a matrix of scores are, and whether other numbers are one for each of them.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "compiler/request/actual_product.h"

namespace heddle::compiler {

/// The places of a matrix of known sizes, in elements.
struct Places {
  Places(const MatrixRecord& matrix, const plan::Problem& problem)
      : batch(elements(matrix.batch, problem)),
        row(elements(matrix.row, problem)),
        column(elements(matrix.column, problem)),
        offset(matrix.offset) {}

  std::int64_t of_row(std::int64_t number, std::int64_t m) const {
    return offset + batch.at(number) + row.at(m);
  }

  runtime::MatrixAxis batch, row, column;
  std::int64_t offset;
};

/// The place of a number for each row of the scores, by the place where the row begins.
using RowPlaces = std::unordered_map<std::int64_t, std::int64_t>;

/// True if `of_row` is, for each row of the scores, what stands at `places` for it.
inline bool are_rows(const plan::Problem& problem, const MatrixRecord& scores,
                     const MatrixRecord& of_row, const RowPlaces& places) {
  const Places rows(scores, problem), read(of_row, problem);
  for (std::int64_t k = 0; k < problem.k; ++k)
    if (read.column.at(k) != 0) return false;
  for (std::int64_t number = 0; number < problem.batch; ++number)
    for (std::int64_t m = 0; m < problem.m; ++m) {
      const auto found = places.find(rows.of_row(number, m));
      if (found == places.end() || found->second != read.of_row(number, m)) return false;
    }
  return true;
}

}  // namespace heddle::compiler
