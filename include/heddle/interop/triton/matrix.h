// Gluon's layouts of a matrix core's accumulator: NVMMADistributedLayout, AMDMFMALayout and
// AMDWMMALayout, and the operands of a multiplication in registers.
//
// The fragments of one instruction are those of the catalogue (heddle show NAME); what is added
// here is how Triton repeats them over a tile: registers and warps, n before m.
//
// Source: Triton 3.6.0, python/triton/experimental/gluon/language/_layouts.py and amd/_layouts.py,
// and lib/Dialect/TritonGPU/IR/LinearLayoutConversions.cpp.
#pragma once

#include <algorithm>

#include "heddle/interop/triton/blocked.h"

namespace heddle::interop::triton {

/// Which operand of a multiplication: A is m x k, B is k x n.
enum class DotOperand : std::int64_t { a = 0, b = 1 };

namespace detail {

/// The last two dimensions: m and n of a result, and the two of an operand.
struct MatrixDims {
  std::int64_t m;
  std::int64_t n;
  explicit MatrixDims(std::size_t rank)
      : m(static_cast<std::int64_t>(rank) - 2), n(static_cast<std::int64_t>(rank) - 1) {}
  std::int64_t k(DotOperand operand) const { return operand == DotOperand::a ? n : m; }
  std::int64_t not_k(DotOperand operand) const { return operand == DotOperand::a ? m : n; }
};

/// The dimensions, k first: the order in which an operand is repeated.
Numbers k_first(DotOperand operand, std::size_t rank);

Result<void> check_warps(const Numbers& warps_per_cta, const Bases& cga_layout);

std::int64_t at(const Numbers& numbers, std::int64_t index);

/// The tile of `shape` for one operand of a layout whose accumulator covers `tile`: k elements
/// along k.
Numbers operand_tile(Numbers tile, DotOperand operand, std::int64_t k);

}  // namespace detail

/// The accumulator of mma.sync (version 2) or wgmma (version 3).
struct NVMMADistributedLayout {
  Numbers version;  // [major, minor]
  Numbers warps_per_cta;
  Numbers instr_shape;  // [m, n] or [m, n, k]
  Bases cga_layout{};

  std::size_t rank() const { return warps_per_cta.size(); }

  Result<void> verify() const {
    if (version.size() != 2 || (version[0] != 2 && version[0] != 3))
      return wrong("NVMMADistributedLayout version is " + list_text(version) +
                   "; it must be [2, minor] for mma.sync or [3, minor] for wgmma");
    if (const auto checked = detail::check_warps(warps_per_cta, cga_layout); !checked)
      return checked;
    const std::size_t least = version[0] == 2 ? rank() : 2;
    if (instr_shape.size() < least || instr_shape.size() > 3 || !are_powers_of_two(instr_shape) ||
        m() % 8 != 0 || n() % 8 != 0 || m() > 256 || n() > 256)
      return wrong(
          "NVMMADistributedLayout instr_shape is " + list_text(instr_shape) +
          "; it must be [m, n], or [m, n, k] for wgmma, with m and n powers of two from 8 to "
          "256, as [16, 8] or [16, 64, 16]");
    return {};
  }

  std::string mangle() const {
    return "MMA_" + list_text(version) + "_" + list_text(warps_per_cta) + "_" +
           list_text(instr_shape) + "_" + mangled(cga_layout) + "_MMA";
  }

  Numbers tile() const {
    Numbers shape = reached({{"block", cga_layout}}, rank());
    for (std::size_t dim = 0; dim < rank(); ++dim) shape[dim] *= warps_per_cta[dim];
    shape[rank() - 2] *= m();
    shape[rank() - 1] *= n();
    return shape;
  }

  Result<layout::LinearLayout> to_linear(const Numbers& shape) const {
    if (const auto checked = verify(); !checked) return wrong(checked.error());
    if (const auto checked = check_shape(shape, rank()); !checked) return wrong(checked.error());
    const detail::MatrixDims dims(rank());
    return fragment(dims.n, dims.m, n(), m(), 2, last_first(rank()))
        .spread_all("warp", warps_per_cta, warp_order())
        .fill(cga_layout, shape);
  }

  /// The operand with `k_width` consecutive elements of k in a thread.
  Result<layout::LinearLayout> operand_to_linear(DotOperand operand, std::int64_t k_width,
                                                 const Bases& cga, const Numbers& shape) const {
    const detail::MatrixDims dims(rank());
    const std::int64_t other = operand == DotOperand::a ? 16 : 8;
    return fragment(dims.k(operand), dims.not_k(operand), 8 * k_width, other, k_width,
                    detail::k_first(operand, rank()))
        .spread_but("warp", warps_per_cta, warp_order(), dims.k(operand))
        .fill(cga, shape);
  }

 private:
  std::int64_t m() const {
    return instr_shape.size() < 2 ? 0
                                  : instr_shape[instr_shape.size() == 3 && version[0] == 2 ? 1 : 0];
  }
  std::int64_t n() const {
    return instr_shape.size() < 2 ? 0
                                  : instr_shape[instr_shape.size() == 3 && version[0] == 2 ? 2 : 1];
  }

  /// Warps run along n first; those of wgmma along m.
  Numbers warp_order() const {
    return version[0] == 3 ? detail::k_first(DotOperand::b, rank()) : last_first(rank());
  }

