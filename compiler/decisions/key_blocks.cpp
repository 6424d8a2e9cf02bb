#include "compiler/decisions/key_blocks.h"

#include <algorithm>

#include "compiler/decisions/key_ranges.h"
#include "compiler/plan/words.h"

namespace heddle::compiler {
namespace {

struct Span {
  std::int64_t first = 0, end = 0;
};

std::int64_t blocks_of(std::int64_t size, std::int64_t of) { return (size + of - 1) / of; }

// The keys are taken in blocks of consecutive keys. For a set of consecutive rows (queries): `seen`
// are the blocks in which some row may see a key or, if masked keys may not be left out, all
// blocks; `plain` are blocks in which every row sees every key, so that the block needs no mask.
struct Blocks {
  Span seen, plain;
};
Blocks blocks_of(const ScoreFormula& formula, std::int64_t keys, std::int64_t batch,
                 std::int64_t first, std::int64_t rows) {
  const std::int64_t all = blocks_of(formula.keys, keys);
  if (!formula.has_mask()) return {{0, all}, {0, formula.keys / keys}};
  first = std::min(first, formula.rows - 1);
  const std::int64_t last = std::min(first + rows, formula.rows) - 1;
  const auto [possible, certain] =
      KeyRanges<KnownArithmetic>({}, formula, {batch, first, last}).ranges();
  Blocks made{{0, all}, {blocks_of(certain.first, keys), certain.end / keys}};
  if (formula.may_skip) made.seen = {possible.first / keys, blocks_of(possible.end, keys)};
  return made;
}

// A tile of queries sees the blocks of keys `seen`; for some of its rows the blocks `plain` need no
// mask. Adds to `all` what the code for these rows needs: whether it has a loop over blocks without
// a mask, and whether blocks with a mask come before or after this loop.
void add_part(plan::KeyBlocks& all, const Span& seen, const Span& plain) {
  const std::int64_t last = seen.end - 1;
  Span loop{std::max(plain.first, seen.first), std::min(plain.end, last)};
  if (loop.first < loop.end)
    all.has_plain = true;
  else
    loop.first = loop.end = seen.first;
  all.masks_after = all.masks_after || loop.end < last;
  all.masks_before = all.masks_before || seen.first < loop.first;
}

bool is_fixed(const runtime::MatrixAxis& axis) { return axis.step == 0 && axis.jumps.empty(); }

}  // namespace

plan::KeyBlocks key_blocks(const ScoreFormula& formula, const plan::KeyBlockSizes& sizes) {
  plan::KeyBlocks all;
  const bool are_alike = std::ranges::all_of(
      formula.places, [](const PlaceAxes& place) { return is_fixed(place.batch); });
  const std::int64_t batches = are_alike ? 1 : formula.batches;
  for (std::int64_t batch = 0; batch < batches; ++batch) {
    for (std::int64_t first = 0; first < formula.rows; first += sizes.queries) {
      const Blocks tile = blocks_of(formula, sizes.keys, batch, first, sizes.queries);
      const std::int64_t seen = std::max(tile.seen.end - tile.seen.first, std::int64_t{0});
      all.all += blocks_of(formula.keys, sizes.keys);
      all.seen += seen;
      all.plain += std::max(
          std::min(tile.plain.end, tile.seen.end) - std::max(tile.plain.first, tile.seen.first),
          std::int64_t{0});
      all.has_empty = all.has_empty || seen == 0;
      all.of_last = seen;
      if (first == 0) all.of_first = seen;
      if (seen == 0) continue;
      for (std::int64_t part = 0; part < sizes.queries; part += sizes.part)
        add_part(all, tile.seen,
                 blocks_of(formula, sizes.keys, batch, first + part, sizes.part).plain);
    }
  }
  // A mask that is known only at launch may need each kind of block, so the kernel has code for
  // all.
  if (formula.has_open_mask())
    all.has_plain = all.masks_after = all.masks_before = all.has_empty = true;
  for (std::int64_t* count : {&all.all, &all.seen, &all.plain}) *count *= formula.batches / batches;
  return all;
}

std::vector<std::int64_t> blocks_of_tiles(const ScoreFormula& formula,
                                          const plan::KeyBlockSizes& sizes) {
  std::vector<std::int64_t> all;
  for (std::int64_t first = 0; first < formula.rows; first += sizes.queries) {
    const Span seen = blocks_of(formula, sizes.keys, 0, first, sizes.queries).seen;
    all.push_back(std::max(seen.end - seen.first, std::int64_t{1}));
  }
  return all;
}

void draw_as_lengths(const ScoreFormula& formula, MatmulRequest& request) {
  for (const int number : formula.numbers) {
    const MatrixRecord& extra = request.softmax->extras[static_cast<std::size_t>(number)];
    BufferRecord& buffer = request.buffers[static_cast<std::size_t>(extra.parameter)];
    if (buffer.index_end == 0) buffer.index_end = formula.keys + 1;
  }
}

plan::Choice mask_choice(const ScoreFormula& formula, const plan::KeyBlocks& blocks) {
  if (formula.has_open_mask() && formula.may_skip)
    return {"mask", "blocks are skipped by numbers of the launch",
            "which keys are masked depends on an argument: places are compared by intervals over a "
            "block in the kernel"};
  if (formula.has_open_sizes)
    return {"mask", "no blocks are skipped",
            formula.may_skip ? "which keys are masked depends on more than places"
                             : "masked scores count in rows that are masked wholly"};
  return {"mask",
          plan::number(blocks.all - blocks.seen) + " of " + plan::number(blocks.all) +
              " blocks skipped",
          plan::number(blocks.plain) + " of the others need no mask: " +
              (formula.may_skip ? "places are compared by intervals over a block"
                                : "masked scores count in rows that are masked wholly")};
}

}  // namespace heddle::compiler
