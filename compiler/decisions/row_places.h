// Where the rows of a matrix of scores begin in memory, and whether another matrix has a number for
// each of these rows.
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

/// Where each row of the scores begins and where its number (its maximum, for example) is: `from`
/// gives the place at which row i of matrix j of the batch begins, `to` the place of its number.
struct RowPlaces {
  plan::Problem problem;
  Places from, to;
};

/// True if the matrix `of_row` has, for each row of `scores`, the same element as `places` says:
/// the number of this row.
bool are_rows(const plan::Problem& problem, const MatrixRecord& scores, const MatrixRecord& of_row,
              const RowPlaces& places);

}  // namespace heddle::compiler
