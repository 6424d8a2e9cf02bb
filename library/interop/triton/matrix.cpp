#include "heddle/interop/triton/matrix.h"

#include <algorithm>

namespace heddle::interop::triton {
namespace detail {

Numbers k_first(DotOperand operand, std::size_t rank) {
  Numbers order = last_first(rank);
  if (operand == DotOperand::b) std::swap(order[0], order[1]);
  return order;
}

Result<void> check_warps(const Numbers& warps_per_cta, const Bases& cga_layout) {
  const std::size_t rank = warps_per_cta.size();
  if (rank < 2 || rank > 3)
    return wrong("warps_per_cta " + list_text(warps_per_cta) + " has " + std::to_string(rank) +
                 " entries; a matrix layout has 2 or 3 dimensions");
  if (!are_powers_of_two(warps_per_cta))
    return wrong("Every element in warpsPerCTA must be a power of two.");
  for (const Numbers& basis : cga_layout) {
    if (basis.size() != rank) return wrong("cga_layout basis rank mismatch");
  }
  return check_bases("cga_layout", cga_layout, rank);
}

std::int64_t at(const Numbers& numbers, std::int64_t index) {
  return numbers[static_cast<std::size_t>(index)];
}

Numbers operand_tile(Numbers tile, DotOperand operand, std::int64_t k) {
  tile[static_cast<std::size_t>(MatrixDims(tile.size()).k(operand))] = k;
  return tile;
}

}  // namespace detail
}  // namespace heddle::interop::triton
