// Where the rows of a matrix of scores are, and whether other numbers are one for each of them.
#pragma once

#include <cstdint>

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

/// The places of a number for each row of the scores: row i of batch j begins at `from` and has its
/// number at `to`.
struct RowPlaces {
  plan::Problem problem;
  Places from, to;
};

/// True if `of_row` is, for each row of the scores, what stands at `places` for it.
bool are_rows(const plan::Problem& problem, const MatrixRecord& scores, const MatrixRecord& of_row,
              const RowPlaces& places);

}  // namespace heddle::compiler
