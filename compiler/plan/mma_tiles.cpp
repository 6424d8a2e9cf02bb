#include "compiler/plan/mma_tiles.h"

#include <algorithm>
#include <array>
#include <expected>
#include <span>
#include <string>

#include "compiler/plan/words.h"
#include "heddle/instruction/catalogue.h"
#include "library/text/formatted.h"

namespace heddle::plan {

const instruction::Instruction* find_mma(const MmaRequest& request) {
  using instruction::ElementType;
  const bool has_mma = request.multiply == ElementType::f64 && request.problem.combine == Step::add;
  if (fma_row(request.multiply) >= 0 && !has_mma) return &fma_for(request.multiply);
  if (instruction::bits(request.multiply) < 8) return nullptr;  // kernels multiply whole bytes
  const ElementType sum = sum_type_of(request.multiply);
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

namespace {

/// A possible tile of D for a thread block, and the block's warps. At most `together` such blocks
/// run on a multiprocessor at the same time. `percent` is the speed of a multiprocessor with
/// `together` blocks, compared with the best row of the table; `alone` is its speed with a single
/// block.
struct BlockRow {
  int m, n, warps_m, warps_n, percent, alone, together;
};

/// Thread blocks with mma.sync. `percent` was measured on an H200
/// (bench/records/nvidia_products.md). If two blocks share a multiprocessor, `alone` is assumed to
/// be half of `percent`.
inline constexpr std::array mma_rows{
    BlockRow{128, 256, 2, 4, 100, 100, 1}, BlockRow{256, 128, 4, 2, 100, 100, 1},
    BlockRow{128, 128, 2, 2, 95, 48, 2},   BlockRow{128, 64, 2, 2, 75, 38, 2},
    BlockRow{64, 128, 2, 2, 75, 38, 2},    BlockRow{64, 64, 2, 2, 60, 30, 2},
    BlockRow{64, 32, 2, 1, 40, 20, 2},     BlockRow{32, 64, 1, 2, 40, 20, 2},
    BlockRow{32, 32, 1, 1, 25, 13, 2}};

/// Blocks of multiply-adds of f32. Measured on an H100 (bench/gpu/plans_f32_h100.json).
inline constexpr std::array fma_block_rows{
    BlockRow{128, 128, 2, 2, 100, 53, 2}, BlockRow{256, 128, 4, 2, 99, 96, 1},
    BlockRow{128, 64, 2, 2, 92, 75, 4},   BlockRow{64, 128, 2, 2, 84, 72, 4},
    BlockRow{64, 64, 1, 2, 84, 33, 8},    BlockRow{64, 64, 2, 2, 67, 48, 6},
    BlockRow{32, 64, 1, 2, 64, 31, 8},    BlockRow{64, 32, 2, 1, 52, 28, 8},
    BlockRow{32, 32, 1, 1, 50, 15, 16}};

std::span<const BlockRow> rows_of(const instruction::Instruction& mma) {
  if (is_fma(mma)) return fma_block_rows;
  return mma_rows;
}

/// The number of tiles of m x n in one matrix D of the batch.
std::int64_t tiles_of(const Problem& problem, int m, int n) {
  return Tiling{m, n}.blocks_m(problem) * Tiling{m, n}.blocks_n(problem);
}

/// The number of registers of a thread's sums.
int sum_registers(const BlockRow& row, const instruction::Instruction& mma) {
  return row.m * row.n / (row.warps_m * row.warps_n * 32) * instruction::bits(mma.d_type) / 32;
}

/// True if a tile is so large that only one thread block runs on a multiprocessor. With smaller
/// tiles several blocks share a multiprocessor, and one computes while another waits.
constexpr bool fills_multiprocessor(int m, int n) { return std::int64_t{m} * n > 128 * 128; }

/// If k is split, each part writes its sums to memory, and they are read again. This is the cost of
/// writing or reading one sum, in multiplications of the best thread block. It is an estimate for
/// an H200: 4 bytes at 1/132 of 4.8 TB/s take 110 ps, and in a ps the best block does some 2
/// multiplications by mma.sync (bench/records/nvidia_products.md) and 0.2 by multiply-adds. If few
/// blocks run, each has more than 1/132 of the memory's speed.
constexpr double part_sum_products(const instruction::Instruction& mma) {
  return is_fma(mma) ? 20 : 150;
}

/// The cost of writing one element alone to shared memory, because its operand is transposed on the
/// way there, in multiplications of the best thread block. Estimated from the rows of
/// bench/gpu/plans_f32_h100.json with B transposed. The speeds of thread blocks (BlockRow) already
/// contain this cost for A.
inline constexpr double transposed_products = 8;

/// The estimated time for all thread blocks. The unit is the time that the best block takes for one
/// element of D.
double time_of(const BlockRow& row, const MmaRequest& request, const instruction::Instruction& mma,
               int splits) {
  const std::int64_t blocks =
      tiles_of(request.problem, row.m, row.n) * request.problem.batch * splits;
  const std::int64_t processors = instruction::processor(request.target).multiprocessors;
  const std::int64_t each = (blocks + processors - 1) / processors;
  // First as many rounds as have `together` blocks on each multiprocessor, then the blocks that are
  // left.
  const double whole = static_cast<double>(each - each % row.together) / row.percent;
  const auto rest = static_cast<double>(each % row.together);
  const double end =
      rest > 0 ? rest / std::min<double>(row.percent, static_cast<double>(row.alone) * rest) : 0;
  double transposed = 0;
  if (is_fma(mma) && request.problem.b.transposed) transposed += transposed_products / row.m;
  if (is_fma(mma) && request.problem.a.transposed) transposed -= transposed_products / row.n;
  const double products = (whole + end) * 100.0 * (1 + transposed) / splits;
  const double sums = splits == 1 ? 0 : (splits + 1) * part_sum_products(mma);
  return static_cast<double>(row.m) * row.n *
         (products + sums / static_cast<double>(request.problem.k));
}

/// Into how many parts the k of a tile may be split at most: each part must have a few steps, and
/// there must not be more thread blocks than run at the same time.
int most_splits(const BlockRow& row, const MmaRequest& request, int block_k) {
  if (request.problem.dynamic != 0) return 1;
  constexpr std::int64_t least_steps = 4, most = 32;
  const std::int64_t at_once =
      std::int64_t{row.together} * instruction::processor(request.target).multiprocessors;
  const std::int64_t steps = (request.problem.k + block_k - 1) / block_k;
  const std::int64_t tiles = tiles_of(request.problem, row.m, row.n) * request.problem.batch;
  return splits_of(steps, std::min(most, at_once / tiles), least_steps);
}

/// True if a thread block can compute several tiles of D and start the first copies for the next
/// tile while it multiplies the present one. The copies that are started ahead must be whole tiles
/// along k, and not more than one tile of D has.
bool can_take_several(const Tiling& tiles, const Problem& problem) {
  return problem.dynamic == 0 && tiles.split_k == 1 && problem.k / tiles.k >= tiles.stages - 1;
}

/// The number of thread blocks. Usually it is the number of blocks that run at the same time, and
/// each computes several tiles of D. But there is a block for each tile if several blocks share a
/// multiprocessor, or if the product is computed by multiply-adds, beside which copies take no
/// time.
std::int64_t blocks_of(const Tiling& tiles, const MmaRequest& request,
                       const instruction::Instruction& mma) {
  if (request.problem.dynamic != 0) return 0;
  const std::int64_t all = tiles_of(request.problem, tiles.m, tiles.n);
  if (is_fma(mma) || !fills_multiprocessor(tiles.m, tiles.n) ||
      !can_take_several(tiles, request.problem))
    return all;
  const std::int64_t batch = request.problem.batch;
  return std::min(all,
                  (instruction::processor(request.target).multiprocessors + batch - 1) / batch);
}

/// The reason why `tiles.blocks` cannot be the number of thread blocks; empty if it can.
std::string blocks_refusal(const Tiling& tiles, const Problem& problem) {
  const std::int64_t all = tiles_of(problem, tiles.m, tiles.n);
  if (tiles.blocks == (problem.dynamic != 0 ? 0 : all)) return {};
  const std::string begin = formatted("{} blocks; accepted: ", tiles.blocks);
  if (problem.dynamic != 0) return begin + "none where sizes are dynamic: each tile of D has one";
  if (tiles.blocks < 0 || tiles.blocks > all)
    return formatted("{}1 to {}, as many as D has tiles", begin, all);
  if (can_take_several(tiles, problem)) return {};
  return formatted(
      "{}{}, one for each tile of D (fewer where split_k is 1 and k at least the {} that are "
      "copied ahead)",
      begin, all, (tiles.stages - 1) * tiles.k);
}

/// How many registers a thread may have if `threads` threads run on a multiprocessor. Source: CUDA
/// C++ Programming Guide 13.0, "Technical Specifications per Compute Capability": 64 Ki registers
/// of a block, 255 of a thread.
constexpr int registers_beside(int threads) { return std::min(255, 64 * 1024 / threads); }

/// How many registers a thread needs at the same time for its sums and for its fragments of one
/// step along k.
int held_registers(const Tiling& tiles, const MmaRequest& request,
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

/// The parts of k are counted along z of the grid. A grid has at most 65535 blocks along z, so this
/// is the largest power of two below. Source: CUDA C++ Programming Guide, "Technical Specifications
/// per Compute Capability".
constexpr std::int64_t most_splits_of_grid = 32768;

/// The reason why these tiles are impossible, and which tiles would be possible; empty if they are
/// possible.
std::string refusal(const Tiling& tiles, const MmaRequest& request,
                    const instruction::Instruction& mma) {
  constexpr int most = 256;  // of a side
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
  if (bytes > instruction::processor(request.target).shared_bytes)
    return number(tiles.stages) + " stages of " + times(tiles.m, tiles.n) + "x" + number(tiles.k) +
           ", " + number(bytes) + " bytes of shared memory; accepted: at most " +
           number(instruction::processor(request.target).shared_bytes);
  return {};
}

}  // namespace

std::expected<Tiling, std::string> choose_tiles(const MmaRequest& request,
                                                const instruction::Instruction& mma,
                                                std::string& why) {
  Tiling tiles = request.asked;
  const int element_bytes = instruction::bits(request.problem.input) / 8;
  const bool by_registers = (request.a_alignment < 4 && !request.a_checked) ||
                            (request.b_alignment < 4 && !request.b_checked);
  const int most_sums = request.problem.is_split() || by_registers ? 64 : 128;
  if (tiles.k == 0) {
    tiles.k = std::max((by_registers ? 32 : 128) / element_bytes, mma.k);
    while (tiles.k > mma.k && tiles.k / 2 >= request.problem.k) tiles.k /= 2;
    if (is_fma(mma)) tiles.k = std::min(tiles.k, 16);
  }
  const auto stage_bytes = [&](std::int64_t m, std::int64_t n) {
    return (m + n) * tiles.k * element_bytes;
  };
  const BlockRow* best = nullptr;
  double least = 0;
  const auto consider = [&](const BlockRow& row) {
    const bool is_free = request.asked.blocks == 0;  // else a block may have several tiles instead
    const int most = is_free ? most_splits(row, request, tiles.k) : 1;
    for (int splits = 1; splits <= most; splits *= 2) {
      const int asked = request.asked.split_k;
      const double time = time_of(row, request, mma, asked != 0 ? asked : splits);
      if (best != nullptr && time >= least) continue;
      best = &row;
      least = time;
      tiles.split_k = asked != 0 ? asked : splits;
    }
  };
  const bool fills = fills_multiprocessor(tiles.m, tiles.n);
  const BlockRow whole{tiles.m, tiles.n,          tiles.warps_m, tiles.warps_n,
                       100,     fills ? 100 : 50, fills ? 1 : 2};
  if (tiles.m == 0 || tiles.n == 0) {
    for (const BlockRow& row : rows_of(mma)) {
      if ((tiles.m != 0 && tiles.m != row.m) || (tiles.n != 0 && tiles.n != row.n)) continue;
      if (sum_registers(row, mma) > most_sums) continue;
      if (row.m / row.warps_m < mma.m || row.n / row.warps_n < mma.n) continue;
      if (2 * stage_bytes(row.m, row.n) > instruction::processor(request.target).shared_bytes)
        continue;
      consider(row);
    }
    if (best == nullptr)
      return std::unexpected(
          formatted("k of {} or a block that is {}x{} (0: any); accepted: k that leaves room for "
                    "two stages, m and n both given, or one of 32, 64, 128 and 256",
                    tiles.k, tiles.m, tiles.n));
    tiles.m = best->m;
    tiles.n = best->n;
    if (tiles.warps_m == 0) tiles.warps_m = best->warps_m;
    if (tiles.warps_n == 0) tiles.warps_n = best->warps_n;
    const std::int64_t blocks =
        tiles_of(request.problem, tiles.m, tiles.n) * request.problem.batch * tiles.split_k;
    why = formatted("least time by estimate: {} blocks on {} multiprocessors{}", blocks,
                    instruction::processor(request.target).multiprocessors,
                    instruction::processor(request.target).is_assumed ? ", assumed" : "");
  } else {
    consider(whole);
    why = "as asked for";
  }
  if (tiles.warps_m == 0) tiles.warps_m = std::max(1, std::min(tiles.m / mma.m, tiles.m / 64));
  if (tiles.warps_n == 0) tiles.warps_n = std::max(1, std::min(tiles.n / mma.n, tiles.n / 64));
  // Large tiles: half the k in a tile, and more tiles in flight instead. Measured on an H200
  // (bench/records/nvidia_products.md).
  const bool alone = fills_multiprocessor(tiles.m, tiles.n);
  if (alone && request.asked.k == 0 && !is_fma(mma)) tiles.k = std::max(tiles.k / 2, mma.k);
  if (tiles.stages == 0) {
    const std::int64_t room = instruction::processor(request.target).shared_bytes /
                              (stage_bytes(tiles.m, tiles.n) * (alone ? 1 : 2));
    const std::int64_t steps =
        ((request.problem.k + tiles.k - 1) / tiles.k + tiles.split_k - 1) / tiles.split_k;
    const int most = is_fma(mma) ? 3 : alone ? 6 : 4;
    tiles.stages = static_cast<int>(
        std::max<std::int64_t>(2, std::min<std::int64_t>({room, most, steps + 1})));
  }
  if (tiles.group == 0) tiles.group = 8;
  if (std::string wrong = refusal(tiles, request, mma); !wrong.empty())
    return std::unexpected(std::move(wrong));
  if (std::string wrong = split_refusal(tiles, request.problem, most_splits_of_grid,
                                        std::int64_t{tiles.m} * tiles.n);
      !wrong.empty())
    return std::unexpected(std::move(wrong));
  if (tiles.blocks == 0) tiles.blocks = static_cast<int>(blocks_of(tiles, request, mma));
  if (std::string wrong = blocks_refusal(tiles, request.problem); !wrong.empty())
    return std::unexpected(std::move(wrong));
  return tiles;
}

std::vector<PlanFields> mma_blocks(const instruction::Instruction& mma) {
  std::vector<PlanFields> all;
  for (const BlockRow& row : rows_of(mma))
    all.push_back(
        {.block_m = row.m, .block_n = row.n, .warps_m = row.warps_m, .warps_n = row.warps_n});
  return all;
}

}  // namespace heddle::plan
