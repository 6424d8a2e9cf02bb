// Attention's numbers for each row: results that it writes in addition to O, such as the logarithm
// of the sum of exponentials, and sinks, which it reads.
#pragma once

#include <vector>

#include "compiler/kernel/global_matrix.h"
#include "compiler/request/matmul_request.h"

namespace heddle::compiler {

/// What is known of a thread's rows, one element for each row: `queries` are the numbers of the
/// rows (i32), `sums` the complete sums of exponentials, and `largest` the numbers that were
/// subtracted from the scores. A score times `factor` is an exponent of 2.
struct RowNumbers {
  const std::vector<mlir::Value>&queries, &sums, &largest;
  double factor = 1;
};

/// The sinks of the rows (f32), divided by `factor`. So they can be compared with scores that are
/// not yet multiplied by `factor`. The sinks are computed from elements of `matrices`. A row beyond
/// the end of the matrix gets the sink of the last row.
std::vector<mlir::Value> sinks_of_rows(const GlobalContext& context, const SoftmaxSink& sink,
                                       const std::vector<GlobalMatrix>& matrices,
                                       const std::vector<mlir::Value>& queries, double factor);

/// Stores the results of those rows that are in bounds. Only threads in which `is_first` (i1) is
/// true store. matrices[i] is the memory of softmax.results[i].
void store_row_results(const GlobalContext& context, const SoftmaxOperand& softmax,
                       const std::vector<GlobalMatrix>& matrices, const RowNumbers& rows,
                       mlir::Value is_first);

}  // namespace heddle::compiler
