// Numbers of each row that attention writes besides O, such as the logarithm of the sum of
// exponentials, and those that it reads: sinks.
#pragma once

#include <vector>

#include "compiler/kernel/global_matrix.h"
#include "compiler/request/matmul_request.h"

namespace heddle::compiler {

/// What a thread knows of its rows: their numbers (i32), the whole sums of exponentials, and the
/// numbers that were subtracted from scores, which are `factor` times exponents of 2.
struct RowNumbers {
  const std::vector<mlir::Value>&queries, &sums, &largest;
  double factor = 1;
};

/// The sinks of rows (f32), divided by `factor` as scores are before their maximum is found;
/// `matrices` has the memory of what sinks are computed of. A row that the matrix lacks has the
/// last one's.
std::vector<mlir::Value> sinks_of_rows(const GlobalContext& context, const SoftmaxSink& sink,
                                       const std::vector<GlobalMatrix>& matrices,
                                       const std::vector<mlir::Value>& queries, double factor);

/// Stores the results of the rows that the matrix has, in the threads in which `is_first` (i1);
/// `matrices` has the memory of each result.
void store_row_results(const GlobalContext& context, const SoftmaxOperand& softmax,
                       const std::vector<GlobalMatrix>& matrices, const RowNumbers& rows,
                       mlir::Value is_first);

}  // namespace heddle::compiler
