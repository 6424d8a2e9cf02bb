// The plan of a matrix product for sm_90a: the tile that a thread block computes, the roles of its
// threads, and the number of tiles of A and B in flight. warpgroup_planner.h makes it.
//
// In this file a block is a thread block.
// - A block has one warpgroup (128 threads) whose first thread starts copies of the tensor memory
// accelerator (the producer), and one to three warpgroups that multiply with wgmma (consumers).
// Each consumer computes a band of rows of the block's tile.
// - Blocks are persistent: each computes tile after tile.
// - Blocks of a cluster compute neighbouring tiles. An operand that several of them need is copied
// once: each block copies a part of it to the shared memory of all.
// - If D has too few tiles for all multiprocessors, several blocks compute one tile, each over a
// different range of k (split k).
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "compiler/plan/launch_grid.h"
#include "compiler/plan/split_memory.h"
#include "heddle/instruction/instruction.h"
#include "heddle/instruction/shared_operand.h"
#include "heddle/instruction/target.h"
#include "heddle/plan/problem.h"

namespace heddle::plan {

/// The processor with wgmma. A persistent kernel fills its multiprocessors with one block each.
inline constexpr const instruction::ProcessorRow& hopper =
    instruction::processor(instruction::Target::sm_90a);

/// The largest number of blocks in a cluster that every GPU of compute capability 9 supports.
/// Source: CUDA C++ Programming Guide, "Thread Block Clusters": 8 is the portable size.
inline constexpr int most_cluster = 8;

/// The largest number of stages (a stage is a tile of A and a tile of B in shared memory). Chosen:
/// more stages hide no more of the memory's latency.
inline constexpr int most_stages = 8;

inline constexpr int warpgroup_lanes = 128;
inline constexpr int warps_of_warpgroup = 4;
inline constexpr int wgmma_rows = 64;            // of one instruction
inline constexpr int warp_rows = 16;             // and of these each warp's
inline constexpr int swizzled_line_bytes = 128;  // of every tile in shared memory

/// The box of elements that one copy of the tensor memory accelerator moves, and the number of
/// copies that a thread block starts for its part of an operand's tile.
struct CopyBox {
  int line_elements;     // along the contiguous axis
  int lines;             // across it
  int copies;            // by each block: of panels one after the other
  bool of_lines;         // shared by blocks of a cluster: a part is some lines of every panel
  int bytes_of_part;     // from one block's part to the next, in shared memory
  int elements_of_part;  // the same across lines, or, where a part is whole panels, along them
};

struct WarpgroupPlan {
  Problem problem;
  int block_m = 128, block_n = 256, block_k = 64;
  int consumers = 2;  // warpgroups that multiply
  int stages = 4;     // tiles of A and B that shared memory holds
  int cluster_m = 2, cluster_n = 1;
  int split_k = 1;    // clusters that compute the same tiles, each a part of their k
  int group_m = 8;    // rows of cluster tiles that are walked through column by column
  int in_flight = 1;  // k steps that may still multiply while the next begins: 0 or 1
  int producer_registers = 40, consumer_registers = 232;
  int blocks = hopper.multiprocessors;  // of the grid: at most one of a multiprocessor
  bool result_is_mapped = true;  // D leaves through shared memory, else straight from registers
  bool is_transposed = false;    // the kernel computes D^T: A is the product's B, B its A
  bool by_columns = false;       // D, of 16 bits: neighbours in memory are those of a column
  instruction::Major a_major = instruction::Major::k;
  instruction::Major b_major = instruction::Major::mn;

