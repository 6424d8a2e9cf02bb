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

/// Registers of a thread that runs beside so many others on a multiprocessor. Source: CUDA C++
/// Programming Guide 13.0, "Technical Specifications per Compute Capability": 64 Ki registers of a
/// block, 255 of a thread.
constexpr int registers_beside(int threads) { return std::min(255, 64 * 1024 / threads); }

/// Registers that a thread needs at once for its sums and for the fragments of one step of k.
inline int held_registers(const MmaTiles& tiles, const MmaRequest& request,
                          const instruction::Instruction& mma) {
  using instruction::Operand;
  const auto of = [&](Operand operand, int atoms) {
    const layout::LinearLayout fragment = instruction::fragment(mma, operand);
    const int bits = fragment.inputs().bits_of("element") + fragment.inputs().bits_of("register");
    return (atoms * instruction::bits(mma.type(operand)) << bits) / 32;
  };
  const int atoms_m = tiles.m / tiles.warps_m / mma.m, atoms_n = tiles.n / tiles.warps_n / mma.n;
  return of(Operand::d, atoms_m * atoms_n) +
         planes(request.problem) * (of(Operand::a, atoms_m) + of(Operand::b, atoms_n));
}

/// Why there is no block of these tiles, and what there is; empty if there is.
inline std::string refusal(const MmaTiles& tiles, const MmaRequest& request,
                           const instruction::Instruction& mma) {
  const auto number = [](std::int64_t x) { return std::to_string(x); };
  const auto times = [&](int x, int y) { return number(x) + "x" + number(y); };
  constexpr int most = 256;  // of a side
  const auto is_size = [](int size, int least, int largest) {
    return size >= least && size <= largest && (size & (size - 1)) == 0;
  };
  const std::string block = "a block of " + times(tiles.m, tiles.n) + "x" + number(tiles.k);
  if (!is_size(tiles.m, mma.m, most) || !is_size(tiles.n, mma.n, most) ||
      !is_size(tiles.k, mma.k, most))
    return block + "; accepted: powers of two, " + number(mma.m) + " to 256 for m, " +
           number(mma.n) + " to 256 for n, " + number(mma.k) + " to 256 for k";
  if (!is_size(tiles.warps_m, 1, tiles.m / mma.m) || !is_size(tiles.warps_n, 1, tiles.n / mma.n) ||
      tiles.warps() > 32)
    return times(tiles.warps_m, tiles.warps_n) +
           " warps; accepted: powers of two, at most 32 in all, each with at least " +
           times(mma.m, mma.n) + " of the block's " + times(tiles.m, tiles.n);
  if (tiles.stages < 2 || tiles.stages > 8)
    return number(tiles.stages) + " stages; accepted: 2 to 8";
  const int held = held_registers(tiles, request, mma);
  const int room = registers_beside(tiles.threads());
  if (held > room)
    return block + " for " + times(tiles.warps_m, tiles.warps_n) + " warps, " + number(held) +
           " registers of sums and fragments a thread; accepted: at most " + number(room) +
           " beside " + number(tiles.threads()) + " threads";
  const std::int64_t bytes = std::int64_t{tiles.m + tiles.n} * tiles.k * tiles.stages *
                             instruction::bits(request.problem.input) / 8;
  if (bytes > most_shared_bytes_of(request.target))
    return number(tiles.stages) + " stages of " + times(tiles.m, tiles.n) + "x" + number(tiles.k) +
           ", " + number(bytes) + " bytes of shared memory; accepted: at most " +
           number(most_shared_bytes_of(request.target));
  return {};
}

}  // namespace detail

/// The tiles of a block: those that were asked for, and else the fastest by an estimate. `why` says
/// how. Error: sizes that cannot be.
inline std::expected<MmaTiles, std::string> choose_tiles(const MmaRequest& request,
                                                         const instruction::Instruction& mma,
                                                         std::string& why) {
  MmaTiles tiles = request.asked;
  const int element_bytes = instruction::bits(request.problem.input) / 8;
  const bool by_registers = std::min(request.a_alignment, request.b_alignment) < 4;
  const int most_sums = is_fma(mma) || request.problem.is_split() || by_registers ? 64 : 128;
  if (tiles.split_k > 1) return std::unexpected("split_k above 1; kernels for mma.sync have 1");
  if (tiles.k == 0) {
    tiles.k = std::max((by_registers ? 32 : 128) / element_bytes, mma.k);
    while (tiles.k > mma.k && tiles.k / 2 >= request.problem.k) tiles.k /= 2;
    if (is_fma(mma)) tiles.k = std::min(tiles.k, 16);
  }
  const auto stage_bytes = [&](std::int64_t m, std::int64_t n) {
    return (m + n) * tiles.k * element_bytes;
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
    if (best == nullptr)
      return std::unexpected("k of " + std::to_string(tiles.k) + " or a block that is " +
                             std::to_string(tiles.m) + "x" + std::to_string(tiles.n) +
                             " (0: any); accepted: k that leaves room for two stages, m and n both "
                             "given, or one of 32, 64, 128 and 256");
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
  if (tiles.stages == 0) {
    const std::int64_t stage = stage_bytes(tiles.m, tiles.n);
    const int blocks = std::int64_t{tiles.m} * tiles.n > 128 * 128 ? 1 : 2;  // at a time
    const std::int64_t room = most_shared_bytes_of(request.target) / (stage * blocks);
    const std::int64_t steps = (request.problem.k + tiles.k - 1) / tiles.k;
    tiles.stages =
        static_cast<int>(std::max<std::int64_t>(2, std::min<std::int64_t>({room, 4, steps + 1})));
  }
  if (tiles.group == 0) tiles.group = 8;
  if (tiles.split_k == 0) tiles.split_k = 1;
  if (std::string wrong = detail::refusal(tiles, request, mma); !wrong.empty())
    return std::unexpected(std::move(wrong));
  return tiles;
}

}  // namespace heddle::plan
