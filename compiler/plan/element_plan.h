// The plan of a kernel without a product that computes each element of its results by itself
// (compiler/request/element_program.h).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "compiler/plan/element_rows.h"
#include "compiler/plan/launch_grid.h"
#include "heddle/instruction/target.h"
#include "heddle/plan/problem.h"

namespace heddle::plan {

struct ElementPlan {
  Problem problem;
  instruction::Target target{};
  std::int64_t elements = 1;  // of the largest result; of dynamic sizes the known factor
  /// The dynamic sizes of the largest result: it has `elements` times their product.
  std::vector<Loop> dynamic = {};

  /// Neighbours along the last dimension of all results that a thread computes together, so that
  /// they are loaded and stored by accesses of up to 16 bytes. It divides that dimension.
  int together = 1;

  /// Where elements are read in another order than they are written, blocks compute tiles: threads
  /// compute neighbours along dimension `read` of the results, which have this shape, and after an
  /// exchange through shared memory they write neighbours along the dimensions behind it, which
  /// lie in memory as one. -1: no tiles.
  std::vector<std::int64_t> shape = {};
  int read = -1;
  int bytes = 4;  // of the largest element of a result

  /// Where elements depend on reductions, which threads share.
  std::optional<ElementRows> rows = {};

  static constexpr int most_threads = 256;  // of a block
  static constexpr int access_bytes = 16;   // arrays begin at multiples
  static constexpr int tile_bytes = 1 << 15;
  /// Threads go on to further elements where a grid of one thread for each would be longer.
  static constexpr std::int64_t most_blocks = std::int64_t{1} << 20;
  /// The same where sizes are dynamic: a block for 256 of the last size would be many for a short
  /// one.
  static constexpr std::int64_t most_dynamic_blocks = std::int64_t{1} << 13;

  static constexpr std::int64_t most_loop_threads = most_blocks * most_threads;

  /// True if a launch counts the threads of so many blocks: those of AMD have 32 bits for that.
  static constexpr bool is_counted(std::int64_t blocks, int threads) {
    constexpr std::int64_t end = std::int64_t{1} << 32;
    return blocks < end / threads;
  }

  constexpr bool has_tiles() const { return read >= 0; }

  /// The elements along the dimension that is read, along those that are written, and how many
  /// such matrices there are.
  constexpr std::int64_t read_size() const { return shape[static_cast<std::size_t>(read)]; }
  constexpr std::int64_t write_size() const { return count(shape.begin() + read + 1, shape.end()); }
  constexpr std::int64_t matrices() const { return count(shape.begin(), shape.begin() + read); }

  /// The neighbours of one access of global memory.
  constexpr int read_together() const { return together_of(read_size()); }
  constexpr int write_together() const { return together_of(write_size()); }
  /// A thread computes so many rows of neighbours, one behind the other, as one access of shared
  /// memory writes.
  constexpr int rows_together() const { return std::min(write_together(), 8); }

  /// The sizes of a tile: 32 KiB where accesses have 16 bytes, and no more than there is. Rows that
  /// are read have 256 bytes where they can: with 128 a transpose took 3 % longer on an H200.
  constexpr int read_tile() const {
    constexpr int most[] = {256, 128, 64, 64};
    return tile_of(read_size(), std::min(32 * read_together(),
                                         most[std::countr_zero(static_cast<unsigned>(bytes))]));
  }
  constexpr int write_tile() const {
    const int most = std::min(bytes == 1 ? 256 : 128, tile_bytes / bytes / read_tile());
    return tile_of(write_size(), std::min(32 * write_together(), most));
  }
  /// Threads compute so many neighbours of rows each, and go on to the next.
  constexpr int pieces() const {
    return read_tile() / read_together() * (write_tile() / rows_together());
  }
  constexpr std::int64_t read_tiles() const { return (read_size() - 1) / read_tile() + 1; }
  constexpr std::int64_t write_tiles() const { return (write_size() - 1) / write_tile() + 1; }

  constexpr int threads() const {
    if (rows) return rows->threads();
    return has_tiles() ? std::clamp(pieces(), 32, most_threads) : most_threads;
  }

  constexpr LaunchGrid grid() const {
    const std::int64_t each = std::int64_t{threads()} * together;
    std::int64_t blocks = std::min((elements + each - 1) / each, most_blocks);
    if (has_tiles()) blocks = read_tiles() * write_tiles() * matrices();
    if (rows) blocks = rows->blocks();
    if (dynamic.empty()) return {LaunchNumber{blocks, {}}};
    LaunchNumber number{std::min(blocks, most_dynamic_blocks), {}};
    number.most = std::max<std::int64_t>(most_dynamic_blocks / number.times, 1);
    for (std::size_t i = 0; i < dynamic.size(); ++i) number.tiles[i] = {dynamic[i], 1};
    number.tiles[dynamic.size() - 1].size = std::max<std::int64_t>(each / elements, 1);
    return {number};
  }

 private:
  template <class Iterator>
  static constexpr std::int64_t count(Iterator begin, Iterator end) {
    std::int64_t all = 1;
    for (; begin != end; ++begin) all *= *begin;
    return all;
  }
  constexpr int together_of(std::int64_t size) const {
    return static_cast<int>(std::gcd(size, std::int64_t{access_bytes / bytes}));
  }
  static constexpr int tile_of(std::int64_t size, int most) {
    return static_cast<int>(std::min<std::int64_t>(
        most, static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(size)))));
  }
};

}  // namespace heddle::plan