  /// Quads of lanes along `inner`, eight along `outer`: the 8x8 matrices of mma.sync (PTX ISA 9.0,
  /// "Matrix Fragments for mma.m16n8k16"), `width` elements a lane, and their repetitions.
  static Tile fragment(std::int64_t inner, std::int64_t outer, std::int64_t inner_size,
                       std::int64_t outer_size, std::int64_t width, const Numbers& repetitions) {
    return Tile(distributed_inputs(), repetitions)
        .spread("register", width, inner)
        .spread("lane", 4, inner)
        .spread("lane", 8, outer)
        .spread("register", outer_size / 8, outer)
        .spread("register", inner_size / (4 * width), inner);
  }
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

  Result<void> verify() const {
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
    if (const auto checked = detail::check_warps(warps_per_cta, cga_layout); !checked)
      return checked;
    if (!tiles_per_warp.empty() &&
        (tiles_per_warp.size() != rank() || !are_powers_of_two(tiles_per_warp)))
      return wrong("tiles_per_warp " + list_text(tiles_per_warp) +
                   " must have a power of two for each dimension of warps_per_cta " +
                   list_text(warps_per_cta));
    return {};
  }

  /// tiles_per_warp with its default.
  Numbers tiles() const { return tiles_per_warp.empty() ? Numbers(rank(), 1) : tiles_per_warp; }

  std::string mangle() const {
    return "MFMA_" + std::to_string(version) + "_" + joined(instr_shape, "_") + "_" +
           (transposed ? "True" : "False") + "_" + joined(warps_per_cta, "_") + "_" +
           std::to_string(element_bitwidth) + "_" + joined(tiles(), "_") + "_" +
           mangled(cga_layout) + "_MFMA";
  }

  Numbers tile() const {
    Numbers shape = reached({{"block", cga_layout}}, rank());
    for (std::size_t dim = 0; dim < rank(); ++dim) shape[dim] *= warps_per_cta[dim] * tiles()[dim];
    shape[rank() - 2] *= instr_shape[0];
    shape[rank() - 1] *= instr_shape[1];
    return shape;
  }

  Result<layout::LinearLayout> to_linear(const Numbers& shape) const {
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

  Result<layout::LinearLayout> operand_to_linear(DotOperand operand, std::int64_t k_width,
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

  /// The k that the lanes and k_width registers cover.
  std::int64_t operand_k(DotOperand operand, std::int64_t k_width) const {
    const std::int64_t size = instr_shape[operand == DotOperand::a ? 0 : 1];
    return wave / size * k_width * (size == 64 ? 16 : 1);
  }

  /// The instructions of a warp and the warps: first all of n, as far as the shape goes, then m. So
  /// a warp's registers number its instructions row by row of the whole tile.
  static Tile& over_warps(Tile& tile, const Numbers& warps, const Numbers& tiles, std::int64_t n,
                          const Numbers& shape) {
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

  Result<void> verify() const {
    if (version < 1 || version > 3) return wrong("version must be in the [1, 3] range");
    if (const auto checked = detail::check_warps(warps_per_cta, cga_layout); !checked)
      return checked;
    const bool right = instr_shape.size() == 3 && instr_shape[0] == 16 && instr_shape[1] == 16;
    const std::int64_t k = right ? instr_shape[2] : 0;
    if ((version == 1 && k != 16) || (version == 2 && k != 16 && k != 32) ||
        (version == 3 && k != 4 && k != 32 && k != 64 && k != 128))
      return wrong("invalid WMMA v" + std::to_string(version) + " instruction shape " +
                   list_text(instr_shape) + "; m and n are 16, k is " +
                   (version == 1   ? "16"
                    : version == 2 ? "16 or 32"
                                   : "4, 32, 64 or 128"));
    if (!tiles_per_warp.empty() &&
        (tiles_per_warp.size() != rank() || !are_powers_of_two(tiles_per_warp)))
      return wrong("tiles_per_warp " + list_text(tiles_per_warp) +
                   " must have a power of two for each dimension of warps_per_cta " +
                   list_text(warps_per_cta));
    return {};
  }

  Numbers tiles() const { return tiles_per_warp.empty() ? Numbers(rank(), 1) : tiles_per_warp; }

  std::string mangle() const {
    return "WMMA_" + std::to_string(version) + "_" + (transposed ? "True" : "False") + "_" +
           joined(warps_per_cta, "_") + "_" + joined(tiles(), "_") + "_" +
           joined(instr_shape, "_") + "_" + mangled(cga_layout) + "_WMMA";
  }

  Numbers tile() const {
    Numbers shape = reached({{"block", cga_layout}}, rank());
    for (std::size_t dim = 0; dim < rank(); ++dim) shape[dim] *= warps_per_cta[dim] * tiles()[dim];
    shape[rank() - 2] *= 16;
    shape[rank() - 1] *= 16;
    return shape;
  }

  /// On RDNA3 the two half-waves hold alternate rows, later consecutive halves of them.
  Result<layout::LinearLayout> to_linear(const Numbers& shape) const {
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
    return AMDMFMALayout::over_warps(tile, warps_per_cta, tiles(), 16, shape)
        .fill(cga_layout, shape);
  }

  /// On RDNA3 both half-waves hold the same, later each half of k. CTAs share an operand as they
  /// share the result, along k too: so Triton has it.
  Result<layout::LinearLayout> operand_to_linear(DotOperand operand, std::int64_t k_width,
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

  /// The k after which registers repeat: an instruction's, or two k_widths where those are more. On
  /// RDNA3, too, where the second is a copy: so Triton counts.
  std::int64_t operand_k(std::int64_t k_width) const {
    return std::max(instr_shape[2], 2 * k_width);
  }
};

}  // namespace heddle::interop::triton