  constexpr int threads() const { return (consumers + 1) * warpgroup_lanes; }
  constexpr int cluster() const { return cluster_m * cluster_n; }  // its blocks
  constexpr int input_bytes() const { return instruction::bits(problem.input) / 8; }
  constexpr int result_bytes() const { return instruction::bits(problem.result) / 8; }
  constexpr int consumer_rows() const { return block_m / consumers; }
  /// The number of wgmma instructions, 64 rows each, that cover a consumer's band of rows.
  constexpr int bands() const { return consumer_rows() / wgmma_rows; }
  /// True if wgmma's sum over one k step is added to separate f32 sums after the step
  /// (F8Sums::promoted).
  constexpr bool promotes() const {
    return problem.has_short_sums() && problem.f8 == F8Sums::promoted;
  }
  /// Registers of a thread that multiplies.
  constexpr int sum_registers() const { return bands() * block_n / 2 * (promotes() ? 2 : 1); }
  /// The k of one instruction: as many elements as 32 bytes hold.
  constexpr int atom_k() const { return 32 / input_bytes(); }
  constexpr int a_bytes() const { return block_m * block_k * input_bytes(); }
  constexpr int b_bytes() const { return b_columns() * block_k * input_bytes(); }
  /// The columns of B that shared memory holds: block_n, or, if B is contiguous along n, block_n
  /// rounded up to whole lines of 128 bytes.
  constexpr int b_columns() const {
    const int line = swizzled_line_bytes / input_bytes();
    return b_major == instruction::Major::k ? block_n : (block_n + line - 1) / line * line;
  }
  constexpr int stage_bytes() const { return a_bytes() + b_bytes(); }

  /// Results go through shared memory in pieces, which consist of lines of 128 bytes. If D is
  /// row-major, each warp stores pieces of its 16 rows, and a row of a piece is a line. If D is
  /// column-major, each warpgroup stores pieces of 64 columns, and the 64 rows of a column are a
  /// line. Two pieces alternate: one is written while the other is copied to D.
  static constexpr int pieces = 2;
  constexpr int piece_lines() const { return by_columns ? 64 : warp_rows; }
  constexpr int piece_bytes() const { return piece_lines() * swizzled_line_bytes; }
  constexpr int piece_columns() const {
    return by_columns ? piece_lines() : swizzled_line_bytes / result_bytes();
  }
  static constexpr int result_bytes_of_consumer = 4 * pieces * warp_rows * swizzled_line_bytes;
  constexpr int result_start() const { return stages * stage_bytes(); }
  constexpr int barriers_start() const {
    return result_start() + consumers * result_bytes_of_consumer;
  }
  /// The offset in shared memory of a flag, used if k is split. It tells all threads of a block
  /// whether this block is the last to finish its part of the tile.
  constexpr int word_start() const { return barriers_start() + 2 * 8 * stages; }
  /// The offset in shared memory of the f32 scales of a tile's rows and columns, of all stages
  /// (Problem::scaled_columns). It is a multiple of 16 bytes, as bulk copies require.
  constexpr int scales_start() const {
    const int end = word_start() + (split_k > 1 ? 8 : 0);
    return problem.scaled_columns == 0 ? end : (end + 15) / 16 * 16;
  }
  constexpr int columns_of_scale() const {
    return static_cast<int>(std::min<std::int64_t>(block_n, problem.scaled_columns));
  }
  constexpr int scale_bytes() const {
    return problem.scaled_columns == 0
               ? 0
               : (4 * (block_m + block_n / columns_of_scale()) + 15) / 16 * 16;
  }
  constexpr int shared_bytes() const { return scales_start() + stages * scale_bytes(); }

  /// True if a tile has at least as many columns as a piece. Otherwise results are stored to D
  /// straight from registers.
  constexpr bool has_lines() const { return block_n >= piece_columns(); }

  constexpr std::int64_t tiles() const { return tiles_m() * tiles_n() * problem.batch; }
  constexpr std::int64_t tiles_m() const { return (problem.m + block_m - 1) / block_m; }
  constexpr std::int64_t tiles_n() const { return (problem.n + block_n - 1) / block_n; }
  /// True if the last tiles along m are moved up so that all their rows are inside D. They then
  /// compute again some rows of the tile before.
  constexpr bool repeats_rows() const {
    return problem.may_repeat_rows && !problem.is_dynamic(Loop::m) && problem.m > block_m &&
           cluster_m == 1;
  }
  constexpr std::int64_t k_steps() const { return (problem.k + block_k - 1) / block_k; }

