// Why is a matrix product wrong? The usual mistakes are tried on the operands until one gives
// exactly the numbers that the kernel gave.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/judge/judgement.h"
#include "runtime/judge/mistakes.h"

namespace heddle::runtime {

struct Explanation {
  std::string name;     // "a-fragments-transposed", for programs; docs/run.md lists them
  std::string message;  // what the result equals
  std::string fix;      // what would be right
};

/// What was found, and whether the search was cut before the last mistake was tried.
struct Explanations {
  std::vector<Explanation> found;
  bool was_cut = false;
};

/// The search for mistakes multiplies as often as this, and is then cut.
inline constexpr std::int64_t most_multiplications_of_search = std::int64_t{1} << 28;

/// The mistakes that explain a judgement that is not right, the most likely first: with such an
/// operand or such a store, every element that was written in the instruction's tiles with wrong
/// elements is right. None when none does, when the formula has no matrix product or more than
/// one, or when the tiles have more missing elements than others. For results of more than 2^26
/// multiplications a sample of 4096 elements decides.
Explanations explain(const LaunchText& launch, const Expectation& expectation,
                     const TensorValues& values, const Judgement& judgement, const MatrixTile& tile,
                     std::int64_t most_multiplications = most_multiplications_of_search);

/// Whether there is anything to explain: a formula with one matrix product.
bool has_one_product(const Expectation& expectation);

/// Every mistake that explain() can name, for the documentation and its test.
std::vector<std::string> explanation_names();

/// "rows 8 to 15 of every 16" and the like: where elements have that verdict; empty for nowhere.
std::string where(const Judgement& judgement, Verdict verdict);

/// The 16x16 tiles of the result as characters, a line for each row of tiles: '.' right, '#' all
/// wrong, '+' some wrong, '-' none written, '_' some not written. At most 32 lines of 64 tiles.
std::string tile_map(const Judgement& judgement);

}  // namespace heddle::runtime
