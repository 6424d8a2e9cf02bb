// Requests that know more of their dynamic sizes than the text says: of kernels that launches take
// where it is so.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/request/matmul_request.h"

namespace heddle::compiler {

/// The request of launches in which elements lie side by side along the last dimension of each
/// array, where a launch tells that stride: `ones` has a bit for each. Arrays with an open offset
/// begin at multiples of 16 bytes in them. Nothing where no such stride is told.
std::optional<MatmulRequest> with_unit_strides(const MatmulRequest& request);

/// Requests of launches in which rows begin at multiples of `bytes`; `multiples` says which sizes
/// decide that. The first is for rows of A, B and D, the second for those of A and B. Omits cases
/// that no dynamic size decides. Returns none if the deciding size is a product of others, or if
/// the start of an array is unknown. The functions have names of their own.
std::vector<MatmulRequest> with_whole_rows(const MatmulRequest& request, int bytes);

/// How many rows and columns D has at most; 0: any number.
struct MostSizes {
  std::int64_t rows = 0, columns = 0;
};

/// The request of launches with at most such sizes. Nothing where they are known anyway, where one
/// is known to be larger or a multiple of more, and where it is the product of other sizes.
std::optional<MatmulRequest> with_most(const MatmulRequest& request, const MostSizes& most);

/// Whether all launches that `small` is for, as far as limits of sizes say, are also `large`'s.
bool has_launches_of(const plan::Problem& large, const plan::Problem& small);

/// Whether the sizes of a launch are what the request knows of them. `problem` has the sizes.
bool are_as_known(const MatmulRequest& request, const plan::Problem& problem);

}  // namespace heddle::compiler
