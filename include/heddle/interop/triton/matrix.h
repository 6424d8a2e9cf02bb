// Gluon's layouts of a matrix core's accumulator (NVMMADistributedLayout, AMDMFMALayout and
// AMDWMMALayout), and the layouts in registers of the operands A and B that are multiplied into
// such an accumulator.
//
// The fragments of one instruction are those of the catalogue (heddle show NAME). This header adds
// how Triton repeats these fragments over a tile: in registers and over warps, n before m.
//
// Source: Triton 3.6.0, python/triton/experimental/gluon/language/_layouts.py and amd/_layouts.py,
// and lib/Dialect/TritonGPU/IR/LinearLayoutConversions.cpp.
//
// EXAMPLE. AMDMFMALayout(version=3, instr_shape=[32, 32, 8], transposed=True, warps_per_cta=[2,
// 2]):
//
//     a lane        four consecutive elements of a row, four times (transposed: along n)
//     a warp        32 x 32, by one v_mfma_f32_32x32x8_f16
//     the CTA       64 x 64: warps 0 and 1 side by side along n, warps 2 and 3 below
//
//     tile()                      [64, 64]
//     to_linear([128, 64])        each warp has two instructions, the second 64 rows further
//     mangle()                    the name that Gluon gives it in a cache
//
// Errors of verify() have Triton's own messages if there are any, so that a user can find them in
// Triton.
#pragma once

#include <cstdint>
#include <string>

#include "heddle/interop/triton/blocked.h"

namespace heddle::interop::triton {

/// An operand of a multiplication: A is m x k, B is k x n.
enum class DotOperand : std::int64_t { a = 0, b = 1 };

namespace detail {

/// The indices of the last two dimensions: m and n of a result, and the two dimensions of an
/// operand.
struct MatrixDims {
  std::int64_t m;
  std::int64_t n;
  explicit MatrixDims(std::size_t rank)
      : m(static_cast<std::int64_t>(rank) - 2), n(static_cast<std::int64_t>(rank) - 1) {}
  std::int64_t k(DotOperand operand) const { return operand == DotOperand::a ? n : m; }
  std::int64_t not_k(DotOperand operand) const { return operand == DotOperand::a ? m : n; }
};

/// The dimensions in the order in which an operand's tile is repeated, k first. For A [.., m, k]
/// the order is k, m, then the batch; for B [.., k, n] it is k, n, then the batch.
Numbers k_first(DotOperand operand, std::size_t rank);

/// Checks the rules that all layouts here have: 2 or 3 dimensions, powers of two, and a CGA layout
/// of the same rank.
Result<void> check_warps(const Numbers& warps_per_cta, const Bases& cga_layout);

/// numbers[index]. Indices of dimensions are signed here.
std::int64_t at(const Numbers& numbers, std::int64_t index);

/// The tile of an operand of a product whose accumulator has the tile `tile`: the same, but with k
/// elements along the dimension that is k in the operand.
Numbers operand_tile(Numbers tile, DotOperand operand, std::int64_t k);

}  // namespace detail

/// The accumulator of mma.sync (version 2) or wgmma (version 3).
struct NVMMADistributedLayout {
  Numbers version;  // [major, minor]
  Numbers warps_per_cta;
  Numbers instr_shape;  // [m, n] or [m, n, k]
  Bases cga_layout{};

  std::size_t rank() const { return warps_per_cta.size(); }

  /// Errors: whatever Triton rejects, with Triton's message if it has one.
  Result<void> verify() const;

  /// Gluon's name of the layout. It contains all fields, so two layouts with the same name are
  /// equal.
  std::string mangle() const;

  /// The shape of the tile that the layout covers without repetition: instruction x tiles_per_warp
  /// x warps x CTAs.
  Numbers tile() const;

  /// The map (register, lane, warp, block) -> (dim0, dim1, …) for a tensor of this shape. Errors:
  /// those of verify().
  Result<layout::LinearLayout> to_linear(const Numbers& shape) const;

  /// The map of an operand for which a thread holds `k_width` elements that are consecutive in k.
  Result<layout::LinearLayout> operand_to_linear(DotOperand operand, std::int64_t k_width,
                                                 const Bases& cga, const Numbers& shape) const;

 private:
  std::int64_t m() const {
    return instr_shape.size() < 2 ? 0
                                  : instr_shape[instr_shape.size() == 3 && version[0] == 2 ? 1 : 0];
  }
  std::int64_t n() const {
    return instr_shape.size() < 2 ? 0
                                  : instr_shape[instr_shape.size() == 3 && version[0] == 2 ? 2 : 1];
  }

