#include "heddle/interop/triton/matrix.h"

#include <algorithm>

#include "library/text/formatted.h"

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
    return wrong(formatted("warps_per_cta {} has {} entries; a matrix layout has 2 or 3 dimensions",
                           list_text(warps_per_cta), rank));
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

Result<void> NVMMADistributedLayout::verify() const {
  if (version.size() != 2 || (version[0] != 2 && version[0] != 3))
    return wrong("NVMMADistributedLayout version is " + list_text(version) +
                 "; it must be [2, minor] for mma.sync or [3, minor] for wgmma");
  if (const auto checked = detail::check_warps(warps_per_cta, cga_layout); !checked) return checked;
  const std::size_t least = version[0] == 2 ? rank() : 2;
  if (instr_shape.size() < least || instr_shape.size() > 3 || !are_powers_of_two(instr_shape) ||
      m() % 8 != 0 || n() % 8 != 0 || m() > 256 || n() > 256)
    return wrong(
        "NVMMADistributedLayout instr_shape is " + list_text(instr_shape) +
        "; it must be [m, n], or [m, n, k] for wgmma, with m and n powers of two from 8 to "
        "256, as [16, 8] or [16, 64, 16]");
  return {};
}

std::string NVMMADistributedLayout::mangle() const {
  return "MMA_" + list_text(version) + "_" + list_text(warps_per_cta) + "_" +
         list_text(instr_shape) + "_" + mangled(cga_layout) + "_MMA";
}

Numbers NVMMADistributedLayout::tile() const {
  Numbers shape = reached({{"block", cga_layout}}, rank());
  for (std::size_t dim = 0; dim < rank(); ++dim) shape[dim] *= warps_per_cta[dim];
  shape[rank() - 2] *= m();
  shape[rank() - 1] *= n();
  return shape;
}

Result<layout::LinearLayout> NVMMADistributedLayout::to_linear(const Numbers& shape) const {
  if (const auto checked = verify(); !checked) return wrong(checked.error());
  if (const auto checked = check_shape(shape, rank()); !checked) return wrong(checked.error());
  const detail::MatrixDims dims(rank());
  return fragment(dims.n, dims.m, n(), m(), 2, last_first(rank()))
      .spread_all("warp", warps_per_cta, warp_order())
      .fill(cga_layout, shape);
}

Result<layout::LinearLayout> NVMMADistributedLayout::operand_to_linear(DotOperand operand,
                                                                       std::int64_t k_width,
                                                                       const Bases& cga,
                                                                       const Numbers& shape) const {
  const detail::MatrixDims dims(rank());
  const std::int64_t other = operand == DotOperand::a ? 16 : 8;
  return fragment(dims.k(operand), dims.not_k(operand), 8 * k_width, other, k_width,
                  detail::k_first(operand, rank()))
      .spread_but("warp", warps_per_cta, warp_order(), dims.k(operand))
      .fill(cga, shape);
}

Tile NVMMADistributedLayout::fragment(std::int64_t inner, std::int64_t outer,
                                      std::int64_t inner_size, std::int64_t outer_size,
                                      std::int64_t width, const Numbers& repetitions) {
  return Tile(distributed_inputs(), repetitions)
      .spread("register", width, inner)
      .spread("lane", 4, inner)
      .spread("lane", 8, outer)
      .spread("register", outer_size / 8, outer)
      .spread("register", inner_size / (4 * width), inner);
}

