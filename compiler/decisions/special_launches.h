// Makes requests that assume more about the dynamic sizes than the text says. The kernels of these
// requests are faster, and run only the launches whose sizes fit the assumptions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/request/matmul_request.h"

namespace heddle::compiler {

/// If strides of the last dimension of arrays are arguments of the launch: the request for launches
/// in which these strides are 1, so that the elements of a row are contiguous. Its member `ones`
/// has a bit for each such stride. Arrays whose offset is an argument begin at multiples of 16
/// bytes in these launches. Null if there is no such stride.
std::optional<MatmulRequest> with_unit_strides(const MatmulRequest& request);

/// Requests for launches in which rows begin at multiples of `bytes`. The first request is for
/// launches in which this holds for the rows of A, B and D, the second for launches in which it
/// holds for the rows of A and B only. Its member `multiples` says of which numbers the sizes must
/// be multiples. A request is left out if no dynamic size decides whether its condition holds. The
/// result is empty if a size that decides is a product of other sizes, or if it is unknown where an
/// array begins. The kernels have different function names.
std::vector<MatmulRequest> with_whole_rows(const MatmulRequest& request, int bytes);

/// The largest numbers of rows and columns that D has in a launch; 0: there is no limit.
struct MostSizes {
  std::int64_t rows = 0, columns = 0;
};

/// The request for launches in which D has at most `most` rows and columns. Null if these sizes are
/// known at compile time, if a size is known to be larger or a multiple of a larger number, or if a
/// size is the product of other sizes.
std::optional<MatmulRequest> with_most(const MatmulRequest& request, const MostSizes& most);

/// Compares only the limits of sizes in two problems: true if every launch that fits `small` also
/// fits `large`.
bool has_launches_of(const plan::Problem& large, const plan::Problem& small);

/// True if the sizes of a launch, which `problem` has, fulfil all that the request assumes about
/// sizes.
bool are_as_known(const MatmulRequest& request, const plan::Problem& problem);

}  // namespace heddle::compiler
