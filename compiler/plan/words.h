// Phrases that the planners of all machines share.
#pragma once

#include <cstdint>
#include <string>

#include "compiler/plan/product_plan.h"
#include "library/text/formatted.h"

namespace heddle::plan {

inline std::string number(std::int64_t value) { return formatted("{}", value); }

inline std::string times(std::int64_t x, std::int64_t y) { return number(x) + "x" + number(y); }

/// The entry "split k" of the list of choices by which a plan is explained to the user. `blocks` is
/// the vendor's name for thread blocks; several of them share the k of one tile.
inline Choice split_choice(const SplitMemory& memory, const std::string& blocks) {
  return {"split k", number(memory.splits),
          number(memory.tiles) + " tiles of D: " + number(memory.splits) + " " + blocks +
              " share the k of each, and the last to end adds the parts in their order, so that "
              "results are the same every time; " +
              number(memory.bytes()) + " bytes of memory beside the matrices"};
}

/// A message with the mistake in the split of k that the user requested, and with what is accepted;
/// empty if there is no mistake. The k of a tile may be split into at most `most` parts, and each
/// part stores `part_words` 32-bit sums.
inline std::string split_refusal(const Tiling& tiles, const Problem& problem, std::int64_t most,
                                 std::int64_t part_words) {
  if (tiles.split_k == 1) return {};
  const std::string found = "a split of k in " + number(tiles.split_k) + "; accepted: ";
  if (problem.dynamic != 0) return found + "1, since sizes are dynamic";
  const std::int64_t steps = tiles.k_steps(problem);
  if (splits_of(steps, tiles.split_k, 1) != tiles.split_k || tiles.split_k > most)
    return found + "powers of two, up to " + number(splits_of(steps, most, 1)) + " here";
  const std::int64_t count = tiles.blocks_m(problem) * tiles.blocks_n(problem) * problem.batch;
  if (SplitMemory{count, tiles.split_k, part_words}.bytes() >> 31 != 0)
    return found + "1, since D has " + number(count) + " tiles";
  return {};
}

}  // namespace heddle::plan