  /// The order in which warps are distributed: along n first, for wgmma along m first.
  Numbers warp_order() const {
    return version[0] == 3 ? detail::k_first(DotOperand::b, rank()) : last_first(rank());
  }

  /// The tile of mma.sync's 8x8 matrices and their repetitions: 4 lanes along `inner` with `width`
  /// elements each, and 8 lanes along `outer` (PTX ISA 9.0, "Matrix Fragments for mma.m16n8k16").
  static Tile fragment(std::int64_t inner, std::int64_t outer, std::int64_t inner_size,
                       std::int64_t outer_size, std::int64_t width, const Numbers& repetitions);
};

/// The accumulator of an MFMA of CDNA.
struct AMDMFMALayout {
  std::int64_t version;  // 1: gfx908, 2: gfx90a, 3: gfx942, 4: gfx950
  Numbers instr_shape;   // [m, n, k]
  bool transposed;       // a lane holds consecutive elements of a row
  Numbers warps_per_cta;
  std::int64_t element_bitwidth = 32;  // of the result: 32 or 64
  Numbers tiles_per_warp{};            // neighbouring instructions of a warp; empty: one
  Bases cga_layout{};

  std::size_t rank() const { return warps_per_cta.size(); }

  /// Errors: whatever Triton rejects, with Triton's message if it has one.
  Result<void> verify() const;

  /// tiles_per_warp with its default.
  Numbers tiles() const { return tiles_per_warp.empty() ? Numbers(rank(), 1) : tiles_per_warp; }

  /// Gluon's name of the layout. It contains all fields, so two layouts with the same name are
  /// equal.
  std::string mangle() const;

  /// The shape of the tile that the layout covers without repetition: instruction x tiles_per_warp
  /// x warps x CTAs.
  Numbers tile() const;

  Result<layout::LinearLayout> to_linear(const Numbers& shape) const;

  Result<layout::LinearLayout> operand_to_linear(DotOperand operand, std::int64_t k_width,
                                                 const Numbers& shape) const;

  /// The number of k that all lanes together hold, with k_width elements in each lane.
  std::int64_t operand_k(DotOperand operand, std::int64_t k_width) const {
    const std::int64_t size = instr_shape[operand == DotOperand::a ? 0 : 1];
    return wave / size * k_width * (size == 64 ? 16 : 1);
  }

  /// Extends a tile of one instruction by the other instructions of the warp and by the other
  /// warps: first along n until the shape's n is covered, then along m. So the order of a warp's
  /// registers follows its instructions row by row over the whole tile.
  static Tile& over_warps(Tile& tile, const Numbers& warps, const Numbers& tiles, std::int64_t n,
                          const Numbers& shape);

 private:
  static constexpr std::int64_t wave = 64;  // lanes of every MFMA
};

/// The accumulator of a WMMA of RDNA or gfx1250.
struct AMDWMMALayout {
  std::int64_t version;  // 1: RDNA3, 2: RDNA4, 3: gfx1250
  bool transposed;       // lanes run along m, not n
  Numbers warps_per_cta;
  Numbers instr_shape{16, 16, 16};  // [m, n, k]
  Numbers tiles_per_warp{};         // neighbouring instructions of a warp; empty: one
  Bases cga_layout{};

  std::size_t rank() const { return warps_per_cta.size(); }

  /// Errors: whatever Triton rejects, with Triton's message if it has one.
  Result<void> verify() const;

  Numbers tiles() const { return tiles_per_warp.empty() ? Numbers(rank(), 1) : tiles_per_warp; }

  /// Gluon's name of the layout. It contains all fields, so two layouts with the same name are
  /// equal.
  std::string mangle() const;

  /// The shape of the tile that the layout covers without repetition: instruction x tiles_per_warp
  /// x warps x CTAs.
  Numbers tile() const;

  /// On RDNA3 the two half-waves hold alternate rows (columns if transposed). On later processors
  /// each half-wave holds eight consecutive ones.
  Result<layout::LinearLayout> to_linear(const Numbers& shape) const;

  /// On RDNA3 both half-waves hold the same elements; on later processors each half-wave holds half
  /// of k. CTAs divide an operand as they divide the result, even along k, as in Triton.
  Result<layout::LinearLayout> operand_to_linear(DotOperand operand, std::int64_t k_width,
                                                 const Numbers& shape) const;

  /// The number of k after which the pattern repeats in registers: the instruction's k, or two
  /// k_widths if that is more. Triton uses this number also on RDNA3, where the second k_width is a
  /// copy.
  std::int64_t operand_k(std::int64_t k_width) const {
    return std::max(instr_shape[2], 2 * k_width);
  }
};

}  // namespace heddle::interop::triton
