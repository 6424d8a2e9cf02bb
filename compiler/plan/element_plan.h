// The plan of a kernel without a product, in which each element of the results is computed by
// itself (compiler/request/element_program.h).
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
  /// The dynamic sizes of the largest result. The result has `elements` times the product of these
  /// sizes as its number of elements.
  std::vector<Loop> dynamic = {};

  /// How many elements that are adjacent along the last dimension of the results a thread computes
  /// together, so that it loads and stores up to 16 bytes at once. The size of the last dimension
  /// is a multiple of it.
  int together = 1;

  /// For tiles: if `read` is not -1, elements are read in another order than they are written, and
  /// thread blocks compute tiles of the results, which all have the shape `shape`. First, each
  /// thread computes elements that are adjacent along dimension `read`, along which what is read is
  /// contiguous. After an exchange through shared memory, it writes elements that are adjacent
  /// along the dimensions after `read`, along which the results are contiguous.
  std::vector<std::int64_t> shape = {};
  int read = -1;
  int bytes = 4;  // of the largest element of a result

  /// Set if elements depend on reductions that several threads share.
  std::optional<ElementRows> rows = {};

  static constexpr int most_threads = 256;  // of a block
  static constexpr int access_bytes = 16;   // arrays begin at multiples
  static constexpr int tile_bytes = 1 << 15;
  /// Threads go on to further elements where a grid of one thread for each would be longer.
  static constexpr std::int64_t most_blocks = std::int64_t{1} << 20;
  /// The most thread blocks if sizes are dynamic. Otherwise there would be at least one block for
  /// each index of the dynamic dimensions but the last, which is far too many if the last size is
  /// small.
  static constexpr std::int64_t most_dynamic_blocks = std::int64_t{1} << 13;

  static constexpr std::int64_t most_loop_threads = most_blocks * most_threads;

  /// True if a launch can count the threads of so many blocks; on AMD it has 32 bits for that.
  static constexpr bool is_counted(std::int64_t blocks, int threads) {
    constexpr std::int64_t end = std::int64_t{1} << 32;
    return blocks < end / threads;
  }

  constexpr bool has_tiles() const { return read >= 0; }

  /// For tiles, a result counts as matrices: a matrix has read_size() rows (dimension `read`) and
  /// write_size() columns (the dimensions after `read` together), and there are matrices() of them.
  constexpr std::int64_t read_size() const { return shape[static_cast<std::size_t>(read)]; }
  constexpr std::int64_t write_size() const { return count(shape.begin() + read + 1, shape.end()); }
  constexpr std::int64_t matrices() const { return count(shape.begin(), shape.begin() + read); }

  /// How many adjacent elements one access to global memory reads (along the rows) or writes (along
  /// the columns).
  constexpr int read_together() const { return together_of(read_size()); }
  constexpr int write_together() const { return together_of(write_size()); }
  /// How many positions along the columns a thread computes at once, for each of its
  /// read_together() positions along the rows: as many as one access to shared memory writes.
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
  /// The number of pieces of a tile, where a piece is what a thread computes at once. If a tile has
  /// more pieces than threads, the threads go on with the next pieces.
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
