// Which instruction multiplies, and how large the tiles of a block are.
#pragma once

#include <algorithm>
#include <array>
#include <expected>
#include <string>

#include "heddle/plan/fma_atom.h"
#include "heddle/plan/mma_plan.h"

namespace heddle::plan {

/// Shared memory that one block may ask for, in bytes. Source: CUDA C++ Programming Guide 13.0,
/// "Technical Specifications per Compute Capability", maximum amount of shared memory per thread
/// block.
constexpr std::uint32_t most_shared_bytes_of(instruction::Target target) {
  using enum instruction::Target;
  switch (target) {
    case sm_75:
      return 64 * 1024;
    case sm_80:
    case sm_87:
      return 163 * 1024;
    case sm_86:
    case sm_89:
    case sm_120:
    case sm_121:
      return 99 * 1024;
    default:
      return 227 * 1024;
  }
}

/// Multiprocessors of the largest product of the target. Sources: NVIDIA A100, H100 (SXM) and L40
/// datasheets and architecture white papers.
constexpr int multiprocessors_of(instruction::Target target) {
  using enum instruction::Target;
  switch (target) {
    case sm_80:
      return 108;
    case sm_86:
      return 84;
    case sm_87:
      return 16;
    case sm_89:
      return 142;
    default:
      return 132;
  }
}

/// The result's accumulators: (element, register, lane, atom_m, atom_n, warp) -> (m, n).
inline layout::LinearLayout tiled_mma_result(const layout::LinearLayout& fragment,
                                             const MmaPlan& plan) {
  layout::LinearLayout::Bases bases{};
  std::size_t next = 0;
  const int all_m = plan.atoms_m() * plan.tiles.warps_m;
  const int all_n = plan.atoms_n() * plan.tiles.warps_n;
  const int m_bits = bits_of(all_m);
  const auto along = [&](int from, int to, int shift) {
    for (int at = from; at < to; at *= 2) bases[next++] = static_cast<std::uint64_t>(at) << shift;
  };
  along(1, plan.atoms_m(), 0);
  along(1, plan.atoms_n(), m_bits);
  along(plan.atoms_n(), all_n, m_bits);
  along(plan.atoms_m(), all_m, 0);
  const auto tiling =
      layout::LinearLayout::from_words({{"atom_m", bits_of(plan.atoms_m())},
                                        {"atom_n", bits_of(plan.atoms_n())},
                                        {"warp", bits_of(plan.tiles.warps())}},
                                       {{"m", m_bits}, {"n", bits_of(all_n)}}, bases);
  return layout::product(fragment, tiling.value()).value();
}

/// The dense mma.sync of the target that multiplies most at once, with sums of f32, of i32 for
/// integers, of f64 for f64; multiply-adds where f32 is to be multiplied as it is. Or nullptr.
inline const instruction::Instruction* find_mma(const MmaRequest& request) {
  using instruction::ElementType;
  if (request.multiply == ElementType::f32)
    return &fma_for(request.a_k_contiguous, request.b_k_contiguous);
  const bool integer = request.multiply == ElementType::i8 || request.multiply == ElementType::u8;
  const ElementType sum = integer                                ? ElementType::i32
                          : request.multiply == ElementType::f64 ? ElementType::f64
                                                                 : ElementType::f32;
  const instruction::Instruction* best = nullptr;
  for (const instruction::Instruction& row : instruction::all_instructions()) {
    if (row.kind != instruction::Kind::multiply || row.wave != 32 || row.is_sparse() ||
        row.blocks != 1 || row.has(instruction::Operand::scale_a) || exists(row.c) ||
        !row.is_of(instruction::processor(request.target).family))
      continue;
    if (row.a_type != request.multiply || row.b_type != request.multiply_b || row.d_type != sum ||
        row.intrinsic.empty() || row.intrinsic.find("satfinite") != std::string_view::npos)
      continue;
    if (best == nullptr || row.m * row.n * row.k > best->m * best->n * best->k) best = &row;
  }
  return best;
}

namespace detail {

/// A block that may be chosen: its tiles, and how fast it runs beside the best, in percent, when it
/// is full. Measured on an H200 (docs/nvidia.md).
struct BlockRow {
  int m, n, warps_m, warps_n, percent;
};

inline constexpr std::array block_rows{
    BlockRow{128, 256, 2, 4, 100}, BlockRow{256, 128, 4, 2, 100}, BlockRow{128, 128, 2, 2, 95},
    BlockRow{128, 64, 2, 2, 75},   BlockRow{64, 128, 2, 2, 75},   BlockRow{64, 64, 2, 2, 60},
    BlockRow{64, 32, 2, 1, 40},    BlockRow{32, 64, 1, 2, 40},    BlockRow{32, 32, 1, 1, 25}};

/// Registers of the sums of a thread.
inline int sum_registers(const BlockRow& row, const instruction::Instruction& mma) {
  return row.m * row.n / (row.warps_m * row.warps_n * 32) * instruction::bits(mma.d_type) / 32;
}

/// Time for all blocks, in units of the best block's time for one element of D.
inline double time_of(const BlockRow& row, const MmaRequest& request, int resident) {
  const std::int64_t blocks =
      ((request.problem.m + row.m - 1) / row.m) * ((request.problem.n + row.n - 1) / row.n);
  const std::int64_t at_once = std::int64_t{resident} * multiprocessors_of(request.target);
  const std::int64_t rounds = (blocks + at_once - 1) / at_once;
  return static_cast<double>(rounds * resident) * row.m * row.n * 100.0 / row.percent;
}

/// Whether a tile is so large that a block of it fills a multiprocessor; else several share one,
/// and one computes while another waits.
constexpr bool fills_multiprocessor(const MmaTiles& tiles) { return tiles.m * tiles.n > 128 * 128; }

/// Tiles of D in a matrix of the batch.
inline std::int64_t tiles_of(const MmaTiles& tiles, const Problem& problem) {
  return ((problem.m + tiles.m - 1) / tiles.m) * ((problem.n + tiles.n - 1) / tiles.n);
}

/// Whether copies for a tile of D may begin while the one before is multiplied: those ahead are
/// whole tiles along k, and not more than it has.
inline bool can_take_several(const MmaTiles& tiles, const Problem& problem) {
  return problem.dynamic == 0 && tiles.split_k == 1 && problem.k / tiles.k >= tiles.stages - 1;
}

/// As many blocks as run at the same time, each of which computes several tiles of D; or one for
/// each tile, where blocks share a multiprocessor.
inline std::int64_t blocks_of(const MmaTiles& tiles, const MmaRequest& request) {
  if (request.problem.dynamic != 0) return 0;
  const std::int64_t all = tiles_of(tiles, request.problem);
  if (!fills_multiprocessor(tiles) || !can_take_several(tiles, request.problem)) return all;
  const std::int64_t batch = request.problem.batch;
  return std::min(all, (multiprocessors_of(request.target) + batch - 1) / batch);
}

/// Why there cannot be that many blocks; empty where there can.
inline std::string blocks_refusal(const MmaTiles& tiles, const Problem& problem) {
  const std::int64_t all = tiles_of(tiles, problem);
  if (tiles.blocks == (problem.dynamic != 0 ? 0 : all)) return {};
  const std::string begin = std::to_string(tiles.blocks) + " blocks; ";
  if (problem.dynamic != 0)
    return begin + "where sizes are dynamic there is one for each tile of D";
  if (tiles.blocks < 0 || tiles.blocks > all)
    return begin + "at most one for each of the " + std::to_string(all) + " tiles of D";
  if (can_take_several(tiles, problem)) return {};
  return begin + "fewer than the " + std::to_string(all) +
         " tiles of D only where split_k is 1 and k at least the " +
         std::to_string((tiles.stages - 1) * tiles.k) + " that are copied ahead";
}

}  // namespace detail

/// The tiles of a block: those that were asked for, and else the fastest by an estimate. `why` says
/// how. Error: sizes that cannot be.
inline std::expected<MmaTiles, std::string> choose_tiles(const MmaRequest& request,
                                                         const instruction::Instruction& mma,
                                                         std::string& why) {
  MmaTiles tiles = request.asked;
  const int element_bytes = instruction::bits(request.problem.input) / 8;
  const bool by_registers = (request.a_alignment < 4 && !request.a_checked) ||
                            (request.b_alignment < 4 && !request.b_checked);
  const int most_sums = is_fma(mma) || request.problem.is_split() || by_registers ? 64 : 128;
  if (tiles.split_k > 1) return std::unexpected("split_k above 1; kernels for mma.sync have 1");
  if (tiles.k == 0) {
    tiles.k = std::max((by_registers ? 32 : 128) / element_bytes, mma.k);
    while (tiles.k > mma.k && tiles.k / 2 >= request.problem.k) tiles.k /= 2;
    if (is_fma(mma)) tiles.k = std::min(tiles.k, 16);
  }
  const auto stage_bytes = [&](int m, int n) {
    return static_cast<std::uint32_t>((m + n) * tiles.k * element_bytes);
  };
  if (tiles.m == 0 || tiles.n == 0) {
    const detail::BlockRow* best = nullptr;
    double least = 0;
    for (const detail::BlockRow& row : detail::block_rows) {
      if ((tiles.m != 0 && tiles.m != row.m) || (tiles.n != 0 && tiles.n != row.n)) continue;
      if (detail::sum_registers(row, mma) > most_sums) continue;
      if (row.m / row.warps_m < mma.m || row.n / row.warps_n < mma.n) continue;
      if (2 * stage_bytes(row.m, row.n) > most_shared_bytes_of(request.target)) continue;
      const double time = detail::time_of(row, request, row.m * row.n > 128 * 128 ? 1 : 2);
      if (best != nullptr && time >= least) continue;
      best = &row;
      least = time;
    }
    if (best == nullptr) return std::unexpected("no block of these sizes has room");
    tiles.m = best->m;
    tiles.n = best->n;
    if (tiles.warps_m == 0) tiles.warps_m = best->warps_m;
    if (tiles.warps_n == 0) tiles.warps_n = best->warps_n;
    const std::int64_t blocks = ((request.problem.m + tiles.m - 1) / tiles.m) *
                                ((request.problem.n + tiles.n - 1) / tiles.n);
    why = "least time by estimate: " + std::to_string(blocks) + " blocks on " +
          std::to_string(multiprocessors_of(request.target)) + " multiprocessors";
  } else {
    why = "as asked for";
  }
  if (tiles.warps_m == 0) tiles.warps_m = std::max(1, std::min(tiles.m / mma.m, tiles.m / 64));
  if (tiles.warps_n == 0) tiles.warps_n = std::max(1, std::min(tiles.n / mma.n, tiles.n / 64));
  // Thin tiles, and more of them ahead: measured on an H200 (docs/nvidia.md).
  const bool alone = detail::fills_multiprocessor(tiles);
  if (alone && request.asked.k == 0) tiles.k = std::max(tiles.k / 2, mma.k);
  if (tiles.stages == 0) {
    const std::uint32_t room =
        most_shared_bytes_of(request.target) / (stage_bytes(tiles.m, tiles.n) * (alone ? 1 : 2));
    const std::int64_t steps = (request.problem.k + tiles.k - 1) / tiles.k;
    tiles.stages = static_cast<int>(
        std::max<std::int64_t>(2, std::min<std::int64_t>({room, alone ? 6 : 4, steps + 1})));
  }
  if (tiles.group == 0) tiles.group = 8;
  if (tiles.split_k == 0) tiles.split_k = 1;
  const auto power = [](int x) { return x > 0 && (x & (x - 1)) == 0; };
  if (!power(tiles.m) || !power(tiles.n) || !power(tiles.k) || !power(tiles.warps_m) ||
      !power(tiles.warps_n))
    return std::unexpected("sizes of tiles and numbers of warps that are no powers of two");
  if (tiles.m / tiles.warps_m < mma.m || tiles.n / tiles.warps_n < mma.n || tiles.k < mma.k)
    return std::unexpected("a warp's tile of " + std::to_string(tiles.m / tiles.warps_m) + "x" +
                           std::to_string(tiles.n / tiles.warps_n) + "x" + std::to_string(tiles.k) +
                           " is smaller than the instruction's " + std::to_string(mma.m) + "x" +
                           std::to_string(mma.n) + "x" + std::to_string(mma.k));
  if (tiles.threads() > 1024 || tiles.stages < 2 || tiles.stages > 8 || tiles.group < 1)
    return std::unexpected("at most 32 warps, 2 to 8 stages and groups of at least 1 row");
  if (tiles.blocks == 0) tiles.blocks = static_cast<int>(detail::blocks_of(tiles, request));
  if (std::string refused = detail::blocks_refusal(tiles, request.problem); !refused.empty())
    return std::unexpected(std::move(refused));
  return tiles;
}

}  // namespace heddle::plan