  /// The number of thread blocks that are launched, in whole clusters. There is one cluster for
  /// each part of k of each group of tiles that a cluster computes, but at most as many clusters as
  /// run at the same time. Each part of k gets the same number of clusters, and at least one.
  constexpr LaunchGrid grid() const {
    const LaunchNumber::Tiles m{Loop::m, std::int64_t{block_m} * cluster_m};
    const LaunchNumber::Tiles n{Loop::n, std::int64_t{block_n} * cluster_n};
    return {LaunchNumber{.times = cluster() * split_k,
                         .tiles = {m, n, {Loop::batch, 1}},
                         .most = std::max(1, hopper.multiprocessors / (cluster() * split_k))}};
  }

  /// The number of tiles along `loop`, rounded up to whole clusters. If the size of the loop is
  /// dynamic, its maximum is used.
  constexpr std::int64_t most_tiles(Loop loop) const {
    const std::int64_t most =
        problem.is_dynamic(loop) ? problem.most[static_cast<unsigned>(loop)] : problem.size(loop);
    const std::int64_t sharers = loop == Loop::m ? cluster_m : loop == Loop::n ? cluster_n : 1;
    const std::int64_t block = sharers * (loop == Loop::m   ? block_m
                                          : loop == Loop::n ? block_n
                                                            : 1);
    return (most + block - 1) / block * sharers;
  }

  /// The global memory in which the blocks that share the k of a tile add up their partial sums.
  constexpr SplitMemory split_memory() const {
    return {most_tiles(Loop::m) * most_tiles(Loop::n) * most_tiles(Loop::batch), split_k,
            std::int64_t{block_m} * block_n};
  }

  /// If true, neighbouring clusters work on the same part of k of different tiles; if false, on
  /// different parts of k of the same tile. It is true if more than two tiles read the same rows of
  /// A, and more than two the same columns of B: neighbouring multiprocessors then read the same
  /// data from L2. Measured on an H100 (bench/records/notes/2026-11-27-nvidia_kernels.md).
  constexpr bool groups_parts() const {
    return split_k > 1 && std::min(most_tiles(Loop::m), most_tiles(Loop::n)) > 2;
  }

  /// An operand's tile in shared memory consists of one panel or several, one after the other. A
  /// panel is 128 bytes wide along the contiguous axis, and as long as the tile along the other
  /// axis. One copy of the tensor memory accelerator brings a panel.
  constexpr instruction::SharedTile panel(instruction::Operand operand) const {
    const bool is_a = operand == instruction::Operand::a;
    const instruction::Major major = is_a ? a_major : b_major;
    const int line = swizzled_line_bytes / input_bytes();
    const bool k_major = major == instruction::Major::k;
    return {.operand = operand,
            .mn = k_major ? (is_a ? block_m : b_columns()) : line,
            .k = k_major ? line : block_k,
            .bits = 8 * input_bytes(),
            .major = major,
            .swizzle = instruction::Swizzle::bytes128};
  }
  constexpr int panel_bytes(instruction::Operand operand) const {
    const instruction::SharedTile tile = panel(operand);
    return tile.mn * tile.k * input_bytes();
  }
  constexpr int panels(instruction::Operand operand) const {
    return (operand == instruction::Operand::a ? a_bytes() : b_bytes()) / panel_bytes(operand);
  }

  /// The number of blocks of a cluster that need the same tile of the operand, and share its
  /// copying.
  constexpr int sharers(instruction::Operand operand) const {
    return operand == instruction::Operand::a ? cluster_n : cluster_m;
  }