Result<void> AMDMFMALayout::verify() const {
  if (version < 1 || version > 4) return wrong("version must be in the [1, 4] range");
  if (instr_shape.size() != 3) return wrong("instr_shape must follow the (M, N, K) format");
  const Numbers mn{instr_shape[0], instr_shape[1]};
  if (mn != Numbers{32, 32} && mn != Numbers{16, 16} && mn != Numbers{64, 4} &&
      mn != Numbers{4, 64})
    return wrong("invalid intrinsic shape " + list_text(instr_shape) +
                 "; m and n must be 32 and 32, 16 and 16, 64 and 4, or 4 and 64");
  if (element_bitwidth != 32 && element_bitwidth != 64)
    return wrong("element bitwidth must be 32 or 64");
  if (instr_shape[0] == 64 && !transposed) return wrong("64x4 mfma must be transposed");
  if (const auto checked = detail::check_warps(warps_per_cta, cga_layout); !checked) return checked;
  if (!tiles_per_warp.empty() &&
      (tiles_per_warp.size() != rank() || !are_powers_of_two(tiles_per_warp)))
    return wrong("tiles_per_warp " + list_text(tiles_per_warp) +
                 " must have a power of two for each dimension of warps_per_cta " +
                 list_text(warps_per_cta));
  return {};
}

std::string AMDMFMALayout::mangle() const {
  return formatted("MFMA_{}_{}_{}_{}_{}_{}_{}_MFMA", version, joined(instr_shape, "_"),
                   transposed ? "True" : "False", joined(warps_per_cta, "_"), element_bitwidth,
                   joined(tiles(), "_"), mangled(cga_layout));
}

Numbers AMDMFMALayout::tile() const {
  Numbers shape = reached({{"block", cga_layout}}, rank());
  for (std::size_t dim = 0; dim < rank(); ++dim) shape[dim] *= warps_per_cta[dim] * tiles()[dim];
  shape[rank() - 2] *= instr_shape[0];
  shape[rank() - 1] *= instr_shape[1];
  return shape;
}

Result<layout::LinearLayout> AMDMFMALayout::to_linear(const Numbers& shape) const {
  if (const auto checked = verify(); !checked) return wrong(checked.error());
  if (const auto checked = check_shape(shape, rank()); !checked) return wrong(checked.error());
  const detail::MatrixDims dims(rank());
  const std::int64_t height = element_bitwidth == 64 ? 1 : 4;  // consecutive elements of a lane
  const std::int64_t along = transposed ? dims.n : dims.m;     // where they run
  const std::int64_t across = transposed ? dims.m : dims.n;
  const std::int64_t size = transposed ? instr_shape[0] : instr_shape[1];
  Tile tile(distributed_inputs(), last_first(rank()));
  tile.spread("register", height, along)
      .spread("lane", size, across)
      .spread("lane", wave / size, along)
      .spread("register", instr_shape[0] * instr_shape[1] / (wave * height), along);
  return over_warps(tile, warps_per_cta, tiles(), instr_shape[1], shape).fill(cga_layout, shape);
}

Result<layout::LinearLayout> AMDMFMALayout::operand_to_linear(DotOperand operand,
                                                              std::int64_t k_width,
                                                              const Numbers& shape) const {
  const detail::MatrixDims dims(rank());
  const std::int64_t k = dims.k(operand);
  const std::int64_t other = dims.not_k(operand);
  const std::int64_t size = instr_shape[operand == DotOperand::a ? 0 : 1];
  Tile tile(distributed_inputs(), detail::k_first(operand, rank()));
  tile.spread("register", k_width, k).spread("lane", size, other).spread("lane", wave / size, k);
  if (size == 64) tile.spread("register", 16, k);  // the wide operand of 64x4 and 4x64
  return tile.spread("register", detail::at(shape, k) / operand_k(operand, k_width), k)
      .spread("register", detail::at(tiles(), other), other)
      .spread_but("warp", warps_per_cta, last_first(rank()), k)
      .fill(cga_layout, shape);
}

Tile& AMDMFMALayout::over_warps(Tile& tile, const Numbers& warps, const Numbers& tiles,
                                std::int64_t n, const Numbers& shape) {
  const detail::MatrixDims dims(warps.size());
  const std::int64_t tiles_n = detail::at(tiles, dims.n);
  const std::int64_t warps_n = detail::at(warps, dims.n);
  tile.spread("register", tiles_n, dims.n)
      .spread("warp", warps_n, dims.n)
      .spread("register", detail::at(shape, dims.n) / (n * warps_n * tiles_n), dims.n)
      .spread("register", detail::at(tiles, dims.m), dims.m)
      .spread("warp", detail::at(warps, dims.m), dims.m);
  if (warps.size() == 3) tile.spread("warp", warps[0], 0);
  return tile;
}

