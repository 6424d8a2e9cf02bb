// Requests that know more about their dynamic sizes than the text says, for kernels that fitting
// launches take.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/request/matmul_request.h"

namespace heddle::compiler {

/// The request of launches in which the last dimension of each array is contiguous, if that stride
/// is an argument of the launch; `ones` has a bit for each. Arrays with an open offset begin at
/// multiples of 16 bytes in such launches. Nothing if there is no such stride.
std::optional<MatmulRequest> with_unit_strides(const MatmulRequest& request);

/// Requests of launches in which rows begin at multiples of `bytes`; `multiples` says which sizes
/// decide that. The first is for rows of A, B and D, the second for those of A and B. Omits cases
/// that no dynamic size decides. Returns none if the deciding size is a product of others, or if
/// the start of an array is unknown. Each request gets its own name of the kernel's function.
std::vector<MatmulRequest> with_whole_rows(const MatmulRequest& request, int bytes);

/// The largest number of rows and columns of D; 0: any number.
struct MostSizes {
  std::int64_t rows = 0, columns = 0;
};

/// The request of launches with at most such sizes. Nothing if the sizes are known, if one is known
/// to be larger or a multiple of something larger, or if one is the product of other sizes.
std::optional<MatmulRequest> with_most(const MatmulRequest& request, const MostSizes& most);

/// True if, by the limits of sizes, all launches of `small` are also launches of `large`.
bool has_launches_of(const plan::Problem& large, const plan::Problem& small);

/// True if the sizes of a launch agree with the request. `problem` has the sizes.
bool are_as_known(const MatmulRequest& request, const plan::Problem& problem);

}  // namespace heddle::compiler
