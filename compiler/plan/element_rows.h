// How threads share the work of sums and other reductions on whose results several elements depend
// (compiler/elements/row_function.h).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "compiler/plan/split_memory.h"

namespace heddle::plan {

/// A row is the set of elements that a reduction combines to one result. `by_columns` says how rows
/// lie in memory: if false, adjacent elements of memory belong to the same row; if true, they
/// belong to adjacent rows.
struct ElementRows {
  std::int64_t rows = 1;
  std::int64_t elements = 1;  // of a row
  bool by_columns = false;
  int together = 1;     // neighbours that a thread loads by one access
  bool splits = false;  // blocks may share a row: nothing but one reduction's results is written
  int words = 1;        // of 32 bits: the results of a row

  // Chosen from those.
  int lanes = 1;          // threads that share a row, a power of two
  int rows_of_block = 1;  // of groups of rows, in `by_columns`
  int parts = 1;          // blocks that share a row

  static constexpr std::int64_t access_bytes = 16;
  static constexpr int block_threads = 256, most_threads = 1024;
  static constexpr int columns = 32;   // threads next to each other in `by_columns`
  static constexpr int at_once = 4;    // accesses on their way
  static constexpr int enough = 1056;  // blocks: 8 for each multiprocessor of a large GPU

  constexpr int threads() const { return std::max(block_threads, by_columns ? 0 : lanes); }
  /// How many groups of rows there are, where a group is what a thread reduces at once: one row or,
  /// with `by_columns`, `together` adjacent rows.
  constexpr std::int64_t groups() const { return by_columns ? rows / together : rows; }
  /// How many accesses it takes to read the elements of one row (with `by_columns`: of one group of
  /// rows).
  constexpr std::int64_t steps() const { return by_columns ? elements : elements / together; }
  /// How many of these accesses one thread makes, if no other thread block shares the row.
  constexpr std::int64_t accesses() const { return (steps() - 1) / lanes + 1; }
  /// Few enough to stay in registers.
  constexpr bool is_short() const {
    return !by_columns && parts == 1 && accesses() * together <= 32;
  }
  constexpr std::int64_t tiles() const { return (groups() - 1) / rows_of_block + 1; }
  constexpr std::int64_t blocks() const { return tiles() * parts; }
  /// Of one part, in steps.
  constexpr std::int64_t part_steps() const {
    const std::int64_t round = std::int64_t{lanes} * at_once;
    return ((steps() - 1) / parts / round + 1) * round;
  }
  constexpr SplitMemory split_memory() const {
    const std::int64_t words_of_part =
        by_columns ? std::int64_t{columns} * words * together : (std::int64_t{words} + 3) / 4 * 4;
    return {.tiles = tiles(), .splits = parts, .part_words = words_of_part};
  }

  constexpr void choose() {
    if (by_columns) {
      rows_of_block = columns;
      lanes = block_threads / columns;
    } else {
      const auto power = [](std::int64_t of) {
        return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(of)));
      };
      const std::int64_t most = std::min<std::int64_t>(most_threads, power(steps()));
      std::int64_t all = std::min(most, power((steps() - 1) / at_once + 1));
      while (all < most && rows * all < std::int64_t{enough} * block_threads / 2) all *= 2;
      if (splits && rows < enough / 4 && steps() >= 8 * block_threads) all = block_threads;
      lanes = static_cast<int>(all);
      rows_of_block = threads() / lanes;
    }
    if (!splits || rows_of_block * lanes != block_threads || (!by_columns && rows_of_block != 1))
      return;
    const std::int64_t most = steps() / (std::int64_t{lanes} * at_once);
    parts = static_cast<int>(
        std::clamp<std::int64_t>(enough / tiles(), 1, std::max<std::int64_t>(most, 1)));
    parts = static_cast<int>((steps() - 1) / part_steps() + 1);
  }
};

}  // namespace heddle::plan