Result<void> AMDWMMALayout::verify() const {
  if (version < 1 || version > 3) return wrong("version must be in the [1, 3] range");
  if (const auto checked = detail::check_warps(warps_per_cta, cga_layout); !checked) return checked;
  const bool right = instr_shape.size() == 3 && instr_shape[0] == 16 && instr_shape[1] == 16;
  const std::int64_t k = right ? instr_shape[2] : 0;
  if ((version == 1 && k != 16) || (version == 2 && k != 16 && k != 32) ||
      (version == 3 && k != 4 && k != 32 && k != 64 && k != 128))
    return wrong(formatted("invalid WMMA v{} instruction shape {}; m and n are 16, k is {}",
                           version, list_text(instr_shape),
                           version == 1   ? "16"
                           : version == 2 ? "16 or 32"
                                          : "4, 32, 64 or 128"));
  if (!tiles_per_warp.empty() &&
      (tiles_per_warp.size() != rank() || !are_powers_of_two(tiles_per_warp)))
    return wrong("tiles_per_warp " + list_text(tiles_per_warp) +
                 " must have a power of two for each dimension of warps_per_cta " +
                 list_text(warps_per_cta));
  return {};
}

std::string AMDWMMALayout::mangle() const {
  return formatted("WMMA_{}_{}_{}_{}_{}_{}_WMMA", version, transposed ? "True" : "False",
                   joined(warps_per_cta, "_"), joined(tiles(), "_"), joined(instr_shape, "_"),
                   mangled(cga_layout));
}

Numbers AMDWMMALayout::tile() const {
  Numbers shape = reached({{"block", cga_layout}}, rank());
  for (std::size_t dim = 0; dim < rank(); ++dim) shape[dim] *= warps_per_cta[dim] * tiles()[dim];
  shape[rank() - 2] *= 16;
  shape[rank() - 1] *= 16;
  return shape;
}

Result<layout::LinearLayout> AMDWMMALayout::to_linear(const Numbers& shape) const {
  if (const auto checked = verify(); !checked) return wrong(checked.error());
  if (const auto checked = check_shape(shape, rank()); !checked) return wrong(checked.error());
  const detail::MatrixDims dims(rank());
  const std::int64_t along = transposed ? dims.n : dims.m;
  const std::int64_t across = transposed ? dims.m : dims.n;
  Tile tile(distributed_inputs(), last_first(rank()));
  if (version == 1) {
    tile.spread("lane", 16, across).spread("lane", 2, along).spread("register", 8, along);
  } else {
    tile.spread("register", 8, along).spread("lane", 16, across).spread("lane", 2, along);
  }
  return AMDMFMALayout::over_warps(tile, warps_per_cta, tiles(), 16, shape).fill(cga_layout, shape);
}

Result<layout::LinearLayout> AMDWMMALayout::operand_to_linear(DotOperand operand,
                                                              std::int64_t k_width,
                                                              const Numbers& shape) const {
  const detail::MatrixDims dims(rank());
  const std::int64_t k = dims.k(operand);
  const std::int64_t other = dims.not_k(operand);
  Tile tile(distributed_inputs(), detail::k_first(operand, rank()));
  tile.spread("register", k_width, k).spread("lane", 16, other);
  version == 1 ? tile.copy("lane", 2, k) : tile.spread("lane", 2, k);
  return tile.spread("register", instr_shape[2] / (2 * k_width), k)
      .spread("register", detail::at(shape_per_cta(shape, cga_layout), k) / operand_k(k_width), k)
      .spread("register", detail::at(tiles(), other), other)
      .spread_but("warp", warps_per_cta, last_first(rank()), k)
      .fill(cga_layout, shape);
}

}  // namespace heddle::interop::triton