  /// How the blocks of a cluster that need the same tile of an operand share its copying. Each
  /// block copies:
  /// - some of the panels, if the operand is contiguous along m or n, and the number of panels is
  /// divisible by the number of these blocks;
  /// - otherwise some lines of each panel.
  ///
  /// If the operand is contiguous along k, is not shared by blocks, and has fewer lines (rows or
  /// columns) than the tile, only the existing lines are copied. The shared memory behind them
  /// keeps old bytes, which affect only sums outside of D.
  constexpr CopyBox copy_box(instruction::Operand operand) const {
    const instruction::SharedTile tile = panel(operand);
    const bool k_major = tile.major == instruction::Major::k;
    const int shared_by = sharers(operand);
    const int line = swizzled_line_bytes / input_bytes();
    const bool of_lines = k_major || panels(operand) % shared_by != 0;
    const int lines = (k_major ? tile.mn : tile.k) / (of_lines ? shared_by : 1);
    const int copies = panels(operand) / (of_lines ? 1 : shared_by);
    const Loop loop = operand == instruction::Operand::a ? Loop::m : Loop::n;
    const std::int64_t most =
        problem.is_dynamic(loop) ? problem.most[static_cast<unsigned>(loop)] : problem.size(loop);
    const bool is_short = k_major && shared_by == 1 && most != 0;
    return {.line_elements = line,
            .lines = is_short ? static_cast<int>(std::min<std::int64_t>(lines, most)) : lines,
            .copies = copies,
            .of_lines = of_lines,
            .bytes_of_part = of_lines ? lines * swizzled_line_bytes : copies * panel_bytes(operand),
            .elements_of_part = of_lines ? lines : copies * line};
  }

  /// The bytes that arrive in one stage of a block: those that the block copies, and those that
  /// other blocks of the cluster copy for it.
  constexpr int copied_bytes() const {
    const auto bytes = [&](instruction::Operand operand) {
      const CopyBox box = copy_box(operand);
      return sharers(operand) * box.copies * box.lines * swizzled_line_bytes;
    };
    return bytes(instruction::Operand::a) + bytes(instruction::Operand::b);
  }

  /// True if the operand's tile divides evenly among `count` blocks. Each block's part must be a
  /// whole number of panels, or a whole number of 8 lines of each panel, since the swizzle of 128
  /// bytes repeats after 8 lines.
  constexpr bool divides_among(int count, instruction::Operand operand) const {
    const instruction::SharedTile tile = panel(operand);
    const bool k_major = tile.major == instruction::Major::k;
    if (count < 1) return false;
    return (!k_major && panels(operand) % count == 0) ||
           (k_major ? tile.mn : tile.k) / 8 % count == 0;
  }

  /// The wgmma descriptor of the part of the operand that begins at row or column `mn` and at `k`
  /// of the tile. Its address is relative to the tile: it counts from the tile's first byte.
  constexpr instruction::MatrixDescriptor descriptor(instruction::Operand operand, int mn,
                                                     int k) const {
    const instruction::SharedTile tile = panel(operand);
    const bool k_major = tile.major == instruction::Major::k;
    const int at = k_major ? k / tile.k : mn / tile.mn;
    auto descriptor =
        instruction::matrix_descriptor(tile, static_cast<std::uint32_t>(at * panel_bytes(operand)),
                                       k_major ? mn : mn % tile.mn, k_major ? k % tile.k : k);
    // Along m or n, two neighbouring lines of 128 bytes are in neighbouring panels.
    if (!k_major) descriptor.leading_bytes = static_cast<std::uint32_t>(panel_bytes(operand));
    return descriptor;
  }
};

/// The wgmma instruction that the plan's kernel uses. Precondition: wgmma has an instruction for
/// the element type of the problem's input.
instruction::Instruction wgmma_of(const WarpgroupPlan& plan);

/// The instruction with its n: "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16".
std::string instruction_text(const WarpgroupPlan& plan);

}  // namespace heddle::plan
